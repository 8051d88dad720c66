"""Build: the five stages as steps, each changed by hand, asked again, gone on from."""

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.attribute import ContributorKind
from app.domain.build import ChangeDecision, Stage
from app.domain.checklist import Checklist
from app.domain.project import Dimension, Task, Text
from app.domain.run import StageRun
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.building.build import build_job_key, make_checklist, run_stages, start_build
from app.services.building.build_state import BuildView, builds_of, describe_component, view_build
from app.services.checklists.checklists import publish, versions_of
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.last_models import last_model, last_picker, last_thinkers
from app.settings import settings
from tests.support.background import ended
from tests.support.browser_messages import send, shown
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.checklist_builder import build_answer
from tests.support.fake_llm.checklist_builder import stage_of as stage_asked
from tests.support.fake_llm.server import FakeLlm
from tests.support.model_field import not_set_up
from tests.support.prepared import Prepared, prepared
from tests.support.projects import workbench_at

Open = Callable[..., AppTest]
POINTS = [f"Point number {n} of what matters." for n in range(1, 9)]


def place(workbench: Workbench, project: str = "Demo") -> tuple[int, Dimension]:
    return get_project(workbench, project).id, dimensions_named(workbench, project, "all")[0]


def newest(workbench: Workbench, project: str = "Demo") -> BuildView:
    return view_build(workbench, builds_of(workbench, place(workbench, project)[1].id)[0].id)


def checklists(workbench: Workbench) -> list[Checklist]:
    return versions_of(workbench, place(workbench)[1].id)


def at(open_screen: Open, stage: Stage) -> AppTest:
    """The screen at this stage, as a link leads there."""
    return open_screen("how_it_was_made", stage=str(stage))


def act(app: AppTest, number: int, **sent: Any) -> None:
    """What the list of clusters in the browser sends."""
    send(app, "clusters_", acts={"page": "p", "attempt": number, "acts": [{"number": number, **sent}]})


def said(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption, *app.warning]).replace("\\", "")


@pytest.fixture
def llm(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlm]:
    with FakeLlm(usual=build_answer) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        yield server


def _built(workbench: Workbench) -> None:
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    _, dimension = place(workbench, "Letters")
    add_attributes(workbench, dimension.id, "Mira", ContributorKind.HUMAN, POINTS)
    run_stages(workbench, start_build(workbench, dimension, "llama:builder"))


@pytest.fixture(scope="module")
def built_letters() -> Prepared[None]:
    with FakeLlm(usual=build_answer) as server:
        return prepared(_built, partial(workbench_at, llm_url=f"{server.url}/v1"))


@pytest.fixture
def letters(built_letters: Prepared[None], llm: FakeLlm, home: Path) -> Workbench:
    """A project with eight attributes and a build whose stages are all done."""
    built_letters.copy(home)
    return open_workbench()


def finished(app: AppTest, workbench: Workbench, project: str = "Letters") -> AppTest:
    project_id, dimension = place(workbench, project)
    return ended(app, build_job_key(project_id, dimension.id))


def test_without_attributes_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    app = open_screen("how_it_was_made")
    assert app.button(key="empty_to_think_aloud").label == "Think aloud"


def test_before_the_first_build_the_stages_are_explained(workbench: Workbench, open_screen: Open):
    project = create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    dimension = dimensions_named(workbench, project.name, "all")[0]
    add_attributes(workbench, dimension.id, "Mira", ContributorKind.HUMAN, ["It is polite."])
    text = said(open_screen("how_it_was_made"))
    assert all(stage in text for stage in ("Components", "Clusters", "Key questions", "Sub-questions", "Validation"))


def test_stages_made_one_by_one_show_what_was_asked_and_make_a_version(letters: Workbench, open_screen: Open):
    app = open_screen("how_it_was_made")
    app.button(key="start_build").click().run()
    for stage, label in zip(
        Stage, ("components", "clusters", "key questions", "sub-questions", "validation"), strict=True
    ):
        button = app.button(key="make_stage")
        assert button.label == f"Make the {label}"
        app = finished(button.click().run(), letters)
        assert not app.exception
        assert f"prompt {stage}@1" in said(app)
        prompt, answer = app.code[0].value, app.code[1].value
        assert "tone" in prompt
        assert answer.startswith("{")
    app.button(key="make_checklist").click().run()
    assert app.success[0].value.startswith("Version 1 is a draft with")
    assert app.button(key="open_checklist").label == "Open version 1"


