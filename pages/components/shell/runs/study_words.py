"""The conditions of a study in words, not yet fit for Markdown."""

from dataclasses import replace
from typing import TYPE_CHECKING

from app.domain.condition import Family, StudyCondition
from pages.components.shell.words import RULES_LABEL, model_label

if TYPE_CHECKING:  # every screen names runs, few show a study: what computes one takes a second to load
    from app.services.conditions.study_figures import ConditionFigures

FAMILIES = {
    Family.SL: "Single LLMs (SL)",
    Family.SH: "Single people (SH)",
    Family.ML: "All LLMs (ML)",
    Family.MH: "All people (MH)",
    Family.COMB: "Everybody (Comb)",
    Family.WITHOUT: "Everybody but one",
}


def family_label(family: Family, name: str = "") -> str:
    """A row of a study: a family, or everybody without the contributor of this name."""
    return f"Without {model_label(name)}" if family is Family.WITHOUT and name else FAMILIES[family]


def row_label(row: "ConditionFigures") -> str:
    """A row of a study; `rules` stand in an LLM's place, and are none."""
    if row.family is Family.SL and {member.condition.name for member in row.members} == {"rules"}:
        return f"{RULES_LABEL} (SL)"
    return family_label(row.family, row.name)


def condition_words(condition: StudyCondition) -> str:
    """One checklist of a study, in the middle of a label; what is no LLM says so."""
    return replace(condition, name=model_label(condition.name)).words
