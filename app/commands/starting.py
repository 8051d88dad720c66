"""What a web server and a worker look at before they start: settings that can't be meant are said then, not later."""

from pathlib import Path

from app.commands.output import say

OWN_OPTIONS = Path(__file__).resolve().parents[1] / ".streamlit" / "config.toml"
_OFF, _ON, _EMPTY = ("", "0", "false", "no", "off"), ("", "1", "true", "yes", "on"), ("", "[]", "{}")
_PROTECTED = {
    "globaldevelopmentmode": _OFF,
    "globale2etest": _OFF,
    "clientallowedorigins": _EMPTY,
    "clientshowerrordetails": ("", "none", "false"),
    "serverenableagentapi": _OFF,
    "serverenablecors": _ON,
    "serverenablestaticserving": _OFF,
    "serverenablexsrfprotection": _ON,
    "serverscripthealthcheckenabled": _OFF,
    "servertrusteduserheaders": _EMPTY,
    "serverxsrfcookiesamesite": ("", "strict", "lax"),
    "serverallowedhosts": _EMPTY,
    "servercorsallowedorigins": _EMPTY,
    "serveraddress": ("", "127.0.0.1", "localhost", "::1"),
    "secretsfiles": _EMPTY,
}
"""Options of Streamlit, in small letters -> the values that leave the server as safe as it is."""


def check_settings() -> None:
    """Says of variables that are none. Raises InputError or NotReadyError for values that can't be used."""
    from app.services.people.upload_quota import largest_upload, uploads_a_day
    from app.services.runtime.allowance import monthly_budgets
    from app.settings import settings
    from app.telemetry.signals import signals

    for name, meant in settings().mistyped().items():
        say(f"{name} is no setting, so it does nothing." + (f" Is {meant} meant?" if meant else ""))
    monthly_budgets()
    largest_upload()
    uploads_a_day()
    signals()


def check_streamlit_options() -> None:
    """Says which files of options in this folder and the home folder aren't read: the app's own alone counts, for a
    folder may be anybody's. Raises InputError for variables that would open the server."""
    from app.errors import InputError
    from app.settings import streamlit_variables

    for name, value in streamlit_variables().items():
        if _opens(name, value):
            raise InputError(
                f"{name} is “{value[:60]}”, which would take away a protection of this server.",
                f"Unset it (`unset {name}`). How the server is reached is set by its own settings, INTERACTEVAL_….",
            )
    ignored = ", ".join(streamlit_variables())
    if ignored:
        say(f"Streamlit's own variables do nothing here: {ignored}.")
    for folder in dict.fromkeys((Path.cwd(), Path.home())):
        for name in ("config.toml", "secrets.toml"):
            file = folder / ".streamlit" / name
            if file.is_file() and file.resolve() != OWN_OPTIONS.resolve():
                say(f"{file} isn't read: this app has options of its own, and keys come from the environment.")


def _opens(name: str, value: str) -> bool:
    """Whether a variable of Streamlit's wishes for something that its pinned options forbid."""
    option = name.removeprefix("STREAMLIT_").replace("_", "").lower()
    return option in _PROTECTED and value.strip().lower() not in _PROTECTED[option]
