"""Results, Details, Against another run: runs against a baseline."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist_score import Evaluation
from app.domain.run import Outcome, RunDimension
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from tests.support.result_screen import change, shown

Open = Callable[..., AppTest]


@pytest.fixture
def open_compare(open_results: Open) -> Open:
    return partial(open_results, view="details", open="against")


def as_people(workbench: Workbench, noise: float, evaluator: str) -> int:
    """A run whose scores are people's mean ratings, or those turned around."""
    project = get_project(workbench, "Demo")
    dimension = dimensions_named(workbench, "Demo", "all")[0]
    with workbench.database.write() as work:
        means = work.texts.mean_scores(dimension.id)
        plan = [RunDimension(dimension.id, None, (), tuple(means))]
        run = work.runs.create(project.id, evaluator, "rules", {}, plan)
        work.runs.save([Outcome(p, Evaluation(means[p.text] * noise)) for p in work.runs.open_scores(run)])
        return run


def test_one_run_alone_is_a_sentence(read_demo: Workbench, open_compare: Open) -> None:
    app = open_compare()
    assert not app.exception
    assert "There are no two runs on" in shown(app)


def test_the_better_run_is_named_with_its_ground_by_a_chosen_coefficient(
    demo: Workbench, home: Path, open_compare: Open
) -> None:
    worse, better = as_people(demo, -1.0, "turned-around"), as_people(demo, 1.0, "as-people")
    app = open_compare(baseline=str(worse), against=str(better))
    assert not app.exception
    words = shown(app)
    assert f"run {better} agrees better with people" in words
    assert "sources used" in words
    assert "per-source|spearman+kendall+pearson+mae|" in words
    (row,) = app.dataframe[0].value.to_dict("records")
    assert row["Its figure"] == pytest.approx(1.0)
    assert row["Difference"] == pytest.approx(2.0)
    assert row["p (Holm)"].endswith("***")
    assert (row["Left out"], row["Shared"] > 0) == (0, True)
    app.button_group(key="coefficient").set_value("kendall").run()
    assert app.query_params["coefficient"] == "kendall"
    assert not app.exception

    # The demo's own run leaves out the documents of the samples, which the other scores too.
    app = open_compare(baseline="1", against=str(better), coefficient="pearson")
    assert not app.exception
    assert "scored in only one of the two are left out" in shown(app)
    assert app.session_state["coefficient"] == "pearson"

    change(home, "UPDATE text SET doc_id = 'the only one', item_id = id")
    worse, better = as_people(demo, -1.0, "turned-around"), as_people(demo, 1.0, "as-people")
    app = open_compare(baseline=str(worse), against=str(better))
    assert not app.exception
    assert "An interval needs at least two sources" in shown(app)
    assert "nan" not in shown(app).split()
