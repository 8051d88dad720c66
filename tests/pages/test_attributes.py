"""Attributes: look, correct, exclude, add."""

from collections.abc import Callable, Sequence
from typing import Any

from streamlit.testing.v1 import AppTest

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.project import Dimension, Task
from app.services.attributes.attribute_changes import edit_attribute, exclude_attributes, merge_attributes
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.attributes.near_duplicates import duplicate_groups
from app.services.building.build_state import newest_clusters
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_expert
from pages.components.attributes import SHOWN
from tests.support.browser_messages import send, shown

Open = Callable[..., AppTest]
LIST = "attributes_list"


def pool(workbench: Workbench, name: str = "Demo") -> list[Attribute]:
    project = get_project(workbench, name)
    return attributes_of(workbench, project.id, dimensions_named(workbench, name, "all")[0].id)


def act(app: AppTest, kind: str, ids: Sequence[int] = (), number: int = 1, page: str = "p", **more: Any) -> None:
    """What the list in the browser sends when somebody acts on these attributes."""
    sent = {"number": number, "kind": kind, "ids": list(ids), **more}
    send(app, LIST, acts={"page": page, "attempt": number, "acts": [sent]})


def listed(app: AppTest) -> dict[str, Any]:
    return shown(app, LIST)


def type_contributor(app: AppTest, name: str) -> None:
    """What is typed becomes an option, as in a browser."""
    if name:
        box = app.selectbox(key="add_contributor")
        box.options.append(name)
        box.set_value(name)


def texts(app: AppTest) -> list[str]:
    """In the order of the list, whatever groups they are in."""
    return [row["text"] for row in listed(app)["rows"]]


