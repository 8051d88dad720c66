"""Prompts: read, worded anew, compared, gone back from."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.prompting import available_prompts, load_prompt
from app.services.data.projects import get_project
from app.services.runtime.prompts import project_prompt
from app.services.runtime.workbench import Workbench

Open = Callable[[str], AppTest]


def at(app: AppTest, name: str) -> AppTest:
    return app.selectbox(key="prompt").set_value(name).run()


def said(app: AppTest) -> str:
    return " ".join(m.value for m in [*app.markdown, *app.caption]).replace("\\", "")


def state(workbench: Workbench, name: str = "validation"):
    return project_prompt(workbench, get_project(workbench, "Demo").id, name)


def test_every_prompt_can_be_read_with_the_projects_words(demo: Workbench, open_screen: Open):
    app = open_screen("prompts")
    for name in available_prompts():
        app = at(app, name)
        assert not app.exception
        assert app.text_area(key=f"system_{name}_0").value == load_prompt(name).system.strip("\n")
    app = at(app, "validation")
    assert "coherence of any summary" in app.code[0].value


def test_the_list_follows_the_flow_in_plain_titles(demo: Workbench, open_screen: Open):
    titles = open_screen("prompts").selectbox(key="prompt").options
    assert titles[0] == "Think aloud: say what to look for"
    assert titles.index("Build 1: find the components") < titles.index("Judge: answer the checklist")
    assert len(titles) == len(available_prompts())
    assert not set(titles) & set(available_prompts())  # a new prompt needs a title


def test_a_wording_is_saved_compared_and_gone_back_from(demo: Workbench, open_screen: Open):
    app = at(open_screen("prompts"), "validation")
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


def test_a_wording_that_cannot_work_is_refused_and_stays_in_the_field(demo: Workbench, open_screen: Open):
    app = at(open_screen("prompts"), "validation")
    app.text_area(key="user_validation_0").set_value("{{ nobody }} {{ questions }}")
    app.button(key="save_wording").click().run()
    assert "nobody" in app.error[0].value
    assert app.text_area(key="user_validation_0").value.startswith("{{ nobody")
    assert state(demo).own == ()


def test_without_a_project_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    assert open_screen("prompts").button(key="empty_to_texts").label == "Go to Texts"
