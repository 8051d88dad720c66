"""Checklists: the draft, published versions, their differences, and a trial on one text."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.construction.question_hints import Hint, lint_question
from app.domain.attribute import Attribute
from app.domain.checklist import Checklist, ChecklistStatus, Question, QuestionKind
from app.domain.checklist_score import Answer, Evaluation, Judgment, checklist_score
from app.domain.project import Dimension, Project, Text
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.errors import ConflictError, NotReadyError
from app.evaluators.checklist import ChecklistEvaluator, JudgeOptions
from app.providers.base import ChatModel
from app.services.checklists.draft_edits import OpenEdits, QuestionWording, save_open_edits
from app.services.people.text_shares import copy_draw
from app.services.runtime.models import ask_model
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class ChecklistView:
    """A checklist with everything its lineage refers to. `attributes` are by id, also excluded ones."""

    project: Project
    dimension: Dimension
    checklist: Checklist
    attributes: dict[int, Attribute]


@use_case(Right.REVIEW)
def versions_of(workbench: Workbench, dimension_id: int, of_studies: bool = False) -> list[Checklist]:
    """Return versions, newest first: those that people work on, or those made by studies of conditions
    (`of_studies`)."""
    with workbench.database.read() as work:
        found = work.checklists.versions(dimension_id, of_studies)
        return [each for each in found if _is_open(workbench, work, dimension_id, each)]


@use_case(Right.REVIEW)
def versions_of_each(workbench: Workbench, dimension_ids: Sequence[int]) -> dict[int, list[Checklist]]:
    """Return dimension id -> the versions that `versions_of` returns."""
    with workbench.database.read() as work:
        found = work.checklists.versions_of_each(dimension_ids)
        return {
            dimension: [each for each in versions if _is_open(workbench, work, dimension, each)]
            for dimension, versions in found.items()
        }


@use_case(Right.REVIEW)
def view_checklist(workbench: Workbench, dimension_id: int, version: int | None = None) -> ChecklistView:
    """Return the given version, by default the newest. Raises NotReadyError if there is none."""
    with workbench.database.read() as work:
        project, dimension = work.projects.project_of(dimension_id), work.projects.dimension_by_id(dimension_id)
        checklist = work.checklists.find(dimension_id, version)
        if checklist and version is None and not _is_open(workbench, work, dimension_id, checklist):
            checklist = work.checklists.find(dimension_id, None, ChecklistStatus.PUBLISHED)
        if checklist is None or not _is_open(workbench, work, dimension_id, checklist):
            there = [c for c in work.checklists.versions(dimension_id) if _is_open(workbench, work, dimension_id, c)]
            raise _no_checklist(dimension.name, version, [c.version for c in there])
        attributes = {a.id: a for a in work.think_aloud.attributes(project.id, dimension_id)}
        return ChecklistView(project, dimension, checklist, attributes)


def _is_open(workbench: Workbench, work: UnitOfWork, dimension_id: int, checklist: Checklist) -> bool:
    """Return whether the caller may see the version; readers of a project see no drafts."""
    if checklist.status is ChecklistStatus.PUBLISHED or workbench.actor.owner:
        return True
    return workbench.actor.has(Right.EDIT, work.projects.project_of(dimension_id).id)


def _no_checklist(dimension: str, version: int | None, there: list[int]) -> NotReadyError:
    if not there:
        return NotReadyError(f"{dimension} has no checklist yet.", "Build one first.")
    numbers = ", ".join(map(str, sorted(there)))
    return NotReadyError(f"{dimension} has no checklist version {version}.", f"It has: {numbers}.")


@use_case(Right.REVIEW)
def published_checklist(workbench: Workbench, dimension_id: int, version: int | None = None) -> Checklist:
    """Return the published version for scoring, by default the newest. Raises NotReadyError."""
    with workbench.database.read() as work:
        dimension = work.projects.dimension_by_id(dimension_id)
        found = work.checklists.find(dimension_id, version, ChecklistStatus.PUBLISHED)
        if found is None:
            draft = work.checklists.find(dimension_id, version)
            missing = "no published checklist" if version is None else f"no published version {version}"
            todo = f"Publish version {draft.version} first." if draft else "Build and publish one first."
            raise NotReadyError(f"{dimension.name} has {missing}.", todo)
        return found


@use_case(Right.FACILITATE, act="published a version of the checklist", about="seen")
def publish(
    workbench: Workbench,
    checklist_id: int,
    seen: Checklist | None = None,
    edits: OpenEdits | None = None,
    who: str = "",
) -> Checklist:
    """Publish a version: it can't be changed any more, and texts can be scored with it.

    Experts' answers to unchanged questions on texts already drawn count for it too. seen: what the person saw. Raises
    ConflictError if the draft has changed since, so that nobody publishes unread words. edits: the person's unsaved
    edits, saved first; if one can't be saved, nothing is published.
    """
    with workbench.database.write() as work:
        if seen is not None:
            _check_unchanged(work, checklist_id, seen)
        if edits:
            save_open_edits(work, checklist_id, edits, who)
        made = work.checklists.publish(checklist_id)
        copy_draw(work, checklist_id)
        return made


@use_case(Right.REVIEW)
def check_unchanged(workbench: Workbench, seen: Checklist) -> None:
    """Raise ConflictError if the checklist has changed since the person saw it."""
    with workbench.database.read() as work:
        _check_unchanged(work, seen.id, seen)


def _check_unchanged(work: UnitOfWork, checklist_id: int, seen: Checklist) -> None:
    if work.checklists.get(checklist_id) != seen:
        raise ConflictError(f"Version {seen.version} was changed while you looked at it.", "Read it again first.")


@use_case(Right.EDIT, act="made a draft")
def new_draft(workbench: Workbench, checklist_id: int) -> Checklist:
    """Return a new draft, a copy of this version."""
    with workbench.database.write() as work:
        return work.checklists.get(work.checklists.new_draft(checklist_id))


@use_case(Right.REVIEW)
def hints_of(workbench: Workbench, view: ChecklistView) -> dict[int, list[Hint]]:
    """Return question id -> hints on its wording, for enabled questions with hints."""
    samples = _read_aloud(workbench, view)
    found = {
        question.id: _hints(view, QuestionWording.of(question), question.id, samples)
        for question in view.checklist.asked
    }
    return {question: hints for question, hints in found.items() if hints}


@use_case(Right.REVIEW)
def hints_on(workbench: Workbench, view: ChecklistView, wording: QuestionWording, question_id: int = 0) -> list[Hint]:
    """Return hints on a wording that isn't saved yet, compared with the other enabled questions."""
    return _hints(view, wording, question_id, _read_aloud(workbench, view))


