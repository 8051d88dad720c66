"""Home: begin, go on where one was, and keep order among projects."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.corpora.demo_data.corpus import DEMO_NOTICE
from app.domain.attribute import ContributorKind
from app.domain.project import Task
from app.services.attributes.attributes import add_attributes
from app.services.data.project_transfer import project_bytes
from app.services.data.projects import create_project, dimensions_named, get_project, list_projects
from app.services.demo import DEMO_JOB, DEMO_PROJECT
from app.services.runtime.workbench import Workbench
from tests.support.background import PATIENCE, ended
from tests.support.projects import rated_on_two
from tests.support.repository import ROOT

Open = Callable[[str], AppTest]


def words(app: AppTest) -> str:
    return " ".join(element.value for element in app.markdown)


def test_the_demo_is_offered_and_projects_begin_from_a_preset_or_blank(workbench: Workbench, open_screen: Open):
    app = open_screen("overview")
    assert not app.exception
    assert app.button(key="try_demo").proto.type == "primary"
    assert "simulated" in words(app)
    assert "not an LLM" in words(app)
    app.button(key="create_project").click().run()
    assert app.error[0].value == "The project has no name. Give it one."
    app.button(key="bring_in").click().run()
    assert app.error[0].value == "Choose a file first."
    assert list_projects(workbench) == []
    app.text_input(key="new_project_name").input("Talks")
    app.selectbox(key="new_project_preset").set_value("dialogue")
    app.button(key="create_project").click().run()
    assert [project.name for project in list_projects(workbench)] == ["Talks"]
    assert "coherence" in [d.name for d in dimensions_named(workbench, "Talks", "all")]
    assert app.title[0].value == "Texts"
    assert app.session_state["project"] == "Talks"
    app = open_screen("overview")
    app.text_input(key="new_project_name").input("Mine")
    app.selectbox(key="new_project_preset").set_value("blank")
    app.button(key="create_project").click().run()
    assert dimensions_named(workbench, "Mine", "all") == []


def test_the_demo_runs_in_the_background_and_becomes_the_current_project(workbench: Workbench, open_screen: Open):
    app = open_screen("overview")
    app.button(key="try_demo").click().run()
    assert app.button(key="try_demo").disabled
    app = ended(app, DEMO_JOB)
    assert not app.exception
    assert app.session_state["project"] == DEMO_PROJECT
    assert app.success[0].value.startswith("The demo is ready: 256 scores")
    assert _ready(app) == ["See the results"] * 4
    assert words(app).count("64 of 64") == 4  # each dimension's own texts, not those of the whole run
    assert "try_demo" not in [button.key for button in app.button]


def test_the_demo_shows_its_progress_and_its_notice_can_be_closed(demo: Workbench, open_screen: Open) -> None:
    app = open_screen("overview")
    assert DEMO_NOTICE in words(app)
    table = app.dataframe[0].value.set_index("Dimension")
    assert list(table.index) == ["coherence", "fluency", "consistency", "relevance"]
    assert table.loc["coherence", "By people"] > 0
    assert table.loc["coherence", "By LLMs"] > 0
    assert table.loc["coherence", "Ratings"] == 168
    assert table.loc["coherence", "Checklist"] == "version 1, published"
    assert table.loc["coherence", "Scored"] == "version 1 by run 1"
    app.button(key="close_notice").click().run()
    assert DEMO_NOTICE not in words(app)
    assert "close_notice" not in [button.key for button in app.run().button]


def _ready(app: AppTest) -> list[str]:
    """What is seen of the dimensions' buttons."""
    return [
        button.label.partition(" :gray-background[")[0] for button in app.button if str(button.key).startswith("go_on_")
    ]


def test_each_dimension_says_what_is_ready_and_leads_there(workbench: Workbench, open_screen: Open) -> None:
    _, (order, warmth) = rated_on_two(workbench)
    add_attributes(workbench, order.id, "Ada", ContributorKind.HUMAN, ["It has one thread."])
    app = open_screen("overview")
    assert _ready(app) == ["Build the checklist", "Think aloud"]
    app.button(key=f"go_on_{warmth.id}").click().run()
    assert not app.exception
    assert (app.title[0].value, app.session_state["dimension"]) == ("Think aloud", "warmth")


def test_research_screens_are_offered_once_they_are_switched_on(workbench: Workbench, open_screen: Open) -> None:
    project = create_project(workbench, "News", Task())
    app = open_screen("overview")
    switch = next(toggle for toggle in app.toggle if toggle.label == "Research")
    assert not switch.value
    switch.set_value(True).run()
    assert get_project(workbench, "News").research
    assert next(t for t in open_screen("overview").toggle if t.key == f"research_{project.id}").value


def test_another_project_can_be_opened_and_names_are_shown_to_the_letter(workbench: Workbench, open_screen: Open):
    create_project(workbench, "**x** <b>", Task())
    create_project(workbench, "Second", Task())
    app = open_screen("overview")
    assert r"\*\*x\*\* \<b\>" in words(app)
    current = app.session_state["project"]
    other = next(p for p in list_projects(workbench) if p.name != current)
    app.button(key=f"open_{other.id}").click().run()
    assert app.session_state["project"] == other.name
    assert app.button(key="go_on").label == "Import texts"


def test_an_address_with_an_unknown_project_is_not_answered_by_another_one_in_silence(workbench: Workbench):
    create_project(workbench, "News", Task())
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=PATIENCE)
    app.query_params["project"] = "Nwes"
    app.run()
    assert not app.exception
    assert [toast.value for toast in app.toast] == ["There is no project “Nwes” here; another one is shown."]
    app.run()
    assert app.session_state["project"] == "News"
    assert not app.toast


def test_before_a_project_is_deleted_a_copy_is_offered_and_stands_out(workbench: Workbench, open_screen: Open) -> None:
    project = create_project(workbench, "=../Odd", Task())
    app = open_screen("overview")
    app.button(key=f"delete_{project.id}").click().run()
    assert not app.exception
    (copy,) = app.get("download_button")
    assert (copy.proto.label, copy.proto.type) == ("Download a copy first", "primary")
    others = {button.key: button.proto.type for button in app.button if button.key in ("delete_for_good", "keep_it")}
    assert others == {"delete_for_good": "secondary", "keep_it": "secondary"}
    assert [p.name for p in list_projects(workbench)] == ["=../Odd"]


def test_a_project_is_taken_along_and_brought_in_under_another_name(workbench: Workbench, open_screen: Open) -> None:
    project, _ = rated_on_two(workbench)
    app = open_screen("overview")
    app.button(key=f"take_{project.id}").click().run()
    assert not app.exception
    assert "It holds no keys" in words(app)
    file = project_bytes(workbench, project.name)

    app.file_uploader(key="project_file").set_value(("whole.zip", file, "application/zip"))
    app.button(key="bring_in").click().run()
    assert "There is already a project" in app.error[0].value
    app.file_uploader(key="project_file").set_value(("whole.zip", file, "application/zip"))
    app.text_input(key="project_file_name").set_value("Second")
    app.button(key="bring_in").click().run()
    assert not app.exception
    assert app.session_state["project"] == "Second"
    assert {each.name for each in list_projects(workbench)} == {project.name, "Second"}
