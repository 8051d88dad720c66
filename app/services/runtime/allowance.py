"""Allowance: what a server lets each project spend in a calendar month with the keys of its environment.

Keys that people type are their own, and models that need none cost the server nothing.
"""

from datetime import UTC, datetime
from math import inf

from app.errors import BudgetError, InputError
from app.providers.model_name import parse_model_name
from app.providers.pricing import shipped_prices
from app.providers.specs import spec_of
from app.services.runtime.workbench import Workbench
from app.settings import settings

OWN_KEY = "Use a key of your own (Settings), or ask whoever runs the server for more."


def monthly_allowance() -> float | None:
    """As the server's settings say. Raises InputError for what is no amount."""
    written = settings().project_budget.strip()
    try:
        dollars = float(written) if written else None
    except ValueError:
        dollars = -1.0
    if dollars is None or 0 <= dollars < inf:
        return dollars
    raise InputError(
        f"INTERACTEVAL_PROJECT_BUDGET is “{written[:60]}”, which is no amount.", "Give US dollars a month, such as 20."
    )


def allowance_left(workbench: Workbench, model: str, project: int | None) -> float | None:
    """US dollars, None for no limit. Raises BudgetError where nothing is left, or nobody knows what the model costs."""
    monthly = monthly_allowance()
    provider = spec_of(parse_model_name(model).provider)
    if monthly is None or project is None or workbench.credentials.of(provider.prefix).typed:
        return None
    if shipped_prices().of(model) is None:
        if not provider.needs_key:
            return None
        raise BudgetError(
            f"The price of {model} is unknown, and this server gives each project ${monthly:,.2f} a month.",
            f"Choose a model whose price is known. {OWN_KEY}",
        )
    this_month = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    with workbench.database.read() as work:
        spent = work.calls.spent_since(project, this_month)
    if spent >= monthly:
        raise BudgetError(f"This project has used up the ${monthly:,.2f} that the server gives it a month.", OWN_KEY)
    return monthly - spent
