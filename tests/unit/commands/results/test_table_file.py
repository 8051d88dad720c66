import json
from pathlib import Path

import pandas as pd
import pytest

from app.commands.results.table_file import read_table
from app.errors import FileFormatError, InputError, NotFoundError

ROWS = [{"source": "a", "score": 1.5, "note": "x, y"}, {"source": "b", "score": None, "note": "z"}]


def written(folder: Path, name: str) -> Path:
    path = folder / name
    frame = pd.DataFrame(ROWS)
    if name.endswith(".csv"):
        frame.to_csv(path, index=False)
    elif name.endswith(".tsv"):
        frame.to_csv(path, index=False, sep="\t")
    elif name.endswith(".parquet"):
        frame.to_parquet(path)
    elif name.endswith(".jsonl"):
        path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n\n", encoding="utf-8")
    else:
        path.write_text(json.dumps(ROWS), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.jsonl", "t.json"])
def test_every_format_gives_the_same_columns(tmp_path: Path, name: str) -> None:
    table = read_table(written(tmp_path, name))
    assert table.numbers("score") == [1.5, None]
    assert table.keys("source") == ["a", "b"]
    assert table.column("note") == ["x, y", "z"]
    assert table.keys(None) is None


def test_fields_inside_objects_have_dotted_names(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('[{"scores": {"fluency": 3}}, {"scores": {}}]', encoding="utf-8")
    assert read_table(path).numbers("scores.fluency") == [3.0, None]


@pytest.mark.parametrize(
    "content",
    [
        b"doc,p,h,x\nd1,1,9,3,\nd2,2,7,1,\n",
        b"doc;p;h;x\nd1;1;9;3\nd2;2;7;1\n",
        "doc,p,h,x\nd1,1,9,3\nd2,2,7,1\n".encode("utf-16"),
    ],
    ids=["a comma after each row", "semicolons", "UTF-16"],
)
def test_columns_stand_under_their_names(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    table = read_table(path)
    assert table.keys("doc") == ["d1", "d2"]
    assert (table.numbers("p"), table.numbers("h"), table.numbers("x")) == ([1, 2], [9, 7], [3, 1])


@pytest.mark.parametrize("word", ["", "NA", "nan", "null", "None", " n/a "])
def test_words_for_missing(tmp_path: Path, word: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"score,b\n{word},1\n2,1\n", encoding="utf-8")
    assert read_table(path).numbers("score") == [None, 2.0]


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("score\n1\n", encoding="utf-8-sig")
    assert read_table(path).numbers("score") == [1.0]


def test_source_names_that_look_like_numbers_stay_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("source,score\n007,1\n7,2\n", encoding="utf-8")
    assert read_table(path).keys("source") == ["007", "7"]


def test_a_cell_that_is_no_number_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("score\n1\ngood\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"t\.csv, row 2, column 'score': 'good' is not a number"):
        read_table(path).numbers("score")


def test_a_missing_column_is_named_with_the_likely_one(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "t.csv"))
    with pytest.raises(NotFoundError, match="Did you mean 'score'"):
        table.column("scores")
    with pytest.raises(NotFoundError, match="Its columns are: source, score, note"):
        table.column("quality")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b""),
        ("t.csv", b"a,b\n1,2,3,4\n1,2\n1,2,3,4,5,6\n"),
        ("t.csv", b"%PDF-1.7 and more"),
        ("t.parquet", b"no parquet"),
        ("t.jsonl", b'{"a": 1}\n{'),
        ("t.jsonl", b"[1]"),
        ("t.json", b"[1]"),
        ("t.json", b"\xff"),
    ],
)
def test_files_that_are_not_what_they_say(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=name):
        read_table(path)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no file"):
        read_table(tmp_path / "none.csv")


def test_of_many_columns_the_first_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    names = [f"metric_{number}" for number in range(35)]
    path.write_text(f"{','.join(names)}\n{','.join('1' for _ in names)}\n", encoding="utf-8")
    with pytest.raises(NotFoundError, match=r"metric_0, metric_1, .*metric_29 and 5 more"):
        read_table(path).column("quality")
