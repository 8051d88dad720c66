"""Evidence from the judge to the report: asked, kept, counted, taken over, shown as text whatever it holds."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.checklist_score import Judgment
from app.domain.project import Dimension
from app.domain.quotes import LONGEST, QuoteCounts
from app.evaluators.checklist import JudgeOptions
from app.services.checklists.checklists import new_draft, publish, versions_of
from app.services.checklists.draft_edits import QuestionWording, edit_question
from app.services.data.project_transfer import export_project, import_project
from app.services.data.projects import get_project
from app.services.results.archive import JUDGMENT_COLUMNS, judgment_rows
from app.services.results.report import report_html
from app.services.results.result_files import verdicts_of
from app.services.results.result_texts import quote_counts, report_evidence, run_counts
from app.services.results.results import DimensionResult, results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import TOKENS_PER_QUOTE, estimate
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score, workbench_at

JUDGE = "llama:judge"
TEXTS, QUESTIONS = 6, 3
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"
HOSTILE = (SCRIPT, "x" * 100_000, "You judge the coherence of one summary", "\0\x1b]0;title\x07\u202e", "**a** [b](c)")


def quoting(schema: Mapping[str, Any] | None, hostile: str = SCRIPT) -> str:
    """The first quote is in each text, the second in none, the third is none; yes alone where none is asked."""
    answers = (schema or {}).get("properties", {})
    quotes = ["text number", hostile, ""]
    return json.dumps(
        {
            key: {"quote": quotes[place % 3], "answer": "yes"} if "properties" in one else "yes"
            for place, (key, one) in enumerate(answers.items())
        }
    )


@pytest.fixture
def usual() -> Usual:
    return Reply(quoting)


@pytest.fixture
def dimension(workbench: Workbench) -> Dimension:
    return ready_to_score(workbench, TEXTS, QUESTIONS)


def options(dimension: Dimension, evidence: bool = True, **more: Any) -> RunOptions:
    return RunOptions((dimension,), JUDGE, asking=JudgeOptions(evidence=evidence, **more))


def scored(workbench: Workbench, chosen: RunOptions) -> int:
    run_id = start_run(workbench, 1, chosen)
    work_on(workbench, run_id)
    return run_id


def result_of(workbench: Workbench, run: int) -> DimensionResult:
    (result,) = results_of(workbench, run)
    return result


def quotes_of(workbench: Workbench, run: int, dimension: Dimension) -> list[Judgment]:
    with workbench.database.read() as work:
        return [one for each in work.results.judgments_by_text(run, dimension.id).values() for one in each]


def test_quotes_are_kept_counted_exported_and_come_along_elsewhere(
    workbench: Workbench, dimension: Dimension, tmp_path: Path
) -> None:
    run = scored(workbench, options(dimension))
    assert {one.quote for one in quotes_of(workbench, run, dimension)} == {"text number", SCRIPT, ""}
    counts = quote_counts(workbench, run, dimension.id)
    assert counts == QuoteCounts(found=TEXTS, nearly=TEXTS, absent=TEXTS, without=TEXTS)
    assert run_counts(workbench, run)["coherence"]["quotes"] == counts.to_json()
    assert JUDGMENT_COLUMNS[-1] == "quote"
    assert [row["quote"] for row in judgment_rows(workbench, 1)][:3] == ["text number", SCRIPT, ""]
    assert result_of(workbench, run).meta.figures["spearman"].signature

    export_project(workbench, "Ready", tmp_path / "ready.zip")
    (tmp_path / "elsewhere").mkdir()
    elsewhere = workbench_at(tmp_path / "elsewhere")
    import_project(elsewhere, tmp_path / "ready.zip")
    with elsewhere.database.read() as work:
        (there,) = work.runs.all(work.projects.get("Ready").id)
        (part,) = work.runs.parts(there.id)
    assert quote_counts(elsewhere, there.id, part.dimension) == counts
    elsewhere.database.close()


def test_a_judge_that_quotes_nothing_at_all_scores_and_is_counted(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    llm.usual = Reply(lambda schema: json.dumps(dict.fromkeys((schema or {})["properties"], "no")))
    run = scored(workbench, options(dimension))
    assert quote_counts(workbench, run, dimension.id) == QuoteCounts(without=3 * TEXTS)
    assert len(llm.requests) == TEXTS
    assert {row.score for row in result_of(workbench, run).rows} == {1.0}


def test_answers_with_evidence_count_again_with_it_and_only_where_it_was_asked_for(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    scored(workbench, options(dimension))
    draft = new_draft(workbench, versions_of(workbench, dimension.id)[0].id)
    question = draft.asked[2]
    edit_question(workbench, question, QuestionWording("Is there an end?", question.component), "Ana")
    publish(workbench, draft.id)
    before = len(llm.requests)
    again = scored(workbench, options(dimension))
    assert [one.quote for one in quotes_of(workbench, again, dimension) if one.origin] == [
        "text number",
        SCRIPT,
    ] * TEXTS
    asked = [json.dumps(request.body) for request in llm.requests[before:]]
    assert all("Is there an end?" in body and "Is part 0" not in body for body in asked)
    apart = scored(workbench, options(dimension, per_question=True))
    assert not any(one.origin for one in quotes_of(workbench, apart, dimension))
    # Without evidence there are no quotes to count.
    llm.requests.clear()
    plain = scored(workbench, options(dimension, evidence=False))
    assert not any(one.origin for one in quotes_of(workbench, plain, dimension))
    assert not quote_counts(workbench, plain, dimension.id)
    assert "quotes" not in run_counts(workbench, plain)["coherence"]
    assert report_evidence(workbench, result_of(workbench, plain)) is None
    assert len(llm.requests) == TEXTS
    assert all("quote" not in json.dumps(request.body) for request in llm.requests)


def test_the_forecast_counts_the_tokens_of_quotes(workbench: Workbench, llm: FakeLlm, dimension: Dimension) -> None:
    for more in ({}, {"reasons": True}):
        without, with_it = (
            estimate(workbench, 1, options(dimension, evidence, **more)).output_tokens_estimate
            for evidence in (False, True)
        )
        assert with_it - without == TEXTS * QUESTIONS * TOKENS_PER_QUOTE


def test_a_report_shows_quotes_as_text_or_says_that_they_are_nowhere(workbench: Workbench, llm: FakeLlm) -> None:
    dimension, left = ready_to_score(workbench, len(HOSTILE), QUESTIONS), list(HOSTILE)
    llm.usual = Reply(lambda schema: quoting(schema, left.pop()))
    run = scored(workbench, options(dimension))
    assert left == []
    assert max(len(one.quote) for one in quotes_of(workbench, run, dimension)) <= LONGEST
    result = result_of(workbench, run)
    project = get_project(workbench, "Ready")
    page = report_html(
        project, [result], verdicts_of(workbench, [result]), evidence=[report_evidence(workbench, result)]
    ).decode()
    assert f"Quotes: {quote_counts(workbench, run, dimension.id)}." in page
    assert page.count("<mark>Text number</mark>") == 5
    assert page.count('<span class="absent">not in the text</span>') == 5
    assert "<script" not in page
    assert "<img src=x" not in page
    assert "\0" not in page


def test_of_repeats_what_is_quoted_alike_stands_once(workbench: Workbench, llm: FakeLlm, dimension: Dimension) -> None:
    run = scored(workbench, options(dimension, repeats=2))
    assert quote_counts(workbench, run, dimension.id).found == 2 * TEXTS
    found = report_evidence(workbench, result_of(workbench, run))
    assert found is not None
    assert [len(text.answers) for text in found.texts] == [2] * 5


def test_what_a_draft_is_tried_with_is_how_the_run_asked(workbench: Workbench, dimension: Dimension) -> None:
    chosen = options(dimension)
    assert replace(chosen).judge_options() == JudgeOptions(evidence=True)
    assert chosen.params()["evidence"] is True
    assert "evidence" not in options(dimension, evidence=False).params()
