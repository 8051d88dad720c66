"""Anchors frozen, asked three times, and looked at again: an unchanged judge, a changed one, a new one."""

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnchorSet, DriftVerdict
from app.domain.project import Dimension, Task
from app.domain.run import RunStatus
from app.errors import InputError, NotReadyError
from app.services.checklists.answer_draws import draw_texts
from app.services.drift.anchors import freeze_anchors
from app.services.drift.drift_checks import Asking, anchors_ahead, ask_reference, drift_state, look_ahead, look_once
from app.services.results.run_comparison import score_sets
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, list_runs, start_run, work_on
from tests.support.answering import answer_all
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score, workbench_at

JUDGE, TEXTS = "llama:one", 12
ASKING = Asking(JUDGE)


class Mood:
    """What the served judge says to every question; the tests change it."""

    def __init__(self) -> None:
        self.said = "yes"
        self.fail = False

    def __call__(self, schema: Mapping[str, Any] | None) -> str:
        assert schema is not None
        return json.dumps(dict.fromkeys(schema["properties"], self.said if not self.fail else "perhaps"))


@pytest.fixture
def mood() -> Mood:
    return Mood()


@pytest.fixture
def usual(mood: Mood) -> Usual:
    return Reply(mood)


def _answered(workbench: Workbench, texts: int = 20, answered: int = TEXTS) -> Dimension:
    """Some of the texts get an expert's answers: yes to everything."""
    made = ready_to_score(workbench, texts)
    draw = draw_texts(workbench, 1, answered, seed=3)
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(1).asked]
    answer_all(workbench, draw, "Ana", dict.fromkeys(itertools.product(draw.texts, questions), Answer.YES))
    return made


def _frozen(workbench: Workbench, dimension: Dimension) -> AnchorSet:
    found = freeze_anchors(workbench, 1, dimension, "Ana")
    ask_reference(workbench, 1, dimension, found, ASKING)
    return found


@pytest.fixture(scope="module")
def answered() -> Prepared[Dimension]:
    """Made once; each test has a copy."""
    return prepared(_answered)


@pytest.fixture(scope="module")
def frozen(answered: Prepared[Dimension]) -> Prepared[AnchorSet]:
    """The same with anchors, after a judge that says yes gave its reference."""
    with FakeLlm(usual=Reply(Mood())) as llm:

        def opened(folder: Path) -> Workbench:
            answered.copy(folder)
            return workbench_at(folder, f"{llm.url}/v1")

        made = prepared(lambda workbench: _frozen(workbench, answered.made), opened)
        assert len(made.made.texts) == TEXTS
        assert [request.body["temperature"] for request in llm.requests] == [0.0] * 3 * TEXTS
        return made