def test_running_all_stages_makes_the_next_version_of_chosen_contributors(demo: Workbench, open_screen: Open):
    project_id, dimension = place(demo)
    for name in ("Ada, Dr.", "Bo"):
        add_attributes(demo, dimension.id, name, ContributorKind.HUMAN, [f"What {name} looks at."])
    kinds = {a.contributor: a.kind for a in attributes_of(demo, project_id, dimension.id)}
    key = f"condition_{dimension.id}_{len(kinds)}"
    app = open_screen("how_it_was_made")
    assert any(c.value.startswith("Everybody · ") for c in app.caption)
    # A browser makes a field when its popover opens, from the last drawing.
    assert len(app.button_group(key=key).proto.default) == len(kinds)
    app.run()
    assert len(app.button_group(key=key).proto.default) == len(kinds)
    app.get_by_key(key).set_value([]).run()
    assert app.button(key="build").disabled
    app.button(key=f"{key}_people").click().run()
    assert any(c.value.startswith("All people · ") for c in app.caption)
    app.get_by_key(f"{key}_1").set_value(["Ada, Dr.", "rules"])  # a new field since it was set by a button
    app.select_slider(key="components").set_value(3).run()
    assert any(c.value.startswith("Only Ada, Dr., rules, not an LLM · ") for c in app.caption)
    app = finished(app.button(key="build").click().run(), demo, "Demo")
    made = checklists(demo)[0]
    assert (made.version, made.condition, made.model) == (2, 'only:"Ada, Dr.",rules', "rules")
    assert len(made.components) <= 3
    used = {a for c in made.components for a in c.attributes} | {d.attribute for d in made.dropped}
    said = {a.id for a in attributes_of(demo, project_id, dimension.id) if a.contributor in ("Ada, Dr.", "rules")}
    assert used == said
    assert app.session_state["stage"] == Stage.VALIDATION
    assert app.success[0].value.startswith("Version 2 is a draft with")


def test_all_dimensions_are_built_and_named(workbench: Workbench, open_screen: Open):
    project = create_project(workbench, "Letters", Task("letter"), (Dimension("tone"), Dimension("order")))
    dimensions = dimensions_named(workbench, "Letters", "all")
    for dimension in dimensions:
        add_attributes(workbench, dimension.id, "Mira", ContributorKind.HUMAN, POINTS[:2])
    app = open_screen("how_it_was_made")
    app = ended(app.button(key="build_all").click().run(), build_job_key(project.id, 0))
    assert [versions_of(workbench, dimension.id)[0].version for dimension in dimensions] == [1, 1]
    assert all(f"{name}: version 1" in app.success[0].value.replace("\\", "") for name in ("tone", "order"))


def test_components_are_described_undone_added_and_removed(letters: Workbench, open_screen: Open):
    build_id = newest(letters, "Letters").id
    app = at(open_screen, Stage.COMPONENTS)
    app.session_state["editor"] = "Ana *B*"
    app.button(key=f"open_{build_id}_component_1").click().run()
    assert any(p.proto.popover.label == "You edit as Ana \\*B\\*" for p in app.get("popover"))
    app.text_input(key=f"component_name_{build_id}_1").set_value("Sequence")
    app.text_area(key=f"component_description_{build_id}_1").set_value("What comes when.")
    app.button(key=f"save_component_{build_id}_1").click().run()
    assert newest(letters, "Letters").build.components[0].name == "Sequence"
    assert "clusters (8 attributes to go over again)" in said(app)
    assert app.button(key="rebuild_stale").label == "Rebuild only what is out of date"
    who = next(d.value for d in app.dataframe if "Who" in d.value)["Who"].tolist()
    assert who[0] == "Ana *B*" and set(who[1:]) == {""}
    app.button(key="undo_last").click().run()
    assert newest(letters, "Letters").build.components[0].name == "Order"
    assert not app.warning
    app.text_input(key="new_component_name").set_value("<b>Voice</b>")
    app.button(key="add_component_submit").click().run()
    assert newest(letters, "Letters").build.components[-1].name == "<b>Voice</b>"
    assert "<b>Voice</b>" in said(app)
    app.text_input(key="new_component_name").set_value("order")
    app.button(key="add_component_submit").click().run()
    assert "already" in app.error[0].value
    app.button(key=f"open_{build_id}_component_2").click().run()
    app.button(key=f"remove_component_{build_id}_2").click().run()
    assert [c.id for c in newest(letters, "Letters").build.components] != [1, 2, 3]


