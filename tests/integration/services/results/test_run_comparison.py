"""Runs compared on the texts they share, with scores whose agreement is known."""

import re
from collections.abc import Callable, Sequence

import pytest
from sqlalchemy import text as sql

from app import limited_process
from app.domain.checklist_score import Evaluation
from app.domain.project import Dimension, Rating, Task, Text
from app.domain.run import Outcome, RunDimension
from app.errors import NotFoundError, NotReadyError
from app.limited_process import computed_apart
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.comparison import compare_scores
from app.services.results import results, run_comparison
from app.services.results.results import Choices
from app.services.results.run_comparison import compare_runs, score_sets, sets_named
from app.services.runtime.workbench import Workbench

PROJECT = 1
HUMAN = [1.0, 2.0, 3.0, 4.0] * 10
GOOD = [1.0, 2.0, 3.0, 5.0] * 10
POOR = [2.0, 1.0, 4.0, 3.0] * 5 + [4.0, 3.0, 2.0, 1.0] * 5
FLAT = [3.0] * 40


@pytest.fixture
def dimension(workbench: Workbench) -> Dimension:
    with workbench.database.write() as work:
        project = work.projects.add("P", Task())
        found = work.projects.add_dimension(project.id, Dimension("coherence"))
        texts = [Text(f"d{n // 4:02}", f"Text {n}", f"s{n % 4}") for n in range(len(HUMAN))]
        work.texts.add_many(project.id, texts)
        ids = work.texts.ids_by_key(project.id)
        work.texts.add_ratings(
            [(ids[t.key], found.id, Rating("coherence", "r", value)) for t, value in zip(texts, HUMAN, strict=True)]
        )
        return found


def run_with(
    workbench: Workbench,
    dimension: Dimension,
    scores: Sequence[float],
    part: slice = slice(None),
    coverage: float = 1.0,
    locked: bool = False,
    method: str = "llm-score",
) -> int:
    with workbench.database.write() as work:
        texts = [text.id for text in work.every_text.all(PROJECT)]
        plan = [RunDimension(dimension.id, None, (), tuple(texts[part]))]
        run = work.runs.create(PROJECT, method, "rules", {"locked": locked}, plan)
        value = dict(zip(texts, scores, strict=True))
        work.runs.save([Outcome(p, Evaluation(value[p.text], coverage)) for p in work.runs.open_scores(run)])
        return run


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """As in a server, with every set of texts as large; the functions that ran in a process of their own."""
    ran: list[str] = []

    def noting(seconds: float, function: Callable[..., object], *arguments: object, **named: object) -> object:
        ran.append(function.__name__)
        return computed_apart(seconds, function, *arguments, **named)

    monkeypatch.setattr(limited_process, "_screens_wait", True)
    monkeypatch.setattr(limited_process, "computed_apart", noting)
    for module in (results, run_comparison):
        monkeypatch.setattr(module, "MANY_TEXTS", 1)
    return ran


def _forget() -> None:
    for kept in (results._kept, results._cached_reading, run_comparison._kept):
        kept.cache_clear()


