"""Dask workers that a run starts on this machine."""

import signal

import pytest

from app.cluster import local_cluster, scheduler_at

pytestmark = pytest.mark.long
pytest.importorskip("distributed")


def test_local_workers_leave_an_interrupt_to_the_run() -> None:
    with local_cluster(2) as address, scheduler_at(address) as scheduler:
        found = scheduler.ask_each(signal.getsignal, signal.SIGINT)
    assert list(found.values()) == [signal.SIG_IGN] * 2
