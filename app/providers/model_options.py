"""Options for any model that is asked."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.errors import EffortError, InputError, NoCapacityError, OverloadedError, TierError
from app.providers.base import ChatModel, ChatReply, ChatRequest, WrappedModel
from app.providers.model_name import ModelName, parse_model_name
from app.providers.pricing import FLEX, STANDARD
from app.providers.specs import spec_of

TIMEOUT = 600.0
LONGEST = 86_400.0
# Answers of the slower tier take up to a quarter of an hour.
FLEX_TIMEOUT = 900.0
FLEX_OR_STANDARD = "flex-or-standard"
TIERS = (FLEX, FLEX_OR_STANDARD)
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models are asked. max_output_tokens: the most tokens an answer may take, reasoning included; None for the
    model's own limit. timeout: seconds for one request. effort: how long a reasoning model thinks; "" for the model's
    default. tier: "flex" asks in the vendor's cheaper, slower tier and waits if it has no room; "flex-or-standard" then
    asks at the standard price; "" always does.

    Raises InputError for impossible values.
    """

    max_output_tokens: int | None = None
    timeout: float = TIMEOUT
    effort: str = ""
    tier: str = ""

    def __post_init__(self) -> None:
        if self.max_output_tokens is not None and self.max_output_tokens < 1:
            raise InputError("An answer needs at least one output token.", "Leave the limit out for as much as needed.")
        if not (math.isfinite(self.timeout) and 0 < self.timeout <= LONGEST):
            raise InputError("A request needs more than 0 seconds and gets a day at most.", "Give seconds, as in 600.")
        if self.effort and self.effort not in EFFORTS:
            raise InputError("There is no such reasoning effort.", f"The efforts are {', '.join(EFFORTS)}.")
        if self.tier and self.tier not in TIERS:
            raise InputError("There is no such service tier.", f"The tiers are {' and '.join(TIERS)}.")

    @property
    def seconds(self) -> float:
        """The time limit of a request: longer in the slower tier, unless a person chose one."""
        return FLEX_TIMEOUT if self.tier and self.timeout == TIMEOUT else self.timeout

    @classmethod
    def of_run(cls, params: Mapping[str, Any]) -> "ModelOptions":
        """Return the options stored with a run; runs from before these options have none."""
        return cls(**{name: params[name] for name in _NAMES if name in params})

    def params(self) -> dict[str, Any]:
        """Return the chosen options, as stored with a run."""
        usual = asdict(USUAL)
        return {name: value for name, value in asdict(self).items() if value != usual[name]}


USUAL = ModelOptions()
_NAMES = tuple(asdict(USUAL))


def takes_options(model: str) -> bool:
    """Return whether the options apply to a model, unlike to rules and local networks. Raises UnknownModelError."""
    efforts = spec_of(parse_model_name(model).provider).models.efforts
    return not efforts or any(taken for _, taken in efforts)


def options_for(model: str, chosen: ModelOptions) -> ModelOptions:
    """Return the options chosen for all LLMs as they apply to this model. Raises UnknownModelError."""
    return chosen if takes_options(model) else USUAL


def check_effort(model: str, effort: str) -> None:
    """Raise EffortError if the model is known not to take this effort."""
    if effort:
        taken = efforts_of(parse_model_name(model))
        if taken is not None and effort not in taken:
            raise EffortError.of(model, effort, taken)


def check_tier(model: str, tier: str) -> None:
    """Raise TierError if the vendor is known not to sell this tier."""
    spec = spec_of(parse_model_name(model).provider)
    if tier and not spec.sells_flex:
        raise TierError(f"{spec.title} sells no tier “{FLEX}”, so {model} can't be asked in it.")


def efforts_of(name: ModelName) -> tuple[str, ...] | None:
    """Return the efforts a model takes, () for one that doesn't reason; None if only its provider knows."""
    for pattern, efforts in spec_of(name.provider).models.efforts:
        if pattern.match(name.model):
            return efforts
    return None


class TieredModel(WrappedModel):
    """A ChatModel that asks in a service tier. Its replies say in which tier they were billed."""

    def __init__(self, model: ChatModel, tier: str) -> None:
        """Wrap the model. tier: as in ModelOptions."""
        super().__init__(model)
        self._tier = tier

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer; with "flex-or-standard", if the tier has no room, ask once more in the other one. A refusal isn't
        billed."""
        try:
            return await self._ask(request, FLEX)
        except (NoCapacityError, OverloadedError):
            if self._tier != FLEX_OR_STANDARD:
                raise
        return await self._ask(request, STANDARD)

    async def _ask(self, request: ChatRequest, tier: str) -> ChatReply:
        reply = await self._model.complete(replace(request, tier=tier))
        return reply if reply.tier is not None else replace(reply, tier=tier)
