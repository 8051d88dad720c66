"""Work in the background, waited for."""

import time

from streamlit.testing.v1 import AppTest

from app.domain.job import Job
from app.services.background.jobs import job_state
from app.services.runtime.workbench import Workbench, open_workbench

PATIENCE = 120.0  # seconds; far beyond what anything takes, so that a busy machine fails nothing


def ended(app: AppTest, key: str) -> AppTest:
    """The screen at the time the job has ended; it says once how."""
    return app.run() if wait_for(key) is not None else app


def wait_for(key: str, workbench: Workbench | None = None) -> Job | None:
    """How the job ended; None where somebody was told already. workbench: else that of the environment."""
    where, give_up = workbench or open_workbench(), time.monotonic() + PATIENCE
    while (state := job_state(where, key)) is not None and state.active:
        assert time.monotonic() < give_up, f"{state.title} did not end"
        time.sleep(0.1)  # asking more often takes time from the work on a busy machine
    return state
