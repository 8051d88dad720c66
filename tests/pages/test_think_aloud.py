"""Think aloud: an expert reads the samples and loses no word."""

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.project import Dimension, Rating, Task, Text
from app.errors import DatabaseError
from app.services.attributes.attribute_changes import edit_attribute, exclude_attributes, move_attributes
from app.services.attributes.attributes import add_attributes, attributes_of, contributors_of
from app.services.data.projects import choose_follow_up, create_project, dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_expert, add_own_attribute, own_attributes_of
from app.services.think_aloud.samples import samples_of
from pages.components.think_aloud import own_attribute_list
from pages.components.think_aloud.own_attribute_list import PAGE_SIZE
from tests.support import browser_messages

Open = Callable[..., AppTest]
OTHER_SAMPLES = "Other samples"


def place(workbench: Workbench) -> tuple[int, Dimension]:
    return get_project(workbench, "Demo").id, dimensions_named(workbench, "Demo", "all")[0]


def ids(workbench: Workbench) -> tuple[int, int]:
    project_id, dimension = place(workbench)
    return project_id, dimension.id


def by(workbench: Workbench, name: str) -> list[Attribute]:
    project_id, dimension = place(workbench)
    return [a for a in attributes_of(workbench, project_id, dimension.id) if a.contributor == name]


def expert(open_screen: Open, workbench: Workbench, screen: str = "think_aloud") -> AppTest:
    """The screen for the expert Ada, whose name is in the address."""
    add_expert(workbench, place(workbench)[0], "Ada")
    return open_screen(screen, expert="Ada")


def wrote(workbench: Workbench, *texts: str) -> list[int]:
    """Ada's attributes of the first dimension, as the screen saves them."""
    return [add_own_attribute(workbench, place(workbench)[1].id, "Ada", text) for text in texts]


def say(app: AppTest, workbench: Workbench, text: str) -> AppTest:
    app.text_area(key=f"say_{place(workbench)[1].id}").input(text)
    return app.button(key="say_add").click().run()


def shown(app: AppTest) -> list[str]:
    return [element.value for element in app.text]


def test_samples_show_source_text_and_score_and_leave_scoring(read_demo: Workbench, open_screen: Open):
    app = open_screen("think_aloud")
    samples = samples_of(read_demo, place(read_demo)[1].id)
    assert len(samples) == 4
    for number, sample in enumerate(samples, start=1):
        assert sample.text.source in shown(app)
        assert sample.text.text in shown(app)
        assert any(f"Sample {number} · score {sample.score:.2f}" in m.value for m in app.markdown)
    assert any("The 4 samples come from 4 news articles; all 16 " in caption.value for caption in app.caption)
    assert OTHER_SAMPLES in [link.proto.label for link in app.get("page_link")]


def test_who_reads_no_rubric_is_sent_only_to_a_screen_of_theirs(workbench: Workbench, open_screen: Open):
    project = create_project(workbench, "Plain", Task("reply", "prompt"), (Dimension("tone", ""),))
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text(f"d{n}", f"Reply {n}.", "a", source="Hello?") for n in range(3)])

    def names_texts(app: AppTest) -> bool:
        return any(" on Texts" in one.value for one in app.caption)

    assert names_texts(open_screen("ask_llms"))
    add_expert(workbench, project.id, "Ada")
    assert not names_texts(open_screen("think_aloud", expert="Ada"))


def test_a_name_comes_first_and_each_attribute_is_saved_to_the_letter(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
):
    others = {a.text for a in attributes_of(demo, *ids(demo))}
    app = open_screen("think_aloud")
    for name, complaint in (("", "Type your name first."), ("rules", "already a contributor")):
        app.text_input(key="expert_typed").input(name)
        app.button(key="expert_start").click().run()
        assert complaint in app.error[0].value
        assert "say_add" not in [button.key for button in app.button]
    app.text_input(key="expert_typed").input("Ada")
    app.button(key="expert_start").click().run()
    assert others
    assert not others & set(shown(app))
    assert OTHER_SAMPLES not in [link.proto.label for link in app.get("page_link")], "a facilitator's"
    say(app, demo, "   ")
    assert by(demo, "Ada") == []
    said = ["<script>alert(1)</script> *no* markup عربي 🎈", "x" * 5000]
    for text in said:
        say(app, demo, text)
    assert not app.exception
    assert [a.text for a in by(demo, "Ada")] == said
    assert set(said) <= set(shown(app))

    def fail(*_: object) -> None:
        raise DatabaseError("The disk is full.", "Make room.")

    # Words that can't be saved are still on the screen.
    monkeypatch.setattr("pages.components.think_aloud.own_attributes.add_own_attribute", fail)
    say(app, demo, "Precious words.")
    assert app.error[0].value.startswith("The disk is full. Make room.")
    assert "Precious words." in shown(app)


