"""A held-out split is out of reach of everything but the judge and a look that is counted."""

import pytest

from app.domain.checklist_score import Answer
from app.domain.project import Dimension, Task, Text, Verdict
from app.errors import ConflictError, InputError, NotFoundError, NotReadyError, WorkbenchError
from app.services.checklists.checklists import versions_of
from app.services.data.held_out_split import SplitState, held_out_runs, lock, open_split, opened_splits, state_of
from app.services.data.projects import create_project, overview
from app.services.data.texts import rated_text, text_page
from app.services.results.result_texts import judged_text, question_shares, run_counts
from app.services.results.results import open_held_out_results, results_of, runs_to_show
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import forecast
from app.services.scoring.runs import RunOptions, plan_run, start_run, work_on
from app.services.think_aloud.samples import (
    drawn,
    ensure_samples,
    give_verdict,
    rechoose_samples,
    replace_sample,
    sample_options,
)
from tests.support.projects import ready_to_score

PROJECT, DOCUMENTS, TEXTS = 1, 12, 48


@pytest.fixture
def dimension(workbench: Workbench) -> Dimension:
    return ready_to_score(workbench, texts=TEXTS)


def locked_ids(workbench: Workbench) -> set[int]:
    with workbench.database.read() as work:
        return {text.id for text in work.held_out_texts.all(PROJECT)}


def locked_quarter(workbench: Workbench) -> SplitState:
    return lock(workbench, PROJECT, 0.25, 1, "Ana")


def test_a_share_of_the_documents_is_drawn_and_the_same_seed_draws_the_same(
    workbench: Workbench, dimension: Dimension
) -> None:
    state = locked_quarter(workbench)
    assert (len(state.split.documents), state.documents_all, state.texts, state.texts_all) == (3, DOCUMENTS, 12, TEXTS)
    assert (state.scored_before, state.split.looks) == (0, ())
    open_split(workbench, PROJECT, "Ana")
    assert state_of(workbench, PROJECT) is None
    assert lock(workbench, PROJECT, 0.25, 1, "Ben").split.documents == state.split.documents
    assert [(split.locked_by, split.opened_by) for split in opened_splits(workbench, PROJECT)] == [("Ana", "Ana")]


def test_documents_that_were_read_as_samples_are_not_drawn(workbench: Workbench, dimension: Dimension) -> None:
    read = {sample.text.doc_id for sample in ensure_samples(workbench, dimension.id)}
    assert len(read) == 4
    state = lock(workbench, PROJECT, 0.6, 1, "Ana")
    assert len(state.split.documents) == round(0.6 * DOCUMENTS)
    assert not read & set(state.split.documents)


def test_documents_that_somebody_decided_about_are_not_drawn(workbench: Workbench, dimension: Dimension) -> None:
    question = versions_of(workbench, dimension.id)[0].asked[0].id
    with workbench.database.write() as work:
        read = [text for text in work.texts.all(PROJECT) if text.doc_id in ("d1", "d4", "d5")]
        for text in read:
            work.decisions.add(question, text.id, Answer.NO, "Ana")
    state = lock(workbench, PROJECT, 0.7, 1, "Ana")
    assert len(state.split.documents) == round(0.7 * DOCUMENTS)
    assert not {text.doc_id for text in read} & set(state.split.documents)


def test_nobody_is_shown_a_locked_text(workbench: Workbench, dimension: Dimension) -> None:
    locked_quarter(workbench)
    locked = locked_ids(workbench)
    shown = [text.id for number in (1, 2, 3) for text in text_page(workbench, PROJECT, number).texts]
    assert len(shown) == TEXTS - len(locked)
    assert not locked & set(shown)
    assert overview(workbench, PROJECT).texts == TEXTS
    for text in locked:
        with pytest.raises(NotFoundError):
            rated_text(workbench, PROJECT, text)


@pytest.mark.parametrize("seed", range(2))
def test_no_sample_is_a_locked_text(workbench: Workbench, dimension: Dimension, seed: int) -> None:
    lock(workbench, PROJECT, 0.5, seed, "Ana")
    locked = locked_ids(workbench)
    assert not locked & {sample.text.id for sample in ensure_samples(workbench, dimension.id)}
    assert not locked & {sample.text.id for sample in rechoose_samples(workbench, dimension.id)}
    assert not locked & {option.text.id for option in sample_options(workbench, dimension.id, 3.0, limit=TEXTS)}
    assert not locked & {option.text.id for option in sample_options(workbench, dimension.id, 3.0, "text", TEXTS)}
    with pytest.raises(InputError):
        replace_sample(workbench, dimension.id, 0, min(locked))


