"""Preferences come in with their texts, reasons become attributes, and figures of scores rest on them."""

import csv
import itertools
import json
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from sqlalchemy import text as sql
from typer.testing import CliRunner

from app.cli import build
from app.corpora.own_score_tables import ScoreColumns
from app.domain.attribute import ComparedTexts, ContributorKind
from app.domain.expert_answer import Preference, Winner
from app.domain.roles_and_rights import Role
from app.errors import InputError, NotAllowedError
from app.services.attributes.attributes import attributes_of
from app.services.attributes.preference_import import PreferenceImport, import_preferences
from app.services.data.held_out_split import lock
from app.services.data.imports import import_file
from app.services.data.project_transfer import export_project, import_project
from app.services.data.projects import delete_project, dimensions_named, get_project
from app.services.pseudonyms import replace_name
from app.services.results.preferences import accuracy_on_pairs, preference_summary
from app.services.results.results import Choices, results_of
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.own_scores import import_scores
from tests.support.projects import ready_to_score
from tests.support.real_data import shared_data

COLUMNS = ("prompt", "model_a", "model_b", "response_a", "response_b", "winner", "annotator", "reason")
RAIN, SNOW = "What is rain?", "What is snow?"
ROWS = [
    (RAIN, "x", "y", "Water that falls.", "Dunno.", "a", "Ana", "It answers."),
    (RAIN, "y", "x", "Dunno.", "Water that falls.", "tie", "Ben", ""),
    (SNOW, "x", "y", "Frozen water.", "No.", "model_a", "Ana", "It answers."),
    (SNOW, "x", "x", "Frozen water.", "Ice.", "b", "Ben", "It is shorter."),
]


def table(folder: Path, rows: list[tuple[str, ...]], columns: tuple[str, ...] = COLUMNS) -> Path:
    path = folder / "pairs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def brought(workbench: Workbench, path: Path, project: str = "P", dimension: str = "") -> PreferenceImport:
    return import_preferences(workbench, path, project, {}, dimension)


def pairs_of(workbench: Workbench, project: str) -> list[Preference]:
    (dimension,) = dimensions_named(workbench, project, "all")
    with workbench.database.read() as work:
        return work.preferences.of(dimension.id)


def test_pairs_come_in_with_texts_and_reasons_and_once(workbench: Workbench, tmp_path: Path) -> None:
    report = brought(workbench, table(tmp_path, ROWS), dimension="clarity")
    assert (report.pairs, report.texts, report.attributes, report.skipped) == (4, 5, 2, ())
    project, (dimension,) = get_project(workbench, "P"), dimensions_named(workbench, "P", "all")
    with workbench.database.read() as work:
        kept = work.preferences.of(dimension.id)
        texts = {each.id: each for each in work.texts.all(project.id)}
    assert [(one.rater, one.winner.value, one.reason) for one in kept] == [
        ("Ana", "a", "It answers."),
        ("Ben", "tie", ""),
        ("Ana", "a", "It answers."),
        ("Ben", "b", "It is shorter."),
    ]
    assert [(texts[one.a.id].text, texts[one.b.id].source) for one in kept[:2]] == [
        ("Water that falls.", RAIN),
        ("Dunno.", RAIN),
    ]
    first, second = attributes_of(workbench, project.id)
    assert (first.contributor, first.kind, first.text) == ("Ana", ContributorKind.HUMAN, "It answers.")
    assert first.pair == ComparedTexts(kept[0].a.id, kept[0].b.id, "a", kept[0].a.doc_id)
    assert (second.contributor, second.pair) == (
        "Ben",
        ComparedTexts(kept[3].a.id, kept[3].b.id, "b", kept[3].a.doc_id),
    )
    assert [one.attribute for one in kept] == [first.id, None, first.id, second.id]
    # The same pairs again, and the same turned round, add nothing.
    turned = [(*row[:1], row[2], row[1], row[4], row[3], {"a": "b"}.get(row[5], "tie"), *row[6:]) for row in ROWS[:2]]
    again = brought(workbench, table(tmp_path, [*ROWS, *turned]))
    assert (again.pairs, again.known, again.texts, again.attributes, again.skipped) == (0, 6, 0, 0, ())
    # What a rater said first stays.
    other = (*ROWS[0][:5], "b", "Ana", "On second thought.")
    report = brought(workbench, table(tmp_path, [other]))
    assert (report.pairs, report.attributes, [each.row for each in report.skipped]) == (0, 0, [1])


