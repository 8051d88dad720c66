"""Options that a person may choose for any model that is asked."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.errors import EffortError, InputError, NoRoomError, OverloadedError, TierError
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
    """max_output_tokens: the most tokens an answer may take, reasoning included; None for as many as the model gives.
    timeout: seconds for one request. effort: how long a reasoning model thinks; "" leaves that to the model.
    tier: "flex" asks in the vendor's slower tier of that name, which costs less, and waits where it has no room;
    "flex-or-standard" asks at the standard price then; "" always does.

    Raises InputError for what no model could mean.
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
        """What one request may take: more than usual in the slower tier, unless something else was chosen."""
        return FLEX_TIMEOUT if self.tier and self.timeout == TIMEOUT else self.timeout

    @classmethod
    def of_run(cls, params: Mapping[str, Any]) -> "ModelOptions":
        """What is stored with a run; runs from before these options have none of them."""
        return cls(**{name: params[name] for name in _NAMES if name in params})

    def params(self) -> dict[str, Any]:
        """As stored with a run: what was chosen."""
        usual = asdict(USUAL)
        return {name: value for name, value in asdict(self).items() if value != usual[name]}


USUAL = ModelOptions()
_NAMES = tuple(asdict(USUAL))


def takes_options(model: str) -> bool:
    """Rules and networks of this computer are always asked alike. Raises UnknownModelError."""
    efforts = spec_of(parse_model_name(model).provider).models.efforts
    return not efforts or any(taken for _, taken in efforts)


def options_for(model: str, chosen: ModelOptions) -> ModelOptions:
    """What is chosen for all LLMs, as this model takes it. Raises UnknownModelError."""
    return chosen if takes_options(model) else USUAL


def check_effort(model: str, effort: str) -> None:
    """Raises EffortError where it is known beforehand that the model doesn't take it."""
    if effort:
        taken = efforts_of(parse_model_name(model))
        if taken is not None and effort not in taken:
            raise EffortError.of(model, effort, taken)


def check_tier(model: str, tier: str) -> None:
    """Raises TierError where it is known beforehand that the vendor sells no such tier."""
    spec = spec_of(parse_model_name(model).provider)
    if tier and not spec.sells_flex:
        raise TierError(f"{spec.title} sells no tier “{FLEX}”, so {model} can't be asked in it.")


def efforts_of(name: ModelName) -> tuple[str, ...] | None:
    """The efforts a model takes, none of them for one that doesn't reason; None where only its provider knows."""
    for pattern, efforts in spec_of(name.provider).models.efforts:
        if pattern.match(name.model):
            return efforts
    return None


class TieredModel(WrappedModel):
    """A model that is asked in a tier; a ChatModel itself. Its replies say which one they were billed in."""

    def __init__(self, model: ChatModel, tier: str) -> None:
        """tier: as in ModelOptions."""
        super().__init__(model)
        self._tier = tier

    async def complete(self, request: ChatRequest) -> ChatReply:
        """A request that finds no room isn't billed, so that asking it once more in the other tier costs nothing."""
        try:
            return await self._ask(request, FLEX)
        except (NoRoomError, OverloadedError):
            if self._tier != FLEX_OR_STANDARD:
                raise
        return await self._ask(request, STANDARD)

    async def _ask(self, request: ChatRequest, tier: str) -> ChatReply:
        reply = await self._model.complete(replace(request, tier=tier))
        return reply if reply.tier is not None else replace(reply, tier=tier)
