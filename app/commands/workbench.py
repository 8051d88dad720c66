"""serve, demo and worker."""

import gc
import runpy
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.commands.shared import JsonOption, echo, open_workbench, print_json, say, table
from app.domain.sign_in import AccessMode
from app.errors import InputError


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 127.0.0.1 is this machine only.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8501,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="Another name under which browsers reach it, *.NAME for all below one; also "
            "INTERACTEVAL_ALLOWED_HOSTS, with commas. Requests under other names are refused."
        ),
    ] = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="On this computer alone: let in browsers without the link's token.")
    ] = False,
) -> None:
    """Start the web app.

    Example: interacteval serve --host 0.0.0.0 --port 8600 --allow-host workbench.example.org
    """
    from app.services.people.invitations import offer_owner_link, owner_has_signed_in
    from app.services.people.sign_ins import begin_start_token
    from app.services.people.ways_to_sign_in import check_access_mode, link_of
    from app.settings import names_of_server, settings

    check_settings()
    check_streamlit_options()
    names = [*(allow_host or []), *filter(str.strip, settings().allowed_hosts.split(","))]
    names_of_server(host, names)  # a name that is none is said before anything starts
    mode = check_access_mode(host, names)
    _check_free(host, port)
    workbench = open_workbench()  # migrations, and a sentence where the database can't be used, before any page
    workbench.database.check_writable()
    token = begin_start_token() if mode is AccessMode.LOCAL and not no_token else ""
    if token:  # the server prints the link once it answers; without the token nobody is let in
        say("Starting InteractEval Workbench: its link follows (Ctrl-C stops it)")
    else:
        say(f"Starting InteractEval Workbench at http://{host}:{port} (Ctrl-C stops it)")
    if mode is not AccessMode.LOCAL and not owner_has_signed_in(workbench):
        link = link_of(offer_owner_link(workbench).token, f"http://localhost:{port}")
        first = "sign in first, then open" if mode is AccessMode.OIDC else "come in by"
        say(f"You run it: {first} this link, once: {link}")
    script = str(Path(__file__).resolve().parents[1] / "server.py")
    # This process becomes the server, so that Ctrl-C and a service manager's signals reach it directly, and nothing
    # that was loaded for the checks is loaded again.
    gc.disable()  # until the screens are loaded, which tells why
    sys.argv = [script, host, str(port), *([] if token else ["--no-token"]), *names]
    runpy.run_path(script, run_name="__main__")


def _check_free(host: str, port: int) -> None:
    """Raise InputError if the address can't be served; Streamlit would end with a traceback."""
    try:
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]  # Python adds the address again
        raise InputError(
            f"Nothing can be served at {host}:{port}: {reason}.",
            "Choose another --port (`make run PORT=9000`) or --host.",
        ) from error


def demo(
    project: Annotated[str, typer.Option(help="The project to create or go on with.")] = "Demo",
    json_: JsonOption = False,
) -> None:
    """Load the bundled demo project: simulated experts, LLMs and raters, judged by text rules without a key.

    Example: interacteval demo --json
    """
    from app.services.demo import load_demo

    report = load_demo(open_workbench(), project, lambda what, *_: say(what))
    if json_:
        print_json(report.to_json())
        return
    rows = [
        [name, questions, result.scored, *result.headline] for name, (_, questions, result) in report.dimensions.items()
    ]
    echo(f"Project {report.project}, judge {report.judge} (text rules, not an LLM), made-up texts and raters")
    echo(table(["dimension", "questions", "texts", "Spearman", "95 % from", "to", "groups used"], rows))


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
"""Streamlit's options in lower case -> the values that keep the server safe."""


def check_settings() -> None:
    """Warn of unknown variables. Raises InputError or NotReadyError for invalid values."""
    from app.services.people.upload_limits import largest_upload, uploads_a_day
    from app.services.runtime.spending import monthly_budgets
    from app.settings import settings
    from app.telemetry import signals

    for name, meant in settings().mistyped().items():
        say(f"{name} is no setting, so it does nothing." + (f" Is {meant} meant?" if meant else ""))
    monthly_budgets()
    largest_upload()
    uploads_a_day()
    signals()


def check_streamlit_options() -> None:
    """Print which option files in this folder and the home folder are ignored: only the app's own counts, because a
    folder may be anybody's. Raises InputError for variables that would make the server unsafe."""
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
    """Return whether a Streamlit variable sets something that the pinned options forbid."""
    option = name.removeprefix("STREAMLIT_").replace("_", "").lower()
    return option in _PROTECTED and value.strip().lower() not in _PROTECTED[option]


def worker(
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=32, help="How many jobs it does at a time.")] = 2,
) -> None:
    """Do background jobs of web servers with the same database: asking LLMs, building, scoring, importing large files.

    Start as many as you like. Keys come from the worker's own environment. Ctrl-C or SIGTERM ends it: replies in flight
    are stored, and the next worker continues.

    Example: interacteval worker --at-once 4
    """
    from app.commands.shared import runs_end_on_signals
    from app.scoring.engine import DRAIN_SECONDS
    from app.services.background.runner import allow_jobs, drain_jobs, refuse_jobs, work_on_jobs
    from app.services.job_kinds import load_job_kinds
    from app.services.runtime.workbench import open_workbench

    check_settings()
    load_job_kinds()
    workbench = open_workbench(any_path=False)
    say("Waiting for work (stop with Ctrl-C)")
    try:
        with runs_end_on_signals(also=refuse_jobs) as interruption:
            work_on_jobs(workbench, at_once, say)
            drain_jobs(DRAIN_SECONDS)
        interruption.exit_if_any()
    finally:
        allow_jobs()
