"""What a project's attributes are exported as comes in again with everything that is known about each."""

from dataclasses import replace

import pytest

from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Project, Task
from app.errors import FileFormatError, InputError
from app.limits import LONGEST_FIELD
from app.services.attributes.attribute_changes import (
    edit_attribute,
    exclude_attributes,
    merge_attributes,
    move_attributes,
)
from app.services.attributes.attribute_export import attribute_file
from app.services.attributes.attributes import (
    add_attributes,
    attributes_of,
    contributors_of,
    import_attribute_table,
    import_attributes,
    is_table,
)
from app.services.data.projects import create_project, dimensions_named, save_dimension
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_expert

SAID = ["=SUM(A1)", "عربي 🎈", "<b>Same</b>", "The same.", "Off, topic", "'quoted"]
KNOWN = ("dimension", "contributor", "kind", "text", "status", "round", "reason", "original", "original_dimension")


def project(workbench: Workbench, name: str) -> Project:
    return create_project(workbench, name, Task(), (Dimension("coherence"), Dimension("fluency")))


@pytest.fixture
def full(workbench: Workbench) -> Project:
    """Reworded, excluded, merged and moved attributes of a person and an LLM."""
    made = project(workbench, "Full")
    coherence, fluency = dimensions_named(workbench, "Full", "all")
    add_expert(workbench, made.id, "Ada, Dr.", "Editor", "Ten years")
    add_attributes(workbench, coherence.id, "Ada, Dr.", ContributorKind.HUMAN, SAID)
    add_attributes(workbench, coherence.id, "llama:x", ContributorKind.LLM, ["Links."])
    found = attributes_of(workbench, made.id)
    edit_attribute(workbench, found[0].id, "=SUM(A1) reworded")
    exclude_attributes(workbench, [found[4].id], "off topic")
    merge_attributes(workbench, found[2].id, [found[3].id])
    move_attributes(workbench, [found[1].id], fluency.id)
    return made


@pytest.mark.parametrize("form", ["csv", "json"])
def test_an_export_comes_in_whole_and_only_once(workbench: Workbench, full: Project, form: str) -> None:
    before = attributes_of(workbench, full.id)
    data = attribute_file(before, contributors_of(workbench, full.id), form)
    assert is_table(data)
    other = project(workbench, "Other")
    report = import_attribute_table(workbench, other, data)
    assert (report.added, report.there, report.skipped) == (7, 0, ())
    after = attributes_of(workbench, other.id)
    assert [[getattr(a, k) for k in KNOWN] for a in after] == [[getattr(a, k) for k in KNOWN] for a in before]
    merged = next(a for a in after if a.merged_into)
    assert next(a.text for a in after if a.id == merged.merged_into) == "<b>Same</b>"
    assert next((c.name, c.role, c.background) for c in contributors_of(workbench, other.id)) == (
        "Ada, Dr.",
        "Editor",
        "Ten years",
    )
    again = import_attribute_table(workbench, other, data)
    assert (again.added, again.there) == (0, 7)
    assert attributes_of(workbench, other.id) == after


def test_rows_that_cannot_be_used_are_named_and_the_others_come_in(workbench: Workbench) -> None:
    made = project(workbench, "P")
    rows = "text,contributor,kind,dimension\nOrder.,Ada,human,\n,Ada,human,\nX.,Ada,robot,\n"
    rows += "Y.,Ada,llm,\nZ.,Bo,human,charm\n"
    report = import_attribute_table(workbench, made, rows.encode(), "fluency")
    assert [(a.dimension, a.text) for a in attributes_of(workbench, made.id)] == [("fluency", "Order.")]
    assert [row.row for row in report.skipped] == [2, 3, 4, 5]


@pytest.mark.parametrize("data", [b"", b"- Order.\n- Links.", b'["Order."]', b"text,score\nA,1\n", b"[{", b"[1]"])
def test_what_is_one_contributors_list_is_no_table(workbench: Workbench, data: bytes) -> None:
    assert not is_table(data)
    with pytest.raises(FileFormatError):
        import_attribute_table(workbench, project(workbench, "P"), data)


def test_attribute_beyond_the_longest_field_is_refused_by_every_way_in(workbench: Workbench) -> None:
    made = project(workbench, "Long")
    coherence = dimensions_named(workbench, "Long", "coherence")[0]
    long = "word " * (LONGEST_FIELD // 5 + 1)
    add_attributes(workbench, coherence.id, "Ada", ContributorKind.HUMAN, ["Links."])
    (kept,) = attributes_of(workbench, made.id)
    with pytest.raises(InputError):
        add_attributes(workbench, coherence.id, "Ada", ContributorKind.HUMAN, ["Short.", long])
    with pytest.raises(InputError):
        edit_attribute(workbench, kept.id, long)
    with pytest.raises(InputError):
        import_attributes(workbench, coherence.id, "Ada", ContributorKind.HUMAN, long.encode())
    with pytest.raises(InputError):
        save_dimension(workbench, replace(coherence, rubric=long))
    assert [attribute.text for attribute in attributes_of(workbench, made.id)] == ["Links."]
