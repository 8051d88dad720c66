"""From decisions to a better question: proposed on one half, proven on the other; only that question is asked again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.domain.improvement import DocumentHalf, ImprovementStatus, ProposedWording
from app.errors import ConflictError, InputError, NotFoundError, NotReadyError
from app.services.checklists.checklists import get_checklist, new_draft, publish
from app.services.checklists.draft_edits import QuestionWording, edit_question, history_of
from app.services.improvement.decided_answers import decided_questions
from app.services.improvement.improve import (
    accept_improvement,
    attempt_outcome,
    attempt_sentence,
    difference_of,
    improve,
    refuse_improvement,
)
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.wording_judges import (
    ASKED,
    JUDGE,
    QUESTIONS,
    WRITER,
    DecidedProject,
    Judging,
    WordingModels,
    decided_project,
    errs_at_random,
    guided,
    misreads_warm,
)

NAMES_IT, BESIDE_IT = guided("Warm means kind to the reader."), guided("Look at the first line.")
TEXTS = 64  # of which the half is just enough for a proof
Made = Callable[..., DecidedProject]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    opened = []

    def project(judging: Judging = misreads_warm, *proposals: dict[str, str], **options: int) -> DecidedProject:
        models = WordingModels(judging, proposals or (BESIDE_IT, NAMES_IT))
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        opened.append(decided_project(folder, models, **{"texts": TEXTS, **options}))
        return opened[-1]

    yield project
    for there in opened:
        there.workbench.database.close()


def test_the_loop_finds_proposes_proves_and_asks_only_that_question_again(made: Made) -> None:
    there = made(decided=60)
    (found,) = decided_questions(there.workbench, there.draft.id).values()
    development, proof = len(found.development), len(found.proof)
    assert (found.question.id, development + proof) == (there.question.id, 60)
    errors = [found.errors(half) for half in DocumentHalf]
    assert (sum(one.false_yes for one in errors), sum(one.false_no for one in errors)) == (15, 15)

    attempt = improve(there.workbench, there.question.id, WRITER, who="Ben")
    assert attempt.best == 1
    difference = difference_of(attempt.proof)
    assert difference is not None
    assert (difference.n, difference.gained, difference.lost) == (proof, errors[1].false_yes + errors[1].false_no, 0)
    assert attempt_outcome(attempt) == "proven better"
    assert attempt_sentence(attempt).startswith("Proven better on texts that no proposal had seen")
    # The present wording is answered by the run; each of two proposals is asked on one half, the best on the other.
    assert [request.prompt.name for request in there.models.requests].count("question-improve") == 1
    assert len(there.models.judged) == 2 * development + proof
    assert attempt.calls == 2 * development + proof + 1
    # The writer sees nothing of the proof half.
    (asked_once,) = [one for one in there.models.requests if one.prompt.name == "question-improve"]
    shown = asked_once.prompt.system + asked_once.prompt.user
    unseen = [text.text for id_, text in found.texts.items() if found.halves[id_] is DocumentHalf.PROOF]
    assert len(unseen) == proof
    assert not [text for text in unseen if text in shown]
    assert "Warm is about kindness." in shown
    assert len(asked_once.prompt.variables["errors"]) == min(16, errors[0].false_yes + errors[0].false_no)

    accept_improvement(there.workbench, there.question.id, attempt.id, "Ben")
    publish(there.workbench, there.draft.id)
    there.models.requests.clear()
    again = start_run(there.workbench, 1, RunOptions((there.dimension,), JUDGE))
    work_on(there.workbench, again)
    # Of 64 texts the trial asked 60 what the run would ask; the four others are asked that question alone.
    asked = [[each["question"] for each in request.prompt.variables["questions"]] for request in there.models.judged]
    assert asked == [[QUESTIONS[ASKED]]] * 4
    with there.workbench.database.read() as work:
        judged = [one for found in work.results.judgments_by_text(again, there.dimension.id).values() for one in found]
    assert {one.origin for one in judged if one.question != there.question.id} == {there.run}
    assert {one.origin for one in judged if one.question == there.question.id} == {None}, "no old answer counts for it"


@pytest.mark.long
def test_random_errors_are_hardly_ever_called_an_improvement(made: Made) -> None:
    wordings = [guided(f"Think of it in way {number}.") for number in range(5)]
    versions_by_dimension = []
    for seed in range(20):
        there = made(errs_at_random(seed), *wordings, texts=80)
        attempt = improve(there.workbench, there.question.id, WRITER)
        versions_by_dimension.append(attempt_outcome(attempt))
    assert versions_by_dimension.count("proven better") <= 1
    assert versions_by_dimension.count("not proven") >= 10, "the best of five on one half is no better on the other"


def learnt_by_heart(question: str, guidance: str, text: str) -> bool:
    """Right wherever the guidance names the letter; else it goes by the weather."""
    if f"{text.split(',', maxsplit=1)[0]};" in guidance:
        return "kind words" in text
    return "hot day" in text


def test_what_only_fits_the_development_half_is_not_proven(made: Made) -> None:
    there = made(learnt_by_heart, BESIDE_IT)
    (found,) = decided_questions(there.workbench, there.draft.id).values()
    cases = " ".join(f"{found.texts[id_].text.split(',')[0]};" for id_ in found.development)
    there.models.proposals = [guided(cases)]
    attempt = improve(there.workbench, there.question.id, WRITER)
    assert attempt.tried[0].trial.after.agreement == 1.0
    assert attempt.tried[0].trial.gained > 10
    assert attempt_outcome(attempt) == "not proven"
    difference = difference_of(attempt.proof)
    assert difference is not None
    assert (difference.difference, difference.p) == (0.0, 1.0)
    assert "Not proven" in attempt_sentence(attempt)


def test_too_few_unseen_texts_are_left_unseen(made: Made) -> None:
    there = made(decided=50)
    (found,) = decided_questions(there.workbench, there.draft.id).values()
    few = len(found.proof)
    assert few < 30
    attempt = improve(there.workbench, there.question.id, WRITER)
    assert (attempt.best, attempt.proof, attempt.proof_texts, attempt.proof_decided) == (1, None, (), few)
    assert f"about {2 * (30 - few)} more texts" in attempt_sentence(attempt)
    assert len(there.models.judged) == 2 * len(found.development)


def test_where_nothing_is_better_the_proof_half_stays_unseen(made: Made) -> None:
    there = made(misreads_warm, BESIDE_IT)
    attempt = improve(there.workbench, there.question.id, WRITER)
    assert (attempt.best, attempt.proof_texts, attempt_outcome(attempt)) == (None, (), "none better")
    assert "proof half was not asked" in attempt_sentence(attempt)
    with pytest.raises(InputError, match="none to take"):
        accept_improvement(there.workbench, there.question.id, attempt.id)
    (found,) = decided_questions(there.workbench, there.draft.id).values()
    assert len(found.proof) == TEXTS // 2


def test_a_proof_text_proves_once_and_a_later_change_is_not_written_over(made: Made) -> None:
    there = made()
    attempt = improve(there.workbench, there.question.id, WRITER)
    (found,) = decided_questions(there.workbench, there.draft.id).values()
    assert (len(found.development), len(found.proof), len(found.spent)) == (TEXTS // 2, 0, TEXTS // 2)
    again = improve(there.workbench, there.question.id, WRITER)
    assert attempt_outcome(again) == "too few"
    assert again.calls == 0, "what was asked before costs nothing"
    edit_question(there.workbench, there.question, QuestionWording("Is it kind?", "Manner"), "Ana")
    with pytest.raises(ConflictError, match="changed since this was tried"):
        accept_improvement(there.workbench, there.question.id, attempt.id, "Ben")
    with pytest.raises(NotFoundError, match="another question"):
        accept_improvement(there.workbench, there.draft.asked[0].id, attempt.id, "Ben")
    refuse_improvement(there.workbench, there.question.id, attempt.id, "Ben")


def test_a_persons_edit_spends_what_they_decided_before_it(made: Made) -> None:
    there = made()
    edit_question(there.workbench, there.question, QuestionWording("Is it warm in tone?", "Manner"), "Ana")
    (found,) = decided_questions(there.workbench, there.draft.id).values()
    assert found.proof == {}
    assert found.reworded
    there.models.proposals = [guided("Warm means kind.", "Is it warm in tone?")]
    attempt = improve(there.workbench, there.question.id, WRITER)
    # No old answer counts for other words: the present wording is asked as well.
    assert len(there.models.judged) == TEXTS
    assert attempt.before.text == "Is it warm in tone?"


def test_a_wording_is_taken_once_with_the_words_a_person_gives_it(made: Made) -> None:
    there = made()
    attempt = improve(there.workbench, there.question.id, WRITER)
    words = ProposedWording("Is it warm?", "Warm means kind, in its very words.")
    accept_improvement(there.workbench, there.question.id, attempt.id, "Ben", words)
    draft = get_checklist(there.workbench, there.draft.id)
    assert draft.asked[ASKED].guidance == words.guidance
    assert history_of(there.workbench, draft.id)[0].what == "edited a wording tried on decisions"
    with pytest.raises(ConflictError, match="edited by Ben already"):
        refuse_improvement(there.workbench, there.question.id, attempt.id, "Ana")
    with there.workbench.database.read() as work:
        found = work.improvements.get(attempt.id)
    assert (found.status, found.taken) == (ImprovementStatus.EDITED, words)
    # Their own words were nobody's trial, and what was decided before them proves nothing about them.
    assert decided_questions(there.workbench, draft.id)[draft.asked[ASKED].id].proof == {}


def test_what_is_missing_is_said(made: Made) -> None:
    there = made()
    with pytest.raises(NotReadyError, match="Nothing is decided about this question"):
        improve(there.workbench, there.draft.asked[0].id, WRITER)
    with pytest.raises(NotFoundError, match="Run 99 asked no version"):
        improve(there.workbench, there.question.id, WRITER, 99)
    right = made(lambda _question, _guidance, text: "kind words" in text, texts=12)
    with pytest.raises(NotReadyError, match="no error"):
        improve(right.workbench, right.question.id, WRITER)
    assert right.models.requests == []
    publish(there.workbench, there.draft.id)
    with pytest.raises(ConflictError, match="published"):
        improve(there.workbench, there.question.id, WRITER)
    assert decided_questions(there.workbench, new_draft(there.workbench, there.draft.id).id)
