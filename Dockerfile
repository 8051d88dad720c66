# The workbench as one image, for web servers and workers alike. See deploy/README.md.
# Pinned by the digest of the index of all platforms. To renew it, look up the newest tag and write both here:
# docker buildx imagetools inspect python:3.12-slim
ARG PYTHON=python:3.12.14-slim-trixie@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea
FROM ${PYTHON} AS build
COPY .tools/uv.txt /tools/
RUN pip install --no-cache-dir --require-hashes -r /tools/uv.txt
WORKDIR /source
COPY .tools/zensical.txt /tools/
COPY pyproject.toml requirements.lock requirements-test.lock README.md LICENSE ./
COPY app app
COPY pages pages
COPY db db
COPY prompts prompts
COPY docs docs
COPY deploy deploy
COPY CONTRIBUTING.md ./
COPY tests/support tests/support
RUN uv venv /guide && export VIRTUAL_ENV=/guide \
 && uv pip install --require-hashes -r requirements.lock && uv pip install --require-hashes -r /tools/zensical.txt \
 && uv pip install --no-deps . && /guide/bin/python -m tests.support.guide
# Compiled here: nobody may write in the image, so that each start and each command would compile everything anew.
RUN uv venv /workbench && export VIRTUAL_ENV=/workbench \
 && awk '/^[^ ]/ {keep = /^(opentelemetry|googleapis)/} keep' requirements-test.lock > /tools/otel.txt \
 && uv pip install --no-cache --compile-bytecode --require-hashes -r requirements.lock \
 && uv pip install --no-cache --compile-bytecode --require-hashes --no-deps -r /tools/otel.txt \
 && uv pip install --no-cache --compile-bytecode --no-deps .

FROM ${PYTHON}
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
