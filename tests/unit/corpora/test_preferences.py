"""Tables of preferences: the usual shapes of data sets are read alike, and what can't be used is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.corpora.formats.preferences import PairSide, parse_pair_columns, read_pairs, read_winner
from app.domain.expert_answer import Winner
from app.errors import FileFormatError, InputError

ASKED, GOOD, BAD = "What is rain?", "Water that falls from clouds.", "No idea."
USER, YES, NO = (
    {"role": role, "content": words} for role, words in (("user", ASKED), ("assistant", GOOD), ("assistant", BAD))
)
SHAPES: dict[str, dict[str, Any]] = {
    "texts": {"source": ASKED, "text_a": GOOD, "text_b": BAD, "winner": "a"},
    "chosen": {"prompt": ASKED, "chosen": GOOD, "rejected": BAD},
    "arena": {"prompt": ASKED, "model_a": "x", "model_b": "y", "response_a": GOOD, "response_b": BAD,
              "winner": "model_a", "judge": "Ana"},
    "votes": {"prompt": ASKED, "response_a": GOOD, "response_b": BAD, "winner_model_a": 1, "winner_model_b": 0,
              "winner_tie": 0},
    "numbers": {"instruction": ASKED, "output_1": GOOD, "output_2": BAD, "preference": 1},
    "name": {"prompt": ASKED, "system_1": "x", "system_2": "y", "summary1": GOOD, "summary2": BAD, "winner": "x"},
}  # fmt: skip


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("shape", SHAPES)
def test_usual_columns_are_guessed(shape: str, tmp_path: Path) -> None:
    (pair,) = read_pairs(written(tmp_path, SHAPES[shape]), {}).pairs
    assert (pair.source, pair.a.text, pair.b.text, pair.winner) == (ASKED, GOOD, BAD, Winner.A)
    assert pair.rater == ("Ana" if shape == "arena" else "unnamed rater")
    assert (pair.a.system, pair.b.system) == (("x", "y") if shape in ("arena", "name") else ("", ""))


def test_messages_give_the_last_reply_and_what_came_before(tmp_path: Path) -> None:
    path = written(tmp_path, {"chosen": [USER, YES], "rejected": [USER, NO]})
    (pair,) = read_pairs(path, {}).pairs
    assert (pair.a.text, pair.b.text, pair.source) == (GOOD, BAD, f"[User]\n{ASKED}")


def test_dialogues_in_one_text_are_split_at_the_last_answer(tmp_path: Path) -> None:
    said = f"\n\nHuman: {ASKED}\n\nAssistant: "
    (pair,) = read_pairs(written(tmp_path, {"chosen": said + GOOD, "rejected": said + BAD}), {}).pairs
    assert (pair.source, pair.a.text, pair.b.text) == (f"Human: {ASKED}", GOOD, BAD)


def test_columns_may_be_named_and_the_rest_is_guessed(tmp_path: Path) -> None:
    path = written(tmp_path, {"left": GOOD, "right": BAD, "prompt": ASKED, "won": "tie (bothbad)", "why": "Both."})
    columns = parse_pair_columns(["text_a=left", "text_b=right", "winner=won", "source="])
    (pair,) = read_pairs(path, columns, "Ben", "clarity").pairs
    assert (pair.winner, pair.reason, pair.source) == (Winner.TIE, "Both.", "")
    assert (pair.rater, pair.dimension) == ("Ben", "clarity")


def test_ids_of_texts_need_no_texts(tmp_path: Path) -> None:
    path = written(tmp_path, {"id_a": 3, "id_b": "7", "winner": 7})
    (pair,) = read_pairs(path, {}).pairs
    assert (pair.a, pair.b, pair.winner) == (PairSide(id="3"), PairSide(id="7"), Winner.B)


def test_rows_that_say_too_little_are_named(tmp_path: Path) -> None:
    whole = SHAPES["texts"]
    other = [USER | {"content": "Another question"}, NO]
    rows = [whole, whole | {"winner": "0"}, whole | {"winner": ""}, whole | {"text_b": None}, whole | {"reason": [1]}]
    table = read_pairs(written(tmp_path, *rows, {**whole, "source": None, "text_a": [USER, YES], "text_b": other}), {})
    assert [pair.row for pair in table.pairs] == [1]
    assert [each.row for each in table.skipped] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize("rows", [[{"text_a": GOOD, "text_b": BAD}], [{"prompt": ASKED, "winner": "a"}]])
def test_a_table_without_texts_or_winner_is_refused(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    with pytest.raises(FileFormatError):
        read_pairs(written(tmp_path, *rows), {})


def test_mappings_that_name_no_field_are_refused(tmp_path: Path) -> None:
    for maps in (["words=x"], ["text_a"], ["text_a=x", "text_a=y"]):
        with pytest.raises(InputError):
            parse_pair_columns(maps)
    with pytest.raises(FileFormatError):
        read_pairs(written(tmp_path, SHAPES["texts"]), {"text_a": "nowhere"})


@pytest.mark.parametrize(
    ("said", "winner"),
    [("Model A", "a"), ("B", "b"), (2, "b"), ("response_2", "b"), ("Tie", "tie"), ("neither", "tie"), ("left", "a")],
)
def test_winners_are_read_in_usual_words(said: object, winner: str) -> None:
    assert read_winner(said, PairSide(), PairSide()) == winner


def test_systems_called_a_and_b_win_by_their_name() -> None:
    assert read_winner("a", PairSide(system="b"), PairSide(system="a")) is Winner.B
