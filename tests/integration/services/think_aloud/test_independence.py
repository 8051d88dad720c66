"""Nobody sees what others wrote before saying "done", and the owner sees how far everybody is."""

import json
from collections.abc import Callable

import pytest

from app.domain.attribute import AttributeStatus, ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus, Component, DroppedAttribute, Question
from app.domain.project import Dimension
from app.errors import ConflictError, InputError, NotFoundError, NotReadyError, RepeatedError
from app.services.attributes.attribute_changes import exclude_attributes, merge_attributes, move_attributes
from app.services.attributes.attribute_export import FORMATS, attribute_file
from app.services.attributes.attributes import (
    add_attributes,
    attributes_numbered,
    attributes_of,
    contributors_of,
    import_attribute_table,
    import_attributes,
)
from app.services.checklists.checklist_files import export_file
from app.services.checklists.checklists import view_checklist
from app.services.checklists.lineage import lineage_document, lineage_of_version
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import (
    add_expert,
    add_own_attribute,
    experts_progress,
    is_done,
    mark_done,
    merged_into,
    not_removed,
    note_sample,
    own_attributes_of,
    remove_own_attribute,
    removed_by_author,
    reorder,
    restore_own_attribute,
    visible_attributes,
)
from app.services.think_aloud.transcripts import accept, proposals_of, propose_attributes, save_transcript


def seen(bench: Workbench, expert: str) -> list[str]:
    return [a.text for a in visible_attributes(bench, 1, 1, expert)[0]]


def test_others_open_with_done_and_close_when_more_is_written(bench: Workbench) -> None:
    add_own_attribute(bench, 1, "Ada", "Order.")
    add_own_attribute(bench, 1, "Bo", "Links.")
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length."])
    assert seen(bench, "Ada") == ["Order."]
    mark_done(bench, 1, "Ada")
    assert seen(bench, "Ada") == ["Order.", "Links.", "Length."]
    assert seen(bench, "Bo") == ["Links."]
    add_own_attribute(bench, 1, "Ada", "Endings.")
    assert seen(bench, "Ada") == ["Order.", "Endings."]
    assert seen(bench, "") == ["Order.", "Links.", "Length.", "Endings."]
    assert seen(bench, "nobody") == []


def test_done_needs_a_first_word(bench: Workbench) -> None:
    add_expert(bench, 1, "Ada")
    with pytest.raises(NotReadyError):
        mark_done(bench, 1, "Ada")
    with pytest.raises(InputError):
        add_own_attribute(bench, 1, "Ada", " \n ")


def test_nobody_says_the_same_twice_word_for_word(bench: Workbench) -> None:
    add_own_attribute(bench, 1, "Ada", "Order.")
    slip = add_own_attribute(bench, 1, "Ada", "A slip.")
    with pytest.raises(RepeatedError, match="as your attribute 2"):
        add_own_attribute(bench, 1, "Ada", " a  SLIP!")
    remove_own_attribute(bench, slip)
    add_own_attribute(bench, 1, "Ada", "A slip.")  # what was taken back can be said again
    add_own_attribute(bench, 1, "Bo", "Order.")  # and what others said, of which one knows nothing


def test_an_expert_cannot_pass_for_an_llm(bench: Workbench) -> None:
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length."])
    with pytest.raises(ConflictError):
        add_expert(bench, 1, "rules")
    assert seen(bench, "rules") == []


def test_progress_counts_what_came_after_others_could_be_seen(bench: Workbench) -> None:
    add_own_attribute(bench, 1, "Ada", "Order.")
    remove_own_attribute(bench, add_own_attribute(bench, 1, "Ada", "A slip."))
    mark_done(bench, 1, "Ada")
    add_own_attribute(bench, 1, "Ada", "Late.")
    add_own_attribute(bench, 1, "Bo", "Links.")
    found = [(p.expert, p.dimension, p.attributes, p.done, p.late) for p in experts_progress(bench, 1)]
    assert found == [("Ada", "coherence", 2, False, 1), ("Bo", "coherence", 1, False, 0)]


