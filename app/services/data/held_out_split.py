"""A held-out split: drawn once, hidden from everything but the judge, and looked at only deliberately.

The database enforces it: `work.texts` and `work.results` leave the held-out texts out (docs/adr/0010).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from app.corpora.draws import stratified_draw
from app.domain.project import HeldOutSplit
from app.domain.roles_and_rights import Right
from app.errors import ConflictError, InputError, NotReadyError
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class SplitState:
    """A held-out split with counts.

    texts: number of held-out texts now, including later imports into its documents. scored_before: how many of them
    already had a score when locked, so that somebody may have seen results on them. earlier: splits opened since.
    """

    split: HeldOutSplit
    documents_all: int
    texts: int
    texts_all: int
    scored_before: int
    earlier: tuple[HeldOutSplit, ...] = ()


@use_case(Right.FACILITATE, act="locked a held-out split")
def lock(workbench: Workbench, project_id: int, share: float, seed: int, who: str) -> SplitState:
    """Hold out a share of the rated documents, drawn so that their ratings are distributed as in all; if only experts
    rated texts while reading, of all documents at random.

    Documents that people have read can't be drawn: those of think-aloud samples, of texts that experts answer questions
    on, and of decided texts. Raises InputError, ConflictError if a split exists, NotReadyError if too few documents are
    rated.
    """
    name = require_name(who)
    if not 0 < share < 1:
        raise InputError(f"{share:g} is not a share of the documents.", "Give a number between 0 and 1, such as 0.2.")
    with workbench.database.write() as work:
        if _locked(work, project_id):
            raise ConflictError("This project has a held-out split already.", "Open it before another is drawn.")
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
        work.held_out_splits.lock(project_id, drawn, share, seed, name)
        return _state(work, project_id, work.held_out_splits.of(project_id))


@use_case(Right.SEE)
def state_of(workbench: Workbench, project_id: int) -> SplitState | None:
    """Return the state of the held-out split, None without one."""
    with workbench.database.read() as work:
        found = work.held_out_splits.of(project_id)
        return _state(work, project_id, found) if found and found[0].opened_at is None else None


@use_case(Right.SEE)
def opened_splits(workbench: Workbench, project_id: int) -> list[HeldOutSplit]:
    """Return splits that were opened, newest first."""
    with workbench.database.read() as work:
        return [split for split in work.held_out_splits.of(project_id) if split.opened_at is not None]


@use_case(Right.FACILITATE, act="opened the held-out split")
def open_split(workbench: Workbench, project_id: int, who: str) -> None:
    """Open the split: its texts become ordinary texts. The split stays on record. Raises NotReadyError without one."""
    name = require_name(who)
    with workbench.database.write() as work:
        work.held_out_splits.open(require_split(work, project_id).id, name)


@use_case(Right.SEE)
def held_out_runs(workbench: Workbench, project_id: int) -> list[int]:
    """Return the ids of runs with scores on held-out texts, newest first."""
    with workbench.database.read() as work:
        return work.held_out_splits.runs_with_scores(project_id)


def require_name(who: str) -> str:
    """Return the name. Raises InputError if it is empty."""
    if not who.strip():
        raise InputError("Nobody is named.", "Say who you are: it stays with the split.")
    return who.strip()


def _locked(work: UnitOfWork, project_id: int) -> HeldOutSplit | None:
    return next((split for split in work.held_out_splits.of(project_id) if split.opened_at is None), None)


def require_split(work: UnitOfWork, project_id: int) -> HeldOutSplit:
    """Return the held-out split. Raises NotReadyError without one."""
    split = _locked(work, project_id)
    if split is None:
        raise NotReadyError("This project has no held-out split.", "Lock one first.")
    return split


def _document_means(work: UnitOfWork, project_id: int) -> dict[str, float]:
    """Return document -> mean rating as a share of the scale, over its texts, raters and dimensions; only imported
    ratings."""
    document_of = work.texts.documents_by_text(project_id)
    shares: dict[str, list[float]] = {}
    for dimension in work.projects.dimensions(project_id):
        for text_id, mean in work.texts.imported_means(dimension.id).items():
            share = (mean - dimension.low) / (dimension.high - dimension.low)
            shares.setdefault(document_of[text_id], []).append(share)
    return {document: fmean(found) for document, found in shares.items()}


def _state(work: UnitOfWork, project_id: int, splits: Sequence[HeldOutSplit]) -> SplitState:
    documents, _ = work.every_text.distinct(project_id)
    return SplitState(
        split=splits[0],
        documents_all=documents,
        texts=work.held_out_texts.count(project_id),
        texts_all=work.every_text.count(project_id),
        scored_before=work.held_out_splits.scored_before(splits[0].id),
        earlier=tuple(splits[1:]),
    )
