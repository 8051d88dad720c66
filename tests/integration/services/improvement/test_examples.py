"""Examples for a question: chosen on one half of what was decided, proven on the other, and shown to the judge."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.checklist import Example
from app.domain.improvement import DocumentHalf
from app.domain.project import Task
from app.errors import ConflictError, FileFormatError, InputError, NotReadyError
from app.export.checklist_reading import read_question
from app.services.checklists.checklist_files import export_file, import_checklist, judge_words
from app.services.checklists.checklists import get_checklist, publish, view_checklist
from app.services.checklists.draft_edits import QuestionWording, edit_question, write_examples
from app.services.checklists.lineage import lineage_document, lineage_of_version
from app.services.data.projects import create_project
from app.services.improvement.decided_answers import decided_questions
from app.services.improvement.improve import (
    accept_improvement,
    attempt_outcome,
    difference_of,
    example_tokens,
    forecast_improvement,
    propose_examples,
)
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.wording_judges import (
    ASKED,
    JUDGE,
    QUESTIONS,
    DecidedProject,
    Judging,
    WordingModels,
    decided_project,
    errs_at_random,
    learns_warm,
)

Made = Callable[..., DecidedProject]
PROMPT = "judge-checklist-examples"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    opened = []

    def project(judging: Judging = learns_warm, **options: int) -> DecidedProject:
        models = WordingModels(judging, ())
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        opened.append(decided_project(folder, models, **{"texts": 64, **options}))
        return opened[-1]

    yield project
    for there in opened:
        there.workbench.database.close()


def test_examples_are_chosen_proven_taken_and_shown(made: Made) -> None:
    there = made(decided=60)
    (found,) = decided_questions(there.workbench, there.draft.id).values()
    ahead = forecast_improvement(there.workbench, there.question.id, "")
    there.models.requests.clear()
    attempt = propose_examples(there.workbench, there.question.id, who="Ben")
    assert (attempt.calls, attempt.of_examples) == (len(there.models.requests), True)
    assert attempt.calls <= ahead.calls
    assert attempt.chosen is not None
    assert sorted(example.answer for example in attempt.chosen.wording.examples) == ["no", "no", "yes", "yes"]
    assert attempt_outcome(attempt) == "proven better"
    assert difference_of(attempt.beside) is not None, "random ones were tried beside them"
    assert example_tokens(attempt.chosen.wording) > 40
    development = {text.text for id_, text in found.texts.items() if found.halves[id_] is DocumentHalf.DEVELOPMENT}
    assert {one.text for tried in attempt.tried for one in tried.wording.examples} <= development
    for request in there.models.requests:
        shown = [one["text"] for each in request.prompt.variables["questions"] for one in each.get("examples", ())]
        assert request.prompt.variables["item"]["text"] not in shown, "no judge is asked about its own example"

    accept_improvement(there.workbench, there.question.id, attempt.id, "Ben")
    asked = get_checklist(there.workbench, there.draft.id).asked[ASKED]
    assert asked.examples == attempt.chosen.wording.examples
    assert (asked.text, asked.guidance, asked.origin) == (
        there.question.text,
        there.question.guidance,
        there.question.origin,
    )
    publish(there.workbench, there.draft.id)
    there.models.requests.clear()
    work_on(there.workbench, start_run(there.workbench, 1, RunOptions((there.dimension,), JUDGE)))
    assert {request.prompt.name for request in there.models.requests} == {PROMPT}
    questions = {each["question"] for r in there.models.requests for each in r.prompt.variables["questions"]}
    assert questions == {QUESTIONS[ASKED]}, "answers to the others count again"
    (system,) = {request.prompt.system for request in there.models.requests}
    assert all(example.text in system for example in asked.examples), "where a cache holds it"


def test_a_file_carries_examples_and_tools_show_them(made: Made) -> None:
    there = made(decided=60)
    accept_improvement(there.workbench, there.question.id, propose_examples(there.workbench, there.question.id).id)
    view = view_checklist(there.workbench, there.dimension.id)
    examples = view.checklist.asked[ASKED].examples
    assert examples
    lineage = json.dumps(lineage_document(lineage_of_version(there.workbench, there.dimension.id)))
    words = judge_words(view.project, view.dimension, view.checklist)
    assert all(example.text in lineage and example.text in words.system for example in examples)
    for form in ("json", "yaml", "csv"):
        data = export_file(there.workbench, view, form)
        # A table names no rubric, so its dimension has to be there.
        project, name = (1, "tone") if form == "csv" else (create_project(there.workbench, form, Task()).id, "")
        found = import_checklist(there.workbench, project, data, f"a.{form}", name).checklist
        assert [one.examples for one in found.asked] == [one.examples for one in view.checklist.asked], form


@pytest.mark.parametrize(
    "examples",
    [
        "yes",
        [{"text": "A letter."}],
        [{"text": "", "answer": "yes"}],
        [{"text": "A letter.", "answer": "maybe"}],
        [{"text": "A", "answer": "no"}] * 5,
        [{"text": "A" * 1501, "answer": "no"}],
    ],
)
def test_examples_that_are_none_are_refused(examples: object) -> None:
    with pytest.raises(FileFormatError):
        read_question("Question 1", {"text": "Is it?", "examples": examples}, {})


def test_a_bare_yes_of_yaml_is_an_answer() -> None:
    (example,) = read_question(
        "Question 1", {"text": "Is it?", "examples": [{"text": "A", "answer": True}]}, {}
    ).examples
    assert example.answer == "yes"


def by_hand(kind: str, curt: str = "You get curt words on a mild day.") -> tuple[Example, Example]:
    return Example(f"You get {kind} words on a mild day.", "yes", "Kindness is warm."), Example(curt, "no")


def test_written_examples_are_proven_on_what_is_decided_later(made: Made) -> None:
    there = made(decided=2)
    write_examples(there.workbench, there.question, by_hand("kind"), "Ben")
    (found,) = decided_questions(there.workbench, there.draft.id).values()
    assert found.proof == {}, "who writes them has read what was decided"
    there.decide(slice(2, 64))
    attempt = propose_examples(there.workbench, there.question.id, written=True)
    assert attempt.before.examples == ()
    assert [len(tried.wording.examples) for tried in attempt.tried] == [2, 4]
    assert (attempt.best, attempt_outcome(attempt)) == (0, "proven better")
    assert attempt.chosen is not None
    assert attempt.chosen.wording.examples == by_hand("kind")
    accept_improvement(there.workbench, there.question.id, attempt.id)
    assert get_checklist(there.workbench, there.draft.id).asked[ASKED].examples == by_hand("kind")


def test_written_examples_that_teach_nothing_are_not_taken_and_can_go(made: Made) -> None:
    there = made(decided=60)
    with pytest.raises(NotReadyError):
        propose_examples(there.workbench, there.question.id, written=True)
    texts = [f"Letter {n}, {'kind' if n % 2 == 0 else 'curt'} words" for n in (4, 5)]
    write_examples(there.workbench, there.question, [Example(texts[0], "yes"), Example(texts[1], "no")])
    there.models.requests.clear()
    attempt = propose_examples(there.workbench, there.question.id, written=True)
    assert (attempt.best, attempt.proof, attempt_outcome(attempt)) == (None, None, "none better")
    assert there.models.requests
    for request in there.models.requests:  # an example is not asked about, even as a passage
        shown = [one["text"] for each in request.prompt.variables["questions"] for one in each.get("examples", ())]
        assert not any(text in request.prompt.variables["item"]["text"] for text in shown)
    # Without examples every answer counts again.
    write_examples(there.workbench, get_checklist(there.workbench, there.draft.id).asked[ASKED], ())
    assert get_checklist(there.workbench, there.draft.id).asked == there.draft.asked
    publish(there.workbench, there.draft.id)
    there.models.requests.clear()
    work_on(there.workbench, start_run(there.workbench, 1, RunOptions((there.dimension,), JUDGE)))
    assert not there.models.requests


@pytest.mark.parametrize(
    "examples",
    [
        by_hand("kind")[:1],
        (*by_hand("kind"), *by_hand("warm")[:1], Example("More.", "yes")),
        by_hand("kind") * 2,
        (*by_hand("kind"), *by_hand("warm", "No."), Example("Five.", "no")),
        by_hand("k" * 1500),
        by_hand("kind", " "),
        (by_hand("kind")[0], Example("A list.", "does not apply")),
    ],
)
def test_written_examples_out_of_bounds_are_refused(made: Made, examples: tuple[Example, ...]) -> None:
    there = made(decided=0)
    with pytest.raises(InputError):
        write_examples(there.workbench, there.question, examples)
    assert get_checklist(there.workbench, there.draft.id).asked[ASKED].examples == ()


def test_examples_that_contradict_another_threshold_are_refused(made: Made) -> None:
    there = made(decided=0)
    for place in (0, ASKED):
        question = get_checklist(there.workbench, there.draft.id).asked[place]
        edit_question(there.workbench, question, replace(QuestionWording.of(question), grade="warmth"))
    lower, higher = (get_checklist(there.workbench, there.draft.id).asked[place] for place in (0, ASKED))
    kind, curt = by_hand("kind")
    write_examples(there.workbench, lower, (replace(kind, answer="no"), replace(curt, answer="yes")))
    with pytest.raises(InputError):
        write_examples(there.workbench, higher, (kind, curt))
    write_examples(there.workbench, higher, by_hand("warm", "Other words."))


def test_examples_changed_meanwhile_are_not_overwritten(made: Made) -> None:
    there = made(decided=0)
    write_examples(there.workbench, there.question, by_hand("kind"), "Ben")
    with pytest.raises(ConflictError):
        write_examples(there.workbench, there.question, by_hand("warm"), "Ana")


def test_too_few_decisions_teach_nothing(made: Made) -> None:
    there = made(decided=12)
    with pytest.raises(NotReadyError):
        propose_examples(there.workbench, there.question.id)


@pytest.mark.long
def test_examples_that_carry_nothing_are_hardly_ever_proven(made: Made) -> None:
    found = [made(errs_at_random(seed), texts=80) for seed in range(20)]
    versions_by_dimension = [attempt_outcome(propose_examples(there.workbench, there.question.id)) for there in found]
    assert sum(standing == "proven better" for standing in versions_by_dimension) <= 1
    assert versions_by_dimension.count("not proven") + versions_by_dimension.count("none better") >= 19
