"""Texts and their human ratings."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import bindparam, func, insert
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, or_, select

from app.domain.attribute import Contributor
from app.domain.project import Rating, Scope, Text, TextPlace, Verdict
from app.errors import ConflictError, NotFoundError
from db.models.columns import now
from db.models.project import DimensionRow, RatingRow, TextRow, VerdictRow
from db.models.think_aloud import ContributorRow
from db.repositories.held_out_split import within
from db.repositories.repository import Query, Repository, rows_of, table_of

Key = tuple[str, str, str]
AT_A_TIME = 5_000  # rows that are fetched while others are worked on
BLOCK = 500  # ids that are named in one statement


_TEXTS, _RATINGS, _DIMENSIONS = table_of(TextRow), table_of(RatingRow), table_of(DimensionRow)
_DISTINCT = sql_select(
    func.count(func.distinct(_TEXTS.c.doc_id)), func.count(func.distinct(func.nullif(_TEXTS.c.system_id, "")))
).where(_TEXTS.c.project_id == bindparam("project"))
_RATING_COUNTS = (
    sql_select(_DIMENSIONS.c.name, func.count(_RATINGS.c.id), func.count(func.distinct(_RATINGS.c.rater)))
    .where(_RATINGS.c.dimension_id == _DIMENSIONS.c.id, _DIMENSIONS.c.project_id == bindparam("project"))
    .group_by(_DIMENSIONS.c.name)
)


@cache
def _count(scope: Scope) -> Query:
    return sql_select(func.count(_TEXTS.c.id)).where(
        _TEXTS.c.project_id == bindparam("project"), *within(scope, _TEXTS.c.id)
    )


@cache
def _count_of_documents(scope: Scope) -> Query:
    return _count(scope).where(_TEXTS.c.doc_id.in_(bindparam("documents", expanding=True)))


@cache
def _text(scope: Scope) -> Query:
    return sql_select(_TEXTS).where(_TEXTS.c.id == bindparam("text"), *within(scope, _TEXTS.c.id))


class Texts(Repository):
    """The texts of one scope. Keys for imports, and bare counts of ratings, cover all texts."""

    def __init__(self, session: Session, scope: Scope = Scope.OPEN) -> None:
        super().__init__(session)
        self._scope = scope

    def ids_by_key(self, project_id: int) -> dict[Key, int]:
        """Return ids of every text, also locked ones, by the keys that a file may name."""
        return {place.key: place.id for place in Texts(self._session, Scope.EVERY).places(project_id)}

    def add_many(self, project_id: int, texts: Sequence[Text]) -> None:
        """Add texts whose keys are new to the project."""
        if texts:
            about = {"project_id": project_id, "imported_at": now()}
            self._session.execute(insert(TextRow), [about | text_columns(text) for text in texts])

    def add_ratings(self, ratings: Sequence[tuple[int, int, Rating]]) -> None:
        """Add ratings (text id, dimension id, rating); none of them may exist."""
        values = [
            {"text_id": text, "dimension_id": dimension, "rater": rating.rater, "value": rating.value}
            for text, dimension, rating in ratings
        ]
        if values:
            self._session.execute(insert(RatingRow), values)

    def give_verdict(self, text_id: int, dimension_id: int, contributor: Contributor, verdict: Verdict) -> None:
        """Save a verdict in place of an earlier one; good and not good are also saved as a rating.

        Raises ConflictError if a rating of that name came from elsewhere: it stays.
        """
        where = VerdictRow.text_id == text_id, VerdictRow.dimension_id == dimension_id
        row = self._session.exec(
            select(VerdictRow).where(*where, VerdictRow.contributor_id == contributor.id)
        ).one_or_none()
        rating = self._session.exec(
            select(RatingRow).where(
                RatingRow.text_id == text_id,
                RatingRow.dimension_id == dimension_id,
                RatingRow.rater == contributor.name,
            )
        ).one_or_none()
        if row is None and rating is not None:
            raise ConflictError(
                f"{contributor.name}'s rating of this text came with the data.", "Give a name of your own."
            )
        row = row or VerdictRow(text_id=text_id, dimension_id=dimension_id, contributor_id=contributor.id, verdict="")
        row.verdict = verdict.value
        self._session.add(row)
        if rating is not None:
            self._session.delete(rating)
            self._session.flush()
        if verdict.rating is not None:
            self.add_ratings([(text_id, dimension_id, Rating("", contributor.name, verdict.rating))])

    def rated_elsewhere(self, dimension_id: int) -> bool:
        """Return whether a dimension has ratings that are no verdicts: they came with the data, and everybody may see
        them."""
        ratings = select(func.count(col(RatingRow.id))).where(RatingRow.dimension_id == dimension_id)
        given = select(func.count(col(VerdictRow.id))).where(
            VerdictRow.dimension_id == dimension_id, VerdictRow.verdict != Verdict.CANT_SAY.value
        )
        return self._session.exec(ratings).one() > self._session.exec(given).one()

    def imported_means(self, dimension_id: int) -> dict[int, float]:
        """Return means as `mean_scores`; {} if all ratings are verdicts, which only exist for texts that somebody was
        to read."""
        return self.mean_scores(dimension_id) if self.rated_elsewhere(dimension_id) else {}

    def verdicts(self, dimension_id: int) -> list[tuple[int, str, Verdict]]:
        """Return (text id, expert, verdict) of all experts on a dimension, in the order they were first given."""
        rows = self._session.exec(
            select(VerdictRow.text_id, ContributorRow.name, VerdictRow.verdict)
            .join(ContributorRow, col(ContributorRow.id) == VerdictRow.contributor_id)
            .where(VerdictRow.dimension_id == dimension_id, *within(self._scope, VerdictRow.text_id))
            .order_by(col(VerdictRow.id))
        )
        return [(text_id, name, Verdict(verdict)) for text_id, name, verdict in rows]

    def all(self, project_id: int) -> list[Text]:
        query = select(TextRow).where(TextRow.project_id == project_id, *within(self._scope, TextRow.id))
        return [text_value(row) for row in self._session.exec(query.order_by(col(TextRow.id)))]

    def places(self, project_id: int) -> list[TextPlace]:
        """Return every text's place, in import order. Equal names are one string."""
        rows = self._session.execute(
            select(TextRow.id, TextRow.doc_id, TextRow.system_id, TextRow.item_id)
            .where(TextRow.project_id == project_id, *within(self._scope, TextRow.id))
            .order_by(col(TextRow.id)),
            execution_options={"yield_per": AT_A_TIME},
        )
        names: dict[str, str] = {}
        return [TextPlace(int(text), *(names.setdefault(name, name) for name in key)) for text, *key in rows]

    def documents_by_text(self, project_id: int) -> dict[int, str]:
        """Return text id -> its document, of every text."""
        return {place.id: place.doc_id for place in self.places(project_id)}

    def ids(self, project_id: int) -> "array[int]":
        """Return the ids of every text, in import order; 64 bits each."""
        rows = self._session.scalars(
            select(TextRow.id)
            .where(TextRow.project_id == project_id, *within(self._scope, TextRow.id))
            .order_by(col(TextRow.id)),
            execution_options={"yield_per": AT_A_TIME},
        )
        return array("q", rows)

    def keys_of(self, text_ids: Sequence[int]) -> dict[int, Key]:
        """Return id -> (doc_id, system_id, item_id)."""
        found: dict[int, Key] = {}
        for start in range(0, len(text_ids), BLOCK):
            some = col(TextRow.id).in_(text_ids[start : start + BLOCK]), *within(self._scope, TextRow.id)
            rows = self._session.exec(
                select(TextRow.id, TextRow.doc_id, TextRow.system_id, TextRow.item_id).where(*some)
            )
            found |= {int(text or 0): (document, system, item) for text, document, system, item in rows}
        return found

    def imported_since(self, project_id: int, since: datetime) -> frozenset[int]:
        """Return the ids of the texts imported then or later; texts without a recorded time are left out."""
        query = select(TextRow.id).where(
            TextRow.project_id == project_id, col(TextRow.imported_at) >= since, *within(self._scope, TextRow.id)
        )
        return frozenset(int(text or 0) for text in self._session.exec(query))

    def extras(self, text_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Return id -> the columns of its file that are no field of a text."""
        found: dict[int, dict[str, Any]] = {}
        for start in range(0, len(text_ids), BLOCK):
            some = col(TextRow.id).in_(text_ids[start : start + BLOCK]), *within(self._scope, TextRow.id)
            rows = self._session.exec(select(TextRow.id, TextRow.extra).where(*some))
            found |= {int(text or 0): dict(extra) for text, extra in rows}
        return found

    def count(self, project_id: int, search: str = "") -> int:
        if not search:
            return int(rows_of(self._session, _count(self._scope), project=project_id)[0][0])
        query = select(func.count()).select_from(TextRow)
        return self._session.exec(query.where(*self._matches(project_id, search))).one()

    def count_of_documents(self, project_id: int, doc_ids: Sequence[str]) -> int:
        """Return how many texts belong to these documents."""
        query = _count_of_documents(self._scope)
        return int(rows_of(self._session, query, project=project_id, documents=list(doc_ids))[0][0])

    def after(self, project_id: int, text_id: int, limit: int) -> list[Text]:
        """Return the next texts in import order. Late ones take no longer than early ones."""
        matches = self._matches(project_id, "")
        rows = self._session.exec(
            select(TextRow).where(*matches, col(TextRow.id) > text_id).order_by(col(TextRow.id)).limit(limit)
        )
        return [text_value(row) for row in rows]

    def page(self, project_id: int, offset: int, limit: int, search: str = "") -> list[Text]:
        rows = self._session.exec(
            select(TextRow)
            .where(*self._matches(project_id, search))
            .order_by(col(TextRow.id))
            .offset(offset)
            .limit(limit)
        )
        return [text_value(row) for row in rows]

    def in_project(self, project_id: int, text_id: int) -> Text:
        row = self._row(text_id)
        if row is None or row.project_id != project_id:
            raise NotFoundError("This text is not in the project.", "Go back to the list.")
        return text_value(row)

    def get(self, text_id: int) -> Text:
        row = self._row(text_id)
        if row is None:
            raise NotFoundError("This text is no longer there.", "Reload the page.")
        return text_value(row)

    def many(self, text_ids: Iterable[int], project_id: int | None = None) -> dict[int, Text]:
        """Return the texts of these ids that exist, of one project where it is given."""
        wanted = list(text_ids)
        of_project = [] if project_id is None else [TextRow.project_id == project_id]
        found: dict[int, Text] = {}
        for start in range(0, len(wanted), BLOCK):
            rows = self._session.exec(
                select(TextRow).where(
                    col(TextRow.id).in_(wanted[start : start + BLOCK]), *of_project, *within(self._scope, TextRow.id)
                )
            )
            found.update({int(row.id or 0): text_value(row) for row in rows})
        return found

    def each_wording(self, text_ids: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Yield (text id, its content), read on demand."""
        for start in range(0, len(text_ids), BLOCK):
            some = col(TextRow.id).in_(text_ids[start : start + BLOCK]), *within(self._scope, TextRow.id)
            rows = self._session.execute(select(TextRow.id, TextRow.text).where(*some))
            yield from map(tuple, rows)

    def rated(self, dimension_id: int, only: int | None = None) -> Iterator[tuple[int, str, int, list[float]]]:
        """Yield (text id, document, characters to read, its ratings) of every rated text, or only of one, read on
        demand."""
        of_text = [] if only is None else [RatingRow.text_id == only]
        length = func.length(TextRow.text) + func.length(TextRow.source)
        rows = self._session.execute(
            select(RatingRow.text_id, TextRow.doc_id, length, RatingRow.value)
            .join(TextRow, col(TextRow.id) == RatingRow.text_id)
            .where(RatingRow.dimension_id == dimension_id, *of_text, *within(self._scope, RatingRow.text_id))
            .order_by(col(RatingRow.text_id), col(RatingRow.rater)),
            execution_options={"yield_per": AT_A_TIME},
        )
        for (text, document, characters), found in groupby(rows, itemgetter(0, 1, 2)):
            yield text, document, characters, [row[3] for row in found]

    def each_rating(self, dimension_id: int) -> Iterator[tuple[int, str, float]]:
        """Yield as `ratings`, read on demand."""
        rows = self._session.execute(
            select(RatingRow.text_id, RatingRow.rater, RatingRow.value)
            .where(RatingRow.dimension_id == dimension_id, *within(self._scope, RatingRow.text_id))
            .order_by(col(RatingRow.text_id), col(RatingRow.rater)),
            execution_options={"yield_per": AT_A_TIME},
        )
        yield from map(tuple, rows)

    def ratings(self, dimension_id: int) -> list[tuple[int, str, float]]:
        """Return (text id, rater, value) of every rating on a dimension."""
        return list(self.each_rating(dimension_id))

    def ratings_of(self, text_id: int) -> list[tuple[str, str, float]]:
        """Return (dimension, rater, value) of every rating of one text, in the order of the dimensions."""
        rows = self._session.exec(
            select(DimensionRow.name, RatingRow.rater, RatingRow.value)
            .join(DimensionRow, col(DimensionRow.id) == RatingRow.dimension_id)
            .where(RatingRow.text_id == text_id, *within(self._scope, RatingRow.text_id))
            .order_by(col(DimensionRow.position), col(RatingRow.rater))
        )
        return [(dimension, rater, value) for dimension, rater, value in rows]

    def mean_ratings(self, text_ids: Sequence[int]) -> dict[tuple[int, str], float]:
        """Return (text id, dimension) -> mean over raters, for a page of texts."""
        rows = self._session.exec(
            select(RatingRow.text_id, DimensionRow.name, func.avg(RatingRow.value))
            .join(DimensionRow, col(DimensionRow.id) == RatingRow.dimension_id)
            .where(col(RatingRow.text_id).in_(text_ids), *within(self._scope, RatingRow.text_id))
            .group_by(col(RatingRow.text_id), DimensionRow.name)
        )
        return {(text_id, dimension): float(mean) for text_id, dimension, mean in rows}

    def mean_scores(self, dimension_id: int) -> dict[int, float]:
        """Return text id -> mean over raters, for every text that is rated on a dimension."""
        rows = self._session.exec(
            select(RatingRow.text_id, func.avg(RatingRow.value))
            .where(RatingRow.dimension_id == dimension_id, *within(self._scope, RatingRow.text_id))
            .group_by(col(RatingRow.text_id))
        )
        return {text_id: float(mean) for text_id, mean in rows}

    def rating_range(self, dimension_id: int) -> tuple[float, float] | None:
        """Return the lowest and the highest rating on a dimension; None without ratings."""
        low, high = self._session.exec(
            select(func.min(RatingRow.value), func.max(RatingRow.value)).where(RatingRow.dimension_id == dimension_id)
        ).one()
        return None if low is None else (low, high)

    def rater_ranges(self, dimension_id: int) -> list[tuple[str, int, float, float, float]]:
        """Return (rater, ratings, lowest, highest, mean) of every rater of a dimension, by name."""
        value = col(RatingRow.value)
        rows = self._session.exec(
            select(RatingRow.rater, func.count(value), func.min(value), func.max(value), func.avg(value))  # type: ignore[call-overload]
            .where(RatingRow.dimension_id == dimension_id, *within(self._scope, RatingRow.text_id))
            .group_by(RatingRow.rater)
            .order_by(RatingRow.rater)
        )
        return [(rater, n, low, high, float(mean)) for rater, n, low, high, mean in rows]

    def rating_counts(self, project_id: int) -> dict[str, tuple[int, int]]:
        """Return dimension name -> (ratings, raters)."""
        rows = rows_of(self._session, _RATING_COUNTS, project=project_id)
        return {name: (ratings, raters) for name, ratings, raters in rows}

    def documents(self, project_id: int) -> list[str]:
        """Return the documents, each once, in order."""
        query = select(TextRow.doc_id).where(TextRow.project_id == project_id, *within(self._scope, TextRow.id))
        return list(self._session.exec(query.distinct().order_by(TextRow.doc_id)))

    def systems(self, project_id: int) -> list[str]:
        """Return the named systems, sorted by name."""
        rows = self._session.exec(
            select(TextRow.system_id)
            .where(TextRow.project_id == project_id, TextRow.system_id != "", *within(self._scope, TextRow.id))
            .distinct()
            .order_by(TextRow.system_id)
        )
        return list(rows)

    def distinct(self, project_id: int) -> tuple[int, int]:
        """Return how many sources and how many named systems the project's texts have."""
        ((sources, systems),) = rows_of(self._session, _DISTINCT, project=project_id)
        return sources, systems

    def _row(self, text_id: int) -> Any:
        return next(iter(rows_of(self._session, _text(self._scope), text=text_id)), None)

    def _matches(self, project_id: int, search: str) -> list[Any]:
        clauses: list[Any] = [TextRow.project_id == project_id, *within(self._scope, TextRow.id)]
        if search:
            clauses.append(
                or_(
                    col(TextRow.text).icontains(search, autoescape=True),
                    col(TextRow.doc_id).icontains(search, autoescape=True),
                    col(TextRow.system_id).icontains(search, autoescape=True),
                )
            )
        return clauses


def text_columns(text: Text) -> dict[str, Any]:
    return {
        "doc_id": text.doc_id,
        "system_id": text.system_id,
        "item_id": text.item_id,
        "source": text.source,
        "text": text.text,
        "references": list(text.references),
        "extra": dict(text.extra),
    }


def text_value(row: Any) -> Text:
    return Text(
        doc_id=row.doc_id,
        text=row.text,
        system_id=row.system_id,
        item_id=row.item_id,
        source=row.source,
        references=tuple(row.references),
        extra=row.extra,
        id=row.id,
    )
