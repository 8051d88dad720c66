"""`reproduce`: a paper's table beside its published figures, from files, runs and what was imported."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pandas as pd
import pytest

from app.corpora.presets import paper_definitions
from app.services.data.projects import get_project
from app.services.runtime.workbench import open_workbench
from app.services.scoring.runs import list_runs
from tests.support.console import Run
from tests.support.made_data import made_data
from tests.support.real_data import shared_data

QAGS = ("--data", f"qags-cnn={made_data('qags_cnndm.json')}", "--data", f"qags-xsum={made_data('qags_xsum.json')}")
SMALL = ("--resamples", 20, "--json")


def _cells(out: str) -> Mapping[tuple[str, str], dict[str, Any]]:
    return {(cell["row"], cell["column"]): cell for cell in json.loads(out)["cells"]}


def test_the_list_names_papers_tables_needs_and_methods(run: Run) -> None:
    status, out, _ = run("reproduce", "list", "--json")
    found = json.loads(out)
    assert status == 0
    assert all({"paper", "table", "needs", "methods"} <= entry.keys() for entry in found)
    named = {(entry["paper"], entry["table"]) for entry in found}
    assert {("interacteval", "table-9"), ("g-eval", "table-1"), ("coascore", "table-2")} <= named
    table = next(entry for entry in found if (entry["paper"], entry["table"]) == ("g-eval", "table-3"))
    assert "G-EVAL-4" in table["methods"]
    assert len(table["needs"]) == 3  # two files and the models
    assert run("reproduce", "list")[0] == 0


def test_metrics_and_imported_scores_take_their_place_in_the_table(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("reproduce", "g-eval", "table-3", *QAGS[:2], "--project", "Mine", "--dry-run", "--json")
    found = json.loads(out)
    assert (status, found["calls"], found["cost_usd"]) == (0, 0, 0.0)
    assert [(part["what"], part["judge"]) for part in found["runs"]] == [
        ("rouge-2, stem=yes", "none"),
        ("rouge-l, stem=yes", "none"),
    ]
    assert found["missing"]
    workbench = open_workbench()
    assert list_runs(workbench, get_project(workbench, "Mine qags-cnn").id) == []

    status, out, _ = run("reproduce", "g-eval", "table-3", *QAGS, *SMALL)
    cells = _cells(out)
    rouge = cells["ROUGE-2", "QAGS-CNN Spearman"]
    assert status == 0
    assert (rouge["published"], rouge["ours"] is not None, rouge["low"] < rouge["high"]) == (0.418, True, True)
    assert rouge["difference"] == pytest.approx(rouge["ours"] - 0.418)
    mean = fmean(cells["ROUGE-2", f"{name} Kendall"]["ours"] for name in ("QAGS-CNN", "QAGS-XSUM"))
    assert cells["ROUGE-2", "Average Kendall"]["ours"] == pytest.approx(mean)
    judged = cells["G-EVAL-4", "QAGS-CNN Spearman"]
    assert (judged["published"], judged["ours"], bool(judged["reason"])) == (0.685, None, True)
    projects = [get_project(workbench, f"g-eval table-3 {name}") for name in ("qags-cnn", "qags-xsum")]
    before = [len(list_runs(workbench, project.id)) for project in projects]
    again = _cells(run("reproduce", "g-eval", "table-3", *SMALL, "--output", tmp_path / "t.csv")[1])  # no files
    assert [len(list_runs(workbench, project.id)) for project in projects] == before == [2, 2]
    assert again == cells

    rows = list(csv.DictReader((tmp_path / "t.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert len(rows) == 11 * 9
    assert {row["paper"] for row in rows} == {"g-eval"}
    assert run("reproduce", "g-eval", "table-3", "--resamples", 0, "--output", tmp_path / "t.md")[0] == 0
    assert (tmp_path / "t.md").read_text(encoding="utf-8").count("\n| ") == 2 + 11 + 2 * 2
    assert run("reproduce", "g-eval", "table-3", "--output", tmp_path / "t.pdf")[0] == 2

    texts = json.loads(made_data("qags_cnndm.json").read_text(encoding="utf-8"))
    scores = tmp_path / "factcc.csv"
    lines = [f"{text['doc_id']},{text['system_id']},{text['scores']['consistency']}" for text in texts]
    scores.write_text("\n".join(["doc_id,system_id,factcc", *lines]), encoding="utf-8")
    project = ("--project", "g-eval table-3 qags-cnn")
    imported = run("scores", "import", scores, *project, "--dimension", "all", "--column", "factcc", "--name", "FactCC")
    assert imported[0] == 0, imported[2]
    cells = _cells(run("reproduce", "g-eval", "table-3", *SMALL, "--output", tmp_path / "t.tex")[1])
    assert "\\toprule" in (tmp_path / "t.tex").read_text(encoding="utf-8")
    assert cells["FactCC", "QAGS-CNN Pearson"]["ours"] == pytest.approx(1)
    assert cells["FactCC", "QAGS-XSUM Pearson"]["ours"] is None


def _score_files(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Published scores of two trials, as the authors' repository has them; texts of a document repeat."""
    made = {}
    for number, trial in enumerate(("1st", "2nd"), start=1):
        for shift, dimension in enumerate(("coherence", "fluency", "consistency", "relevance")):
            rows = [
                {
                    "doc_id": f"d{document}",
                    "system_id": f"M{text % 3}",
                    "pred_score": 1 + (text * number + document + shift) % 4,
                    "true_score": 1 + (text + document) % 4 / 3,
                    "source": "s",
                    "reference": "r",
                    "system_output": "o",
                }
                for document in range(8)
                for text in range(4)
            ]
            path = folder / f"{trial}_gpt4_summeval_results" / f"{dimension}_results.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(rows), encoding="utf-8")
            made[f"{trial} {dimension}"] = rows
    return made


