"""How long a judge may think, how far it may go, and what a run that can't go on says: by `score`, against a strict
server of today."""

import json
from collections.abc import Callable, Sequence

import pytest

from app.services.runtime.workbench import open_workbench
from app.services.scoring.runs import list_runs
from app.settings import settings
from tests.support.modern_vendors import ModernVendors
from tests.support.projects import ready_to_score

Run = Callable[..., tuple[int, str, str]]
Use = Callable[[str], None]


@pytest.fixture
def use(vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch) -> Use:
    """Ask the server with these options; six texts are ready to be scored."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    ready_to_score(open_workbench(), texts=6)

    def use(options: str) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", vendors.address("openai", options))
        settings.cache_clear()

    return use


def score(run: Run, *words: object) -> tuple[int, str, str]:
    return run("score", "--project", "Ready", "--judge", "openai:gpt-6-luna", *words)


def test_what_was_chosen_is_sent_kept_with_the_run_and_changed_where_it_is_resumed(
    run: Run, use: Use, vendors: ModernVendors
) -> None:
    use("think=6000,kept")
    status, _, said = score(run, "--max-output-tokens", 2000, "--timeout", 90, "--effort", "low")
    assert status == 3
    assert "--max-output-tokens" in said
    assert {(b["max_completion_tokens"], b["reasoning_effort"]) for b in vendors.bodies("think=6000,kept")} == {
        (2000, "low")
    }
    (kept,) = list_runs(open_workbench())
    assert [kept.params[name] for name in ("max_output_tokens", "timeout", "effort")] == [2000, 90, "low"]
    status, _, _ = score(run, "--resume", kept.id, "--max-output-tokens", 9000)
    assert status == 0
    assert vendors.bodies("think=6000,kept")[-1]["reasoning_effort"] == "low"
    status, _, said = score(run, "--resume", kept.id, "--effort", "high")
    assert (status, "start a new run" in said) == (2, True)


def test_an_answer_with_another_effort_is_another_answer(run: Run, use: Use, vendors: ModernVendors) -> None:
    use("plain,another")
    assert score(run)[0] == score(run, "--effort", "low")[0] == score(run)[0] == 0
    assert vendors.state("plain,another")["ok"] == 12


REFUSED = (
    ("--effort", "much"),
    ("--max-output-tokens", 0),
    ("--timeout", 0),
    ("--judge", "openai:gpt-4o", "--effort", "low"),
    ("--judge", "rules", "--effort", "low"),
    ("--judge", "openai:gpt-6.2-astra", "--effort", "none"),
)


def test_what_no_judge_or_not_this_one_takes_is_said_before_anything_is_paid(
    run: Run, use: Use, vendors: ModernVendors, subtests: pytest.Subtests
) -> None:
    use("plain,refused")
    for words in REFUSED:
        with subtests.test(words=words):
            status, _, said = score(run, *words)
            assert status == 2
            assert "bug" not in said
            assert vendors.state("plain,refused").get("ok", 0) == 0


@pytest.mark.parametrize("command", ["think-aloud", "build", "conditions run"])
def test_every_stage_is_asked_as_chosen_and_what_the_hint_names_is_an_option(
    run: Run, use: Use, vendors: ModernVendors, command: str
) -> None:
    options = f"think=6000,{command.replace(' ', '-')}"
    use(options)
    kept = ("--kind", "human", "--contributor", "Ana", "--project", "Ready", "--dimension", "coherence")
    file = settings().home / "ana.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"Point {n} follows from the one before.\n" for n in range(1, 9)))
    assert run("attributes", "add", file, *kept)[0] == 0
    words = (*command.split(), "--project", "Ready", "--dimension", "coherence", "--model", "openai:gpt-6-luna")
    status, out, err = run(*words, "--max-output-tokens", 2000, "--effort", "low")
    assert (status, "--max-output-tokens" in out + err) == (3, True)
    sent = {(b["max_completion_tokens"], b["reasoning_effort"]) for b in vendors.bodies(options)}
    assert sent == {(2000, "low")}
    status, _, said = run(*words, "--max-output-tokens", 20_000, "--timeout", 90)
    assert (status, "--max-output-tokens" in said) == (0, False), said
    status, _, said = run(*words[:-1], "rules", "--effort", "low")
    assert (status, "takes no reasoning effort" in said) == (2, True)


def test_a_wrong_key_and_a_wrong_address_end_with_2_and_one_sentence(
    run: Run, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("plain/elsewhere")
    status, _, said = score(run)
    assert status == 2
    assert said.count("is the address right?") == 1
    use("plain")
    monkeypatch.setenv("OPENAI_API_KEY", "bad")
    settings.cache_clear()
    status, _, said = score(run)
    assert status == 2
    assert said.count("refuses the key") == 1


def test_a_daily_limit_ends_the_run_at_once_and_says_when_to_resume(run: Run, use: Use, vendors: ModernVendors) -> None:
    use("limit=1:daily,ends")
    status, _, said = score(run)
    assert status == 3
    assert "in about 24 hours" in said
    assert "6 not scored yet" in said
    assert "failed (" not in said
    assert sum(vendors.state("limit=1:daily,ends")["refused"].values()) <= 6


def test_a_forecast_counts_reasoning_as_earlier_calls_took(run: Run, use: Use) -> None:
    use("think=5000,ahead")
    assert "1,000 a call for reasoning (a guess" in score(run, "--dry-run")[1]
    score(run)
    said = score(run, "--no-cache", "--dry-run")[1]
    assert "a call for reasoning (as its earlier calls took)" in said
    assert "5,00" in said


STYLES = (
    "noschema=1,status=400",
    "noschema=1,status=422",
    "noschema=1,status=500",
    "noschema=2",
    "noschema=4",
    "wrap=prose",
    "takes=max_tokens",
    "takes=max_completion_tokens,status=400",
    "takes=max_completion_tokens,status=422",
    "takes=max_completion_tokens,status=500",
    "notemperature,status=400",
    "notemperature,status=500",
    "nologprobs=1,status=400",
    "nologprobs=1,status=422",
    "nologprobs=1,status=500",
    "nologprobs=2",
    "nosystem,status=400",
    "nosystem,status=500",
)


A_FEW = ("noschema=1,status=500", "takes=max_completion_tokens,status=422", "nosystem,status=400")


@pytest.mark.parametrize(
    ("method", "styles"),
    [
        ("checklist", A_FEW),
        ("g-eval", ("nologprobs=1,status=422",)),
        pytest.param("checklist", STYLES, marks=pytest.mark.long),
        pytest.param("g-eval", STYLES, marks=pytest.mark.long),
    ],
)
def test_score_learns_a_servers_style_by_two_extra_requests(
    method: str,
    styles: Sequence[str],
    run: Run,
    vendors: ModernVendors,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    ready_to_score(open_workbench(), texts=3, questions=2)
    words = ("--evaluator", method, *(("--set", "samples=1") if method == "g-eval" else ()), "--no-cache")
    for options in styles:
        with subtests.test(options=options):
            named = f"{options},{method},{len(styles)}"
            monkeypatch.setenv("LLAMA_BASE_URL", vendors.address("llama", named))
            settings.cache_clear()
            status, _, said = run("score", "--project", "Ready", "--judge", "llama:qwen3.6:8b", *words)
            assert status == 0, said
            steps = method == "g-eval" and options == styles[0]  # which later runs use again
            needed = 3 + steps
            assert needed <= vendors.state(named)["requests"] <= needed + 2


ABILITIES = {
    "plain": {"schema": "json_schema", "schema_kept": True, "logprobs": True, "learned": []},
    "noschema=1,status=500": {"schema": "json_object_schema", "schema_kept": True},
    "noschema=2": {"schema": "json_schema", "schema_kept": False},
    "nologprobs=1,status=500": {"logprobs": False},
    "nologprobs=2": {"logprobs": False},
    "takes=max_completion_tokens,nosystem": {"learned": ["no system message", "max_completion_tokens"]},
    "notemperature,status=422": {"learned": ["no temperature"]},
}


LINES = ["Schema", "Log-probabilities", "Echo of a given text", "Context length", "Tokens a second", "Requests"]


def test_models_test_shows_what_a_model_can(
    run: Run, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for options, abilities in ABILITIES.items():
        with subtests.test(options=options):
            monkeypatch.setenv("LLAMA_BASE_URL", vendors.address("llama", f"{options},abilities"))
            settings.cache_clear()
            status, said, _ = run("models", "test", "llama:qwen3.6:8b", "--json")
            found = json.loads(said)
            assert (status, found["ok"], found["echo"]) == (0, True, False)
            assert {name: found[name] for name in abilities} == abilities
    monkeypatch.setenv("LLAMA_BASE_URL", vendors.address("llama", "plain,lines"))
    settings.cache_clear()
    status, said, _ = run("models", "test", "llama:qwen3.6:8b")
    assert status == 0
    assert [line.split("  ")[0] for line in said.splitlines()[2:]] == LINES
