"""Troubles in mixtures, as one night brings them: every text is scored or failed with its true reason, and tokens and
cost are those that the vendor billed, to the token."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.providers.base import Usage
from app.providers.known_prices import known_prices, today
from app.providers.retry import RetryPolicy
from app.services.runtime import models
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, RunReport, failures_of, start_run, work_on
from db.unit_of_work import Database
from tests.support.modern_vendors import ModernVendors, modern_vendors
from tests.support.projects import ready_to_score

TEXTS = 12


@dataclass(frozen=True)
class Mix:
    """A judge, the server's options, and how many texts fail with which kind; all others are scored."""

    judge: str
    options: str
    failing: dict[str, int] = field(default_factory=dict)
    evaluator: str = "checklist"

    @property
    def name(self) -> str:
        return f"{self.judge} {self.evaluator} {self.options}"


MIXES = (
    Mix("openai:gpt-5.6-terra", "refuse=4,filter=6,e500=2", {"refused": 4}),
    Mix("openai:gpt-4o", "tokens=digits,limit=1:seconds", evaluator="g-eval"),
    Mix("anthropic:claude-opus-5-5", "newblock=1,refuse=5,over=3", {"refused": 2}),
    Mix("anthropic:claude-haiku-4-5", "filter=6,dup=4", {"refused": 2, "no-answer": 2}),
    Mix("google:gemini-2.5-flash", "filter=6,limit=2:info,over=2", {"refused": 2}),
    Mix("google:gemini-2.5-pro", "finish=OTHER,finishevery=4,e500=1", {"no-answer": 3}),
    Mix("llama:llama3.1", "ollama,wrap=swallowed,limit=2:none"),
)
"""Each vendor, and each outcome."""
MORE_MIXES = (
    Mix("openai:gpt-6-sol", "think=6000,heavy=5:20000,limit=3:ms,over=2"),
    Mix("openai:gpt-6.2-astra", "flaky=7,limit=2:reset", {"refused": 1}, evaluator="llm-score"),
    Mix("anthropic:claude-sonnet-5", "heavy=3:9000,limit=2:seconds,e500=1"),
    Mix("google:gemini-3.1-pro-preview", "v1beta,think=3000,thoughts=1,refuse=6", {"refused": 2}),
    Mix("llama:qwen3.6:8b", "vllm,wrap=thinkfence,noschema=1,think=900,ctx=6000"),
    Mix("llama:llama3.1", "vllm,wrap=harmony,noschema=2", evaluator="coascore"),
    Mix("llama:llama3.1", "llamacpp,wrap=list,noschema=3,over=2"),
)


@pytest.fixture(scope="module")
def vendors() -> Iterator[ModernVendors]:
    with modern_vendors() as running:
        yield running


def scored(vendors: ModernVendors, folder: Path, mix: Mix) -> tuple[RunReport, list[str]]:
    workbench = Workbench(Database(f"sqlite:///{folder}/workbench.db"), vendors.credentials(mix.options))
    try:
        dimension = ready_to_score(workbench, TEXTS)
        report = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), mix.judge, mix.evaluator)))
        return report, sorted(kind for _, _, kind, _ in failures_of(workbench, report.run.id))
    finally:
        workbench.database.close()


@pytest.mark.parametrize(
    "mix",
    [*MIXES, *(pytest.param(mix, marks=pytest.mark.long) for mix in MORE_MIXES)],
    ids=lambda mix: mix.name,
)
def test_a_mixture_of_troubles_ends_in_scores_reasons_and_the_vendors_own_bill(
    mix: Mix, vendors: ModernVendors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "PATIENCE", RetryPolicy(first=0.01, longest=0.2))
    report, failures = scored(vendors, tmp_path, mix)
    expected = sorted(kind for kind, times in mix.failing.items() for _ in range(times))
    assert (report.run.done, failures) == (TEXTS - len(expected), expected), report.run.message
    state = vendors.state(mix.options)
    billed = state["billed"]
    told = report.tally.usage
    assert (told.input_tokens, told.output_tokens) == (billed["input"], billed["output"])
    assert (told.cached_tokens, told.cache_write_tokens) == (billed["cached"], billed["written"])
    price = known_prices().cost(
        mix.judge, Usage(billed["input"], billed["cached"], billed["output"], billed["written"]), today(), calls=TEXTS
    )
    assert report.tally.cost_usd == (pytest.approx(price) if price is not None else None)
