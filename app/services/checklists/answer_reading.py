"""What a row of a file with answers says: about which text and question, and which answer."""

from collections.abc import Iterator, Mapping, Sequence

from app.corpora.answer_rows import Cells, answer_rows
from app.corpora.table import TableData, load_table
from app.domain.checklist import Checklist
from app.domain.judgment import Answer
from app.domain.storable_text import check_storable
from app.domain.text import Text, TextPlace
from app.errors import InputError
from app.services.data.uploads import Upload, stored

_READ = {
    **dict.fromkeys(("yes", "y", "1", "true"), Answer.YES),
    **dict.fromkeys(("no", "n", "0", "false"), Answer.NO),
    **dict.fromkeys(("does not apply", "doesn't apply", "not applicable", "n/a", "na", "a"), Answer.NOT_APPLICABLE),
    **dict.fromkeys(("skip", "s", "unanswered"), Answer.UNANSWERED),
}
CANNOT_TELL = ("can't tell", "cannot tell")


def read_table(upload: Upload) -> TableData:
    """Of any container that holds rows. Raises FileFormatError."""
    with stored(upload) as path:
        return load_table(path)


class AnswerReading:
    """Reads rows about one version of a checklist and some texts. `where` says which texts these are."""

    def __init__(self, checklist: Checklist, texts: Mapping[tuple[str, str, str], int], where: str) -> None:
        asked = checklist.asked
        self._texts, self._where = texts, where
        self._questions = {" ".join(q.text.split()): q.id for q in asked}
        self._questions |= {str(number): q.id for number, q in enumerate(asked, start=1)}
        self._may_not_apply = {q.id for q in asked if q.may_not_apply}

    def rows(self, table: TableData, name: str, who: str, columns: Sequence[str] = ()) -> Iterator[tuple[int, Cells]]:
        """As `answer_rows`, without white space around cells. Raises what that raises."""
        for number, cells in answer_rows(table, name, who, columns):
            yield number, {column: cell.strip() for column, cell in cells.items()}

    def place(self, cells: Cells) -> tuple[int, int]:
        """Text and question, by id. Raises InputError for a row that names none of them, or that can't be stored."""
        for column, cell in cells.items():
            check_storable(cell, f"Its {column}")
        key = (cells.get("doc_id", ""), cells.get("system_id", ""), cells.get("item_id", ""))
        named = cells.get("number") or " ".join(cells.get("question", "").split())
        if key not in self._texts:
            called = " · ".join(part for part in key if part)
            raise InputError(f"{called} is not among the texts {self._where}." if called else "It names no text.")
        if named not in self._questions:
            raise InputError(f"“{named}” is no question of this version.")
        return self._texts[key], self._questions[named]

    def answer(self, cells: Cells, question: int, also: Sequence[str] = ()) -> Answer | None:
        """None for a blank. `also`: words for an answer that was withheld. Raises InputError for what is no answer."""
        said = cells.get("answer", "").replace("’", "'").lower()
        if said in also:
            return Answer.UNANSWERED
        if said and said not in _READ:
            applies = ", does not apply" if self._may_not_apply else ""
            raise InputError(f"“{said}” is no answer; it must be yes, no{applies} or skip.")
        answer = _READ.get(said)
        if answer is Answer.NOT_APPLICABLE and question not in self._may_not_apply:
            raise InputError("This question doesn't allow “does not apply”; answer yes, no or skip.")
        return answer


def texts_by_key(texts: Sequence[Text | TextPlace]) -> dict[tuple[str, str, str], int]:
    return {text.key: text.id for text in texts}
