"""What others did to an attribute of an expert, in words for its author."""

from app.domain.attribute import Attribute, AttributeStatus
from pages.components.shell.words import plain


def changes_by_others(attribute: Attribute, stands_for: str = "") -> list[str]:
    """Excluded, merged, moved and reworded, as Markdown; empty where it stands as its author left it.

    stands_for: the wording of the attribute that it was merged into, "" where its author may not read that.
    """
    said = []
    if attribute.status is AttributeStatus.EXCLUDED:
        said.append(f"excluded: {plain(attribute.reason)}" if attribute.reason else "excluded")
    if attribute.status is AttributeStatus.MERGED:
        into = f" into “{plain(stands_for)}”" if stands_for else ""
        said.append(f"merged{into}: {plain(attribute.reason)}" if attribute.reason else f"merged{into}")
    if attribute.original_dimension:
        said.append(f"moved to {plain(attribute.dimension)}")
    if attribute.reworded_by_other:
        who = f" by {plain(attribute.reworded_by)}" if attribute.reworded_by else ""
        said.append(f"reworded{who}; you wrote “{plain(attribute.original)}”")
    return said
