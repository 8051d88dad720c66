"""GPTScore: how likely a language model finds the text after instructions that define quality (Fu et al. 2023, section
3).

Score = mean log-probability of the text's tokens (equal weights). Settings: VAL, IST with the dimension's definition,
IDM with demonstrations as well. For dialogue the probability of a "Yes" to a question. The paper doesn't say which
demonstrations: here they are of the dimension's samples, which are never scored, those with the best ratings, the best
last, since every demonstration shows what to do; or as many from each part of the scale. With several references the
mean over them is taken.
"""

import math
from dataclasses import dataclass, field
from operator import itemgetter
from statistics import fmean
from typing import Any, Literal

from app.domain.checklist_score import Evaluation
from app.domain.project import Text
from app.errors import InputError, NotReadyError, UnsupportedError
from app.evaluators.method import EvaluatorContext, Method, RequestCounts, gather_all, shown
from app.evaluators.neural.local_model import SHOWN, Direction, TextReading, needs_references, per_reference, readings
from app.prompting import load_prompt, task_variables
from app.providers.base import ChatRequest, TokenLogprob

TEXT = "gptscore"
BOOLEAN = "gptscore-boolean"
OF_TASKS = "gptscore-task"
QUESTION = "gptscore-question"
YES = "Yes"
FEWEST = 4  # samples there usually are: where fewer are rated, those are shown


@dataclass(frozen=True, slots=True)
class GptScoreOptions:
    """Options of GPTScore. setting: vanilla, with instruction, or with instruction and demonstrations. combined: names
    of other dimensions whose definitions are added to this one's, separated by commas (the paper's partial order of
    aspects)."""

    setting: Literal["val", "ist", "idm"] = field(
        default="ist",
        metadata=shown(
            "What stands before",
            "What the model reads before the text whose probability is taken.",
            {
                "val": "the source alone",
                "ist": "an instruction with the dimension's definition",
                "idm": "the instruction, and demonstrations",
            },
        ),
    )
    direction: Direction = field(default="src-hypo", metadata=SHOWN | {"only": {"form": ("text",)}})
    demonstrations: int = field(
        default=4,
        metadata=shown(
            "Demonstrations",
            "How many of the dimension's samples are shown. The paper shows up to four; more need as many samples, "
            "which are left out of scoring.",
            only={"setting": ("idm",)},
        ),
    )
    demonstrated: Literal["best", "balanced"] = field(
        default="best",
        metadata=shown(
            "Which are shown",
            "Those that people rated best, or samples from low to high.",
            {"best": "the best rated", "balanced": "spread evenly over the ratings"},
            only={"setting": ("idm",)},
            later=True,
        ),
    )
    form: Literal["text", "boolean"] = field(
        default="text",
        metadata=shown(
            "Form",
            "For dialogue the paper asks a question and takes the probability of “Yes”.",
            {"text": "probability of the text", "boolean": "probability of a Yes"},
        ),
    )
    template: Literal["project", "summary", "data-to-text", "translation", "dialogue"] = field(
        default="project",
        metadata=shown(
            "Template",
            "How the task is put: with the project's words for texts and sources, or in the form usual for a task.",
            {
                "project": "the project's words",
                "summary": "summary, after “Tl;dr”",
                "data-to-text": "a sentence from data",
                "translation": "translation",
                "dialogue": "dialogue: the dimension's own yes/no question",
            },
            later=True,
        ),
    )
    combined: str = field(
        default="",
        metadata=shown(
            "Add the definitions of",
            "Names of other dimensions of the project that go along with this one, separated by commas.",
            only={"setting": ("ist", "idm")},
        ),
    )


