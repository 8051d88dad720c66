"""Methods: quality against cost, and texts by people beside texts by LLMs."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.services.data.projects import get_project
from app.services.results.writer_bias import mark_people, writers
from app.services.runtime.workbench import Workbench

Open = Callable[[str], AppTest]


def opened(open_screen: Open) -> AppTest:
    app = open_screen("methods")
    assert not app.exception
    return app


def test_quality_and_cost_stand_side_by_side(read_demo: Workbench, open_screen: Open) -> None:
    app = opened(open_screen)
    (table,) = [frame.value for frame in app.dataframe if "$ per 1,000 texts" in frame.value]
    assert table["Method"].tolist() == ["checklist v1 · rules, not an LLM"]
    assert table["$ per 1,000 texts"].tolist() == ["0.00"]
    assert any("no model is paid" in str(caption.value) for caption in app.caption)


def test_people_are_marked_and_means_shown(demo: Workbench, open_screen: Open) -> None:
    app = opened(open_screen)
    project = get_project(demo, "Demo")
    systems, none = writers(demo, project.id)
    assert none == ()
    assert not [frame for frame in app.dataframe if "Person − LLM" in frame.value]
    app.multiselect(key=f"people_{project.id}").set_value(systems[:1])
    app.button(key="save_people").click().run()
    assert not app.exception
    assert writers(demo, project.id)[1] == tuple(systems[:1])
    (table,) = [frame.value for frame in app.dataframe if "Person − LLM" in frame.value]
    assert table["Number"].sum() > 0
    mark_people(demo, project.id, systems)
    app = opened(open_screen)
    assert any("No source has rated texts of both" in str(words.value) for words in app.markdown)