def _hints(view: ChecklistView, wording: QuestionWording, question_id: int, samples: Sequence[str]) -> list[Hint]:
    """Return hints on a wording. Thresholds of one grade aren't compared with each other, since they are similar on
    purpose."""
    others = [
        question.text
        for question in view.checklist.asked
        if question.id != question_id and not (wording.grade and wording.grade == question.grade)
    ]
    return lint_question(wording.text, others, samples, view.project.task.language, wording.must_not)


def _read_aloud(workbench: Workbench, view: ChecklistView) -> list[str]:
    """Return the texts read while thinking aloud; a question about one of them gets a hint."""
    with workbench.database.read() as work:
        samples = [sample.text for sample in work.think_aloud.samples(view.dimension.id)]
    return [words for text in samples for words in (text.text, text.source) if words]


@use_case(Right.REVIEW)
def get_checklist(workbench: Workbench, checklist_id: int) -> Checklist:
    with workbench.database.read() as work:
        return work.checklists.get(checklist_id)


@use_case(Right.REVIEW)
def runs_with(workbench: Workbench, project_id: int, checklist_id: int) -> list[RunSummary]:
    """Return the runs that asked this version's questions, newest first."""
    with workbench.database.read() as work:
        used = work.runs.with_checklist(checklist_id)
        return [run for run in work.runs.all(project_id, anchors=True) if run.id in used]


OPTIONS = 20


@dataclass(frozen=True, slots=True)
class PreviewScore:
    """The score with equal and with given weights, None if no question has a yes or no; the number of answered
    questions, and of these the ones that don't apply."""

    equal: float | None
    weighted: float | None
    answered: int
    asked: int
    not_applicable: int = 0