@pytest.mark.long
def test_results_computed_apart_are_the_same_also_after_a_timeout(
    workbench: Workbench, dimension: Dimension, apart: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    poor, good = run_with(workbench, dimension, POOR), run_with(workbench, dimension, GOOD)
    baseline, other = sets_named(workbench, PROJECT, dimension.id, [poor, good])

    def figures() -> list[object]:
        _forget()
        kept = results.cached_results(workbench, [good], Choices("dataset"))
        return [each.to_json() for each in kept] + [compare_runs(workbench, dimension.id, baseline, [other])]

    with monkeypatch.context() as patched, pytest.raises(NotReadyError):
        patched.setattr(limited_process, "COMPUTATION_SECONDS", 0.0)
        compare_runs(workbench, dimension.id, baseline, [other])
    assert apart == ["compare_scores"]
    there = figures()
    assert apart == ["compare_scores", "evaluate", "compare_scores"], "what took too long is tried again"
    monkeypatch.undo()
    assert there == figures()


def test_the_better_run_is_named_and_the_figures_are_those_of_the_engine(
    workbench: Workbench, dimension: Dimension
) -> None:
    poor, good = run_with(workbench, dimension, POOR), run_with(workbench, dimension, GOOD)
    assert [found.run.id for found in score_sets(workbench, PROJECT, dimension.id)] == [good, poor]
    baseline, other = sets_named(workbench, PROJECT, dimension.id, [poor, good])
    (found,) = compare_runs(workbench, dimension.id, baseline, [other], permutations=500)
    assert (found.shared, found.only_baseline, found.only_other) == (40, 0, 0)
    assert found.comparison is not None
    figure = found.comparison.differences["spearman"].figure
    assert figure.a == pytest.approx(1.0)
    assert figure.b == pytest.approx(-0.2)  # five sources at .6 and five at -1
    assert figure.difference == pytest.approx(1.2)
    group = [n // 4 for n in range(40)]
    alone = compare_scores(
        GOOD, POOR, HUMAN, AgreementDesign(group=group, system=[n % 4 for n in range(40)]), permutations=500
    )
    assert found.comparison.differences["spearman"].figure == alone.differences["spearman"].figure
    assert found.verdict("spearman", "run 2", "run 1", 1).startswith("run 2 agrees better")


def test_only_shared_texts_count_and_the_others_are_said(workbench: Workbench, dimension: Dimension) -> None:
    first = run_with(workbench, dimension, GOOD, slice(0, 28))
    second = run_with(workbench, dimension, POOR, slice(8, 40))
    baseline, other = sets_named(workbench, PROJECT, dimension.id, [first, second])
    (found,) = compare_runs(workbench, dimension.id, baseline, [other], Choices(resamples=50), 50)
    assert (found.shared, found.only_baseline, found.only_other) == (20, 8, 12)
    assert found.comparison is not None
    assert found.comparison.basis.n == 20


def test_runs_without_a_text_in_common_are_a_sentence(workbench: Workbench, dimension: Dimension) -> None:
    first = run_with(workbench, dimension, GOOD, slice(0, 8))
    second = run_with(workbench, dimension, GOOD, slice(8, 16))
    baseline, other = sets_named(workbench, PROJECT, dimension.id, [first, second])
    (found,) = compare_runs(workbench, dimension.id, baseline, [other])
    assert found.comparison is None
    assert found.verdict("spearman", "A", "B", 1) == "Can't be compared: The two runs scored no text in common."


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (slice(0, 2), "only two texts"),
        (slice(0, 1), "Only one of the texts"),
        (slice(0, 4), "agrees better|Not significantly different|Leans"),
    ],
)
def test_hardly_any_data_is_a_sentence(workbench: Workbench, dimension: Dimension, part: slice, words: str) -> None:
    """Two texts, one text, one source."""
    runs = [run_with(workbench, dimension, scores, part) for scores in (POOR, GOOD)]
    baseline, other = sets_named(workbench, PROJECT, dimension.id, runs)
    (found,) = compare_runs(workbench, dimension.id, baseline, [other], Choices(resamples=50), 50)
    assert re.search(words, found.verdict("spearman", "A", "B", 1))


def test_equal_scores_and_missing_ratings_are_sentences(workbench: Workbench, dimension: Dimension) -> None:
    runs = [run_with(workbench, dimension, scores) for scores in (FLAT, GOOD)]
    baseline, other = sets_named(workbench, PROJECT, dimension.id, runs)
    (found,) = compare_runs(workbench, dimension.id, baseline, [other], Choices(resamples=50), 50)
    assert "all the same" in found.verdict("spearman", "A", "B", 1)
    with workbench.database.write() as work:
        unrated = work.projects.add_dimension(PROJECT, Dimension("fluency"))
    runs = [run_with(workbench, unrated, scores) for scores in (POOR, GOOD)]
    baseline, other = sets_named(workbench, PROJECT, unrated.id, runs)
    (found,) = compare_runs(workbench, unrated.id, baseline, [other], Choices(resamples=50), 50)
    assert "No texts have both" in found.verdict("spearman", "A", "B", 1)


