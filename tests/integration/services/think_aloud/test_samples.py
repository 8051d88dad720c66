"""With few documents the samples keep themselves out of scoring, and nothing else."""

import pytest

from app.domain.task import Dimension, Task
from app.domain.text import Rating, Text
from app.errors import NotReadyError
from app.services.checklists.expert_answers import drawable
from app.services.data.locked_split import lock
from app.services.results.results import results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, get_run, plan_run, start_run, work_on
from app.services.think_aloud.samples import drawn, ensure_samples, held_out
from tests.support.projects import small_checklist


def essays(workbench: Workbench, assignments: int, each: int, rated: bool = True) -> Dimension:
    """Project 1: so many essays on each of so many assignments, and a published checklist."""
    with workbench.database.write() as work:
        project = work.projects.add("Essays", Task("essay", "assignment"))
        dimension = work.projects.add_dimension(project.id, Dimension("cohesion", "How the parts fit together."))
        made = [
            Text(f"a{a}", f"Essay {n} on {a}.", item_id=str(n), source=f"Assignment {a}.")
            for a in range(assignments)
            for n in range(each)
        ]
        work.texts.add_many(project.id, made)
        ids = work.texts.ids_by_key(project.id)
        if rated:
            work.texts.add_ratings(
                [(ids[t.key], dimension.id, Rating("cohesion", "r1", 1.0 + n % 5)) for n, t in enumerate(made)]
            )
        small_checklist(work, dimension.id)
        return dimension


@pytest.mark.parametrize(("assignments", "each"), [(3, 10), (1, 30), (2, 6), (5, 8), (6, 100)])
def test_all_but_the_sample_texts_are_scored_where_documents_are_few_or_large(
    workbench: Workbench, assignments: int, each: int
) -> None:
    dimension = essays(workbench, assignments, each)
    samples = {sample.text.id for sample in ensure_samples(workbench, dimension.id)}
    texts, out = drawn(workbench, 1, dimension.id, 1.0, 1)
    assert (out.documents, set(out.texts)) == ((), samples)
    assert len(texts) == assignments * each - 4
    assert not samples & {text.id for text in texts}
    held = held_out(workbench, 1, dimension.id)
    assert (held.documents, held.texts, held.all, held.alone) == (0, 4, assignments * each, True)
    assert drawable(workbench, 1) == len(texts)


def test_locking_texts_away_does_not_change_what_samples_leave_out(workbench: Workbench) -> None:
    dimension = essays(workbench, 10, 4)
    ensure_samples(workbench, dimension.id)
    before = drawn(workbench, 1, dimension.id, 1.0, 1)[1]
    lock(workbench, 1, 0.4, 1, "Ana")
    assert drawn(workbench, 1, dimension.id, 1.0, 1)[1] == before
    assert len(before.documents) == 4


def test_a_run_keeps_what_it_left_out_also_when_the_rule_would_say_otherwise_later(workbench: Workbench) -> None:
    dimension = essays(workbench, 3, 10)
    samples = tuple(sorted(sample.text.id for sample in ensure_samples(workbench, dimension.id)))
    run = start_run(workbench, 1, RunOptions((dimension,), "rules"))
    work_on(workbench, run)
    assert (get_run(workbench, run).done, get_run(workbench, run).failed) == (26, 0)
    with workbench.database.write() as work:
        more = [Text(f"b{n // 4}", f"Another {n}.", item_id=str(n)) for n in range(200)]
        work.texts.add_many(1, more)
    plan = plan_run(workbench, 1, RunOptions((dimension,), "rules"))[0]
    assert (plan.excluded_docs, plan.excluded_texts) == (("a0", "a1", "a2"), ())
    result = results_of(workbench, run)[0]
    assert (result.excluded_docs, result.excluded_texts) == ((), samples)
    assert result.to_json()["excluded_texts"] == list(samples)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_where_nothing_is_left_the_reason_and_the_way_out_are_said(workbench: Workbench, share: float) -> None:
    dimension = essays(workbench, 2, 2)
    ensure_samples(workbench, dimension.id)
    with pytest.raises(NotReadyError, match="all 4 texts of the project were read as samples") as raised:
        plan_run(workbench, 1, RunOptions((dimension,), "rules", share=share))
    assert "nobody has read" in raised.value.hint


def test_a_draw_without_ratings_says_that_it_needs_them(workbench: Workbench) -> None:
    dimension = essays(workbench, 2, 4, rated=False)
    with pytest.raises(NotReadyError, match="is rated") as raised:
        plan_run(workbench, 1, RunOptions((dimension,), "rules", share=0.5))
    assert "Score all texts" in raised.value.hint


def test_all_texts_locked_away_is_said(workbench: Workbench) -> None:
    dimension = essays(workbench, 3, 4)
    with workbench.database.read() as work:
        assert work.texts.count(1) == 12
    with pytest.raises(NotReadyError, match="No text is locked away"):
        drawn(workbench, 1, dimension.id, 1.0, 1, locked=True)
