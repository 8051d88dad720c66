"""Leaving a contributor out of a run, with answers whose effect is known."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionOrigin
from app.domain.checklist_score import Answer, Evaluation, Judgment
from app.domain.project import Dimension, Rating, Task, Text
from app.domain.run import Outcome, RunDimension
from app.services.results.contribution import checklist_contribution, runs_with_checklist, score_over, without_each
from app.services.results.results import Choices, cached_results
from app.services.runtime.workbench import Workbench
from tests.support.projects import workbench_at

YES, NO, OPEN = Answer.YES, Answer.NO, Answer.UNANSWERED
RATINGS = [1, 2, 3, 4] * 6
PROJECT = 1


@pytest.fixture
def scored(tmp_path: Path) -> tuple[Workbench, Dimension]:
    """Ada's two questions order the texts as people do, the model's one answers at random; one is of both."""
    workbench = workbench_at(tmp_path)
    with workbench.database.write() as work:
        project = work.projects.add("News", Task())
        dimension = work.projects.add_dimension(project.id, Dimension("coherence", low=1, high=5))
        texts = [Text(f"d{n // 4}", f"Text {n}.", f"s{n % 4}") for n in range(len(RATINGS))]
        work.texts.add_many(project.id, texts)
        keys = work.texts.ids_by_key(project.id)
        ids = [keys[text.key] for text in texts]
        work.texts.add_ratings(
            [(i, dimension.id, Rating("coherence", "r", value)) for i, value in zip(ids, RATINGS, strict=True)]
        )
        ada = work.think_aloud.contributor(project.id, "Ada", ContributorKind.HUMAN)
        model = work.think_aloud.contributor(project.id, "openai:gpt-4o", ContributorKind.LLM, "openai:gpt-4o")
        a1, a2 = work.think_aloud.add_attributes(dimension.id, ada.id, ["It has an order.", "It has a start."])
        (m1,) = work.think_aloud.add_attributes(dimension.id, model.id, ["It has a tone."])
        asked = [
            Question("Order?", "Form", attributes=(a1,), origin=QuestionOrigin.GENERATED, position=0),
            Question("Start?", "Form", attributes=(a2,), position=1),
            Question("Tone?", "Form", attributes=(m1,), position=2),
            Question("Both?", "Form", attributes=(a1, m1), position=3),
        ]
        draft = Checklist(
            "coherence", 0, ChecklistStatus.DRAFT, "comb", "rules", (Component("Form", "", (a1, a2, m1)),), tuple(asked)
        )
        checklist = work.checklists.publish(work.checklists.save(dimension.id, draft))
        questions = [question.id for question in checklist.asked]
        run = work.runs.create(
            project.id, "checklist", "rules", {}, [RunDimension(dimension.id, checklist.id, texts=tuple(ids))]
        )
        outcomes = []
        for n, planned in enumerate(work.runs.open_scores(run)):
            rating = RATINGS[n]
            answers = [YES if rating > 2 else NO, YES if rating in (2, 4) else NO, NO if n % 3 else YES, YES]
            if n == 0:
                answers[1] = OPEN
            judgments = tuple(Judgment(q, a) for q, a in zip(questions, answers, strict=True))
            value = score_over([(0, j.question, j.answer) for j in judgments], checklist.asked, 1, 5)
            outcomes.append(Outcome(planned, Evaluation(value, sum(a is not OPEN for a in answers) / 4, judgments)))
        work.runs.save(outcomes)
        return workbench, dimension


def test_a_score_over_some_questions_follows_the_papers_formula():
    judged = [(0, 1, YES), (0, 2, NO), (0, 3, OPEN), (1, 1, YES), (1, 2, YES)]
    first, second, third = (Question("Is it?", "", id=number) for number in (1, 2, 3))
    assert score_over(judged, [first, second, third], 1, 5) == pytest.approx((3 + 5) / 2)
    assert score_over(judged, [first], 1, 5) == 5
    assert score_over(judged, [third], 1, 5) is None
    assert score_over([], [first], 1, 5) is None
    assert score_over(judged, [replace(first, must_not=True), second], 1, 5) == pytest.approx((1 + 3) / 2)


def test_answers_are_read_by_text_with_their_repeat(scored: tuple[Workbench, Dimension]):
    workbench, dimension = scored
    with workbench.database.read() as work:
        found = work.results.answers(1, dimension.id)
        assert len(found) == len(RATINGS)
        first = next(iter(found))
        expected = [(j.repeat, j.question, j.answer) for j in work.results.judgments(1, dimension.id, first)]
    assert found[first] == expected
    assert [answer for _, _, answer in expected] == [NO, OPEN, YES, YES]


def test_with_all_questions_the_figure_is_that_of_the_results(scored: tuple[Workbench, Dimension]):
    workbench, dimension = scored
    ((run, checklist),) = runs_with_checklist(workbench, PROJECT, dimension.id)
    found = checklist_contribution(workbench, PROJECT, dimension.id, checklist)
    effects = {e.name: e for e in without_each(workbench, run, dimension, checklist, found, "dataset")}
    published = cached_results(workbench, [run.id], Choices("dataset"))[0].meta.figures["spearman"]
    for name in ("Ada", "openai:gpt-4o"):
        figure = effects[name].figure
        assert figure is not None
        assert figure.a == pytest.approx(published.value)
        assert figure.n == published.n == len(RATINGS) - 1, "the text with an open question is left out"


def test_leaving_out_who_helps_lowers_agreement_and_who_disturbs_raises_it(scored: tuple[Workbench, Dimension]):
    workbench, dimension = scored
    ((run, checklist),) = runs_with_checklist(workbench, PROJECT, dimension.id)
    found = checklist_contribution(workbench, PROJECT, dimension.id, checklist)
    assert {name: len(reach.alone) for name, reach in found.by_contributor.items()} == {"Ada": 2, "openai:gpt-4o": 1}
    effects = {(e.name, e.kind): e for e in without_each(workbench, run, dimension, checklist, found, "dataset")}
    ada, model = effects["Ada", False].figure, effects["openai:gpt-4o", False].figure
    assert ada is not None
    assert model is not None
    assert ada.difference is not None
    assert ada.low is not None
    assert model.difference is not None
    assert 0 < ada.low <= ada.difference
    assert model.difference < 0
    assert set(effects) == {("Ada", False), ("openai:gpt-4o", False)}, "one of a kind stands for the kind"


def test_nobodys_questions_and_everybodys_are_sentences(scored: tuple[Workbench, Dimension]):
    workbench, dimension = scored
    ((run, checklist),) = runs_with_checklist(workbench, PROJECT, dimension.id)
    found = checklist_contribution(workbench, PROJECT, dimension.id, checklist)
    alone = tuple(question.id for question in checklist.asked)
    reach = found.by_contributor["Ada"]
    changed = type(found)(
        found.asked,
        0,
        {"all": type(reach)(1, 1, 0, 4, alone), "none": type(reach)(1, 1, 0, 1, ())},
        {},
    )
    effects = without_each(workbench, run, dimension, checklist, changed, "dataset")
    assert [effect.figure for effect in effects] == [None, None]
    assert "nothing is left to ask" in effects[0].reason
    assert "stay the same" in effects[1].reason
