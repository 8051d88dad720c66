"""estimate, alt-test and panel on files: fixed fields, real answers, and what is wrong with a file."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.meta_evaluation.judges.estimate import estimate
from app.meta_evaluation.score_matrix import Floats
from tests.support.made_data import made_data
from tests.support.real_data import shared_data

Run = Callable[..., tuple[int, str, str]]
PEOPLE = ("human_1", "human_2", "human_3", "human_4")
LLMS = ("gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03")


def _json(result: tuple[int, str, str]) -> Any:
    status, out, err = result
    assert status == 0, err
    return json.loads(out)


def _each(option: str, names: Sequence[str]) -> list[str]:
    return [word for name in names for word in (option, name)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Forty rows: people answered thirty of them, one "does not apply"; the judge left one open."""
    path = tmp_path / "answers.csv"
    lines = ["doc,judge,other,ada,ben"]
    for row in range(40):
        said = "yes" if row % 2 else "no"
        judge = "" if row == 39 else "yes" if row % 2 or row % 8 == 0 else "no"
        ada = "n/a" if row == 0 else said if row < 30 else ""
        lines.append(f"d{row // 4},{judge},{row % 2},{ada},{said}")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_estimate_prints_its_fields(run: Run, table: Path) -> None:
    found = _json(run("estimate", table, "--judge", "judge", "--human", "ada", "--group", "doc", "--json"))
    assert {"n", "n_human", "judge_only", "human_only", "corrected", "sensitivity", "specificity"} <= found.keys()
    assert (found["n"], found["n_human"], found["documents"]) == (39, 29, 10)
    assert found["judge_only"].keys() == {"value", "low", "high"} == found["human_only"].keys()
    assert found["corrected"].keys() == {"value", "low", "high", "method", "weight"}
    assert found["sensitivity"] == 1.0
    assert found["specificity"] == 11 / 14
    assert any(said.startswith("1 row left out: no answer in 'judge'") for said in found["cautions"])
    assert any("does not apply" in said for said in found["cautions"])
    status, out, _ = run("estimate", table, "--judge", "judge", "--human", "ada")
    assert status == 0
    assert out.startswith("Use ")
    assert "39 rows, 29 with an answer of people" in out


@pytest.fixture
def three_people(tmp_path: Path) -> Path:
    """Per row: the judges' answers, then those of ann, bob and cid."""
    path = tmp_path / "three.csv"
    rows = ["1,1,yes,yes,no", "0,0,no,yes,", "1,0,no,no,yes", "0,0,,,", "1,1,yes,,", "0,1,no,yes,yes"]
    path.write_text("\n".join(["judge,other,ann,bob,cid", *rows]), encoding="utf-8")
    return path


def test_estimate_of_several_people_takes_their_majority(run: Run, three_people: Path) -> None:
    """The second row is tied, so it has no answer of people: yes, no, yes, yes are left."""
    words = ("estimate", three_people, "--judge", "judge", *_each("--human", ("ann", "bob", "cid")))
    found = _json(run(*words, "--json"))
    assert found["people"] == {"columns": ["ann", "bob", "cid"], "combined": "majority", "ties": 1}
    assert (found["n"], found["n_human"], found["human_only"]["value"]) == (6, 4, 0.75)
    alone = [_json(run(*words[:4], "--human", name, "--json"))["n_human"] for name in ("ann", "bob", "cid")]
    assert alone == [5, 4, 3]
    status, out, _ = run(*words)
    assert (status, "3 people count as their majority. 1 row is tied" in out) == (0, True)


