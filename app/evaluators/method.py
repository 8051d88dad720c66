"""A method: its name, options, stages and the evaluator it makes."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints

from app.domain.attribute import Sample
from app.domain.checklist import Checklist
from app.domain.checklist_score import Evaluation, Judgment
from app.domain.project import Dimension, Task, Text
from app.domain.run import StageRun
from app.errors import InputError, NoLogprobsError
from app.prompting import load_prompt
from app.providers.base import ChatModel, ChatRequest, digest_of
from app.providers.structured import Check, ask


class Evaluator(Protocol):
    """Scores one text after another on one dimension. Raises ProviderError for a text that can't be scored."""

    async def score(self, text: Text) -> Evaluation: ...


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Options of methods that have none."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option as a person sees it. `kind` is bool, int or str; `choices` maps each allowed value to its words, and
    is empty if any value of the kind is allowed (whole numbers from 1 on). `only`: by name, the other options' values
    at which this one has an effect; empty if it always has."""

    name: str
    label: str
    help: str
    kind: type
    default: Any
    choices: Mapping[Any, str] = field(default_factory=dict)
    only: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def applies(self, chosen: Mapping[str, Any]) -> bool:
        """Return whether it has an effect with these values of the method's options."""
        return all(chosen[name] in values for name, values in self.only.items())


def shown(
    label: str,
    help: str,  # noqa: A002
    choices: Mapping[Any, str] | None = None,
    only: Mapping[str, tuple[Any, ...]] | None = None,
    *,
    later: bool = False,
) -> dict[str, Any]:
    """Return metadata of an option's field: its label, a sentence or two on its effect, words for each choice, and the
    other options' values at which it has an effect. `later`: runs were stored before this choice existed."""
    return {"label": label, "help": help, "choices": choices or {}, "only": only or {}, "later": later}


def as_params(options: Any) -> dict[str, Any]:
    """Return name -> value, as stored with a run. A later option is left out at its default, so that equal runs are
    stored alike whatever their age."""
    left_out = {o.name for o in fields(options) if o.metadata.get("later") and getattr(options, o.name) == o.default}
    return {name: value for name, value in asdict(options).items() if name not in left_out}


def described(options: type) -> tuple[Option, ...]:
    """Return the options of a method, in the order in which they are offered."""
    hints = get_type_hints(options)
    return tuple(_described(found, hints[found.name]) for found in fields(options))


def _described(found: Any, hint: Any) -> Option:
    words = found.metadata.get("choices", {})
    allowed = get_args(hint) if get_origin(hint) is Literal else ()
    label = found.metadata.get("label", found.name.replace("_", " ").capitalize())
    kind = type(allowed[0]) if allowed else hint
    choices = {value: words.get(value, str(value)) for value in allowed}
    about, only = found.metadata.get("help", ""), found.metadata.get("only", {})
    return Option(found.name, label, about, kind, found.default, choices, only)


def read_options(method: str, options: type, given: Mapping[str, Any]) -> Any:
    """Return an instance of `options` from names and values, which may be strings. Raises InputError."""
    known = {option.name: option for option in described(options)}
    for name in given:
        if name not in known:
            has = f"It has: {', '.join(known)}." if known else "It has none."
            raise InputError(f"{method} has no option “{name}”.", has)
    return options(**{name: _value(method, known[name], value) for name, value in given.items()})


def unused_option(method: str, options: Any) -> str:
    """Return which option was changed without any effect beside the others, and what it needs; "" for none."""
    chosen = asdict(options)
    for option in described(type(options)):
        if chosen[option.name] != option.default and not option.applies(chosen):
            needed = " and ".join(f"{name}={' or '.join(map(_said, values))}" for name, values in option.only.items())
            return f"{method} uses {option.name} only with {needed}."
    return ""


