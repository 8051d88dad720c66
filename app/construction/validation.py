"""The validator merges, rewords and drops sub-questions; its changes are a diff (InteractEval, section 3.4.3).

Choices that the paper doesn't settle: a question that the validator doesn't mention is kept, since an omission is no
reason; a question both used and dropped counts as used; a merged question stays with its first source's component and
keeps the attributes of all its sources.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.construction.questions import join_repeated
from app.construction.stage import StageContext, StageResult, ask_stage, first_problem, merged, tidy, unknown_numbers
from app.domain.build import ChangeKind, Stage
from app.domain.checklist import Question
from app.errors import NotReadyError
from app.providers.base import ChatModel

NO_REASON = "no reason given by the model"


@dataclass(frozen=True, slots=True)
class ValidationChange:
    """One line of the diff: the questions before, the one after (None if dropped), and the validator's reason."""

    kind: ChangeKind
    before: tuple[Question, ...]
    after: Question | None
    reason: str


@dataclass(frozen=True, slots=True)
class Validation:
    """The validator's result. `questions` if everything is accepted; `changes` account for every question that went in,
    in order."""

    questions: tuple[Question, ...]
    changes: tuple[ValidationChange, ...]


async def validate_questions(
    model: ChatModel, context: StageContext, questions: Sequence[Question]
) -> StageResult[Validation]:
    """Review sub-questions. Raises NotReadyError without any, WrongSchemaError if the model leaves none."""
    if not questions:
        raise NotReadyError(
            f"There are no questions for {context.dimension.name} to validate.", "Write the sub-questions first."
        )
    numbered = [
        {"id": number, "component": question.component, "question": question.text}
        for number, question in enumerate(questions, start=1)
    ]
    value, record = await ask_stage(
        Stage.VALIDATION,
        model,
        context,
        {"questions": numbered},
        check=lambda answer: _problem(answer, len(questions)),
        items=2 * len(questions),
    )
    changes = tuple(_changes(value, questions))
    return StageResult(Validation(_result(changes), changes), record)


def _problem(answer: dict[str, Any], count: int) -> str | None:
    entries, dropped = answer["questions"], answer["dropped"]
    sources = [number for entry in entries for number in entry["sources"]]
    return first_problem(
        unknown_numbers(sources, count, "question"),
        unknown_numbers((entry["question"] for entry in dropped), count, "question"),
        None if all(entry["sources"] for entry in entries) else "a question has no source",
        None if all(entry["question"].strip() for entry in entries) else "a question is empty",
        "no question is left" if len({entry["question"] for entry in dropped} - set(sources)) == count else None,
    )


def _changes(value: dict[str, Any], questions: Sequence[Question]) -> Iterator[ValidationChange]:
    """Yield the diff in the order of the (first) question before."""
    outcomes: dict[int, list[ValidationChange]] = {}
    used: set[int] = set()
    for entry in value["questions"]:
        numbers = tuple(dict.fromkeys(int(number) for number in entry["sources"]))
        used.update(numbers)
        before = tuple(questions[number - 1] for number in numbers)
        outcomes.setdefault(min(numbers), []).append(_outcome(before, entry))
    reasons = {int(entry["question"]): entry["reason"].strip() for entry in value["dropped"]}
    for number, question in enumerate(questions, start=1):
        yield from outcomes.get(number, [])
        if number in used:
            continue
        if number in reasons:
            yield ValidationChange(ChangeKind.DROPPED, (question,), None, reasons[number] or NO_REASON)
        else:
            yield ValidationChange(ChangeKind.KEPT, (question,), question, "not mentioned by the model")


def _outcome(before: tuple[Question, ...], entry: dict[str, Any]) -> ValidationChange:
    text, reason = tidy(entry["question"]), entry["reason"].strip()
    if len(before) == 1 and text == before[0].text:
        return ValidationChange(ChangeKind.KEPT, before, before[0], reason)
    kind = ChangeKind.MERGED if len(before) > 1 else ChangeKind.REWORDED
    after = replace(
        before[0], text=text, attributes=merged(question.attributes for question in before), reason=reason or NO_REASON
    )
    return ValidationChange(kind, before, after, reason or NO_REASON)


def _result(changes: Sequence[ValidationChange]) -> tuple[Question, ...]:
    return join_repeated([change.after for change in changes if change.after is not None])


def open_changes(changes: Sequence[ValidationChange]) -> list[tuple[int, ValidationChange]]:
    """Return the changes to decide, each with its number in `changes`; questions kept unchanged need no decision."""
    return [(number, change) for number, change in enumerate(changes) if change.kind is not ChangeKind.KEPT]


def decided(changes: Sequence[ValidationChange], refused: Collection[int]) -> tuple[Question, ...]:
    """Return the questions with every change but the refused ones, which are given by their numbers in `changes`.

    The questions of a refused change return unchanged, in its place; one that several changes started from returns
    once. Raises IndexError for a number that no change has.
    """
    unknown = [number for number in refused if not 0 <= number < len(changes)]
    if unknown:
        raise IndexError(f"there is no change {unknown[0]}")
    kept: list[Question] = []
    for number, change in enumerate(changes):
        if number in refused:
            kept += change.before
        elif change.after is not None:
            kept.append(change.after)
    return join_repeated(kept)
