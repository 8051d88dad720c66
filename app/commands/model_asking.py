"""Options of commands that ask models: how far and how long these may go."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from app.services.runtime.model_options import ModelOptions
    from app.services.runtime.workbench import Workbench

RoomOption = Annotated[
    int | None, typer.Option(help="Tokens of an answer at most, reasoning included; no limit of ours without it.")
]
TimeoutOption = Annotated[
    float | None, typer.Option(help="Seconds that one request may take; 600 without it, 900 with --tier.")
]
EffortOption = Annotated[
    str, typer.Option(help="How long a reasoning model thinks: none, minimal, low, medium, high, xhigh or max.")
]


TierOption = Annotated[
    str,
    typer.Option(
        help="flex: the vendor's slower tier at its lower price; where it has no room, wait, or with "
        "flex-or-standard ask at the standard price. OpenAI and Google sell it."
    ),
]


BatchOption = Annotated[
    bool, typer.Option("--batch", help="Half the price, answered within a day; Ctrl-C leaves it at the provider.")
]
RestLiveOption = Annotated[
    bool, typer.Option("--rest-live", help="With --batch: ask at once what a batch doesn't answer.")
]


def chosen_batch(wanted: bool, rest_live: bool) -> str:
    """What becomes of requests that a batch didn't get to; "" to ask at once. Raises InputError."""
    from app.errors import InputError
    from app.services.runtime.batch_rounds import AGAIN, LIVE

    if rest_live and not wanted:
        raise InputError("--rest-live is about what a batch doesn't answer.", "Add --batch, or leave it out.")
    return "" if not wanted else LIVE if rest_live else AGAIN


def chosen_model_options(
    max_output_tokens: int | None, timeout: float | None, effort: str, tier: str = ""
) -> "ModelOptions":
    """Raises InputError for what no model could mean."""
    from app.services.runtime.model_options import TIMEOUT, ModelOptions

    return ModelOptions(max_output_tokens, TIMEOUT if timeout is None else timeout, effort, tier)


def workbench_asking(workbench: "Workbench", models: Iterable[str], options: "ModelOptions") -> "Workbench":
    """The workbench that asks all models so. Raises EffortError where one of these is known not to take the effort."""
    from dataclasses import replace

    from app.services.runtime.model_options import check_effort

    for model in models:
        check_effort(model, options.effort)
    return replace(workbench, asking=options)
