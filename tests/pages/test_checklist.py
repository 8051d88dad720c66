"""Checklist: edit a draft, publish it, go on from it, take it out and bring it in."""

import json
from collections.abc import Callable
from datetime import date

import pytest
import yaml
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from app.domain.checklist import Checklist, ChecklistStatus, QuestionOrigin
from app.domain.project import Dimension, Task
from app.providers import known_prices
from app.services.attributes.attributes import attributes_of
from app.services.checklists.checklist_files import EXPORT_FORMATS, export_file
from app.services.checklists.checklists import new_draft, publish, versions_of, view_checklist
from app.services.checklists.draft_edits import QuestionWording, edit_question, history_of, switch_question
from app.services.checklists.question_proposals import comments_on
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from pages.components.shell.labels import plain

Open = Callable[..., AppTest]


def dimension(workbench: Workbench) -> Dimension:
    return dimensions_named(workbench, "Demo", "all")[0]


def newest(workbench: Workbench) -> Checklist:
    return versions_of(workbench, dimension(workbench).id)[0]


@pytest.fixture
def draft(demo: Workbench) -> Workbench:
    """The demo with version 2, a draft copied from the published version 1."""
    new_draft(demo, newest(demo).id)
    return demo


def said(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.caption)).replace("\\", "")


def version_field(app: AppTest) -> Selectbox:
    return next(field for field in app.selectbox if str(field.key).startswith("version_"))


def test_without_a_checklist_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    assert open_screen("checklist").button(key="empty_to_how_it_was_made").label == "Build the checklist"


def test_a_published_version_is_read_only_and_says_what_is_behind_it(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_prices, "_LISTED", {"rules": date(2027, 1, 14)})
    app = open_screen("checklist")
    assert not app.exception
    assert "Used by 1 run" in said(app)
    assert any("Run 1" in link.proto.label for link in app.get("page_link"))
    assert "14 January 2027" in said(app), "its judge ends then"
    assert [toggle.label for toggle in app.toggle] == ["Research"], "no question can be switched off"
    assert "publish" not in [b.key for b in app.button]
    texts = {a.id: a for a in attributes_of(demo, get_project(demo, "Demo").id)}
    for question in newest(demo).asked[:2]:
        app.button(key=f"open_{question.id}").click().run()
        shown = said(app)
        assert question.attributes
        assert all(texts[id_].text in shown and texts[id_].contributor in shown for id_ in question.attributes)
        assert f"question_text_{question.id}" not in [t.key for t in app.text_area]
    before = version_field(app).key
    app.button(key="new_draft").click().run()
    assert (newest(demo).version, newest(demo).status) == (2, ChecklistStatus.DRAFT)
    assert version_field(app).value == 2
    # The browser never reported this field: a message about the one before would choose the old version again.
    assert version_field(app).key != before


def test_a_question_switched_off_is_not_asked_and_has_no_number(draft: Workbench, open_screen: Open):
    before = newest(draft).asked
    app = open_screen("checklist")
    app.toggle(key=f"enabled_{before[0].id}").set_value(False).run()
    assert newest(draft).asked == before[1:]
    assert f"**{len(before) - 1} questions** to be asked, 1 switched off" in said(app)
    assert app.toggle(key=f"enabled_{before[0].id}").value is False
    shown = [m.value for m in app.markdown]
    assert any(value.startswith(f"**1** {plain(before[1].text)}") for value in shown)
    assert not any(value.startswith("**") and plain(before[0].text) in value for value in shown)
    app.toggle(key=f"enabled_{before[0].id}").set_value(True).run()
    assert newest(draft).asked == before


def test_hints_never_block_publishing_but_a_change_by_others_does_once(draft: Workbench, open_screen: Open):
    app = open_screen("checklist")
    app.text_input(key="new_question").set_value("Tell whether it is good")
    app.button(key="add_question_submit").click().run()
    added = next(q for q in newest(draft).asked if q.origin is QuestionOrigin.ADDED)
    assert (added.text, added.origin) == ("Tell whether it is good", QuestionOrigin.ADDED)
    row = next(m.value for m in app.markdown if "Tell whether" in m.value)
    assert "question mark" in row
    app.text_input(key="new_question").set_value("Tell whether it is good")
    app.button(key="add_question_submit").click().run()
    assert not app.error, "a double click"
    assert [q.text for q in newest(draft).asked].count("Tell whether it is good") == 1
    # Nobody publishes what they have not seen.
    question = newest(draft).asked[0]
    edit_question(draft, question, QuestionWording("Is it linked?", question.component), "Ana")
    app.button(key="publish").click().run()
    assert "was changed while you looked at it" in app.error[0].value.replace("\\", "")
    app.button(key="publish").click().run()
    assert newest(draft).status is ChecklistStatus.DRAFT
    app.button(key="publish_now").click().run()
    assert newest(draft).status is ChecklistStatus.PUBLISHED
    assert "Published: it stays as it is" in said(app)


