"""Which decided texts wordings are made from and proven on: no samples, nothing locked, nothing that was seen."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.checklist_score import Answer
from app.domain.improvement import DocumentHalf
from app.domain.project import Text
from app.services.checklists.checklists import new_draft, publish
from app.services.improvement.decided_answers import DecidedQuestion, decided_questions, judged_runs
from app.services.improvement.improve import improve
from tests.support.wording_judges import (
    ASKED,
    WRITER,
    DecidedProject,
    WordingModels,
    decided_project,
    guided,
    letter,
    misreads_warm,
)

TEXTS = 64


@pytest.fixture
def there(tmp_path: Path) -> Iterator[DecidedProject]:
    models = WordingModels(misreads_warm, [guided("Warm means kind to the reader.")])
    made = decided_project(tmp_path, models, texts=TEXTS)
    yield made
    made.workbench.database.close()


def decided(there: DecidedProject) -> DecidedQuestion:
    (found,) = decided_questions(there.workbench, there.draft.id).values()
    return found


def test_samples_and_locked_texts_are_in_neither_half(there: DecidedProject) -> None:
    before = decided(there)
    sample, locked = next(iter(before.development)), next(iter(before.proof))
    with there.workbench.database.write() as work:
        work.think_aloud.set_samples(there.dimension.id, [(sample, 3.0, "hand")])
        work.held_out_splits.lock(1, [before.texts[locked].doc_id], 0.1, 1, "Ana")
    after = decided(there)
    assert before.texts.keys() - after.texts.keys() == {sample, locked}
    assert not {sample, locked} & (after.development.keys() | after.proof.keys() | after.answers.keys())


def test_halves_are_kept_and_documents_that_come_later_get_theirs(there: DecidedProject) -> None:
    improve(there.workbench, there.question.id, WRITER)
    before = decided(there)
    with there.workbench.database.write() as work:
        work.texts.add_many(1, [Text(f"e{n}", letter(n)) for n in range(20)])
        kept = work.improvements.halves(1)
    assert {before.texts[text].doc_id: half for text, half in before.halves.items()} == kept
    after = decided(there)
    assert after.halves == before.halves
    with there.workbench.database.write() as work:
        for text in work.texts.all(1)[TEXTS:]:
            work.decisions.add(there.question.id, text.id, Answer.YES, "Ana")
    assert sorted(decided(there).halves.values()) == sorted([*DocumentHalf] * (TEXTS // 2 + 10))
    assert len(decided(there).proof) == 10


def test_an_undone_decision_is_none_and_a_line_made_guidance_spends_its_text(there: DecidedProject) -> None:
    first, second = list(decided(there).proof)[:2]
    with there.workbench.database.write() as work:
        made = {one.text: one for one in work.decisions.of_checklist(there.draft.id)[there.question.id]}
        work.decisions.undo(made[first].id, "Ana")
        work.decisions.add(there.question.id, second, Answer.YES, "Ana", seen=made[second].id, guided="Kind is warm.")
    found = decided(there)
    assert first not in found.texts
    assert second not in found.proof
    assert second in found.spent
    assert len(found.proof) == TEXTS // 2 - 2


def test_a_draft_sees_the_judges_of_all_versions_it_descends_from(there: DecidedProject) -> None:
    publish(there.workbench, there.draft.id)
    later = new_draft(there.workbench, there.draft.id)
    assert [run.id for run in judged_runs(there.workbench, later.id)] == [there.run]
    (found,) = decided_questions(there.workbench, later.id).values()
    assert found.question.id == later.asked[ASKED].id
    assert (len(found.answers), found.reworded) == (TEXTS, False)