def test_a_known_person_goes_on_with_role_background_and_attributes(demo: Workbench, open_screen: Open):
    def about_ada() -> tuple[str, str]:
        ada = next(c for c in contributors_of(demo, place(demo)[0]) if c.name == "Ada")
        return ada.role, ada.background

    app = open_screen("think_aloud")
    app.text_input(key="expert_typed").input("Ada")
    app.text_input(key="expert_role").input("Editor")
    app.text_input(key="expert_background").input("Ten years of newspapers")
    app.button(key="expert_start").click().run()
    assert about_ada() == ("Editor", "Ten years of newspapers")
    wrote(demo, "It has one topic.")
    app = open_screen("think_aloud")
    app.session_state["about_expert"] = True
    app.selectbox(key="expert_known").set_value("Ada")
    app.button(key="expert_start").click().run()
    assert "It has one topic." in shown(app)
    app.text_input(key="about_role").input("Teacher")
    app.button(key="about_save").click().run()
    assert not app.exception
    assert about_ada() == ("Teacher", "Ten years of newspapers")


def test_why_a_wording_is_refused_stays_while_drafts_are_reported(demo: Workbench, open_screen: Open) -> None:
    app = say(expert(open_screen, demo), demo, "It flows.")
    (own,) = by(demo, "Ada")
    app.button(key=f"edit_{own.id}").click().run()
    app.text_area(key=f"edit_text_{own.id}").input("  ")
    app.button(key=f"edit_save_{own.id}").click().run()
    assert app.error
    app.text_input(key="typing_known").set_value(json.dumps({f"edit_text_{own.id}": "  "})).run()
    assert app.error, "nobody but the browser asked for this drawing"
    app.button(key=f"edit_cancel_{own.id}").click().run()
    assert not app.error
    app.text_input(key="typing_known").set_value("{}").run()
    assert not app.error


def test_changes_keep_the_first_wording_and_are_undone_one_by_one(demo: Workbench, open_screen: Open):
    def own() -> list[str]:
        return [a.text for a in own_attributes_of(demo, *ids(demo), "Ada")]

    app = say(expert(open_screen, demo), demo, "It flow.")
    app = say(app, demo, "It has one topic.")
    first, second = by(demo, "Ada")
    app.button(key=f"up_{first.id}").click().run()
    assert own() == ["It has one topic.", "It flow."]
    app.button(key=f"edit_{first.id}").click().run()
    app.text_area(key=f"edit_text_{first.id}").input("It flows.")
    app.button(key=f"edit_save_{first.id}").click().run()
    changed = by(demo, "Ada")[0]
    assert (changed.text, changed.original) == ("It flows.", "It flow.")
    assert "It flows." in shown(app)
    app.button(key="undo_last").click().run()
    assert by(demo, "Ada")[0].text == "It flow."
    app.button(key="undo_last").click().run()
    assert own() == ["It flow.", "It has one topic."]
    app.button(key="undo_last").click().run()
    assert [a.text for a in by(demo, "Ada")] == ["It flow."]
    assert second.status is AttributeStatus.ACTIVE
    taken_back = next(a for a in own_attributes_of(demo, *ids(demo), "Ada") if a.id == second.id)
    assert taken_back.status is AttributeStatus.WITHDRAWN
    # What the expert removes, nobody else sees, and it can be restored.
    app.button(key=f"remove_{first.id}").click().run()
    assert by(demo, "Ada") == []
    assert "Removed by you (2)" in [e.label for e in app.expander]
    app.button(key=f"put_back_{first.id}").click().run()
    assert by(demo, "Ada")[0].status is AttributeStatus.ACTIVE
    assert not app.exception


