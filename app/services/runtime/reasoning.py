"""Reasoning tokens of a call, for forecasts: as the same model's earlier calls took, else a guess."""

from dataclasses import dataclass

from app.providers.model_name import parse_model_name
from app.providers.model_options import efforts_of
from app.providers.pricing import CHARACTERS_PER_TOKEN
from app.providers.specs import spec_of
from db.unit_of_work import UnitOfWork

# For an answer to a checklist or a score; texts that are hard take many times that.
GUESS = 1000
GUESSES = {"none": 0, "minimal": 200, "low": 400, "medium": GUESS, "high": 3000, "xhigh": 8000, "max": 16_000}
ENOUGH = 5  # earlier calls


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Tokens of a call, the answer itself not included; `measured` where earlier calls say so."""

    per_call: int
    measured: bool = False

    def __str__(self) -> str:
        how = "as its earlier calls took" if self.measured else "a guess: it was not asked before"
        return f"{self.per_call:,} a call for reasoning ({how})"


def reasoning_of(work: UnitOfWork, model: str, effort: str) -> Reasoning:
    """What is known of calls with the same effort."""
    efforts = {run.id: str(run.params.get("effort", "")) for run in work.runs.all(anchors=True)}
    alike = [w for run, w in work.calls.written(model).items() if efforts.get(run or 0, "") == effort]
    calls, tokens, characters = (sum(parts) for parts in zip(*alike, strict=True)) if alike else (0, 0, 0)
    if calls >= ENOUGH:
        return Reasoning(max(0, round((tokens - characters / CHARACTERS_PER_TOKEN) / calls)), measured=True)
    return Reasoning(_guess(model, effort))


def _guess(model: str, effort: str) -> int:
    name = parse_model_name(model)
    if efforts_of(name) == ():
        return 0
    if effort:
        return GUESSES[effort]
    return GUESS if spec_of(name.provider).models.reasons_unasked.match(name.model) else 0
