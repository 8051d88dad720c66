"""Parts that methods with a neural network of their own share: which model, where it runs, what to do without."""

from collections.abc import Callable
from typing import Any

from app.evaluators.method import Method, RequestCounts
from app.evaluators.options import shown
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
    name: str,
    title: str,
    make: Callable[..., Any],
    options: type,
    variant: Callable[[Any], str],
    **more: Any,
) -> Method:
    """variant: how exactly it is computed, beside the model, for the signature."""

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
