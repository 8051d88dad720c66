# The workbench as one image, for web servers and workers alike. See deploy/README.md.
FROM python:3.12-slim AS build
RUN pip install --no-cache-dir uv
WORKDIR /source
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY app app
COPY pages pages
COPY db db
COPY prompts prompts
COPY docs docs
COPY deploy deploy
COPY CONTRIBUTING.md ./
COPY tests/support tests/support
RUN uv venv /guide && VIRTUAL_ENV=/guide uv pip install --constraint requirements.lock . zensical \
 && /guide/bin/python -m tests.support.guide
# Compiled here: nobody may write in the image, so that each start and each command would compile everything anew.
RUN uv venv /workbench \
 && VIRTUAL_ENV=/workbench uv pip install --no-cache --compile-bytecode --constraint requirements.lock ".[otel]"

FROM python:3.12-slim
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin workbench \
 && mkdir /data && chown workbench /data
COPY --from=build /workbench /workbench
ENV PATH=/workbench/bin:$PATH INTERACTEVAL_HOME=/data HOME=/tmp PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER workbench
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["python", "-c", \
  "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/healthz', timeout=4)"]
CMD ["interacteval", "serve", "--host", "0.0.0.0"]
