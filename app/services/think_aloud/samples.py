"""Samples that people and LLMs read while thinking aloud, and the texts that remain for scoring."""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from app.corpora.draws import documents_by_systems, stratified_draw
from app.domain.attribute import ContributorKind, Sample, SampleExclusions
from app.domain.project import Text, TextPlace, Verdict
from app.domain.roles_and_rights import Right
from app.domain.text_filter import EVERY_SYSTEM, SystemChoice
from app.errors import ConflictError, InputError, NotReadyError
from app.services.runtime.workbench import Workbench, use_case
from app.think_aloud.sample_choice import (
    SAMPLES,
    UnratedCandidate,
    choose_samples,
    draw_apart,
    draw_unrated,
    sample_candidate,
    sample_exclusions,
)
from db.unit_of_work import UnitOfWork

OPTIONS_SHOWN = 50
BLOCK = 500  # texts that are looked at together
MOST_SAMPLES = 20
LOOKED_AT = 1_000  # texts that are compared with each other for a diverse draw: a second or two


@dataclass(frozen=True, slots=True)
class SampleExclusionCounts:
    """The number of texts, of `all`, that samples keep out of scoring; `documents` is 0 if only the samples themselves
    are kept out."""

    documents: int
    texts: int
    all: int

    @property
    def alone(self) -> bool:
        return self.texts > 0 and not self.documents


@use_case(Right.SEE)
def sample_exclusion_counts(workbench: Workbench, project_id: int, dimension_id: int) -> SampleExclusionCounts:
    with workbench.database.read() as work:
        out = stored_sample_exclusions(work, project_id, dimension_id)
        texts = work.texts.count_of_documents(project_id, out.documents) + len(out.texts)
        return SampleExclusionCounts(len(out.documents), texts, work.texts.count(project_id))


def stored_sample_exclusions(work: UnitOfWork, project_id: int, dimension_id: int) -> SampleExclusions:
    """Return what the dimension's samples keep out of scoring: their documents, or if these are few only the samples.

    The rule counts held-out texts too, so that locking a split doesn't change it.
    """
    return sample_exclusions(
        ((sample.text.id, sample.text.doc_id) for sample in work.think_aloud.samples(dimension_id)),
        lambda documents: work.every_text.count_of_documents(project_id, documents),
        work.every_text.count(project_id),
    )


def samples_of(workbench: Workbench, dimension_id: int) -> list[Sample]:
    with workbench.database.read() as work:
        return work.think_aloud.samples(dimension_id)


@use_case(Right.TAKE_PART)
def ensure_samples(workbench: Workbench, dimension_id: int) -> list[Sample]:
    """Return the dimension's samples, chosen now if there are none. Raises NotReadyError if the project has no
    texts."""
    return samples_of(workbench, dimension_id) or rechoose_samples(workbench, dimension_id)


@use_case(Right.FACILITATE, act="chose the samples again")
def rechoose_samples(
    workbench: Workbench, dimension_id: int, seed: int = 0, count: int = SAMPLES, diverse: bool = False
) -> list[Sample]:
    """Replace all samples by others across the range of human scores. If fewer texts are rated than needed, unrated
    ones are drawn at random, or if `diverse` as unlike the earlier ones as possible in words, length and system.
    Another seed draws others.

    Raises NotReadyError if the project has no texts, InputError for fewer than one or more than MOST_SAMPLES.
    """
    if not 1 <= count <= MOST_SAMPLES:
        raise InputError(f"{count} samples can't be drawn.", f"Ask for 1 to {MOST_SAMPLES}.")
    with workbench.database.write() as work:
        candidates = [sample_candidate(*rated) for rated in _rated(work, dimension_id)]
        rated = choose_samples(candidates, count) if candidates else ()
        chosen: list[tuple[int, float | None, str]] = [(c.text_id, c.score, "auto") for c in rated]
        if len(rated) < count:
            project = work.projects.project_of(dimension_id)
            others = _unrated(work.texts.places(project.id), {c.text_id for c in candidates})
            documents = [c.doc_id for c in rated]
            wanted = count - len(rated)
            drawn = (
                _drawn_apart(work, others, wanted, seed, documents)
                if diverse
                else draw_unrated(others, wanted, seed, documents)
            )
            chosen += [(c.text_id, None, "diverse" if diverse else "auto") for c in drawn]
        if not chosen:
            raise NotReadyError(
                "The project has no texts, so there are no samples to read.",
                "Import some, on Texts or with `interacteval import`.",
            )
        work.think_aloud.set_samples(dimension_id, chosen)
        return work.think_aloud.samples(dimension_id)


