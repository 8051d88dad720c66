"""Requests are cut into as few batches as a provider's limits allow."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import pytest

from app.errors import CutOffError, UnsupportedError
from app.providers.base import ChatRequest
from app.providers.batches.batch import BatchLimits, BatchLine, BatchProgress, parts
from app.providers.credentials import Credentials
from app.providers.registry import open_batches, open_model
from tests.support.adapter_cases import a_request


class Sized:
    """Each request takes as many bytes as its digest says."""

    def __init__(self, requests: int, most: int) -> None:
        self.limits = BatchLimits(requests, most)

    def written(self, digest: str, request: ChatRequest) -> str:
        if digest == "cut":
            raise CutOffError("no more room")
        return digest

    def size(self, written: str) -> int:
        return int(written)

    async def submit(self, written: list[Any], token: str) -> str:
        raise NotImplementedError

    async def find(self, token: str, requests: int, since: datetime) -> str | None:
        raise NotImplementedError

    async def look(self, handle: str) -> BatchProgress:
        raise NotImplementedError

    def lines(self, handle: str, requests: Any) -> AsyncIterator[BatchLine]:
        raise NotImplementedError

    async def cancel(self, handle: str) -> None:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("requests", "most", "cut"),
    [
        (10, 100, [["10", "20", "30"]]),
        (2, 100, [["10", "20"], ["30"]]),
        (10, 30, [["10", "20"], ["30"]]),
        (10, 5, [["10"], ["20"], ["30"]]),  # one too large for any batch goes alone: the provider says so
    ],
)
def test_batches_are_cut_by_number_and_size(requests: int, most: int, cut: list[list[str]]) -> None:
    asked = dict.fromkeys(("10", "20", "30"), a_request())
    assert list(parts(Sized(requests, most), asked)) == cut


def test_what_can_not_be_asked_any_more_is_left_out() -> None:
    assert list(parts(Sized(10, 100), dict.fromkeys(("10", "cut", "20"), a_request()))) == [["10", "20"]]
    assert list(parts(Sized(10, 100), {"cut": a_request()})) == []


def test_a_model_without_batches_says_so() -> None:
    with pytest.raises(UnsupportedError, match="no batches"):
        open_batches(open_model("rules", Credentials()))
