"""Attributes: look, correct, exclude, add."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.task import Dimension, Task
from app.services.attributes.attributes import add_attributes, attributes_of, edit_attribute, exclude_attribute
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_expert

Open = Callable[[str], AppTest]


def pool(workbench: Workbench, name: str = "Demo") -> list[Attribute]:
    project = get_project(workbench, name)
    return attributes_of(workbench, project.id, dimensions_named(workbench, name, "all")[0].id)


def table_key(app: AppTest) -> str:
    return next(d.key for d in app.dataframe if (d.key or "").startswith("attributes_"))


def choose(app: AppTest, row: int) -> AppTest:
    """Tick a row of the table, as a click does."""
    app.session_state[table_key(app)] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return app.run()


def type_contributor(app: AppTest, name: str) -> None:
    """What is typed becomes an option, as in a browser."""
    if name:
        box = app.selectbox(key="add_contributor")
        box.options.append(name)
        box.set_value(name)


def shown(app: AppTest) -> list[str]:
    return list(app.get_by_key(table_key(app)).value["Attribute"])


def test_without_attributes_the_screen_says_what_to_do_and_takes_the_first(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    app = open_screen("attributes")
    assert "think aloud" in app.markdown[1].value.lower()
    app.text_area(key="add_text").set_value("- It is polite.\n\n2. It greets the reader.")
    type_contributor(app, "Mira")
    app.button(key="add_submit").click().run()
    assert app.success[0].value == "Added 2 attributes."
    assert [(a.contributor, a.kind) for a in pool(workbench, "Letters")] == [("Mira", ContributorKind.HUMAN)] * 2


def test_the_table_shows_all_with_who_and_status(demo: Workbench, open_screen: Open):
    app = open_screen("attributes")
    assert not app.exception
    found = pool(demo)
    assert shown(app) == [a.text for a in found]
    people = sum(a.kind is ContributorKind.HUMAN for a in found)
    assert [(m.label, m.value) for m in app.metric] == [
        ("Everybody (Comb)", str(len(found))),
        ("All people (MH)", str(people)),
        ("Only rules, not an LLM (ML)", str(len(found) - people)),
    ]


def test_filters_narrow_the_table(demo: Workbench, open_screen: Open):
    app = open_screen("attributes")
    found = pool(demo)
    app.selectbox(key="filter_kind").set_value("People").run()
    assert shown(app) == [a.text for a in found if a.kind is ContributorKind.HUMAN]
    app.text_input(key="filter_search").set_value("PRONOUN").run()
    app.selectbox(key="filter_kind").set_value("People and LLMs").run()
    assert shown(app) == [a.text for a in found if "pronoun" in a.text.lower()]
    app.text_input(key="filter_search").set_value("nobody said this").run()
    assert any("No attribute fits" in m.value for m in app.markdown)


def test_edited_wording_is_saved_and_the_first_one_stays_on_record(demo: Workbench, open_screen: Open):
    first = pool(demo)[2]
    app = choose(open_screen("attributes"), 2)
    app.text_area(key=f"wording_{first.id}").set_value("The order makes sense.")
    app.button(key=f"save_{first.id}").click().run()
    now = pool(demo)[2]
    assert (now.text, now.original) == ("The order makes sense.", first.text)
    assert shown(app)[2] == "The order makes sense."
    assert "First said, and kept on record:" in [c.value for c in app.caption]


def test_an_empty_wording_is_refused(demo: Workbench, open_screen: Open):
    first = pool(demo)[0]
    app = choose(open_screen("attributes"), 0)
    app.text_area(key=f"wording_{first.id}").set_value("  ")
    app.button(key=f"save_{first.id}").click().run()
    assert "can't be empty" in app.error[0].value
    assert pool(demo)[0].text == first.text


def test_excluding_needs_a_reason_and_can_be_taken_back(demo: Workbench, open_screen: Open):
    first = pool(demo)[0]
    app = choose(open_screen("attributes"), 0)
    app.button(key=f"exclude_{first.id}").click().run()
    assert "why it is left out" in app.error[0].value
    app.text_input(key=f"reason_{first.id}").set_value("says the same as another")
    app.button(key=f"exclude_{first.id}").click().run()
    now = pool(demo)[0]
    assert (now.status, now.reason) == (AttributeStatus.EXCLUDED, "says the same as another")
    app.button(key=f"restore_{first.id}").click().run()
    assert pool(demo)[0].status is AttributeStatus.ACTIVE


def test_a_file_is_imported_for_its_contributor(demo: Workbench, open_screen: Open):
    app = open_screen("attributes")
    type_contributor(app, "openai:gpt-4o")
    app.radio(key="add_kind").set_value(ContributorKind.LLM)
    app.file_uploader(key="add_file").upload("said.json", b'{"1": "It has a start.", "2": "It has an end."}')
    app.button(key="add_submit").click().run()
    assert not app.error
    assert [a.text for a in pool(demo) if a.contributor == "openai:gpt-4o"] == ["It has a start.", "It has an end."]


def test_a_table_brings_its_contributors(demo: Workbench, open_screen: Open):
    app = open_screen("attributes")
    table = "text,contributor,kind\nIt has a start.,Mira,human\nIt has an end.,Zoë,human\nBroken.,Zoë,robot\n"
    app.file_uploader(key="add_file").upload("said.csv", table.encode())
    app.button(key="add_submit").click().run()
    assert not app.error
    assert app.success[0].value.startswith("Added 2 attributes. Row 3 was left out")
    assert [(a.contributor, a.text) for a in pool(demo)[-2:]] == [
        ("Mira", "It has a start."),
        ("Zoë", "It has an end."),
    ]


@pytest.mark.parametrize(
    ("name", "data", "complaint"), [("", b"One.", "has no name"), ("Mira", b"[1, 2]", "not a text")]
)
def test_what_cannot_be_imported_is_said(demo: Workbench, open_screen: Open, name: str, data: bytes, complaint: str):
    before = len(pool(demo))
    app = open_screen("attributes")
    type_contributor(app, name)
    app.file_uploader(key="add_file").upload("said.json", data)
    app.button(key="add_submit").click().run()
    assert complaint in app.error[0].value
    assert len(pool(demo)) == before


def test_untrusted_wording_is_shown_to_the_letter(demo: Workbench, open_screen: Open):
    first = pool(demo)[0]
    edit_attribute(demo, first.id, "<b>bold</b> **stars** :red[x]")
    edit_attribute(demo, first.id, "now plain")
    exclude_attribute(demo, first.id, "**loud** [link](http://x)")
    app = choose(open_screen("attributes"), 0)
    assert any(r"\*\*loud\*\* \[link\]" in m.value for m in app.markdown)


def test_a_link_leads_to_the_comparison(demo: Workbench, open_screen: Open):
    app = open_screen("attributes")
    assert any("who notices what on Compare" in link.proto.label for link in app.get("page_link"))


def test_alike_attributes_are_merged_by_hand_and_taken_apart_again(demo: Workbench, open_screen: Open):
    first, second = pool(demo)[:2]
    edit_attribute(demo, second.id, first.text)
    app = open_screen("attributes")
    app.session_state["merge"] = True
    app.run()
    app.button(key=f"merge_left_{first.id}_{second.id}").click().run()
    assert not app.exception
    merged = pool(demo)[1]
    assert (merged.status, merged.merged_into) == (AttributeStatus.MERGED, first.id)
    app.button(key="undo_last").click().run()
    assert pool(demo)[1].status is AttributeStatus.ACTIVE


def test_an_attribute_moves_to_another_dimension_and_back(demo: Workbench, open_screen: Open):
    first = pool(demo)[0]
    other = dimensions_named(demo, "Demo", "all")[1]
    app = choose(open_screen("attributes"), 0)
    app.selectbox(key=f"move_to_{first.id}").set_value(other)
    app.button(key=f"move_{first.id}").click().run()
    assert first.id not in [a.id for a in pool(demo)]
    app.button(key="undo_last").click().run()
    assert pool(demo)[0] == first


def test_ticked_contributors_are_counted(demo: Workbench, open_screen: Open):
    app = open_screen("attributes")
    app.session_state["take_away"] = True
    app.run()
    found = pool(demo)
    everybody = {a.contributor for a in found}
    assert any(f"Everybody · {len(found)} attributes" in c.value for c in app.caption)
    key = f"take_{dimensions_named(demo, 'Demo', 'all')[0].id}_{len(everybody)}"
    app.button(key=f"{key}_people").click().run()
    people = sum(a.kind is ContributorKind.HUMAN for a in found)
    assert any(f"All people · {people} attributes" in c.value for c in app.caption)


def test_what_people_said_about_themselves_stands_beside_their_names(demo: Workbench, open_screen: Open):
    add_expert(demo, 1, "Ada", "Editor", "Twelve years at a newspaper")
    add_attributes(demo, dimensions_named(demo, "Demo", "all")[0].id, "Ada", ContributorKind.HUMAN, ["Order."])
    tables = [table.value for table in open_screen("attributes").dataframe]
    contributors = next(table for table in tables if "Background" in table.columns)
    ada = contributors[contributors["Contributor"] == "Ada"].iloc[0]
    assert (ada["Role"], ada["Background"]) == ("Editor", "Twelve years at a newspaper")
