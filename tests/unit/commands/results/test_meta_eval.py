import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from app.cli import build
from app.errors import InputError

TABLE = """doc,system,judge,other,expert
a,x,1,3,1
a,y,2,1,2
a,z,3,2,3
b,x,2,1,1
b,y,1,2,2
b,z,3,3,3
c,x,5,1,4
c,y,5,2,3
c,z,5,3,2
d,x,1,2,3
d,y,2,1,
d,y,2,1,3
"""
"""Source c has constant judge scores; d loses a text to a missing rating, and its repeat is a duplicate."""


@pytest.fixture
def cli() -> typer.Typer:
    return build()


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE, encoding="utf-8")
    return str(path)


def run(cli: typer.Typer, *arguments: str) -> str:
    result = CliRunner().invoke(cli, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


COLUMNS = ["--group", "doc", "--system", "system"]


def test_meta_eval_json(cli: typer.Typer, file: str) -> None:
    payload = json.loads(run(cli, "meta-eval", file, "--pred", "judge", "--human", "expert", *COLUMNS, "--json"))
    assert payload["level"] == "per-source"
    assert (payload["groups_used"], payload["groups_all"], payload["duplicates"]) == (2, 4, 1)
    assert (payload["n"], payload["n_used"], payload["missing"]["human"]) == (10, 6, 1)
    assert payload["spearman"]["value"] == pytest.approx((1 + 0.5) / 2)
    assert payload["kendall"]["value"] == pytest.approx((1 + 1 / 3) / 2)
    assert payload["mae"]["value"] == pytest.approx((0 + 2 / 3) / 2)
    assert payload["signature"] == "per-source|spearman+kendall+pearson+mae|2/4 skip|once|1000 sources|0|-|-|-"


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
def test_every_level_and_choice(cli: typer.Typer, file: str, level: str) -> None:
    choices = ["--duplicates", "keep", "--constant", "zero", "--resamples", "50", "--seed", "3", "--resample", "both"]
    output = run(
        cli, "meta-eval", file, "--pred", "judge", "--human", "expert", *COLUMNS, "--level", level, *choices, "--json"
    )
    payload = json.loads(output)
    assert payload["level"] == level
    assert payload["design"] == {
        "level": level,
        "duplicates": "keep",
        "constant": "zero",
        "resampling": "both",
        "resamples": 50,
        "seed": 3,
    }


def test_meta_eval_for_people(cli: typer.Typer, file: str) -> None:
    output = run(cli, "meta-eval", file, "--pred", "judge", "--human", "expert", *COLUMNS)
    assert "2 of 4 sources used" in output
    assert "Kendall tau-b  0.667" in output
    assert "per-source|spearman+kendall+pearson+mae|2/4 skip" in output


def test_figures_that_do_not_exist_give_a_sentence(cli: typer.Typer, file: str) -> None:
    output = run(cli, "meta-eval", file, "--pred", "judge", "--human", "expert", "--group", "system", "--item", "doc")
    assert "nan" not in output.lower()
    path = Path(file).with_name("flat.csv")
    path.write_text("p,h\n1,2\n1,3\n1,4\n", encoding="utf-8")
    output = run(cli, "meta-eval", str(path), "--pred", "p", "--human", "h", "--level", "dataset")
    assert "All texts have the same score" in output
    assert "nan" not in output.lower()


def test_compare_json(cli: typer.Typer, file: str) -> None:
    columns = ["--pred-a", "judge", "--pred-b", "other", "--human", "expert", *COLUMNS]
    payload = json.loads(run(cli, "compare", file, *columns, "--level", "dataset", "--permutations", "200", "--json"))
    assert payload["level"] == "dataset"
    assert payload["n"] == 10
    for name in ("spearman", "kendall", "pearson"):
        figure = payload[name]
        assert figure["difference"] == pytest.approx(figure["a"] - figure["b"])
        assert figure["low"] <= figure["difference"] <= figure["high"]
        assert all(0 < figure[p] <= 1 for p in ("p_permutation", "p_williams", "p_fisher"))


def test_compare_for_people(cli: typer.Typer, file: str) -> None:
    columns = ["--pred-a", "judge", "--pred-b", "other", "--human", "expert", *COLUMNS]
    output = run(cli, "compare", file, *columns, "--permutations", "50")
    assert "A = judge, B = other" in output
    assert "p permutation" in output
    assert "as if they came from different texts" in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--pred", "judge", "--human", "expert"], "--group"),
        (["--pred", "judge", "--human", "expert", "--level", "system"], "--system"),
        (["--pred", "jugde", "--human", "expert", *COLUMNS], "Did you mean 'judge'"),
        (["--pred", "system", "--human", "expert", *COLUMNS], "row 1, column 'system': 'x' is not a number"),
    ],
)
def test_input_that_does_not_fit_is_one_sentence(
    cli: typer.Typer, file: str, arguments: list[str], sentence: str
) -> None:
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(cli, ["meta-eval", file, *arguments], catch_exceptions=False)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_status == 2


RATERS = """doc,system,judge,ann,ben,cid
a,x,1,1,2,10
a,y,2,2,3,50
a,z,3,3,3,90
b,x,2,1,1,20
b,y,1,2,2,
b,z,3,5,4,100
"""


