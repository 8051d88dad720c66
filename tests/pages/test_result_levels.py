"""The levels of Results: what suits each, and what is ready when it is asked for."""

from collections.abc import Callable
from typing import NoReturn

import pytest
from streamlit.testing.v1 import AppTest

from app.meta_evaluation.score_matrix import Level
from app.services.results import results
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.projects import ready_to_score


def signature(app: AppTest) -> str:
    return str(app.text[0].value)


@pytest.fixture
def scored(workbench: Workbench) -> None:
    """Six sources, each with a text of four systems, scored on one dimension."""
    dimension = ready_to_score(workbench, texts=24)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))


def at_level(app: AppTest, level: Level) -> AppTest:
    return app.button_group(key="level").set_value(level).run()


def test_levels_are_computed_ahead_with_intervals_that_suit_them(
    scored: None, open_screen: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*_: object) -> NoReturn:
        pytest.fail("a level is computed when it is asked for")

    app = open_screen("results", open="signature")
    with monkeypatch.context() as patch:
        patch.setattr(results, "_result", computed)
        for level, drawn in (("system", "systems"), ("dataset", "sources"), ("per-source", "sources")):
            assert not at_level(app, level).exception
            assert signature(app).startswith(level)
            assert f"|1000 {drawn}|" in signature(app)
            assert "resampling" not in app.query_params
    app.button_group(key="resampling").set_value("both").run()
    for level in ("system", "per-source"):
        assert "|1000 both|" in signature(at_level(app, level)), "a person chose"
    app.button_group(key="resampling").set_value("sources").run()
    assert "|1000 sources|" in signature(app)
