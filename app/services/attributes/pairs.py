"""Pairs of texts: experts say which is better and why, and models say what the better ones have."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.corpora.draws import draw_pairs
from app.domain.attribute import ContributorKind
from app.domain.expert_answer import DEFAULT_CONTRASTS, DEFAULT_PAIRS, MOST_PAIRS, PairDraw, Preference, Winner
from app.domain.model_call import model_label
from app.domain.project import Dimension, Project, Text
from app.domain.repeated_attributes import same_attribute, without_repeats
from app.domain.roles_and_rights import Right
from app.domain.storable_text import check_storable
from app.errors import InputError, NotReadyError, WorkbenchError
from app.limits import LONGEST_FIELD
from app.providers.model_options import ModelOptions
from app.services.background.jobs import start_job, stop_job
from app.services.background.progress import Progress, job_kind
from app.services.runtime.models import ask_model
from app.services.runtime.prompts import answered
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.independence import insert_attributes, not_removed
from app.services.think_aloud.llm_think_aloud import ThinkAloudAnswer
from app.think_aloud.elicitation import CONTRAST_PROMPT, Contrast, contrast_attributes
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two texts of one source as one expert sees them. `said`: which one they found better, A for the left one."""

    left: Text
    right: Text
    said: Winner | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PairSheet:
    """One expert's pairs on a dimension, in the order that was drawn for them."""

    expert: str
    pairs: tuple[ShownPair, ...]

    @property
    def done(self) -> int:
        return sum(pair.said is not None for pair in self.pairs)


@use_case(Right.FACILITATE, act="drew pairs for experts", about="count")
def draw_pairs_for_experts(
    workbench: Workbench, dimension_id: int, count: int = DEFAULT_PAIRS, seed: int = 1, who: str = ""
) -> PairDraw:
    """Draw pairs of texts of one source for all experts, replacing the earlier draw; experts' answers on earlier pairs
    stay. Raises InputError for a count out of range, NotReadyError if no source has two texts."""
    if not 1 <= count <= MOST_PAIRS:
        raise InputError(f"{count} pairs can't be drawn.", f"Ask for 1 to {MOST_PAIRS}.")
    with workbench.database.write() as work:
        places = work.texts.places(work.projects.project_of(dimension_id).id)
        found = draw_pairs(list(places), count, seed)
        if not found:
            raise NotReadyError("No source has two texts, so there is nothing to compare.", "Import more texts.")
        return work.preferences.draw(dimension_id, found, who)


@use_case(Right.TAKE_PART)
def pair_sheet(workbench: Workbench, dimension_id: int, expert: str) -> PairSheet | None:
    """Return an expert's pairs, None if no pairs are drawn. Order and sides are random for each expert and then fixed.
    Pairs with deleted or held-out texts are left out."""
    with workbench.database.read() as work:
        draw = work.preferences.draw_of(dimension_id)
        if draw is None:
            return None
        texts = work.texts.many([text for pair in draw.pairs for text in pair])
        said = {one.key: one for one in work.preferences.of(dimension_id) if one.rater == expert}
    pairs = []
    for left, right in _as_shown(draw, expert):
        if left not in texts or right not in texts:
            continue
        one = said.get((left, right)) or said.get((right, left))
        winner = None if one is None else one.winner if one.a.id == left else one.winner.swapped
        pairs.append(ShownPair(texts[left], texts[right], winner, one.reason if one else ""))
    return PairSheet(expert, tuple(pairs))


def _as_shown(draw: PairDraw, expert: str) -> list[tuple[int, int]]:
    chance = random.Random(f"{draw.id} {expert}")  # noqa: S311 - an order, no secret
    pairs = [pair if chance.random() < 0.5 else pair[::-1] for pair in draw.pairs]
    chance.shuffle(pairs)
    return pairs


@use_case(Right.FACILITATE)
def pair_progress(workbench: Workbench, dimension_id: int) -> tuple[int, dict[str, int]]:
    """Return the number of drawn pairs, and expert -> number of pairs compared; the answers themselves stay hidden."""
    with workbench.database.read() as work:
        draw = work.preferences.draw_of(dimension_id)
        drawn = {frozenset(pair) for pair in draw.pairs} if draw else set()
        said = [one.rater for one in work.preferences.of(dimension_id) if frozenset(one.key) in drawn]
    return len(drawn), dict(sorted(Counter(said).items()))


@use_case(Right.TAKE_PART)
def say_preference(
    workbench: Workbench, dimension_id: int, expert: str, left_id: int, right_id: int, winner: Winner, reason: str = ""
) -> None:
    """Store which of two drawn texts this expert finds better, A for the left one, replacing their earlier answer.

    A reason becomes an attribute of theirs with its pair, unless they already have one with the same words. Raises
    InputError for a pair that isn't drawn and for a reason that is too long.
    """
    why = " ".join(reason.split())
    check_storable(why, "The reason")
    if len(why) > LONGEST_FIELD:
        raise InputError(f"A reason has at most {LONGEST_FIELD:,} characters.", "Say it in fewer words.")
    with workbench.database.write() as work:
        draw = work.preferences.draw_of(dimension_id)
        pair = next((one for one in draw.pairs if set(one) == {left_id, right_id}), None) if draw else None
        if pair is None:
            raise InputError("This pair isn't among those drawn.", "Reload the page.")
        stored = winner if pair[0] == left_id else winner.swapped
        attribute = _reason(work, dimension_id, expert, why) if why else None
        work.preferences.say(dimension_id, expert, pair, stored, why, attribute)


