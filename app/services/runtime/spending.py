"""Money: what was spent, budgets, and where the prices of models come from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import inf
from typing import Any

from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.errors import BudgetError, InputError
from app.providers.budget import SharedBudget
from app.providers.credentials import credentials_problem
from app.providers.known_prices import known_prices, today
from app.providers.model_name import parse_model_name
from app.providers.pricing import FLEX, STANDARD
from app.providers.pricing import Price as Price  # noqa: PLC0414 - for the screen
from app.providers.registry import describe_models
from app.providers.specs import spec_of
from app.services.runtime.endpoint_models import endpoint_models
from app.services.runtime.workbench import Workbench, use_case
from app.settings import settings
from db.repositories.calls import PaidCalls
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class PricedModel:
    """A model with its price in US dollars per million tokens, None if unknown; `flex` in the vendor's tier of that
    name, None without one. `ready`: it can be used."""

    name: str
    price: Price | None
    ready: bool
    flex: Price | None = None

    @property
    def free(self) -> bool:
        return self.price is not None and self.price.free

    def to_json(self) -> dict[str, Any]:
        origin = self.price.origin if self.price else None
        return {
            "model": self.name,
            **_amounts(self.price),
            "longer": [{"over_tokens": n, **_amounts(price)} for n, price in (self.price.longer if self.price else ())],
            "flex": _amounts(self.flex) if self.flex else None,
            "source": origin.source if origin else None,
            "day": origin.day.isoformat() if origin and origin.day else None,
            "since": origin.since.isoformat() if origin and origin.since else None,
        }


@dataclass(frozen=True, slots=True)
class Prices:
    """The known models with their prices. source: of the prices; checked: their day, None if unknown."""

    source: str
    checked: date | None
    models: Sequence[PricedModel]


@use_case(Right.SET_UP)
def price_list(workbench: Workbench) -> Prices:
    known, credentials, day = known_prices(), workbench.credentials, today()
    models = [
        PricedModel(
            model.name,
            model.price,
            not credentials_problem(model.provider, credentials),
            None if model.price is None or model.price.free else known.of(model.name, day, FLEX),
        )
        for model in describe_models(credentials, known, endpoint_models(workbench).chat, day)
    ]
    origin = known.kept.source if known.kept is not None else None
    return Prices(origin.source if origin else "", origin.day if origin else None, models)


@use_case(Right.SERVE, act="updated the prices of models")
def update_prices(workbench: Workbench) -> date:
    """Download the newest prices for everybody on this server; returns their day. Costs of earlier calls stay. Raises a
    ProviderError or InputError with the reason why the prices stay."""
    from app.providers.price_update import fetch_prices  # noqa: PLC0415 - nothing else needs what it is fetched with

    try:
        kept = fetch_prices(today())
    except OSError as error:
        raise InputError(
            f"The prices can't be kept: {error.strerror or 'the folder can not be written'}.",
            "Check the workbench's folder (INTERACTEVAL_HOME) and try again.",
        ) from error
    return kept.source.day or today()


def _amounts(price: Price | None) -> dict[str, float | None]:
    """Return the prices as JSON, null if unknown; writing to a cache costs as much as other input by default."""
    if price is None:
        return dict.fromkeys(("input_usd", "cached_usd", "cache_write_usd", "output_usd"))
    return {
        "input_usd": price.input,
        "cached_usd": price.cached,
        "cache_write_usd": price.input if price.written is None else price.written,
        "output_usd": price.output,
    }


JUDGING = "judging"


@dataclass(frozen=True, slots=True)
class Spending:
    """The cost of calls. `calls` were answered, also with useless answers; US dollars at the prices of their time.

    Of the input, `cached_tokens` came from the provider's prompt cache and `cache_write_tokens` were written to it.
    `calls_cached` were answered from the ledger at no cost. `cost_usd` is None if a price or usage is unknown;
    `at_least_usd` is the known part. `run` is None outside of scoring runs; `stage` is then the name of the prompt.
    """

    stage: str
    model: str
    run: int | None = None
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    cache_write_tokens: int = 0
    calls_cached: int = 0
    at_least_usd: float = 0.0


@use_case(Right.READ)
def run_spending(workbench: Workbench, run_id: int) -> Spending:
    """Return what all sessions of the run cost together."""
    with workbench.database.read() as work:
        run = work.runs.get(run_id)
        made = work.calls.totals([run_id]).get(run_id)
    return _of_run(run, made)


@use_case(Right.READ)
def project_spending(workbench: Workbench, project_id: int) -> list[Spending]:
    """Return everything paid in the project, with failed stages: first stages in the order first asked, then runs.
    Entries without calls and answers are left out."""
    with workbench.database.read() as work:
        stages = work.calls.outside_runs(project_id)
        runs = work.runs.all(project_id, anchors=True)
        made = work.calls.totals([run.id for run in runs])
    found = [_spending(stage, model, None, paid) for (stage, model), paid in stages.items()]
    return found + [_of_run(run, made.get(run.id)) for run in reversed(runs) if run.id in made or run.calls_cached]


def unpriced_calls(workbench: Workbench, project_id: int) -> int:
    """Return how many calls of the project have an unknown cost."""
    with workbench.database.read() as work:
        stages = work.calls.outside_runs(project_id).values()
        runs = work.calls.totals([run.id for run in work.runs.all(project_id, anchors=True)]).values()
    return sum(paid.unpriced for paid in (*stages, *runs))


def total_cost(spendings: Iterable[Spending]) -> tuple[float, Sequence[str]]:
    """Return the sum of known costs in US dollars, and the models with unknown ones."""
    rows = list(spendings)
    unknown = sorted({row.model for row in rows if row.cost_usd is None})
    return sum(row.at_least_usd for row in rows), unknown


def _of_run(run: RunSummary, made: PaidCalls | None) -> Spending:
    if made is None:
        return Spending(JUDGING, run.judge, run.id, calls_cached=run.calls_cached)
    return _spending(JUDGING, run.judge, run.id, made, run.calls_cached)


def _spending(stage: str, model: str, run: int | None, paid: PaidCalls, cached: int = 0) -> Spending:
    return Spending(
        stage,
        model,
        run,
        paid.answered,
        paid.input_tokens,
        paid.cached_tokens,
        paid.output_tokens,
        None if paid.unpriced else paid.cost_usd,
        paid.cache_write_tokens,
        cached,
        paid.cost_usd,
    )


@dataclass(frozen=True, slots=True)
class MonthlyBudgets:
    """Limits in US dollars for each calendar month, None for no limit."""

    project: float | None
    person: float | None


def monthly_budgets() -> MonthlyBudgets:
    """Return the limits in the server's settings. Raises InputError for an invalid amount."""
    return MonthlyBudgets(
        _amount(settings().project_budget, "INTERACTEVAL_PROJECT_BUDGET"),
        _amount(settings().person_budget, "INTERACTEVAL_PERSON_BUDGET"),
    )


