"""What commands that ask models share: options, costs, interruption."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.output import say
from app.errors import InputError

if TYPE_CHECKING:
    from app.providers.model_options import ModelOptions
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
BatchFallbackOption = Annotated[
    bool, typer.Option("--batch-fallback", help="With --batch: ask at once what a batch doesn't answer.")
]


def chosen_batch(wanted: bool, batch_fallback: bool) -> str:
    """What becomes of requests that a batch didn't get to; "" to ask at once. Raises InputError."""
    from app.services.runtime.batch_rounds import AGAIN, LIVE

    if batch_fallback and not wanted:
        raise InputError("--batch-fallback is about what a batch doesn't answer.", "Add --batch, or leave it out.")
    return "" if not wanted else LIVE if batch_fallback else AGAIN


def chosen_model_options(
    max_output_tokens: int | None, timeout: float | None, effort: str, tier: str = ""
) -> "ModelOptions":
    """Raises InputError for what no model could mean."""
    from app.providers.model_options import TIMEOUT, ModelOptions

    return ModelOptions(max_output_tokens, TIMEOUT if timeout is None else timeout, effort, tier)


def warn_of_end(model: str) -> None:
    """Say on stderr when the vendor removes the model, where that is known."""
    from app.providers.known_prices import end_warning

    if warning := end_warning(model):
        say(warning)


def workbench_asking(workbench: "Workbench", models: Iterable[str], options: "ModelOptions") -> "Workbench":
    """The workbench that asks all models so. Raises EffortError where one of these is known not to take the effort."""

    from app.providers.model_options import check_effort

    for model in models:
        check_effort(model, options.effort)
    return replace(workbench, asking=options)


_SAID = b"Stopping: replies that are paid and under way are waited for. Once more stops at once.\n"


class Interruption:
    """`signal_number` is the first that came, None before."""

    signal_number: int | None = None

    def exit_if_any(self) -> None:
        """Ends the command as a signal does: 130 for Ctrl-C, 143 for SIGTERM."""
        if self.signal_number is not None:
            raise typer.Exit(128 + self.signal_number)


@contextmanager
def runs_end_on_signals(also: Callable[[], None] = lambda: None) -> Iterator[Interruption]:
    """Within the block the first signal asks all runs of this process to end, the second ends the process at once."""
    from app.services.scoring.run_worker import allow_runs, stop_all_runs

    found = Interruption()

    def receive(number: int, _: FrameType | None) -> None:
        if found.signal_number is not None:
            raise KeyboardInterrupt
        found.signal_number = number
        os.write(2, _SAID)  # unlike print, it may be called at any moment
        also()
        stop_all_runs()

    before = {number: signal.signal(number, receive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield found
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        allow_runs()


def _share(context: typer.Context, address: str | None) -> str | None:
    """For as long as the command runs. Raises InputError and NotReadyError before it begins."""
    from app.cluster import work_shared_at

    if address is not None:
        context.with_resource(work_shared_at(address))
    return address


def _share_texts(context: typer.Context, address: str | None) -> str | None:
    """As `_share`, and ClusterError where nothing can be done there: else a run is planned that has to wait for it."""
    from app.cluster import scheduler_at

    if address is not None:
        with scheduler_at(address):
            pass
    return _share(context, address)


DaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Share the texts with this Dask scheduler's workers: tcp://HOST:8786. INTERACTEVAL_DASK without it.",
        callback=_share_texts,
    ),
]
IntervalsDaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Share intervals that take long with this Dask scheduler's workers. INTERACTEVAL_DASK without it.",
        callback=_share,
    ),
]
