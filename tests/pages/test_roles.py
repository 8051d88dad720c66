"""Screens as people with roles meet them, who have signed in."""

import json
from collections.abc import Callable

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app.domain.attribute import ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus
from app.domain.project import Dimension, Task, Text
from app.domain.roles_and_rights import LOCAL_OWNER, NOBODY, Actor, Role
from app.errors import NotAllowedError
from app.services.attributes.attribute_changes import move_attributes
from app.services.attributes.attributes import add_attributes
from app.services.building.build import build
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.checklists import get_checklist, new_draft, versions_of
from app.services.data.projects import create_project
from app.services.people.api_tokens import api_caller
from app.services.people.audit_log import project_audit_log
from app.services.people.invitations import accept_invitation, invite, members_of
from app.services.people.sign_ins import actor_of_cookie
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute, mark_done, own_attributes_of
from app.settings import settings
from pages.components.shell import current
from pages.components.shell.current import EXPERT
from pages.components.shell.navigation.screens import SCREENS
from tests.pages.test_empty_screens import Open
from tests.support.projects import rated_on_two

DEMO = 1
ALL = set(SCREENS)
OPEN_TO = {
    Role.EXPERT: {
        "overview",
        "think_aloud",
        "attributes",
        "checklist",
        "why_these_questions",
        "answer",
        "decide_together",
        "which_is_better",
        "side_by_side",
    },
    Role.READER: {
        "overview",
        "attributes",
        "checklist",
        "why_these_questions",
        "results",
        "disagreements",
        "compare",
        "conditions",
        "methods",
    },
    Role.FACILITATOR: ALL,
}
CLOSED = "This screen isn't part of what you do in this project."
SignIn = Callable[[Actor], None]


@pytest.fixture
def sign_in(monkeypatch: pytest.MonkeyPatch) -> SignIn:
    def signed_in(actor: Actor) -> None:
        monkeypatch.setattr(current, "person_at_browser", lambda *_: actor)

    return signed_in


def ana(bench: Workbench, role: Role, name: str = "Ana") -> Actor:
    with bench.database.write() as work:
        person = work.people.add("invite", name.lower(), name)
        work.people.join(person.id, DEMO, role, name)
        return work.people.actor(person.id)


def said(app: AppTest) -> str:
    return " ".join(str(one.value) for kind in (app.markdown, app.caption, app.error, app.title) for one in kind)


def opened_by(open_screen: Open, role: Role) -> dict[str, AppTest]:
    """Every screen as it opens for somebody of this role, who is told which screens aren't theirs."""
    opened = {screen: open_screen(screen) for screen in SCREENS}
    assert {screen: len(app.title) for screen, app in opened.items()} == dict.fromkeys(SCREENS, 1)
    assert [screen for screen, app in opened.items() if app.exception or "This is for" in said(app)] == []
    assert {screen for screen, app in opened.items() if CLOSED not in said(app)} == {*OPEN_TO[role]}
    return opened


