"""Parquet files, which can unpack to ten thousand times their size: that is reckoned before anything unpacks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from app.corpora.table_limits import MOST_CELLS, check_columns, too_many_cells
from app.errors import FileFormatError
from app.input_file import LARGEST_FILE

_ROWS_AT_A_TIME = 4096


def parquet_columns(raw: bytes, name: str) -> dict[str, list[Any]]:
    """Column -> values as Python has them. Raises FileFormatError where it is none or unpacks to too much."""
    rows = ParquetRows(raw, name)
    columns: dict[str, list[Any]] = {column: [] for column in rows.columns}
    for block in rows.blocks():
        for column, values in zip(columns, block, strict=True):
            columns[column] += values
    return columns


class ParquetRows:
    """Rows as column -> value as Python has it, unpacked block by block each time they are gone through.

    Raises FileFormatError where it is none or unpacks to too much.
    """

    def __init__(self, raw: bytes, name: str) -> None:
        self._name = name
        with _read(name):
            self._file = _opened(raw, name)
            self._rows = self._file.metadata.num_rows
            self.columns: tuple[str, ...] = tuple(self._file.schema_arrow.names)
            if len(set(self.columns)) < len(self.columns):
                raise ValueError("two columns have one name")
            if sum(map(_size, _batches(self._file))) > LARGEST_FILE:
                raise _too_much(name)

    def __len__(self) -> int:
        return int(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for block in self.blocks():
            for values in zip(*block, strict=True):
                yield dict(zip(self.columns, values, strict=True))

    def blocks(self) -> Iterator[list[list[Any]]]:
        """The values of each column, some thousand rows at a time."""
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
        raise FileFormatError(
            f"{name} is not a complete Parquet file.", "Write it again, or save it as CSV."
        ) from error


def _opened(raw: bytes, name: str) -> pq.ParquetFile:
    """Texts stay encoded, so that one which repeats a million times is held once."""
    found = pq.ParquetFile(pa.BufferReader(raw))
    groups = [found.metadata.row_group(group) for group in range(found.metadata.num_row_groups)]
    parts = range(found.metadata.num_columns)
    check_columns(len(parts), name)
    if sum(group.column(part).num_values for group in groups for part in parts) > MOST_CELLS:
        raise too_many_cells(name)
    if sum(group.total_byte_size for group in groups) > LARGEST_FILE:
        raise _too_much(name)
    parts_schema = [found.schema.column(part) for part in parts]
    texts = [part.path for part in parts_schema if part.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(pa.BufferReader(raw), read_dictionary=texts, pre_buffer=False)


def _batches(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    yield from file.iter_batches(_ROWS_AT_A_TIME, use_threads=False)


def _size(batch: pa.RecordBatch) -> int:
    """In bytes, once every text stands by itself."""
    return sum(map(_unpacked, batch.columns))


def _unpacked(array: pa.Array) -> int:
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


def _too_much(name: str) -> FileFormatError:
    return FileFormatError(
        f"{name} unpacks to more than {LARGEST_FILE // 2**20} MB, which is the most that is read.",
        "Split it into smaller files.",
    )
