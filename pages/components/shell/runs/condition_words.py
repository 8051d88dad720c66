"""Conditions in words: whose attributes feed a checklist."""

from collections.abc import Iterable

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.condition import ONLY, Condition, named_in
from pages.components.shell.words import RULES_LABEL, model_label, number

KINDS = {ContributorKind.HUMAN: "person", ContributorKind.LLM: "LLM"}
STATES = {
    AttributeStatus.ACTIVE: "in use",
    AttributeStatus.EXCLUDED: "excluded",
    AttributeStatus.MERGED: "merged",
    AttributeStatus.WITHDRAWN: "withdrawn",
}

EXPLAINED = (
    "Whose attributes are used (InteractEval, section 4.2): Comb = everybody, MH = all people, ML = all LLMs, "
    "SH = a single person, SL = a single LLM. The paper found that everybody together is broadest."
)
_JOINT = {
    "comb": ("Everybody", "Comb: the attributes of all people and all LLMs together."),
    "mh": ("All people", "MH: the attributes of several people, without any LLM."),
    "ml": ("All LLMs", "ML: the attributes of several LLMs, without any person."),
    "imported": ("Imported from a file", "The questions came from a file, not from attributes."),
}


def kind_word(kind: ContributorKind, name: str) -> str:
    """`rules` gives attributes in an LLM's place, and is none."""
    return "rules" if name == "rules" else KINDS[kind]


def llms_word(attributes: Iterable[Attribute]) -> str:
    """What to call those that are not people: the built-in rules count among them, and are named for what they are."""
    names = {a.contributor for a in attributes if a.kind is ContributorKind.LLM}
    if "rules" not in names:
        return "LLMs"
    return "LLMs and rules" if len(names) > 1 else RULES_LABEL


def condition_label(code: str, llms: str = "LLMs") -> str:
    """A condition's code as a person says it, not yet fit for Markdown. `llms` as `llms_word` gives it."""
    if code == "ml":
        return f"All {llms}" if llms != RULES_LABEL else f"Only {RULES_LABEL}"
    if code in _JOINT:
        return _JOINT[code][0]
    names = ", ".join(map(model_label, named_in(code)))
    only = {"sh": "One person: ", "sl": "One LLM: ", ONLY: "Only "}.get(code.partition(":")[0])
    return f"{only}{names}" if only is not None else code


def condition_help(code: str) -> str:
    if code in _JOINT:
        return _JOINT[code][1]
    return {
        "sh": "SH: a single person's attributes.",
        "sl": "SL: a single LLM's attributes.",
        ONLY: "A choice of contributors that the paper has no name for.",
    }.get(code.partition(":")[0], "")


def condition_size(condition: Condition, llms: str = "LLMs") -> str:
    return f"{condition_label(condition.code, llms)} · {number(condition.size, 'attribute')}"