def test_attributes_are_moved_and_left_out_together_and_undo_takes_each_back(letters: Workbench, open_screen: Open):
    view = newest(letters, "Letters")
    before = view.build.placements
    app = at(open_screen, Stage.CLUSTERS)
    assert {row["id"] for row in shown(app, "clusters_")["rows"]} == set(view.in_use)
    act(app, 1, kind="move", ids=list(view.in_use), target=3)
    assert newest(letters, "Letters").build.members(3, view.in_use) == tuple(view.in_use)
    groups = {group["key"]: group["title"] for group in shown(app, "clusters_")["groups"]}
    assert {groups[row["group"]] for row in shown(app, "clusters_")["rows"]} == {view.build.components[2].name}
    some = list(view.in_use[:3])
    act(app, 2, kind="exclude", ids=some, text="")
    act(app, 3, kind="exclude", ids=some, text="says nothing")
    out = {p.attribute: p.reason for p in newest(letters, "Letters").build.placements if not p.components}
    assert out == dict.fromkeys(some, "says nothing")
    assert "3 left out" in said(app)
    act(app, 4, kind="undo")
    assert newest(letters, "Letters").build.members(3, view.in_use) == tuple(view.in_use)
    act(app, 5, kind="undo")
    assert newest(letters, "Letters").build.placements == before
    act(app, 6, kind="move", ids=[view.in_use[0], 99_999], target=3)
    assert "not in use any more" in shown(app, "clusters_")["problem"]
    act(app, 7, kind="move", ids=[view.in_use[0]], target=99_999)
    assert shown(app, "clusters_")["problem"]
    assert newest(letters, "Letters").build.placements == before


def test_questions_are_reworded_added_removed_and_one_component_is_asked_again(
    letters: Workbench, llm: FakeLlm, open_screen: Open
):
    view = newest(letters, "Letters")
    first = view.build.sub_questions[0]
    app = at(open_screen, Stage.SUB_QUESTIONS)
    app.button(key=f"open_{view.id}_question_{first.id}").click().run()
    app.text_area(key=f"build_wording_{view.id}_{first.id}").set_value("Is it *polite*?")
    app.button(key=f"save_wording_{view.id}_{first.id}").click().run()
    assert "Is it *polite*?" in said(app)
    app.text_input(key="new_question_sub-questions").set_value("Does it end well?")
    app.button(key="add_question_submit_sub-questions").click().run()
    second = view.build.sub_questions[1]
    app.button(key=f"open_{view.id}_question_{second.id}").click().run()
    app.button(key=f"remove_question_{view.id}_{second.id}").click().run()
    texts = [q.text for q in newest(letters, "Letters").build.sub_questions]
    assert "Does it end well?" in texts
    assert second.text not in texts
    app = finished(app.button(key=f"again_{view.id}_sub-questions_1").click().run(), letters)
    assert len(llm.requests) == 1
    again = newest(letters, "Letters")
    assert {"Is it *polite*?", "Does it end well?"} <= {q.text for q in again.build.sub_questions}


def test_a_stage_asked_again_keeps_limits_edits_and_the_last_good_answer(
    letters: Workbench, llm: FakeLlm, open_screen: Open
):
    view = newest(letters, "Letters")
    describe_component(letters, view.id, 1, "Sequence", "")
    app = at(open_screen, Stage.COMPONENTS)
    app.number_input(key="build_max_output_tokens").set_value(7000).run()
    app = finished(app.button(key=f"regenerate_{view.id}_components").click().run(), letters)
    assert [7000 in request.body.values() for request in llm.requests] == [True]
    assert "The new answer differs from 1 edit of yours" in said(app)
    app.button(key=f"take_{view.id}_components_1").click().run()
    assert newest(letters, "Letters").build.components == view.build.components
    assert "differs" not in said(app)
    llm.usual = Answer("no idea")
    app = finished(app.button(key=f"regenerate_{view.id}_components").click().run(), letters)
    assert any("no JSON object" in error.value for error in app.error)
    assert newest(letters, "Letters").build.components == view.build.components