def _expected(rows: list[dict[str, Any]]) -> dict[str, float]:
    """As the authors compute it: inside each document where both differ, then the mean; repeated texts count."""
    groups = [group for _, group in pd.DataFrame(rows).groupby("doc_id")]
    used = [group for group in groups if group["pred_score"].nunique() > 1 and group["true_score"].nunique() > 1]
    found = {
        "Spearman": fmean(group["pred_score"].corr(group["true_score"], method="spearman") for group in used),
        "Kendall": fmean(group["pred_score"].corr(group["true_score"], method="kendall") for group in used),
    }
    return found | {"MAE": fmean((group["pred_score"] - group["true_score"]).abs().mean() for group in used)}


def test_published_scores_give_their_rows_without_a_project(run: Run, tmp_path: Path) -> None:
    rows = _score_files(tmp_path)
    files = sorted(tmp_path.rglob("*_results.json"))
    status, out, err = run("reproduce", "interacteval", "table-9", "--data", *files, *SMALL)
    cells = _cells(out)
    assert status == 0, err
    for trial in ("1st", "2nd"):
        row, means = f"InteractEval ({trial}), GPT-4", []
        for dimension in ("Coherence", "Fluency", "Consistency", "Relevance"):
            expected = _expected(rows[f"{trial} {dimension.lower()}"])
            found = {name: cells[row, f"{dimension} {name}"]["ours"] for name in expected}
            assert found == pytest.approx(expected)
            means.append(expected)
        for name in means[0]:
            ours = cells[row, f"Average {name}"]["ours"]
            assert ours == pytest.approx(fmean(each[name] for each in means))
    assert cells["InteractEval (1st), GPT-3.5-Turbo", "Coherence MAE"]["ours"] is None
    cell = cells["InteractEval (1st), GPT-4", "Coherence Spearman"]
    assert (cell["published"], cell["groups_used"], cell["groups_all"]) == (0.649, 8, 8)


def test_files_of_one_name_are_the_trials_in_their_order(run: Run, tmp_path: Path) -> None:
    rows = _score_files(tmp_path)
    files = []
    for trial, folder in (("1st", "a"), ("2nd", "b")):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / f"{trial}_gpt4_summeval_results" / "coherence_results.json")
        files[-1] = files[-1].rename(tmp_path / folder / "coherence_results.json")
    cells = _cells(run("reproduce", "interacteval", "table-9", *files, *SMALL)[1])
    for trial in ("1st", "2nd"):
        ours = cells[f"InteractEval ({trial}), GPT-4", "Coherence Kendall"]["ours"]
        assert ours == pytest.approx(_expected(rows[f"{trial} coherence"])["Kendall"])


