"""Methods that compute with a language model of their own, which this version can't run: named, with what they need.

None of them can be had from a chat model, and none is approximated by one.
"""

from collections.abc import Callable
from typing import Any, NoReturn

from app.errors import InputError
from app.evaluators.method import Method

_NEEDS = {
    "bertscore": ("BERTScore: similarity of words in context", ""),
    "moverscore": ("MoverScore: effort of turning the text into a reference", ""),
    "bartscore": ("BARTScore: how likely BART finds the text", ""),
    "unieval": ("UniEval: yes/no questions to a trained model", ""),
}


def _refusal(name: str) -> Callable[[], None]:
    said = _NEEDS[name][1] or (
        f"{name} computes with a neural network on this computer (extra “neural”), which this version can't run yet."
    )

    def refuse() -> NoReturn:
        raise InputError(said, "Import its scores from elsewhere, or choose another method.")

    return refuse


def _never(_: Any) -> NoReturn:
    raise AssertionError("refused before it is made")


METHODS = tuple(Method(name, title, _never, judged=False, check=_refusal(name)) for name, (title, _) in _NEEDS.items())
