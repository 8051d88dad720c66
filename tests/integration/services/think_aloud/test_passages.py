"""Passages: the words of a sample that made somebody say an attribute, kept, checked, shared and taken along."""

import json

import pytest

from app.domain.attribute import Attribute, ContributorKind
from app.domain.passage import Passage, PassagePart
from app.domain.project import Dimension, Project, Task, Text
from app.errors import InputError, RepeatedError
from app.services.attributes.attribute_changes import exclude_attributes
from app.services.attributes.attribute_export import attribute_file
from app.services.attributes.attributes import (
    attributes_of,
    contributors_of,
    import_attribute_table,
    import_attributes,
)
from app.services.data.projects import create_project, dimensions_named
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import (
    add_own_attribute,
    mark_done,
    own_attributes_of,
    passages_of,
    remove_own_attribute,
)
from app.services.think_aloud.samples import ensure_samples
from app.services.think_aloud.transcripts import accept, propose_attributes, save_transcript

TEXT, SOURCE = "👩‍👩‍👧 One.\r\nשלום עולם 🎈 two.", "The source says 🎈 three."


def with_samples(workbench: Workbench, name: str, others: int = 0) -> tuple[Project, Dimension]:
    """A project whose samples all have the same text and source; `others`: texts that come before them."""
    project = create_project(workbench, name, Task(), (Dimension("coherence"),))
    (dimension,) = dimensions_named(workbench, name, "all")
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text(f"o{n}", "Another text.") for n in range(others)])
        work.texts.add_many(project.id, [Text(f"d{n}", TEXT, source=SOURCE) for n in range(4)])
        wanted = [place.id for place in work.texts.places(project.id)][others:]
        work.think_aloud.set_samples(dimension.id, [(id_, None, "hand") for id_ in wanted])
    return project, dimension


def passage(workbench: Workbench, dimension: Dimension, quote: str, part: PassagePart = PassagePart.TEXT) -> Passage:
    """Of the first sample."""
    content = SOURCE if part is PassagePart.SOURCE else TEXT
    start = content.index(quote)
    return Passage.at(content, start, start + len(quote), ensure_samples(workbench, dimension.id)[0].text.id, part)


def texts(found: list[Attribute]) -> list[str]:
    return [attribute.text for attribute in found]


@pytest.mark.parametrize(
    ("quote", "part"),
    [("עולם 🎈", PassagePart.TEXT), ("One.\r\nשלום", PassagePart.TEXT), ("🎈 three", PassagePart.SOURCE)],
)
def test_attribute_keeps_its_passage_and_sample(workbench: Workbench, quote: str, part: PassagePart) -> None:
    project, dimension = with_samples(workbench, "P")
    marked = passage(workbench, dimension, quote, part)
    add_own_attribute(workbench, dimension.id, "Ada", "It greets.", passage=marked)
    (kept,) = own_attributes_of(workbench, project.id, dimension.id, "Ada")
    assert (kept.passage, kept.prompted_by) == (marked, marked.text_id)


def test_passage_that_is_not_in_a_sample_is_refused(workbench: Workbench) -> None:
    project, dimension = with_samples(workbench, "P", others=1)
    right = passage(workbench, dimension, "One.")
    with workbench.database.read() as work:
        no_sample = work.texts.places(project.id)[0].id
    wrong = [
        Passage(right.text_id, right.start + 1, right.end + 1, right.quote),
        Passage(right.text_id, right.start, right.end, "Two."),
        Passage(right.text_id, right.start, right.end, right.quote, PassagePart.SOURCE),
        Passage(right.text_id, right.start, right.end, right.quote, PassagePart.TRANSCRIPT),
        Passage(no_sample, 0, 7, "Another"),
        Passage(None, right.start, right.end, right.quote),
        Passage(right.text_id, 10, 12, TEXT[10:12]),
        Passage(10**6, right.start, right.end, right.quote),
    ]
    for odd in wrong:
        with pytest.raises(InputError):
            add_own_attribute(workbench, dimension.id, "Ada", "It greets.", passage=odd)
    assert own_attributes_of(workbench, project.id, dimension.id, "Ada") == []


def test_same_words_on_the_same_passage_are_kept_once(workbench: Workbench) -> None:
    _, dimension = with_samples(workbench, "P")
    one, two = (passage(workbench, dimension, quote) for quote in ("One.", "two."))
    first = add_own_attribute(workbench, dimension.id, "Ada", "It greets.", passage=one)
    assert add_own_attribute(workbench, dimension.id, "Ada", "It greets.", passage=one) == first
    with pytest.raises(RepeatedError):
        add_own_attribute(workbench, dimension.id, "Ada", "It greets.", passage=two)