def test_trials_and_dimensions_may_be_columns_of_one_table(run: Run, tmp_path: Path) -> None:
    rows = _score_files(tmp_path)
    table = tmp_path / "scores.csv"
    frames = [
        pd.DataFrame(rows[f"{trial} {dimension}"]).assign(trial=trial, dimension=dimension)
        for trial in ("1st", "2nd")
        for dimension in ("coherence", "fluency", "consistency", "relevance")
    ]
    pd.concat(frames).to_csv(table, index=False)
    cells = _cells(run("reproduce", "interacteval", "table-9", "--data", table, *SMALL)[1])
    for trial in ("1st", "2nd"):
        expected = _expected(rows[f"{trial} relevance"])
        found = {name: cells[f"InteractEval ({trial}), GPT-4", f"Relevance {name}"]["ours"] for name in expected}
        assert found == pytest.approx(expected)
    pd.concat(frames).drop(columns="pred_score").to_csv(table, index=False)
    status, _, err = run("reproduce", "interacteval", "table-9", "--data", f"summeval-gpt-4-1st={table}", *SMALL)
    assert (status, "pred_score" in err) == (2, True)


RECIPE = """
paper: mine
title: Mine
data:
  news: {title: News, fetch: my cupboard, format: summeval, rubrics: {fluency: Sounds well.}}
  said: {title: What people said, fetch: my cupboard, kind: attributes}
methods:
  rouge: {evaluator: rouge-1}
  ours: {evaluator: checklist, condition: comb, model: GPT-4}
  people: {evaluator: checklist, condition: mh, model: GPT-4}
tables:
  small:
    title: agreement
    level: per-source
    share: 0.1
    average: Mean
    columns:
      - {heading: Flu, data: news, dimension: fluency, figures: [spearman, mae]}
      - {heading: Coh, data: news, dimension: coherence, figures: [spearman, mae]}
    rows:
      - {label: ROUGE, method: rouge, published: [0.1, null, 0.2, null, 0.15, null]}
      - {label: Trial 1, method: ours}
      - {label: Trial 2, method: ours, trial: 2}
      - {label: Mean of trials, mean_of: [Trial 1, Trial 2]}
  compared:
    title: differences
    level: per-source
    share: 0.1
    columns:
      - {heading: Flu, data: news, dimension: fluency, figures: [fisher-spearman]}
    rows:
      - {label: people and all, method: ours, compared: [mh, comb]}
"""
ATTRIBUTES = [
    ("Ana", "human", ("It reads easily.", "Sentences are whole.")),
    ("Ben", "human", ("Words are well chosen.", "Nothing is repeated.")),
    ("model-a", "llm", ("Grammar is right.", "Sentences are linked.")),
]


def _own(folder: Path) -> tuple[Path, Path]:
    recipe, said = folder / "mine.yaml", folder / "attributes.csv"
    recipe.write_text(RECIPE, encoding="utf-8")
    lines = ["dimension,contributor,kind,text"]
    for dimension in ("fluency", "coherence"):
        lines += [f"{dimension},{name},{kind},{text}" for name, kind, texts in ATTRIBUTES for text in texts]
    said.write_text("\n".join(lines), encoding="utf-8")
    return recipe, said


@pytest.mark.long
def test_an_own_recipe_builds_and_scores_conditions_once(run: Run, tmp_path: Path) -> None:
    recipe, said = _own(tmp_path)
    news = made_data("summeval_model_annotations.aligned.paired.jsonl")
    asked = ("--judge", "rules", "--model", "rules", "--project", "Own")
    status, out, err = run("reproduce", recipe, "small", "--data", news, "--data", said, *asked, *SMALL)
    cells = _cells(out)
    assert status == 0, err
    first, second = (cells[f"Trial {trial}", "Flu MAE"]["ours"] for trial in (1, 2))
    assert first is not None
    assert cells["Mean of trials", "Flu MAE"]["ours"] == pytest.approx(fmean((first, second)))
    assert cells["ROUGE", "Flu MAE"]["ours"] is None  # not on the scale
    mean = fmean(cells["Trial 1", f"{name} MAE"]["ours"] for name in ("Flu", "Coh"))
    assert cells["Trial 1", "Mean MAE"]["ours"] == pytest.approx(mean)
    workbench = open_workbench()
    project = get_project(workbench, "Own")
    runs = len(list_runs(workbench, project.id))
    assert _cells(run("reproduce", recipe, "small", "--data", said, *asked, *SMALL)[1]) == cells
    assert len(list_runs(workbench, project.id)) == runs == 3
    status, out, err = run("reproduce", recipe, "compared", *asked, *SMALL)
    assert (status, isinstance(_cells(out)["people and all", "Flu"]["ours"], float)) == (0, True), err


