"""Small files that would keep the program busy or fill its memory are refused in words, without unpacking them."""

import json
import os
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.commands.results.table_file import read_table
from app.corpora import parquet, records
from app.corpora.csv_file import parse_delimited
from app.corpora.own_score_tables import load_table
from app.corpora.rows import MOST_COLUMNS
from app.errors import FileFormatError, WorkbenchError
from app.input_file import open_file, read_file
from app.limits import PARQUET
from tests.support.corpora import read_corpus

Reading = Callable[[Path], object]
READERS: tuple[Reading, ...] = (read_corpus, load_table, read_table)


def test_equal_column_names_are_told_apart_in_one_pass() -> None:
    names = ["a"] * 1_000 + ["a (2)", "", "b"] + ["a"] * 900
    (_, row), *_ = parse_delimited(f"{','.join(names)}\n{','.join('1' for _ in names)}\n", "t.csv")[0]
    assert list(row)[:3] == ["a", "a (2)", "a (3)"]
    assert "column 1002" in row
    assert "a (2) (2)" in row
    assert len(row) == len(names)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        *(("t.csv", read) for read in READERS),
        ("t.json", read_corpus),
        ("t.jsonl", load_table),
        ("t.parquet", read_table),
    ],
)
def test_more_columns_than_anybody_looks_at_are_refused(tmp_path: Path, name: str, read: Reading) -> None:
    path, row = tmp_path / name, {f"c{n}": 1 for n in range(MOST_COLUMNS + 400)}
    match path.suffix:
        case ".csv":
            path.write_text(f"{','.join('text' for _ in row)}\n{','.join('1' for _ in row)}\n")
        case ".parquet":
            pq.write_table(pa.table({column: [1] for column in row}), path)
        case suffix:
            path.write_text(json.dumps(row if suffix == ".jsonl" else [row]) + "\n")
    with pytest.raises(FileFormatError, match="2,400 columns; 2,000 are the most"):
        read(path)


@pytest.mark.parametrize("read", READERS)
def test_objects_with_ever_new_fields_are_refused(tmp_path: Path, read: Reading) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"c{n % 1999}": 1}}\n' for n in range(11_000)))
    with pytest.raises(FileFormatError, match="more than 20,000,000 cells"):
        read(path)


def _zeros(count: int) -> pa.Array:
    return pa.nulls(count, pa.int8())


BOMBS = {
    "a long text": lambda: pa.table({"text": ["word " * 10_000_000]}),
    "texts that repeat": lambda: pa.table({"text": ["word " * 200_000] * 550}),
    "short texts that repeat": lambda: pa.table({"text": pa.array(["x" * 400] * 1_000_000).dictionary_encode()}),
    "lists of long texts": lambda: pa.table({"text": [["x" * 1_000_000] * 275] * 2}),
    "objects with long texts": lambda: pa.table({"text": [{"a": "x" * 1_000_000}] * 550}),
    "rows": lambda: pa.table({"text": _zeros(5_000_000)}),
    "lists of numbers": lambda: pa.table({"text": pa.array([[0] * 3_000_000] * 7)}),
    "wide values that are missing": lambda: pa.table({"text": pa.nulls(6_000, pa.binary(10_000))}),
}


