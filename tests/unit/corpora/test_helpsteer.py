"""HelpSteer: a small file in the published shape."""

import json
from pathlib import Path

from app.corpora.reading import detect_format
from tests.support.corpora import read_corpus

RATINGS = {"helpfulness": 3, "correctness": 4, "coherence": 4, "complexity": 1, "verbosity": 2}
RECORDS = [
    {"prompt": "Name a river.", "response": "The Danube.", **RATINGS, "split": "train"},
    {"prompt": "Name a river.", "response": "A mountain.", **RATINGS, "helpfulness": 0},
    {"prompt": "Name a lake.", "response": "Lake Constance.", **RATINGS, "verbosity": 9},
]


def _file(folder: Path) -> Path:
    file = folder / "train.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    return file


def test_helpsteer_file_is_recognised(tmp_path: Path) -> None:
    assert detect_format(_file(tmp_path)) == "helpsteer"


def test_helpsteer_replies_to_one_prompt_share_a_document(tmp_path: Path) -> None:
    corpus = read_corpus(_file(tmp_path))
    first, second, _ = (each.text for each in corpus.texts)
    assert (first.doc_id, first.item_id) == ("prompt-00001", "reply-1")
    assert (second.doc_id, second.item_id) == ("prompt-00001", "reply-2")
    assert (first.source, first.text, first.extra) == ("Name a river.", "The Danube.", {"split": "train"})
    assert {(one.name, one.low, one.high) for one in corpus.dimensions} == {(name, 0, 4) for name in RATINGS}


def test_helpsteer_rating_off_the_scale_is_left_out_and_counted(tmp_path: Path) -> None:
    corpus = read_corpus(_file(tmp_path))
    assert len(corpus.skipped) == 1
    assert "9" in corpus.skipped[0].reason
