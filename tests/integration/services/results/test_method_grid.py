"""Methods by dimensions: which run stands where, averages over dimensions, and differences to a chosen method."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.checklist_score import Evaluation
from app.domain.run import Outcome, RunDimension, RunStatus
from app.services.data.projects import dimensions_named, get_project
from app.services.results.method_grid import (
    AVERAGE,
    Difference,
    ceilings_of,
    cell,
    comparisons_with,
    difference,
    dimension_means,
    grid_notes,
    method_and_judge,
    method_grid,
    method_labels,
)
from app.services.results.report import report_html
from app.services.results.result_files import latex_file, verdicts_of
from app.services.results.results import Choices, DimensionResult, cached_results
from app.services.results.run_comparison import compare_runs, sets_named
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.prepared import Prepared, prepared
from tests.support.projects import rated_on_two, small_checklist, workbench_at

DATASET = Choices("dataset", resamples=50)


def _scored_by_rules(workbench: Workbench) -> None:
    _, dimensions = rated_on_two(workbench)
    with workbench.database.write() as work:
        for dimension in dimensions:
            small_checklist(work, dimension.id)
    work_on(workbench, start_run(workbench, 1, RunOptions(dimensions, "rules")))


@pytest.fixture(scope="module")
def prepared_two() -> Prepared[None]:
    """Made once; each test has a copy."""
    return prepared(_scored_by_rules)


@pytest.fixture
def two(prepared_two: Prepared[None], tmp_path: Path) -> Iterator[Workbench]:
    """Project "Talks", whose two dimensions the rules have scored."""
    prepared_two.copy(tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


def scored(workbench: Workbench, method: str, *names: str, turned: int = 3) -> int:
    """A run of the method on these dimensions; `turned` says how its scores are ordered."""
    dimensions = [found for name in names for found in dimensions_named(workbench, "Talks", name)]
    with workbench.database.write() as work:
        texts = tuple(text.id for text in work.every_text.all(1))
        run = work.runs.create(1, method, "none", {}, [RunDimension(each.id, None, (), texts) for each in dimensions])
        work.runs.save(
            [
                Outcome(planned, Evaluation(1.0 + planned.text * turned % 7 / 2))
                for planned in work.runs.open_scores(run)
            ]
        )
        work.runs.finish(run, RunStatus.DONE)
    return run


def results(workbench: Workbench, *runs: int) -> list[DimensionResult]:
    return [result for run in runs for result in cached_results(workbench, [run], DATASET)]


def test_method_grid_shows_the_figures_of_every_run_unchanged(two: Workbench) -> None:
    metric = scored(two, "own: metric", "order")
    found = results(two, 1, metric)
    grid = method_grid(found)
    assert grid.columns == ("order", "warmth", AVERAGE)
    assert [(row.label, row.runs) for row in grid.rows] == [
        ("checklist · rules, not an LLM", (1,)),
        ("own: metric", (metric,)),
    ]
    for result in found:
        row = grid.row(method_labels(found)[result.run.id])
        assert row is not None
        for name, figure in result.meta.figures.items():
            assert row.figure(result.dimension.name, name) == figure
        assert row.figure(result.dimension.name, "mae") == result.meta.mae
    assert grid.rows[1].figure("warmth", "spearman") is None
    # An average is that of the dimension means, and needs every dimension.
    assert grid.rows[0].average == dimension_means(found)[0].figures
    assert grid.rows[1].average == {}
    # With one rater a ceiling is unknown.
    assert ceilings_of(two, 1, grid, "spearman") == {}
    assert ceilings_of(two, 1, grid, "mae") == {}


def test_runs_of_one_method_share_a_row_unless_on_the_same_dimension(two: Workbench) -> None:
    runs = scored(two, "own: metric", "order"), scored(two, "own: metric", "warmth")
    (row,) = method_grid(results(two, *runs)).rows
    assert row.runs == runs
    assert set(row.results) == {"order", "warmth"}
    assert row.average["spearman"].value is not None
    both = scored(two, "own: metric", "order", "warmth")
    assert [row.label for row in method_grid(results(two, runs[0], both)).rows] == [
        f"own: metric · run {run}" for run in (runs[0], both)
    ]


def test_difference_equals_the_paired_comparison_of_the_runs(two: Workbench) -> None:
    first, *others = [scored(two, f"own: {turned}", "order", turned=turned) for turned in (3, 5, 2)]
    grid = method_grid(results(two, 1, first, *others))
    compared = comparisons_with(two, 1, grid, "own: 3", DATASET)
    (order,) = dimensions_named(two, "Talks", "order")
    base, *rest = sets_named(two, 1, order.id, [first, 1, *others])
    for expected in compare_runs(two, order.id, base, rest, DATASET):
        assert expected.comparison is not None
        tested, label = expected.comparison.differences["kendall"], method_and_judge(expected.other.run)
        found = difference(compared, label, "order", "kendall")
        assert (found and (found.value, found.p)) == (
            None if tested.figure.difference is None else (tested.figure.difference, tested.p_holm)
        )
    assert difference(compared, "own: 5", "order", "kendall") is not None
    assert difference(compared, "own: 5", AVERAGE, "kendall") is None
    assert difference(compared, "own: 3", "order", "kendall") is None


@pytest.mark.parametrize(("p", "mark"), [(0.009, "‡"), (0.01, "†"), (0.049, "†"), (0.05, ""), (None, "")])
def test_difference_is_marked_by_its_p_value(p: float | None, mark: str) -> None:
    assert Difference(0.1, None, None, p).mark == mark


def test_notes_name_an_undefined_figure_once(two: Workbench) -> None:
    grid = method_grid(results(two, scored(two, "rouge-l", "order", "warmth")))
    figure = grid.rows[0].figure("order", "mae")
    assert figure is not None
    assert cell(figure) == cell(None) == "–"
    assert sum(figure.reason.rstrip(".") in note for note in grid_notes(grid, ("mae",))) == 1


def test_a_run_of_several_dimensions_has_a_mean_in_every_table(two: Workbench) -> None:
    found = cached_results(two, [1], DATASET)
    (mean,) = dimension_means(found)
    assert (mean.dimensions, mean.result.run.id) == (2, 1)
    each = [result.meta.mae.value for result in found]
    assert None not in each
    assert mean.figures["mae"].value == pytest.approx(sum(value or 0 for value in each) / 2)
    project = get_project(two, "Talks")
    table = latex_file(project, method_grid(found)).decode()
    assert f"${mean.figures['mae'].value:.3f}$" in table
    verdicts = verdicts_of(two, found)
    report = report_html(project, found, verdicts).decode()
    averages = [cell(row.figure(AVERAGE, "mae")) for row in method_grid(found).rows if row.average]
    assert averages
    assert [average for average in averages if f"<td>{average}</td></tr>" not in report] == []


def test_the_report_says_what_its_runs_left_out(two: Workbench) -> None:
    scored_once = cached_results(two, [1], DATASET)
    verdicts = verdicts_of(two, scored_once)
    for docs, texts, said in (
        ((), (), "Human ratings are means over raters.<"),
        (("d1",), (), "Documents whose texts were shown as samples are left out."),
        ((), (3, 4), "left out, but not the rest of their documents."),
        (("d1",), (3, 4), "left out, in some results with all texts of their documents."),
    ):
        found = [replace(result, excluded_docs=docs, excluded_texts=texts) for result in scored_once]
        assert said in report_html(get_project(two, "Talks"), found, verdicts).decode()


def test_one_dimension_needs_none(two: Workbench) -> None:
    found = cached_results(two, [1], DATASET)[:1]
    assert dimension_means(found) == []
    assert method_grid(found).columns == ("order",)