def test_a_level_the_data_lack_is_said_for_each_pair(workbench: Workbench, dimension: Dimension) -> None:
    with workbench.database.write() as work:
        project = work.projects.add("No systems", Task())
        lone = work.projects.add_dimension(project.id, Dimension("x"))
        work.texts.add_many(project.id, [Text(f"d{n}", f"T {n}") for n in range(4)])
        ids = [text.id for text in work.texts.all(project.id)]
        work.texts.add_ratings([(i, lone.id, Rating("x", "r", 1.0 + n)) for n, i in enumerate(ids)])
        for shift in (0.0, 1.0):
            run = work.runs.create(project.id, "e", "rules", {}, [RunDimension(lone.id, None, (), tuple(ids))])
            work.runs.save([Outcome(p, Evaluation(p.text % 3 + shift)) for p in work.runs.open_scores(run)])
    first, second = score_sets(workbench, project.id, lone.id)
    (found,) = compare_runs(workbench, lone.id, first, [second], Choices("system"))
    assert "needs to know the system" in found.problem


def test_holm_covers_all_comparisons_that_could_be_made(workbench: Workbench, dimension: Dimension) -> None:
    runs = [run_with(workbench, dimension, scores) for scores in (POOR, GOOD, HUMAN, FLAT)]
    baseline, *others = sets_named(workbench, PROJECT, dimension.id, runs)
    found = compare_runs(workbench, dimension.id, baseline, others, Choices(resamples=50), 200)
    tested = [each.comparison.differences["spearman"] for each in found if each.comparison]
    assert [t.permutation.p for t in tested[:2]] == pytest.approx([1 / 201, 1 / 201], abs=0.02)
    assert [t.p_holm for t in tested[:2]] == pytest.approx([2 * t.permutation.p for t in tested[:2] if t.permutation.p])
    assert tested[2].p_holm is None


def test_incomplete_texts_and_new_ratings_change_what_is_compared(workbench: Workbench, dimension: Dimension) -> None:
    runs = [run_with(workbench, dimension, POOR), run_with(workbench, dimension, GOOD, coverage=0.5)]
    baseline, other = sets_named(workbench, PROJECT, dimension.id, runs)
    assert compare_runs(workbench, dimension.id, baseline, [other], permutations=20)[0].shared == 0
    partial = compare_runs(workbench, dimension.id, baseline, [other], Choices(include_partial=True), 20)[0]
    assert partial.shared == 40
    with workbench.database.write() as work:
        work.held_out_splits.lock(PROJECT, ["d00"], 0.1, 1, "Ana")
    again = compare_runs(workbench, dimension.id, baseline, [other], Choices(include_partial=True), 20)[0]
    assert again.shared == 36


def test_ratings_that_change_places_are_compared_anew(workbench: Workbench, dimension: Dimension) -> None:
    runs = [run_with(workbench, dimension, POOR), run_with(workbench, dimension, GOOD)]
    baseline, other = sets_named(workbench, PROJECT, dimension.id, runs)

    def agreement() -> float | None:
        compared = compare_runs(workbench, dimension.id, baseline, [other], permutations=20)[0].comparison
        assert compared is not None
        return compared.differences["spearman"].figure.a

    assert agreement() == pytest.approx(1)
    with workbench.database.write() as work:
        work._session.execute(sql("UPDATE rating SET value = 5 - value WHERE value IN (1, 4)"))
    assert agreement() == pytest.approx(-0.8)  # ranks 1 2 3 4 against 4 2 3 1


def test_the_distance_from_ratings_is_not_compared_off_their_scale(workbench: Workbench, dimension: Dimension) -> None:
    runs = [run_with(workbench, dimension, POOR), run_with(workbench, dimension, GOOD, method="rouge-1")]
    baseline, other = sets_named(workbench, PROJECT, dimension.id, runs)
    compared = compare_runs(workbench, dimension.id, baseline, [other], permutations=20)[0].comparison
    assert compared is not None
    assert (compared.mae.a, compared.mae.difference) == (None, None)
    assert "not on the scale" in compared.mae.reason


def test_locked_and_unknown_runs_are_no_score_sets(workbench: Workbench, dimension: Dimension) -> None:
    run = run_with(workbench, dimension, GOOD, locked=True)
    assert score_sets(workbench, PROJECT, dimension.id) == []
    with pytest.raises(NotFoundError, match=f"Run {run} has no scores"):
        sets_named(workbench, PROJECT, dimension.id, [run])
