"""Assigning on Overview, and what experts then find on their screens."""

import itertools
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw
from app.domain.roles_and_rights import Actor, Role
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.assignments import give_dimensions, given_dimensions, overlap_of, share_texts
from app.services.checklists.expert_answers import answer_sheet
from app.services.checklists.question_proposals import comment_on
from app.services.people.invitations import invite
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute, mark_done
from pages.components.shell import current
from tests.pages.test_empty_screens import Open
from tests.pages.test_roles import said
from tests.support.answering import answer_all
from tests.support.browser_messages import shown

DEMO = COHERENCE = CHECKLIST = 1
NAMES = ("Ana", "Ben", "Cy")
As = Callable[[str], Actor]


@pytest.fixture
def as_(demo: Workbench, monkeypatch: pytest.MonkeyPatch) -> As:
    """Three experts and Fay, who runs the project; signs in as one of them."""
    invite(demo, DEMO, "Fay", Role.FACILITATOR)
    for name in NAMES:
        invite(demo, DEMO, name, Role.EXPERT)

    def signed_in(name: str) -> Actor:
        with demo.database.read() as work:
            member = work.people.member(DEMO, name)
            assert member is not None
            actor = work.people.actor(member.person.id)
        monkeypatch.setattr(current, "person_at_browser", lambda *_: actor)
        return actor

    return signed_in


@pytest.fixture
def draw(demo: Workbench) -> AnswerDraw:
    return draw_texts(demo, CHECKLIST, 6, seed=1)


def answered(demo: Workbench, draw: AnswerDraw, name: str, texts: int) -> None:
    sheet = answer_sheet(demo, CHECKLIST, name)
    asked = [question.id for question in sheet.checklist.asked]
    answer_all(demo, draw, name, dict.fromkeys(itertools.product(sheet.texts[:texts], asked), Answer.YES))


def people(app: AppTest) -> dict[str, dict[str, object]]:
    table = next(one.value for one in app.dataframe if "At work on" in one.value)
    return {row["Name"]: row for row in table.fillna("").to_dict("records")}


def test_dimensions_are_given_texts_spread_and_idle_ones_moved(
    demo: Workbench, draw: AnswerDraw, open_screen: Open, as_: As
) -> None:
    person = as_("Ana").person
    as_("Fay")
    app = open_screen("people")
    assert not app.exception
    assert [people(app)[name]["Dimensions"] for name in (*NAMES, "Fay")] == ["all", "all", "all", ""]
    app.multiselect(key=f"given_{DEMO}_{person}").select(2).select(COHERENCE).run()
    assert not app.exception
    assert [one.id for one in given_dimensions(demo, DEMO)["Ana"]] == [COHERENCE, 2]
    assert people(app)["Ana"]["Dimensions"] == ", ".join(one.name for one in given_dimensions(demo, DEMO)["Ana"])
    app.multiselect(key=f"given_{DEMO}_{person}").unselect(COHERENCE).unselect(2).run()
    assert given_dimensions(demo, DEMO) == {}

    # Texts are spread, and one whom none reaches is named.
    assert people(app)["Ana"]["Texts"] == "0 of 6"
    assert not [one for one in app.button if one.key == "move_now"]
    app.number_input(key=f"overlap_{COHERENCE}").set_value(4)
    app.button(key=f"overlap_now_{COHERENCE}").click().run()
    assert any("can't be answered by 4 experts" in one.value for one in app.error)
    app.number_input(key=f"overlap_{COHERENCE}").set_value(1)
    app.button(key=f"overlap_now_{COHERENCE}").click().run()
    assert not app.exception
    assert overlap_of(demo, CHECKLIST) == 1
    assert [people(app)[name]["Texts"] for name in NAMES] == ["0 of 2"] * 3
    answered(demo, draw, "Ana", 1)
    invite(demo, DEMO, "Di", Role.EXPERT)
    app.run()
    assert "Without a text: Di." in said(app)

    # Those that Ana has not answered move to Cy.
    app.selectbox(key="move_from").set_value("Ana").run()
    app.selectbox(key="move_to").set_value("Cy")
    app.button(key="move_now").click().run()
    assert not app.exception
    assert [people(app)[name]["Texts"] for name in NAMES] == ["1 of 1", "0 of 2", "0 of 3"]
    app.number_input(key=f"overlap_{COHERENCE}").set_value(2)
    app.button(key=f"overlap_now_{COHERENCE}").click().run()
    assert "Without a text" not in said(app)
    assert [people(app)[name]["Texts"] for name in (*NAMES, "Di")] == ["1 of 3", "0 of 3", "0 of 3", "0 of 3"]
    app = open_screen("answer")
    assert not app.exception
    assert "Each text goes to 2 experts" in said(app)


def test_an_expert_finds_their_part_and_no_more(demo: Workbench, draw: AnswerDraw, open_screen: Open, as_: As) -> None:
    share_texts(demo, COHERENCE, 1)
    give_dimensions(demo, DEMO, "Ana", [COHERENCE])
    add_own_attribute(demo, COHERENCE, "Ana", "Order.")
    mark_done(demo, COHERENCE, "Ana")
    as_("Ana")
    app = open_screen("overview")
    assert "0 of 2 texts" in said(app)
    mine = [button.key for button in app.button if str(button.key).startswith("my_")]
    assert mine == ["my_answer_1", "my_think_aloud_1"]
    app.button(key="my_answer_1").click().run()
    assert not app.exception
    assert app.get("progress")[0].proto.text == "Text 1 of 2 · 0 texts finished"
    assert shown(app, "answer_entries_")["text"] in answer_sheet(demo, CHECKLIST, "Ana").texts


def test_what_is_not_theirs_is_said_on_its_screens(
    demo: Workbench, draw: AnswerDraw, open_screen: Open, as_: As
) -> None:
    give_dimensions(demo, DEMO, "Ana", [2])
    as_("Ana")
    app = open_screen("think_aloud")
    assert not app.exception
    assert "isn't among what is yours to do" in said(app)
    assert not [one for one in app.text_area if str(one.key).startswith("say_")]
    app = open_screen("answer")
    assert not app.exception
    assert "is yours to answer" in said(app)


def test_others_comments_wait_for_ones_own_answers(
    demo: Workbench, draw: AnswerDraw, open_screen: Open, as_: As
) -> None:
    comment_on(demo, answer_sheet(demo, CHECKLIST, "Ben").checklist.asked[0].id, "I said no.", "Ben")
    share_texts(demo, COHERENCE, 1)
    add_own_attribute(demo, COHERENCE, "Ana", "Order.")
    mark_done(demo, COHERENCE, "Ana")
    as_("Ana")

    def history() -> str:
        app = open_screen("checklist", checklist_part="history")
        assert not app.exception
        return said(app)

    closed = history()
    assert ("opens once you have answered" in closed, "I said no." in closed) == (True, False)
    answered(demo, draw, "Ana", 2)
    opened = history()
    assert ("opens once you have answered" in opened, "I said no." in opened) == (False, True)


def test_on_ones_own_computer_nothing_is_assigned(demo: Workbench, draw: AnswerDraw, open_screen: Open) -> None:
    app = open_screen("people")
    assert not [one for one in app.expander if one.label == "Assign"]
    app = open_screen("answer")
    assert "Each text goes to" not in said(app)
