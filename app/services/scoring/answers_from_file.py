"""A file with answers, whoever gave them: experts' go to their sheets, each judge's become a run."""

from dataclasses import dataclass
from typing import Any

from app.domain.people import Right
from app.errors import InputError
from app.services.checklists.answer_files import AnswerImport, import_answers, read_table
from app.services.data.uploads import Upload
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.judge_answers import JudgeImport, import_judge_answers


@dataclass(frozen=True, slots=True)
class AnswerGivers:
    """Who gave the answers of a file. expert, judge: the one, where no column says who. The columns hold the answers of
    one person or judge each and are called like them; without any, each row is an answer."""

    expert: str = ""
    judge: str = ""
    expert_columns: tuple[str, ...] = ()
    judge_columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises InputError for what contradicts itself."""
        if self.expert and self.judge:
            raise InputError("The answers can't be an expert's and a judge's.", "Name one of them.")
        if (self.expert or self.judge) and (self.expert_columns or self.judge_columns):
            raise InputError("Columns are called like those who answered.", "Name columns, or one person or judge.")
        if twice := set(self.expert_columns) & set(self.judge_columns):
            raise InputError(f"“{min(twice)}” can't be an expert and a judge.", "Name each column once.")


@dataclass(frozen=True, slots=True)
class BroughtIn:
    """What became of a file's answers; None for those it held none of."""

    experts: AnswerImport | None
    judges: JudgeImport | None

    def to_json(self) -> dict[str, Any]:
        experts = self.experts.to_json() if self.experts else {}
        judges = self.judges.to_json() if self.judges else {}
        return experts | {"of_judges": judges} if experts and judges else experts or judges


def answer_columns(upload: Upload) -> tuple[str, ...]:
    """Raises FileFormatError for what is no table."""
    return read_table(upload).columns


@use_case(Right.FACILITATE)
def bring_answers_in(
    workbench: Workbench, checklist_id: int, upload: Upload, givers: AnswerGivers, replace: bool = False
) -> BroughtIn:
    """As `import_answers` and `import_judge_answers`. Where nobody is named, a column
    `judge` says that they are of judges.

    Raises what these raise, and InputError for `replace` with judges alone: their answers become a run of its own.
    """
    wide = bool(givers.expert_columns or givers.judge_columns)
    named = bool(givers.judge) or (not givers.expert and not wide and "judge" in answer_columns(upload))
    of_judges = bool(givers.judge_columns) or named
    of_experts = bool(givers.expert_columns) or not of_judges
    if replace and not of_experts:
        raise InputError("A judge's answers replace nothing: they become a run.", "Leave “replace” out.")
    about = (workbench, checklist_id, upload.data, upload.name)
    return BroughtIn(
        import_answers(*about, givers.expert, replace, givers.expert_columns) if of_experts else None,
        import_judge_answers(*about, givers.judge, givers.judge_columns) if of_judges else None,
    )