def test_nothing_locked_is_drawn_scored_or_paid_for(workbench: Workbench, dimension: Dimension) -> None:
    locked_quarter(workbench)
    for share in (1.0, 0.5):
        texts, _ = drawn(workbench, PROJECT, dimension.id, share, 1)
        assert not locked_ids(workbench) & {text.id for text in texts}
        options = RunOptions((dimension,), "rules", share=share)
        (part,) = plan_run(workbench, PROJECT, options)
        assert not locked_ids(workbench) & set(part.texts)
        assert forecast(workbench, PROJECT, options).texts == round(share * 36)


def test_results_of_an_earlier_run_lose_the_locked_texts(workbench: Workbench, dimension: Dimension) -> None:
    run = start_run(workbench, PROJECT, RunOptions((dimension,), "rules"))
    work_on(workbench, run)
    assert len(results_of(workbench, run)[0].rows) == TEXTS
    state = locked_quarter(workbench)
    assert state.scored_before == 12
    locked = locked_ids(workbench)
    assert not locked & {row.text for row in results_of(workbench, run)[0].rows}
    assert all(s.yes + s.no + s.unanswered == 36 for s in question_shares(workbench, run, dimension.id))
    for text in locked:
        with pytest.raises(NotFoundError):
            judged_text(workbench, run, dimension.id, text)
    assert run_counts(workbench, run)[dimension.name]["scored"] == TEXTS  # a count shows nothing


def test_the_locked_texts_are_scored_apart_and_each_look_is_counted(workbench: Workbench, dimension: Dimension) -> None:
    with pytest.raises(NotReadyError, match="no held-out split"):
        open_held_out_results(workbench, PROJECT, [1], "Ana")
    with pytest.raises(NotReadyError, match="No text is locked away"):
        plan_run(workbench, PROJECT, RunOptions((dimension,), "rules", locked=True))
    locked_quarter(workbench)
    with pytest.raises(InputError, match="Nothing can be drawn"):
        plan_run(workbench, PROJECT, RunOptions((dimension,), "rules", share=0.5, locked=True))
    ordinary = start_run(workbench, PROJECT, RunOptions((dimension,), "rules"))
    work_on(workbench, ordinary)
    # A look needs a name and something to look at, and is not counted without.
    with pytest.raises(NotReadyError, match="no scores on the locked texts"):
        open_held_out_results(workbench, PROJECT, [ordinary], "Ana")
    with pytest.raises(InputError, match="Nobody is named"):
        open_held_out_results(workbench, PROJECT, [ordinary], " ")
    state = state_of(workbench, PROJECT)
    assert state is not None
    assert state.split.looks == ()

    run = start_run(workbench, PROJECT, RunOptions((dimension,), "rules", locked=True))
    assert work_on(workbench, run).run.done == 12
    assert held_out_runs(workbench, PROJECT) == [run]
    assert results_of(workbench, run)[0].rows == ()
    assert runs_to_show(workbench, PROJECT) == [ordinary]
    (result,) = open_held_out_results(workbench, PROJECT, [run], "Ben", "dataset")
    assert {row.text for row in result.rows} == locked_ids(workbench)
    assert result.locked
    assert result.to_json()["locked_split"] is True
    assert "locked" in str(result.meta.signature)
    open_held_out_results(workbench, PROJECT, [run], "Ana", "dataset")
    state = state_of(workbench, PROJECT)
    assert state is not None
    assert [(each.who, each.runs) for each in state.split.looks] == [("Ben", (run,)), ("Ana", (run,))]


def refused(workbench: Workbench, share: float = 0.25, who: str = "Ana") -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        lock(workbench, PROJECT, share, 1, who)
    return caught.value


def test_a_share_is_between_none_and_all_and_a_lock_has_a_name(workbench: Workbench, dimension: Dimension) -> None:
    for share in (0.0, 1.0, -0.1, float("nan")):
        assert "not a share" in refused(workbench, share).message
    assert isinstance(refused(workbench, who=""), InputError)
    locked_quarter(workbench)
    assert isinstance(refused(workbench), ConflictError), "a second lock"


def test_a_split_of_unrated_texts_is_drawn_of_all_but_those_read(workbench: Workbench) -> None:
    project = create_project(workbench, "Replies", Task("reply"), (Dimension("helpful", low=0, high=1),))
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text(f"T{n}", f"Reply {n}") for n in range(20)])
    first, *_ = samples = ensure_samples(workbench, 1)
    give_verdict(workbench, 1, "Ana", first.text.id, Verdict.GOOD)
    found = lock(workbench, project.id, 0.3, 1, "Ana")
    assert len(found.split.documents) == 6
    assert not {sample.text.doc_id for sample in samples} & set(found.split.documents)


def test_one_document_can_not_be_split(workbench: Workbench) -> None:
    ready_to_score(workbench, texts=4)
    assert isinstance(refused(workbench), NotReadyError)


def test_a_share_that_rounds_to_everything_leaves_something(workbench: Workbench) -> None:
    ready_to_score(workbench, texts=8)
    assert "Nothing would be left" in refused(workbench, 0.9).message
