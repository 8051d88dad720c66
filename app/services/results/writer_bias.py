"""Which systems are people, and whether a judge scores texts by people lower than texts by LLMs."""

from collections.abc import Collection, Mapping, Sequence

from app.domain.expert_answer import Preference as PreferencePair
from app.domain.expert_answer import Winner
from app.domain.roles_and_rights import Right
from app.errors import InputError, NotReadyError
from app.meta_evaluation.writer_bias import By, Mean, Preference, WriterBias, WritersPair, bias_of_pairs, writer_bias
from app.services.results.results import USUAL, Choices
from app.services.runtime.workbench import Workbench, use_case

__all__ = ["Mean", "WriterBias"]


@use_case(Right.READ)
def writers(workbench: Workbench, project_id: int) -> tuple[list[str], tuple[str, ...]]:
    """Return the project's systems by name, and those of them that are people."""
    with workbench.database.read() as work:
        people = work.projects.human_systems(project_id)
        return work.texts.systems(project_id), people


@use_case(Right.FACILITATE, act="marked which systems are people")
def mark_people(workbench: Workbench, project_id: int, systems: Collection[str]) -> None:
    """Store which systems are people; all others are LLMs. Raises InputError for an unknown system."""
    with workbench.database.write() as work:
        known = work.texts.systems(project_id)
        unknown = sorted(set(systems) - set(known))
        if unknown:
            raise InputError(f"No text is by “{unknown[0]}”.", f"The systems are: {', '.join(known) or 'none'}.")
        work.projects.set_human_systems(project_id, [system for system in known if system in systems])


@use_case(Right.READ)
def bias_of(
    workbench: Workbench, run_id: int, dimension_id: int, choices: Choices = USUAL, by: By | None = None
) -> WriterBias:
    """Return a judge's bias for texts by people or LLMs, over texts that count by these choices and name their writer.
    It is measured by people's ratings of both texts of a pair, or by their preferences; by default preferences only if
    no pair is rated.

    Of the choices, partial texts, resamples and seed are used. Raises NotReadyError if nobody said which systems are
    people, or no source has texts of both.
    """
    with workbench.database.read() as work:
        people = set(work.projects.human_systems(work.runs.project_of(run_id)))
        rows = [
            row
            for row in work.results.scored(run_id, dimension_id)
            if row.counts(choices.include_partial) and row.system_id
        ]
        compared = work.preferences.of(dimension_id)
    if not people:
        raise NotReadyError(
            "Nobody said yet which systems are people.", "Mark them (--people NAME); everything else is then an LLM."
        )
    rated = [(row.score, row.human, row.doc_id, row.system_id in people) for row in rows if row.human is not None]
    scores, ratings, sources, by_person = zip(*rated, strict=True) if rated else ((), (), (), ())
    found = writer_bias(scores, ratings, sources, by_person, choices.resamples, choices.seed)
    if by == "preferences" or (by is None and not found.pairs and compared):
        found = _bias_by_preferences(compared, {row.text: row.score for row in rows}, people, choices)
    if not found.pairs:
        raise NotReadyError(
            "No source has rated texts of both a person and an LLM, and no such pair was compared.",
            "Check which systems are marked as people, and by what is asked: ratings or preferences.",
        )
    return found


def _bias_by_preferences(
    compared: Sequence[PreferencePair], scores: Mapping[int, float | None], people: Collection[str], choices: Choices
) -> WriterBias:
    """Return the bias by preferences. Pairs of two people or of two LLMs are left out."""
    pairs, unscored = list[WritersPair](), 0
    for one in compared:
        if (one.a.system_id in people) == (one.b.system_id in people):
            continue
        first = one.a.system_id in people
        person, llm = (scores.get(text.id) for text in ((one.a, one.b) if first else (one.b, one.a)))
        if person is None or llm is None:
            unscored += 1
            continue
        told: Preference = (
            "alike" if one.winner is Winner.TIE else "person" if (one.winner is Winner.A) is first else "llm"
        )
        pairs.append(WritersPair(one.a.doc_id, person, llm, told))
    return bias_of_pairs(pairs, unscored, "preferences", choices.resamples, choices.seed)
