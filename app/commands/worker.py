"""worker: takes what was begun in a browser, so that it goes on whatever becomes of the web server."""

from typing import Annotated

import typer

from app.commands.output import say


def worker(
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=32, help="How many jobs it does at a time.")] = 2,
) -> None:
    """Do the work in the background of web servers with the same database: asking LLMs, building, scoring, importing
    large files.

    Start as many as you like. Keys come from its own environment. Ctrl-C or SIGTERM ends it: replies under way are
    kept, and what is left goes to the next worker.

    Example: interacteval worker --at-once 4
    """
    from app.commands.model_asking import runs_end_on_signals
    from app.commands.workbench import check_settings
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
