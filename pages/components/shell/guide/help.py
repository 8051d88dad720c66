"""Help: the guide, opened at the paragraph about what is on the screen."""

from collections.abc import Mapping

import streamlit as st

from pages.components.shell.guide.link import GUIDE

PARAGRAPHS: Mapping[str, str] = {
    "home": "facilitators.html#overview",
    "data": "facilitators.html#bring-your-texts-in",
    "think_aloud": "experts.html#think-aloud",
    "ask_llms": "facilitators.html#ask-the-llms",
    "attributes": "facilitators.html#look-through-the-attributes",
    "build": "facilitators.html#make-the-checklist",
    "checklist": "facilitators.html#edit-and-publish",
    "lineage": "facilitators.html#where-a-question-comes-from",
    "answer": "facilitators.html#let-experts-answer",
    "score": "facilitators.html#score-the-texts",
    "results": "facilitators.html#read-the-verdict",
    "disagreements": "facilitators.html#settle-what-people-and-judges-see-differently",
    "compare": "researchers.html#who-notices-what",
    "side_by_side": "experts.html#compare-two-sets",
    "conditions": "researchers.html#whose-attributes",
    "methods": "researchers.html#several-methods",
    "topics": "researchers.html#topics",
    "locked_test": "researchers.html#a-locked-test",
    "prompts": "researchers.html#prompts",
    "settings": "administrators.html#models-and-keys",
}
"""Screen -> its paragraph in the built guide."""
OF_EXPERTS: Mapping[str, str] = {
    "home": "experts.html#my-work",
    "attributes": "experts.html#review-what-came-together",
    "checklist": "experts.html#review-what-came-together",
    "lineage": "experts.html#review-what-came-together",
    "answer": "experts.html#answer",
}
"""As PARAGRAPHS, of screens on which experts do something else than whoever runs the project."""


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
