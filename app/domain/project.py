"""A project: one task, its dimensions, and everything said and scored about its texts."""

from dataclasses import dataclass
from datetime import datetime

from app.domain.task import Task


@dataclass(frozen=True, slots=True)
class Project:
    """`notice` is shown wherever the project's data show (the demo says that its data are made up); `research`: whether
    its experts are offered the screens for studies."""

    id: int
    name: str
    task: Task
    notice: str
    research: bool
    created_at: datetime
