"""Links into the guide, explanations and errors with help."""

from collections.abc import Mapping
from functools import cache

import streamlit as st

from app.domain.build import Stage
from app.errors import ProviderError, WorkbenchError, paragraph_of_kind

GUIDE = "/guide/"


def guide_link(paragraph: str, label: str = "More in the guide") -> str:
    """Markdown of a link, which opens in a tab of its own. paragraph: its page and anchor in the built guide."""
    return f"[{label}]({GUIDE}{paragraph})"


def more_on(error: WorkbenchError) -> str:
    """What stands below the message; "" where the guide has nothing more."""
    return f"\n\n{guide_link(error.paragraph.address)}" if error.paragraph else ""


def failure_address(kind: str) -> str:
    """Return the address of a stored kind of failure; an imported project may hold unknown kinds."""
    paragraph = paragraph_of_kind(kind)
    return paragraph.address if kind in kinds_of_failures() else f"{paragraph.page}.html"


@cache
def kinds_of_failures() -> frozenset[str]:
    return frozenset(kind.kind for kind in _with_those_below(ProviderError))


def _with_those_below(error: type[ProviderError]) -> list[type[ProviderError]]:
    return [error, *(each for child in error.__subclasses__() for each in _with_those_below(child))]


EXPLAINED: Mapping[str, str] = {
    "levels": "researchers.html#levels",
    "intervals": "researchers.html#intervals",
    "draws": "researchers.html#draws",
    "methods": "methods.html",
    "verdict": "facilitators.html#read-the-verdict",
    "correlation": "figures.html#correlation",
    "coverage": "figures.html#coverage",
    "preferences": "researchers.html#preferences",
    "ceiling": "figures.html#what-one-person-reaches",
    "alpha": "figures.html#alpha",
    "kappa": "figures.html#kappa",
    "alt-test": "figures.html#the-alternative-annotator-test",
    "corrected": "figures.html#corrected-shares",
    "failures": "figures.html#failure-rates",
    "panel": "figures.html#several-judges",
    "difference": "figures.html#differences",
    "discrimination": "figures.html#what-a-question-tells",
    "weights": "figures.html#weights",
    "scale": "figures.html#peoples-scale",
    "quotes": "figures.html#quotes",
    "drift": "figures.html#drift",
    "asking": "figures.html#one-call-or-one-each",
    "cost": "figures.html#quality-against-cost",
    "writers": "figures.html#texts-by-people-and-by-llms",
    "conditions": "researchers.html#whose-attributes",
    "enough": "figures.html#themes-and-what-is-left",
    "overlap": "figures.html#attribute-overlap",
    "likeness": "figures.html#likeness",
    "contribution": "figures.html#whose-attributes-reached-the-checklist",
    "spread": "figures.html#the-spread-over-topics",
    "trust": "figures.html#how-far-topics-can-be-trusted",
    "batches": "facilitators.html#batches",
    "disagreements": "facilitators.html#settle-what-people-and-judges-see-differently",
}
OF_STAGES: Mapping[Stage, str] = {
    Stage.COMPONENTS: "facilitators.html#components",
    Stage.CLUSTERS: "facilitators.html#clusters",
    Stage.KEY_QUESTIONS: "facilitators.html#key-questions",
    Stage.SUB_QUESTIONS: "facilitators.html#sub-questions",
    Stage.VALIDATION: "facilitators.html#validation",
}


def more_in_guide(topic: str) -> str:
    """A link behind the help of a field or of a figure."""
    return f"\n\n{guide_link(EXPLAINED[topic])}"


def more_on_stage(stage: Stage) -> str:
    return guide_link(OF_STAGES[stage])


PARAGRAPHS: Mapping[str, str] = {
    "overview": "facilitators.html#overview",
    "texts": "facilitators.html#bring-your-texts-in",
    "think_aloud": "experts.html#think-aloud",
    "which_is_better": "facilitators.html#which-is-better",
    "ask_llms": "facilitators.html#ask-llms",
    "attributes": "facilitators.html#look-through-the-attributes",
    "how_it_was_made": "facilitators.html#make-the-checklist",
    "checklist": "facilitators.html#edit-and-publish",
    "why_these_questions": "facilitators.html#where-a-question-comes-from",
    "answer": "facilitators.html#let-experts-answer",
    "decide_together": "facilitators.html#decide-together",
    "scores": "facilitators.html#score-the-texts",
    "results": "facilitators.html#read-the-verdict",
    "disagreements": "facilitators.html#settle-what-people-and-judges-see-differently",
    "compare": "researchers.html#who-notices-what",
    "side_by_side": "experts.html#compare-two-sets",
    "conditions": "researchers.html#whose-attributes",
    "methods": "researchers.html#several-methods",
    "locked_test": "researchers.html#a-locked-test",
    "people": "facilitators.html#run-a-team",
    "prompts": "researchers.html#prompts",
    "settings": "administrators.html#models-and-keys",
}
"""Screen -> its paragraph in the built guide."""
OF_EXPERTS: Mapping[str, str] = {
    "overview": "experts.html#my-work",
    "attributes": "experts.html#review-what-came-together",
    "checklist": "experts.html#review-what-came-together",
    "why_these_questions": "experts.html#review-what-came-together",
    "answer": "experts.html#answer",
    "decide_together": "experts.html#decide-together",
    "which_is_better": "experts.html#which-is-better",
}
"""As PARAGRAPHS, of screens on which experts do something else than the project's facilitator."""


def paragraph_on(screen: str, expert: bool) -> str:
    usual = PARAGRAPHS.get(screen, "index.html")
    return OF_EXPERTS.get(screen, usual) if expert else usual


def help_link(here: str, expert: bool = False) -> None:
    """here: the screen that is open. expert: whether it is an expert who sees it."""
    paragraph = paragraph_on(here, expert)
    st.link_button(
        "Help",
        GUIDE + paragraph,
        icon=":material/help:",
        type="tertiary",
        help="The guide, at what is on this screen. It opens in a tab of its own.",
    )
