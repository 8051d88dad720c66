"""A typing error doesn't stretch the scale; it is listed, and its text stays."""

import csv
import random
from pathlib import Path

import pytest

from app.corpora.mapping import ColumnMapping, read_scale
from app.corpora.scale import proposed_scale, whole_scale
from app.errors import InputError
from app.services.data.uploads import MappedColumns, Upload, preview_upload
from tests.support.corpora import read_corpus
from tests.support.made_data import made_data


def likert(count: int, high: int = 5) -> list[float]:
    rng = random.Random(count)
    return [float(rng.randint(1, high)) for _ in range(count)]


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([1, 2, 3, 999, -5], (1, 5)),
        ([*likert(40), 55], (1, 5)),
        ([*likert(40), 44, 999], (1, 5)),
        ([*likert(200), 6], (1, 5)),
        ([*likert(200, 6), 66], (1, 6)),
        ([*likert(200, 6), 7], (1, 7)),  # rare, but no error
        ([*likert(200), 0], (1, 5)),
        ([*likert(200), -1], (1, 5)),
        ([*[0, 1] * 30, 11], (0, 1)),
        ([*likert(50, 10), 100], (1, 10)),
        ([*range(0, 101, 5), 999], (0, 100)),
        ([*[0, 1, 2, 3] * 13, 33], (0, 3)),
        ([*[-2, -1, 0, 1, 2] * 30, 22, -11], (-2, 2)),
        ([*[-3, -1.5, 0, 1.5, 3] * 8, 300], (-3, 3)),
        ([*range(11), *range(11), *range(11), 55], (0, 10)),
        ([1.5, 2.5, 4.5, 45], (0, 100)),  # too few to tell
    ],
)
def test_the_scale_is_the_one_that_almost_all_ratings_fit(values: list[float], scale: tuple[float, float]) -> None:
    assert proposed_scale(values) == scale


@pytest.mark.parametrize(
    "values",
    [
        [1, 3], [0, 0.25], [1, 7], [0, 5], [0, 80], [2, 55.5], [-1, 1], [250, 900], [-3], [], [0, 1, 1, 0, 3],
        [1, 1, 1, 5], [0, 0, 1, 0, 35, 80], [3, 5, 2, 80, 90], [-2, -1, 0, 1, 2, 2], likert(500, 7), [-50, 50, 20, 3],
        [*[90, 95, 100] * 20, 5], [*[0, 10, 20] * 20, 75], [*[n / 7 for n in range(-20, 21)], 99], [0, 1, 2, 3, 33],
        [*[-2, -1, 0, 1, 2] * 30, 4], list(range(-5, 6)), [0, 12, 15, 18, 20], [1, 2, 3, 4, 5, 6] * 30,
    ],
)  # fmt: skip
def test_scales_that_people_use_are_not_cut(values: list[float]) -> None:
    assert proposed_scale(values) == whole_scale(values)


REAL = (
    "ELLIPSE_Final_github_test.csv",
    "openmeva.json",
    "qags_cnndm.json",
    "qags_xsum.json",
    "sfres.json",
    "topical_chat.json",
    "summeval_model_annotations.aligned.paired.jsonl",
)


@pytest.mark.parametrize("name", REAL)
def test_real_ratings_keep_the_scale_that_holds_them_all(name: str) -> None:
    corpus = read_corpus(made_data(name))
    for dimension in corpus.dimensions:
        values = [r.value for entry in corpus.texts for r in entry.ratings if r.dimension == dimension.name]
        assert proposed_scale(values) == whole_scale(values)


@pytest.fixture
def typos(tmp_path: Path) -> Path:
    path = tmp_path / "typos.csv"
    with path.open("w", newline="") as file:
        rows = [[f"Text {n}.", value] for n, value in enumerate([1, 2, 3, 999, -5])]
        csv.writer(file).writerows([["text", "c"], *rows])
    return path


def test_what_the_person_says_counts(typos: Path) -> None:
    corpus = read_corpus(typos, mapping=ColumnMapping.parse([], [], ["c=-5..999"]))
    assert [(d.low, d.high) for d in corpus.dimensions] == [(-5, 999)]
    assert not corpus.skipped
    corpus = read_corpus(typos, mapping=ColumnMapping.parse(["text=text"], ["c=c"], ["c=1..2"]))
    assert [row.row for row in corpus.skipped] == [3, 4, 5]


@pytest.mark.parametrize("written", ["c=5", "c=5..1", "c=a..b", "c"])
def test_a_scale_that_is_none_is_named(written: str) -> None:
    with pytest.raises(InputError, match=r"no scale of c|is not a mapping"):
        ColumnMapping.parse([], [], [written])


def test_a_scale_of_what_is_not_rated_is_named(typos: Path) -> None:
    with pytest.raises(InputError, match="no ratings on “flow”"):
        read_corpus(typos, mapping=ColumnMapping.parse([], [], ["flow=1..5"]))
    with pytest.raises(InputError, match="fixes its scales"):
        read_corpus(made_data("qags_xsum.json"), mapping=ColumnMapping.parse([], [], ["consistency=1..5"]))


@pytest.mark.parametrize("written", ["1..5", "1-5", "1 – 5", "1 to 5", "1,0..5"])
def test_scales_are_written_in_several_ways(written: str) -> None:
    assert read_scale(written, "c") == (1, 5)
    assert read_scale("-2..2", "c") == (-2, 2)


def test_a_preview_proposes_the_scale_of_each_column_of_numbers(typos: Path) -> None:
    preview = preview_upload(Upload("typos.csv", typos.read_bytes()))
    assert preview.numbers["c"].scale == (1, 5)
    assert MappedColumns({"text": "text"}, (("c", "c"),), (("c", "0..6"), ("d", " "))).mapping().scales == {"c": (0, 6)}
