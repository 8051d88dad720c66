"""Every method by its name: the one list that command line, screens and runs share."""

from app.errors import InputError
from app.evaluators import check_eval, checklist_evaluator, coascore, g_eval, llm_score, reference_metrics
from app.evaluators.method import Method
from app.evaluators.neural import bartscore, bertscore, gptscore, moverscore, unieval

_ALL = (
    checklist_evaluator.METHOD,
    check_eval.METHOD,
    g_eval.METHOD,
    coascore.METHOD,
    *llm_score.METHODS,
    gptscore.METHOD,
    *reference_metrics.METHODS,
    bertscore.METHOD,
    moverscore.METHOD,
    bartscore.METHOD,
    unieval.METHOD,
)
METHODS: dict[str, Method] = {method.name: method for method in _ALL}


def method_named(name: str) -> Method:
    """Raises InputError for a name that no method has."""
    if name not in METHODS:
        raise InputError(f"“{name}” is not an evaluator of this version.", f"It has: {', '.join(METHODS)}.")
    return METHODS[name]
