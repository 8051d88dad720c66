"""Results, Details: whether the judge changed, before anything is frozen, and after looks."""

import itertools
import json
from collections.abc import Callable
from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist_score import Answer
from app.providers import known_prices
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.checklists import published_checklist
from app.services.data.projects import dimensions_named
from app.services.drift.drift_checks import drift_state
from app.services.runtime.endpoint_models import endpoint_models
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.scoring_jobs import job_key
from app.settings import settings
from pages.components.results.drift import evidence_words
from tests.support.answering import answer_all
from tests.support.background import PATIENCE, ended
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import all_yes
from tests.support.fake_llm.server import FakeLlm
from tests.support.result_screen import shown, table

ANCHORS = 12  # fewer could not show a change that matters


@pytest.mark.parametrize(("capital", "words"), [(0.4, "none"), (3, "some"), (12, "strong"), (20, "proof")])
def test_evidence_in_words(capital: float, words: str) -> None:
    assert evidence_words(capital, 20) == words


def answered(workbench: Workbench, texts: int) -> tuple[int, ...]:
    """Texts whose questions an expert answered, so that they can be anchors."""
    checklist = published_checklist(workbench, dimensions_named(workbench, "Demo", "all")[0].id)
    draw = draw_texts(workbench, checklist.id, texts, seed=1)
    questions = [question.id for question in checklist.asked]
    answer_all(workbench, draw, "Ana", dict.fromkeys(itertools.product(draw.texts, questions), Answer.YES))
    return draw.texts


def test_anchors_are_frozen_and_looked_at_here_and_ahead_of_a_run(
    demo: Workbench, open_results: Callable[..., AppTest], open_screen: Callable[..., AppTest]
) -> None:
    dimension = dimensions_named(demo, "Demo", "all")[0]
    app = open_results(view="details", open="drift")
    assert not app.exception
    assert "No anchors are frozen yet" in shown(app)
    assert "--freeze" in shown(app)
    assert app.button(key="drift_freeze").disabled
    answered(demo, ANCHORS)
    app.run()
    assert not app.button(key="drift_freeze").disabled
    app.button(key="drift_freeze").click().run()
    app = ended(app, job_key(1))
    assert not app.exception
    assert f"{ANCHORS} anchors are ready" in shown(app)
    app.button(key="drift_look").click().run()
    app = ended(app, job_key(1))
    assert f"The judge answers the {ANCHORS} anchors as it did" in app.success[0].value
    assert table(app, "Evidence of a change") == ["none"]

    scores = open_screen("scores")
    dimensions = next(group for group in scores.button_group if str(group.key).startswith("score_dimensions"))
    dimensions.set_value([dimension.id])
    scores.toggle(key="check_drift").set_value(True).run()
    scores.button(key="start_scoring").click().run()
    scores = ended(scores, job_key(1))
    assert f"coherence: The judge answers the {ANCHORS} anchors as it did" in scores.success[0].value

    app = open_results(view="details", open="drift")
    assert not app.exception
    assert f"The judge answers the {ANCHORS} anchors as it did" in shown(app)
    assert "--run" in shown(app)
    assert table(app, "Evidence of a change") == ["none", "none"]
    assert table(app, "Answers changed") == ["0.0 %", "0.0 %"]
    (chart,) = app.get("vega_lite_chart")
    spec = json.loads(chart.proto.spec)
    axes = [part["encoding"]["x"]["axis"] for part in (spec["hconcat"][0]["layer"][1], spec["hconcat"][1])]
    assert [axis["labelOverlap"] for axis in axes] == ["greedy", "greedy"], "names of many looks print over each other"


def test_an_ending_judge_is_frozen_and_compared_by_one_button(
    demo: Workbench, open_results: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_prices, "_LISTED", {"rules": date(2027, 1, 14)})
    dimension = dimensions_named(demo, "Demo", "all")[0]
    texts = answered(demo, 3)
    with FakeLlm(usual=Reply(all_yes), models=("two",)) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", server.url)
        settings.cache_clear()
        endpoint_models(open_workbench(), patience=PATIENCE)
        app = open_results(view="details", open="drift")
        assert "14 January 2027" in app.warning[0].value
        assert app.button(key="drift_compare_successor").disabled, "it can't be its own successor"
        app.selectbox(key="drift_successor").set_value("llama:two").run()
        app.button(key="drift_compare_successor").click().run()
        app = ended(app, job_key(1))
        assert not app.exception
        assert len(server.requests) == len(texts)
        state = drift_state(open_workbench(), 1, dimension)
        assert (state.judge, state.against, state.has_reference, len(state.looks)) == ("llama:two", "rules", True, 1)
        app.button(key="drift_anew").click().run()
        ended(app, job_key(1))
        assert len(server.requests) == len(texts), "the successor is asked nothing for the other's reference"
    state = drift_state(open_workbench(), 1, dimension)
    assert (state.judge, state.against, state.has_reference, len(state.looks)) == ("rules", "rules", True, 0)
