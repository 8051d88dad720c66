"""Results of CoAScore: its aspects beside people's ratings, and its run beside the checklist's without being chosen."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist_score import Evaluation
from app.domain.run import Outcome, RunDimension, RunStatus
from app.services.data.projects import dimensions_named, get_project
from app.services.results.results import cached_results
from app.services.runtime.workbench import Workbench

Open = Callable[..., AppTest]
ASPECTS = ("Order", "Links", "Focus")


@pytest.fixture
def coascore(demo: Workbench) -> int:
    """A run on the demo's first dimension; its number."""
    project, dimension = get_project(demo, "Demo"), dimensions_named(demo, "Demo", "all")[0]
    texts = tuple(row.text for row in cached_results(demo, [1])[0].rows)
    with demo.database.write() as work:
        run = work.runs.create(
            project.id, "coascore", "llama:x", {"variant": "full"}, [RunDimension(dimension.id, None, (), texts)]
        )
        work.runs.save(
            [
                Outcome(
                    planned,
                    Evaluation(
                        1 + place % 5,
                        details={
                            "aspects": [{"name": n, "score": 1 + place * k % 5} for k, n in enumerate(ASPECTS, 1)]
                        },
                    ),
                )
                for place, planned in enumerate(work.runs.open_scores(run))
            ]
        )
        work.runs.finish(run, RunStatus.DONE)
    return run


def test_questions_open_on_a_method_that_asks_some_and_show_aspects(coascore: int, open_screen: Open) -> None:
    app = open_screen("results", view="questions")
    assert app.multiselect(key="run").value == [coascore, 1]
    assert app.radio(key="detail_run_questions").value == 1
    app.radio(key="detail_run_questions").set_value(coascore).run()
    assert not app.exception
    aspects, pairs = (frame.value for frame in app.dataframe)
    assert list(aspects["Aspect"]) == list(ASPECTS)
    assert all("[" in cell for cell in aspects["Spearman"])
    assert list(pairs.columns) == list(pairs.index) == list(ASPECTS)
    assert pairs.loc["Order", "Links"] == pairs.loc["Links", "Order"]
