"""The column of a table that names who wrote each text."""

import pandas as pd

from app.domain.task import Task

WRITER = "System"
"""The column's name until `with_writers` has seen the table."""


def writer_word(task: Task) -> str:
    """As a heading: System, Agent, Student."""
    return task.writer_name[:1].upper() + task.writer_name[1:]


def with_writers(table: pd.DataFrame, task: Task) -> pd.DataFrame:
    """Under the project's own word for writers, unless another column has that name; left out where no text has one."""
    if not table[WRITER].any():
        return table.drop(columns=WRITER)
    word = writer_word(task)
    return table if word in table.columns else table.rename(columns={WRITER: word})