@pytest.fixture(scope="module", params=BOMBS)
def bomb(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file that unpacks to a lot; to write it takes longer than to refuse it."""
    path = tmp_path_factory.mktemp("bomb") / "t.parquet"
    pq.write_table(BOMBS[request.param](), path, compression="zstd")
    assert path.stat().st_size < 100_000
    return path


@pytest.mark.long
@pytest.mark.parametrize("read", READERS)
def test_parquet_that_unpacks_to_too_much_is_refused(bomb: Path, read: Reading) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError):
            read(bomb)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_parquet_that_lies_of_its_size_is_refused_in_a_subprocess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The subprocess has as much memory as an empty file needs."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": ["word " * 6_000_000]}), path, compression="zstd")  # fits by what it says
    monkeypatch.setattr(parquet, "PARQUET", replace(PARQUET, memory=2**20))
    with pytest.raises(FileFormatError):
        load_table(path)


@pytest.mark.long
def test_parquet_of_many_texts_that_repeat_is_read(tmp_path: Path) -> None:
    """As each source of 3 kB stands beside the texts of twelve systems."""
    path = tmp_path / "t.parquet"
    sources = [f"{n} " * 600 for n in range(5_000)]
    table = pa.table(
        {"text": [f"Text {n}." for n in range(60_000)], "source": [sources[n // 12] for n in range(60_000)]}
    )
    pq.write_table(table, path)
    assert len(records.read_records(path).items) == 60_000


def test_parquet_of_every_kind_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table(
        {
            "text": [f"Text {n % 7}." for n in range(5_000)],
            "kind": pa.array([("a", "b", None)[n % 3] for n in range(5_000)]).dictionary_encode(),
            "number": pa.array([n % 5 for n in range(5_000)]).dictionary_encode(),
            "list": [[f"r{n}", "r"] for n in range(5_000)],
            "object": [{"a": "x", "b": [1, 2]} for _ in range(5_000)],
            "map": pa.array([[("k", "v")]] * 5_000, pa.map_(pa.string(), pa.string())),
        }
    )
    pq.write_table(table, path)
    assert list(parquet.ParquetRows(path.read_bytes(), path.name)) == table.to_pylist()
    assert len(records.read_records(path).items) == 5_000


def test_a_delimited_file_is_not_held_several_times_over(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = (f"d{n},🙂 {'wörter ' * 300},{n % 5 + 1}\n" for n in range(1_000))
    path.write_text("doc_id,text,coherence\n" + "".join(rows), encoding="utf-8")
    tracemalloc.start()
    try:
        assert len(records.read_records(path).items) == 1_000
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The bytes, and each cell in Python's form, which takes 4 bytes a character where there is an emoji.
    assert held < 6 * path.stat().st_size


@pytest.mark.parametrize("read", [*READERS, open_file, read_file])
def test_devices_pipes_and_folders_are_no_files(tmp_path: Path, read: Reading) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    link = tmp_path / "endless.csv"
    link.symlink_to("/dev/zero")
    for path in (pipe, link, Path("/dev/zero")):
        with pytest.raises(FileFormatError, match="is a device or a pipe"):
            read(path)
    with pytest.raises(FileFormatError, match="is a folder"):
        read(tmp_path)


@pytest.mark.parametrize("read", [*READERS, open_file, read_file])
def test_a_disk_image_is_too_large(tmp_path: Path, read: Reading) -> None:
    path = tmp_path / "disk.csv"
    with path.open("wb") as file:
        file.truncate(5 * 2**30)
    with pytest.raises(FileFormatError, match="larger than 500 MB"):
        read(path)


@pytest.mark.parametrize("name", ["x" * 100_000, "a\0b"])
def test_a_name_that_no_file_can_have_is_a_sentence(name: str) -> None:
    with pytest.raises(WorkbenchError) as caught:
        read_file(Path(name))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("depth", [150, 900])
@pytest.mark.parametrize("nested", [("[", "]"), ('{"a":', "}")], ids=["lists", "objects"])
def test_deeply_nested_json_ends_in_a_sentence(
    tmp_path: Path, read: Reading, depth: int, nested: tuple[str, str]
) -> None:
    row = f'{{"text": "A", "x": {nested[0] * depth}1{nested[1] * depth}}}'
    for name, content in (("t.json", f"[{row}, {row}]"), ("t.jsonl", f"{row}\n{row}\n")):
        (tmp_path / name).write_text(content)
        with pytest.raises(FileFormatError):
            read(tmp_path / name)


def test_cell_longer_than_the_limit_costs_its_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"text\nA\n{'x' * 10_000_001}\nB\n")
    found = records.read_records(path)
    assert [row["text"] for _, row in found.items] == ["A", "B"]
    assert [row.row for row in found.skipped] == [2]
