"""Our figures on real ratings against independent code (pandas and SciPy, group by group) and published figures."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rouge_score.rouge_scorer import RougeScorer
from scipy import stats

from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.comparison import compare_scores
from app.meta_evaluation.evaluation import evaluate
from app.meta_evaluation.permutation import DifferenceTest
from app.meta_evaluation.raters.rater_agreement import krippendorff_alpha
from tests.support.made_data import made_data
from tests.support.real_data import shared_data

DIMENSIONS = ["coherence", "consistency", "fluency", "relevance"]
SCIPY = {"spearman": stats.spearmanr, "kendall": stats.kendalltau, "pearson": stats.pearsonr}
SOURCES = 30  # of each data set: independent code takes seconds for all of them


@lru_cache(maxsize=2)
def summaries(data: Callable[[str], Path] = made_data) -> list[dict[str, Any]]:
    lines = data("summeval_model_annotations.aligned.paired.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def summary_frame(dimension: str) -> pd.DataFrame:
    """The crowd's mean stands in for a judge; the experts' mean is the target."""

    def mean(entry: dict[str, Any], who: str) -> float:
        return float(np.mean([rating[dimension] for rating in entry[who]]))

    return _fewer(
        {
            "source": [entry["id"] for entry in summaries()],
            "system": [entry["model_id"] for entry in summaries()],
            "pred": [mean(entry, "turker_annotations") for entry in summaries()],
            "length": [len(entry["decoded"].split()) for entry in summaries()],
            "human": [mean(entry, "expert_annotations") for entry in summaries()],
        }
    )


def story_frame(metric: str) -> pd.DataFrame:
    stories = json.loads(made_data("openmeva.json").read_text(encoding="utf-8"))
    rows = [
        (story["doc_id"], system, made["score"][metric], made["score"]["human"])
        for story in stories
        for system, made in story["gen"].items()
    ]
    return pd.DataFrame(rows, columns=["source", "system", "pred", "human"])


def _fewer(columns: dict[str, list[Any]] | pd.DataFrame) -> pd.DataFrame:
    """The rows of the first sources."""
    frame = pd.DataFrame(columns)
    return frame[frame.source.isin(frame.source.unique()[:SOURCES])]


def independent(frame: pd.DataFrame, level: str, name: str) -> float:
    if level == "system":  # rounded: equal means added in another order differ in the last digit and lose their tie
        frame = frame.groupby("system")[["pred", "human"]].mean().round(10)
    if level != "per-source":
        return float(SCIPY[name](frame.pred, frame.human).statistic)
    return float(
        np.mean(
            [
                SCIPY[name](group.pred, group.human).statistic
                for _, group in frame.groupby("source")
                if group.pred.nunique() > 1 and group.human.nunique() > 1
            ]
        )
    )


def check(frame: pd.DataFrame, level: str) -> None:
    found = evaluate(
        frame.pred.to_numpy(),
        frame.human.to_numpy(),
        AgreementDesign(group=frame.source.tolist(), system=frame.system.tolist(), level=level, resamples=0),
    )
    for name, figure in found.figures.items():
        assert figure.value == pytest.approx(independent(frame, level, name), abs=1e-7), (level, name)


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
@pytest.mark.parametrize("dimension", ["coherence", "consistency"])  # few equal ratings, and many
def test_summeval_agrees_with_independent_code(dimension: str, level: str) -> None:
    frame = summary_frame(dimension)
    check(frame, level)
    check(frame.assign(pred=frame.length), level)


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
@pytest.mark.parametrize("metric", ["rouge2-f", "chatgpt"])
def test_story_metrics_agree_with_independent_code(metric: str, level: str) -> None:
    check(_fewer(story_frame(metric)), level)


@pytest.mark.parametrize("name", ["qags_cnndm.json", "qags_xsum.json"])
def test_one_text_a_source_is_a_sentence_per_source_and_a_figure_for_the_dataset(name: str) -> None:
    entries = json.loads(made_data(name).read_text(encoding="utf-8"))
    length = [len(entry["system_output"]) for entry in entries]
    human = [entry["scores"]["consistency"] for entry in entries]
    group = [entry["doc_id"] for entry in entries]
    inside = evaluate(length, human, AgreementDesign(group=group)).figures["spearman"]
    assert inside.value is None
    assert "No source has two or more texts" in inside.reason
    pooled = evaluate(length, human, AgreementDesign(group=group, level="dataset")).figures
    assert pooled["kendall"].value == pytest.approx(stats.kendalltau(length, human).statistic)


@pytest.mark.parametrize(
    ("name", "spearman", "kendall", "pearson"),
    [("qags_cnndm.json", 0.418, 0.333, 0.459), ("qags_xsum.json", 0.083, 0.068, 0.097)],
)
def test_rouge_on_qags_is_as_published(name: str, spearman: float, kendall: float, pearson: float) -> None:
    """G-Eval (Liu et al. 2023), Table 3: ROUGE-2 of summary and article. Exact on the extractive half; on the other one
    the versions of tokens differ in the third digit."""
    entries = json.loads(shared_data(name).read_text(encoding="utf-8"))
    scorer = RougeScorer(["rouge2"], use_stemmer=True)
    rouge = [scorer.score(entry["source"], entry["system_output"])["rouge2"].fmeasure for entry in entries]
    human = [entry["scores"]["consistency"] for entry in entries]
    found = evaluate(
        rouge, human, AgreementDesign(group=[entry["doc_id"] for entry in entries], level="dataset", resamples=0)
    ).figures
    printed = {"spearman": spearman, "kendall": kendall, "pearson": pearson}
    for coefficient, value in printed.items():
        assert found[coefficient].value == pytest.approx(value, abs=0.0005 if "cnndm" in name else 0.0025)  # type: ignore[index]


def test_topical_chat_groups_by_dialogue() -> None:
    entries = json.loads(made_data("topical_chat.json").read_text(encoding="utf-8"))
    frame = pd.DataFrame(
        {
            "source": [entry["source"] for entry in entries],
            "system": [entry["system_id"] for entry in entries],
            "pred": [len(entry["system_output"]) for entry in entries],
            "human": [entry["scores"]["engagingness"] for entry in entries],
        }
    )
    check(frame, "dataset")
    check(_fewer(frame), "per-source")


def test_expert_agreement_on_summeval_is_as_published() -> None:
    """SummEval (Fabbri et al. 2021) reports Krippendorff's alpha of .7127 for the experts over all dimensions and 16
    systems; the 12 systems with texts here come within a hundredth."""
    published = summaries(shared_data)
    ratings = np.array(
        [[entry["expert_annotations"][rater][d] for d in DIMENSIONS for entry in published] for rater in range(3)],
        dtype=float,
    )
    assert krippendorff_alpha(ratings, "ordinal").value == pytest.approx(0.7127, abs=0.01)


@pytest.mark.parametrize(
    ("z", "stars"),
    [
        (3.216, "**"),
        (3.54, "***"),
        (2.967, "**"),
        (3.881, "***"),
        (2.226, "*"),
        (1.663, ""),
        (2.249, "*"),
        (-0.914, ""),
    ],
)
def test_stars_of_the_published_condition_comparison(z: float, stars: str) -> None:
    """z-values and their stars as printed in Table 11 of the InteractEval paper."""
    assert DifferenceTest("Fisher's z", 160, z, float(2 * stats.norm.sf(abs(z)))).stars == stars


def test_comparing_metrics_agrees_with_scipys_own_resampling() -> None:
    """The paired bootstrap over texts against SciPy's paired percentile bootstrap of the same difference."""
    frame, other = story_frame("chatgpt"), story_frame("bertscore-f")
    found = compare_scores(
        frame.pred.to_numpy(),
        other.pred.to_numpy(),
        frame.human.to_numpy(),
        AgreementDesign(level="dataset", resamples=2000),
        permutations=500,
    ).differences["pearson"]

    def difference(a: Any, b: Any, human: Any, axis: int) -> Any:
        return stats.pearsonr(a, human, axis=axis).statistic - stats.pearsonr(b, human, axis=axis).statistic

    theirs = stats.bootstrap(
        (frame.pred.to_numpy(dtype=float), other.pred.to_numpy(dtype=float), frame.human.to_numpy(dtype=float)),
        difference,
        paired=True,
        vectorized=True,
        n_resamples=2000,
        method="percentile",
        rng=np.random.default_rng(1),
        batch=200,
    ).confidence_interval
    assert found.figure.low == pytest.approx(theirs.low, abs=0.015)
    assert found.figure.high == pytest.approx(theirs.high, abs=0.015)
    assert found.permutation.p is not None
    assert found.permutation.p < 0.01
