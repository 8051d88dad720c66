"""The checklist's draft under several hands: every edit is kept, told, and can be taken back."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist import Checklist, ChecklistStatus, QuestionOrigin
from app.domain.checklist_score import Answer
from app.services.checklists.checklists import new_draft, publish, versions_of
from app.services.checklists.draft_edits import QuestionWording, edit_question, history_of, remove_question
from app.services.checklists.question_proposals import open_proposals, proposals_job_key
from app.services.data.projects import dimensions_named
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from db.models.think_aloud import PassageRow
from tests.support.background import wait_for
from tests.support.model_field import not_set_up

Open = Callable[..., AppTest]


def newest(workbench: Workbench) -> Checklist:
    return versions_of(workbench, dimensions_named(workbench, "Demo", "all")[0].id)[0]


@pytest.fixture
def draft(demo: Workbench) -> Workbench:
    new_draft(demo, newest(demo).id)
    return demo


def words(app: AppTest) -> str:
    shown = (*app.markdown, *app.caption, *app.warning, *app.text)
    return "\n".join(str(element.value) for element in shown).replace("\\", "")


def keys(app: AppTest) -> list[str | None]:
    return [button.key for button in app.button]


def signed(app: AppTest, name: str) -> AppTest:
    app.text_input(key="editor_typed").set_value(name)
    return app.button(key="editor_submit").click().run()


def at(open_screen: Open, question: int) -> AppTest:
    """The screen with this question open, as a link to it leads there."""
    return open_screen("checklist", question=str(question))


def typed(app: AppTest, question: int, text: str) -> AppTest:
    """With these words for the open question, which the next press sends along."""
    app.text_area(key=f"question_text_{question}").set_value(text)
    return app


def test_all_of_an_open_question_is_saved_and_hints_are_about_its_words(draft: Workbench, open_screen: Open):
    question = newest(draft).asked[2]
    app = at(open_screen, question.id)
    assert app.text_area(key=f"question_text_{question.id}").value == question.text, "an address leads to a question"
    box = app.checkbox(key=f"question_may_not_apply_{question.id}")
    assert not box.value
    typed(app, question.id, " ").button(key=f"save_question_{question.id}").click().run()
    assert "can't be empty" in app.error[0].value
    assert newest(draft).asked[2].text == question.text
    typed(app, question.id, "Tell whether").run()
    assert "End with a question mark" in words(app)
    assert newest(draft).asked[2].text == question.text
    app.checkbox(key=f"question_may_not_apply_{question.id}").check()
    app.text_area(key=f"question_guidance_{question.id}").set_value("One is enough.")
    app.number_input(key=f"question_weight_{question.id}").set_value(2.5)
    typed(app, question.id, "Is it tied together?").button(key=f"save_question_{question.id}").click().run()
    assert not app.exception
    found = newest(draft).asked[2]
    assert (found.guidance, found.weight, found.may_not_apply) == ("One is enough.", 2.5, True)
    assert (found.text, found.original) == ("Is it tied together?", question.text)
    assert found.origin is QuestionOrigin.EDITED
    assert f"question_text_{question.id}" not in [t.key for t in app.text_area]
    shown = words(app)
    assert "weight 2.5" in shown
    assert "says how to decide · may not apply" in shown
    assert "Against version 1: 1 reworded" in shown
    app.button(key=f"open_{question.id}").click().run()
    assert "First wording" in [c.value for c in app.caption]
    app.button(key="undo_last").click().run()
    assert newest(draft).asked[2] == question


def test_the_last_change_can_be_taken_back(draft: Workbench, open_screen: Open):
    before = newest(draft)
    first, second = before.asked[:2]
    app = open_screen("checklist")
    assert "undo_last" not in keys(app)
    app.button(key=f"down_{first.id}").click().run()
    assert [q.id for q in newest(draft).asked[:2]] == [second.id, first.id]
    app.button(key=f"open_{first.id}").click().run()
    typed(app, first.id, "Is it in order?").button(key=f"remove_question_{first.id}").click().run()
    assert first.id not in [q.id for q in newest(draft).questions]
    assert app.button(key="undo_last").label == "Undo: removed a question"
    app.button(key="undo_last").click().run()
    app.button(key="undo_last").click().run()
    assert newest(draft) == before
    assert "undo_last" not in keys(app)


def test_the_second_editor_is_told_by_whom_sees_both_texts_and_chooses(draft: Workbench, open_screen: Open):
    question = newest(draft).asked[0]
    ana = signed(at(open_screen, question.id), "Ana")
    ben = open_screen("checklist", question=str(question.id), editor="Ben")
    typed(ana, question.id, "Is it linked?").button(key=f"save_question_{question.id}").click().run()
    typed(ben, question.id, "Is it tied together?").button(key=f"save_question_{question.id}").click().run()
    assert newest(draft).asked[0].text == "Is it linked?"
    shown = words(ben)
    assert "not saved yet" in shown
    assert "Ana changed this question meanwhile" in shown
    assert all(word in shown for word in ("linked", "tied together"))
    ben.button(key=f"keep_mine_{question.id}").click().run()
    assert newest(draft).asked[0].text == "Is it tied together?"
    assert f"keep_mine_{question.id}" not in keys(ben)
    assert [change.who for change in history_of(draft, newest(draft).id)] == ["Ben", "Ana"]
    ana.run()
    assert "Last change: Ben reworded a question" in words(ana)


def test_words_for_what_was_changed_removed_or_published_are_not_lost(draft: Workbench, open_screen: Open):
    first, second, third = newest(draft).asked[:3]
    app = typed(at(open_screen, first.id), first.id, "Is it tied together?")
    edit_question(draft, first, QuestionWording("Is it linked?", first.component), "Ana")
    app.button(key=f"save_question_{first.id}").click().run()
    app.button(key=f"keep_theirs_{first.id}").click().run()
    assert newest(draft).asked[0].text == "Is it linked?"
    assert "not saved yet" not in words(app)
    app.button(key=f"open_{second.id}").click().run()
    typed(app, second.id, "Is it tied together?")
    remove_question(draft, second, "Ana")
    app.button(key=f"save_question_{second.id}").click().run()
    assert "The question was removed" in words(app)
    app.button(key=f"keep_mine_{second.id}").click().run()
    assert not app.exception
    assert "Is it tied together?" in [q.text for q in newest(draft).asked]
    app.button(key=f"open_{third.id}").click().run()
    typed(app, third.id, "Does it hang by a thread?")
    publish(draft, newest(draft).id)
    app.button(key=f"save_question_{third.id}").click().run()
    assert not app.exception
    assert "published meanwhile" in words(app)
    assert "thread" in words(app)


def test_components_are_added_edited_and_removed(draft: Workbench, open_screen: Open):
    app = open_screen("checklist")
    app.text_input(key="new_component").set_value("Tone")
    app.button(key="add_component_submit").click().run()
    tone = newest(draft).components[-1]
    assert tone.name == "Tone"
    app.button(key=f"component_up_{tone.id}").click().run()
    assert newest(draft).components[-2].id == tone.id
    app.button(key=f"open_component_{tone.id}").click().run()
    app.text_input(key=f"component_name_{tone.id}").set_value("Voice")
    app.text_input(key=f"component_key_question_{tone.id}").set_value("Is the voice right?")
    app.button(key=f"save_component_{tone.id}").click().run()
    assert "Voice" in [c.name for c in newest(draft).components]
    assert "Key question: Is the voice right?" in words(app)
    app.button(key=f"open_component_{tone.id}").click().run()
    app.button(key=f"remove_component_{tone.id}").click().run()
    assert "Voice" not in [c.name for c in newest(draft).components]


def waited(app: AppTest, checklist: int) -> AppTest:
    """The screen after its job, which a browser would poll for."""
    wait_for(proposals_job_key(checklist))
    return app.run()


def test_a_models_proposal_is_shown_beside_the_old_and_taken_only_when_accepted(draft: Workbench, open_screen: Open):
    question = newest(draft).asked[0]
    two = "Is each sentence short and clear?"
    edit_question(draft, question, QuestionWording(two, question.component))
    before = newest(draft)
    app = at(open_screen, question.id)
    app.button(key=f"split_{question.id}").click().run()
    app = waited(app, before.id)
    shown = words(app)
    assert "**Split**" in shown
    assert "rules, not an LLM" in shown
    (proposal,) = open_proposals(draft, before.id)
    assert newest(draft) == before
    assert "proposal" not in shown  # it stands beside the question that is open, not in the list above
    app.button(key=f"open_{question.id}").click().run()
    assert "1 proposal" in words(app)
    app.button(key=f"accept_{proposal.id}").click().run()
    assert [q.text for q in newest(draft).asked[:2]] == ["Is each sentence short?", "Is each sentence clear?"]
    assert app.button(key="undo_last").label == "Undo: split a question"
    app.button(key="undo_last").click().run()
    assert newest(draft) == before
    # The rules find nothing to split in another question.
    one = newest(draft).asked[1]
    edit_question(draft, one, QuestionWording("Is it short?", one.component))
    app = at(open_screen, one.id)
    app.button(key=f"split_{one.id}").click().run()
    at_once = [error.value for error in app.error]
    later = [error.value for error in waited(app, before.id).error]
    assert any("The built-in rules find no" in message for message in (*at_once, *later))


def test_the_draft_can_be_reviewed_and_each_change_refused(draft: Workbench, open_screen: Open):
    question = newest(draft).asked[0]
    edit_question(draft, question, QuestionWording("Does it contain errors?", question.component))
    before = newest(draft)
    app = open_screen("checklist")
    app.button(key="review_draft").click().run()
    app = waited(app, before.id)
    waiting = open_proposals(draft, before.id)
    assert waiting
    for proposal in waiting:
        app.button(key=f"refuse_{proposal.id}").click().run()
    assert not app.exception
    assert newest(draft) == before
    assert open_proposals(draft, before.id) == []


def test_the_model_that_is_asked_about_a_question_is_the_one_chosen_last(draft: Workbench, open_screen: Open):
    """Both reach the server together where the button is pressed right after the choice."""
    question = newest(draft).asked[0]
    app = at(open_screen, question.id)
    other = not_set_up(app.selectbox(key=f"rewriting_model_{question.id}"))
    app.selectbox(key=f"rewriting_model_{question.id}").set_value(other)
    app.selectbox(key=f"merge_with_{question.id}").set_value(newest(draft).asked[2].id)
    app.button(key=f"merge_{question.id}").click().run()
    assert not app.exception
    said = [error.value for error in (*app.error, *waited(app, newest(draft).id).error)]
    assert any("key" in message for message in said)  # the one chosen before needs none


def test_a_draft_is_tried_on_one_text_by_judge_and_by_hand(draft: Workbench, open_screen: Open):
    question = newest(draft).asked[0]
    edit_question(draft, question, QuestionWording(question.text, question.component, weight=3))
    runs = list_runs(draft)
    app = open_screen("checklist", checklist_part="try")
    assert not app.exception
    first = app.query_params["try_text"]
    app.button(key="try_another").click().run()
    assert app.query_params["try_text"] != first
    app.button(key="try_ask").click().run()
    assert not app.exception
    shown = words(app)
    assert "Judge: **" in shown
    assert "by weight" in shown
    text = app.query_params["try_text"]
    for asked in newest(draft).asked:
        app.segmented_control(key=f"try_{text}_{asked.id}").set_value(Answer.YES)
    app.run()
    assert "You: **5.00**, by weight 5.00" in words(app)
    assert list_runs(draft) == runs
    app.text_input(key="try_search").set_value("no such words anywhere").run()
    assert "No text has these words." in [info.value for info in app.info]


def test_choices_are_dropped_with_cancel_and_kept_by_a_closed_question(draft: Workbench, open_screen: Open):
    first, second = newest(draft).asked[:2]
    app = at(open_screen, first.id)
    app.number_input(key=f"question_weight_{first.id}").set_value(2.5)
    app.button(key=f"cancel_question_{first.id}").click().run()
    assert "not saved yet" not in words(app)
    app.button(key=f"open_{first.id}").click().run()
    assert app.number_input(key=f"question_weight_{first.id}").value == first.weight
    app.number_input(key=f"question_weight_{first.id}").set_value(2.5)
    app.checkbox(key=f"question_may_not_apply_{first.id}").check()
    app.button(key=f"open_{second.id}").click().run()
    assert "not saved yet" in words(app)
    app.button(key=f"open_{first.id}").click().run()
    assert app.number_input(key=f"question_weight_{first.id}").value == 2.5
    assert app.checkbox(key=f"question_may_not_apply_{first.id}").value
    # Publishing saves them, and the words in a question that is open.
    app.button(key=f"open_{second.id}").click().run()
    typed(app, second.id, "Is it tied together?").button(key="publish").click().run()
    assert newest(draft).status is ChecklistStatus.DRAFT
    app.button(key="publish_saved").click().run()
    assert not app.exception
    assert newest(draft).status is ChecklistStatus.PUBLISHED
    found, other = newest(draft).asked[:2]
    assert (found.weight, found.may_not_apply, found.text) == (2.5, True, first.text)
    assert other.text == "Is it tied together?"


def test_quote_of_an_attribute_becomes_an_example_with_one_click(draft: Workbench, open_screen: Open):
    question = newest(draft).asked[0]
    attribute = question.attributes[0]
    with draft.database.write() as work:
        dimension = dimensions_named(draft, "Demo", "all")[0]
        text = work.think_aloud.samples(dimension.id)[0].text
        row = PassageRow(attribute_id=attribute, text_id=text.id, start=0, end=12, quote=text.text[:12])
        work.think_aloud._session.add(row)
    app = at(open_screen, question.id)
    assert f"“{text.text[:12].strip()}" in words(app)
    app.button(key=f"quote_{question.id}_{attribute}").click().run()
    assert not app.exception
    found = next(q for q in newest(draft).asked if q.id == question.id)
    assert found.guidance == f"{question.guidance} For example: “{text.text[:12].strip()}”".strip()
    assert app.text_area(key=f"question_guidance_{question.id}").value == found.guidance
