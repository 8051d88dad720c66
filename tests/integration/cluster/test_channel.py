"""Lines to workers when nobody is at the other end."""

import threading

import pytest

pytest.importorskip("distributed")

from distributed import Client

from app.cluster.channel import Switchboard
from tests.support.dask_cluster import DaskCluster

pytestmark = pytest.mark.long


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_line_whose_client_is_closed_ends_quietly(cluster: DaskCluster) -> None:
    before = set(threading.enumerate())
    client = Client(cluster.address, set_as_default=False)
    board = Switchboard(client)
    line = board.line()
    client.close()
    line.send("too late")
    line.close()
    for thread in set(threading.enumerate()) - before:
        if thread.name == "line to a worker":
            thread.join()