def test_the_validators_changes_are_decided_one_by_one(letters: Workbench, open_screen: Open):
    view = newest(letters, "Letters")
    merge, reword, drop = view.build.changes[:3]
    app = at(open_screen, Stage.CLUSTERS)
    assert "**3 changes undecided**: taken as proposed." in said(app)
    app.button(key="look_undecided").click().run()
    assert "3 changes to decide" in said(app)
    app.button(key=f"refused_{view.id}_{merge.id}").click().run()
    app.button(key="make_checklist").click().run()
    assert "2 changes of the validation were undecided and taken as proposed." in app.success[0].value
    app.button(key=f"reword_{view.id}_{reword.id}").click().run()
    app.text_area(key=f"change_wording_{view.id}_{reword.id}").set_value("In my own words?")
    app.button(key=f"reword_{view.id}_{reword.id}_submit").click().run()
    app.button(key=f"all_accepted_{view.id}").click().run()
    decided = {c.id: (c.decision, c.mine) for c in newest(letters, "Letters").build.changes}
    assert decided[merge.id] == (ChangeDecision.REFUSED, "")
    assert decided[reword.id] == (ChangeDecision.ACCEPTED, "In my own words?")
    assert decided[drop.id] == (ChangeDecision.ACCEPTED, "")


def test_rebuild_stale_leaves_stages_alone_that_were_never_made(letters: Workbench, llm: FakeLlm, open_screen: Open):
    _, dimension = place(letters, "Letters")
    build_id = start_build(letters, dimension, "llama:builder")
    run_stages(letters, build_id, [Stage.COMPONENTS, Stage.CLUSTERS])
    describe_component(letters, build_id, 1, "Sequence", "")
    llm.requests.clear()
    app = finished(open_screen("how_it_was_made").button(key="rebuild_stale").click().run(), letters)
    view = newest(letters, "Letters")
    assert [stage_asked(request) for request in llm.requests] == ["clusters"]
    assert (view.stale, view.never_made) == ([], [Stage.KEY_QUESTIONS, Stage.SUB_QUESTIONS, Stage.VALIDATION])
    assert app.button(key="make_stage").label == "Make the key questions"


def test_a_new_build_offers_all_contributors_and_the_model_used_last(letters: Workbench, open_screen: Open):
    app = open_screen("how_it_was_made")
    assert app.info
    for _ in range(2):
        seconds, model = app.number_input(key="new_build_timeout"), app.selectbox(key="build_model")
        assert (seconds.proto.set_value, seconds.proto.value) == (True, 600)
        assert (model.proto.set_value, model.value) == (True, "llama:builder")
        app.run()
    project_id, dimension = place(letters, "Letters")
    names = ["Mira", "human 0", "human 1", "human 2", "llm 3", "llm 4", "llm 5", "llama:other"]
    for name in names[1:]:
        kind = ContributorKind.HUMAN if name.startswith("human") else ContributorKind.LLM
        add_attributes(letters, dimension.id, name, kind, ["Another point."])
    app = open_screen("how_it_was_made")
    assert not app.info
    chosen = app.button_group(key=f"condition_{dimension.id}_8")
    assert set(chosen.value) == set(names)
    assert len(chosen.options) == 8
    assert last_model(letters, project_id, "judge") == "llama:builder"
    assert last_model(letters, project_id, "think aloud") == "llama:other"


