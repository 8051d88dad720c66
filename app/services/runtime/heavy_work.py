"""Long computations in a process of their own, so that no other person's screen waits for them."""

from collections.abc import Callable
from threading import BoundedSemaphore
from typing import ParamSpec, TypeVar

from app.errors import NotReadyError

P = ParamSpec("P")
R = TypeVar("R")
AT_A_TIME = 2
"""How many such computations run at a time; the others wait their turn."""
SECONDS = 300.0
"""How long one may take, its turn included."""
_TURNS = BoundedSemaphore(AT_A_TIME)


def computed_apart(function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
    """What the function returns. It is a function of a module, and it, its arguments and its result can be pickled.

    Raises what the function raises, and NotReadyError where it takes longer than `SECONDS`.
    """
    from joblib.externals.loky.process_executor import ProcessPoolExecutor  # noqa: PLC0415 - takes a while

    too_long = NotReadyError(
        f"This would take longer than {SECONDS / 60:g} minutes, and was stopped.",
        "Choose fewer attributes, topics or starts, or use the command line, where there is no limit.",
    )
    if not _TURNS.acquire(timeout=SECONDS):
        raise too_long
    process = ProcessPoolExecutor(max_workers=1)
    try:
        return process.submit(function, *arguments, **named).result(timeout=SECONDS)  # type: ignore[no-any-return]
    except TimeoutError:
        raise too_long from None
    finally:
        process.shutdown(wait=False, kill_workers=True)
        _TURNS.release()