def _reason(work: UnitOfWork, dimension_id: int, expert: str, reason: str) -> int:
    """Return the id of the expert's attribute with these words, added if missing."""
    project = work.projects.project_of(dimension_id)
    who = work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN)
    own = not_removed(work.think_aloud.written_about(project.id, dimension_id, expert))
    if number := same_attribute(reason, own):
        return own[number - 1].id
    return insert_attributes(work, dimension_id, who, [reason], about_pairs=True)[0]


@use_case(Right.FACILITATE)
def contrastable(workbench: Workbench, dimension_id: int) -> int:
    """Return the number of pairs with a majority preference."""
    with workbench.database.read() as work:
        return len(_decided(work.preferences.of(dimension_id)))


@use_case(Right.FACILITATE, act="asked a model for contrasts", about="model")
def ask_contrasts(
    workbench: Workbench,
    project: Project,
    dimension: Dimension,
    model: str,
    count: int = DEFAULT_CONTRASTS,
    seed: int = 1,
) -> ThinkAloudAnswer:
    """Ask a model what the better texts have that the others lack, for up to `count` random pairs with a majority
    preference. The answers become attributes of the model; repeated ones are only counted.

    The model sees no reason and no other attribute. Raises NotReadyError without a pair, and errors of the model, which
    are stored.
    """
    with workbench.database.read() as work:
        decided = _decided(work.preferences.of(dimension.id))
        chosen = random.Random(seed).sample(decided, min(count, len(decided)))  # noqa: S311
        texts = work.texts.many([text for pair in chosen for text in pair])
    pairs = [Contrast(texts[better].source, texts[better].text, texts[worse].text) for better, worse in chosen]
    if not pairs:
        raise NotReadyError(
            f"There are no pairs on {dimension.name} of which people found one text better.",
            "Import preferences, or have experts compare texts on Which is better.",
        )
    said, _ = ask_model(
        workbench,
        project.id,
        model,
        lambda opened: contrast_attributes(opened, project.task, dimension, pairs),
        on_record=(dimension.id, CONTRAST_PROMPT),
    )
    with workbench.database.write() as work:
        stage = work.stages.add(dimension.id, answered(CONTRAST_PROMPT, model, said.request.prompt, said.reply))
        who = work.think_aloud.contributor(project.id, said.model, ContributorKind.LLM, model=said.model)
        theirs = work.think_aloud.attributes(project.id, contributor=said.model)
        about = [a for a in theirs if dimension.name in (a.dimension, a.original_dimension)]
        new, repeated = without_repeats(said.attributes, [words for a in about for words in (a.original, a.text)])
        round_number = work.think_aloud.next_round(dimension.id, who.id)
        insert_attributes(work, dimension.id, who, new, round_number, stage)
    return ThinkAloudAnswer(dimension.name, said.model, len(new), "", len(repeated), round_number)


@dataclass(frozen=True, slots=True)
class ContrastJob:
    """The job that asks every model about the same pairs."""

    project: Project
    dimension: Dimension
    models: tuple[str, ...]
    asking: ModelOptions


def contrast_job_key(dimension_id: int) -> str:
    return f"contrasts-{dimension_id}"


@use_case(Right.FACILITATE)
def begin_contrasts(workbench: Workbench, project: Project, dimension: Dimension, models: Sequence[str]) -> None:
    """Ask models in the background. Raises ConflictError while such a job runs for the dimension."""
    job = ContrastJob(project, dimension, tuple(models), workbench.asking)
    start_job(workbench, contrast_job_key(dimension.id), "Asking about pairs", job)


@use_case(Right.FACILITATE)
def stop_contrasts(workbench: Workbench, dimension_id: int) -> None:
    """Stop after the current model; its answer is stored."""
    stop_job(workbench, contrast_job_key(dimension_id))


@job_kind(ContrastJob)
def _contrast(workbench: Workbench, job: ContrastJob, progress: Progress) -> str:
    asking, told = replace(workbench, asking=job.asking), list[str]()
    for done, model in enumerate(job.models):
        if progress.is_set():
            progress.mark_incomplete()
            return " ".join([*told, "Stopped. Ask again to resume; nothing is paid for twice."])
        progress.report(model_label(model), done, len(job.models))
        try:
            one = ask_contrasts(asking, job.project, job.dimension, model)
            told.append(f"{model_label(model)}: {one.attributes:,} new, {one.repeated:,} said before.")
        except WorkbenchError as error:
            progress.mark_incomplete()
            told.append(f"{model_label(model)}: {error}")
    return " ".join(told)


def _decided(preferences: Sequence[Preference]) -> list[tuple[int, int]]:
    """Return (better, worse) text ids of each pair with a majority preference, in the order of the pairs."""
    votes: dict[tuple[int, int], int] = {}
    for one in preferences:
        low, high = sorted(one.key)
        winner = one.winner if one.a.id == low else one.winner.swapped
        votes[low, high] = votes.get((low, high), 0) + {Winner.A: 1, Winner.B: -1, Winner.TIE: 0}[winner]
    return [pair if balance > 0 else pair[::-1] for pair, balance in votes.items() if balance]
