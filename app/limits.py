"""The one table of limits on bytes from elsewhere: how much each reader takes before it refuses with a sentence.

A reader looks its limits up here, and checks them before it unpacks or builds anything.
"""

from dataclasses import dataclass

MB = 2**20


LONGEST_FIELD = 20_000
"""Characters of what people write into one field: an attribute, a question, its guidance, a rubric, a note."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one reader; None where that measure doesn't exist for it.

    size: bytes as they come. unpacked: bytes after decompression. rows, cells: of a table. cell: characters of one
    value. seconds: a deadline. memory: bytes of the subprocess that parses it.
    """

    size: int
    unpacked: int | None = None
    rows: int | None = None
    columns: int | None = None
    cells: int | None = None
    cell: int | None = None
    seconds: float | None = None
    memory: int | None = None


DATA_FILE = Limits(
    size=500 * MB, unpacked=500 * MB, rows=5_000_000, columns=2_000, cells=20_000_000, cell=10_000_000, seconds=120
)
"""CSV, JSON and JSON Lines, which are what they look like."""
LIST_FILE = Limits(size=20 * MB)
"""What people write themselves: attributes, checklists, answers, prompts, transcripts."""
PARQUET = Limits(size=500 * MB, unpacked=500 * MB, rows=5_000_000, columns=2_000, cells=20_000_000)
WORKBOOK = Limits(size=500 * MB, unpacked=200 * MB, rows=1_048_576, columns=2_000, cells=20_000_000)
YAML = Limits(size=2 * MB)
REPLY = Limits(size=8 * MB, unpacked=8 * MB)
"""A model's reply, a list of models. 128,000 tokens take less than one MB; log-probabilities take some more."""
REPLY_FILE = Limits(size=300 * MB, unpacked=300 * MB, cell=8 * MB)
"""The replies of a whole batch, in one file; `cell` is one of them."""
VECTORS = Limits(size=64 * MB, unpacked=64 * MB)
"""Embeddings of some hundred texts, as JSON."""
SMALL_DOCUMENT = Limits(size=MB, unpacked=MB)
"""What a sign-in provider says of itself."""
PRICE_LIST = Limits(size=50 * MB, unpacked=50 * MB)
PROJECT_FILE = Limits(size=20_000 * MB, unpacked=20_000 * MB, rows=20_000_000, cell=2 * MB, seconds=120)
"""`cell` is all that one row holds."""
