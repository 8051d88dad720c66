"""Who said an attribute, in words."""

from app.domain.attribute import Attribute
from pages.components.shell.runs.run_words import kind_word
from pages.components.shell.words import model_label, plain


def contributor_words(attribute: Attribute) -> str:
    """Not yet fit for Markdown."""
    name = model_label(attribute.contributor)
    return name if attribute.contributor == "rules" else f"{name} ({kind_word(attribute.kind, attribute.contributor)})"


def said_by(attribute: Attribute) -> str:
    """Fit for Markdown."""
    return plain(contributor_words(attribute))
