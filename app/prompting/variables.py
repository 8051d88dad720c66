"""Domain values as the plain JSON-like variables that every prompt shares."""

from typing import Any

from app.domain.task import Dimension, Task


def task_variables(task: Task) -> dict[str, Any]:
    return {
        "text_name": task.text_name,
        "source_name": task.source_name,
        "description": task.description,
        "language": task.language,
    }


def dimension_variables(dimension: Dimension) -> dict[str, Any]:
    return {
        "name": dimension.name,
        "rubric": dimension.rubric,
        "low": dimension.low,
        "high": dimension.high,
    }
