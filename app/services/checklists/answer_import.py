"""Experts' answers from a file: a sheet that was filled in elsewhere, or a table with a column for each person."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.corpora.answer_rows import Cells
from app.domain.attribute import ContributorKind
from app.domain.judgment import Answer
from app.domain.people.actor import Right
from app.errors import InputError
from app.services.checklists.answer_files import ANSWER_WORDS
from app.services.checklists.answer_reading import AnswerReading, read_table, texts_by_key
from app.services.checklists.expert_answers import answer_sheet, expert_answers, texts_of
from app.services.data.uploads import Upload
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@dataclass(frozen=True, slots=True)
class AnswerImport:
    """How many answers came in, were there already, or were blank; and rows that can't be used, with the reason."""

    kept: int
    known: int
    blank: int
    skipped: tuple[tuple[int, str], ...]

    def to_json(self) -> dict[str, Any]:
        skipped = [{"row": row, "reason": reason} for row, reason in self.skipped]
        return {"kept": self.kept, "known": self.known, "blank": self.blank, "skipped": skipped}


@use_case(Right.FACILITATE, act="brought answers in", about="name")
def import_answers(
    workbench: Workbench,
    checklist_id: int,
    data: bytes,
    name: str,
    expert: str = "",
    replace: bool = False,
    columns: Sequence[str] = (),
) -> AnswerImport:
    """Answers from a table with the columns of `answers_csv`; `expert` names who it is from where no column does.

    A question is named by its number or its wording, an answer is yes, no, skip or, where the question allows it, "does
    not apply" (or n/a). Rows that can't be used are listed and the others come in. An answer that differs from one on
    record is such a row, unless `replace`. columns: those that hold one expert's answers each, and are called like
    the expert.
    Raises FileFormatError for a table that can't be read, NotReadyError before texts are drawn.
    """
    table = read_table(Upload(name, data))
    reader = _Reader(workbench, checklist_id, expert.strip(), replace)
    counts = {"kept": 0, "known": 0, "blank": 0}
    skipped = [(row.row, row.reason) for row in table.skipped]
    for number, cells in reader.reading.rows(table, name, "expert", columns):
        try:
            counts[reader.take(cells)] += 1
        except InputError as error:
            skipped.append((number, error.message))
    reader.save()
    return AnswerImport(**counts, skipped=tuple(sorted(skipped)))


class _Reader:
    """Reads row after row, then writes everything at once."""

    def __init__(self, workbench: Workbench, checklist_id: int, expert: str, replace: bool) -> None:
        found = expert_answers(workbench, checklist_id)
        self._workbench, self._expert, self._replace = workbench, expert, replace
        self._draw = answer_sheet(workbench, checklist_id, "").draw
        texts = texts_by_key(list(texts_of(workbench, self._draw).values()))
        self.reading = AnswerReading(found.checklist, texts, "drawn")
        self._on_record = {(one.expert, one.text, one.question): one for one in found.answers}
        self._new: dict[tuple[str, int, int], tuple[Answer | None, str]] = {}

    def take(self, cells: Cells) -> str:
        """What becomes of a row: kept, known or blank. Raises InputError for one that can't be used."""
        note = cells.get("note", "")
        if not cells.get("answer") and not note:
            return "blank"
        who = cells.get("expert") or self._expert
        if not who:
            raise InputError("Nobody is named as the expert.")
        text, question = self.reading.place(cells)
        answer = self.reading.answer(cells, question)
        place = (who, text, question)
        before = self._on_record.get(place)
        if before and (answer in (None, before.answer)) and note in ("", before.note):
            return "known"
        if before and before.answer and answer not in (None, before.answer) and not self._replace:
            raise InputError(f"{who} has answered this already: {ANSWER_WORDS[before.answer]}.")
        if place in self._new:
            raise InputError("The same question about the same text stands in an earlier row.")
        self._new[place] = (answer, note)
        return "kept"

    def save(self) -> None:
        with self._workbench.database.write() as work:
            project = work.projects.project_of(work.checklists.dimension_of(self._draw.checklist))
            for (expert, text, question), (answer, note) in self._new.items():
                who = work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN).id
                if answer is not None:
                    work.expert_answers.answer(self._draw.id, who, text, question, answer)
                if note:
                    work.expert_answers.note(self._draw.id, who, text, question, note)
