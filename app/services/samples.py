"""Which texts people and LLMs read while thinking aloud, and which texts that leaves for scoring."""

from dataclasses import dataclass
from statistics import fmean, pstdev

from app.corpora.sampling import documents_by_systems, stratified_sample
from app.domain.sample import Sample
from app.domain.text import Text
from app.errors import InputError, NotReadyError
from app.services.workbench import Workbench
from app.think_aloud.samples import SampleCandidate, choose_samples
from db.unit_of_work import UnitOfWork

OPTIONS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What samples take away from scoring: their documents, with how many of `all` the project's texts."""

    documents: int
    texts: int
    all: int


def held_out(workbench: Workbench, project_id: int, dimension_id: int) -> HeldOut:
    with workbench.database.read() as work:
        documents = _documents(work, dimension_id)
        texts = work.texts.count_of_documents(project_id, documents)
        return HeldOut(len(documents), texts, work.texts.count(project_id))


def samples_of(workbench: Workbench, dimension_id: int) -> list[Sample]:
    with workbench.database.read() as work:
        return work.think_aloud.samples(dimension_id)


def ensure_samples(workbench: Workbench, dimension_id: int) -> list[Sample]:
    """The dimension's samples, chosen across the score range if there are none yet.

    Raises NotReadyError where no text of the dimension is rated.
    """
    return samples_of(workbench, dimension_id) or rechoose_samples(workbench, dimension_id)


def rechoose_samples(workbench: Workbench, dimension_id: int) -> list[Sample]:
    """Other samples in place of all there are. Raises NotReadyError where no text of the dimension is rated."""
    with workbench.database.write() as work:
        candidates = _candidates(work, dimension_id)
        if not candidates:
            name = work.projects.dimension_by_id(dimension_id).name
            raise NotReadyError(f"No text is rated on {name}, so there are no samples to show.", "Import ratings.")
        chosen = choose_samples(list(candidates.values()))
        work.think_aloud.set_samples(dimension_id, [(c.text_id, c.score, "auto") for c in chosen])
        return work.think_aloud.samples(dimension_id)


def replace_sample(workbench: Workbench, dimension_id: int, position: int, text_id: int) -> list[Sample]:
    """Show another rated text in this place."""
    with workbench.database.write() as work:
        candidate = _candidates(work, dimension_id).get(text_id)
        if candidate is None:
            raise InputError("This text has no rating on the dimension.", "Choose a rated text.")
        samples = work.think_aloud.samples(dimension_id)
        if any(s.text.id == text_id and s.position != position for s in samples):
            raise InputError("This text is already one of the samples.", "Choose another.")
        work.think_aloud.set_samples(
            dimension_id,
            [
                (text_id, candidate.score, "hand") if s.position == position else (s.text.id, s.score, s.chosen_by)
                for s in samples
            ],
        )
        return work.think_aloud.samples(dimension_id)


@dataclass(frozen=True, slots=True)
class SampleOption:
    """A rated text that could be shown as a sample. `score` is the mean over its raters."""

    text: Text
    score: float


def sample_options(
    workbench: Workbench, dimension_id: int, near: float, search: str = "", limit: int = OPTIONS_SHOWN
) -> list[SampleOption]:
    """Rated texts that are no sample of the dimension yet, those with scores nearest to `near` first.

    `search` keeps texts that contain it, in the text or in the names of document and system; case doesn't matter.
    """
    wanted = search.strip().casefold()
    with workbench.database.read() as work:
        taken = {sample.text.id for sample in work.think_aloud.samples(dimension_id)}
        means = work.texts.mean_scores(dimension_id)
        order = sorted(means.keys() - taken, key=lambda text_id: (abs(means[text_id] - near), text_id))
        texts = work.texts.many(order if wanted else order[:limit])
    found = [SampleOption(texts[text_id], means[text_id]) for text_id in order if text_id in texts]
    if wanted:
        found = [o for o in found if any(wanted in part.casefold() for part in (*o.text.key, o.text.text))]
    return found[:limit]


def evaluation_texts(
    work: UnitOfWork, project_id: int, dimension_id: int, locked: bool = False
) -> tuple[list[Text], tuple[str, ...]]:
    """The texts to score on a dimension, and the documents left out because one of their texts was a sample.

    locked: those of the locked split instead of all others.
    """
    excluded = _documents(work, dimension_id)
    texts = (work.locked_texts if locked else work.texts).all(project_id)
    return [text for text in texts if text.doc_id not in excluded], excluded


def drawn(
    workbench: Workbench,
    project_id: int,
    dimension_id: int,
    share: float,
    seed: int,
    locked: bool = False,
    draw: tuple[int, int] | None = None,
) -> tuple[list[Text], tuple[str, ...]]:
    """The evaluation texts or a share of them, and the documents left out.

    A share is drawn from the rated texts so that their distribution of human scores is kept (InteractEval, section
    4.1); the same seed draws the same texts. draw: so many documents, so many systems of each, as the paper's code does
    it, instead of a share. The locked split is always taken whole.
    """
    if not 0 < share <= 1:
        raise InputError(f"{share:g} is not a share of the texts.", "Give a number above 0, up to 1 for all.")
    if locked and (share < 1 or draw):
        raise InputError("The locked split can't be sampled.", "Score it whole.")
    with workbench.database.read() as work:
        texts, excluded = evaluation_texts(work, project_id, dimension_id, locked)
        if share == 1 and draw is None:
            return texts, excluded
        scores = {c.text_id: c.score for c in _candidates(work, dimension_id).values()}
    rated = [text for text in texts if text.id in scores]
    if draw is not None:
        return [rated[index] for index in documents_by_systems(rated, *draw, seed)], excluded
    chosen = stratified_sample([scores[text.id] for text in rated], share, seed) if rated else []
    return [rated[index] for index in chosen], excluded


def _documents(work: UnitOfWork, dimension_id: int) -> tuple[str, ...]:
    """Those that the samples come from."""
    return tuple(sorted({sample.text.doc_id for sample in work.think_aloud.samples(dimension_id)}))


def _candidates(work: UnitOfWork, dimension_id: int) -> dict[int, SampleCandidate]:
    ratings: dict[int, list[float]] = {}
    for text_id, _, value in work.texts.ratings(dimension_id):
        ratings.setdefault(text_id, []).append(value)
    texts = work.texts.many(ratings)
    return {
        text_id: SampleCandidate(
            text_id=text_id,
            doc_id=texts[text_id].doc_id,
            score=fmean(values),
            rater_spread=pstdev(values),
            length=len(texts[text_id].text) + len(texts[text_id].source),
        )
        for text_id, values in ratings.items()
    }