REFUSED = (
    ("g-eval", "table-99"),
    ("g-eval",),
    ("nobody", "table-1"),
    ("g-eval", "table-3", "--data", "missing.json"),
    ("g-eval", "table-3", "--data", "summeval=missing.json"),
    ("g-eval", "table-3", "--data", str(made_data("sfres.json"))),
    ("g-eval", "table-3", "--judge", "GPT-5=openai:gpt-6-luna"),
    ("g-eval", "table-3", *QAGS, "--judge", "nobody:model"),
    ("g-eval", "table-3", "--data", str(made_data("framing_answers.csv"))),
)


def test_what_can_not_be_meant_is_refused(run: Run, subtests: pytest.Subtests) -> None:
    for words in REFUSED:
        with subtests.test(words=words):
            status, out, _ = run("reproduce", *words)
            assert (status, out) == (2, "")


@pytest.mark.long
@pytest.mark.parametrize("table", ["table-4", "table-13"])
def test_coascore_on_topical_chat(run: Run, table: str) -> None:
    file = shared_data("topical_chat.json")
    _, out, _ = run("reproduce", "coascore", table, "--data", file, "--resamples", 0, "--json")
    off = {place: cell["difference"] for place, cell in _cells(out).items() if place[0] in ("BLEU", "ROUGE")}
    assert {place for place, difference in off.items() if difference is None or abs(difference) > 0.002} == set()


@pytest.mark.long
def test_g_eval_on_qags(run: Run) -> None:
    files = [shared_data(f"qags_{name}.json") for name in ("cnndm", "xsum")]
    _, out, _ = run("reproduce", "g-eval", "table-3", *files, "--resamples", 0, "--json")
    off = {place: cell["difference"] for place, cell in _cells(out).items() if place[0] == "ROUGE-2"}
    assert len(off) == 9
    assert max(abs(difference) for difference in off.values()) < 0.006


def test_published_files_of_known_formats_fill_a_recipes_dimensions(run: Run, tmp_path: Path) -> None:
    columns = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
    lines = [columns] + [
        [f"s{system}", "news", "1", str(segment), "r1", f"Satz {segment}.", f"Text {system} of {segment}.", *error]
        for segment in range(3)
        for system, error in enumerate((["No-error", "No-error"], ["Fluency/Grammar", "Minor"], ["Accuracy", "Major"]))
    ]
    file = tmp_path / "mqm_newstest2020_zhen.tsv"
    file.write_text("\n".join("\t".join(line) for line in lines), encoding="utf-8")
    command = ("reproduce", "gptscore", "table-4", "--data", file, "--resamples", 0, "--json")
    status, out, err = run(*command)
    assert status == 0, err
    reasons = {cell["column"]: cell["reason"] for cell in json.loads(out)["cells"]}
    assert all("no dimension" not in reason for reason in reasons.values()), reasons
    rated = json.loads(run("dimension", "list", "--project", "gptscore table-4", "--json")[1])
    rubrics = {each["name"]: each["rubric"] for each in rated}
    assert rubrics["quality"] == paper_definitions("gptscore")["mqm"]


def test_a_format_that_must_be_named_is_named_by_the_recipe(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "iwslt14.csv"
    words = ("Sentence", "Text")
    rows = [f"Satz {number}.,Sentence {number}.,{words[number % 2]} {number}.,{number % 5 + 1}" for number in range(6)]
    file.write_text("\n".join(["source,reference,translation,rating", *rows]), encoding="utf-8")
    command = ("reproduce", "coascore", "table-2", "--data", file, "--resamples", 0, "--json")
    status, out, err = run(*command)
    assert status == 0, err
    found = {(cell["row"], cell["column"]): cell["ours"] for cell in json.loads(out)["cells"]}
    assert found["ROUGE", "IWSLT14 Pearson"] is not None


def test_one_file_of_fed_serves_both_of_its_data_sets(run: Run, tmp_path: Path) -> None:
    turn = {
        "context": "User: Hi.",
        "response": "System: Hello.",
        "system": "Meena",
        "annotations": {"Interesting": [2]},
    }
    whole = {"context": "User: Hi.\nSystem: Bye.", "system": "Human", "annotations": {"Topic depth": [1]}}
    file = tmp_path / "fed_data.json"
    file.write_text(json.dumps([turn, whole]), encoding="utf-8")
    status, out, err = run("reproduce", "gptscore", "table-6", "--data", file, "--resamples", 0, "--json")
    assert status == 0, err
    reasons = {cell["reason"] for cell in json.loads(out)["cells"]}
    assert not any("No file" in reason or "no dimension Interesting" in reason for reason in reasons), reasons
    assert not any("no dimension Depth" in reason for reason in reasons), reasons
