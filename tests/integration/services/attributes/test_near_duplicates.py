"""Near-duplicates are suggested; attributes are exported."""

import csv
import io
import json

import pytest

from app.domain.attribute import Attribute, ContributorKind
from app.services.attributes.attribute_export import attribute_file
from app.services.attributes.attributes import add_attributes, attributes_of, contributors_of
from app.services.attributes.near_duplicates import Measure, duplicate_groups, near_duplicates
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_expert
from tests.support.projects import ready_to_score

MEASURES: tuple[Measure, ...] = ("words", "order")
SAID = ["The parts stand in a clear order.", "The parts stand in clear order.", "=SUM(A1:A9)", "<b>عربي</b> 🎈\nline"]


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    ready_to_score(workbench)
    add_attributes(workbench, 1, "Ada", ContributorKind.HUMAN, SAID)
    return workbench


def pool(bench: Workbench) -> list[Attribute]:
    return attributes_of(bench, 1)


def test_the_pair_with_alike_wording_is_suggested_with_its_rouge_l(bench: Workbench) -> None:
    pairs = near_duplicates(pool(bench), measure="order")
    assert [(p.first.text, p.second.text) for p in pairs] == [(SAID[0], SAID[1])]
    assert pairs[0].likeness == pytest.approx(2 * 6 / (7 + 6))


def test_the_same_point_in_other_forms_ranks_above_the_same_beginning(bench: Workbench) -> None:
    endings = ("a conclusion", "facts", "one idea", "names", "numbers", "two sides", "a plot", "humour")
    said = [f"Consider whether the text clearly presents {ending}." for ending in endings]
    said += ["Assess if transitions connect the paragraphs.", "Look for a transition connecting each paragraph."]
    many = [Attribute("coherence", "Ada", ContributorKind.HUMAN, text, id=n) for n, text in enumerate(said)]
    by_words, by_order = ([(p.first.id, p.second.id) for p in near_duplicates(many, 0.0, measure=m)] for m in MEASURES)
    assert by_words[0] == (8, 9)
    assert (8, 9) not in by_order[:28]  # behind every pair that begins alike
    assert len(by_words) == len(by_order) == 45  # each pair once, and none with itself
    assert near_duplicates(many[:1]) == []
    same = [Attribute("x", "Ada", ContributorKind.HUMAN, text, id=n) for n, text in enumerate(["🎈 عربي", "🎈 عربي"])]
    assert near_duplicates(same)[0].likeness == pytest.approx(1.0)


def test_alike_pairs_make_groups_and_every_one_is_in_a_group() -> None:
    topics = ["greeting", "price", "delivery", "warranty", *(f"topic{n}word" for n in range(60))]
    said = [f"Names the {topic} {end}." for topic in topics for end in ("early", "soon", "quickly")]
    many = [Attribute("tone", "Ada", ContributorKind.HUMAN, text, id=n) for n, text in enumerate(said)]
    groups = duplicate_groups(many, 0.3)
    members = [one.id for group in groups for one in group.attributes]
    paired = {id_ for pair in near_duplicates(many, 0.3) for id_ in (pair.first.id, pair.second.id)}
    assert len(near_duplicates(many, 0.3)) > 50
    assert sorted(members) == sorted(paired)
    assert [group.likeness for group in groups] == sorted((group.likeness for group in groups), reverse=True)


def test_exports_keep_every_word_and_run_nothing(bench: Workbench) -> None:
    add_expert(bench, 1, "Ada", "Editor", "=1+1")
    found, who = pool(bench), contributors_of(bench, 1)
    assert [row["text"] for row in json.loads(attribute_file(found, who, "json"))] == SAID
    assert attribute_file(found, who, "text").decode().splitlines()[3] == "<b>عربي</b> 🎈 line"
    rows = list(csv.DictReader(io.StringIO(attribute_file(found, who, "csv").decode("utf-8-sig"), newline="")))
    assert [row["text"] for row in rows] == [*SAID[:2], "'=SUM(A1:A9)", SAID[3]]
    assert {(row["contributor"], row["role"], row["background"]) for row in rows} == {("Ada", "Editor", "'=1+1")}


@pytest.mark.long
def test_two_thousand_attributes_are_compared(bench: Workbench) -> None:
    many = [
        Attribute("coherence", "Ada", ContributorKind.HUMAN, f"Point {n} looks at part {n % 7} of it", id=n)
        for n in range(2000)
    ]
    for measure in MEASURES:
        assert len(near_duplicates(many, measure=measure)) > 50
