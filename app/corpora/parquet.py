"""Parquet files, which can unpack to ten thousand times their size.

The sizes that the file states are checked first. It is then unpacked in a subprocess with limits, since its content may
differ from what it states. Only a file that passes is read in this process, block by block.
"""

import mmap
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from app.corpora.rows import check_columns, check_unpacked
from app.errors import FileFormatError
from app.limited_process import parse_apart
from app.limits import PARQUET

_ROWS_AT_A_TIME = 4096
_MARK = b"PAR1"
_DEEPEST = 100
_LONGEST_FOOTER_LIST = 200_000  # columns of all row groups; a footer can claim a million and get room for them
_passed: deque[bytes] = deque(maxlen=32)  # hashes of files that unpack to what they may


class ParquetRows:
    """Rows as column -> Python value, unpacked block by block at each iteration.

    Raises FileFormatError for no Parquet file or one that unpacks to too much.
    """

    def __init__(self, raw: bytes, name: str) -> None:
        self._name = name
        _check_apart(raw, name)
        with _read(name):
            self._file = _opened(pa.py_buffer(raw), name)
            self._rows = self._file.metadata.num_rows
            self.columns: tuple[str, ...] = tuple(self._file.schema_arrow.names)

    def __len__(self) -> int:
        return int(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for block in self.blocks():
            for values in zip(*block, strict=True):
                yield dict(zip(self.columns, values, strict=True))

    def blocks(self) -> Iterator[list[list[Any]]]:
        """Yield the values of each column, some thousand rows at a time."""
        batches = _batches(self._file)
        while True:
            with _read(self._name):
                batch = next(batches, None)
                if batch is None:
                    return
                values = [array.to_pylist() for array in batch.columns]
            yield values


@contextmanager
def _read(name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _incomplete(name) from error


def _incomplete(name: str) -> FileFormatError:
    return FileFormatError(f"{name} is not a complete Parquet file.", "Write it again, or save it as CSV.")


def _check_apart(raw: bytes, name: str) -> None:
    """Raise FileFormatError for no Parquet file, or one that unpacks to more than allowed."""
    if not raw.startswith(_MARK):
        raise _incomplete(name)
    digest = sha256(raw).digest()
    if digest not in _passed:
        limits = replace(PARQUET, memory=(PARQUET.memory or 0) + 4 * len(raw))
        list(parse_apart(f"{__name__}:unpack_all", raw, name, limits))
        _passed.append(digest)


def unpack_all(file: BinaryIO, name: str) -> Iterator[None]:
    """Unpack the file, keeping nothing; runs in the subprocess. Raises FileFormatError as `ParquetRows` says."""
    yield from ()
    with _read(name):
        raw = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        opened = _opened(pa.py_buffer(raw), name)
        names = opened.schema_arrow.names
        if len(set(names)) < len(names):
            raise ValueError("two columns have one name")
        unpacked = 0
        for batch in _batches(opened):
            unpacked += sum(map(_unpacked, batch.columns))
            check_unpacked(unpacked, 0, len(raw), name, PARQUET)


def _opened(buffer: pa.Buffer, name: str) -> pq.ParquetFile:
    """Open the file with dictionary-encoded texts, so that one repeated a million times is in memory once."""
    limits = {"thrift_container_size_limit": _LONGEST_FOOTER_LIST, "thrift_string_size_limit": 16 * 2**20}
    found = pq.ParquetFile(pa.BufferReader(buffer), **limits)
    groups = [found.metadata.row_group(group) for group in range(found.metadata.num_row_groups)]
    parts = range(found.metadata.num_columns)
    check_columns(len(parts), name)
    chunks = [group.column(part) for group in groups for part in parts]
    cells = max(sum(chunk.num_values for chunk in chunks), found.metadata.num_rows)
    unpacked = max(
        sum(chunk.total_uncompressed_size for chunk in chunks), sum(group.total_byte_size for group in groups)
    )
    check_unpacked(unpacked, cells, buffer.size, name, PARQUET)
    parts_schema = [found.schema.column(part) for part in parts]
    if any(part.path.count(".") > _DEEPEST for part in parts_schema):
        raise ValueError("a column is nested too deeply")
    texts = [part.path for part in parts_schema if part.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(pa.BufferReader(buffer), read_dictionary=texts, pre_buffer=False, **limits)


def _batches(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    yield from file.iter_batches(_ROWS_AT_A_TIME, use_threads=False)


def _unpacked(array: pa.Array) -> int:
    """Return the bytes of an array with each repeated value stored in full."""
    if pa.types.is_dictionary(array.type) and _holds_bytes(array.type.value_type):
        lengths = pc.binary_length(array.dictionary).take(array.indices)
        return int(pc.sum(lengths.cast(pa.int64())).as_py() or 0)
    if pa.types.is_struct(array.type):
        return sum(map(_unpacked, array.flatten()))
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        return _unpacked(array.flatten())
    return _unpacked(array.keys) + _unpacked(array.items) if pa.types.is_map(array.type) else int(array.nbytes)


def _holds_bytes(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind) or types.is_large_binary(kind)
    )
