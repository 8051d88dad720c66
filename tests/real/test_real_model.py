"""A real model behind a real server: each stage either works or ends in a sentence."""

import json

import pytest

from app.services.runtime.workbench import open_workbench
from tests.real.conftest import CONTEXT, JUDGE, Run, See
from tests.support.projects import ready_to_score

pytestmark = pytest.mark.real

SCORE = ("score", "--project", "Ready", "--judge", JUDGE, "--json")


def one_text() -> None:
    ready_to_score(open_workbench(), texts=1)


def sentence(said: str) -> str:
    """Why a text failed, where that is said; else the last line."""
    assert "Traceback" not in said
    lines = said.strip().splitlines() or [""]
    return next((line for line in lines if " failed (" in line), lines[-1])[:110]


def test_real_model_abilities_are_found(run: Run, see: See) -> None:
    status, said, error = run("models", "test", JUDGE, "--json")
    assert status == 0, error
    found = json.loads(said)
    assert (found["schema"], found["echo"], found["context_tokens"]) == ("json_object_schema", True, CONTEXT)
    see("models test", ", ".join(f"{name}={found[name]}" for name in list(found)[3:8]))


def test_real_model_answers_a_checklist(run: Run, see: See) -> None:
    one_text()
    status, said, error = run(*SCORE)
    assert status == 0, error
    report = json.loads(said)
    assert report["dimensions"]["coherence"]["scored"] == 1
    see("score, checklist", f"{report['calls']} call, {report['output_tokens']} tokens of answers")


def test_real_model_scores_by_log_probabilities(run: Run, see: See) -> None:
    one_text()
    words = ("--evaluator", "g-eval", "--set", "steps=no", "--set", "probabilities=logprobs")
    status, said, error = run(*SCORE, *words, "--max-output-tokens", 200)
    assert status in (0, 3)
    assert "Traceback" not in error
    report = json.loads(said)
    see("score, g-eval", f"scored {report['dimensions']['coherence']['scored']} of 1; {sentence(error or said)}")


def test_real_model_rates_a_text_by_echo(run: Run, see: See) -> None:
    one_text()
    status, said, error = run(*SCORE, "--evaluator", "gptscore")
    assert status == 0, error
    assert json.loads(said)["dimensions"]["coherence"]["scored"] == 1
    see("score, gptscore by echo", "scored 1 of 1")


def test_real_model_takes_no_batches(run: Run, see: See) -> None:
    one_text()
    status, _, error = run(*SCORE, "--batch")
    assert status == 2
    see("score --batch", sentence(error))


def test_real_model_cut_off_answer_is_a_sentence(run: Run, see: See) -> None:
    one_text()
    status, said, error = run(*SCORE, "--max-output-tokens", 3)
    assert (status, json.loads(said)["dimensions"]["coherence"]["failed"]) == (3, 1)
    see("answer cut off", sentence(error))


@pytest.mark.parametrize("times", [1, 9])
def test_real_model_reply_that_breaks_off(run: Run, see: See, cut_off: list[int], times: int) -> None:
    one_text()
    cut_off[0] = times
    status, said, error = run(*SCORE)
    scored = json.loads(said)["dimensions"]["coherence"]["scored"]
    assert (status, scored) == ((0, 1) if times == 1 else (3, 0))
    assert cut_off[1] > 1, "it is asked again"
    why = "" if scored else f"; {sentence(error)}"
    see(f"reply breaks off, {times} x", f"{cut_off[1]} requests; scored {scored} of 1{why}")


def test_real_model_context_overflow_is_a_sentence(run: Run, see: See) -> None:
    ready_to_score(open_workbench(), texts=1, questions=300)
    status, said, error = run(*SCORE)
    assert (status, json.loads(said)["dimensions"]["coherence"]["failed"]) == (3, 1)
    see("context overflow", sentence(error))


def test_real_model_thinks_aloud(run: Run, see: See) -> None:
    one_text()
    words = ("think-aloud", "--project", "Ready", "--model", JUDGE, "--accept-all", "--json")
    status, said, error = run(*words, "--max-output-tokens", 400)
    assert status in (0, 3)
    see("think aloud", sentence(error or said))


def test_real_model_builds_a_checklist(run: Run, see: See) -> None:
    one_text()
    status, _, error = run("think-aloud", "--project", "Ready", "--model", "rules", "--accept-all")
    assert status == 0, error
    words = ("build", "--project", "Ready", "--dimension", "coherence", "--model", JUDGE, "--json")
    status, said, error = run(*words, "--max-output-tokens", 600)
    assert status in (0, 3)
    see("build", sentence(error or said))
