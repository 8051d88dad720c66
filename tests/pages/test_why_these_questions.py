"""Lineage: from questions back to who said what, and on from contributors."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Task
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.building.build_state import builds_of
from app.services.checklists.checklist_files import import_checklist_file
from app.services.checklists.checklists import versions_of
from app.services.checklists.lineage import lineage_document, lineage_of_build, lineage_of_version
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.runtime.workbench import Workbench

Open = Callable[[str], AppTest]


def said(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.warning]).replace("\\", "")


def part(app: AppTest, title: str) -> AppTest:
    app.session_state["lineage_part"] = title
    return app.run()


def test_every_question_shows_the_attributes_behind_it_and_every_contributor_where_theirs_went(
    demo: Workbench, open_screen: Open
):
    app = open_screen("why_these_questions")
    assert not app.exception
    assert app.get("vega_lite_chart")
    part(app, "From questions back")
    assert not app.get("vega_lite_chart"), "only what is open is drawn"
    dimension = dimensions_named(demo, "Demo", "all")[0]
    text = said(app)
    for question in versions_of(demo, dimension.id)[0].asked:
        assert question.text in text
    attributes = attributes_of(demo, get_project(demo, "Demo").id, dimension.id)
    behind = lineage_of_version(demo, dimension.id)
    assert all(behind.attributes[id_].text in text for id_ in behind.lineage.serving)
    assert len(behind.lineage.serving) + len(behind.lineage.unserved) == len(attributes)
    part(app, "From contributors on")
    names = [pills.options for pills in app.get("button_group") if pills.key == "lineage_contributor"]
    assert len(names[0]) == len(behind.reaches)


def test_a_build_in_progress_has_its_lineage_too(demo: Workbench, open_screen: Open):
    dimension = dimensions_named(demo, "Demo", "all")[0]
    app = open_screen("why_these_questions")
    build_id = builds_of(demo, dimension.id)[0].id
    app.selectbox(key="of").set_value(f"build-{build_id}").run()
    assert not app.exception
    made, now = lineage_of_version(demo, dimension.id), lineage_of_build(demo, build_id)
    assert [q.text for q in now.checklist.asked] == [q.text for q in made.checklist.asked]
    assert sorted(now.numbers.values()) == list(range(1, len(now.checklist.asked) + 1))


def test_what_came_later_and_who_is_in_no_question_is_said(demo: Workbench, open_screen: Open):
    dimension = dimensions_named(demo, "Demo", "all")[0]
    add_attributes(demo, dimension.id, "Late <b>Lea</b>", ContributorKind.HUMAN, ["Said afterwards."])
    lost = len(lineage_of_version(demo, dimension.id).lineage.unserved)
    app = part(open_screen("why_these_questions"), f"Left behind ({lost})")
    tables = [frame.value for frame in app.dataframe if "Where it ended" in frame.value.columns]
    assert "Said afterwards." in list(tables[0]["Attribute"])
    assert "it came later" in tables[0]["Where it ended"].iloc[-1]


def test_a_checklist_from_a_file_has_no_lineage_and_says_so(demo: Workbench, open_screen: Open):
    dimension = dimensions_named(demo, "Demo", "all")[0]
    import_checklist_file(demo, dimension.id, b'{"questions": ["Is it short?"]}', "short.json")
    app = open_screen("why_these_questions")
    assert not app.exception
    assert "1 question added by hand" in said(app)
    assert lineage_document(lineage_of_version(demo, dimension.id))["components"][0]["questions"][0]["attributes"] == []


def test_without_a_checklist_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone"),))
    assert open_screen("why_these_questions").button(key="empty_to_how_it_was_made").label == "Build the checklist"
