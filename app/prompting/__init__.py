"""Prompt files: finding, validating and strict rendering; a hash of its content identifies each prompt."""

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
