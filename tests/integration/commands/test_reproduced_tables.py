"""Every table of every recipe, with made-up data and stand-ins for models; and one that is killed and goes on."""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from app.corpora.recipes.recipe import DataSet, PaperTable, load_recipe, recipe_names
from app.services.data.projects import get_project
from app.services.runtime.workbench import open_workbench
from app.services.scoring.runs import list_runs
from db.unit_of_work import Database
from tests.support.console import Run
from tests.support.fake_llm.server import FakeLlm
from tests.support.made_data import made_data
from tests.support.modern_vendors import ModernVendors, modern_vendors

pytestmark = pytest.mark.long

MADE = {
    "summeval": "summeval_model_annotations.aligned.paired.jsonl",
    "ellipse": "ELLIPSE_Final_github_test.csv",
    "topical-chat": "topical_chat.json",
    "openmeva": "openmeva.json",
    "sfres": "sfres.json",
}
TABLES = [(paper, table) for paper in recipe_names() for table in load_recipe(paper).tables]
ONE = "score=1:1,top=1"
"""What the stand-in gives every text: on each scale there is."""
SAID = [("Ana", "human"), ("Ben", "human"), ("llama-3.1-8b-instruct", "llm"), ("gpt-4", "llm")]


@pytest.fixture(scope="module")
def vendors() -> Iterator[ModernVendors]:
    with modern_vendors() as found:
        yield found


def _file(name: str, data: DataSet, table: PaperTable, folder: Path) -> Path | None:
    """What a person would give for the data set; None for published scores."""
    path = folder / f"{name}.csv"
    if data.kind == "scores":
        return None
    if data.kind == "attributes":
        dimensions = dict.fromkeys(column.dimension for column in table.columns)
        lines = [(d, *who, f"{who[0]} looks at part {n}.") for d in dimensions for who in SAID for n in range(4)]
        return _written(folder / "attributes.csv", ["dimension", "contributor", "kind", "text"], lines)
    if data.pairs:
        pairs = [
            (
                f"Article {n}.",
                f"Summary {n} by hand.",
                f"Summary {n} by a model.",
                "writer",
                "llm",
                ["a", "b", "tie"][n % 3],
            )
            for n in range(9)
        ]
        return _written(path, ["source", "text_a", "text_b", "system_a", "system_b", "winner"], pairs)
    if data.format == "qags":
        return made_data("qags_cnndm.json" if "cnn" in name else "qags_xsum.json")
    if data.format == "topical-chat":  # the made-up systems have other names
        content = made_data(MADE["topical-chat"]).read_text(encoding="utf-8")
        path = folder / "topical_chat.json"
        path.write_text(content.replace('"System 0"', '"Original Ground Truth"'), encoding="utf-8")
        return path
    if data.format in MADE:
        return made_data(MADE[data.format])
    chance = random.Random(name)
    fields = dict(entry.split("=") for entry in data.mapping) or {
        n: n for n in ("doc_id", "system_id", "source", "text")
    }
    fields |= {} if data.mapping else {"reference": "reference"}
    ratings = [entry.split("=")[1] for entry in data.ratings] or ["overall"]
    rows = []
    for number in range(40):
        told = {"doc_id": f"d{number // 4}", "system_id": f"s{number % 4}"}
        said = " ".join(
            chance.choice("abcd") * chance.randint(1, 9) for _ in range(6)
        )  # each text of its own likelihood
        cells = [told.get(field, f"The {field} {number} says {said}.") for field in fields]
        rows.append((*cells, *(str(chance.randint(1, 5)) for _ in ratings)))
    return _written(path, [*fields.values(), *ratings], rows)


