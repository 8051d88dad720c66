"""Rows of files are read as they are asked for, and no more of them than are needed."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.corpora import rows as rows_of_files
from app.corpora.assembly import CorpusBuilder
from app.corpora.corpus import CorpusText
from app.corpora.reading import open_corpus
from app.corpora.records import read_records
from app.corpora.rows import FileRows
from app.errors import FileFormatError
from tests.support.corpora import read_corpus

ROWS = [{"doc_id": f"d{n // 3}", "system_id": f"s{n % 3}", "text": f"Text {n}.", "c": n % 5 + 1} for n in range(300)]


def test_the_first_rows_are_read_without_the_others() -> None:
    read: list[int] = []

    def numbers() -> Iterator[int]:
        for n in range(1_000):
            read.append(n)
            yield n

    rows = FileRows(numbers, 1_000)
    assert (rows[:3], len(rows), len(read)) == ((0, 1, 2), 1_000, 3)
    assert (rows[5], rows[-1], list(rows)[-1]) == (5, 999, 999)


def _written(path: Path) -> Path:
    match path.suffix:
        case ".csv":
            lines = [",".join(map(str, row.values())) for row in ROWS]
            path.write_text("\n".join([",".join(ROWS[0]), *lines, "broken,row,with,too,many,cells"]))
        case ".jsonl":
            path.write_text("\n".join([*map(json.dumps, ROWS), '{"cut']))
        case _:
            pq.write_table(pa.Table.from_pylist(ROWS), path)
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_texts_are_handed_on_one_by_one(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = open_corpus(_written(tmp_path / name))
    made, add = [], CorpusBuilder.add

    def counting(self: CorpusBuilder, row: int, *more: object) -> None:
        made.append(row)
        add(self, row, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(CorpusBuilder, "add", counting)
    texts = corpus.read()
    first = next(texts)
    assert (first.text.text, len(made)) == ("Text 0.", 1)
    assert sum(isinstance(each, CorpusText) for each in texts) == 299
    assert [each.row for each in corpus.left_out()] == ([] if name == "t.parquet" else [301])


def test_a_reader_that_is_read_twice_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("doc_id,text\nd1,One.\nd1,Two.\nd1,One.\nd2,\n")
    corpus = open_corpus(path)
    assert corpus.whole() == corpus.whole() == read_corpus(path)
    assert [(t.text.item_id, t.row) for t in corpus.read()] == [("1", 1), ("2", 2)]
    assert [(each.row, each.reason) for each in corpus.left_out()] == [(3, "It repeats row 1."), (4, "It has no text.")]


@pytest.mark.parametrize(
    ("name", "content"), [("t.csv", "a,b\n1,2\n3,4\n"), ("t.jsonl", '{"a": 1}\n{"a": 2}\n')], ids=["csv", "jsonl"]
)
def test_file_that_takes_too_long_to_read_is_refused(
    name: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text(content)
    assert len(read_records(tmp_path / name).items) == 2
    clock = count(step=200)
    monkeypatch.setattr(rows_of_files, "monotonic", lambda: next(clock))
    with pytest.raises(FileFormatError):
        read_records(tmp_path / name)