@use_case(Right.FACILITATE)
def allowances_left(workbench: Workbench, project_id: int, models: Sequence[str]) -> list[SharedBudget]:
    """Return the budgets that bind the actor with these models in this project, each once. Raises as
    `allowance_left`."""
    found = (allowance_left(workbench, model, project_id) for model in models)
    return list(dict.fromkeys(budget for budget in found if budget is not None))


def allowance_left(workbench: Workbench, model: str, project: int | None, tier: str = "") -> SharedBudget | None:
    """Return the budget with less left, the project's or the person's; None for no limit. Raises BudgetError if nothing
    is left, or the model's price is unknown. tier: the model's service tier."""
    monthly = monthly_budgets()
    of_project = monthly.project if project is not None else None
    of_person = monthly.person if workbench.spender is not None else None
    provider = spec_of(parse_model_name(model).provider)
    if (of_project is None and of_person is None) or workbench.credentials.of(provider.prefix).typed:
        return None
    if known_prices().of(model, today(), FLEX if tier else STANDARD) is None:
        if not provider.needs_key:
            return None
        limit = f"each project ${of_project:,.2f}" if of_project is not None else f"each person ${of_person:,.2f}"
        raise BudgetError(
            f"The price of {model} is unknown, and this server gives {limit} a month.",
            f"Choose a model whose price is known. {_what_else(workbench)}",
        )
    with workbench.database.read() as work:
        budgets = list(_shared_budgets(workbench, work, project, of_project, of_person))
    return min(budgets, key=lambda budget: budget.left)


def _shared_budgets(
    workbench: Workbench, work: UnitOfWork, project: int | None, of_project: float | None, of_person: float | None
) -> Sequence[SharedBudget]:
    month = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    hint, found = _what_else(workbench), []
    if of_project is not None and project is not None:
        left = of_project - work.calls.spent_since(month, project=project)
        if left <= 0:
            raise BudgetError(
                f"This project has used up the ${of_project:,.2f} that the server gives it a month.", hint
            )
        found.append(SharedBudget(left, "What the server gives this project a month", hint))
    if of_person is not None and workbench.spender is not None:
        left = of_person - work.calls.spent_since(month, person=workbench.spender)
        if left <= 0:
            raise BudgetError(
                f"{workbench.actor.name} has used up the ${of_person:,.2f} that the server gives each person a month, "
                "over all projects.",
                hint,
            )
        found.append(SharedBudget(left, f"What the server gives {workbench.actor.name} a month", hint))
    return found


def _what_else(workbench: Workbench) -> str:
    if workbench.actor.has(Right.SET_UP, None):
        return "Use a key of your own (Settings), or ask the server's owner for more."
    return "Ask the server's owner for more."


def _amount(written: str, variable: str) -> float | None:
    try:
        dollars = float(written) if written.strip() else None
    except ValueError:
        dollars = -1.0
    if dollars is None or 0 <= dollars < inf:
        return dollars
    raise InputError(
        f"{variable} is “{written.strip()[:60]}”, which is no amount.", "Give US dollars a month, such as 20."
    )