def test_every_choice_of_a_model_starts_with_the_one_used_last(letters: Workbench, open_screen: Open):
    project_id, dimension = place(letters, "Letters")
    make_checklist(letters, newest(letters, "Letters").id)
    with letters.database.write() as work:
        work.texts.add_many(project_id, [Text("d", "Dear Ann.")])
        work.stages.add(dimension.id, StageRun("question-simpler", "llama:rewriter"))
        work.stages.add(dimension.id, StageRun("question-simpler", "llama:refused", error_kind="input"))
        work.stages.add(dimension.id, StageRun("question-improve", "llama:improver"))
        work.stages.add(dimension.id, StageRun("transcript-attributes", "llama:picker"))
    asked = {task: last_model(letters, project_id, task) for task in ("rewrite", "review", "improve")}
    assert asked == {"rewrite": "llama:rewriter", "review": "llama:builder", "improve": "llama:improver"}
    assert last_picker(letters, project_id) == "llama:picker"
    assert last_thinkers(letters, project_id) == []
    for name in ("llama:one", "llama:two", "rules"):
        add_attributes(letters, dimension.id, name, ContributorKind.LLM, [f"What {name} says."])
    assert set(open_screen("ask_llms").multiselect(key="ask_models").value) == {"llama:one", "llama:two"}
    app = open_screen("checklist")
    assert app.selectbox(key="validator_model").value == "llama:builder"
    question = versions_of(letters, dimension.id)[0].asked[0]
    app.button(key=f"open_{question.id}").click().run()
    assert app.selectbox(key=f"rewriting_model_{question.id}").value == "llama:rewriter"
    for screen, key in (("conditions", "study_model"), ("conditions", "study_judge")):
        assert open_screen(screen).selectbox(key=key).value == "llama:builder"
    with letters.database.write() as work:
        work.runs.create(project_id, "checklist", "llama:judge", {}, [])
    assert open_screen("conditions").selectbox(key="study_judge").value == "llama:judge"
    app = open_screen("checklist")
    app.button_group(key="checklist_part").set_value("try").run()
    assert app.selectbox(key="try_model").value == "llama:judge"
    publish(letters, versions_of(letters, dimension.id)[0].id)
    assert open_screen("scores").multiselect(key="score_judge").value == ["llama:judge"]


def test_an_earlier_state_can_be_gone_back_to(letters: Workbench, open_screen: Open):
    view = newest(letters, "Letters")
    describe_component(letters, view.id, 1, "Sequence", "")
    app = open_screen("how_it_was_made")
    app.selectbox(key=f"back_to_{view.id}").set_value(view.revision)
    app.button(key=f"go_back_{view.id}").click().run()
    assert newest(letters, "Letters").build.components[0].name == "Order"


def test_the_model_put_to_use_is_the_one_chosen_last(letters: Workbench, open_screen: Open):
    view = newest(letters, "Letters")
    app = at(open_screen, Stage.VALIDATION)
    app.button(key=f"use_model_{view.id}_validation").click().run()
    models = newest(letters, "Letters").build.models
    assert (models[Stage.VALIDATION], models[Stage.CLUSTERS]) == ("rules", "llama:builder")
    other = not_set_up(app.selectbox(key=f"model_{view.id}_validation"))
    # The choice and the press reach the server together where the button is pressed right after it.
    app.selectbox(key=f"model_{view.id}_validation").set_value(other)
    app.button(key=f"use_model_{view.id}_validation").click().run()
    assert newest(letters, "Letters").build.models[Stage.VALIDATION] == other


def test_a_model_without_a_key_says_what_to_set(demo: Workbench, open_screen: Open):
    app = open_screen("how_it_was_made")
    options = app.selectbox(key="build_model").options
    assert options[0] == "rules, not an LLM"
    locked = next(name for name in options if name.endswith("not set up"))
    app.selectbox(key="build_model").set_value(locked.removesuffix(" · not set up")).run()
    assert app.button(key="build").disabled
    assert any("KEY" in c.value for c in app.caption)


def test_a_database_from_before_builds_were_kept_says_where_the_older_ones_are(
    demo: Workbench, open_screen: Open
) -> None:
    with sqlite3.connect(settings().home / "workbench.db") as database:
        database.execute("DELETE FROM build_revision")
        database.execute("DELETE FROM build")
        database.execute(
            "UPDATE stage_run SET checklist_id = (SELECT id FROM checklist"
            " WHERE checklist.dimension_id = stage_run.dimension_id) WHERE stage = 'validation'"
        )
    app = open_screen("how_it_was_made")
    assert not app.exception
    assert "Older builds are on record, none is in progress." in said(app)
    assert "They made version 1 of the checklist" in said(app)
