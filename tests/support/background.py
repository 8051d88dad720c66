"""Work in the background, waited for."""

import time

from streamlit.testing.v1 import AppTest

from app.services.runtime.jobs import JOBS, JobStatus

PATIENCE = 120.0  # seconds; far beyond what anything takes, so that a busy machine fails nothing


def ended(app: AppTest, key: str) -> AppTest:
    """The screen at the time the job has ended; it says once how."""
    wait_for(key)
    return app.run() if JOBS.state(key) is not None else app


def wait_for(key: str) -> None:
    give_up = time.monotonic() + PATIENCE
    while (state := JOBS.state(key)) is not None and state.status is JobStatus.RUNNING:
        assert time.monotonic() < give_up, f"{state.title} did not end"
        time.sleep(0.02)