def test_the_sample_that_prompted_it_is_kept_and_its_words_are_hinted_at(demo: Workbench, open_screen: Open):
    app = expert(open_screen, demo)
    dimension = place(demo)[1]
    chosen = samples_of(demo, dimension.id)[2].text.id
    app.selectbox(key=f"say_sample_{dimension.id}").set_value(chosen)
    say(app, demo, "It ends where it began.")
    assert by(demo, "Ada")[0].prompted_by == chosen
    assert "Attribute 1 · prompted by sample 3" in [caption.value for caption in app.caption]
    words = " ".join(samples_of(demo, dimension.id)[0].text.source.split()[:12])
    assert not any("A general attribute?" in caption.value for caption in app.caption)
    say(app, demo, words)
    assert by(demo, "Ada")[1].text == words
    assert any("A general attribute?" in caption.value for caption in app.caption)


def test_others_open_with_done_and_close_again_with_more(demo: Workbench, open_screen: Open):
    wrote(demo, "It has one topic.")
    app = expert(open_screen, demo, "attributes")  # as after a refresh, with the name in the address
    assert not app.dataframe
    assert any("still hidden from you" in m.value for m in app.markdown)
    app.switch_page("../pages/think_aloud.py").run()
    app.button(key="say_done").click().run()
    app.switch_page("../pages/attributes.py").run()
    assert browser_messages.shown(app, "attributes_list")["total"] == 30
    wrote(demo, "It ends well.")
    app.run()
    assert any("still hidden from you" in m.value for m in app.markdown)


def test_what_is_made_of_others_thoughts_opens_for_who_says_nothing(demo: Workbench, open_screen: Open):
    def hidden_on(screen: str) -> bool:
        app.switch_page(f"../pages/{screen}.py").run()
        assert not app.exception
        return any("still hidden from you" in m.value for m in app.markdown)

    wrote(demo, "It has one topic.")
    app = expert(open_screen, demo)
    app.session_state["view"] = "questions"
    screens = ("results", "compare", "checklist", "how_it_was_made")
    assert [hidden_on(screen) for screen in screens] == [True] * 4
    app.button(key="hidden_not_me").click().run()
    assert [hidden_on(screen) for screen in screens[2:]] == [False] * 2


def test_undo_outlives_a_reload_and_is_nobody_elses(
    demo: Workbench, open_screen: Open, in_browser: Callable[[str], None]
):
    in_browser("Ada's")
    say(expert(open_screen, demo), demo, "It has one topic.")
    in_browser("another")
    assert "undo_last" not in [button.key for button in expert(open_screen, demo).button]
    in_browser("Ada's")
    app = expert(open_screen, demo)  # in a session of its own
    app.button(key="undo_last").click().run()
    assert by(demo, "Ada") == []
    assert "undo_last" not in [button.key for button in app.button]


def test_what_somebody_has_said_already_is_not_kept_twice(demo: Workbench, open_screen: Open):
    wrote(demo, "It has one topic.", "Names stay the same.")
    app = say(expert(open_screen, demo), demo, "it has  one topic")
    assert any("You have said this already, as your attribute 1." in c.value for c in app.caption)
    assert [a.text for a in by(demo, "Ada")] == ["It has one topic.", "Names stay the same."]
    _, second = by(demo, "Ada")
    app.button(key=f"edit_{second.id}").click().run()
    app.text_area(key=f"edit_text_{second.id}").input("It has one topic!")
    app.button(key=f"edit_save_{second.id}").click().run()
    assert any(c.value == "Attribute 2 · as your attribute 1" for c in app.caption)


def test_own_rows_say_what_a_facilitator_did(demo: Workbench, open_screen: Open):
    wrote(demo, "It flows.", "Vague.", "Rhythm *and* sound.")
    reworded, out, moved = by(demo, "Ada")
    edit_attribute(demo, reworded.id, "It flows well.", who="Fay")
    exclude_attributes(demo, [out.id], "too _vague_")
    fluency = dimensions_named(demo, "Demo", "all")[1]
    move_attributes(demo, [moved.id], fluency.id)
    app = expert(open_screen, demo)
    captions = [caption.value for caption in app.caption if caption.value.startswith("Attribute ")]
    assert captions == [
        f"Attribute 3 · moved to {fluency.name}",
        r"Attribute 2 · excluded: too \_vague\_",
        "Attribute 1 · reworded by Fay; you wrote “It flows.”",
    ]
    keys = {button.key for button in app.button}
    assert {f"edit_{reworded.id}", f"remove_{moved.id}"} <= keys
    assert not {f"edit_{out.id}", f"remove_{out.id}", f"up_{out.id}"} & keys