def _written(path: Path, headings: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(headings)
        writer.writerows(rows)
    return path


@pytest.mark.parametrize(("paper", "name"), TABLES)
def test_a_table_runs_from_its_files_to_latex_and_asks_once(
    run: Run, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, paper: str, name: str
) -> None:
    recipe = load_recipe(paper)
    table = recipe.table(name)
    files = {each: _file(each, recipe.data[each], table, tmp_path) for each in recipe.data_of(table)}
    given = [word for each, path in files.items() if path for word in ("--data", f"{each}={path}")]
    large = any(recipe.data[each].format in MADE for each in files)
    share = ("--sample", "0.03" if large else "0.3")
    monkeypatch.setenv("OPENAI_BASE_URL", vendors.address("openai", ONE))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    with FakeLlm(models=("judge",)) as llm:
        monkeypatch.setenv("LLAMA_BASE_URL", llm.url)
        judge = "llama:judge" if paper == "gptscore" else "openai:gpt-4o"
        command = ("reproduce", paper, name, *given, "--judge", judge, *share, "--resamples", 0, "--json")
        status, out, err = run(*command)
        assert status == 0, err
        asked = len(llm.requests), vendors.state(ONE).get("requests", 0)
        assert run(*command[:-1], "--output", tmp_path / "table.tex")[0] == 0
        assert (len(llm.requests), vendors.state(ONE).get("requests", 0)) == asked
    lines = (tmp_path / "table.tex").read_text(encoding="utf-8").count("\\\\")
    assert lines >= len(table.rows)
    cells = {(cell["row"], cell["column"]): cell for cell in json.loads(out)["cells"]}
    assert len(cells) == len(table.rows) * len(table.places)
    methods = {row.label: recipe.methods[row.method] for row in table.rows if row.method}
    judged = [label for label, method in methods.items() if method.model]
    # A stand-in may give every text one score, and a few texts may have one rating: then there is no order.
    silent = [row for row in judged if all(_unexpected(cells[row, place.heading]) for place in table.places)]
    assert silent == []


def _unexpected(cell: dict[str, object]) -> bool:
    """Whether there is no figure for another reason than its texts, for a method that could be asked here."""
    reason = str(cell["reason"])
    return cell["ours"] is None and ("Not scored" in reason or "No file" in reason or "No model" in reason)


def test_a_killed_reproduction_goes_on_and_pays_nothing_twice(vendors: ModernVendors, tmp_path: Path) -> None:
    options, at_once = "slow=0.1", 4
    variables = {
        "INTERACTEVAL_HOME": str(tmp_path / "home"),
        "INTERACTEVAL_DATABASE_URL": f"sqlite:///{tmp_path}/workbench.db",
        "OPENAI_BASE_URL": vendors.address("openai", options),
        "OPENAI_API_KEY": "sk-local",
    }
    command = [sys.executable, "-c", "from app.cli import run; run()", "reproduce", "coascore", "table-6", "--json"]
    command += ["--data", str(made_data("openmeva.json")), "--judge", "openai:gpt-4o", "--sample", "0.02"]
    command += ["--concurrency", str(at_once), "--resamples", "0"]

    def asked() -> int:
        return int(vendors.state(options).get("requests", 0))

    with subprocess.Popen(
        command, env={**os.environ, **variables}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        while asked() < 60 and process.poll() is None:  # in the second or third of six runs
            time.sleep(0.02)
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        process.send_signal(signal.SIGKILL)
    ended = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert all(cell["reason"] != "Not scored yet." for cell in json.loads(ended.stdout)["cells"])
    database = Database(variables["INTERACTEVAL_DATABASE_URL"])
    with database.read() as work:
        calls, different = work.calls._session.execute(
            sql("SELECT count(*), count(DISTINCT digest) FROM model_call WHERE error_kind = ''")
        ).one()
        runs = work.runs.all(work.projects.get("coascore table-6").id)
    database.close()
    assert (len(runs), {run.done - run.all for run in runs}) == (6, {0})
    assert calls == different
    assert different <= asked() <= different + 2 * at_once  # what was in flight when it was killed


def test_models_of_ones_own_are_rows_with_marks_and_an_average(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recipe = load_recipe("gptscore")
    table = recipe.table("table-4")
    mqm = _file("mqm", recipe.data["mqm"], table, tmp_path)
    with FakeLlm(models=("one", "two")) as llm:
        monkeypatch.setenv("LLAMA_BASE_URL", llm.url)
        models = ("--model", "llama:one", "--model", "llama:two")
        status, out, err = run("reproduce", "gptscore", "table-4", "--data", mqm, *models, "--resamples", 20, "--json")
        assert status == 0, err
        cells = {(cell["row"], cell["column"]): cell for cell in json.loads(out)["cells"]}
        one, two, mean = (cells[row, "ACC IDM"]["ours"] for row in ("llama:one", "llama:two", "Avg."))
        assert one is not None
        assert mean == pytest.approx((one + two) / 2)
        assert cells["GPT3", "ACC IDM"]["ours"] is None
        family = ("--judge", "GPT2=llama:one", "--judge", "GPT2=llama:two")
        _, out, _ = run("reproduce", "gptscore", "table-4", *family, "--resamples", 20, "--json")
        cells = {(cell["row"], cell["column"]): cell for cell in json.loads(out)["cells"]}
        assert cells["GPT2", "ACC IDM"]["ours"] == pytest.approx((one + two) / 2)
    workbench = open_workbench()
    project = get_project(workbench, "gptscore table-4")
    assert len(list_runs(workbench, project.id)) == 3 * 2  # VAL, IST and IDM by two models


def test_models_that_think_aloud_have_a_checklist_and_a_row_each(
    run: Run, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = "top=1,thinkers"
    monkeypatch.setenv("OPENAI_BASE_URL", vendors.address("openai", options))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    models = ("--model", "GPT-4=openai:gpt-4o", "--model", "Gemini-1.5-Pro=openai:gpt-4o-mini")
    news = made_data("summeval_model_annotations.aligned.paired.jsonl")
    command = ("reproduce", "interacteval", "table-10", "--data", news, *models, "--judge", "rules", "--sample", "0.03")
    status, out, err = run(*command, "--dry-run", "--json")
    assert (status, vendors.state(options).get("requests", 0)) == (0, 0), err
    asked = [(part["what"], part["judge"], part["calls"]) for part in json.loads(out)["runs"][:2]]
    assert asked == [("think-aloud", "openai:gpt-4o", 4), ("think-aloud", "openai:gpt-4o-mini", 4)]
    status, out, err = run(*command, "--resamples", 0, "--json")
    assert status == 0, err
    cells = {(cell["row"], cell["column"]): cell for cell in json.loads(out)["cells"]}
    names = ("GPT-4", "Gemini-1.5-Pro", "Claude-3.5-Sonnet")
    # Eight texts of five documents: whether they have a coefficient isn't the question.
    lacking = ["No contributor" in cells[f"InteractEval ({name})", "Coherence Spearman"]["reason"] for name in names]
    assert lacking == [False, False, True]
    paid = vendors.state(options)["requests"]
    assert run(*command, "--resamples", 0, "--json")[0] == 0
    assert vendors.state(options)["requests"] == paid


def test_figures_of_attributes_are_those_of_topics_and_similarity(run: Run) -> None:
    said = [f"interacteval_attributes_coherence_{kind}.txt" for kind in ("human", "llm")]
    given = [word for name in (MADE["summeval"], *said) for word in ("--data", made_data(name))]
    status, out, err = run("reproduce", "interacteval", "figure-10b", *given, "--judge", "rules", "--json")
    assert status == 0, err
    cells = {(cell["row"], cell["column"]): cell for cell in json.loads(out)["cells"]}
    project = ("--project", "interacteval figure-10b")
    of_conditions = json.loads(run("topics", *project, "--dimension", "coherence", "--json")[1])["conditions"]["spread"]
    for row, code in (("SL-TA", "sl:LLMs"), ("SH-TA", "sh:humans"), ("Comb-TA", "comb")):
        assert cells[row, "Coherence"]["ours"] == pytest.approx(of_conditions[code]), row
    assert cells["ML-TA", "Coherence"]["ours"] is None  # one contributor of each kind
    assert cells["Comb-TA", "Fluency"]["reason"]
    assert json.loads(run("runs", "list", *project, "--json")[1]) == []
    share = ("--sample", "0.03", "--judge", "rules", "--resamples", 0, "--json")
    status, out, err = run("reproduce", "interacteval", "figure-10a", *given, *share)
    assert status == 0, err
    cells = {(cell["row"], cell["column"]): cell for cell in json.loads(out)["cells"]}
    project = ("--project", "interacteval figure-10a")
    sets = json.loads(run("similarity", *project, "--dimension", "coherence", "--json")[1])["sets"]
    assert cells["SH-TA", "Coherence ROUGE-L"]["ours"] == pytest.approx(sets["humans"]["rouge_l"])


def test_mean_scores_by_preference_are_those_of_the_bias_study(
    run: Run, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", vendors.address("openai", ONE))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    recipe = load_recipe("g-eval")
    pairs = _file("news-pairs", recipe.data["news-pairs"], recipe.table("figure-2"), tmp_path)
    command = ("reproduce", "g-eval", "figure-2", "--data", f"news-pairs={pairs}", "--judge", "openai:gpt-4o", "--json")
    status, out, err = run(*command)
    assert status == 0, err
    cells = {cell["column"]: cell for cell in json.loads(out)["cells"]}
    (made,) = json.loads(run("runs", "list", "--project", "g-eval figure-2", "--json")[1])
    study = json.loads(run("runs", "bias", made["run"], "--dimension", "quality", "--json")[1])
    assert study["by"] == "preferences"
    for heading, group in zip(("Human preferred", "Alike", "LLM preferred"), study["groups"], strict=True):
        assert group["pairs"] == cells[f"{heading} person"]["n"] == 3
        assert cells[f"{heading} person"]["ours"] == group["person"]["value"]
        assert cells[f"{heading} LLM"]["ours"] == group["llm"]["value"]
