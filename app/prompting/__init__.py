"""Prompt files: found, validated, rendered strictly, and traceable by the hash of their content."""

from app.prompting.library import (
    PromptWording,
    available_prompts,
    dimension_variables,
    load_prompt,
    task_variables,
    worded,
)
from app.prompting.template import PromptTemplate

__all__ = [
    "PromptTemplate",
    "PromptWording",
    "available_prompts",
    "dimension_variables",
    "load_prompt",
    "task_variables",
    "worded",
]