def test_others_passages_are_seen_once_done(workbench: Workbench) -> None:
    project, dimension = with_samples(workbench, "P")
    one, two = (passage(workbench, dimension, quote) for quote in ("One.", "two."))
    add_own_attribute(workbench, dimension.id, "Ada", "It greets.", passage=one)
    add_own_attribute(workbench, dimension.id, "Ada", "No passage.")
    out = add_own_attribute(workbench, dimension.id, "Bo", "Left out.", passage=one)
    add_own_attribute(workbench, dimension.id, "Bo", "It counts.", passage=two)
    exclude_attributes(workbench, [out], "off topic")
    assert texts(passages_of(workbench, dimension.id, "Ada")) == ["It greets."]
    assert texts(passages_of(workbench, dimension.id, "nobody")) == []
    mark_done(workbench, dimension.id, "Ada")
    assert texts(passages_of(workbench, dimension.id, "Ada")) == ["It greets.", "It counts."]
    slip = add_own_attribute(workbench, dimension.id, "Ada", "A slip.", passage=two)
    assert texts(passages_of(workbench, dimension.id, "Ada")) == ["It greets.", "A slip."]
    remove_own_attribute(workbench, slip)
    assert texts(passages_of(workbench, dimension.id, "Ada")) == ["It greets."]
    assert project.id


@pytest.mark.parametrize("form", ["csv", "json"])
def test_export_takes_passages_to_another_project(workbench: Workbench, form: str) -> None:
    project, dimension = with_samples(workbench, "P")
    marked = [
        passage(workbench, dimension, "One.\r\nשלום"),
        passage(workbench, dimension, "🎈 three", PassagePart.SOURCE),
    ]
    for number, each in enumerate(marked):
        add_own_attribute(workbench, dimension.id, "Ada", f"Point {number}.", passage=each)
    add_own_attribute(workbench, dimension.id, "Ada", "No passage.")
    spoken = save_transcript(workbench, dimension.id, "Ada", "I said 🎈 it aloud.")
    accept(workbench, propose_attributes(workbench, project, dimension, spoken)[0].id)
    before = attributes_of(workbench, project.id)
    assert before[3].passage == Passage.at("I said 🎈 it aloud.", 0, 18, None, PassagePart.TRANSCRIPT)
    data = attribute_file(before, contributors_of(workbench, project.id), form)

    other, _ = with_samples(workbench, "Other", others=2)
    report = import_attribute_table(workbench, other, data)
    assert (report.added, report.passages_left_out) == (4, 0)
    after = [a.passage for a in attributes_of(workbench, other.id)]
    assert [p and p.quote for p in after] == ["One.\r\nשלום", "🎈 three", None, "I said 🎈 it aloud."]
    assert [p and (p.part, p.start, p.end) for p in after] == [
        a.passage and (a.passage.part, a.passage.start, a.passage.end) for a in before
    ]
    bare = create_project(workbench, "Bare", Task(), (Dimension("coherence"),))
    report = import_attribute_table(workbench, bare, data)
    assert (report.added, report.passages_left_out) == (4, 2)


def test_json_file_of_one_contributor_may_carry_passages(workbench: Workbench) -> None:
    project, dimension = with_samples(workbench, "P")
    right = passage(workbench, dimension, "two.").to_json()
    said = [{"text": "It counts.", "passage": right}, "Order.", {"text": "Links.", "passage": None}]
    import_attributes(workbench, dimension.id, "Ada", ContributorKind.HUMAN, json.dumps(said).encode())
    alone = {"text": "It ends.", "passage": right}
    import_attributes(workbench, dimension.id, "Ada", ContributorKind.HUMAN, json.dumps(alone).encode())
    found = [(a.text, a.passage and a.passage.quote) for a in attributes_of(workbench, project.id)]
    assert found == [("It counts.", "two."), ("Order.", None), ("Links.", None), ("It ends.", "two.")]
    with pytest.raises(InputError):
        wrong = [{"text": "New.", "passage": None}, {"text": "Newer.", "passage": right | {"start": 0, "end": 4}}]
        import_attributes(workbench, dimension.id, "Ada", ContributorKind.HUMAN, json.dumps(wrong))
    assert len(attributes_of(workbench, project.id)) == 4
