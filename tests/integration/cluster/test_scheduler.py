"""The scheduler of Dask: reached, or said in a sentence why not."""

import importlib.util
import math
import socket
from pathlib import Path

import pytest

from app import cluster as module
from app.cluster import check_address, scheduler_at
from app.errors import ClusterError, InputError, NotReadyError
from tests.support.dask_cluster import DaskCluster, dask_cluster

pytestmark = pytest.mark.long


def test_work_is_done_in_order(cluster: DaskCluster) -> None:
    with scheduler_at(cluster.address) as scheduler:
        assert scheduler.workers == 2
        assert scheduler.map(math.sqrt, [4, 9, 16]) == [2, 3, 4]


def test_what_the_work_raises_stays_as_it_is(cluster: DaskCluster) -> None:
    with scheduler_at(cluster.address) as scheduler, pytest.raises(ValueError, match="math domain"):
        scheduler.map(math.sqrt, [-1])


@pytest.mark.parametrize(
    "written", ["", "here", "http://here:1", "inproc://1", "tcp://here", "tcp://a b:1", "tcp://me@here:1"]
)
def test_what_is_no_address_is_refused(written: str) -> None:
    with pytest.raises(InputError, match="no address of a Dask scheduler"):
        check_address(written)


@pytest.mark.parametrize(
    ("written", "full"),
    [("here:1", "tcp://here:1"), (" tls://here:8786 ", "tls://here:8786"), ("tcp://[::1]:1", "tcp://[::1]:1")],
)
def test_an_address_may_be_short(written: str, full: str) -> None:
    assert check_address(written) == full


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.2)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ClusterError, match="No Dask scheduler answers at tcp://127"), scheduler_at(address):
            pass


def test_tls_without_certificates_says_which_settings_name_them(cluster: DaskCluster) -> None:
    address = cluster.address.replace("tcp:", "tls:")
    with pytest.raises(ClusterError, match=r"can't be asked safely.*TLS__CA_FILE"), scheduler_at(address):
        pass


def test_a_scheduler_without_workers(tmp_path: Path) -> None:
    with (
        dask_cluster(tmp_path) as cluster,
        pytest.raises(ClusterError, match=r"has no workers.*dask worker tcp"),
        scheduler_at(cluster.address),
    ):
        pass


def test_workers_with_another_version_are_refused(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "installed_version", lambda _: "9.9.9")
    with pytest.raises(ClusterError, match=r"has version .* this is 9\.9\.9"), scheduler_at(cluster.address):
        pass


def test_without_the_extra_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(NotReadyError, match=r"isn't installed.*\[dask\]"), scheduler_at("127.0.0.1:8786"):
        pass