def test_estimate_of_several_peoples_scores_takes_their_mean(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("judge,ann,bob\n3,2,5\n4,4,\n1,,2\n5,,\n", encoding="utf-8")
    found = _json(run("estimate", path, "--judge", "judge", "--human", "ann", "--human", "bob", "--json"))
    assert found["people"] == {"columns": ["ann", "bob"], "combined": "mean", "ties": 0}
    assert (found["n_human"], found["human_only"]["value"]) == (3, pytest.approx((3.5 + 4 + 2) / 3))


def test_panel_of_several_people_takes_their_majority(run: Run, three_people: Path) -> None:
    judges = ("--judge", "judge", "--judge", "other")
    found = _json(run("panel", three_people, *judges, *_each("--human", ("ann", "bob", "cid")), "--json"))
    assert found["people"] == {"columns": ["ann", "bob", "cid"], "combined": "majority", "ties": 1}
    assert found["n"] == 4
    assert [judge["accuracy"] for judge in found["judges"]] == [0.5, 1.0]


def test_several_people_are_not_the_last_one(run: Run) -> None:
    answers, two = made_data("framing_answers.csv"), ("human_1", "human_2")
    words = ("estimate", answers, "--judge", "gpt-4o", "--json")
    both = _json(run(*words, *_each("--human", two)))
    assert both["people"]["ties"] > 0
    for name in two:
        assert both["human_only"] != _json(run(*words, "--human", name))["human_only"]


def test_scores_have_no_sensitivity(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("judge,human\n" + "\n".join(f"{n % 5},{(n % 5) - 1 if n < 20 else ''}" for n in range(60)))
    found = _json(run("estimate", path, "--judge", "judge", "--human", "human", "--json"))
    assert (found["sensitivity"], found["specificity"]) == (None, None)
    assert found["corrected"]["value"] == pytest.approx(1.0)
    status, _, err = run("estimate", path, "--judge", "judge", "--human", "human", "--method", "rogan-gladen")
    assert (status, "not scores" in err) == (2, True)


def test_rows_drawn_with_unequal_probabilities_are_weighed(run: Run, tmp_path: Path) -> None:
    """People answered every yes of the judge, and one no in four, which count four times."""
    path = tmp_path / "drawn.csv"
    rows = ["1,1,1"] * 8 + ["1,0,1"] * 2 + ["0,0,.25"] * 3 + ["0,1,.25"] * 2 + ["0,,"] * 15
    path.write_text("\n".join(["judge,ada,chance", ",1,", *rows]), encoding="utf-8")
    words = ("estimate", path, "--judge", "judge", "--human", "ada", "--probability", "chance", "--json")
    found = _json(run(*words))
    assert (found["n"], found["n_human"], found["weighted"]) == (30, 15, True)
    assert found["human_only"]["value"] == pytest.approx((8 + 4 * 2) / (10 + 4 * 5))
    assert found["n_human_effective"] < 15
    status, out, _ = run(*words[:-1])
    assert (status, "weighed by the probabilities" in out) == (0, True)
    path.write_text("\n".join(["judge,ada,chance", ",1,", "0,0,.5", "1,1,", "1,1,.5"]), encoding="utf-8")
    status, _, err = run(*words)
    assert (status, "Row 3 has an answer of people, and none" in err) == (2, True)


@pytest.fixture
def systems(tmp_path: Path) -> Path:
    """Two systems on forty documents; people answered both on the first twenty. A third has one answer of people."""
    path = tmp_path / "systems.csv"
    lines = ["doc,system,judge,ada"]
    for row in range(40):
        lines.append(f"d{row},old,{3 + row % 2},{2 + row % 2 + (row % 5 == 0) if row < 20 else ''}")
        lines.append(f"d{row},new,{4 + row % 2},{2 + row % 2 + (row % 3 == 0) if row < 20 else ''}")
    lines.append("d1,third,3,3")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_each_system_and_the_difference_of_two(run: Run, systems: Path) -> None:
    words = ("estimate", systems, "--judge", "judge", "--human", "ada", "--group", "doc", "--system", "system")
    alone = _json(run(*words, "--json"))
    assert (alone["n"], alone["n_human"]) == (81, 41), "the fixed fields are over all rows"
    assert [(each["system"], each["n"], each["n_human"]) for each in alone["systems"]] == [
        ("old", 40, 20),
        ("new", 40, 20),
        ("third", 1, 1),
    ]
    assert alone["systems"][1]["judge_only"]["value"] == 4.5
    assert alone["systems"][2]["corrected"] is None
    assert "nothing can be corrected" in alone["systems"][2]["reason"]
    assert "difference" not in alone
    found = _json(run(*words, "--between", "new", "--between", "old", "--json"))["difference"]
    assert (found["a"], found["b"], found["paired"], found["n"], found["n_human"]) == ("new", "old", True, 40, 20)
    assert found["judge_only"]["value"] == 1
    assert found["human_only"]["value"] == pytest.approx(3 / 20)
    assert found["judge_off_by"] == pytest.approx(17 / 20)
    assert "new" in found["verdict"]
    status, out, _ = run(*words, "--between", "new", "--between", "old")
    assert status == 0
    assert "new less old" in out
    assert "40 pairs, 20 with answers of people" in out
    assert "third: 1 of 1 rows have a human value" in out


def test_systems_are_paired_by_item_within_a_document(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    rows = [f"d{n // 4},q{n % 4},{name},{(n + shift) % 3}," for n in range(24) for shift, name in enumerate("ab")]
    answers = [f"d{n},q0,{name},{n % 2},{n % 2}" for n in (6, 7) for name in "ab"]
    path.write_text("\n".join(["doc,item,system,judge,ada", *rows, *answers]), encoding="utf-8")
    words = ("estimate", path, "--judge", "judge", "--human", "ada", "--group", "doc", "--system", "system", "--json")
    apart = _json(run(*words, "--between", "a", "--between", "b"))["difference"]
    assert (apart["paired"], apart["documents"]) == (False, 8)
    paired = _json(run(*words, "--between", "a", "--between", "b", "--item", "item"))["difference"]
    assert (paired["paired"], paired["n"], paired["documents"]) == (True, 26, 8)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--between", "new", "--between", "old"), "no column names them"),
        (("--system", "system", "--between", "new"), "needs two systems"),
        (("--system", "system", "--between", "new", "--between", "new"), "needs two systems"),
        (("--system", "system", "--between", "new", "--between", "odd"), "There are old, new, third"),
        (
            ("--system", "system", "--between", "new", "--between", "old", "--method", "rogan-gladen"),
            "PPI++ alone",
        ),
        (("--system", "ada"), "is empty"),
    ],
)
def test_what_is_wrong_with_two_systems_is_said(run: Run, systems: Path, words: tuple[str, ...], says: str) -> None:
    status, _, err = run("estimate", systems, "--judge", "judge", "--human", "ada", *words)
    assert (status, says in err) == (2, True), err


def test_alt_test_prints_its_fields(run: Run, table: Path) -> None:
    found = _json(run("alt-test", table, "--judge", "other", "--human", "ada", "--human", "ben", "--json"))
    fixed = {"winning_rate", "advantage_probability", "passes", "epsilon", "metric", "annotators", "skipped"}
    assert fixed <= found.keys()
    assert [person["name"] for person in found["annotators"]] == ["ada", "ben"], "30 texts: n/a is an answer"
    assert found["annotators"][0].keys() == {"name", "n", "advantage", "p", "rejected"}
    assert (found["metric"], found["epsilon"]) == ("accuracy", 0.2)
    words = ("alt-test", table, "--judge", "judge", "--human", "ada", "--human", "ben", "--metric", "rmse")
    status, out, _ = run(*words)
    assert (status, "29 rows" in out, "Rows are taken as independent" in out) == (0, True, True)


def test_one_column_of_ratings_is_not_called_one_raters(run: Run, tmp_path: Path) -> None:
    """It may be the mean of several, as `results --output` writes it."""
    file = tmp_path / "scores.csv"
    rows = [f"d{n % 12},s{n // 12},{n // 12},{n // 12 + n * 5 % 7 % 3}" for n in range(60)]
    file.write_text("\n".join(["doc_id,system_id,score,human", *rows]), encoding="utf-8")
    status, out, err = run("meta-eval", file, "--pred", "score", "--human", "human", "--group", "doc_id")
    assert status == 0, err
    assert "the human ceiling isn't known" in out


def test_panel_prints_its_fields(run: Run, table: Path) -> None:
    found = _json(run("panel", table, "--judge", "judge", "--judge", "other", "--human", "ben", "--json"))
    fixed = {"n", "judges", "error_correlation", "effective_votes", "best", "majority", "difference"}
    assert fixed <= found.keys()
    assert found["n"] == 39
    assert found["judges"][0].keys() == {"judge", "accuracy", "low", "high"}
    assert found["best"] == {"judge": "other", "accuracy": 1.0}
    assert found["left_out_of_correlation"] == ["other"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("estimate", "--judge", "judje", "--human", "ada"), "Did you mean 'judge'?"),
        (("estimate", "--judge", "doc", "--human", "ada"), "row 1, column 'doc': 'd0' is neither yes, no nor a number"),
        (("alt-test", "--judge", "judge", "--human", "ada"), "at least two"),
        (("alt-test", "--judge", "judge", "--human", "ada", "--human", "ada"), "named twice"),
        (("panel", "--judge", "judge", "--human", "ada"), "at least two judges"),
        (("panel", "--judge", "judge", "--judge", "other", "--human", "ada", "--group", "judge"), "row 40"),
    ],
)
def test_what_is_wrong_is_said(run: Run, table: Path, words: tuple[str, ...], says: str) -> None:
    status, _, err = run(words[0], table, *words[1:])
    assert status == 2
    assert says in err


