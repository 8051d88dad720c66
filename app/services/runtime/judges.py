"""Judges and their options: reasoning effort, service tier, prompt cache."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from app.domain.roles_and_rights import Right
from app.errors import InputError, UnsupportedError
from app.evaluators.checklist import JudgeOptions
from app.providers.base import ChatRequest
from app.providers.credentials import Credentials, credentials_problem
from app.providers.known_prices import end_label, end_of, end_warning, known_prices, today
from app.providers.model_name import parse_model_name
from app.providers.model_options import EFFORTS, TIMEOUT, USUAL, ModelOptions, efforts_of, takes_options
from app.providers.pricing import CHARACTERS_PER_TOKEN, FLEX, Price, estimate_input_tokens, estimate_tokens
from app.providers.registry import cached_from, gives_logprobs, open_model
from app.providers.specs import spec_of
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

__all__ = ["EFFORTS", "TIMEOUT", "USUAL", "ModelOptions", "end_label", "end_of", "end_warning", "takes_options"]


@dataclass(frozen=True, slots=True)
class JudgeAbility:
    """The abilities of a judge. `name` is its full name; judges that aren't LLMs always answer the same. `priced`: its
    price is known; `sells_flex`: the vendor has a slower tier, whose price is known if `flex_priced`. obstacle: what to
    set before it can be asked; "" for nothing."""

    name: str
    is_llm: bool
    gives_probabilities: bool
    priced: bool
    obstacle: str = ""
    sells_flex: bool = False
    flex_priced: bool = False


@use_case(Right.ENTER)
def judge_named(workbench: Workbench, name: str) -> JudgeAbility:
    """Return what is known of a judge without asking it; no key is needed.

    Raises UnknownModelError, and for recordings NotFoundError or FileFormatError.
    """
    parsed = parse_model_name(name)
    full, is_llm = str(parsed), True
    if not spec_of(parsed.provider).speaks_http:
        full, is_llm = workbench.check_model(name)
    return JudgeAbility(
        full,
        is_llm,
        is_llm and gives_logprobs(full),
        known_prices().of(full, today()) is not None,
        credentials_problem(parsed.provider, workbench.credentials),
        spec_of(parsed.provider).sells_flex,
        known_prices().of(full, today(), FLEX) is not None,
    )


def load_rules() -> None:
    """Import the modules of the built-in judge."""
    open_model("rules", Credentials())


def check_wishes(judge: JudgeAbility, asking: JudgeOptions, budget: float | None, tier: str = "") -> None:
    """Raise UnsupportedError or InputError for options that the judge doesn't support, before anything is planned."""
    if asking.soft and not judge.gives_probabilities:
        raise UnsupportedError(
            f"{judge.name} gives no log-probabilities.", "Switch P(yes) off, or choose another judge."
        )
    if asking.repeats > 1 and not judge.is_llm:
        raise InputError(f"{judge.name} answers the same each time.", "Ask it once.")
    if asking.repeats < 1:
        raise InputError("A judge has to be asked at least once.", "Give 1 or more repeats.")
    if budget is not None and not budget > 0:
        raise InputError("A budget has to be above 0 dollars.", "Start without a budget for no limit.")
    if budget is not None and not (judge.flex_priced if tier else judge.priced):
        of = f"{judge.name} in the tier “{FLEX}”" if tier else judge.name
        raise InputError(f"The price of {of} is unknown, so a budget can't be kept.", "Start without a budget.")


# For an answer to a checklist or a score; texts that are hard take many times that.
GUESS = 1000
GUESSES = {"none": 0, "minimal": 200, "low": 400, "medium": GUESS, "high": 3000, "xhigh": 8000, "max": 16_000}
ENOUGH = 5  # earlier calls


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Reasoning tokens for each call, without the answer; `measured` from earlier calls, else a guess."""

    per_call: int
    measured: bool = False

    def __str__(self) -> str:
        how = "as its earlier calls took" if self.measured else "a guess: it was not asked before"
        return f"{self.per_call:,} a call for reasoning ({how})"


def reasoning_of(work: UnitOfWork, model: str, effort: str) -> Reasoning:
    """Return the reasoning tokens of calls with the same effort."""
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


@use_case(Right.FACILITATE)
def set_model_options(workbench: Workbench, run_id: int, wished: ModelOptions) -> None:
    """Store options chosen for resuming a run. Raises InputError for another effort, since all scores of a run need the
    same."""
    with workbench.database.write() as work:
        run = work.runs.get(run_id)
        before = ModelOptions.of_run(run.params)
        if wished.effort and wished.effort != before.effort:
            asked = f"with the effort “{before.effort}”" if before.effort else "without an effort"
            raise InputError(f"Run {run_id} is asked {asked}.", "Leave the effort out, or start a new run.")
        for name, value in wished.params().items():
            work.runs.set_param(run_id, name, value)


def save_model_options(workbench: Workbench, run_id: int, chosen: ModelOptions) -> None:
    """Store all options for resuming a run, also those reset to their defaults."""
    with workbench.database.write() as work:
        for name, value in asdict(chosen).items():
            work.runs.set_param(run_id, name, value)


@dataclass(frozen=True, slots=True)
class PromptSize:
    """The tokens of a request. constant: the part of its text that is the same for other texts."""

    read: int
    written: int
    constant: str

    @classmethod
    def of(cls, request: ChatRequest, written: int) -> "PromptSize":
        """Return the size of a request. The schema is part of `constant`, since vendors cache it before the prompt."""
        return cls(estimate_input_tokens(request), written, request.form + request.prompt.system)


@dataclass(frozen=True, slots=True)
class Caching:
    """The savings by the provider's prompt cache. `constant_tokens` are the most that requests have in common,
    `cached_from_tokens` the minimum that the model caches, None if unknown; `cache_read_tokens` are read from the cache
    at best, and `cache_saves_usd` is the saving, None if the price is unknown."""

    constant_tokens: int = 0
    cached_from_tokens: int | None = None
    cache_read_tokens: int = 0
    cache_saves_usd: float | None = None


def caching_of(model: str, sizes: Sequence[PromptSize], price: Price | None) -> Caching:
    """Return the best case: the first request with a constant part writes it, all others read it."""
    least = cached_from(model)
    read = written = 0
    for constant, times in Counter(size.constant for size in sizes).items():
        tokens = estimate_tokens(constant)
        if least is not None and tokens >= least and times > 1:
            written += tokens
            read += tokens * (times - 1)
    most = max((estimate_tokens(size.constant) for size in sizes), default=0)
    return Caching(most, least, read, None if price is None or not sizes else _saving(price, read, written))


def _saving(price: Price, read: int, written: int) -> float:
    """Return the saving in US dollars."""
    dearer = (price.written or price.input) - price.input
    return max(0.0, (read * (price.input - price.cached) - written * dearer) / 1_000_000)
