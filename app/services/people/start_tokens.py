"""Start tokens: what the link holds that a server prints where it is for its own computer alone."""

from urllib.parse import urlencode

from app.services.people.tokens import new_token
from app.settings import START_TOKEN, set_variable, settings

PARAMETER = "token"


def start_link(host: str, port: int, token: str) -> str:
    """What is opened in a browser. token: "" where none is asked for."""
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{port}/" + (f"?{urlencode({PARAMETER: token})}" if token else "")


def begin_start_token() -> str:
    """The one that is set, else a new one. The server, which runs in this very process, finds it in its settings."""
    token = settings().provider_variable("INTERACTEVAL_START_TOKEN") or new_token()
    set_variable(START_TOKEN, token)
    return token
