"""conditions run and show on the command line."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.meta_evaluation.score_matrix import COEFFICIENTS
from app.services.conditions import study_tables

Run = Callable[..., tuple[int, str, str]]
COMPARED = {
    "": "difference",
    "_low": "low",
    "_high": "high",
    "_p": "p_permutation",
    "_p_holm": "p_permutation_holm",
    "_z_fisher": "z_fisher",
    "_p_fisher": "p_fisher",
}
HERE = ("--project", "Small", "--dimension", "coherence")


@pytest.fixture
def project(run: Run, small: None, tmp_path: Path) -> None:
    """Two people and one model have thought aloud."""
    said = {"Ana": "Sentences follow each other.", "Ben": "Nothing is said twice.", "m": "Ideas are connected."}
    for name, words in said.items():
        notes = tmp_path / f"{name}.txt"
        notes.write_text(words, encoding="utf-8")
        kind = "llm" if name == "m" else "human"
        assert run("attributes", "add", notes, *HERE, "--contributor", name, "--kind", kind)[0] == 0


@pytest.mark.usefixtures("project")
def test_estimate_run_and_show(run: Run, tmp_path: Path) -> None:
    estimate = json.loads(run("conditions", "run", *HERE, "--dry-run", "--json")[1])
    assert (estimate["checklists"], estimate["judge_calls"], estimate["cost_usd"]) == (7, 7 * 18, 0.0)
    status, out, err = run("conditions", "run", *HERE, "--json")
    assert (status, json.loads(out)["missing"]) == (0, 0), err
    assert "Building the checklist of m alone for coherence" in err
    status, out, _ = run("conditions", "show", *HERE, "--permutations", 50, "--json")
    found = json.loads(out)
    assert [row["condition"] for row in found["conditions"]] == ["sl", "sh", "mh", "comb", "without", "without"]
    assert [member["condition"] for member in found["conditions"][1]["members"]] == ["sh:Ana", "sh:Ben"]
    first = found["differences"][0]
    assert (first["first"], first["second"]) == ("sl", "sh")
    assert {"difference", "low", "high", "p_permutation", "p_permutation_holm", "z_fisher"} <= set(first["spearman"])
    csv_file, tex_file = tmp_path / "conditions.csv", tmp_path / "conditions.tex"
    for file in (csv_file, tex_file):
        assert run("conditions", "show", *HERE, "--permutations", 50, "--output", file)[0] == 0
    lines = list(csv.DictReader(csv_file.read_text(encoding="utf-8-sig").splitlines()))
    compared = {(line["compared_with"], line["condition"]): line for line in lines if line["compared_with"]}
    assert compared.keys() == {(each["first"], each["second"]) for each in found["differences"]}
    for each in found["differences"]:
        line = compared[each["first"], each["second"]]
        for column, field in COMPARED.items():
            expected = each["spearman"][field]
            assert line[f"spearman{column}"] == ("" if expected is None else str(expected))
    tex = tex_file.read_text(encoding="utf-8")
    assert tex.count("\\begin{tabular}") == tex.count("\\end{tabular}") == 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_tables, "ROWS_ON_A_PAGE", 1)
        assert run("conditions", "show", *HERE, "--permutations", 50, "--output", tmp_path / "long.tex")[0] == 0
    long = (tmp_path / "long.tex").read_text(encoding="utf-8")
    assert long.count("\\begin{tabular}") == 1 + len(COEFFICIENTS)
    pairs = [[each[place].partition(":") for place in ("second", "first")] for each in found["differences"]]
    labels = [[f"{family.upper()} {name}".strip() for family, _, name in pair] for pair in pairs]
    assert all(f"{second} $-$ {first} & Spearman" in tex for second, first in labels)
    status, _, err = run("conditions", "show", *HERE, "--output", tmp_path / "conditions.docx")
    assert (status, ".tex or .svg" in err) == (2, True)
    assert "WITHOUT Ana" in run("conditions", "show", *HERE, "--permutations", 50)[1]
    assert json.loads(run("checklist", "list", *HERE, "--json")[1]) == []
    assert len(json.loads(run("checklist", "list", *HERE, "--of-conditions", "--json")[1])) == 7
    assert run("split", "lock", "--project", "Small", "--share", 0.2, "--by", "Ana")[0] == 0
    err = run("conditions", "show", *HERE, "--conditions", "sl,sh", "--components", 4)[2]
    assert "3 of the conditions are not scored yet" in err
    err = run("conditions", "show", *HERE, "--conditions", "sl,sh")[2]
    assert "3 of the conditions were scored on other texts than these" in err  # not: unscored


REFUSED = (
    (("--conditions", "sl,xx"), "“xx” is no kind of condition"),
    (("--trials", 2), "same each time"),
    (("--draw", "4"), "is no draw"),
    (("--draw", "40x4"), "Only 0 of 6 documents"),
    (("--draw", "4x3", "--sample", 0.5), "both asked for"),
    (("--components", 10), "components"),
    (("--components", "3-"), ""),
    (("--components", "few"), ""),
    (("--components", "3..5"), ""),
)
RULES_ALONE = "Builds: rules, judges: rules. Rules are not an LLM; don't report these figures as an LLM's."


@pytest.mark.usefixtures("project")
def test_drawn_texts_are_shown_by_run_by_likeness_and_warned_of(run: Run, subtests: pytest.Subtests) -> None:
    status, out, err = run("conditions", "show", *HERE)
    assert (status, "Nothing has been scored" in out, "7 of the conditions" in err) == (0, True, True)
    status, _, err = run("conditions", "effect", *HERE)
    assert (status, "No text was scored with the checklist of a condition" in err) == (2, True)
    for words, said in REFUSED:
        with subtests.test(words=words):
            status, _, err = run("conditions", "run", *HERE, *words)
            assert (status, said in err) == (2, True), err
    # The likeness of attributes needs all conditions on the same texts.
    draw = ("--draw", "4x3")
    assert run("conditions", "run", *HERE, "--conditions", "sl,mh,comb", *draw)[2].splitlines()[0] == RULES_ALONE
    assert run("conditions", "run", *HERE, "--conditions", "sh", *draw, "--seed", 2)[0] == 0
    status, _, err = run("conditions", "effect", *HERE)
    assert (status, "these are missing: sh:Ana, sh:Ben" in err) == (2, True)
    assert run("conditions", "run", *HERE, "--conditions", "sh", *draw)[0] == 0
    (found,) = json.loads(run("conditions", "effect", *HERE, "--level", "dataset", "--json")[1])
    (only,) = found["draws"]
    assert [point["condition"] for point in only["points"]] == ["comb", "mh", "sl:m", "sh:Ana", "sh:Ben"]
    assert (only["texts"], only["draw"], only["seed"]) == (12, [4, 3], 1)
    assert {point["spearman"]["n"] for point in only["points"]} == {12}
    assert set(only["correlation"]) == {"rouge_l", "jaccard", "cosine"}
    assert "12 of 12 texts (4 x 3, seed 1)" in run("conditions", "effect", *HERE)[1]
    # Runs are named by condition, and results are shown only when asked for.
    listed = json.loads(run("runs", "list", "--project", "Small", "--json")[1])
    assert [each["condition"] for each in listed[:2]] == ["sh:Ben", "sh:Ana"]
    assert "condition: Ana alone" in run("runs", "list", "--project", "Small")[1]
    assert "condition: Ana alone" in run("runs", "show", listed[1]["run"])[1]
    status, _, err = run("results", "--project", "Small")
    assert (status, "Only studies of conditions" in err) == (2, True)
    assert "condition: Ana alone" in run("results", "--project", "Small", "--run", listed[1]["run"])[1]
    # A thin share is warned of before and after.
    share = (*HERE, "--conditions", "mh", "--sample", 0.4)
    _, out, err = run("conditions", "run", *share, "--dry-run")
    assert ("fewer than three texts" in out, err.splitlines()[0]) == (True, RULES_ALONE)
    assert run("conditions", "run", *share)[0] == 0
    assert "MH: no coefficient:" in run("conditions", "show", "--project", "Small", "--permutations", 20)[1]


@pytest.mark.long
@pytest.mark.usefixtures("project")
def test_the_papers_design_from_the_estimate_to_the_file(run: Run, tmp_path: Path) -> None:
    design = (*HERE, "--conditions", "sh,mh", "--draw", "4x3", "--trials", 2, "--components", 7)
    estimate = json.loads(run("conditions", "run", *design, "--dry-run", "--json")[1])
    assert [(s["dimension"], s["seed"], s["texts"]) for s in estimate["samples"]] == [
        ("coherence", 1, 12),
        ("coherence", 2, 12),
    ]
    assert (estimate["checklists"], estimate["judge_calls"]) == (3, 72)
    assert "Kolmogorov-Smirnov" in run("conditions", "run", *design, "--dry-run")[1]
    status, _, err = run("conditions", "run", *design)
    assert (status, "Scoring sh:Ana, trial 2 of 2" in err) == (0, True)
    status, out, err = run("conditions", "show", "--project", "Small", "--permutations", 20, "--json")
    assert "4 x 3 texts, seed 1, 2 trials" in err
    found = json.loads(out)
    assert [trial["seed"] for trial in found["trials"]] == [1, 2]
    assert [mean["condition"] for mean in found["means"]] == ["sh", "sh:Ana", "sh:Ben", "mh"]
    assert all(len(mean["spearman"]["values"]) == 2 for mean in found["means"])
    assert any("A source has" in each["caution"] for each in found["trials"][0]["cautions"])
    out = run("conditions", "show", "--project", "Small", "--permutations", 20)[1]
    assert "Means over trials" in out
    assert "Ana alone" in out
    file = tmp_path / "conditions.csv"
    assert run("conditions", "show", "--project", "Small", "--permutations", 20, "--output", file)[0] == 0
    lines = list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))
    assert {line["contributor"] for line in lines if line["condition"] == "sh"} == {"", "Ana", "Ben"}
    assert {line["trial"] for line in lines} == {"1", "2", "mean"}


@pytest.mark.long
@pytest.mark.usefixtures("project")
def test_several_numbers_of_components_are_one_study_with_averages(run: Run, tmp_path: Path) -> None:
    notes = tmp_path / "more.txt"
    for name, kind in (("Ana", "human"), ("m", "llm")):
        notes.write_text("Nothing is said twice.\nSentences begin with a capital letter.", encoding="utf-8")
        where = ("--project", "Small", "--dimension", "fluency", "--contributor", name, "--kind", kind)
        assert run("attributes", "add", notes, *where)[0] == 0
    study = ("--project", "Small", "--conditions", "sh,comb", "--components", "3-4")
    status, out, err = run("conditions", "run", *study, "--json")
    assert (status, json.loads(out)["built"], json.loads(out)["scored"]) == (0, 10, 10), err
    shown = ("conditions", "show", "--project", "Small", "--level", "dataset")
    group = ("--group", "both=coherence,fluency")
    found = json.loads(run(*shown, *group, "--json")[1])["components"]
    assert [each["components"] for each in found] == [3, 4]
    for each in found:
        rows = {(row["condition"], row["dimension"]): row for row in each["conditions"]}
        means = {row["condition"]: row for row in each["averages"]}
        assert {row["dimension"] for row in each["averages"]} == {"all dimensions"}
        for measure in ("spearman", "kendall", "mae"):
            of_both = [rows["comb", name][measure]["value"] for name in ("coherence", "fluency")]
            mean = means["comb"][measure]
            assert mean["value"] == pytest.approx(sum(of_both) / 2)
            assert None not in (mean["low"], mean["high"])
        assert means["sh"]["spearman"]["value"] is None  # Ana's checklist gives every text one score
        assert [member["condition"] for member in means["sh"]["members"]] == ["sh:Ana"]  # Ben's is of coherence alone
    csv_file, tex_file, svg_file = (tmp_path / f"sweep.{ending}" for ending in ("csv", "tex", "svg"))
    for file in (csv_file, tex_file, svg_file):
        assert run(*shown, "--output", file)[0] == 0
    lines = list(csv.DictReader(csv_file.read_text(encoding="utf-8-sig").splitlines()))
    assert {line["components"] for line in lines} == {"3", "4"}
    assert {line["dimension"] for line in lines} == {"coherence", "fluency", "all dimensions"}
    assert tex_file.read_text(encoding="utf-8").count("\\\\") == 1 + 2 * 2 * 3
    assert "<svg" in svg_file.read_text(encoding="utf-8")
    assert run(*shown, "--components", "3", "--output", svg_file)[0] == 2
    status, _, err = run(*shown, "--group", "x=coherence,grammar")
    assert (status, "grammar" in err) == (2, True)
