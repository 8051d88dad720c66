"""Attributes: who said what to look for."""

from collections.abc import Sequence

from app.attribute_analysis.attribute_file import decode_attributes, parse_attributes
from app.domain.attribute import Attribute, Contributor, ContributorKind
from app.domain.people.actor import Right
from app.errors import FileFormatError, InputError, NotFoundError
from app.services.attributes.attribute_table import attribute_sets
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import write_down


@use_case(Right.FACILITATE, act="added attributes", about="contributor")
def add_attributes(
    workbench: Workbench,
    dimension_id: int,
    contributor: str,
    kind: ContributorKind,
    texts: Sequence[str],
    prompted_by: int | None = None,
) -> list[int]:
    """Keep what a contributor said, word for word; blank ones are left out. Returns the new ids.

    prompted_by: the text that prompted it.
    """
    said = [text.strip() for text in texts if text.strip()]
    if not said:
        raise InputError("There is nothing to add.", "Write at least one consideration.")
    with workbench.database.write() as work:
        project = work.projects.project_of(dimension_id)
        who = work.think_aloud.contributor(project.id, contributor, kind)
        return write_down(work, dimension_id, who, said, prompted_by=prompted_by)


@use_case(Right.FACILITATE, act="brought attributes in", about="contributor")
def import_attributes(
    workbench: Workbench, dimension_id: int, contributor: str, kind: ContributorKind, said: str | bytes
) -> list[int]:
    """Keep the attributes of a pasted text or of a file: one a line, or a JSON list or object. Returns the new ids.

    Raises FileFormatError for bytes that are no text, InputError for JSON of another form or where nothing is said.
    """
    if isinstance(said, bytes) and attribute_sets(said) is not None:
        raise FileFormatError(
            "The file is a table that names its contributors, not one contributor's list.",
            "Give it the columns text, contributor and kind, and import it as a table.",
        )
    text = said if isinstance(said, str) else decode_attributes(said)
    return add_attributes(workbench, dimension_id, contributor, kind, parse_attributes(text))


@use_case(Right.REVIEW)
def attributes_of(workbench: Workbench, project_id: int, dimension_id: int | None = None) -> list[Attribute]:
    with workbench.database.read() as work:
        return work.think_aloud.attributes(project_id, dimension_id)


@use_case(Right.REVIEW)
def attributes_numbered(workbench: Workbench, project_id: int, ids: Sequence[int]) -> list[Attribute]:
    """The attributes with these ids, in this order. Raises NotFoundError for one that is not the project's."""
    found = {attribute.id: attribute for attribute in attributes_of(workbench, project_id)}
    missing = ", ".join(str(id_) for id_ in ids if id_ not in found)
    if missing:
        raise NotFoundError(f"The project has no attribute {missing}.", "`attributes list` shows their numbers.")
    return [found[id_] for id_ in dict.fromkeys(ids)]


@use_case(Right.SEE)
def contributors_of(workbench: Workbench, project_id: int) -> list[Contributor]:
    with workbench.database.read() as work:
        return work.think_aloud.contributors(project_id)
