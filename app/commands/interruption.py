"""Ctrl-C and a service manager's signal: runs end once what they have asked is answered and kept."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import typer

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