class GptScore:
    """Scores by GPTScore. Raises InputError for options that don't fit each other or the project, NotReadyError without
    samples."""

    def __init__(self, setting: EvaluatorContext) -> None:
        self._setting = setting
        self._options: GptScoreOptions = setting.options
        if self._options.template != "project" and (self._options.form == "boolean") != (
            self._options.template == "dialogue"
        ):
            raise InputError(
                f"The template {self._options.template} doesn't go with form={self._options.form}.",
                "Dialogue is asked with form=boolean, every other task with form=text.",
            )
        if self._options.template not in ("project", "dialogue") and self._options.direction != "src-hypo":
            raise InputError("The templates of tasks begin with the source.", "Choose direction=src-hypo.")
        self._definitions = _definitions(setting)
        self._samples = _best(setting) if self._options.setting == "idm" else ()

    async def score(self, text: Text) -> Evaluation:
        if self._options.form == "boolean":
            prompt = load_prompt(_prompt(self._options)).render(
                task=task_variables(self._setting.task),
                definitions=self._definitions if self._options.template == "project" else self._asked(),
                item={"source": text.source, "text": text.text},
            )
            tokens = await self._rate(ChatRequest(prompt, given=YES))
            p_yes = math.exp(sum(token.logprob for token in tokens))
            return Evaluation(p_yes, details={"p_yes": p_yes})
        rated = readings(self._options.direction, text)
        replies = await gather_all(self._rate(self._continuation(reading)) for reading in rated)
        means = [fmean(token.logprob for token in tokens) for tokens in replies]
        parts = [
            {"way": reading.way, "tokens": len(tokens), "logprob": mean}
            for reading, tokens, mean in zip(rated, replies, means, strict=True)
        ]
        return Evaluation(fmean(means), details={"rated": parts})

    def _asked(self) -> list[dict[str, str]]:
        """Return the definitions; one that is a question already is under `question`."""
        ended = ("?", "？")  # the second of Chinese and Japanese
        return [
            d | {"question": d["rubric"] if d["rubric"].rstrip().endswith(ended) else ""} for d in self._definitions
        ]

    async def _rate(self, request: ChatRequest) -> tuple[TokenLogprob, ...]:
        """Return the tokens of the given text. Raises UnsupportedError if it has none."""
        tokens = (await self._setting.model.complete(request)).logprobs
        if not tokens:
            raise UnsupportedError("The text is empty, so it has no probability.", "Leave empty texts out.")
        return tokens

    def _continuation(self, reading: TextReading) -> ChatRequest:
        known = [readings(reading.way, sample) for sample in self._samples]
        shown_first: dict[str, Any] = {
            "definitions": self._definitions if self._options.setting != "val" else [],
            "demonstrations": [{"before": first.before, "given": first.given} for first, *_ in known],
            "before": reading.before,
        }
        task = task_variables(self._setting.task)
        if self._options.template == "project":
            prompt = load_prompt(TEXT).render(task=task, from_source=reading.way == "src-hypo", **shown_first)
        else:
            prompt = load_prompt(OF_TASKS).render(task=task, kind=self._options.template, **shown_first)
        return ChatRequest(prompt, given=reading.given)


def _definitions(setting: EvaluatorContext) -> list[dict[str, str]]:
    """Return the definitions of the dimension and of those it is combined with, in the order given."""
    others = {other.name.casefold(): other for other in setting.others}
    wanted = [name.strip() for name in setting.options.combined.split(",") if name.strip()]
    unknown = [name for name in wanted if name.casefold() not in others]
    if unknown:
        has = ", ".join(other.name for other in setting.others) or "none"
        raise InputError(f"The project has no other dimension “{unknown[0]}” to combine with.", f"It has: {has}.")
    chosen = [setting.dimension, *(others[name.casefold()] for name in wanted)]
    return [{"name": dimension.name, "rubric": dimension.rubric} for dimension in chosen]


def _best(setting: EvaluatorContext) -> tuple[Text, ...]:
    """Return the demonstrations, the best one last."""
    options: GptScoreOptions = setting.options
    if options.form == "boolean":
        raise InputError("The question with a Yes takes no demonstrations.", "Choose setting=ist.")
    fitting = [
        (s.score, s.text)
        for s in setting.samples
        if s.score is not None and bool(s.text.references if needs_references(options.direction) else s.text.source)
    ]
    if not fitting:
        raise NotReadyError(
            f"{setting.dimension.name} has no rated samples that could be demonstrations.",
            "Import ratings and open Think aloud once to have samples chosen, or choose setting=ist.",
        )
    wanted = options.demonstrations
    if wanted > max(len(fitting), FEWEST):
        raise NotReadyError(
            f"{setting.dimension.name} has {len(fitting)} rated samples that could be demonstrations, not {wanted}.",
            "Choose as many samples under Samples on Texts, or fewer demonstrations.",
        )
    ordered = sorted(fitting, key=itemgetter(0))
    if options.demonstrated == "best" or wanted >= len(ordered):
        return tuple(text for _, text in ordered[-wanted:])
    places = [round(k * (len(ordered) - 1) / max(wanted - 1, 1)) for k in range(wanted)]
    return tuple(ordered[place][1] for place in (places if wanted > 1 else [len(ordered) // 2]))


def _prompt(options: GptScoreOptions) -> str:
    if options.form == "boolean":
        return BOOLEAN if options.template == "project" else QUESTION
    return TEXT if options.template == "project" else OF_TASKS


def _calls(options: GptScoreOptions, _: bool) -> RequestCounts:
    if options.form == "boolean" or options.direction == "src-hypo":
        return RequestCounts(1)
    return RequestCounts(0, per_reference=per_reference(options.direction))


METHOD = Method(
    "gptscore",
    "GPTScore: how likely a language model finds the text",
    GptScore,
    options=GptScoreOptions,
    prompt=_prompt,
    calls=_calls,
    references=lambda options: options.form == "text" and needs_references(options.direction),
    rates_given=True,
    on_scale=False,
)