def test_many_attributes_come_in_pages(demo: Workbench, open_screen: Open):
    texts = [f"Point {number}." for number in range(PAGE_SIZE + 1)]
    add_attributes(demo, place(demo)[1].id, "Ada", ContributorKind.HUMAN, texts)
    app = expert(open_screen, demo)
    edits = [button for button in app.button if (button.key or "").startswith("edit_")]
    assert len(edits) == PAGE_SIZE
    assert texts[-1] in shown(app)
    assert "Point 0." not in shown(app)
    app.get_by_key(f"own_page_{place(demo)[1].id}_Ada_0").set_value(2).run()
    assert "Point 0." in shown(app)
    say(app, demo, "One more.")
    assert "One more." in shown(app)


def test_a_sample_is_replaced_by_hand_and_chosen_again(demo: Workbench, open_screen: Open):
    project, dimension = place(demo)
    before = samples_of(demo, dimension.id)
    app = open_screen("texts")
    app.button_group(key=f"data_section_{project}").set_value("Samples").run()
    option = app.selectbox(key=f"replace_text_{dimension.id}")
    option.select_index(0).run()
    app.button(key="use_text").click().run()
    after = samples_of(demo, dimension.id)
    assert after[0].chosen_by == "hand"
    assert after[0].text.id != before[0].text.id
    assert [s.text.id for s in after[1:]] == [s.text.id for s in before[1:]]
    app.button(key="choose_again").click().run()
    assert samples_of(demo, dimension.id) == before


def test_without_ratings_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Blank", Task(), (Dimension("warmth"),))
    app = open_screen("think_aloud")
    assert not app.exception
    assert app.button(key="samples_need_texts").label == "Import texts"


def test_unrated_samples_can_be_drawn_anew_by_the_facilitator(workbench: Workbench, open_screen: Open) -> None:
    project = create_project(workbench, "Replies", Task("reply", "ticket"), (Dimension("warmth"),))
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text(f"t{n // 3}", f"Reply {n}.", f"a{n % 3}") for n in range(30)])
    app = open_screen("texts")
    app.button_group(key=f"data_section_{project.id}").set_value("Samples").run()
    assert not app.exception
    dimension = dimensions_named(workbench, "Replies", "all")[0].id
    before = samples_of(workbench, dimension)
    app.button(key="choose_again").click().run()
    assert not app.exception
    assert samples_of(workbench, dimension) != before


def test_transcripts_become_attributes_as_far_as_they_are_accepted(demo: Workbench, open_screen: Open):
    def proposals() -> list[str]:
        return [t.value for t in app.text_area if (t.key or "").startswith("proposal_")]

    app = expert(open_screen, demo)
    app.session_state["speaking"] = True
    app.run()
    app.text_area(key="transcript_text").input("I look at the order. <b>Names are</b> introduced first.")
    app.button(key="transcript_keep").click().run()
    assert not app.exception
    assert app.text_area(key="transcript_text").value == ""
    assert by(demo, "Ada") == []
    accepts = [b for b in app.button if (b.key or "").startswith("accept_")]
    assert len(accepts) == len(proposals()) == 2
    accepts[1].click().run()
    assert [a.text for a in by(demo, "Ada")] == ["<b>Names are</b> introduced first."]
    app.button(key="undo_last").click().run()
    assert by(demo, "Ada") == []
    (taken_back,) = own_attributes_of(demo, *ids(demo), "Ada")
    assert taken_back.status is AttributeStatus.WITHDRAWN
    # All said so far is listed and can be opened.
    app.text_area(key="transcript_text").input("The ending should not come as a surprise.")
    app.button(key="transcript_keep").click().run()
    said = app.selectbox(key=f"transcript_{place(demo)[1].id}_2")
    assert [option.partition(":")[0] for option in said.options] == ["2", "1"]
    assert all(" to decide on · transcript" in option for option in said.options)
    assert proposals() == ["The ending should not come as a surprise."]
    decided = said.options[1]
    said.select_index(1).run()
    assert decided == app.selectbox(key=f"transcript_{place(demo)[1].id}_2").options[1]
    waiting = proposals()
    assert waiting[0] == "I look at the order."
    next(b for b in app.button if (b.key or "").startswith("accept_")).click().run()
    options = app.selectbox(key=f"transcript_{place(demo)[1].id}_2").options
    assert options[1].startswith(f"1: {len(waiting) - 1} to decide on")
    assert proposals() == waiting[1:]
    app.text_area(key="transcript_text").input("   ")
    app.button(key="transcript_keep").click().run()
    assert any("The transcript is empty" in e.value for e in app.error)


