"""Limits on untrusted bytes, which each reader checks before it unpacks or builds anything; and on requests in
flight."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

CONCURRENCY = 32
AHEAD = 8


def texts_at_once(requests: int) -> int:
    """Return how many texts to score at a time so that `requests` are always in flight: a quarter more, at most 8.

    The model's limiter holds the requests themselves to `requests`. The further texts have theirs ready, its intent
    saved, when a reply makes room. 32 in flight then take as long as a loop over the SDK; without, 1.06 times.
    """
    return requests + min(requests // 4, AHEAD)


MB = 2**20


LONGEST_FIELD = 20_000
"""Characters of what people write into one field: an attribute, a question, its guidance, a rubric, a note."""

COMPUTATIONS = 2
"""Processes for long computations: Compare, Topics, Results, the report. Further ones wait for their turn."""
COMPUTATION_SECONDS = 300.0
"""Time limit of one of them, including its wait for a free process."""
MANY_TEXTS = 2_000
"""From this number of texts on, comparing two runs and resampling single texts take seconds."""
REPORT_SECONDS = 150.0
"""The same for the report: a browser waits 180 s for a file that is made when asked for."""

UPLOADS_HELD = 2
"""Uploads of the largest size that a person may have in memory at a time, in all their browsers and tabs together."""
FILES_HELD = 100
"""Uploads that a person may have in memory at a time, and upload addresses that a session may have open."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one reader; None where a measure doesn't exist for it.

    size: bytes as received. unpacked: bytes after decompression. rows, cells: of a table. cell: characters of one
    value. seconds: a deadline. memory: bytes of the subprocess that parses it. The size of a file also limits what it
    may unpack to: `growth` bytes and `density` cells for each byte of the file, beyond the `free` bytes and
    `free_cells` cells that any file may have.
    """

    size: int
    unpacked: int | None = None
    rows: int | None = None
    columns: int | None = None
    cells: int | None = None
    cell: int | None = None
    seconds: float | None = None
    memory: int | None = None
    growth: int = 1
    density: int = 1
    free: int = 0
    free_cells: int = 0

    def unpacked_of(self, size: int) -> int:
        """Return how many bytes a file of this size may unpack to."""
        return min(self.unpacked or self.size, self.free + self.growth * size)

    def cells_of(self, size: int) -> int:
        """Return how many cells a compressed file of this size may have."""
        return min(self.cells or 0, self.free_cells + self.density * size)


DATA_FILE = Limits(size=500 * MB, unpacked=500 * MB, columns=2_000, cells=20_000_000, cell=10_000_000, seconds=300)
"""CSV, JSON and JSON Lines, which are what they look like. `seconds` are for going through all rows once."""
LIST_FILE = Limits(size=20 * MB)
"""What people write themselves: attributes, checklists, answers, prompts, transcripts."""
PARQUET = Limits(
    size=500 * MB, unpacked=500 * MB, columns=2_000, cells=20_000_000, seconds=120, memory=128 * MB,
    growth=200, density=8, free=32 * MB, free_cells=200_000,
)  # fmt: skip
"""Texts that repeat for each system shrink to a hundredth. `memory` is for files that unpack to nothing; each gets four
times its own size more."""
WORKBOOK = Limits(
    size=500 * MB, unpacked=200 * MB, rows=1_048_576, columns=2_000, cells=20_000_000, seconds=120, memory=96 * MB,
    growth=40, free=4 * MB, density=8, free_cells=2_000_000,
)  # fmt: skip
"""A sheet is XML, which shrinks to a tenth, or to a thirtieth where cells repeat. `memory` is for an empty workbook;
each gets eight times more than it unpacks to."""
YAML = Limits(size=2 * MB)
REPLY = Limits(size=8 * MB, unpacked=8 * MB)
"""A model's reply, a list of models. 128,000 tokens take less than one MB; log-probabilities take some more."""
REPLY_FILE = Limits(size=300 * MB, unpacked=300 * MB, cell=8 * MB)
"""The replies of a whole batch, in one file; `cell` is one of them."""
VECTORS = Limits(size=64 * MB, unpacked=64 * MB)
"""Embeddings of some hundred texts, as JSON."""
API_BODY = Limits(size=8 * MB, rows=100, cell=100_000, seconds=240)
"""A request of the HTTP API: `rows` are texts, `cell` the characters of one. After so many seconds nothing more is
asked for it; what is under way is waited for."""
API_AT_ONCE = 16
"""Requests of the HTTP API that one process works on at a time; others are told to come back."""
PRICE_LIST = Limits(size=50 * MB, unpacked=50 * MB)
PROJECT_FILE = Limits(
    size=20_000 * MB, unpacked=20_000 * MB, rows=20_000_000, cell=2 * MB, seconds=120, growth=200, free=100 * MB
)
"""`cell` is all that one row holds. `seconds` are for a small one; each MB of its database gets one more."""


class OversizedBodyError(Exception):
    """The server sends more than any reply holds, or an encoding that wasn't requested."""


_limits: ContextVar[Limits] = ContextVar("limits of a body", default=REPLY)


def current_limits() -> Limits:
    """Return the limits of a response body that is read now."""
    return _limits.get()


@contextmanager
def body_limits(limits: Limits) -> Iterator[None]:
    """Within the block, apply these limits to bodies instead of a reply's."""
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)
