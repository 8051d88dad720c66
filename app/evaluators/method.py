"""Description of a way of scoring, known before it scores: its options, what it needs, what it asks."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.domain.checklist import Checklist
from app.domain.judgment import Judgment
from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.domain.think_aloud import Sample
from app.evaluators.evaluator import Evaluator
from app.evaluators.judge_logprobs import JudgeLogprobs
from app.evaluators.options import NoOptions, read_options
from app.evaluators.stages import NullStages, Stages
from app.prompting import load_prompt
from app.providers.base import ChatModel


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """How many requests a method makes, re-asks aside: once for a dimension, for each of its texts, and for each
    reference of a text."""

    per_text: int = 1
    per_dimension: int = 0
    per_reference: int = 0

    def of(self, texts: Collection[Text]) -> int:
        """For these texts on one dimension."""
        references = sum(len(text.references) for text in texts)
        return self.per_dimension + len(texts) * self.per_text + references * self.per_reference


@dataclass(frozen=True, slots=True)
class EvaluatorContext:
    """Everything a method may use to score one dimension.

    options: of the method's own type. others: the project's other dimensions. seed: for what is drawn at random.
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
    told: what else changes its words, by the options; "" for the usual.
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
    told: Callable[[Any], str] = lambda _: ""
    calls: Callable[[Any, bool], RequestCounts] = lambda *_: RequestCounts()
    check: Callable[[], None] = lambda: None
    ready: Callable[[Any], None] = lambda _: None
    signature: Callable[[Any], str] = lambda _: ""

    def read_options(self, given: Mapping[str, Any]) -> Any:
        """The method's options from names and values, which may be written out. Raises InputError."""
        return read_options(self.name, self.options, given)

    def prompt_digest(self, options: Any) -> str:
        """Changes with the prompt that scores a text, and with what else changes its words; "" where none is asked."""
        name, told = self.prompt(options), self.told(options)
        digest = load_prompt(name).digest if name else ""
        return hashlib.sha256(f"{digest} {told}".encode()).hexdigest() if told else digest
