"""Two sets without names, six answers each, and nothing told before the end."""

import random

import pytest

from app.attribute_analysis.tokens import shared_keywords
from app.domain.attribute import ContributorKind
from app.domain.project import Dimension
from app.errors import ConflictError, NotReadyError
from app.services.attributes.attribute_changes import edit_attribute
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.attributes.side_by_side import (
    QUESTIONS,
    answer_side_by_side,
    begin_side_by_side,
    can_compare_as_outside_expert,
    keywords,
    reveal,
    side_by_sides_of,
)
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute, experts_progress, mark_done, visible_attributes


@pytest.fixture
def dimension(bench: Workbench) -> Dimension:
    with bench.database.read() as work:
        return work.projects.dimensions(1)[0]


def finished(bench: Workbench, dimension: Dimension, expert: str, said: str) -> None:
    mark_done(bench, dimension.id, expert)
    mine = begin_side_by_side(bench, dimension, expert)
    for question in QUESTIONS:
        answer_side_by_side(bench, mine.id, question, said)
    reveal(bench, mine.id)


def test_it_needs_an_expert_who_is_done_and_both_sets(bench: Workbench, dimension: Dimension) -> None:
    add_own_attribute(bench, 1, "Ada", "Order.")
    with pytest.raises(NotReadyError, match="not done"):
        begin_side_by_side(bench, dimension, "Ada")
    mark_done(bench, 1, "Ada")
    with pytest.raises(NotReadyError, match="no set"):
        begin_side_by_side(bench, dimension, "Ada")


def test_an_expert_from_outside_takes_part_without_a_point_of_their_own(bench: Workbench, dimension: Dimension) -> None:
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length."])
    add_own_attribute(bench, 1, "Ada", "Order.")
    assert (
        can_compare_as_outside_expert(bench, dimension, "Zoe"),
        can_compare_as_outside_expert(bench, dimension, "Ada"),
    ) == (
        True,
        False,
    )
    with pytest.raises(NotReadyError, match="not done"):
        begin_side_by_side(bench, dimension, "Zoe")
    mine = begin_side_by_side(bench, dimension, "Zoe", outside=True)
    assert (mine.people, mine.llms, mine.outside) == (("Order.",), ("Length.",), True)
    assert begin_side_by_side(bench, dimension, "Zoe") == mine
    assert {a.contributor for a in attributes_of(bench, 1)} == {"Ada", "rules"}
    assert [one.expert for one in experts_progress(bench, 1)] == ["Ada"]
    add_own_attribute(bench, 1, "Zoe", "What I saw there.")
    zoe = experts_progress(bench, 1)[1]
    assert (zoe.expert, zoe.attributes, zoe.late, zoe.done) == ("Zoe", 1, 1, False)
    assert side_by_sides_of(bench, 1)[0].outside  # then, whatever came later
    assert not visible_attributes(bench, 1, 1, "Zoe")[1]


def test_whoever_is_thinking_aloud_is_no_expert_from_outside(bench: Workbench, dimension: Dimension) -> None:
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length."])
    add_own_attribute(bench, 1, "Ada", "Order.")
    with pytest.raises(NotReadyError, match="not done"):
        begin_side_by_side(bench, dimension, "Ada", outside=True)
    mark_done(bench, 1, "Ada")
    assert not begin_side_by_side(bench, dimension, "Ada").outside


def test_the_order_is_drawn_and_the_sets_stay_as_they_were(bench: Workbench, dimension: Dimension) -> None:
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length.", "Links."])
    drawn = []
    for number in range(4):
        add_own_attribute(bench, 1, f"Expert {number}", f"Point {number}.")
        mark_done(bench, 1, f"Expert {number}")
        drawn.append(begin_side_by_side(bench, dimension, f"Expert {number}", random.Random(number)).people_are_a)
    assert set(drawn) == {True, False}
    first = begin_side_by_side(bench, dimension, "Expert 0")
    edit_attribute(bench, attributes_of(bench, 1)[0].id, "Changed later.")
    assert begin_side_by_side(bench, dimension, "Expert 0") == first
    assert sorted(first.b if first.people_are_a else first.a) == ["Length.", "Links."]


def test_answers_are_kept_to_the_letter_and_fixed_by_the_reveal(bench: Workbench, dimension: Dimension) -> None:
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length."])
    add_own_attribute(bench, 1, "Ada", "Order.")
    mark_done(bench, 1, "Ada")
    mine = begin_side_by_side(bench, dimension, "Ada")
    answer_side_by_side(bench, mine.id, "measures", "<b>عربي</b> 🎈\n" + "x" * 5000)
    with pytest.raises(NotReadyError, match="5 of the six"):
        reveal(bench, mine.id)
    for question in list(QUESTIONS)[1:]:
        answer_side_by_side(bench, mine.id, question, "A.")
    reveal(bench, mine.id)
    with pytest.raises(ConflictError):
        answer_side_by_side(bench, mine.id, "measures", "Now I know.")
    kept = side_by_sides_of(bench, 1)[0]
    assert kept.revealed
    assert kept.answers["measures"] == "<b>عربي</b> 🎈\n" + "x" * 5000


def test_keywords_count_once_three_experts_have_finished(bench: Workbench, dimension: Dimension) -> None:
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length."])
    for name in ("Ada", "Bo", "Cy"):
        add_own_attribute(bench, 1, name, "Order.")
    finished(bench, dimension, "Ada", "Connectives are what A is about.")
    finished(bench, dimension, "Bo", "It names every connective.")
    assert keywords(side_by_sides_of(bench, 1)) == []
    finished(bench, dimension, "Cy", "The connective comes first.")
    found = keywords(side_by_sides_of(bench, 1))
    assert [(k.word, k.experts) for k in found] == [("connective", ("Ada", "Bo", "Cy"))]


def test_a_keyword_is_no_common_word_and_lists_each_answer_once() -> None:
    found = shared_keywords({"a": ["The links, links!", "no"], "b": ["A link."], "c": ["linking link"]})
    assert [(k.word, k.answers) for k in found] == [
        ("link", (("a", "The links, links!"), ("b", "A link."), ("c", "linking link")))
    ]
