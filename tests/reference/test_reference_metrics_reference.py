"""ROUGE, BLEU and chrF of every SummEval summary equal their packages, and agree with experts as pandas computes it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

import pandas as pd
import pytest
from nltk.tokenize import wordpunct_tokenize
from nltk.translate.meteor_score import meteor_score
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import sentence_bleu, sentence_chrf

from app.domain.text_filter import SystemChoice
from app.evaluators.reference_metrics import Metric, meteor, metric_processes, rouge
from app.meta_evaluation.evaluation import Figure
from app.meta_evaluation.score_matrix import Coefficient
from app.services.data.imports import import_file
from app.services.data.projects import dimensions_named, get_project
from app.services.results.results import Choices, results_of
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.made_data import made_data
from tests.support.projects import workbench_at
from tests.support.real_data import shared_data
from tests.support.wordnet import use_wordnet

Figures = Mapping[Coefficient, Figure]
ROUGE_1, ROUGE_2 = (partial(rouge, f"rouge{n}", False) for n in (1, 2))
FILE = "summeval_model_annotations.aligned.paired.jsonl"


def _rouge_l(text: str, references: list[str]) -> float:
    return float(RougeScorer(["rougeL"]).score_multi(references, text)["rougeL"].fmeasure)


def _bleu(text: str, references: list[str]) -> float:
    return float(sentence_bleu(text, references).score)


def _chrf(text: str, references: list[str]) -> float:
    return float(sentence_chrf(text, references).score)


@pytest.mark.long
@pytest.mark.parametrize(("name", "package"), [("rouge-l", _rouge_l), ("bleu", _bleu), ("chrf", _chrf)])
def test_a_metric_on_all_summaries(tmp_path: Path, name: str, package: Callable[[str, list[str]], float]) -> None:
    path = made_data(FILE)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    workbench = workbench_at(tmp_path)
    import_file(workbench, path, "News")
    dimensions = tuple(dimensions_named(workbench, "News", "relevance"))
    options = RunOptions(dimensions, "none", evaluator=name)
    report = work_on(workbench, start_run(workbench, get_project(workbench, "News").id, options))
    assert (report.run.done, report.run.failed) == (1200, 0)
    (result,) = results_of(workbench, report.run.id, Choices("per-source", resamples=10))
    texts, references = [r["decoded"] for r in records], [r["references"] for r in records]
    expected = list(metric_processes().map(package, texts, references, chunksize=50))
    table = pd.DataFrame(
        {
            "doc": [r["id"] for r in records],
            "system": [r["model_id"] for r in records],
            "metric": expected,
            "experts": [fmean(given["relevance"] for given in r["expert_annotations"]) for r in records],
        }
    ).drop_duplicates(["doc", "system"])
    found = {(row.doc_id, row.system_id): row.score for row in result.rows}
    assert [found[doc, system] for doc, system in zip(table["doc"], table["system"], strict=True)] == pytest.approx(
        table["metric"].tolist()
    )
    groups = [group[["metric", "experts"]] for _, group in table.groupby("doc")]
    coefficients = [
        group["metric"].corr(group["experts"], method="spearman") for group in groups if group.nunique().min() > 1
    ]
    assert result.groups_used == len(coefficients)
    assert result.meta.figures["spearman"].value == pytest.approx(fmean(coefficients))
    workbench.database.close()


# Spearman at the dataset level: CoAScore, Table 2 (naturalness, understandability, interest, context).
CHAT = ("naturalness", "understandability", "engagingness", "coherence")
COASCORE = [("bleu", (0.171, 0.207, 0.305, 0.243)), ("rouge-l", (0.145, 0.174, 0.302, 0.211))]


def _figures(path: Path, file: str, options: RunOptions, references: str, dimensions: Sequence[str]) -> list[Figures]:
    """Of each dimension, at the dataset level."""
    workbench = workbench_at(path)
    import_file(workbench, shared_data(file), "P", references=references)
    found = {dimension.name: dimension for dimension in dimensions_named(workbench, "P", "all")}
    options = replace(options, dimensions=tuple(found[name] for name in dimensions))
    report = work_on(workbench, start_run(workbench, get_project(workbench, "P").id, options))
    results = results_of(workbench, report.run.id, Choices("dataset", resamples=0))
    workbench.database.close()
    by_name = {result.dimension.name: result.meta.figures for result in results}
    return [by_name[name] for name in dimensions]


@pytest.mark.parametrize(("name", "published"), COASCORE)
def test_topical_chat_equals_coascore_table_2(tmp_path: Path, name: str, published: tuple[float, ...]) -> None:
    truth = "Original Ground Truth"
    options = RunOptions((), "none", evaluator=name, systems=SystemChoice(without=(truth,)))
    found = _figures(tmp_path, "topical_chat.json", options, f"system={truth}", CHAT)
    assert [figures["spearman"].value for figures in found] == pytest.approx(published, abs=0.002)


@pytest.mark.parametrize(
    ("file", "published"),  # G-Eval, Table 3: Pearson, Spearman, Kendall
    [("qags_cnndm.json", (0.459, 0.418, 0.333)), ("qags_xsum.json", (0.097, 0.083, 0.068))],
)
def test_qags_equals_g_eval_table_3(tmp_path: Path, file: str, published: tuple[float, ...]) -> None:
    options = RunOptions((), "none", evaluator="rouge-2", settings=(("stem", "yes"),))
    (figures,) = _figures(tmp_path, file, options, "source", ["consistency"])
    assert [figures[kind].value for kind in ("pearson", "spearman", "kendall")] == pytest.approx(published, abs=0.006)


@pytest.mark.long
@pytest.mark.parametrize(
    ("metric", "package"),
    [
        (
            partial(rouge, "rouge1", False),
            lambda text, refs: RougeScorer(["rouge1"]).score_multi(refs, text)["rouge1"].fmeasure,
        ),
        (
            partial(rouge, "rouge2", False),
            lambda text, refs: RougeScorer(["rouge2"]).score_multi(refs, text)["rouge2"].fmeasure,
        ),
        pytest.param(
            meteor,
            lambda text, refs: meteor_score([wordpunct_tokenize(ref) for ref in refs], wordpunct_tokenize(text)),
            marks=pytest.mark.long,  # WordNet is fetched for the long tests alone
        ),
    ],
)
def test_each_summary_with_two_references_equals_the_package(metric: Metric, package: Metric) -> None:
    if metric is meteor and not use_wordnet():
        pytest.skip("METEOR needs WordNet: python -m tests.support.wordnet")
    for line in made_data(FILE).read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        text, references = record["decoded"], record["references"][:2]
        assert metric(text, references) == pytest.approx(package(text, references))


@pytest.mark.long
def test_meteor_takes_synonyms_for_the_same_word() -> None:
    if not use_wordnet():
        pytest.skip("METEOR needs WordNet: python -m tests.support.wordnet")
    # "auto" and "car" share a meaning: 3 of 3 words match in one chunk, F = 1, penalty = 0.5 * (1/3)^3.
    assert meteor("the auto stopped", ["the car stopped"]) == pytest.approx(1 - 0.5 / 27)
