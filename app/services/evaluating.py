"""Which evaluators this version has."""

from app.errors import InputError

CHECKLIST = "checklist"
EVALUATORS = (CHECKLIST,)


def check_evaluator(name: str) -> None:
    if name not in EVALUATORS:
        raise InputError(f"“{name}” is not an evaluator of this version.", f"It has: {', '.join(EVALUATORS)}.")