@pytest.fixture
def raters(tmp_path: Path) -> str:
    path = tmp_path / "raters.csv"
    path.write_text(RATERS, encoding="utf-8")
    return str(path)


def test_several_raters_are_compared_with_each_other_too(cli: typer.Typer, raters: str) -> None:
    asked = ["meta-eval", raters, "--pred", "judge", "--human", "ann", "--human", "ben", "--group", "doc"]
    payload = json.loads(run(cli, *asked, "--level", "dataset", "--json"))
    people = payload["human_side"]
    assert [rater["name"] for rater in people["raters"]] == ["ann", "ben"]
    assert people["ceiling"]["spearman"]["value"] == pytest.approx(payload_of_two(cli, raters))
    assert sum(stratum["n"] for stratum in people["strata"]) == 6
    words = run(cli, *asked, "--level", "dataset")
    assert "How well they agree" in words
    assert "nan" not in words.lower()


def payload_of_two(cli: typer.Typer, raters: str) -> float:
    """One rater against the other is the ceiling of two."""
    payload = json.loads(
        run(cli, "meta-eval", raters, "--pred", "ann", "--human", "ben", "--level", "dataset", "--json")
    )
    value: float = payload["spearman"]["value"]
    return value


def test_the_target_of_several_raters_is_their_mean(cli: typer.Typer, raters: str) -> None:
    compared = ["compare", raters, "--pred-a", "judge", "--pred-b", "cid", "--level", "dataset", "--json"]
    payload = json.loads(run(cli, *compared, "--human", "ann", "--human", "ben"))
    assert payload["n"] == 5


def test_a_rater_named_twice_is_refused(cli: typer.Typer, raters: str) -> None:
    with pytest.raises(InputError, match="named twice"):
        run(cli, "meta-eval", raters, "--pred", "judge", "--human", "ann", "--human", "ann")


HEADER = "doc,system,judge,other,ann,ben\n"
DEGENERATE = {
    "two texts": "a,x,1,2,1,2\na,y,2,1,2,3\n",
    "one group": "a,x,1,2,1,2\na,y,2,1,2,3\na,z,3,3,3,3\na,w,3,1,2,3\n",
    "one system": "a,x,1,2,1,2\nb,x,2,1,2,3\nc,x,3,3,3,3\nd,x,3,1,2,3\n",
    "all scores equal": "a,x,1,1,1,2\na,y,1,1,2,3\nb,x,1,1,3,3\nb,y,1,1,2,3\n",
    "all ratings equal": "a,x,1,2,3,3\na,y,2,1,3,3\nb,x,3,3,3,3\nb,y,4,1,3,3\n",
    "other scales": "a,x,1,2,1,10\na,y,2,1,2,40\nb,x,3,3,3,90\nb,y,4,1,4,70\nc,x,2,1,2,30\n",
}


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_files_give_a_sentence(cli: typer.Typer, tmp_path: Path, case: str, level: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(HEADER + DEGENERATE[case], encoding="utf-8")
    people = ["--human", "ann", "--human", "ben", *COLUMNS, "--level", level, "--resamples", "50"]
    words = run(cli, "meta-eval", str(path), "--pred", "judge", *people)
    compared = ["compare", str(path), "--pred-a", "judge", "--pred-b", "other", *people, "--permutations", "50"]
    for said in (words, run(cli, *compared)):
        assert "nan" not in said.lower().split()
        assert "\n- " in said, "a sentence says what is missing or to beware of"
    json.loads(run(cli, "meta-eval", str(path), "--pred", "judge", *people, "--json"))
    json.loads(run(cli, *compared, "--json"))
    if case == "other scales":
        assert "different scales" in words


NOTHING = {
    "no rows": ("", "scores.csv has a header row but no data."),
    "no ratings": ("a,x,1,2,,\na,y,2,1,,\n", "of 2 rows, 2 lack 'ann' and 'ben'."),
    "no scores": ("a,x,,,1,2\na,y,,,2,3\n", "of 2 rows, 2 lack 'judge'"),
    "never both": ("a,x,1,1,,\na,y,,,2,3\nb,y,,,3,3\n", "of 3 rows, 2 lack 'judge', "),
    "no source": (",x,1,2,1,2\n,y,2,1,2,3\n", "of 2 rows, 2 lack the source or system."),
}


@pytest.mark.parametrize("case", NOTHING)
def test_where_no_row_counts_a_sentence_says_what_the_rows_lack(cli: typer.Typer, tmp_path: Path, case: str) -> None:
    path = tmp_path / "scores.csv"
    rows, sentence = NOTHING[case]
    path.write_text(HEADER + rows, encoding="utf-8")
    people = ["--human", "ann", "--human", "ben", *COLUMNS]
    compared = ["compare", str(path), "--pred-a", "judge", "--pred-b", "other", *people]
    for words in (["meta-eval", str(path), "--pred", "judge", *people], compared, [*compared, "--json"]):
        with pytest.raises(InputError) as caught:
            run(cli, *words)
        assert sentence in str(caught.value)


def test_a_table_without_a_single_figure_is_not_shown(cli: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(HEADER + DEGENERATE["all scores equal"], encoding="utf-8")
    words = run(cli, "meta-eval", str(path), "--pred", "judge", "--human", "ann", *COLUMNS)
    assert "no source has a coefficient" in words
    assert "Kendall" not in words