def test_pairs_name_texts_of_the_project(workbench: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(workbench)
    with workbench.database.read() as work:
        a, b, other = (work.texts.ids_by_key(1)[key] for key in (("d0", "s0", ""), ("d0", "s1", ""), ("d1", "s0", "")))
    ids = [(str(a), str(b), "a"), (str(a), str(other), "a"), (str(a), "9999", "a"), (str(a), str(a), "a")]
    report = brought(workbench, table(tmp_path, ids, ("id_a", "id_b", "winner")), "Ready")
    assert (report.pairs, report.texts, [each.row for each in report.skipped]) == (1, 0, [2, 3, 4])
    named = [("d0", "s1", "s2", "s1"), ("d0", "s1", "s9", "s1")]
    report = brought(workbench, table(tmp_path, named, ("doc_id", "system_a", "system_b", "winner")), "Ready")
    assert (report.pairs, [each.row for each in report.skipped]) == (1, [2])
    with workbench.database.read() as work:
        assert [(one.a.key, one.winner) for one in work.preferences.of(dimension.id)] == [
            (("d0", "s0", ""), Winner.A),
            (("d0", "s1", ""), Winner.A),
        ]


def test_texts_that_are_there_are_not_added_again(workbench: Workbench, tmp_path: Path) -> None:
    there = tmp_path / "texts.csv"
    there.write_text(f"doc_id,system_id,source,text\nrain-1,x,{RAIN},Water that falls.\n", encoding="utf-8")
    import_file(workbench, there, "P")
    report = brought(workbench, table(tmp_path, ROWS[:2]), dimension="clarity")
    assert (report.pairs, report.texts) == (2, 1)
    with workbench.database.read() as work:
        places = work.texts.places(get_project(workbench, "P").id)
    assert [place.key for place in places] == [("rain-1", "x", ""), ("rain-1", "y", "")]


def test_dimension_must_be_named_where_there_are_several_or_none(workbench: Workbench, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        brought(workbench, table(tmp_path, ROWS))


def test_an_llm_s_name_keeps_its_reason_from_being_a_person_s(workbench: Workbench, tmp_path: Path) -> None:
    brought(workbench, table(tmp_path, ROWS[:1]), dimension="clarity")
    with workbench.database.write() as work:
        work.think_aloud.contributor(get_project(workbench, "P").id, "rules", ContributorKind.LLM)
    report = brought(workbench, table(tmp_path, [(*ROWS[2][:6], "rules", "Because.")]))
    assert (report.pairs, report.attributes, [each.row for each in report.skipped]) == (1, 0, [1])


def test_pairs_travel_with_the_project_take_pseudonyms_and_go_with_it(workbench: Workbench, tmp_path: Path) -> None:
    brought(workbench, table(tmp_path, ROWS), dimension="clarity")
    export_project(workbench, "P", tmp_path / "p.zip")
    import_project(workbench, tmp_path / "p.zip", "Copy")
    first, copy = (
        [(one.rater, one.winner, one.a.key, one.b.key, one.reason, one.attribute is None) for one in kept]
        for kept in (pairs_of(workbench, name) for name in ("P", "Copy"))
    )
    assert first == copy and len(first) == 4
    assert all(each.pair for each in attributes_of(workbench, get_project(workbench, "Copy").id))
    replace_name(workbench, get_project(workbench, "P").id, "Ana", "E7")
    (dimension,) = dimensions_named(workbench, "P", "all")
    summary = preference_summary(workbench, dimension)
    assert summary is not None and summary.raters == ("E7", "Ben")
    for name in ("P", "Copy"):
        delete_project(workbench, name)
    with workbench.database.read() as work:
        assert work._session.execute(sql("SELECT count(*) FROM preference")).scalar() == 0


def test_locked_texts_stay_out_of_every_figure(workbench: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(workbench)
    rows = [(f"d{n}", "s0", "s1", "a") for n in range(3)]
    brought(workbench, table(tmp_path, rows, ("doc_id", "system_a", "system_b", "winner")), "Ready")
    lock(workbench, 1, 0.34, 1, "Fay")
    summary = preference_summary(workbench, dimension)
    assert summary is not None and summary.pairs == 2


def test_only_facilitators_bring_pairs_in(bench: Workbench, tmp_path: Path) -> None:
    path = table(tmp_path, [("d0", "s0", "s1", "a")], ("doc_id", "system_a", "system_b", "winner"))
    for role in (Role.EXPERT, Role.READER):
        with bench.database.write() as work:
            person = work.people.add("invite", role.value, role.value)
            work.people.join(person.id, 1, role, role.value)
            actor = work.people.actor(person.id)
        with pytest.raises(NotAllowedError):
            brought(replace(bench, actor=actor), path, "Ready")


def test_results_and_commands_tell_the_accuracy(tmp_path: Path) -> None:
    workbench = open_workbench()
    dimension = ready_to_score(workbench)
    pairs = table(
        tmp_path,
        [("d0", "s0", "s1", "b"), ("d0", "s0", "s2", "a"), ("d1", "s0", "s1", "tie"), ("d1", "s2", "s3", "b")],
        ("doc_id", "system_a", "system_b", "winner"),
    )
    brought(workbench, pairs, "Ready")
    scores = tmp_path / "metric.csv"
    rows = [f"d{n // 4},s{n % 4},{0.1 * n:.1f}" for n in range(12)]
    scores.write_text("\n".join(["doc_id,system_id,metric", *rows]), encoding="utf-8")
    run = import_scores(workbench, 1, [dimension], scores, ScoreColumns("metric")).run
    (result,) = results_of(workbench, run, Choices("dataset", resamples=50))
    found = accuracy_on_pairs(workbench, result)
    assert found is not None
    assert (found.n, found.people_ties, found.value) == (3, 1, pytest.approx(2 / 3))
    runner = CliRunner()
    printed = runner.invoke(build(), ["results", "--project", "Ready", "--json", "--resamples", "50"])
    (document,) = json.loads(printed.stdout)
    assert document["preferences"]["accuracy"]["value"] == pytest.approx(2 / 3)
    shown = runner.invoke(build(), ["preferences", "show", "--project", "Ready", "--json"])
    assert json.loads(shown.stdout)[0]["pairs"] == 4


@pytest.mark.long
def test_accuracy_on_summeval_equals_an_independent_computation(workbench: Workbench, tmp_path: Path) -> None:
    """Experts' mean ratings decide each two systems of a document; the crowd's mean ratings are the method's scores."""
    path = shared_data("summeval_model_annotations.aligned.paired.jsonl")
    import_file(workbench, path, "S", "summeval")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def mean(record: dict[str, list[dict[str, float]]], who: str) -> float:
        return fmean(each["coherence"] for each in record[f"{who}_annotations"])

    groups = itertools.groupby(sorted(records, key=lambda one: one["id"]), key=lambda one: one["id"])
    rows, credited, people_ties, score_ties = [], [], 0, 0
    for name, group in groups:
        for a, b in itertools.combinations(group, 2):
            ahead, scored = mean(a, "expert") - mean(b, "expert"), mean(a, "turker") - mean(b, "turker")
            won = "tie" if abs(ahead) < 1e-9 else "a" if ahead > 0 else "b"
            rows.append((name, a["model_id"], b["model_id"], won))
            if won == "tie":
                people_ties += 1
            elif abs(scored) < 1e-9:
                score_ties += 1
                credited.append(0.5)
            else:
                credited.append(float((scored > 0) == (ahead > 0)))
    pairs = table(tmp_path, rows, ("doc_id", "system_a", "system_b", "winner"))
    report = import_preferences(workbench, pairs, "S", {}, "coherence", "experts")
    assert (report.pairs, report.texts, report.skipped) == (len(rows), 0, ())
    scores = tmp_path / "crowd.csv"
    lines = [f"{one['id']},{one['model_id']},{mean(one, 'turker')!r}" for one in records]
    scores.write_text("\n".join(["doc_id,system_id,crowd", *lines]), encoding="utf-8")
    (dimension,) = dimensions_named(workbench, "S", "coherence")
    project = get_project(workbench, "S")
    run = import_scores(workbench, project.id, [dimension], scores, ScoreColumns("crowd")).run
    (result,) = results_of(workbench, run, Choices("dataset", resamples=200))
    found = accuracy_on_pairs(workbench, result)
    assert found is not None and found.value is not None and found.low is not None and found.high is not None
    assert round(found.value, 3) == round(fmean(credited), 3)
    assert (found.n, found.people_ties, found.score_ties) == (len(credited), people_ties, score_ties)
    assert (found.sources, found.without_score) == (100, 0)
    assert found.low < found.value < found.high
    summary = preference_summary(workbench, dimension)
    assert summary is not None and len(summary.systems.systems) == len({one["model_id"] for one in records})