def test_import_and_export_meet_and_what_is_no_checklist_is_refused(demo: Workbench, open_screen: Open):
    view = view_checklist(demo, dimension(demo).id)
    app = open_screen("checklist")
    for data, complaint in ((None, "file first"), (b"hello", "questions")):
        if data is not None:
            app.file_uploader(key="import_file").upload("mine.yaml", data)
        app.button(key="import_submit").click().run()
        assert complaint in app.error[0].value
        assert len(versions_of(demo, dimension(demo).id)) == 1
    app.file_uploader(key="import_file").upload("mine.json", export_file(demo, view, "json"))
    app.button(key="import_submit").click().run()
    assert not app.error
    assert [q.text for q in newest(demo).asked] == [q.text for q in view.checklist.asked]
    assert newest(demo).condition == "imported"
    assert version_field(app).value == 2


def test_every_format_can_be_taken_out(demo: Workbench):
    view = view_checklist(demo, dimension(demo).id)
    files = {name: export_file(demo, view, name).decode("utf-8", "replace") for name in EXPORT_FORMATS}
    assert set(files) == {
        "json",
        "yaml",
        "md",
        "csv",
        "html",
        "docx",
        "promptfoo",
        "deepeval",
        "inspect",
        "reward",
        "openai-grader",
    }
    assert json.loads(files["json"]) == yaml.safe_load(files["yaml"])
    assert all(question.text in files["md"] for question in view.checklist.asked)
    assert len(files["csv"].splitlines()) == 1 + len(view.checklist.asked)


def test_two_versions_are_compared_word_by_word_and_the_choice_stays_in_the_address(
    draft: Workbench, open_screen: Open
):
    first, second = newest(draft).asked[:2]
    edit_question(draft, first, QuestionWording(f"Truly: {first.text}", first.component, weight=2))
    switch_question(draft, second.id, False)
    app = open_screen("checklist")
    app.segmented_control(key="checklist_part").set_value("compare").run()
    assert not app.exception
    shown = said(app)
    assert "1 reworded, 1 with another weight, 1 switched off" in shown
    assert ":green[**Truly" in shown
    assert app.query_params["checklist_part"] == "compare"
    app.selectbox(key="compare_from").set_value("2").run()
    assert "Nothing is different." in said(app)
    assert app.query_params["compare_from"] == "2"
    version_field(app).set_value(1).run()
    assert app.query_params["version"] == "1"


def test_the_history_says_who_changed_what(draft: Workbench, open_screen: Open):
    question = newest(draft).asked[0]
    edit_question(draft, question, QuestionWording("Is it linked?", question.component), "Ana")
    app = open_screen("checklist", checklist_part="history")
    shown = " ".join(m.value for m in app.markdown)
    assert "**Reworded a question**" in shown
    assert "Ana, " in shown
    assert ":green[**" in shown and ":red[~~" in shown  # the words that differ, in the new and the old wording
    (change,) = history_of(draft, newest(draft).id)
    app.button(key=f"take_back_{change.id}").click().run()
    assert newest(draft).asked[0].text == question.text
    assert [c.undone for c in history_of(draft, newest(draft).id)] == [False, True]
    assert not [b for b in app.button if b.key == f"take_back_{change.id}"]


def test_a_comment_is_kept_resolved_and_goes_along_to_the_next_version(draft: Workbench, open_screen: Open):
    question = newest(draft).asked[0]
    app = open_screen("checklist", question=str(question.id))
    app.button(key=f"add_comment_{question.id}").click().run()
    assert "nothing in the comment" in app.error[0].value
    app.text_area(key=f"comment_{question.id}").input("Is **this** fair?")
    app.button(key=f"add_comment_{question.id}").click().run()
    assert "Is \\*\\*this\\*\\* fair?" in " ".join(m.value for m in app.markdown)
    assert app.text_area(key=f"comment_{question.id}").value == ""
    publish(draft, newest(draft).id)
    new_draft(draft, newest(draft).id)
    copy = newest(draft).asked[0]
    (comment,) = comments_on(draft, newest(draft).id)[copy.id]
    assert (comment.text, comment.version, comment.resolved) == ("Is **this** fair?", 2, False)
    app = open_screen("checklist", question=str(copy.id))
    assert any("1 open comment" in m.value for m in app.markdown)
    app.button(key=f"settle_{comment.id}").click().run()
    assert comments_on(draft, newest(draft).id)[copy.id][0].resolved
    app.button(key=f"settle_{comment.id}").click().run()
    assert not comments_on(draft, newest(draft).id)[copy.id][0].resolved
    app.segmented_control(key="checklist_part").set_value("history").run()
    assert "· open" in " ".join(m.value for m in app.markdown)


def test_an_older_version_is_restored_as_a_new_draft(draft: Workbench, open_screen: Open):
    question = newest(draft).asked[0]
    edit_question(draft, question, QuestionWording("Is it linked?", question.component))
    publish(draft, newest(draft).id)
    app = open_screen("checklist", version="1")
    app.button(key="new_draft").click().run()
    restored = newest(draft)
    assert (restored.version, restored.status) == (3, ChecklistStatus.DRAFT)
    assert restored.asked[0].text == question.text
