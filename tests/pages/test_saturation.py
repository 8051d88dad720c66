"""Enough?: figures for facilitators beside the attributes and while thinking aloud."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Task, Text
from app.domain.roles_and_rights import Actor, Role
from app.services.attributes.attributes import add_attributes
from app.services.background.runner import drain_jobs
from app.services.data.projects import create_project
from app.services.runtime.workbench import Workbench
from pages.components.shell import current

Open = Callable[[str], AppTest]


def opened(app: AppTest) -> AppTest:
    app.session_state["enough"] = True
    return app.run()


def metrics(app: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in app.metric}


@pytest.mark.parametrize("screen", ["attributes", "think_aloud"])
def test_enough_shows_coverage_and_what_others_have(read_demo: Workbench, open_screen: Open, screen: str) -> None:
    app = opened(open_screen(screen))
    assert not app.exception
    assert {"Themes", "Covered", "Not seen yet"} <= set(metrics(app))
    (left_out,) = [table.value for table in app.dataframe if "Others have" in table.value]
    assert (left_out["Others have"] <= left_out["Attributes"]).all()
    (without,) = [table.value for table in app.dataframe if "Questions left" in table.value]
    assert (without["Covered"] <= without["Attributes"]).all()


def test_enough_asks_a_second_judge_in_the_background(demo: Workbench, open_screen: Open) -> None:
    app = opened(open_screen("attributes"))
    app.selectbox(key="coverage_model").set_value("rules").run()
    app.button(key="coverage_ask").click().run()
    drain_jobs(60)
    app.run()
    assert not app.exception
    (without,) = [table.value for table in app.dataframe if "Questions left" in table.value]
    assert without["Model"].str.endswith(")").all()
    assert app.button(key="coverage_ask").disabled, "it has answered about all"


def test_enough_without_attributes_is_no_error(workbench: Workbench, open_screen: Open) -> None:
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    with workbench.database.write() as work:
        work.texts.add_many(1, [Text("a", "Dear Ana")])
    app = opened(open_screen("think_aloud"))
    assert (len(app.exception), len(app.error), len(app.metric)) == (0, 0, 0)
    assert app.info


def test_enough_of_one_contributor_shows_no_estimate(workbench: Workbench, open_screen: Open) -> None:
    project = create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text("a", "Dear Ana")])
    add_attributes(workbench, 1, "Ana", ContributorKind.HUMAN, ["It is polite.", "It greets the reader."])
    app = opened(open_screen("attributes"))
    assert not app.exception
    assert metrics(app) == {"Themes": "2"}


@pytest.mark.parametrize("role", [Role.EXPERT, Role.READER])
def test_enough_is_not_shown_to_others(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch, role: Role
) -> None:
    with demo.database.write() as work:
        person = work.people.add("invite", "ana", "Ana")
        work.people.join(person.id, 1, role, "Ana")
        actor: Actor = work.people.actor(person.id)
    monkeypatch.setattr(current, "person_at_browser", lambda *_: actor)
    app = opened(open_screen("think_aloud" if role is Role.EXPERT else "attributes"))
    assert metrics(app) == {}
    assert not any(one.label == "Enough?" for one in app.expander)
