"""Seconds of each step on the Results screen, drawn by Streamlit without a browser, on the database that is set up."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.components.shell.frame import load_screens

MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"
TIMEOUT = 120


def with_people(app: AppTest) -> AppTest:
    app.session_state["unfolded_people"] = True
    return app.button_group(key="view").set_value("details").run()


def measure() -> dict[str, dict[str, float]]:
    """Seconds of each step, by the clock and of the processor."""
    load_screens()  # as the server does
    app = AppTest.from_file(str(MAIN), default_timeout=TIMEOUT).run()
    app.switch_page("../pages/results.py")
    steps: dict[str, Callable[[], object]] = {
        "results, opened": app.run,
        "results, opened again": app.run,
        "another level": lambda: app.button_group(key="level").set_value("dataset").run(),
        "the questions": lambda: app.button_group(key="view").set_value("questions").run(),
        "the people": lambda: with_people(app),
        "the texts": lambda: app.button_group(key="view").set_value("texts").run(),
        "texts, who is kinder": lambda: app.button_group(key="direction").set_value("harsher").run(),
        "texts, one system": lambda: app.selectbox(key="system").select_index(1).run(),
    }
    times = {}
    for name, step in steps.items():
        clock, processor = time.perf_counter(), time.process_time()
        step()
        if app.exception:
            raise RuntimeError(f"{name}: {app.exception[0].message}")
        times[name] = {
            "seconds": round(time.perf_counter() - clock, 3),
            "cpu_seconds": round(time.process_time() - processor, 3),
        }
    return times


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure()))