def test_what_is_said_about_oneself_is_kept_when_left_blank_later(bench: Workbench) -> None:
    add_expert(bench, 1, "Ada", "Editor", "Newspapers")
    assert add_expert(bench, 1, " Ada ").role == "Editor"


def test_the_experts_order_and_the_sample_are_kept(bench: Workbench) -> None:
    ids = [add_own_attribute(bench, 1, "Ada", text) for text in ("One.", "Two.", "Three.")]
    reorder(bench, ids[::-1])
    add_own_attribute(bench, 1, "Ada", "Four.", prompted_by=2)
    note_sample(bench, ids[0], 3)
    assert [(a.text, a.prompted_by) for a in own_attributes_of(bench, 1, 1, "Ada")] == [
        ("Three.", None),
        ("Two.", None),
        ("One.", 3),
        ("Four.", 2),
    ]


def test_what_an_expert_took_back_before_being_done_is_theirs_alone(bench: Workbench) -> None:
    slip = add_own_attribute(bench, 1, "Ada", "A slip.")
    add_own_attribute(bench, 1, "Ada", "Order.")
    remove_own_attribute(bench, slip)
    assert [a.text for a in own_attributes_of(bench, 1, 1, "Ada") if removed_by_author(a)] == ["A slip."]
    assert seen(bench, "") == ["Order."]
    mark_done(bench, 1, "Ada")
    assert seen(bench, "Ada") == seen(bench, "") == ["Order."]
    with pytest.raises(NotFoundError):
        attributes_numbered(bench, 1, [slip])
    for form in FORMATS:
        found = attributes_of(bench, 1)
        assert b"slip" not in attribute_file(found, contributors_of(bench, 1), form)
    restore_own_attribute(bench, slip)
    assert seen(bench, "") == ["A slip.", "Order."]


def test_what_was_there_for_others_stays_on_record_when_its_author_takes_it_back(bench: Workbench) -> None:
    order = add_own_attribute(bench, 1, "Ada", "Order.")
    mark_done(bench, 1, "Ada")
    links = add_own_attribute(bench, 1, "Ada", "Links.")  # which closes what others wrote again
    for attribute in (order, links):
        remove_own_attribute(bench, attribute)
    assert [(a.text, a.status, a.reason) for a in attributes_of(bench, 1)] == [
        ("Order.", AttributeStatus.EXCLUDED, "removed by its author")
    ]


@pytest.fixture
def fluency(bench: Workbench) -> int:
    with bench.database.write() as work:
        return work.projects.add_dimension(1, Dimension("fluency")).id


def test_author_sees_what_others_did_to_each_attribute(bench: Workbench, fluency: int) -> None:
    kept, out, merged, moved, slip = (
        add_own_attribute(bench, 1, "Ada", text) for text in ("Order.", "Vague.", "Sequence.", "Rhythm.", "A slip.")
    )
    exclude_attributes(bench, [out], "too vague")
    merge_attributes(bench, kept, [merged])
    move_attributes(bench, [moved], fluency)
    remove_own_attribute(bench, slip)
    written = own_attributes_of(bench, 1, 1, "Ada")
    assert [(a.id, a.status.value, a.reason, a.dimension) for a in not_removed(written)] == [
        (kept, "active", "", "coherence"),
        (out, "excluded", "too vague", "coherence"),
        (merged, "merged", "says the same", "coherence"),
        (moved, "active", "", "fluency"),
    ]
    assert merged_into(bench, 1, "Ada", written) == {merged: "Order."}
    with pytest.raises(RepeatedError, match="as your attribute 4"):
        add_own_attribute(bench, 1, "Ada", "Rhythm.")
    add_own_attribute(bench, 1, "Ada", "Vague.")  # what is excluded can be said anew


