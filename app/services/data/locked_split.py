"""A test split under lock: drawn once, kept from everything but the judge, and looked at only on purpose.

The lock itself is in the database: `work.texts` and `work.results` answer as if the locked texts weren't there
(docs/adr/0010).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from app.corpora.draws import stratified_draw
from app.domain.people import Right
from app.domain.project import LockedSplit
from app.errors import ConflictError, InputError, NotReadyError
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class SplitState:
    """A locked split beside what it was drawn from.

    texts: how many are locked now, later imports into its documents included. scored_before: how many of them had a
    score already when they were locked, so that somebody may have seen results on them. earlier: splits opened since.
    """

    split: LockedSplit
    documents_all: int
    texts: int
    texts_all: int
    scored_before: int
    earlier: tuple[LockedSplit, ...] = ()


@use_case(Right.FACILITATE, act="locked a test split")
def lock(workbench: Workbench, project_id: int, share: float, seed: int, who: str) -> SplitState:
    """Lock a share of the rated documents, drawn so that they are rated like the whole; of all, by chance, where none
    is rated but by experts while they read.

    Documents of think-aloud samples and of texts that experts answer questions on, or that somebody decided about, have
    been read and can't be drawn.
    Raises InputError, ConflictError where a split is locked already, NotReadyError where too few documents are rated.
    """
    name = require_name(who)
    if not 0 < share < 1:
        raise InputError(f"{share:g} is not a share of the documents.", "Give a number between 0 and 1, such as 0.2.")
    with workbench.database.write() as work:
        if _locked(work, project_id):
            raise ConflictError("This project has a locked split already.", "Open it before another is drawn.")
        rated = _document_means(work, project_id)
        means = rated or dict.fromkeys(work.texts.documents(project_id), 0.0)
        read = {s.text.doc_id for d in work.projects.dimensions(project_id) for s in work.think_aloud.samples(d.id)}
        answered = {*work.expert_answers.drawn_texts(project_id), *work.decisions.texts_of_project(project_id)}
        read |= {text.doc_id for text in work.texts.many(answered).values()}
        free = sorted(means.keys() - read)
        if not means:
            raise NotReadyError("The project has no texts to lock.", "Import some first, on Texts.")
        if len(means) < 2 or not free:
            raise NotReadyError(
                f"Only {len(free)} of {len(means)} {'rated ' if rated else ''}documents can be locked; "
                "experts read the others.",
                "A split needs at least two such documents, one of them without a sample.",
            )
        wanted = min(1.0, share * len(means) / len(free))
        drawn = [free[index] for index in stratified_draw([means[doc] for doc in free], wanted, seed)]
        if len(drawn) == len(means):
            raise InputError("Nothing would be left to work with.", "Lock a smaller share.")
        work.locked_splits.lock(project_id, drawn, share, seed, name)
        return _state(work, project_id, work.locked_splits.of(project_id))


@use_case(Right.SEE)
def state_of(workbench: Workbench, project_id: int) -> SplitState | None:
    """None where nothing is locked."""
    with workbench.database.read() as work:
        found = work.locked_splits.of(project_id)
        return _state(work, project_id, found) if found and found[0].opened_at is None else None


@use_case(Right.SEE)
def opened_splits(workbench: Workbench, project_id: int) -> list[LockedSplit]:
    """Splits that were locked once, newest first."""
    with workbench.database.read() as work:
        return [split for split in work.locked_splits.of(project_id) if split.opened_at is not None]


@use_case(Right.FACILITATE, act="opened the locked split")
def open_split(workbench: Workbench, project_id: int, who: str) -> None:
    """From now on its texts are texts like others. It stays on record. Raises NotReadyError where nothing is locked."""
    name = require_name(who)
    with workbench.database.write() as work:
        work.locked_splits.open(require_split(work, project_id).id, name)


@use_case(Right.SEE)
def locked_runs(workbench: Workbench, project_id: int) -> list[int]:
    """The runs with scores on locked texts, newest first."""
    with workbench.database.read() as work:
        return work.locked_splits.runs_with_scores(project_id)


def require_name(who: str) -> str:
    """Raises InputError where nobody is named."""
    if not who.strip():
        raise InputError("Nobody is named.", "Say who you are: it stays with the split.")
    return who.strip()


def _locked(work: UnitOfWork, project_id: int) -> LockedSplit | None:
    return next((split for split in work.locked_splits.of(project_id) if split.opened_at is None), None)


def require_split(work: UnitOfWork, project_id: int) -> LockedSplit:
    """Raises NotReadyError where nothing is locked."""
    split = _locked(work, project_id)
    if split is None:
        raise NotReadyError("This project has no locked split.", "Lock one first.")
    return split


def _document_means(work: UnitOfWork, project_id: int) -> dict[str, float]:
    """Document -> mean rating as a share of the scale, over its texts, raters and dimensions; only rated ones, and
    nothing of experts' verdicts."""
    document_of = work.texts.documents_by_text(project_id)
    shares: dict[str, list[float]] = {}
    for dimension in work.projects.dimensions(project_id):
        for text_id, mean in work.texts.imported_means(dimension.id).items():
            share = (mean - dimension.low) / (dimension.high - dimension.low)
            shares.setdefault(document_of[text_id], []).append(share)
    return {document: fmean(found) for document, found in shares.items()}


def _state(work: UnitOfWork, project_id: int, splits: Sequence[LockedSplit]) -> SplitState:
    documents, _ = work.every_text.distinct(project_id)
    return SplitState(
        split=splits[0],
        documents_all=documents,
        texts=work.locked_texts.count(project_id),
        texts_all=work.every_text.count(project_id),
        scored_before=work.locked_splits.scored_before(splits[0].id),
        earlier=tuple(splits[1:]),
    )
