"""Prompts: read, worded anew, compared, gone back from."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.domain.project import Dimension, Task
from app.prompting import available_prompts, load_prompt
from app.services.data.projects import create_project, get_project
from app.services.runtime.prompts import preview_prompt, project_prompt, project_prompts
from app.services.runtime.workbench import Workbench

Open = Callable[[str], AppTest]


def at(app: AppTest, name: str) -> AppTest:
    return app.selectbox(key="prompt").set_value(name).run()


def said(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption]).replace("\\", "")


def state(workbench: Workbench, name: str = "validation"):
    return project_prompt(workbench, get_project(workbench, "Demo").id, name)


def test_prompts_are_read_with_the_projects_words_in_the_order_of_the_flow(demo: Workbench, open_screen: Open):
    app = open_screen("prompts")
    titles = app.selectbox(key="prompt").options
    assert titles[0] == "Think aloud: say what to look for"
    assert titles.index("Build 1: find the components") < titles.index("Judge: answer the checklist")
    assert len(titles) == len(available_prompts())
    assert not set(titles) & set(available_prompts())  # a new prompt needs a title
    for name in ("judge-checklist", "validation"):
        app = at(app, name)
        assert not app.exception
        assert app.text_area(key=f"system_{name}_0").value == load_prompt(name).system.strip("\n")
    assert "coherence of any summary" in app.code[0].value


def test_every_prompt_has_a_preview_with_the_projects_words(workbench: Workbench):
    project = create_project(workbench, "Letters", Task("letter"), (Dimension("tone"),))
    prompts = project_prompts(workbench, project.id)
    assert {prompt.name for prompt in prompts} == set(available_prompts())
    for prompt in prompts:
        filled = preview_prompt(prompt, 0, project.task, Dimension("tone"))
        assert filled is not None
        assert "{{" not in f"{filled.system}{filled.user}"


def test_a_wording_is_saved_compared_and_gone_back_from(demo: Workbench, open_screen: Open):
    app = at(open_screen("prompts"), "validation")
    # A wording that can't work is refused and stays in the field.
    built_in = app.text_area(key="user_validation_0").value
    app.text_area(key="user_validation_0").set_value("{{ nobody }} {{ questions }}")
    app.button(key="save_wording").click().run()
    assert "nobody" in app.error[0].value
    assert app.text_area(key="user_validation_0").value.startswith("{{ nobody")
    assert state(demo).own == ()
    app.text_area(key="user_validation_0").set_value(built_in)
    text = app.text_area(key="system_validation_0").value
    app.text_area(key="system_validation_0").set_value(f"{text}\nBe brief.")
    app.button(key="save_wording").click().run()
    assert state(demo).in_use == 1
    assert "Saved as wording 1" in app.success[0].value
    assert "+Be brief." in app.code[0].value
    choice = next(box for box in app.selectbox if box.label == "Wording")
    choice.set_value(0).run()
    app.button(key="use_wording").click().run()
    assert state(demo).in_use == 0
    assert "built-in wording is in use" in app.success[0].value


def test_the_version_before_can_be_kept_as_it_was(demo: Workbench, open_screen: Open):
    app = at(open_screen("prompts"), "judge-checklist")
    before = load_prompt("judge-checklist").version - 1
    app.button(key=f"take_version_{before}").click().run()
    prompt = state(demo, "judge-checklist")
    assert prompt.wording(prompt.in_use).digest == load_prompt("judge-checklist", before).digest
    assert f"Version {before} is wording 1" in app.success[0].value
    assert not [button for button in app.button if button.key == f"take_version_{before}"]


def test_without_a_project_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    assert open_screen("prompts").button(key="empty_to_texts").label == "Go to Texts"