@pytest.fixture
def workbench(frozen: Prepared[AnchorSet], llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    """One with the frozen anchors of twelve texts."""
    frozen.copy(tmp_path)
    made = workbench_at(tmp_path, f"{llm.url}/v1")
    yield made
    made.database.close()


@pytest.fixture
def dimension(answered: Prepared[Dimension]) -> Dimension:
    return answered.made


@pytest.fixture
def found(frozen: Prepared[AnchorSet]) -> AnchorSet:
    return frozen.made


@pytest.fixture
def unfrozen(answered: Prepared[Dimension], llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    """One whose texts have answers, but no anchors."""
    (tmp_path / "unfrozen").mkdir()
    answered.copy(tmp_path / "unfrozen")
    made = workbench_at(tmp_path / "unfrozen", f"{llm.url}/v1")
    yield made
    made.database.close()


@pytest.fixture
def empty(llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    (tmp_path / "empty").mkdir()
    made = workbench_at(tmp_path / "empty", f"{llm.url}/v1")
    yield made
    made.database.close()


def test_looks_find_a_changed_judge_and_are_no_results(
    workbench: Workbench, dimension: Dimension, found: AnchorSet, llm: FakeLlm, mood: Mood
) -> None:
    """Twelve anchors of three questions are too few, twenty are not."""
    own = start_run(workbench, 1, RunOptions((dimension,), "rules"))
    work_on(workbench, own)
    assert ask_reference(workbench, 1, dimension, found, ASKING) == []
    assert drift_state(workbench, 1, dimension).verdict is DriftVerdict.TOO_FEW
    look_once(workbench, 1, dimension, found, ASKING)
    assert len(llm.requests) == TEXTS
    assert {request.body["temperature"] for request in llm.requests} == {0.0}, "looks are asked as the reference was"
    state = drift_state(workbench, 1, dimension)
    assert state.verdict is DriftVerdict.TOO_FEW
    assert "12 anchors are too few: a look would mostly find a change only where 15 % of" in state.sentence
    assert [look.figures["flips"] for look in state.looks] == [0]
    assert state.last["capital"] < 1
    assert state.last["score"] == pytest.approx(5)

    # A changed judge is found at once, and agrees less with people.
    mood.said = "no"
    look_once(workbench, 1, dimension, found, ASKING)
    state = drift_state(workbench, 1, dimension)
    assert state.verdict is DriftVerdict.JUDGE_CHANGED
    assert (state.last["flips"], state.last["error_change"]) == (1, 1)
    assert "agrees less with people" in state.sentence
    assert [share for _, share in state.questions] == [1, 1, 1]
    mood.said = "yes"
    look_once(workbench, 1, dimension, found, ASKING)
    state = drift_state(workbench, 1, dimension)
    assert state.verdict is DriftVerdict.JUDGE_CHANGED, "it did change"
    assert [look.figures["flips"] for look in state.looks] == [0, 1, 0]

    # Runs about anchors are no results.
    assert [run.id for run in list_runs(workbench, 1)] == [own]
    assert len(list_runs(workbench, 1, anchors=True)) == 1 + 3 + 3
    assert [scores.run.id for scores in score_sets(workbench, 1, dimension.id)] == [own]


def test_a_look_that_was_cut_off_is_gone_on_with(
    workbench: Workbench, dimension: Dimension, found: AnchorSet, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.scoring.run_worker._ENDING.is_set", lambda: True)
    cut_off = look_once(workbench, 1, dimension, found, ASKING)
    assert cut_off.run.status is RunStatus.STOPPED
    state = drift_state(workbench, 1, dimension)
    assert (len(state.looks), state.open is not None) == (0, True)
    monkeypatch.undo()
    whole = look_once(workbench, 1, dimension, found, ASKING)
    assert whole.run.id == cut_off.run.id
    assert len(llm.requests) == TEXTS
    assert len(drift_state(workbench, 1, dimension).looks) == 1


def test_a_new_model_is_compared_with_the_old_ones_reference(
    workbench: Workbench, dimension: Dimension, found: AnchorSet, mood: Mood
) -> None:
    with pytest.raises(NotReadyError, match="llama:two has not answered"):
        look_once(workbench, 1, dimension, found, Asking("llama:two"))
    mood.said = "no"
    look_once(workbench, 1, dimension, found, Asking("llama:two", JUDGE))
    state = drift_state(workbench, 1, dimension, "llama:two")
    assert (state.against, state.verdict) == (JUDGE, DriftVerdict.JUDGE_CHANGED)
    assert drift_state(workbench, 1, dimension, JUDGE).looks == ()


def test_anchors_that_are_another_thing_now_are_refused(
    workbench: Workbench, dimension: Dimension, found: AnchorSet
) -> None:
    with workbench.database.write() as work:
        work.projects.set_dimension(replace(dimension, rubric="Something else altogether."))
    with pytest.raises(InputError, match="no longer what was frozen"):
        look_once(workbench, 1, dimension, found, ASKING)
    assert "no longer what was frozen" in drift_state(workbench, 1, dimension).sentence


def test_an_anchor_that_became_a_sample_is_named_instead_of_failing(
    workbench: Workbench, dimension: Dimension, found: AnchorSet
) -> None:
    with workbench.database.write() as work:
        work.think_aloud.set_samples(dimension.id, [(found.texts[0], 1.0, "hand")])
        document = work.texts.many(found.texts[:1])[found.texts[0]].doc_id
        held = sum(text.doc_id == document for text in work.texts.many(found.texts).values())
    with pytest.raises(InputError, match=rf"Of the 12 anchors of .*, {held} can't be asked about any more"):
        look_once(workbench, 1, dimension, found, ASKING)
    assert "can't be asked about any more" in drift_state(workbench, 1, dimension).sentence
    assert len(freeze_anchors(workbench, 1, dimension, "Ana").texts) == TEXTS - held


def test_without_answers_of_experts_there_are_no_anchors(empty: Workbench) -> None:
    dimension = ready_to_score(empty)
    with pytest.raises(NotReadyError, match="has 0 of them"):
        freeze_anchors(empty, 1, dimension, "")
    state = drift_state(empty, 1, dimension)
    assert state.verdict is DriftVerdict.TOO_FEW
    assert "No anchors are frozen yet" in state.sentence


def test_texts_that_are_scored_otherwise_by_a_steady_judge_changed(empty: Workbench, mood: Mood) -> None:
    dimension = _answered(empty, texts=60, answered=20)
    found = _frozen(empty, dimension)
    assert drift_state(empty, 1, dimension).verdict is None, "nobody has looked yet"
    for draw, said in (((5, 4), "yes"), ((6, 4), "no")):
        mood.said = said
        work_on(empty, start_run(empty, 1, RunOptions((dimension,), JUDGE, draw=draw, use_cache=False)))
    mood.said = "yes"
    look_once(empty, 1, dimension, found, ASKING)
    state = drift_state(empty, 1, dimension)
    assert state.texts is not None
    assert state.texts.difference == pytest.approx(-4)
    assert state.verdict is DriftVerdict.TEXTS_CHANGED
    assert "4.00 lower" in state.sentence


def test_anchors_are_asked_ahead_of_a_run_where_the_judge_knows_them(
    workbench: Workbench, unfrozen: Workbench, dimension: Dimension, llm: FakeLlm, mood: Mood
) -> None:
    options = RunOptions((dimension,), JUDGE)
    assert anchors_ahead(unfrozen, [options]) == []
    asked = anchors_ahead(workbench, [options, replace(options, judge="llama:other")])
    assert asked == [(dimension, ASKING)]
    mood.said = "no"
    assert "coherence: The judge no longer answers as it did" in look_ahead(workbench, 1, asked)
    assert len(llm.requests) == TEXTS
    with workbench.database.write() as work:
        work.projects.set_task(1, Task("summary", "another source"))
    assert "its anchors could not be asked" in look_ahead(workbench, 1, asked), "and nobody is kept from scoring"
