"""Prompt files: found, validated, rendered strictly, and traceable by the hash of their content."""

from app.prompting.library import available_prompts, load_prompt
from app.prompting.template import PromptTemplate
from app.prompting.variables import dimension_variables, task_variables
from app.prompting.wordings import PromptWording, worded

__all__ = [
    "PromptTemplate",
    "PromptWording",
    "available_prompts",
    "dimension_variables",
    "load_prompt",
    "task_variables",
    "worded",
]