def test_wording_of_others_it_was_merged_into_opens_with_done(bench: Workbench) -> None:
    theirs = add_own_attribute(bench, 1, "Bo", "Links.")
    mine = add_own_attribute(bench, 1, "Ada", "Connections.")
    merge_attributes(bench, theirs, [mine])
    written = own_attributes_of(bench, 1, 1, "Ada")
    assert merged_into(bench, 1, "Ada", written) == {}
    mark_done(bench, 1, "Ada")
    assert merged_into(bench, 1, "Ada", written) == {mine: "Links."}


def test_moved_attribute_begins_nothing_on_the_other_dimension(bench: Workbench, fluency: int) -> None:
    moved = add_own_attribute(bench, 1, "Ada", "Rhythm.")
    move_attributes(bench, [moved], fluency)
    assert own_attributes_of(bench, 1, fluency, "Ada") == []
    assert [(p.dimension, p.attributes) for p in experts_progress(bench, 1)] == [("coherence", 1)]
    with bench.database.read() as work:
        assert [work.independence.is_thinking(place, "Ada") for place in (1, fluency)] == [True, False]
    mark_done(bench, 1, "Ada")
    with pytest.raises(NotReadyError):
        mark_done(bench, fluency, "Ada")
    remove_own_attribute(bench, moved)  # others have seen it
    assert [a.status for a in attributes_of(bench, 1)] == [AttributeStatus.EXCLUDED]


def test_a_checklist_built_meanwhile_does_not_tell_what_was_taken_back(bench: Workbench) -> None:
    secret = add_own_attribute(bench, 1, "Ada", "Something private.")
    add_own_attribute(bench, 1, "Ada", "Order.")
    with bench.database.write() as work:
        made = Checklist(
            "coherence",
            0,
            ChecklistStatus.DRAFT,
            "comb",
            "rules",
            (Component("Order", attributes=(secret,)),),
            (Question("Is it in order?", "Order", attributes=(secret,)),),
            (DroppedAttribute(secret, "clusters", "unclear"),),
        )
        work.checklists.save(1, made)
    remove_own_attribute(bench, secret)
    view = view_checklist(bench, 1)
    assert b"private" not in export_file(bench, view, "json")
    assert "private" not in json.dumps(lineage_document(lineage_of_version(bench, 1)))


def by_hand(bench: Workbench) -> None:
    add_own_attribute(bench, 1, "Ada", "Endings.")


def beside_a_result(bench: Workbench) -> None:
    with bench.database.read() as work:
        first = work.texts.all(1)[0].id
    add_attributes(bench, 1, "Ada", ContributorKind.HUMAN, ["Endings."], prompted_by=first)


def from_a_file(bench: Workbench) -> None:
    import_attributes(bench, 1, "Ada", ContributorKind.HUMAN, b"Endings.\n")


def from_a_table(bench: Workbench) -> None:
    table = b"text,contributor,kind\nEndings.,Ada,human\n"
    import_attribute_table(bench, get_project(bench, "Ready"), table, "coherence")


def from_a_transcript(bench: Workbench) -> None:
    transcript = save_transcript(bench, 1, "Ada", "Endings should follow from what was said.")
    propose_attributes(bench, get_project(bench, "Ready"), dimensions_named(bench, "Ready", "all")[0], transcript)
    accept(bench, proposals_of(bench, transcript)[0].id, "Endings.")


@pytest.mark.parametrize("add", [by_hand, beside_a_result, from_a_file, from_a_table, from_a_transcript])
def test_whoever_adds_a_point_after_done_is_at_it_again(bench: Workbench, add: Callable[[Workbench], None]) -> None:
    add_own_attribute(bench, 1, "Ada", "Order.")
    add_own_attribute(bench, 1, "Bo", "Links.")
    mark_done(bench, 1, "Ada")
    mark_done(bench, 1, "Bo")
    add(bench)
    assert seen(bench, "Ada") == ["Order.", "Endings."]
    assert "Order." in seen(bench, "Bo")


def test_a_table_of_what_is_there_already_opens_nothing_again(bench: Workbench) -> None:
    from_a_table(bench)
    mark_done(bench, 1, "Ada")
    from_a_table(bench)
    assert is_done(bench, 1, 1, "Ada")
