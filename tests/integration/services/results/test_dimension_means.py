"""The mean over a run's dimensions, on screens and in files."""

import pytest

from app.services.data.projects import get_project
from app.services.results.result_files import dimension_means, latex_file, report_html, verdict_of
from app.services.results.results import Choices, kept_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.projects import rated_on_two, small_checklist


@pytest.fixture
def two(workbench: Workbench) -> Workbench:
    _, dimensions = rated_on_two(workbench)
    with workbench.database.write() as work:
        for dimension in dimensions:
            small_checklist(work, dimension.id)
    work_on(workbench, start_run(workbench, 1, RunOptions(dimensions, "rules")))
    return workbench


def test_a_run_of_several_dimensions_has_a_mean_in_every_table(two: Workbench) -> None:
    results = kept_results(two, 1, Choices("dataset"))
    (mean,) = dimension_means(results)
    assert (mean.dimensions, mean.result.run.id) == (2, 1)
    each = [result.meta.mae.value for result in results]
    assert None not in each
    assert mean.figures["mae"].value == pytest.approx(sum(value or 0 for value in each) / 2)
    project = get_project(two, "Talks")
    assert "Mean of 2 dimensions" in latex_file(project, results).decode()
    verdicts = [verdict_of(two, result) for result in results]
    assert "Mean over 2 dimensions" in report_html(project, results, verdicts).decode()


def test_one_dimension_needs_none(two: Workbench) -> None:
    assert dimension_means(kept_results(two, 1, Choices("dataset"))[:1]) == []