def _rated(work: UnitOfWork, dimension_id: int) -> Iterable[tuple[int, str, int, list[float]]]:
    """Return `Texts.rated`; nothing if all ratings are experts' verdicts, which other experts must not see."""
    return work.texts.rated(dimension_id) if work.texts.rated_elsewhere(dimension_id) else ()


def _drawn_apart(
    work: UnitOfWork, candidates: Sequence[UnratedCandidate], count: int, seed: int, documents: Sequence[str]
) -> tuple[UnratedCandidate, ...]:
    """Draw diverse texts from at most LOOKED_AT random candidates. Words weigh as much as length and system
    together."""
    some = draw_unrated(candidates, LOOKED_AT, seed) if len(candidates) > LOOKED_AT else candidates
    texts = work.texts.many([candidate.text_id for candidate in some])
    from app.attribute_analysis.embedding import LsaEmbedder  # noqa: PLC0415 - takes seconds

    words = LsaEmbedder().embed([texts[candidate.text_id].text for candidate in some])
    lengths = [len(texts[candidate.text_id].text) for candidate in some]
    return draw_apart(some, words, lengths, count, seed, documents)


def _unrated(places: Iterable[TextPlace], rated: Container[int]) -> list[UnratedCandidate]:
    return [UnratedCandidate(place.id, place.doc_id, place.system_id) for place in places if place.id not in rated]


@use_case(Right.FACILITATE, act="replaced a sample")
def replace_sample(workbench: Workbench, dimension_id: int, position: int, text_id: int) -> list[Sample]:
    """Show another text in this place. Raises NotFoundError for a text that isn't in the project."""
    with workbench.database.write() as work:
        work.texts.in_project(work.projects.project_of(dimension_id).id, text_id)
        elsewhere = work.texts.rated_elsewhere(dimension_id)
        rated = work.texts.rated(dimension_id, only=text_id) if elsewhere else ()
        ratings = next((found for *_, found in rated), None)
        samples = work.think_aloud.samples(dimension_id)
        if any(s.text.id == text_id and s.position != position for s in samples):
            raise InputError("This text is already one of the samples.", "Choose another.")
        work.think_aloud.set_samples(
            dimension_id,
            [
                (text_id, fmean(ratings) if ratings else None, "hand")
                if s.position == position
                else (s.text.id, s.score, s.chosen_by)
                for s in samples
            ],
        )
        return work.think_aloud.samples(dimension_id)


@dataclass(frozen=True, slots=True)
class SampleOption:
    """A text that could be shown as a sample. `score` is the mean over its raters, None where it has none."""

    text: Text
    score: float | None


@use_case(Right.FACILITATE)
def sample_options(
    workbench: Workbench, dimension_id: int, near: float | None, search: str = "", limit: int = OPTIONS_SHOWN
) -> list[SampleOption]:
    """Return texts that aren't samples yet, by the distance of their scores from `near`, unrated ones last.

    `search` keeps texts that contain it, in the text or the names of document and system, ignoring case.
    """
    wanted = search.strip().casefold()
    with workbench.database.read() as work:
        taken = {sample.text.id for sample in work.think_aloud.samples(dimension_id)}
        means = work.texts.imported_means(dimension_id)
        aim = near if near is not None else 0.0
        order = sorted(means.keys() - taken, key=lambda text_id: (abs(means[text_id] - aim), text_id))
        if len(order) < limit or wanted:
            places = work.texts.places(work.projects.project_of(dimension_id).id)
            order += [place.id for place in places if place.id not in means and place.id not in taken]
        found: list[SampleOption] = []
        for start in range(0, len(order), BLOCK):
            some = order[start : start + BLOCK]
            texts = work.texts.many(some)
            options = [SampleOption(texts[text_id], means.get(text_id)) for text_id in some if text_id in texts]
            found += [o for o in options if any(wanted in part.casefold() for part in (*o.text.key, o.text.text))]
            if len(found) >= limit:
                break
    return found[:limit]


@use_case(Right.TAKE_PART)
def give_verdict(workbench: Workbench, dimension_id: int, expert: str, text_id: int, verdict: Verdict) -> None:
    """Store an expert's verdict on a text, replacing an earlier one; good and not good also count as ratings 1 and 0.

    Raises ConflictError if the dimension isn't binary, or a rating by this expert was imported; NotFoundError for a
    text that isn't in the project.
    """
    with workbench.database.write() as work:
        if not work.projects.dimension_by_id(dimension_id).binary:
            raise ConflictError(
                "This dimension is rated on a scale, not as good or not good.",
                "A facilitator can give it the range 0 to 1 on Texts, as long as no rating lies outside.",
            )
        project = work.projects.project_of(dimension_id)
        work.texts.in_project(project.id, text_id)
        who = work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN)
        work.texts.give_verdict(text_id, dimension_id, who, verdict)


