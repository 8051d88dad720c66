"""Judges: what each can do, and whether that is what was wished for."""

from dataclasses import dataclass

from app.domain.people.actor import Right
from app.errors import InputError, UnsupportedError
from app.evaluators.checklist import JudgeOptions
from app.providers.credentials import Credentials, credentials_problem
from app.providers.known_prices import known_prices, today
from app.providers.model_name import parse_model_name
from app.providers.pricing import FLEX
from app.providers.registry import gives_logprobs, open_model
from app.providers.specs import spec_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@dataclass(frozen=True, slots=True)
class JudgeAbility:
    """`name` is its full name; what is no LLM answers the same each time. `priced`: its price is known; `flex_priced`:
    that in the vendor's slower tier. `sells_flex`: whether the vendor has such a tier.

    obstacle: what has to be set before it can be asked; "" for nothing.
    """

    name: str
    is_llm: bool
    gives_probabilities: bool
    priced: bool
    obstacle: str = ""
    sells_flex: bool = False
    flex_priced: bool = False


@use_case(Right.ENTER)
def judge_named(workbench: Workbench, name: str) -> JudgeAbility:
    """What is known of a judge without asking it: no key is needed.

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
    """Import what the built-in judge is made of."""
    open_model("rules", Credentials())


def check_wishes(judge: JudgeAbility, asking: JudgeOptions, budget: float | None, tier: str = "") -> None:
    """Raises UnsupportedError or InputError for what the judge can't do, before anything is planned."""
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
