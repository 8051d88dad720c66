"""A metric's scores from a file stand as a run beside the others."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import build
from app.corpora.own_score_tables import ScoreColumns
from app.errors import InputError
from app.services.data.uploads import Upload
from app.services.results.results import Choices, results_of
from app.services.results.run_comparison import score_sets
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.evaluators import on_scale
from app.services.scoring.own_scores import columns_of, import_scores, import_upload
from app.services.scoring.runs import get_run, work_on
from tests.support.projects import ready_to_score


def scores_file(folder: Path, lines: int = 12, factor: float = 0.1) -> Path:
    """The ratings of ready_to_score as a metric would have them, with a row too many and one that is no number."""
    rows = [f"d{n // 4},s{n % 4},{factor * (1 + n % 5):.2f}" for n in range(lines)]
    path = folder / "metric.csv"
    path.write_text("\n".join(["doc_id,system_id,metric", *rows, "d99,s0,0.5", "d0,s1,high"]), encoding="utf-8")
    return path


def test_a_file_becomes_a_run_with_a_report(workbench: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(workbench)
    report = import_scores(workbench, 1, [dimension], scores_file(tmp_path, 11), ScoreColumns("metric"))
    assert (report.evaluator, report.rows, report.scored) == ("own: metric", 13, {"coherence": 11})
    assert report.without_score == {"coherence": ["“d2” / “s3”"]}
    assert [(skipped.row, skipped.reason) for skipped in report.left_out] == [
        (12, "The project has no text “d99” / “s0”."),
        (13, "The score is not a number ('high')."),
    ]
    run = get_run(workbench, report.run)
    assert (run.status.value, run.done, run.all, run.judge, run.resumable) == ("done", 11, 11, "none", False)
    assert not on_scale(run)
    (result,) = results_of(workbench, report.run, Choices("dataset", resamples=50))
    assert (result.scored, result.meta.figures["spearman"].value) == (11, pytest.approx(1))
    assert [found.run.id for found in score_sets(workbench, 1, dimension.id)] == [report.run]


def test_scores_on_the_scale_are_told_from_others(workbench: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(workbench)
    path = scores_file(tmp_path, factor=1.0)
    report = import_upload(
        workbench, 1, [dimension], Upload("m.csv", path.read_bytes()), ScoreColumns("metric"), "A published metric"
    )
    assert report.evaluator == "own: A published metric"
    assert on_scale(get_run(workbench, report.run))


def test_samples_and_the_locked_split_stay_out(workbench: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(workbench)
    with workbench.database.write() as work:
        sample = work.texts.ids_by_key(1)["d1", "s0", ""]
        work.think_aloud.set_samples(dimension.id, [(sample, 3.0, "auto")])
    report = import_scores(workbench, 1, [dimension], scores_file(tmp_path), ScoreColumns("metric"))
    assert report.scored == {"coherence": 8}
    assert (report.samples, report.locked, len(report.left_out)) == ({"coherence": 4}, 0, 2)


def test_where_nothing_fits_nothing_is_kept(workbench: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(workbench)
    path = tmp_path / "other.csv"
    path.write_text("doc_id,system_id,m\nx,y,1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"No row .*Row 1: The project has no text “x” / “y”.*“d0” / “s0”"):
        import_scores(workbench, 1, [dimension], path, ScoreColumns("m"))
    with workbench.database.read() as work:
        assert work.runs.all() == []


def test_columns_are_listed_with_those_that_name_texts(tmp_path: Path) -> None:
    columns, guess = columns_of(Upload("m.csv", scores_file(tmp_path).read_bytes()))
    assert columns == ("doc_id", "system_id", "metric")
    assert guess == ScoreColumns("", "doc_id", "system_id")
    assert columns_of(Upload("m.csv", b"a,b\n1,2\n")) == (("a", "b"), None)


def test_the_command_prints_one_document(tmp_path: Path) -> None:
    ready_to_score(open_workbench())
    path = scores_file(tmp_path)
    command = ["scores", "import", str(path), "--project", "Ready", "--dimension", "coherence", "--column", "metric"]
    done = CliRunner().invoke(build(), [*command, "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert (document["run"], document["evaluator"], document["scored"]) == (1, "own: metric", {"coherence": 12})
    assert len(document["left_out"]) == 2
    said = CliRunner().invoke(build(), command)
    assert "own: metric" in said.stdout
    assert "left out, row 13" in said.stderr


def test_scores_from_a_file_have_nothing_to_resume_and_stay_as_they_are(tmp_path: Path) -> None:
    workbench = open_workbench()
    dimension = ready_to_score(workbench)
    report = import_scores(workbench, 1, [dimension], scores_file(tmp_path, 11), ScoreColumns("metric"))
    with pytest.raises(InputError, match=f"Run {report.run} came from a file, so there is nothing to resume"):
        work_on(workbench, report.run)
    for more in ([], ["--budget", "1"]):
        said = CliRunner().invoke(build(), ["score", "--project", "Ready", "--resume", str(report.run), *more])
        assert isinstance(said.exception, InputError)
        assert "nothing to resume" in said.exception.message
    run = get_run(workbench, report.run)
    assert (run.status.value, run.done, run.message) == ("done", 11, "")


def test_a_run_is_resumed_in_its_own_project_only(tmp_path: Path) -> None:
    workbench = open_workbench()
    dimension = ready_to_score(workbench)
    import_scores(workbench, 1, [dimension], scores_file(tmp_path), ScoreColumns("metric"))
    assert CliRunner().invoke(build(), ["project", "create", "Other"]).exit_code == 0
    said = CliRunner().invoke(build(), ["score", "--project", "Other", "--dimension", "all", "--resume", "1"])
    assert isinstance(said.exception, InputError)
    assert "belongs to the project “Ready”" in said.exception.message
