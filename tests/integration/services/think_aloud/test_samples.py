"""With few documents the samples keep themselves out of scoring, and nothing else."""

from dataclasses import replace

import pytest

from app.domain.project import Dimension, Rating, Task, Text
from app.domain.roles_and_rights import Role
from app.errors import NotFoundError, NotReadyError
from app.services.checklists.answer_draws import drawable
from app.services.checklists.my_work import TaskKind, tasks_of
from app.services.data.held_out_split import lock
from app.services.people.invitations import accept_invitation, invite
from app.services.people.sign_ins import actor_of_cookie
from app.services.results.results import results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, get_run, plan_run, start_run, work_on
from app.services.think_aloud.independence import unfinished_dimensions
from app.services.think_aloud.samples import (
    drawn,
    ensure_samples,
    rechoose_samples,
    replace_sample,
    sample_exclusion_counts,
    sample_options,
    samples_of,
)
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


@pytest.mark.parametrize(("assignments", "each"), [(3, 10), (2, 6), (6, 60)])
def test_all_but_the_sample_texts_are_scored_where_documents_are_few_or_large(
    workbench: Workbench, assignments: int, each: int
) -> None:
    dimension = essays(workbench, assignments, each)
    samples = {sample.text.id for sample in ensure_samples(workbench, dimension.id)}
    texts, out = drawn(workbench, 1, dimension.id, 1.0, 1)
    assert (out.documents, set(out.texts)) == ((), samples)
    assert len(texts) == assignments * each - 4
    assert not samples & {text.id for text in texts}
    held = sample_exclusion_counts(workbench, 1, dimension.id)
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


def test_where_nothing_is_left_the_reason_and_the_way_out_are_said(workbench: Workbench) -> None:
    dimension = essays(workbench, 2, 2)
    ensure_samples(workbench, dimension.id)
    for share in (1.0, 0.5):
        with pytest.raises(NotReadyError, match="all 4 texts of the project were read as samples") as raised:
            plan_run(workbench, 1, RunOptions((dimension,), "rules", share=share))
        assert "nobody has read" in raised.value.hint


def test_a_share_of_unrated_texts_is_drawn_by_chance(workbench: Workbench) -> None:
    dimension = essays(workbench, 2, 4, rated=False)
    first, _ = drawn(workbench, 1, dimension.id, 0.5, 1)
    assert len(first) == 4
    assert drawn(workbench, 1, dimension.id, 0.5, 1)[0] == first
    assert len({tuple(drawn(workbench, 1, dimension.id, 0.5, seed)[0]) for seed in range(8)}) > 1


def test_unrated_texts_are_samples_without_a_score(workbench: Workbench) -> None:
    dimension = essays(workbench, 10, 3, rated=False)
    samples = ensure_samples(workbench, dimension.id)
    assert [sample.score for sample in samples] == [None] * 4
    assert len({sample.text.doc_id for sample in samples}) == 4
    texts, out = drawn(workbench, 1, dimension.id, 1.0, 1)
    assert (len(out.documents), len(texts)) == (4, 18)
    assert ensure_samples(workbench, dimension.id) == samples
    assert rechoose_samples(workbench, dimension.id, 0) == samples
    assert any(rechoose_samples(workbench, dimension.id, seed) != samples for seed in (1, 2, 3))


def test_few_rated_texts_are_samples_before_unrated_ones(workbench: Workbench) -> None:
    dimension = essays(workbench, 10, 3, rated=False)
    with workbench.database.write() as work:
        ids = list(work.texts.ids(1))
        work.texts.add_ratings([(ids[n], dimension.id, Rating("cohesion", "r1", 1.0 + n)) for n in (0, 3)])
    samples = ensure_samples(workbench, dimension.id)
    assert [sample.score for sample in samples] == [1.0, 4.0, None, None]
    assert len({sample.text.doc_id for sample in samples}) == 4


def test_an_unrated_text_replaces_a_sample_and_shows_a_later_score(workbench: Workbench) -> None:
    dimension = essays(workbench, 10, 3, rated=False)
    samples = ensure_samples(workbench, dimension.id)
    options = sample_options(workbench, dimension.id, None, "essay 2")
    assert {option.score for option in options} == {None}
    replaced = replace_sample(workbench, dimension.id, samples[0].position, options[0].text.id)
    assert (replaced[0].text.id, replaced[0].score, replaced[0].chosen_by) == (options[0].text.id, None, "hand")
    first = replaced[0].text.id
    with workbench.database.write() as work:
        work.texts.add_ratings([(first, dimension.id, Rating("cohesion", r, v)) for r, v in (("a", 2.0), ("b", 3.0))])
    assert [sample.score for sample in samples_of(workbench, dimension.id)] == [2.5, None, None, None]


def test_a_text_of_another_project_is_no_sample(workbench: Workbench) -> None:
    dimension = essays(workbench, 2, 4)
    ensure_samples(workbench, dimension.id)
    with workbench.database.write() as work:
        other = work.projects.add("Other", Task())
        work.texts.add_many(other.id, [Text("x", "A text.")])
        (theirs,) = work.texts.ids(other.id)
    with pytest.raises(NotFoundError):
        replace_sample(workbench, dimension.id, 1, theirs)


def test_an_expert_who_comes_first_has_unrated_samples_drawn(workbench: Workbench) -> None:
    dimension = essays(workbench, 10, 3, rated=False)
    made = invite(workbench, 1, "Ana", Role.EXPERT)
    ana = replace(workbench, actor=actor_of_cookie(workbench, accept_invitation(workbench, made.token)[1]))
    assert [task.kind for task in tasks_of(ana, 1, "Ana")] == [TaskKind.THINK_ALOUD]
    assert [one.id for one in unfinished_dimensions(ana, 1, "Ana")] == [dimension.id]
    assert [sample.score for sample in ensure_samples(ana, dimension.id)] == [None] * 4


def test_all_texts_locked_away_is_said(workbench: Workbench) -> None:
    dimension = essays(workbench, 3, 4)
    with workbench.database.read() as work:
        assert work.texts.count(1) == 12
    with pytest.raises(NotReadyError, match="No text is locked away"):
        drawn(workbench, 1, dimension.id, 1.0, 1, locked=True)
