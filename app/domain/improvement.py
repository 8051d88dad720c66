"""Decided answers, and new wordings of questions that are tried on them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.checklist import Example
from app.domain.checklist_score import Answer

LONGEST_REASON = 1_000
"""Characters of the line that says why."""
DECIDABLE = (Answer.YES, Answer.NO, Answer.NOT_APPLICABLE)


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer that a person decided for a question and a text; it is the reference from then on.

    `question` is the id decided about, in `version`, with the `wording` and `guidance` of that time; the decision also
    holds for the same question in other versions. `run` is the run that was looked at. `guided`: the line that became
    guidance of the question, "" for none. `undone_at` is None while the decision stands.
    """

    id: int
    question: int
    version: int
    text: int
    answer: Answer
    why: str
    who: str
    at: datetime
    wording: str
    guidance: str
    run: int | None = None
    guided: str = ""
    undone_by: str = ""
    undone_at: datetime | None = None

    @property
    def stands(self) -> bool:
        return self.undone_at is None


def reference(decisions: Iterable[Decision]) -> dict[int, Decision]:
    """Return text -> newest standing decision. `decisions` are about one question in all its versions."""
    standing = sorted((one for one in decisions if one.stands), key=lambda one: one.id)
    return {one.text: one for one in standing}


def contradictions(decisions: Iterable[Decision]) -> list[tuple[Decision, ...]]:
    """Return groups of standing decisions about the same text (all about one question) with different answers, oldest
    first."""
    by_text: dict[int, list[Decision]] = {}
    for one in sorted(decisions, key=lambda one: one.id):
        if one.stands:
            by_text.setdefault(one.text, []).append(one)
    return [tuple(found) for found in by_text.values() if len({one.answer for one in found}) > 1]


class DocumentHalf(StrEnum):
    """The use of a document's decisions: making and choosing wordings (DEVELOPMENT), or the final test (PROOF)."""

    DEVELOPMENT = "development"
    PROOF = "proof"


class ImprovementStatus(StrEnum):
    """The status of an improvement. EDITED: accepted with a wording other than the tried ones."""

    OPEN = "open"
    ACCEPTED = "accepted"
    EDITED = "edited"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ProposedWording:
    """A proposed wording of a question, with its guidance ("" for none) and why it should be better. `examples` are
    those it is tried with; a wording of a question that has examples keeps them."""

    text: str
    guidance: str = ""
    reason: str = ""
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerErrors:
    """Errors of a judge on one question, on `n` texts with a decided answer.

    `false_yes` were decided to be no, `false_no` to be yes. `other`: either answer is "does not apply". `unanswered`
    have no answer.
    """

    n: int = 0
    false_yes: int = 0
    false_no: int = 0
    other: int = 0
    unanswered: int = 0

    @property
    def right(self) -> int:
        return self.n - self.false_yes - self.false_no - self.other - self.unanswered

    @property
    def agreement(self) -> float | None:
        return self.right / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class WordingTrial:
    """The errors on the same texts under the old wording and a new one. `gained` answers became right, `lost` wrong.

    `failed` texts got no reply under one of the two wordings and count nowhere else. `documents` counts the documents
    of the texts.
    """

    before: AnswerErrors
    after: AnswerErrors
    gained: int
    lost: int
    failed: int = 0
    documents: int = 0

    @property
    def both(self) -> int:
        return self.after.right - self.gained

    @property
    def neither(self) -> int:
        return self.before.n - self.both - self.gained - self.lost


@dataclass(frozen=True, slots=True)
class TriedWording:
    """A wording with its trial on the decided texts of the development part."""

    wording: ProposedWording
    trial: WordingTrial


@dataclass(frozen=True, slots=True)
class Improvement:
    """One attempt to improve a question. `question` is the id of the question, `before` its wording then.

    `decisions` are the ids of the decisions used; `proof_texts` are the texts of the proof part that were asked about
    and can't be used again. `best` is the index in `tried` of the wording chosen on the development part, None if none
    was better. `proof` is its trial on the proof part, None if that wasn't run; `proof_decided` counts the decided
    texts there. `beside` is the proof trial of chosen examples against random ones, None for wordings. `taken` is what
    went into the draft. `cost_usd` is None if a price is unknown.
    """

    question: int
    model: str
    judge: str
    run: int | None
    before: ProposedWording
    decisions: tuple[int, ...]
    tried: tuple[TriedWording, ...]
    best: int | None = None
    proof: WordingTrial | None = None
    proof_decided: int = 0
    proof_texts: tuple[int, ...] = ()
    calls: int = 0
    cost_usd: float | None = 0.0
    status: ImprovementStatus = ImprovementStatus.OPEN
    who: str = ""
    at: datetime | None = None
    decided_by: str = ""
    decided_at: datetime | None = None
    taken: ProposedWording | None = None
    id: int = 0
    beside: WordingTrial | None = None

    @property
    def of_examples(self) -> bool:
        """Return whether examples were tried instead of wordings."""
        return bool(self.tried) and self.tried[0].wording.examples != self.before.examples

    @property
    def chosen(self) -> TriedWording | None:
        return None if self.best is None else self.tried[self.best]


def errors_of(answers: Mapping[int, Answer], decided: Mapping[int, Answer]) -> AnswerErrors:
    """Count the errors of `answers` against `decided`, both by text id. Texts in only one of them are left out."""
    pairs = [(answers[text], right) for text, right in decided.items() if text in answers]
    wrong = [(said, right) for said, right in pairs if said is not right]
    yes_no = {(Answer.YES, Answer.NO): 0, (Answer.NO, Answer.YES): 0}
    for pair in wrong:
        if pair in yes_no:
            yes_no[pair] += 1
    unanswered = sum(said is Answer.UNANSWERED for said, _ in wrong)
    false_yes, false_no = yes_no.values()
    return AnswerErrors(len(pairs), false_yes, false_no, len(wrong) - false_yes - false_no - unanswered, unanswered)


def compared_wordings(
    before: Mapping[int, Answer],
    after: Mapping[int, Answer],
    decided: Mapping[int, Answer],
    documents: Mapping[int, str],
) -> WordingTrial:
    """Compare the answers under two wordings with the decided ones. All are by text id. documents: text -> document."""
    both = {text: right for text, right in decided.items() if text in before and text in after}
    gained = sum(after[text] is right is not before[text] for text, right in both.items())
    lost = sum(before[text] is right is not after[text] for text, right in both.items())
    return WordingTrial(
        errors_of(before, both),
        errors_of(after, both),
        gained,
        lost,
        len(decided) - len(both),
        len({documents[text] for text in both}),
    )


def best_tried(tried: Sequence[TriedWording], before: ProposedWording) -> int | None:
    """Return the index of the wording with the largest net gain. Ties go to unchanged text, then to the shortest.

    None if no wording is better than the current one.
    """
    gains = [one.trial.gained - one.trial.lost for one in tried]
    if max(gains, default=0) <= 0:
        return None

    def burden(place: int) -> tuple[int, bool, int, int]:
        wording = tried[place].wording
        return -gains[place], wording.text != before.text, len(wording.text) + len(wording.guidance), place

    return min(range(len(tried)), key=burden)
