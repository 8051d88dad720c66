"""Names of people: in which columns they stand, so that a pseudonym takes their place in all of them."""

from collections.abc import Callable, Mapping
from typing import Any

from app.domain.condition import renamed
from app.domain.people.pseudonym import put_in_values, put_in_words

Put = Callable[[Any, str, str], Any]
"""(what stands there, name, pseudonym) -> what stands there from now on."""


def put_alone(value: str, name: str, pseudonym: str) -> str:
    return pseudonym if value == name else value


def put_in_build(state: dict[str, Any], name: str, pseudonym: str) -> dict[str, Any]:
    return {**state, "condition": renamed(state["condition"], name, pseudonym)}


PLACES: Mapping[tuple[str, str], Put] = {
    ("anchor_set", "frozen_by"): put_alone,
    ("attribute", "reworded_by"): put_alone,
    ("build", "condition"): renamed,
    ("build_revision", "state"): put_in_build,
    ("build_revision", "who"): put_alone,
    ("checklist", "condition"): renamed,
    ("checklist_change", "who"): put_alone,
    ("contributor", "name"): put_alone,
    ("decision", "decided_by"): put_alone,
    ("decision", "undone_by"): put_alone,
    ("invitation", "made_by"): put_alone,
    ("locked_look", "who"): put_alone,
    ("locked_split", "locked_by"): put_alone,
    ("locked_split", "opened_by"): put_alone,
    ("membership", "name"): put_alone,
    ("question_comment", "who"): put_alone,
    ("question_improvement", "decided_by"): put_alone,
    ("question_improvement", "made_by"): put_alone,
    ("question_proposal", "decided_by"): put_alone,
    ("rating", "rater"): put_alone,
    ("scoring_run", "params"): put_in_values,
    ("trail", "about"): put_in_words,
    ("trail", "who"): put_alone,
}
"""Table and column -> how a pseudonym is put there. A person's own row, and jobs, are nothing of a project."""
