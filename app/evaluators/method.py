"""What the workbench knows about a way of scoring before it scores: its options, what it needs, what it asks."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from app.domain.checklist import Checklist
from app.domain.task import Dimension, Task
from app.errors import InputError
from app.evaluators.evaluator import Evaluator
from app.evaluators.stages import Forgetful, Stages
from app.providers.base import ChatModel


@dataclass(frozen=True, slots=True)
class NoOptions:
    """For methods that can be run in one way only."""


@dataclass(frozen=True, slots=True)
class Calls:
    """How many requests a method makes, re-asks aside: once for a dimension, and for each of its texts."""

    per_text: int = 1
    per_dimension: int = 0


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything a method may use to score one dimension.

    options: of the method's own type. others: the project's other dimensions. seed: for what is drawn at random.
    logprobs: whether the judge's provider gives log-probabilities.
    """

    model: ChatModel
    task: Task
    dimension: Dimension
    options: Any = field(default_factory=NoOptions)
    checklist: Checklist | None = None
    others: tuple[Dimension, ...] = ()
    stages: Stages = field(default_factory=Forgetful)
    seed: int = 0
    logprobs: bool = False


@dataclass(frozen=True, slots=True)
class Method:
    """One entry of the registry.

    options: a frozen dataclass whose defaults are the paper's.
    judged: whether a model is asked; by_rules: whether the built-in rules can be that model.
    references: whether it needs texts that have references.
    checklist: whether it needs a published checklist, by the options.
    prompt: the prompt that scores a text, by the options; "" where none is asked.
    calls: by the options and whether the judge gives log-probabilities.
    check: raises InputError or UnsupportedError where something has to be installed first.
    signature: the exact variant of the metric, kept with the run.
    """

    name: str
    title: str
    make: Callable[[Setting], Evaluator]
    options: type = NoOptions
    judged: bool = True
    by_rules: bool = False
    references: bool = False
    checklist: Callable[[Any], bool] = lambda _: False
    prompt: Callable[[Any], str] = lambda _: ""
    calls: Callable[[Any, bool], Calls] = lambda *_: Calls()
    check: Callable[[], None] = lambda: None
    signature: Callable[[], str] = lambda: ""

    def read_options(self, given: Mapping[str, Any]) -> Any:
        """The method's options from names and values, which may be written out. Raises InputError."""
        hints = get_type_hints(self.options)
        known = [option.name for option in fields(self.options)]
        for name in given:
            if name not in known:
                has = f"It has: {', '.join(known)}." if known else "It has none."
                raise InputError(f"{self.name} has no option “{name}”.", has)
        return self.options(**{name: _value(self.name, name, hints[name], value) for name, value in given.items()})

    def stored_options(self, options: Any) -> dict[str, Any]:
        return asdict(options)


_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def _value(method: str, name: str, hint: Any, value: Any) -> Any:
    allowed = get_args(hint) if get_origin(hint) is Literal else (True, False) if hint is bool else ()
    read: Any = value
    if isinstance(value, str):
        if allowed:
            read = next((a for a in allowed if str(a) == value), value)
        if hint is bool:
            read = _WORDS.get(value.lower(), value)
        if hint is int:
            read = int(value) if value.isdecimal() else value
    fits = read in allowed if allowed else isinstance(read, hint)
    if not fits or (hint is int and read < 1):
        words = ["yes", "no"] if hint is bool else [str(a) for a in allowed] or ["a whole number of at least 1"]
        raise InputError(f"{method} can't take {name}={value}.", f"Give {', '.join(words)}.")
    return read