def marked(
    workbench: Workbench, quote: str, words: str, number: int = 1, shift: int = 0
) -> tuple[str, dict[str, object]]:
    """What the browser sends about a passage of the first sample, and the key of its component."""
    dimension = place(workbench)[1]
    text = samples_of(workbench, dimension.id)[0].text
    start = text.text.index(quote) + shift
    entry = {
        "number": number,
        "part": "text",
        "start": start,
        "end": start + len(quote),
        "quote": quote,
        "words": words,
    }
    return f"passages_{dimension.id}_{text.id}", {"page": "p", "attempt": number, "marked": [entry]}


def test_words_about_a_passage_of_a_sample_are_kept_once(demo: Workbench, open_screen: Open):
    app = expert(open_screen, demo)
    quote = samples_of(demo, place(demo)[1].id)[0].text.text[:12].strip()
    # What is no passage of a sample, or has no words, is refused.
    key, shifted = marked(demo, quote, "It begins.", shift=1)
    _, wordless = marked(demo, quote, " ", number=2)
    for odd in (shifted, {**wordless, "page": "q"}, [1], {**shifted, "page": "r", "marked": [{}] * 200}):
        browser_messages.send(app, key, marked=odd)
        assert by(demo, "Ada") == []
        assert browser_messages.shown(app, key)["problem"]
    _, message = marked(demo, quote, "It begins at once.")
    for attempt in (1, 2):
        browser_messages.send(app, key, marked={**message, "page": "s", "attempt": attempt})
    (attribute,) = by(demo, "Ada")
    assert (attribute.text, attribute.passage and attribute.passage.quote) == ("It begins at once.", quote)
    told = browser_messages.shown(app, key)
    assert (told["page"], told["confirmed"], told["problem"]) == ("s", 1, "")
    assert [(mark["id"], mark["own"], mark["colour"]) for mark in told["marks"]] == [(attribute.id, True, 0)]
    assert any(quote in caption.value for caption in app.caption)
    app.button(key=f"remove_{attribute.id}").click().run()
    assert browser_messages.shown(app, key)["marks"] == []


def test_follow_up_answer_becomes_an_attribute_or_the_better_wording(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_attribute_list, "ask_follow_up", lambda *_: "Where is <b>its</b> limit?")
    wrote(demo, "The order is clear.")
    app = expert(open_screen, demo)
    (first,) = by(demo, "Ada")
    assert f"ask_me_{first.id}" not in [one.key for one in app.button], "off until a model is chosen"
    choose_follow_up(demo, place(demo)[0], "llama:asker")
    app.run().button(key=f"ask_me_{first.id}").click().run()
    app.text_area(key=f"follow_up_{first.id}").input("Events keep their order.")
    app.button(key="follow_up_new").click().run()
    app.button(key=f"ask_me_{first.id}").click().run()
    app.text_area(key=f"follow_up_{first.id}").input("The order of events is clear.")
    app.button(key="follow_up_reword").click().run()
    assert not app.exception
    assert {one.text for one in by(demo, "Ada")} == {"The order of events is clear.", "Events keep their order."}
    assert "follow_up_new" not in [one.key for one in app.button]


def test_done_leads_to_the_next_step_and_then_to_rated_dimensions(workbench: Workbench, open_screen: Open):
    project = create_project(workbench, "Demo", Task(), tuple(map(Dimension, ("order", "tone", "warmth"))))
    order, _, warmth = dimensions_named(workbench, "Demo", "all")
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text(f"d{n}", f"Text {n}.") for n in range(1, 6)])
        numbers = enumerate(work.texts.ids_by_key(project.id).values())
        work.texts.add_ratings(
            [(text, one.id, Rating(one.name, "r", 1.0 + n)) for n, text in numbers for one in (order, warmth)]
        )
    app = say(expert(open_screen, workbench), workbench, "It has one topic.")
    assert not {"next_step", "next_dimension"} & {button.key for button in app.button}
    app.button(key="say_done").click().run()
    assert "next_step" in {button.key for button in app.button}
    app.button(key="next_dimension").click().run()
    assert app.session_state["dimension"] == "warmth"
