"""Build: choose what goes in, watch it run, read what every stage made."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.domain.attribute import ContributorKind
from app.domain.checklist import Checklist
from app.domain.run import StageRun
from app.domain.task import Dimension, Task
from app.services.attributes import add_attributes, attributes_of, edit_attribute, exclude_attribute
from app.services.checklists import versions_of
from app.services.projects import create_project, dimensions_named, get_project
from app.services.workbench import Workbench
from pages.components.build_options import job_key
from tests.support.background import ended

Open = Callable[[str], AppTest]


def place(workbench: Workbench) -> tuple[int, Dimension]:
    return get_project(workbench, "Demo").id, dimensions_named(workbench, "Demo", "all")[0]


def checklists(workbench: Workbench) -> list[Checklist]:
    return versions_of(workbench, place(workbench)[1].id)


def test_without_attributes_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    app = open_screen("build")
    assert app.button(key="empty_to_think_aloud").label == "Think aloud"


def test_before_the_first_build_the_stages_are_explained(workbench: Workbench, open_screen: Open):
    project = create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    dimension = dimensions_named(workbench, project.name, "all")[0]
    add_attributes(workbench, dimension.id, "Mira", ContributorKind.HUMAN, ["It is polite."])
    app = open_screen("build")
    said = " ".join(m.value for m in app.markdown)
    assert all(stage in said for stage in ("Components", "Clusters", "Key questions", "Sub-questions", "Validation"))


def test_building_makes_the_next_version_from_the_chosen_condition(demo: Workbench, open_screen: Open):
    project_id, dimension = place(demo)
    app = open_screen("build")
    kinds = {a.contributor: a.kind for a in attributes_of(demo, project_id, dimension.id)}
    assert any(c.value.startswith("Everybody · ") for c in app.caption)
    app.button(key=f"condition_{dimension.id}_{len(kinds)}_people").click().run()
    assert any(c.value.startswith("All people · ") for c in app.caption)
    app.select_slider(key="components").set_value(3).run()
    app.button(key="build").click().run()
    app = ended(app, job_key(project_id, dimension.id))
    newest = checklists(demo)[0]
    assert (newest.version, newest.condition, newest.model) == (2, "mh", "rules")
    assert len(newest.components) <= 3
    assert app.success[0].value.startswith("Version 2 is a draft with")
    assert any("made version 2" in m.value for m in app.markdown)


def test_a_choice_of_contributors_is_a_condition_too(demo: Workbench, open_screen: Open):
    project_id, dimension = place(demo)
    for name in ("Ada, Dr.", "Bo"):
        add_attributes(demo, dimension.id, name, ContributorKind.HUMAN, [f"What {name} looks at."])
    kinds = {a.contributor: a.kind for a in attributes_of(demo, project_id, dimension.id)}
    app = open_screen("build")
    app.get_by_key(f"condition_{dimension.id}_{len(kinds)}").set_value(["Ada, Dr.", "rules"]).run()
    assert any(c.value.startswith("Only Ada, Dr., rules, not an LLM · ") for c in app.caption)
    app.button(key="build").click().run()
    ended(app, job_key(project_id, dimension.id))
    newest = checklists(demo)[0]
    assert newest.condition == 'only:"Ada, Dr.",rules'
    used = {a for c in newest.components for a in c.attributes} | {d.attribute for d in newest.dropped}
    said = {a.id for a in attributes_of(demo, project_id, dimension.id) if a.contributor in ("Ada, Dr.", "rules")}
    assert used == said


def test_nobody_ticked_builds_nothing(demo: Workbench, open_screen: Open):
    project_id, dimension = place(demo)
    kinds = {a.contributor for a in attributes_of(demo, project_id, dimension.id)}
    app = open_screen("build")
    app.get_by_key(f"condition_{dimension.id}_{len(kinds)}").set_value([]).run()
    assert app.button(key="build").disabled


def test_all_dimensions_are_built_and_named(demo: Workbench, open_screen: Open):
    project_id, _ = place(demo)
    app = open_screen("build")
    app.button(key="build_all").click().run()
    app = ended(app, job_key(project_id, 0))
    assert all(versions_of(demo, d.id)[0].version == 2 for d in dimensions_named(demo, "Demo", "all"))
    assert "coherence: version 2" in app.success[0].value.replace("\\", "")


def test_each_stage_shows_what_it_made_and_with_what(demo: Workbench, open_screen: Open):
    app = open_screen("build")
    newest = checklists(demo)[0]
    assert [e.label.split(" · ")[0] for e in app.expander][:5] == [
        r"1\. Components",
        r"2\. Clusters",
        r"3\. Key questions",
        r"4\. Sub-questions",
        r"5\. Validation",
    ]
    said = " ".join(m.value for m in app.markdown).replace("\\", "")
    assert all(component.description in said for component in newest.components)
    assert all(question.text in said for question in newest.asked)
    recorded = [c.value.replace("\\", "") for c in app.caption]
    assert any(c.startswith("rules, not an LLM · prompt validation@") for c in recorded)
    app.toggle(key=next(t.key for t in app.toggle)).set_value(True).run()
    assert "max_components" in app.code[0].value


def test_changed_attributes_are_said(demo: Workbench, open_screen: Open):
    project_id, dimension = place(demo)
    assert not open_screen("build").warning
    said = attributes_of(demo, project_id, dimension.id)
    add_attributes(demo, dimension.id, "Mira", ContributorKind.HUMAN, ["It starts well.", "It ends well.", "Short."])
    exclude_attribute(demo, said[0].id, "repeats")
    edit_attribute(demo, said[1].id, "Another wording.")
    warning = open_screen("build").warning[0].value
    assert "since version 1 was built: 3 were added, 1 was left out, 1 was reworded" in warning


def test_a_failed_stage_shows_its_error(demo: Workbench, open_screen: Open):
    _, dimension = place(demo)
    with demo.database.write() as work:
        work.runs.add_stage(
            dimension.id, StageRun("components", "openai:x", error_kind="quota", error="No credit left.")
        )
    app = open_screen("build")
    assert "“Components”: No credit left." in app.error[0].value
    assert [e.label.split(" · ")[1] for e in app.expander][:2] == ["failed", "not reached"]


def test_a_model_that_cannot_be_asked_is_said_and_leaves_the_versions_alone(demo: Workbench, open_screen: Open):
    project_id, dimension = place(demo)
    app = open_screen("build")
    model = app.selectbox(key="build_model")
    model.options.append("nonsense:model")  # what is typed becomes an option
    model.set_value("nonsense:model")
    app.button(key="build").click().run()
    if not app.error:  # a typed option is unknown to the test's own list of options: look from a new tab
        app = ended(open_screen("build"), job_key(project_id, dimension.id))
    assert "nonsense" in app.error[0].value
    assert len(checklists(demo)) == 1


def test_a_model_without_a_key_says_what_to_set(demo: Workbench, open_screen: Open):
    app = open_screen("build")
    options = app.selectbox(key="build_model").options
    assert options[0] == "rules, not an LLM"
    locked = next(name for name in options if name.endswith("not set up"))
    app.selectbox(key="build_model").set_value(locked.removesuffix(" · not set up")).run()
    assert app.button(key="build").disabled
    assert any("KEY" in c.value for c in app.caption)