@dataclass(frozen=True, slots=True)
class PreviewText:
    """A judge's answers about one text, by question id with reasons, and their score."""

    model: str
    judgments: Mapping[int, Judgment]
    score: PreviewScore


@use_case(Right.SEE)
def preview_texts(workbench: Workbench, project_id: int, search: str = "") -> list[Text]:
    """Return the first texts that contain the words, in the text or the names of document and system, except held-out
    texts."""
    with workbench.database.read() as work:
        return work.texts.page(project_id, 0, OPTIONS, search.strip())


@use_case(Right.SEE)
def drawn_text(workbench: Workbench, project_id: int, seed: int) -> Text:
    """Return a random text, the same for the same seed. Raises NotReadyError if there is none."""
    with workbench.database.read() as work:
        count = work.texts.count(project_id)
        if not count:
            raise NotReadyError("This project has no texts yet.", "Import some on the Texts screen.")
        return work.texts.page(project_id, int(np.random.default_rng(seed).integers(count)), 1)[0]


@use_case(Right.SEE)
def preview_text(workbench: Workbench, project_id: int, text_id: int) -> Text:
    """Return a text. Raises NotFoundError if the project doesn't have it or it is held out."""
    with workbench.database.read() as work:
        return work.texts.in_project(project_id, text_id)


@use_case(Right.FACILITATE)
def judge_preview(workbench: Workbench, view: ChecklistView, text: Text, model: str) -> PreviewText:
    """Ask the questions as a run would, with reasons. The cost is recorded in the ledger; no score is stored.

    Raises NotReadyError if no question is asked, and errors of the model.
    """
    if not view.checklist.asked:
        raise NotReadyError("This checklist asks nothing.", "Switch a question on, or add one.")

    def judge(opened: ChatModel) -> Awaitable[Evaluation]:
        options = JudgeOptions(reasons=opened.is_llm)
        return ChecklistEvaluator(opened, view.project.task, view.dimension, view.checklist, options).score(text)

    found, name = ask_model(workbench, view.project.id, model, judge)
    judgments = found.judgments
    answers = {judgment.question: judgment.answer for judgment in judgments}
    return PreviewText(name, {judgment.question: judgment for judgment in judgments}, preview_score(view, answers))


def preview_score(view: ChecklistView, answers: Mapping[int, Answer]) -> PreviewScore:
    """Return the score of answers (by question id, missing ones unanswered) on the dimension's scale."""
    asked, low, high = view.checklist.asked, view.dimension.low, view.dimension.high
    given = [answers.get(question.id, Answer.UNANSWERED) for question in asked]
    return PreviewScore(
        checklist_score(given, low, high, asked).value,
        checklist_score(given, low, high, asked, weighted=True).value,
        sum(answer is not Answer.UNANSWERED for answer in given),
        len(asked),
        sum(answer is Answer.NOT_APPLICABLE for answer in given),
    )


class DiffKind(StrEnum):
    """A kind of change in a question; the value is the phrase for people."""

    ADDED = "added"
    REWORDED = "reworded"
    GUIDANCE = "with other guidance"
    MAY_NOT_APPLY = "allowed not to apply"
    ALWAYS_APPLIES = "no longer allowed not to apply"
    EXAMPLES = "with other examples"
    WEIGHT = "with another weight"
    COUNTS = "counted otherwise"
    COMPONENT = "put under another component"
    MOVED = "moved"
    SWITCHED_OFF = "switched off"
    SWITCHED_ON = "switched on"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """All changes of one question; `before` is None for a new question, `after` for a removed one."""

    kinds: tuple[DiffKind, ...]
    before: Question | None
    after: Question | None

    @property
    def question(self) -> Question:
        """Return the question after the change, or before it if it was removed."""
        found = self.after or self.before
        assert found is not None  # one of the two is always there
        return found


@dataclass(frozen=True, slots=True)
class ChecklistDiff:
    """Differences between two versions: sub-questions in the order of the newer version, then removed ones; and
    wordings of new and removed key questions, which no judge is asked."""

    questions: tuple[QuestionChange, ...]
    new_key_questions: tuple[str, ...] = ()
    gone_key_questions: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.questions or self.new_key_questions or self.gone_key_questions)

    def __str__(self) -> str:
        """Return counts in words: "1 added, 2 reworded"."""
        counts = Counter(kind for change in self.questions for kind in change.kinds)
        said = [f"{counts[kind]} {kind.value}" for kind in DiffKind if counts[kind]]
        keys = max(len(self.new_key_questions), len(self.gone_key_questions))
        said += [f"{keys} key question{'s' if keys > 1 else ''} changed"] if keys else []
        return ", ".join(said) or "nothing is different"