def test_real_judges_are_worth_two_votes_and_the_best_beats_their_majority(run: Run) -> None:
    file = shared_data("framing_answers.csv")
    found = _json(run("panel", file, *_each("--judge", LLMS), "--human", "human_1", "--group", "doc_id", "--json"))
    assert found["n"] == 1100
    assert found["effective_votes"] == pytest.approx(1.9, abs=0.05)
    assert found["best"]["judge"] == "gpt-4o"
    assert found["difference"]["high"] < 0


def _real_rows() -> tuple[list[str], Floats, Floats]:
    """Document, a judge's yes and a person's, of the rows that both answered so."""
    with shared_data("framing_answers.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["human_2"] in ("yes", "no")]
    judge, human = (np.array([float(row[name] == "yes") for row in rows]) for name in ("gemini_flash", "human_2"))
    return [row["doc_id"] for row in rows], judge, human


def test_a_real_judge_says_yes_too_often_and_a_tenth_of_the_answers_corrects_it() -> None:
    documents, judge, human = _real_rows()
    hits, rng = 0, np.random.default_rng(4)
    for _ in range(100):
        answered = rng.permutation(human.size) < human.size // 10
        found = estimate(judge, np.where(answered, human, np.nan), group=documents, resamples=300)
        assert found.judge_only.low is not None
        assert found.corrected.low is not None
        assert found.corrected.high is not None
        assert found.judge_only.low > human.mean()
        hits += found.corrected.low <= human.mean() <= found.corrected.high
    assert hits >= 90


def test_who_may_stand_in_on_real_answers(run: Run) -> None:
    file = shared_data("framing_answers.csv")
    words = ("alt-test", file, *_each("--human", PEOPLE), "--epsilon", "0.1", "--json")
    good, poor = (_json(run(*words, "--judge", judge)) for judge in ("gpt-4o", "mistral-v03"))
    assert (good["passes"], poor["passes"]) == (True, False)
    assert [person["n"] for person in good["annotators"]] == [1100, 1276, 1100, 352]
    out = run(*words[:-1], "--judge", "gpt-4o")[1]
    assert "< .001" in out
    assert "  rows  " in out


@pytest.mark.parametrize(("score", "remarks"), [("3.67", 1), ("4", 0)])
def test_scores_that_are_taken_as_labels_are_remarked_on(run: Run, tmp_path: Path, score: str, remarks: int) -> None:
    file = tmp_path / "scores.csv"
    rows = [f"{score if row % 2 else 3},{3 + row % 2},{3 + row % 2},{3 + row % 3 % 2}" for row in range(40)]
    file.write_text("\n".join(["judge,a,b,c", *rows]), encoding="utf-8")
    people = _each("--human", ("a", "b", "c"))
    labels = _json(run("alt-test", file, "--judge", "judge", *people, "--json"))
    numbers = _json(run("alt-test", file, "--judge", "judge", *people, "--metric", "rmse", "--json"))
    assert len(labels["cautions"]) - len(numbers["cautions"]) == remarks
    panel = _json(run("panel", file, "--judge", "judge", "--judge", "a", "--human", "b", "--json"))
    assert len(panel["cautions"]) == remarks