def test_facilitators_and_readers_open_the_screens_meant_for_them(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    opened = {}
    done = project_audit_log(demo, DEMO)
    for role, name in ((Role.FACILITATOR, "Fay"), (Role.READER, "Rea")):
        sign_in(ana(demo, role, name))
        opened[role] = opened_by(open_screen, role)
    assert project_audit_log(demo, DEMO) == done  # opening a screen adds no entry
    budgets = [{one.key for one in screens["conditions"].number_input} for screens in opened.values()]
    assert budgets[0] - budgets[1] == {"study_budget"}
    assert _help(opened[Role.FACILITATOR]["answer"]).endswith("facilitators.html#let-experts-answer")
    assert "create_project" not in {button.key for button in opened[Role.READER]["overview"].button}


def test_experts_who_are_done_open_their_screens_without_facilitators_acts(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    for dimension in (1, 2, 3, 4):
        mark_done_on(demo, dimension)
    sign_in(ana(demo, Role.EXPERT))
    opened = opened_by(open_screen, Role.EXPERT)
    assert "Review what came together:" in said(opened["overview"])
    assert "then publish" not in said(opened["checklist"])
    assert not [button for button in opened["checklist"].button if button.proto.type == "primary"]
    assert "without giving a name" not in said(opened["answer"])
    assert "Results" not in said(opened["answer"])
    assert _help(opened["answer"]).endswith("experts.html#answer")
    assert _help(opened["checklist"]).endswith("experts.html#review-what-came-together")


def test_an_expert_finds_their_own_work_and_goes_on_with_one_button(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    draw_texts(demo, 1, 3, seed=1)
    mark_done_on(demo, 1)
    sign_in(ana(demo, Role.EXPERT))
    app = open_screen("overview")
    assert app.title[0].value == "My work"
    assert app.title[0].value in [link.proto.label for link in app.get("page_link")]
    assert signing_out(app)
    assert "create_project" not in {button.key for button in app.button}
    assert [button.key for button in app.button if str(button.key).startswith("my_")] == [
        "my_think_aloud_2",
        "my_think_aloud_3",
        "my_think_aloud_4",
        "my_answer_1",
        "my_think_aloud_1",
    ]
    assert "0 of 3 texts" in said(app)
    assert not any(":material/check" in link.proto.label for link in app.get("page_link"))  # what others did
    app.button(key="my_answer_1").click().run()
    assert not app.exception
    assert app.title[0].value == "Answer"
    assert "You are **Ana**." in said(app)


def test_invited_expert_finds_all_their_attributes_on_my_work(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    moved = add_own_attribute(demo, 1, "Ana", "Order.")
    add_own_attribute(demo, 2, "Ana", "Rhythm.")
    add_own_attribute(demo, 2, "Ben", "What only Ben said.")
    move_attributes(demo, [moved], 3)
    sign_in(ana(demo, Role.EXPERT))
    app = open_screen("overview")
    assert not app.exception
    assert [text.value for text in app.text] == ["Order.", "Rhythm."]
    assert "moved to consistency" in said(app)
    assert "my_think_aloud_3" in {button.key for button in app.button}
    app.button(key="edit_mine_2").click().run()
    assert not app.exception
    assert (app.title[0].value, app.query_params["dimension"]) == ("Think aloud", "fluency")


def test_invited_expert_is_nobody_else_and_edits_an_attribute(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    add_own_attribute(demo, 1, "Ben", "What only Ben said.")
    sign_in(ana(demo, Role.EXPERT))
    app = open_screen("think_aloud")
    assert "You are **Ana**." in said(app)
    assert EXPERT not in app.query_params, "the address holds no name where people sign in"
    mine = add_own_attribute(demo, 1, "Ana", "It flow.")
    app.query_params[EXPERT] = "Ben"
    app.run()
    assert "You are **Ana**." in said(app)
    assert "What only Ben said." not in said(app)
    assert not [one for one in app.button if one.key in ("expert_start", "change_expert", "hidden_not_me")]
    assert not [one for one in app.text_input if one.key == "expert_typed"]
    assert [one.text for one in own_attributes_of(demo, DEMO, 1, "Ana")] == ["It flow."]
    assert "an edit is not saved yet" not in said(app)
    app.text_input(key="typing_known").set_value(json.dumps({f"edit_text_{mine}": "Disorder."})).run()
    assert not app.exception
    assert "an edit is not saved yet" in said(app)
    app.button(key=f"edit_{mine}").click().run()
    app.text_area(key=f"edit_text_{mine}").input("It flows.")
    app.button(key=f"edit_save_{mine}").click().run()
    assert not app.error
    assert [one.text for one in own_attributes_of(demo, DEMO, 1, "Ana")] == ["It flows."]


def mark_done_on(bench: Workbench, dimension: int) -> None:
    add_own_attribute(bench, dimension, "Ana", "Order.")
    mark_done(bench, dimension, "Ana")


def test_the_next_step_is_offered_to_whoever_may_do_it(
    workbench: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    project, (order, _) = rated_on_two(workbench)
    add_attributes(workbench, order.id, "Ada", ContributorKind.HUMAN, ["It has one thread."])
    with workbench.database.write() as work:
        person = work.people.add("invite", "ana", "Ana")
        work.people.join(person.id, project.id, Role.EXPERT, "Ana")
        signed = work.people.actor(person.id)
    build(workbench, project, order, "rules")
    add_own_attribute(workbench, order.id, "Ana", "Order.")
    mark_done(workbench, order.id, "Ana")
    assert [button.label for button in open_screen("attributes").button if button.key == "way_on"] == [
        "Next: publish the checklist"
    ]
    assert "Correct the wording" in said(open_screen("attributes"))
    sign_in(signed)
    attributes = open_screen("attributes")
    assert "Correct the wording" not in said(attributes)
    assert not [button for button in attributes.button if button.key == "way_on"]


def _help(app: AppTest) -> str:
    return next(str(one.proto.url) for one in app.get("link_button") if one.proto.label == "Help")


def test_what_others_wrote_stays_hidden_and_there_is_no_way_around(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    sign_in(ana(demo, Role.EXPERT))
    for screen in ("decide_together", "which_is_better", "side_by_side"):
        assert not open_screen(screen).exception
    for screen in ("attributes", "checklist", "why_these_questions"):
        app = open_screen(screen)
        assert not app.exception
        assert "is still hidden from you" in said(app)
        assert not [one for one in app.button if one.key == "hidden_not_me"]


def test_a_facilitator_invites_and_removes_only_who_is_confirmed(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    link = invite(demo, DEMO, "Fay", Role.FACILITATOR)
    sign_in(actor_of_cookie(demo, accept_invitation(demo, link.token)[1]))
    app = open_screen("people")
    app.text_input(key="invite_name").set_value("  ")
    app.button(key="invite_make").click().run()
    assert app.error
    app.text_input(key="invite_name").set_value("Ben")
    app.button(key="invite_make").click().run()
    assert app.text_input(key="invite_name").value == ""
    assert len(app.code) == 1
    app.text_input(key="invite_name").set_value("Cara")
    app.button(key="invite_make").click().run()
    assert all("/enter?key=" in one.value for one in app.code)
    tokens = [one.value.rpartition("=")[2] for one in app.code]
    assert len(set(tokens)) == 2, "Ben's link, which nothing else keeps, is gone"
    assert accept_invitation(demo, tokens[1])[0] == "Ben"
    # Removing a member takes a choice and a confirmation.
    assert app.selectbox(key="revoke_name").value is None
    app.button(key="revoke_now").click().run()
    assert app.error
    app.selectbox(key="revoke_name").set_value("Ben")
    app.button(key="revoke_now").click().run()
    app.button(key="keep_member").click().run()
    assert {member.name for member in members_of(demo, DEMO)} == {"Fay", "Ben", "Cara"}
    app.selectbox(key="revoke_name").set_value("Ben")
    app.button(key="revoke_now").click().run()
    app.button(key="revoke_for_sure").click().run()
    assert not app.exception
    assert {member.name for member in members_of(demo, DEMO)} == {"Fay", "Cara"}
    assert [one.value.rpartition("=")[2] for one in app.code] == tokens[:1]


def test_a_pasted_list_gives_each_person_a_link(demo: Workbench, open_screen: Open, sign_in: SignIn) -> None:
    link = invite(demo, DEMO, "Fay", Role.FACILITATOR)
    sign_in(actor_of_cookie(demo, accept_invitation(demo, link.token)[1]))
    app = open_screen("people")
    app.session_state["invite_message_0"] = True
    app.text_area(key="invite_list").set_value("Ben, ben@example.org\nCara, reader\nrules")
    app.button(key="invite_list_make").click().run()
    assert not app.exception
    roles = {member.name: member.role for member in members_of(demo, DEMO)}
    assert (roles["Ben"], roles["Cara"]) == (Role.EXPERT, Role.READER)
    assert "Ben" not in app.text_area(key="invite_list").value
    assert any("Hello Ben" in one.value and "/enter?key=" in one.value for one in app.code)
    tokens = [one.value.rpartition("=")[2] for one in app.code if "Hello" not in one.value]
    assert [accept_invitation(demo, token)[0] for token in tokens[:2]] == ["Ben", "Cara"]


def test_people_replaces_names_filters_acts_and_makes_api_tokens(demo: Workbench, open_screen: Open) -> None:
    add_own_attribute(demo, 1, "Ana", "Order.")
    new_draft(demo, 1)
    invite(demo, DEMO, "Ben", Role.EXPERT)
    app = open_screen("people")
    for section in ("pseudonyms", "trail", "api_tokens"):
        app.session_state[section] = True
    app.run()
    (trail,) = [table.value for table in app.dataframe if "Did" in table.value]
    assert len(trail) >= 2
    # A pseudonym
    app.button(key="pseudonym_now").click().run()
    assert [one.value for one in app.error] == ["Choose whose name is to go."]
    app.selectbox(key="pseudonym_name").set_value("Ana")
    app.button(key="pseudonym_now").click().run()
    assert not app.exception
    assert "Ana is Expert 1 now." in said(app)
    assert "Ana" not in app.selectbox(key="pseudonym_name").options
    assert [one.text for one in own_attributes_of(demo, DEMO, 1, "Expert 1")] == ["Order."]
    # Who did what
    app.multiselect(key="trail_act").select("made a draft")
    app.text_input(key="api_token_name").set_value("nightly")
    app.button(key="api_token_make").click().run()
    (did,) = [table.value["Did"] for table in app.dataframe if "Did" in table.value]
    assert list(did) == ["made a draft"]
    # An API token, shown until its section is closed
    (code,) = app.code
    assert api_caller(demo, code.value) is not None
    assert app.text_input(key="api_token_name").value == ""
    app.selectbox(key="api_token_chosen").set_value("nightly")
    app.button(key="api_token_revoke").click().run()
    with pytest.raises(NotAllowedError):
        api_caller(demo, code.value)
    for unfolded in (False, True):
        app.session_state["api_tokens"] = unfolded
        app.run()
    assert len(app.code) == 0


def test_whoever_is_signed_out_meanwhile_learns_it(read_demo: Workbench, open_screen: Open, sign_in: SignIn) -> None:
    sign_in(NOBODY)
    app = open_screen("overview")
    assert not app.exception
    assert "You are signed out" in said(app)
    assert "Demo" not in said(app)


def test_whoever_has_no_part_anywhere_is_told_what_to_do(demo: Workbench, open_screen: Open, sign_in: SignIn) -> None:
    with demo.database.write() as work:
        sign_in(work.people.actor(work.people.add("invite", "sue", "Sue").id))
    app = open_screen("overview")
    assert "You have no part in any project yet" in said(app)
    assert not app.button


def test_on_ones_own_computer_nobody_is_asked_who_they_are_and_there_is_nothing_to_sign_out_of(
    read_demo: Workbench, open_screen: Open
) -> None:
    app = open_screen("overview")
    assert app.title[0].value == "Overview"
    assert "People" not in [one.value for one in app.subheader]
    assert not signing_out(app)


def signing_out(app: AppTest) -> bool:
    return any("/leave" in str(one.proto.body) for one in app.get("html"))


def test_a_facilitator_begins_a_project_and_finds_it_in_the_list(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = ana(demo, Role.FACILITATOR).person
    assert person is not None

    def as_now(*_: object) -> Actor:
        with demo.database.read() as work:
            return work.people.actor(person)

    monkeypatch.setattr(current, "person_at_browser", as_now)
    app = open_screen("overview")
    assert not {"try_demo", "bring_in"} & {button.key for button in app.button}
    app.text_input(key="new_project_name").set_value("Mine")
    app.button(key="create_project").click().run()
    assert not app.exception
    app = open_screen("overview")
    assert "Mine" in said(app)


def test_who_reads_here_and_facilitates_elsewhere_can_begin_a_project_and_delete_none_of_others(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    person = ana(demo, Role.READER).person
    assert person is not None
    with demo.database.write() as work:
        mine = work.projects.add("Mine", Task("summary", "article"))
        work.people.join(person, mine.id, Role.FACILITATOR, "Ana")
        sign_in(work.people.actor(person))
    app = open_screen("overview")
    app.selectbox(key="project").set_value("Demo").run()
    keys = {button.key for button in app.button}
    assert {"create_project", f"delete_{mine.id}", f"open_{mine.id}"} <= keys
    assert not {f"delete_{DEMO}", f"take_{DEMO}"} & keys


def test_settings_show_a_facilitator_neither_files_nor_the_server_s_own_addresses(
    demo: Workbench, open_screen: Open, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_BASE_URL", "http://localhost:9/v1")
    settings.cache_clear()
    sign_in(ana(demo, Role.FACILITATOR))
    app = open_screen("settings")
    assert "at an address of this server’s own" in said(app)
    assert "localhost:9" not in said(app)
    assert "https://api.openai.com/v1" in said(app)
    assert "workbench.db" not in said(app) + " ".join(one.value for one in app.code)
    assert "Recorded calls" not in [one.value for one in app.subheader]
    sign_in(LOCAL_OWNER)
    assert "localhost:9" in said(open_screen("settings"))


def test_facilitator_publishes_without_an_unsaved_question(demo: Workbench, open_screen: Open, sign_in: SignIn) -> None:
    draft = _draft_of_demo(demo)
    question = draft.asked[1]
    sign_in(ana(demo, Role.FACILITATOR))
    app = open_screen("checklist", question=str(question.id))
    app.text_area(key=f"question_text_{question.id}").set_value("Is it tied together?")
    app.button(key="publish").click().run()
    app.button(key="publish_now").click().run()
    made = get_checklist(demo, draft.id)
    assert (made.status, made.asked[1].text) == (ChecklistStatus.PUBLISHED, question.text)


def test_facilitator_publishes_with_words_in_the_browser_after_a_reload(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    draft = _draft_of_demo(demo)
    key = f"question_text_{draft.asked[1].id}"
    sign_in(ana(demo, Role.FACILITATOR))
    app = open_screen("checklist")
    app.text_input(key="typing_known").set_value(json.dumps({key: "Is it tied together?"})).run()
    app.button(key="publish").click().run()
    app.button(key="publish_cancel").click().run()
    assert get_checklist(demo, draft.id).status is ChecklistStatus.DRAFT
    app.button(key="publish").click().run()
    app.button(key="publish_saved").click().run()
    made = get_checklist(demo, draft.id)
    assert (made.status, made.asked[1].text) == (ChecklistStatus.PUBLISHED, "Is it tied together?")


def _draft_of_demo(demo: Workbench) -> Checklist:
    return new_draft(demo, versions_of(demo, 1)[0].id)


def test_unrated_samples_are_shown_to_an_invited_expert(
    workbench: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    project = create_project(workbench, "Replies", Task("reply", "ticket"), (Dimension("warmth"),))
    with workbench.database.write() as work:
        texts = [Text(f"t{n // 3}", f"Reply {n}.", f"a{n % 3}", source=f"Ticket {n // 3}.") for n in range(30)]
        work.texts.add_many(project.id, texts)
    link = invite(workbench, project.id, "Ana", Role.EXPERT)
    sign_in(actor_of_cookie(workbench, accept_invitation(workbench, link.token)[1]))
    app = open_screen("think_aloud")
    assert not app.exception
    headings = [one.value for one in app.markdown if one.value.startswith("**Sample ")]
    assert headings == [f"**Sample {n} · not rated**" for n in range(1, 5)]


PRESSES = {
    "ask": ("ask_llms", "pages.components.ask_llms.begin_think_aloud"),
    "build_all": ("how_it_was_made", "pages.components.how_it_was_made.options.begin_builds"),
    "start_scoring": ("scores", "pages.components.scores.run_list.begin_scoring"),
    "start_study": ("conditions", "pages.components.conditions.begin_study"),
}


@pytest.fixture
def interrupted(demo: Workbench, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A facilitator's drawings; the next one after a call is interrupted, as by another message of the browser."""
    actor, due = ana(demo, Role.FACILITATOR), []

    def person_at_browser(*_: object) -> Actor:
        if due:
            due.clear()
            st.rerun()
        return actor

    monkeypatch.setattr(current, "person_at_browser", person_at_browser)
    return lambda: due.append(True)


def test_press_in_an_interrupted_drawing_is_carried_out_once(
    interrupted: Callable[[], None], open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    for key, (screen, action) in PRESSES.items():
        monkeypatch.setattr(action, lambda *_, key=key, **__: begun.append(key))
        app = open_screen(screen)
        interrupted()
        app.button(key=key).click().run()
        assert not app.exception
        assert begun.pop() == key
    app.run()
    assert not begun, "a press is carried out once"


def test_press_is_dropped_once_another_screen_is_drawn(
    interrupted: Callable[[], None], open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    monkeypatch.setattr(PRESSES["ask"][1], lambda *_, **__: begun.append("ask"))
    app = open_screen("ask_llms")
    app.session_state["press"] = ("ask", "ask_llms", app.session_state["project"], app.session_state["dimension"])
    app.switch_page("../pages/people.py").run()
    app.switch_page("../pages/ask_llms.py").run()
    assert any(button.key == "ask" for button in app.button)
    assert not begun


def test_words_sent_in_an_interrupted_drawing_are_kept(
    demo: Workbench, interrupted: Callable[[], None], open_screen: Open
) -> None:
    draft = new_draft(demo, versions_of(demo, 1)[0].id)
    app = open_screen("checklist")
    for field, key in (("new_question", "add_question_submit"), ("new_component", "add_component_submit")):
        app.text_input(key=field).set_value("Is the order clear?")
        interrupted()
        app.button(key=key).click().run()
        assert app.text_input(key=field).value == ""
    found = get_checklist(demo, draft.id)
    assert "Is the order clear?" in {question.text for question in found.questions}
    assert "Is the order clear?" in {component.name for component in found.components}


def test_facilitator_who_signed_in_sees_only_progress_on_answer(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    draw_texts(demo, 1, 3, seed=1)
    sign_in(ana(demo, Role.FACILITATOR))
    app = open_screen("answer")
    assert not app.exception
    assert "You are **Ana**" not in said(app)
    assert "Version 1" in " ".join(one.value for one in app.subheader)


def test_nothing_is_compared_after_a_run_that_counts_in_no_result(
    demo: Workbench, open_screen: Open, sign_in: SignIn
) -> None:
    with demo.database.write() as work:
        work.runs.set_param(1, "locked", True)
    sign_in(ana(demo, Role.FACILITATOR))
    app = open_screen("scores")
    app.session_state["scoring_ended_1"] = (1,)
    app.run()
    assert not app.exception and not app.error
