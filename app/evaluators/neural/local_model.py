"""Common parts of methods with their own neural network: which model, where it runs, what to do without it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from app.domain.project import Text
from app.errors import UnsupportedError
from app.evaluators.method import Method, RequestCounts, shown
from app.neural.loading import check_installed, check_there

MODEL = shown(
    "Model",
    "A model of the transformers library: its name, if it was downloaded before, or a folder. Nothing is downloaded by "
    "itself.",
)
DEVICE = shown(
    "Computed on", "A GPU is faster by far.", {"auto": "the GPU if there is one", "cpu": "CPU", "gpu": "GPU"}
)


def neural_method(
    name: str, title: str, make: Callable[..., Any], options: type, variant: Callable[[Any], str], **more: Any
) -> Method:
    """Return the method. variant: returns how exactly it is computed, besides the model, for the signature."""

    def check() -> None:
        check_installed(name, "neural")

    def ready(chosen: Any) -> None:
        check()
        check_there(chosen.model)

    return Method(
        name,
        title,
        make,
        options=options,
        judged=False,
        on_scale=False,
        calls=lambda *_: RequestCounts(0),
        check=check,
        ready=ready,
        signature=lambda chosen: f"{chosen.model}|{variant(chosen)}",
        **more,
    )


Way = Literal["src-hypo", "ref-hypo", "hypo-ref"]
Direction = Literal["src-hypo", "ref-hypo", "hypo-ref", "mean"]

SHOWN: dict[str, Any] = shown(
    "Direction",
    "What is read first, and what then has to be likely. With several references their mean is taken.",
    {
        "src-hypo": "the text, after its source",
        "ref-hypo": "the text, after a reference",
        "hypo-ref": "a reference, after the text",
        "mean": "mean of both ways between text and reference",
    },
)


@dataclass(frozen=True, slots=True)
class TextReading:
    """A context (`before`) and the text whose likelihood after it is computed (`given`)."""

    way: Way
    before: str
    given: str


def readings(direction: Direction, text: Text) -> list[TextReading]:
    """Return the readings whose mean is the score, at least one. Raises UnsupportedError if source or references are
    missing."""
    if direction == "src-hypo":
        if not text.source:
            raise UnsupportedError("This text has no source that could be read first.", "Choose another direction.")
        return [TextReading("src-hypo", text.source, text.text)]
    if not text.references:
        raise UnsupportedError("This text has no reference to compare it with.", "Import it with its references.")
    found = []
    if direction in ("ref-hypo", "mean"):
        found += [TextReading("ref-hypo", reference, text.text) for reference in text.references]
    if direction in ("hypo-ref", "mean"):
        found += [TextReading("hypo-ref", text.text, reference) for reference in text.references]
    return found


def needs_references(direction: Direction) -> bool:
    return direction != "src-hypo"


def per_reference(direction: Direction) -> int:
    """Return how many readings each reference makes."""
    return {"src-hypo": 0, "mean": 2}.get(direction, 1)