def _said(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def _value(method: str, option: Option, value: Any) -> Any:
    read: Any = value
    if isinstance(value, str):
        if option.choices:
            read = next((allowed for allowed in option.choices if str(allowed) == value), value)
        elif option.kind is bool:
            read = _WORDS.get(value.lower(), value)
        elif option.kind is int:
            read = int(value) if value.isdecimal() else value
    # An int is no bool here, though Python takes one for the other.
    fits = read in option.choices if option.choices else type(read) is option.kind
    if not fits or (option.kind is int and not option.choices and read < 1):
        raise InputError(f"{method} can't take {option.name}={value}.", f"Give {_allowed(option)}.")
    return read


def _allowed(option: Option) -> str:
    if option.choices:
        return ", ".join(map(str, option.choices))
    return {bool: "yes, no", int: "a whole number of at least 1"}.get(option.kind, "some text")


Made = TypeVar("Made")


class Stages(Protocol):
    """The store of the answers of a method's stages."""

    async def find(self, dimension: int, stage: str, inputs_digest: str) -> str | None:
        """Return the newest output of this exact request, edited ones included."""
        ...

    async def keep(self, dimension: int, stage: StageRun) -> None: ...


class NullStages:
    """A store that keeps nothing."""

    async def find(self, dimension: int, stage: str, inputs_digest: str) -> str | None:
        return None

    async def keep(self, dimension: int, stage: StageRun) -> None:
        """Do nothing."""


class SharedCalls(Generic[Made]):
    """Work that the first caller starts and all callers share; so they do its failure."""

    def __init__(self, work: Callable[[], Awaitable[Made]]) -> None:
        self._work = work
        self._under_way: asyncio.Future[Made] | None = None

    async def get(self) -> Made:
        if self._under_way is None:
            self._under_way = asyncio.ensure_future(self._work())
        return await asyncio.shield(self._under_way)


async def ask_once(
    stages: Stages, model: ChatModel, dimension: Dimension, stage: str, request: ChatRequest, check: Check | None = None
) -> dict[str, Any]:
    """Return the stored answer to this request, else the model's, which is then stored. Raises what `ask` raises."""
    digest = digest_of(request, model)
    found = await stages.find(dimension.id, stage, digest)
    if found is not None:
        value: dict[str, Any] = json.loads(found)
        return value
    answered = await ask(model, request, check=check)
    usage = answered.reply.usage
    await stages.keep(
        dimension.id,
        StageRun(
            stage=stage,
            model=model.name,
            prompt=request.prompt.label,
            prompt_digest=request.prompt.digest,
            inputs_digest=digest,
            inputs=request.prompt.variables,
            output=json.dumps(answered.value, ensure_ascii=False),
            input_tokens=usage.input_tokens,
            cached_tokens=usage.cached_tokens,
            output_tokens=usage.output_tokens,
        ),
    )
    return answered.value


class JudgeLogprobs:
    """Whether a run's judge gives log-probabilities, for all its dimensions. `given` is None until the judge was asked;
    a refusal holds for the rest of the run, so that its texts are scored alike. `untold` counts texts whose
    log-probabilities didn't give each score's probability."""

    def __init__(self, given: bool | None = None) -> None:
        self.given = given
        self.untold = 0
        self._first = asyncio.Lock()

    async def ask(self, with_them: Callable[[], Awaitable[Made]], without: Callable[[], Awaitable[Made]]) -> Made:
        """Ask with log-probabilities, or without if the judge refuses them. The first request goes alone: if it is
        refused, or answered without any, the others aren't sent in vain."""
        if self.given is None:
            async with self._first:
                if self.given is None:
                    try:
                        made = await with_them()
                    except NoLogprobsError:
                        self.given = False
                    else:
                        self.given = True
                        return made
        if self.given:
            try:
                return await with_them()
            except NoLogprobsError:
                self.given = False
        return await without()


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """How many requests a method makes, without re-asks: once for a dimension, for each text, and for each reference of
    a text."""

    per_text: int = 1
    per_dimension: int = 0
    per_reference: int = 0

    def of(self, texts: Collection[Text]) -> int:
        """Return the number of requests for these texts on one dimension."""
        references = sum(len(text.references) for text in texts)
        return self.per_dimension + len(texts) * self.per_text + references * self.per_reference


@dataclass(frozen=True, slots=True)
class EvaluatorContext:
    """Everything a method may use to score one dimension.

    options: of the method's own type. others: the project's other dimensions. seed: of random draws.
    logprobs: whether the judge's provider gives log-probabilities; judge_logprobs: whether this judge does, as the run
    learns it. samples: the dimension's, which are never scored.
    earlier: answers to questions of the checklist that count for this run too, by text.
    """

    model: ChatModel
    task: Task
    dimension: Dimension
    options: Any = field(default_factory=NoOptions)
    checklist: Checklist | None = None
    others: tuple[Dimension, ...] = ()
    stages: Stages = field(default_factory=NullStages)
    seed: int = 0
    logprobs: bool = False
    judge_logprobs: JudgeLogprobs = field(default_factory=JudgeLogprobs)
    samples: tuple[Sample, ...] = ()
    earlier: Mapping[int, Sequence[Judgment]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Method:
    """One entry of the registry.

    options: a frozen dataclass whose defaults are the paper's and whose fields say what they choose (options.shown).
    judged: whether a model is asked; by_rules: whether the built-in rules can be that model.
    rates_given: whether that model must say how likely given texts are, which chat models can't.
    of_dimension: whether a text's score depends on the dimension.
    on_scale: whether scores lie on the dimension's scale, so that they can be compared with ratings as they are.
    references: whether it needs texts that have references, by the options.
    checklist: whether it needs a published checklist, by the options.
    prompt: the prompt that scores a text, by the options; "" where none is asked.
    prompt_variant: what else changes its words, by the options; "" for the usual.
    calls: by the options and whether the judge gives log-probabilities.
    check: raises InputError or UnsupportedError where something has to be installed first.
    ready: the same for what its options name: a model that isn't there.
    signature: the exact variant of the metric by the options, kept with the run.
    """

    name: str
    title: str
    make: Callable[[EvaluatorContext], Evaluator]
    options: type = NoOptions
    judged: bool = True
    by_rules: bool = False
    rates_given: bool = False
    of_dimension: bool = True
    on_scale: bool = True
    references: Callable[[Any], bool] = lambda _: False
    checklist: Callable[[Any], bool] = lambda _: False
    prompt: Callable[[Any], str] = lambda _: ""
    prompt_variant: Callable[[Any], str] = lambda _: ""
    calls: Callable[[Any, bool], RequestCounts] = lambda *_: RequestCounts()
    check: Callable[[], None] = lambda: None
    ready: Callable[[Any], None] = lambda _: None
    signature: Callable[[Any], str] = lambda _: ""

    def read_options(self, given: Mapping[str, Any]) -> Any:
        """Return the method's options from names and values, which may be strings. Raises InputError."""
        return read_options(self.name, self.options, given)

    def prompt_digest(self, options: Any) -> str:
        """Return a digest of the prompt that scores a text, and of what else changes its words; "" without a prompt."""
        name, variant = self.prompt(options), self.prompt_variant(options)
        digest = load_prompt(name).digest if name else ""
        return hashlib.sha256(f"{digest} {variant}".encode()).hexdigest() if variant else digest


async def gather_all(work: Iterable[Awaitable[Made]]) -> list[Made]:
    """Return all results, in order. Raises the first failure once all have ended; asyncio.gather would raise it at
    once, and nobody would take the replies of the others."""
    ended = await asyncio.gather(*work, return_exceptions=True)
    results: list[Made] = []
    for result in ended:
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results
