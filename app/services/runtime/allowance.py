"""Allowance: what a server lets each project and each person spend a calendar month with the keys of its environment.

Keys that people type are their own, and models that need none cost the server nothing. Whoever runs the server, on the
command line too, spends as nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf

from app.domain.people.actor import Right
from app.errors import BudgetError, InputError
from app.providers.budget import Purse
from app.providers.known_prices import known_prices, today
from app.providers.model_name import parse_model_name
from app.providers.pricing import FLEX, STANDARD
from app.providers.specs import spec_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.settings import settings
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class MonthlyBudgets:
    """US dollars a calendar month, None for no limit."""

    project: float | None
    person: float | None


def monthly_budgets() -> MonthlyBudgets:
    """As the server's settings say. Raises InputError for what is no amount."""
    return MonthlyBudgets(
        _amount(settings().project_budget, "INTERACTEVAL_PROJECT_BUDGET"),
        _amount(settings().person_budget, "INTERACTEVAL_PERSON_BUDGET"),
    )


@use_case(Right.FACILITATE)
def allowances_left(workbench: Workbench, project_id: int, models: Sequence[str]) -> list[Purse]:
    """What binds the actor with these models in this project, each purse once. Raises as `allowance_left`."""
    found = (allowance_left(workbench, model, project_id) for model in models)
    return list(dict.fromkeys(purse for purse in found if purse is not None))


def allowance_left(workbench: Workbench, model: str, project: int | None, tier: str = "") -> Purse | None:
    """Of the project's and the person's budget the one of which less is left; None for no limit. Raises BudgetError
    where nothing is left, or nobody knows what the model costs. tier: the service tier that it is asked in."""
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
        purses = list(_purses(workbench, work, project, of_project, of_person))
    return min(purses, key=lambda purse: purse.left)


def _purses(
    workbench: Workbench, work: UnitOfWork, project: int | None, of_project: float | None, of_person: float | None
) -> Sequence[Purse]:
    month = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    hint, found = _what_else(workbench), []
    if of_project is not None and project is not None:
        left = of_project - work.calls.spent_since(month, project=project)
        if left <= 0:
            raise BudgetError(
                f"This project has used up the ${of_project:,.2f} that the server gives it a month.", hint
            )
        found.append(Purse(left, "What the server gives this project a month", hint))
    if of_person is not None and workbench.spender is not None:
        left = of_person - work.calls.spent_since(month, person=workbench.spender)
        if left <= 0:
            raise BudgetError(
                f"{workbench.actor.name} has used up the ${of_person:,.2f} that the server gives each person a month, "
                "over all projects.",
                hint,
            )
        found.append(Purse(left, f"What the server gives {workbench.actor.name} a month", hint))
    return found


def _what_else(workbench: Workbench) -> str:
    if workbench.actor.has(Right.SET_UP, None):
        return "Use a key of your own (Settings), or ask whoever runs the server for more."
    return "Ask whoever runs the server for more."


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
