"""Who said an attribute, in words."""

from app.domain.attribute import Attribute, PassagePart
from pages.components.shell.runs.run_words import kind_word
from pages.components.shell.words import model_label, plain, quote_words

ABOUT = {PassagePart.TEXT: "about", PassagePart.SOURCE: "about", PassagePart.TRANSCRIPT: "in the words"}
"""Before the quote of a passage."""


def contributor_words(attribute: Attribute) -> str:
    """Not yet fit for Markdown."""
    name = model_label(attribute.contributor)
    return name if attribute.contributor == "rules" else f"{name} ({kind_word(attribute.kind, attribute.contributor)})"


def said_by(attribute: Attribute) -> str:
    """Who said it, and about which words where it has a passage. Fit for Markdown."""
    who, passage = plain(contributor_words(attribute)), attribute.passage
    return f"{who} {ABOUT[passage.part]} {quote_words(passage)}" if passage else who