def test_without_attributes_the_screen_says_what_to_do_and_takes_the_first(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    app = open_screen("attributes")
    assert "think aloud" in app.markdown[1].value.lower()
    app.text_area(key="add_text").set_value("- It is polite.\n\n2. It greets the reader.")
    type_contributor(app, "Mira")
    app.button(key="add_submit").click().run()
    assert app.success[0].value == "Added 2 attributes."
    assert [(a.contributor, a.kind) for a in pool(workbench, "Letters")] == [("Mira", ContributorKind.HUMAN)] * 2


def test_the_list_shows_all_in_full_with_who_and_status(demo: Workbench, open_screen: Open):
    found = pool(demo)
    long = "A long wording. " * 40
    edit_attribute(demo, found[0].id, long)
    exclude_attributes(demo, [found[1].id], "too vague")
    merge_attributes(demo, found[2].id, [found[3].id])
    app = open_screen("attributes")
    assert not app.exception
    now = pool(demo)
    rows = {row["id"]: row for row in listed(app)["rows"]}
    assert [rows[a.id]["text"] for a in now] == [a.text for a in now]
    assert rows[found[0].id]["first"] == found[0].text
    assert rows[found[1].id]["state"] == "excluded: too vague"
    assert rows[found[3].id]["state"] == f"merged into “{found[2].text}”: says the same"
    people = sum(a.kind is ContributorKind.HUMAN for a in now if a.status is AttributeStatus.ACTIVE)
    llms = sum(a.kind is ContributorKind.LLM for a in now if a.status is AttributeStatus.ACTIVE)
    counted = [m.value for m in app.markdown if "**" in m.value][:3]
    assert [value.rsplit("**")[-2] for value in counted] == [str(people + llms), str(people), str(llms)]
    assert "Comb" not in " ".join(counted)


def test_the_list_is_grouped_filtered_and_counted(read_demo: Workbench, open_screen: Open):
    app = open_screen("attributes")
    found = pool(read_demo)
    components = newest_clusters(read_demo, dimensions_named(read_demo, "Demo", "all")[0].id)
    titles = [group["title"] for group in listed(app)["groups"]]
    assert titles[: len(components)] == [component.name for component, _ in components]
    under = {row["id"]: row["group"] for row in listed(app)["rows"]}
    assert all(under[id_] == str(component.id) for component, members in components for id_ in members[:1])
    assert any("who notices what on Compare" in link.proto.label for link in app.get("page_link"))
    # By contributor, and counted for a choice of them
    app.session_state["take_away"] = True
    app.selectbox(key="grouped").set_value("Contributor").run()
    everybody = {a.contributor for a in found}
    assert len(listed(app)["groups"]) == len(everybody)
    assert listed(app)["groups"][0]["title"].startswith(found[0].contributor)
    assert app.query_params["grouped"] == "Contributor"
    assert any(f"Everybody · {len(found)} attributes" in c.value for c in app.caption)
    key = f"take_{dimensions_named(read_demo, 'Demo', 'all')[0].id}_{len(everybody)}"
    app.button(key=f"{key}_people").click()
    # Filters, which stay in the address
    app.selectbox(key="kind").set_value("People").run()
    people = [a for a in found if a.kind is ContributorKind.HUMAN]
    assert any(f"All people · {len(people)} attributes" in c.value for c in app.caption)
    assert texts(app) == [a.text for a in people]
    app.text_input(key="words").set_value("PRONOUN")
    app.selectbox(key="kind").set_value("People and LLMs").run()
    assert texts(app) == [a.text for a in found if "pronoun" in a.text.lower()]
    assert app.query_params["words"] == "PRONOUN"
    app.text_input(key="words").set_value("nobody said this").run()
    assert texts(app) == []
    assert "No attribute fits" in listed(app)["empty"]


def test_rewording_and_exclusion_keep_the_first_wording_and_the_reason(demo: Workbench, open_screen: Open):
    before = pool(demo)
    first = before[2]
    app = open_screen("attributes")
    act(app, "reword", [first.id], text="The order makes sense.")
    now = pool(demo)[2]
    assert (now.text, now.original) == ("The order makes sense.", first.text)
    row = next(row for row in listed(app)["rows"] if row["id"] == first.id)
    assert (row["text"], row["first"]) == ("The order makes sense.", first.text)
    act(app, "undo", number=2)
    assert pool(demo)[2] == first
    act(app, "reword", [first.id], number=3, text="  ")
    assert "can't be empty" in listed(app)["problem"]
    assert pool(demo)[2] == first
    # Ten are excluded at once, with the reason afterwards and one undo for both.
    ten = [a.id for a in before[:10]]
    act(app, "exclude", ten, number=4, text="")
    assert listed(app)["said"] == "10 attributes excluded."
    assert listed(app)["unexplained"] == ten
    act(app, "exclude", ten, number=5, text="too vague")
    assert {(a.status, a.reason) for a in pool(demo)[:10]} == {(AttributeStatus.EXCLUDED, "too vague")}
    assert listed(app)["unexplained"] == []
    act(app, "undo", number=6)
    assert pool(demo) == before
    assert listed(app)["undo"] == ""


def test_what_arrives_twice_is_done_once(demo: Workbench, open_screen: Open):
    before = pool(demo)
    first, second = before[0].id, before[1].id
    app = open_screen("attributes")
    act(app, "exclude", [first], text="")
    act(app, "exclude", [second], number=2, text="")
    sent = [{"number": 2, "kind": "exclude", "ids": [second], "text": ""}, {"number": 3, "kind": "undo"}]
    for attempt in (3, 4):
        send(app, LIST, acts={"page": "p", "attempt": attempt, "acts": sent})
        assert [a.status for a in pool(demo)[:2]] == [AttributeStatus.EXCLUDED, AttributeStatus.ACTIVE]
    assert listed(app)["confirmed"] == 3
    act(app, "undo", page="another page")  # which counts from one
    assert pool(demo) == before


def test_what_is_gone_or_no_message_is_said_and_changes_nothing(demo: Workbench, open_screen: Open):
    elsewhere = attributes_of(demo, 1, dimensions_named(demo, "Demo", "all")[1].id)[0]
    before = attributes_of(demo, 1)
    app = open_screen("attributes")
    act(app, "exclude", [elsewhere.id, 99_999], text="")
    assert listed(app)["said"] == "Nothing to change. 2 attributes can't be found here any more."
    act(app, "merge", [before[0].id], number=2, target=99_999)
    assert "no longer in use" in listed(app)["problem"]
    act(app, "move", [before[0].id], number=3, target=99_999)
    assert "not one of the project" in listed(app)["problem"]
    send(app, LIST, acts={"page": "p", "acts": "all of them"})
    assert "Reload" in listed(app)["problem"]
    assert attributes_of(demo, 1) == before


def test_a_file_is_imported_for_its_contributor_and_a_table_brings_its_own(demo: Workbench, open_screen: Open):
    before = len(pool(demo))
    app = open_screen("attributes")
    for name, data, complaint in (("", b"One.", "has no name"), ("Mira", b"[1, 2]", "not a text")):
        type_contributor(app, name)
        app.file_uploader(key="add_file").upload("said.json", data)
        app.button(key="add_submit").click().run()
        assert complaint in app.error[0].value
        assert len(pool(demo)) == before
    type_contributor(app, "openai:gpt-4o")
    app.radio(key="add_kind").set_value(ContributorKind.LLM)
    app.file_uploader(key="add_file").upload("said.json", b'{"1": "It has a start.", "2": "It has an end."}')
    app.button(key="add_submit").click().run()
    assert not app.error
    assert [a.text for a in pool(demo) if a.contributor == "openai:gpt-4o"] == ["It has a start.", "It has an end."]
    table = "text,contributor,kind\nIt has a start.,Mira,human\nIt has an end.,Zoë,human\nBroken.,Zoë,robot\n"
    app.file_uploader(key="add_file").upload("said.csv", table.encode())
    app.button(key="add_submit").click().run()
    assert not app.error
    assert app.success[0].value.startswith("Added 2 attributes. Row 3 was left out")
    assert [(a.contributor, a.text) for a in pool(demo)[-2:]] == [
        ("Mira", "It has a start."),
        ("Zoë", "It has an end."),
    ]


def test_keeping_one_of_a_group_merges_those_that_are_ticked(demo: Workbench, open_screen: Open):
    first, *others = pool(demo)[:4]
    for other in others:
        edit_attribute(demo, other.id, first.text)
    app = open_screen("attributes")
    app.session_state["merge"] = True
    app.run()
    app.checkbox(key=f"merge_same_{others[2].id}").uncheck().run()
    app.button(key=f"merge_keep_{others[0].id}").click().run()
    standing = {one.id: (one.status, one.merged_into) for one in pool(demo)[:4]}
    kept = (AttributeStatus.MERGED, others[0].id)
    assert (standing[first.id], standing[others[1].id]) == (kept, kept)
    assert standing[others[0].id][0] is standing[others[2].id][0] is AttributeStatus.ACTIVE
    act(app, "undo")
    assert {one.status for one in pool(demo)[:4]} == {AttributeStatus.ACTIVE}


def test_every_group_that_says_the_same_can_be_reached(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    place = dimensions_named(workbench, "Letters", "all")[0].id
    said = [f"Names topic{n}word{n * 7919} {end}." for n in range(12) for end in ("early", "soon")]
    add_attributes(workbench, place, "Mira", ContributorKind.HUMAN, said)
    groups = duplicate_groups(pool(workbench, "Letters"))
    app = open_screen("attributes")
    app.session_state["merge"] = True
    app.run()
    while any(button.key == "merge_more" for button in app.button):
        app.button(key="merge_more").click().run()
    reached = {button.key for button in app.button if str(button.key).startswith("merge_keep_")}
    assert reached == {f"merge_keep_{one.id}" for group in groups for one in group.attributes}
    assert len(reached) > 2 * SHOWN


def test_attributes_move_or_become_one_and_are_restored(demo: Workbench, open_screen: Open):
    before = pool(demo)
    other = dimensions_named(demo, "Demo", "all")[1]
    app = open_screen("attributes")
    assert listed(app)["targets"][0]["name"] == other.name
    act(app, "move", [a.id for a in before[:3]], target=other.id)
    assert [a.id for a in pool(demo)] == [a.id for a in before[3:]]
    assert listed(app)["said"] == f"3 attributes moved to {other.name}."
    act(app, "undo", number=2)
    assert pool(demo) == before
    kept, *others = [a.id for a in before[:3]]
    act(app, "merge", others, number=3, target=kept)
    assert [a.merged_into for a in pool(demo)[:3]] == [None, kept, kept]
    act(app, "restore", others, number=4)
    assert pool(demo) == before


def test_an_expert_who_is_at_it_again_changes_nothing_of_what_others_wrote(demo: Workbench, open_screen: Open):
    before = pool(demo)
    add_expert(demo, 1, "Mira")
    app = open_screen("attributes")
    app.session_state["expert"] = "Mira"
    act(app, "exclude", [before[0].id], text="")
    assert pool(demo) == before


def test_what_people_said_about_themselves_stands_beside_their_names(demo: Workbench, open_screen: Open):
    add_expert(demo, 1, "Ada", "Editor", "Twelve years at a newspaper")
    add_attributes(demo, dimensions_named(demo, "Demo", "all")[0].id, "Ada", ContributorKind.HUMAN, ["Order."])
    tables = [table.value for table in open_screen("attributes").dataframe]
    contributors = next(table for table in tables if "Background" in table.columns)
    ada = contributors[contributors["Contributor"] == "Ada"].iloc[0]
    assert (ada["Role"], ada["Background"]) == ("Editor", "Twelve years at a newspaper")
