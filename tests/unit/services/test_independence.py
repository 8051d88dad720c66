"""Nobody sees what others wrote before saying "done", and the owner sees how far everybody is."""

from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.errors import ConflictError, InputError, NotReadyError
from app.services.attributes import add_attributes, exclude_attribute
from app.services.independence import (
    experts_progress,
    introduce,
    note_sample,
    reorder,
    said_by,
    say,
    say_done,
    visible_attributes,
)
from app.services.workbench import Workbench
from tests.support.projects import ready_to_score, workbench_at


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    workbench = workbench_at(tmp_path)
    ready_to_score(workbench)
    return workbench


def seen(bench: Workbench, expert: str) -> list[str]:
    return [a.text for a in visible_attributes(bench, 1, 1, expert)[0]]


def test_others_open_with_done_and_close_when_more_is_written(bench: Workbench) -> None:
    say(bench, 1, "Ada", "Order.")
    say(bench, 1, "Bo", "Links.")
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length."])
    assert seen(bench, "Ada") == ["Order."]
    say_done(bench, 1, "Ada")
    assert seen(bench, "Ada") == ["Order.", "Links.", "Length."]
    assert seen(bench, "Bo") == ["Links."]
    say(bench, 1, "Ada", "Endings.")
    assert seen(bench, "Ada") == ["Order.", "Endings."]
    assert seen(bench, "") == ["Order.", "Links.", "Length.", "Endings."]
    assert seen(bench, "nobody") == []


def test_done_needs_a_first_word(bench: Workbench) -> None:
    introduce(bench, 1, "Ada")
    with pytest.raises(NotReadyError):
        say_done(bench, 1, "Ada")
    with pytest.raises(InputError):
        say(bench, 1, "Ada", " \n ")


def test_an_expert_cannot_pass_for_an_llm(bench: Workbench) -> None:
    add_attributes(bench, 1, "rules", ContributorKind.LLM, ["Length."])
    with pytest.raises(ConflictError):
        introduce(bench, 1, "rules")
    assert seen(bench, "rules") == []


def test_progress_counts_what_came_after_others_could_be_seen(bench: Workbench) -> None:
    say(bench, 1, "Ada", "Order.")
    exclude_attribute(bench, say(bench, 1, "Ada", "A slip."), "removed by its author")
    say_done(bench, 1, "Ada")
    say(bench, 1, "Ada", "Late.")
    say(bench, 1, "Bo", "Links.")
    found = [(p.expert, p.dimension, p.attributes, p.done, p.late) for p in experts_progress(bench, 1)]
    assert found == [("Ada", "coherence", 2, False, 1), ("Bo", "coherence", 1, False, 0)]


def test_what_is_said_about_oneself_is_kept_when_left_blank_later(bench: Workbench) -> None:
    introduce(bench, 1, "Ada", "Editor", "Newspapers")
    assert introduce(bench, 1, " Ada ").role == "Editor"


def test_the_experts_order_and_the_sample_are_kept(bench: Workbench) -> None:
    ids = [say(bench, 1, "Ada", text) for text in ("One.", "Two.", "Three.")]
    reorder(bench, ids[::-1])
    say(bench, 1, "Ada", "Four.", prompted_by=2)
    note_sample(bench, ids[0], 3)
    assert [(a.text, a.prompted_by) for a in said_by(bench, 1, 1, "Ada")] == [
        ("Three.", None),
        ("Two.", None),
        ("One.", 3),
        ("Four.", 2),
    ]
