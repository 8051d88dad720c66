"""What more answers of experts would bring, in figures and in plain sentences."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.checklist_score import Answer, Evaluation, Judgment
from app.domain.expert_answer import AnswerDraw, WaveRequest
from app.domain.project import Rating, Text
from app.domain.run import Outcome, RunDimension
from app.services.checklists.answer_draws import draw_texts
from app.services.results.corrected_shares import planned_answers
from app.services.runtime.workbench import Workbench
from tests.support.answering import answer_all
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score, workbench_at

CHECKLIST, TEXTS = 1, 120


def answered_by_judges(workbench: Workbench) -> None:
    """All texts, by two judges."""
    ready_to_score(workbench, texts=TEXTS)
    with workbench.database.write() as work:
        for judge in ("one", "two"):
            run = work.runs.create(
                1, "checklist", judge, {}, [RunDimension(1, CHECKLIST, texts=tuple(range(1, TEXTS + 1)))]
            )
            outcomes = [
                Outcome(planned, Evaluation(3.0, 1.0, tuple(Judgment(q, judged(judge, n, q)) for q in (1, 2, 3))))
                for n, planned in enumerate(work.runs.open_scores(run), start=1)
            ]
            work.runs.save(outcomes)


def answered_by_people(workbench: Workbench) -> None:
    """48 texts too."""
    answered_by_judges(workbench)
    people_answer(workbench, draw_texts(workbench, CHECKLIST, 48, seed=2))


@pytest.fixture(scope="module")
def by_judges() -> Prepared[None]:
    return prepared(answered_by_judges)


@pytest.fixture(scope="module")
def by_people() -> Prepared[None]:
    return prepared(answered_by_people)


@pytest.fixture
def bench(by_judges: Prepared[None], tmp_path: Path) -> Iterator[Workbench]:
    by_judges.copy(tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def answered(by_people: Prepared[None], tmp_path: Path) -> Iterator[Workbench]:
    by_people.copy(tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


def judged(judge: str, text: int, question: int) -> Answer:
    """Both answer alike but for question 1 about every third text, where the first says the other."""
    yes = (text + question) % 2 == 0
    return Answer.YES if yes != (judge == "one" and question == 1 and text % 3 == 0) else Answer.NO


def people_answer(bench: Workbench, draw: AnswerDraw) -> None:
    """As the first judge but on question 1 about every sixth text, on which judges differ."""
    given: dict[tuple[int, int], Answer] = {}
    for text, question in itertools.product(draw.texts, (1, 2, 3)):
        said = judged("one", text, question)
        wrong = question == 1 and text % 6 == 0
        other = Answer.NO if said is Answer.YES else Answer.YES
        given[text, question] = other if wrong else said
    answer_all(bench, draw, "Ana", given)


def test_before_anybody_answered_the_worst_is_said(bench: Workbench) -> None:
    found = planned_answers(bench, CHECKLIST, WaveRequest(25)).forecast
    assert (found.answers, found.score, found.widest) == (0, None, None)
    assert found.said == (
        "Nobody has answered yet. 25 answers of people alone tell a question's share of yes to plus or minus 20 points "
        "at worst; with a judge that is often right it is less. From 30 answers on this says how much.",
    )


def test_texts_that_the_judge_lacks_are_said(bench: Workbench) -> None:
    with bench.database.write() as work:
        added = [Text(f"new{n}", f"Unscored {n}.", "s0", source="") for n in range(30)]
        work.texts.add_many(1, added)
        ids = work.texts.ids_by_key(1)
        work.texts.add_ratings([(ids[text.key], 1, Rating("coherence", "r1", 3.0)) for text in added])
    plan = planned_answers(bench, CHECKLIST, WaveRequest(TEXTS + 30))
    assert plan.forecast.said[1:] == (
        f"The judge has scored {TEXTS} of these {TEXTS + 30} texts; only those correct it. Score the rest too.",
    )
    people_answer(bench, draw_texts(bench, CHECKLIST, 48, seed=2))
    assert "only those correct it" in planned_answers(bench, CHECKLIST, WaveRequest(102)).forecast.said[-1]


def test_the_forecast_is_for_the_texts_asked_for_and_its_widest_question(answered: Workbench) -> None:
    found = planned_answers(answered, CHECKLIST, WaveRequest(24)).forecast
    assert (found.answers, found.question) == (48, 1)
    assert found.widest is not None
    (forecast,) = found.widest.forecast
    assert forecast.more == 24
    width = found.widest.corrected.width
    assert width is not None
    assert forecast.reach < width / 2
    now = f"Now question 1, the widest, is known to plus or minus {width * 50:.1f} points."
    assert any(one.startswith(now) for one in found.said)
    assert any("24 more answers of people: about plus or minus" in one for one in found.said)


@pytest.mark.parametrize("made_for", [{"anchors": 1}, {"asking_way": "reversed"}])
def test_runs_about_some_texts_only_are_not_what_the_forecast_rests_on(
    answered: Workbench, made_for: dict[str, object]
) -> None:
    before = planned_answers(answered, CHECKLIST, WaveRequest(24)).forecast
    with answered.database.write() as work:
        run = work.runs.create(1, "checklist", "two", made_for, [RunDimension(1, CHECKLIST, texts=(1, 2))])
        (one, _) = work.runs.open_scores(run)
        work.runs.save([Outcome(one, Evaluation(5.0, 1.0, (Judgment(1, Answer.YES),)))])
    assert planned_answers(answered, CHECKLIST, WaveRequest(24)).forecast.said == before.said


def test_once_all_texts_are_given_out_it_says_so(bench: Workbench) -> None:
    draw = draw_texts(bench, CHECKLIST, 100, seed=2)
    people_answer(bench, replace(draw, texts=draw.texts[:40]))
    said = planned_answers(bench, CHECKLIST, WaveRequest(20)).forecast.said
    assert said[-1] == "With these experts have every text that can be drawn: then only new texts need the judge."