def compare_checklists(before: Checklist, after: Checklist) -> ChecklistDiff:
    """Return the differences. Questions are matched by equal wording, else by equal original wording."""
    old, new = _of(before, QuestionKind.SUB), _of(after, QuestionKind.SUB)
    pairs, added, removed = _matched(old, new)
    moved = _moved(pairs, old)
    by_id = {change.question.id: change for change in (_changed(a, b, b.id in moved) for a, b in pairs) if change.kinds}
    by_id |= {question.id: QuestionChange((DiffKind.ADDED,), None, question) for question in added}
    keys_before, keys_after = ([q.text for q in _of(c, QuestionKind.KEY)] for c in (before, after))
    return ChecklistDiff(
        questions=(
            *(by_id[question.id] for question in new if question.id in by_id),
            *(QuestionChange((DiffKind.REMOVED,), question, None) for question in removed),
        ),
        new_key_questions=tuple(text for text in keys_after if text not in keys_before),
        gone_key_questions=tuple(text for text in keys_before if text not in keys_after),
    )


def _changed(old: Question, new: Question, moved: bool) -> QuestionChange:
    found = {
        DiffKind.REWORDED: old.text != new.text,
        DiffKind.GUIDANCE: old.guidance != new.guidance,
        DiffKind.MAY_NOT_APPLY: new.may_not_apply and not old.may_not_apply,
        DiffKind.ALWAYS_APPLIES: old.may_not_apply and not new.may_not_apply,
        DiffKind.EXAMPLES: old.examples != new.examples,
        DiffKind.WEIGHT: old.weight != new.weight,
        DiffKind.COUNTS: old.counting != new.counting,
        DiffKind.COMPONENT: old.component != new.component,
        DiffKind.MOVED: moved,
        DiffKind.SWITCHED_OFF: old.enabled and not new.enabled,
        DiffKind.SWITCHED_ON: new.enabled and not old.enabled,
    }
    return QuestionChange(tuple(kind for kind, so in found.items() if so), old, new)


def _of(checklist: Checklist, kind: QuestionKind) -> list[Question]:
    return [q for q in checklist.questions if q.kind is kind]


def _matched(
    before: list[Question], after: list[Question]
) -> tuple[list[tuple[Question, Question]], list[Question], list[Question]]:
    """Return the pairs in the order of `after`, the questions only in `after`, and those only in `before`."""
    partner: dict[int, Question] = {}
    left = list(before)
    by_wording: tuple[Callable[[Question], Hashable], ...] = (
        lambda question: (question.component, question.text),
        lambda question: question.text,
        lambda question: (question.component, question.original),
        lambda question: question.original,
    )
    for same in by_wording:
        for new in after:
            old = next((q for q in left if same(q) == same(new)), None) if new.id not in partner else None
            if old is not None:
                partner[new.id] = old
                left.remove(old)
    pairs = [(partner[new.id], new) for new in after if new.id in partner]
    return pairs, [new for new in after if new.id not in partner], left


def _moved(pairs: Sequence[tuple[Question, Question]], before: Sequence[Question]) -> set[int]:
    """Return the smallest set of questions whose moving explains the new order: all outside a longest ordered
    subsequence."""
    place = {question.id: number for number, question in enumerate(before)}
    ends: list[int] = []  # ends[n]: the smallest last place of a rising run of n + 1 questions
    length: list[int] = []
    for old, _ in pairs:
        at = bisect_left(ends, place[old.id])
        ends[at : at + 1] = [place[old.id]]
        length.append(at + 1)
    wanted, last, kept = max(length, default=0), len(before), set[int]()
    for (old, new), reached in zip(reversed(pairs), reversed(length), strict=True):
        if reached == wanted and place[old.id] < last:
            wanted, last = wanted - 1, place[old.id]
            kept.add(new.id)
    return {new.id for _, new in pairs if new.id not in kept}
