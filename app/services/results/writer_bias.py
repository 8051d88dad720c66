"""Writers of the texts, as a person names them, and whether a run's judge favours one kind."""

from collections.abc import Collection

from app.domain.people import Right
from app.errors import InputError, NotReadyError
from app.meta_evaluation.writer_bias import Mean, PairGroup, Preference, WriterBias, writer_bias
from app.services.results.results import USUAL, Choices
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["Mean", "PairGroup", "Preference", "WriterBias", "bias_of", "mark_people", "writers"]


@use_case(Right.READ)
def writers(workbench: Workbench, project_id: int) -> tuple[list[str], tuple[str, ...]]:
    """The project's systems by name, and those of them that are people."""
    with workbench.database.read() as work:
        people = work.projects.human_systems(project_id)
        return work.texts.systems(project_id), people


@use_case(Right.FACILITATE, act="said which writers are people")
def mark_people(workbench: Workbench, project_id: int, systems: Collection[str]) -> None:
    """Say which systems are people; all others are LLMs. Raises InputError for a system that isn't there."""
    with workbench.database.write() as work:
        known = work.texts.systems(project_id)
        unknown = sorted(set(systems) - set(known))
        if unknown:
            raise InputError(f"No text is by “{unknown[0]}”.", f"The systems are: {', '.join(known) or 'none'}.")
        work.projects.set_human_systems(project_id, [system for system in known if system in systems])


@use_case(Right.READ)
def bias_of(workbench: Workbench, run_id: int, dimension_id: int, choices: Choices = USUAL) -> WriterBias:
    """Of a run's scores on a dimension, over texts that count by these choices and whose writer and ratings are known.

    Of the choices, those about partial texts, resamples and seed mean something here.
    Raises NotReadyError where nobody said who is a person, or no source has texts of both.
    """
    with workbench.database.read() as work:
        people = set(work.projects.human_systems(work.runs.project_of(run_id)))
        rows = [
            (row.score, row.human, row.doc_id, row.system_id in people)
            for row in work.results.scored(run_id, dimension_id)
            if row.counts(choices.include_partial) and row.human is not None and row.system_id
        ]
    if not people:
        raise NotReadyError(
            "Nobody said yet which systems are people.", "Mark them (--people NAME); everything else is then an LLM."
        )
    scores, ratings, sources, by_person = zip(*rows, strict=True) if rows else ((), (), (), ())
    found = writer_bias(scores, ratings, sources, by_person, choices.resamples, choices.seed)
    if not found.pairs:
        raise NotReadyError(
            "No source has rated texts of both a person and an LLM.", "Check which systems are marked as people."
        )
    return found
