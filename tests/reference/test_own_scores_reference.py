"""A metric published with SummEval's texts, imported as a file: the agreement is that of an independent computation."""

import json
from pathlib import Path
from statistics import fmean

import pandas as pd
import pytest
from scipy.stats import spearmanr

from app.corpora.own_score_tables import ScoreColumns
from app.services.data.imports import import_file
from app.services.data.projects import dimensions_named, get_project
from app.services.results.results import Choices, results_of
from app.services.scoring.own_scores import import_scores
from tests.support.made_data import made_data
from tests.support.projects import workbench_at

TEXTS = 200


def test_the_turkers_of_summeval_as_a_metric(tmp_path: Path) -> None:
    whole = made_data("summeval_model_annotations.aligned.paired.jsonl")
    lines = whole.read_text(encoding="utf-8").splitlines()[:TEXTS]
    path = tmp_path / whole.name
    path.write_text("\n".join(lines), encoding="utf-8")
    records = [json.loads(line) for line in lines]
    table = pd.DataFrame(
        {
            "doc_id": [record["id"] for record in records],
            "system": [record["model_id"] for record in records],
            "turkers": [fmean(given["coherence"] for given in record["turker_annotations"]) for record in records],
            "experts": [fmean(given["coherence"] for given in record["expert_annotations"]) for record in records],
        }
    )
    workbench = workbench_at(tmp_path)
    import_file(workbench, path, "News")
    project = get_project(workbench, "News")
    dimensions = dimensions_named(workbench, "News", "coherence")
    file = tmp_path / "published.csv"
    table.drop(columns="experts").to_csv(file, index=False)
    report = import_scores(workbench, project.id, dimensions, file, ScoreColumns("turkers"))
    texts = len(table.drop_duplicates(["doc_id", "system"]))
    assert (report.scored["coherence"], report.left_out) == (texts, ())
    (result,) = results_of(workbench, report.run, Choices("dataset", resamples=50))
    once = table.drop_duplicates(["doc_id", "system"])
    expected = float(spearmanr(once["turkers"], once["experts"]).statistic)
    assert result.meta.figures["spearman"].value == pytest.approx(expected)
    workbench.database.close()
