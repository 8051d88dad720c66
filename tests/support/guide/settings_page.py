"""The page of the reference about settings: every variable of the environment that is read."""

import io
import re
import tokenize

from app.providers.specs import KNOWN_PROVIDERS
from app.settings import Settings
from tests.support.guide.markdown import code, markdown_table, plain_words
from tests.support.repository import ROOT, python_files

# Keys are no fields of the settings, so that no log shows them; what each is for is said here.
SECRETS = {
    "INTERACTEVAL_COOKIE_SECRET": "Signs cookies. Any long random text; the same for servers that share a database. "
    "A single server makes its own.",
    "INTERACTEVAL_START_TOKEN": "The token in the link that `interacteval serve` prints on one's own computer; without "
    "it a new one at each start.",
    "INTERACTEVAL_METRICS_TOKEN": "What a program has to send to read /metrics of a server on a network.",
    "INTERACTEVAL_OIDC_SECRET": "What the OpenID Connect provider gave for this server.",
}
_ABOUT = """# Settings

The workbench reads its settings from variables of the environment when it starts. None is needed on your own computer.

## Of the workbench

"""
_MODELS = """## Of the providers of models

A key can also be typed on the screen Settings; it is then kept for that browser session alone.

"""


def settings_page() -> str:
    said = _comments()
    own = [(code(str(each.validation_alias)), _default(each.default), said[name]) for name, each in _fields()]
    own += [(code(name), "–", about) for name, about in SECRETS.items()]
    rows = [
        (code(f"{spec.prefix}:NAME"), spec.title, ", ".join(map(code, spec.key_variables)), code(spec.url_variable))
        for spec in KNOWN_PROVIDERS.values()
        if spec.key_variables or spec.url_variable
    ]
    models = markdown_table(["models", "provider", "its key", "its address"], rows)
    return _ABOUT + markdown_table(["variable", "without it", "is"], own) + _MODELS + models


def secrets_read() -> set[str]:
    """Variables of ours that are read beside the settings' fields."""
    source = "".join(path.read_text(encoding="utf-8") for path in python_files("app"))
    return set(re.findall(r'provider_variable\("(INTERACTEVAL_\w+)"\)', source))


def _fields() -> list[tuple[str, object]]:
    return list(Settings.model_fields.items())


def _default(value: object) -> str:
    return code(value) if isinstance(value, str) and value else "–"


def _comments() -> dict[str, str]:
    """Field -> the comment above it. Fields that follow each other share one."""
    source = (ROOT / "app" / "settings.py").read_text(encoding="utf-8")
    kept = {"home": "The folder of your data; without it one of the system's for such data."}
    kept["database_url"] = "A PostgreSQL database in place of the file in that folder."
    comment, fresh = "", False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.line.strip().startswith("#"):
            comment = f"{comment} {token.string.lstrip('# ')}" if fresh else token.string.lstrip("# ")
            fresh = True
        elif token.type == tokenize.NAME and token.line.startswith(f"    {token.string}:"):
            kept.setdefault(token.string, plain_words(comment))
            fresh = False
    return kept
