"""Pages of a project's texts, and one text with its ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from app.domain.project import Text, text_title
from app.domain.roles_and_rights import Right
from app.domain.storable_text import storable
from app.errors import InputError
from app.services.runtime.workbench import Workbench, use_case

PAGE_SIZE = 20
SEARCH_LIMIT = 1000  # characters; SQLite refuses a pattern of more than 50,000 bytes, escapes included


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page of texts. `means`: (text id, dimension) -> mean over raters; `found` counts the texts on all `pages`."""

    texts: tuple[Text, ...]
    means: Mapping[tuple[int, str], float]
    found: int
    pages: int


@dataclass(frozen=True, slots=True)
class RatedText:
    """One text with its ratings: (dimension, rater, value), in the order of the dimensions."""

    text: Text
    ratings: tuple[tuple[str, str, float], ...]


@use_case(Right.READ)
def text_page(workbench: Workbench, project_id: int, number: int = 1, search: str = "") -> TextPage:
    """Return one page of texts, counted from 1; `search` looks in texts, documents and systems, ignoring case.

    Raises InputError for a too long search.
    """
    wanted = storable(search.strip())
    if len(wanted) > SEARCH_LIMIT:
        raise InputError(
            f"The search has {len(wanted):,} characters; {SEARCH_LIMIT:,} are the most.",
            "Search for a few words of the text.",
        )
    with workbench.database.read() as work:
        found = work.texts.count(project_id, wanted)
        texts = work.texts.page(project_id, (number - 1) * PAGE_SIZE, PAGE_SIZE, wanted)
        means = work.texts.mean_ratings([text.id for text in texts])
    return TextPage(tuple(texts), means, found, max(1, ceil(found / PAGE_SIZE)))


@use_case(Right.READ)
def text_titles(workbench: Workbench, project_id: int, text_ids: Sequence[int]) -> dict[int, str]:
    """Return text id -> title for lists; texts of other projects and held-out texts are left out."""
    with workbench.database.read() as work:
        found = work.texts.many(text_ids, project_id)
    return {text_id: text_title(text) for text_id, text in found.items()}


@use_case(Right.READ)
def rated_text(workbench: Workbench, project_id: int, text_id: int) -> RatedText:
    """Return a text with its ratings. Raises NotFoundError for a text that the project doesn't have."""
    with workbench.database.read() as work:
        return RatedText(work.texts.in_project(project_id, text_id), tuple(work.texts.ratings_of(text_id)))
