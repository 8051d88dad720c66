"""Results, Details, Against another run: runs against a baseline."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist_score import Evaluation
from app.domain.run import Outcome, RunDimension
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from tests.support.background import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
Open = Callable[..., AppTest]


@pytest.fixture
def open_compare() -> Open:
    def opened(**address: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=PATIENCE).run()
        app.switch_page("../pages/results.py")
        for key, value in {"view": "details", "open": "against", **address}.items():
            app.query_params[key] = value
        return app.run()

    return opened


def shown(app: AppTest) -> str:
    elements = [*app.markdown, *app.caption, *app.error, *app.info]
    return "\n".join(str(element.value) for element in elements).replace("\\", "")


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


def test_the_better_run_is_named_with_its_ground(demo: Workbench, open_compare: Open) -> None:
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


def test_a_difference_without_an_interval_is_drawn_and_said(demo: Workbench, home: Path, open_compare: Open) -> None:
    worse, better = as_people(demo, -1.0, "turned-around"), as_people(demo, 1.0, "as-people")
    with sqlite3.connect(home / "workbench.db") as connection:
        connection.execute("UPDATE text SET doc_id = 'the only one', item_id = id")
    connection.close()
    app = open_compare(baseline=str(worse), against=str(better))
    assert not app.exception
    assert "An interval needs at least two sources" in shown(app)
    assert "nan" not in shown(app).split()


def test_texts_scored_by_one_run_only_are_said(demo: Workbench, open_compare: Open) -> None:
    run = as_people(demo, 1.0, "as-people")  # also the samples' documents, which the demo's own run leaves out
    app = open_compare(baseline="1", against=str(run))
    assert not app.exception
    assert "scored in only one of the two are left out" in shown(app)


def test_the_coefficient_is_a_choice_and_stays_in_the_address(demo: Workbench, open_compare: Open) -> None:
    worse, better = as_people(demo, -1.0, "turned-around"), as_people(demo, 1.0, "as-people")
    app = open_compare(baseline=str(worse), against=str(better), coefficient="pearson")
    assert app.session_state["coefficient"] == "pearson"
    app.button_group(key="coefficient").set_value("kendall").run()
    assert app.query_params["coefficient"] == "kendall"
    assert not app.exception
