"""Projects' own wordings of prompts. None is ever changed: another wording is another number."""

from collections.abc import Mapping

from sqlmodel import Session, col, select

from app.domain.prompt import OwnPrompt
from app.errors import NotFoundError
from db.models import OwnPromptRow


class OwnPrompts:
    def __init__(self, session: Session) -> None:
        self._session = session

    def versions(self, project_id: int, name: str | None = None) -> list[OwnPrompt]:
        """Newest first; those of one prompt, else of all."""
        return [_value(row) for row in self._rows(project_id, name)]

    def add(self, project_id: int, name: str, source: str, digest: str) -> int:
        """Keep a wording and use it from now on; returns its number."""
        rows = self._rows(project_id, name)
        number = max((row.number for row in rows), default=0) + 1
        for row in rows:
            row.in_use = False
        self._session.add(
            OwnPromptRow(project_id=project_id, name=name, number=number, source=source, digest=digest, in_use=True)
        )
        self._session.flush()
        return number

    def use(self, project_id: int, name: str, number: int) -> None:
        """Which wording counts from now on; 0 for the built-in one."""
        rows = self._rows(project_id, name)
        if number and number not in {row.number for row in rows}:
            raise NotFoundError(f"There is no wording {number} of the prompt {name}.", "Choose one from the list.")
        for row in rows:
            row.in_use = row.number == number
        self._session.flush()

    def sources(self, project_id: int, numbers: Mapping[str, int]) -> dict[str, str]:
        """Prompt name -> text of the wording of that number."""
        found = {(prompt.name, prompt.number): prompt.source for prompt in self.versions(project_id)}
        return {name: found[name, number] for name, number in numbers.items() if (name, number) in found}

    def _rows(self, project_id: int, name: str | None) -> list[OwnPromptRow]:
        query = select(OwnPromptRow).where(OwnPromptRow.project_id == project_id)
        if name is not None:
            query = query.where(OwnPromptRow.name == name)
        return list(self._session.exec(query.order_by(col(OwnPromptRow.id).desc())))


def _value(row: OwnPromptRow) -> OwnPrompt:
    return OwnPrompt(row.name, row.number, row.source, row.digest, row.in_use, row.created_at)
