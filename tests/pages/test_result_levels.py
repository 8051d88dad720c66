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

Open = Callable[[str], AppTest]


def signature(app: AppTest) -> str:
    return str(app.text[0].value)


def with_signatures(open_screen: Open) -> AppTest:
    app = open_screen("results")
    app.session_state["unfolded_signature"] = True
    return app.run()


@pytest.fixture
def scored(workbench: Workbench) -> None:
    """Six sources, each with a text of four systems, scored on one dimension."""
    dimension = ready_to_score(workbench, texts=24)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))


def at_level(app: AppTest, level: Level) -> AppTest:
    return app.button_group(key="level").set_value(level).run()


def test_intervals_draw_what_suits_the_level_unless_a_person_chose(scored: None, open_screen: Open) -> None:
    app = with_signatures(open_screen)
    assert "|1000 sources|" in signature(app)
    assert "|1000 systems|" in signature(at_level(app, "system"))
    assert "resampling" not in app.query_params
    assert "|1000 sources|" in signature(at_level(app, "dataset"))
    app.button_group(key="resampling").set_value("both").run()
    for level in ("system", "per-source"):
        assert "|1000 both|" in signature(at_level(app, level))
    app.button_group(key="resampling").set_value("sources").run()
    assert "|1000 sources|" in signature(app)


def test_the_other_levels_are_computed_when_one_is_shown(
    scored: None, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def computed(*_: object) -> NoReturn:
        pytest.fail("a level is computed when it is asked for")

    app = with_signatures(open_screen)
    monkeypatch.setattr(results, "_result", computed)
    for level in ("dataset", "system", "per-source"):
        assert not at_level(app, level).exception
        assert signature(app).startswith(level)