@use_case(Right.TAKE_PART)
def verdicts_by(workbench: Workbench, dimension_id: int, expert: str) -> dict[int, Verdict]:
    """Return text id -> this expert's verdict."""
    with workbench.database.read() as work:
        return {text: verdict for text, name, verdict in work.texts.verdicts(dimension_id) if name == expert}


def evaluation_texts(
    work: UnitOfWork, project_id: int, dimension_id: int, locked: bool = False
) -> tuple[list[TextPlace], SampleExclusions]:
    """Return the texts to score on a dimension, and what its samples keep out.

    locked: the held-out texts instead of all others.
    """
    out = stored_sample_exclusions(work, project_id, dimension_id)
    texts = (work.held_out_texts if locked else work.texts).places(project_id)
    return [text for text in texts if not out.holds(text)], out


def drawn(
    workbench: Workbench,
    project_id: int,
    dimension_id: int,
    share: float,
    seed: int,
    locked: bool = False,
    draw: tuple[int, int] | None = None,
    systems: SystemChoice = EVERY_SYSTEM,
    among: Callable[[UnitOfWork, list[TextPlace]], list[TextPlace]] = lambda _, texts: texts,
) -> tuple[list[TextPlace], SampleExclusions]:
    """Return the evaluation texts or a share of them, and what is left out.

    A share is drawn from the rated texts so that the distribution of human scores is kept (InteractEval, section 4.1);
    the same seed draws the same texts. If nobody rated the dimension, it is drawn from all texts at random. draw:
    (documents, systems of each) instead of a share, as in the paper's code. The held-out split is always taken whole.
    systems: whose texts are scored or drawn from; among: a further filter.

    Raises NotReadyError with the reason if no text is left to score.
    """
    if not 0 < share <= 1:
        raise InputError(f"{share:g} is not a share of the texts.", "Give a number above 0, up to 1 for all.")
    if locked and (share < 1 or draw):
        raise InputError("Nothing can be drawn from the held-out split.", "Score it whole.")
    if share < 1 and draw:
        raise InputError("A share of the texts and a draw of documents are both asked for.", "Ask for one of them.")
    with workbench.database.read() as work:
        texts, out = evaluation_texts(work, project_id, dimension_id, locked)
        if not texts:
            raise _nothing_left(work, project_id, dimension_id, locked)
        systems.check({text.system_id for text in texts})
        texts = among(work, systems.of(texts))
        if not texts or (share == 1 and draw is None):
            return texts, out
        scores = {text: fmean(ratings) for text, _, _, ratings in _rated(work, dimension_id)}
        name = work.projects.dimension_by_id(dimension_id).name
    rated = [text for text in texts if text.id in scores] if scores else texts
    if not rated:
        raise NotReadyError(
            f"None of the texts left to score on {name} is rated, and a draw is made among the rated ones.",
            "Score all texts, or import ratings.",
        )
    if draw is not None:
        return [rated[index] for index in documents_by_systems(rated, *draw, seed)], out
    chosen = stratified_draw([scores.get(text.id, 0.0) for text in rated], share, seed)
    return [rated[index] for index in chosen], out


def _nothing_left(work: UnitOfWork, project_id: int, dimension_id: int, locked: bool) -> NotReadyError:
    """Return the error that says why there is nothing to score on a dimension."""
    name = work.projects.dimension_by_id(dimension_id).name
    everything, open_ = work.every_text.count(project_id), work.texts.count(project_id)
    if not everything:
        return NotReadyError(
            "The project has no texts to score.", "Import some, on Texts or with `interacteval import`."
        )
    if locked and open_ == everything:
        return NotReadyError("No text is locked away as a test.", "Lock a held-out split first.")
    where = "in the held-out split" if locked else "outside the held-out split"
    if not locked and not open_:
        return NotReadyError("All texts are in the held-out split.", "Score them with the held-out split chosen.")
    these = everything - open_ if locked else open_
    return NotReadyError(
        f"Nothing is left to score on {name}: all {these} texts {where if open_ < everything else 'of the project'} "
        "were read as samples, or belong to a document of which one was.",
        "Bring in texts that nobody has read as a sample; those that were read stay samples.",
    )
