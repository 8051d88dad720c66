"""A judge answers a checklist, once or more; the score is the weighted share of yes (InteractEval, section 3.4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any

from app.domain.abstentions import NOT_APPLICABLE
from app.domain.checklist import Checklist, Question
from app.domain.checklist_score import (
    CANNOT_TELL,
    Evaluation,
    Judgment,
    checklist_score,
    inconsistent_grades,
    soft_score,
)
from app.domain.project import Dimension, Task, Text
from app.errors import NotReadyError
from app.evaluators.answer_reading import ANSWERS, answer_word, question_keys, read_answers, with_quote, with_word
from app.evaluators.method import EvaluatorContext, JudgeLogprobs, Method, gather_all, shown
from app.prompting import PromptTemplate, dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatReply, ChatRequest, asked_for
from app.providers.structured import ask, fits

PROMPT = "judge-checklist"
PROMPT_WITH_REASONS = "judge-checklist-reasons"
OPEN = {PROMPT: "judge-checklist-open", PROMPT_WITH_REASONS: "judge-checklist-open-reasons"}
"""Prompts that allow further answers, in place of the usual ones: if a question may not apply or the judge may say that
it can't tell. Otherwise the usual prompts are used, unchanged."""
PROMPT_WITH_EVIDENCE = "judge-checklist-evidence"
"""The prompt that asks for quotes, with or without reasons, and allows the further answers that are offered."""
PROMPT_WITH_EXAMPLES = "judge-checklist-examples"
"""The prompt that shows examples, with or without reasons, quotes and further answers. It is used if a question of the
request has examples; otherwise the prompts above are used, unchanged."""
ALTERNATIVES = 5  # enough to hold both words in a few spellings


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How a judge is asked. The defaults are the paper's: one call per text, answers only.

    reasons: a short reason with each answer (a model that is no LLM gives its reasons anyway).
    repeats: how often it is asked; several times at temperature 1, because at 0 a repeat would only be an echo.
    soft: P(yes) from log-probabilities beside each answer.
    per_question: one call per question instead of one for all.
    reversed_order: the last question first, in the one call; shows whether answers depend on a question's position.
    cannot_tell: "cannot tell" is offered as an answer. It is also accepted without being offered.
    evidence: with each answer the passage that decides it, if there is one. An answer without it counts as any other.
    """

    reasons: bool = field(
        default=False, metadata=shown("Reasons with the answers", "A short one with each. More tokens, so dearer.")
    )
    repeats: int = field(
        default=1,
        metadata=shown(
            "Ask how often",
            "Asked several times, a judge shows how consistent it is; a text's score is the mean. More than once, it "
            "is asked at temperature 1, for at 0 it would mostly repeat itself. Each repeat costs as much.",
        ),
    )
    soft: bool = field(
        default=False,
        metadata=shown(
            "How sure the judge is",
            "Beside each yes or no its probability of yes, from the log-probabilities of its words. Results can then "
            "also be computed from these. Most servers of one's own give them, and some vendors: “models test” tells.",
        ),
    )
    per_question: bool = field(
        default=False,
        metadata=shown("One call for each question", "No answer can lean on another, at many times the cost."),
    )
    reversed_order: bool = field(
        default=False,
        metadata=shown(
            "Last question first",
            "The questions of the one call in reversed order. Scores are no better for it; beside those of the usual "
            "order they show whether an answer depends on where its question stands.",
            only={"per_question": (False,)},
            later=True,
        ),
    )

    cannot_tell: bool = field(
        default=False,
        metadata=shown(
            "May say that it can't tell",
            "Where what it was given doesn't decide a question, the judge may say so instead of guessing. The question "
            "then counts as unanswered, with that reason, and isn't asked again.",
            later=True,
        ),
    )

    evidence: bool = field(
        default=False,
        metadata=shown(
            "Evidence with the answers",
            "With each answer the shortest passage of the text, or of its source, that decides it. It is looked up and "
            "highlighted where it stands; one that isn't there is marked and counted. More tokens, so dearer.",
            later=True,
        ),
    )

    def prompt(self, is_llm: bool = True, may_not_apply: bool = False, examples: bool = False) -> str:
        """Return the prompt's name. may_not_apply, examples: whether a question of the call may not apply, or has
        examples."""
        if examples and is_llm:
            return PROMPT_WITH_EXAMPLES
        if self.evidence:
            return PROMPT_WITH_EVIDENCE
        usual = PROMPT_WITH_REASONS if self.reasons and is_llm else PROMPT
        return OPEN[usual] if may_not_apply or (self.cannot_tell and is_llm) else usual

    def template(self, questions: Sequence[Question], is_llm: bool = True) -> PromptTemplate:
        """Return the prompt of one call that asks these questions."""
        may_not_apply = any(question.may_not_apply for question in questions)
        return load_prompt(self.prompt(is_llm, may_not_apply, any(question.examples for question in questions)))

    def calls(self, left: Sequence[Question]) -> list[tuple[Question, ...]]:
        """Return the questions of each call, in the order in which they are asked; () if none are left."""
        if self.per_question:
            return [(question,) for question in left]
        return [tuple(reversed(left) if self.reversed_order else left)] if left else []


PLAIN = JudgeOptions()


@dataclass(frozen=True, slots=True)
class ChecklistReply:
    """One judgment per question, in the order asked. `reply` carries the usage of all attempts."""

    judgments: tuple[Judgment, ...]
    reply: ChatReply


def judge_schema(
    count: int,
    reasons: bool = False,
    may_not_apply: Sequence[bool] = (),
    cannot_tell: bool = False,
    evidence: bool = False,
) -> dict[str, Any]:
    """Return the schema of an answer: one required property per question, "yes" or "no", so that no answer isn't read
    as No.

    may_not_apply: by question, whether "does not apply" is an answer too. cannot_tell: whether "cannot tell" is an
    answer to any. With evidence each property is an object of "quote" ("" if no passage decides it) and then "answer",
    with reasons of "reason" and then "answer", with both of all three.
    """
    before = [name for name, wanted in (("quote", evidence), ("reason", reasons)) if wanted]

    def answer(open_: bool) -> dict[str, Any]:
        words = [*ANSWERS, *([NOT_APPLICABLE] if open_ else []), *([CANNOT_TELL] if cannot_tell else [])]
        found: dict[str, Any] = {"type": "string", "enum": words}
        return _object({**{name: {"type": "string"} for name in before}, "answer": found}) if before else found

    allowed = may_not_apply or [False] * count
    return _object({key: answer(one) for key, one in zip(question_keys(count), allowed, strict=True)})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def judge_request(
    template: PromptTemplate,
    task: Task,
    dimension: Dimension,
    questions: Sequence[Question],
    item: Text,
    options: JudgeOptions = PLAIN,
    repeat: int = 0,
) -> ChatRequest:
    """Return the request that answers `questions` about `item`. Raises NotReadyError without questions."""
    if not questions:
        raise NotReadyError(f"The checklist of {dimension.name} asks nothing.", "Enable or add at least one question.")
    with_evidence, with_examples = template.name == PROMPT_WITH_EVIDENCE, template.name == PROMPT_WITH_EXAMPLES
    is_open = with_evidence or with_examples or template.name in OPEN.values()
    prompt = template.render(
        task=task_variables(task),
        dimension=dimension_variables(dimension),
        questions=[
            {"key": key, "question": q.text, "guidance": q.guidance}
            | ({"may_not_apply": q.may_not_apply} if is_open else {})
            | ({"examples": [asdict(example) for example in q.examples]} if with_examples else {})
            for key, q in zip(question_keys(len(questions)), questions, strict=True)
        ],
        item={"source": item.source, "text": item.text},
        **({"cannot_tell": options.cannot_tell} if is_open else {}),
        **({"reasons": options.reasons} if with_evidence or with_examples else {}),
        **({"evidence": options.evidence} if with_examples else {}),
    )
    return ChatRequest(
        prompt,
        _answer_schema(template, questions, options, options.cannot_tell and is_open),
        temperature=0.0 if options.repeats == 1 else 1.0,
        sample=repeat,
        top_logprobs=ALTERNATIVES if options.soft else 0,
    )


def _answer_schema(
    template: PromptTemplate, questions: Sequence[Question], options: JudgeOptions, cannot_tell: bool
) -> dict[str, Any]:
    evidence = _asks_quotes(template, options)
    always = template.name in (PROMPT_WITH_REASONS, OPEN[PROMPT_WITH_REASONS])
    reasons = options.reasons if evidence or template.name == PROMPT_WITH_EXAMPLES else always
    return judge_schema(len(questions), reasons, [q.may_not_apply for q in questions], cannot_tell, evidence)


def _asks_quotes(template: PromptTemplate, options: JudgeOptions) -> bool:
    return template.name == PROMPT_WITH_EVIDENCE or (template.name == PROMPT_WITH_EXAMPLES and options.evidence)


async def judge(
    model: ChatModel,
    task: Task,
    dimension: Dimension,
    questions: Sequence[Question],
    item: Text,
    *,
    template: PromptTemplate | None = None,
    options: JudgeOptions = PLAIN,
    repeat: int = 0,
) -> ChecklistReply:
    """Ask `model` all questions about one text, in one call.

    An answer that leaves questions open is requested again; if the last attempt still leaves some open, its other
    answers count. "Cannot tell" leaves nothing open, offered or not; nor does an answer without the requested quote,
    which counts as one with an empty quote. Raises WrongSchemaError if there is no answer, or one to a question that
    wasn't asked, NotReadyError without questions, and any other ProviderError of the model.
    """
    used = template or options.template(questions, model.is_llm)
    request = judge_request(used, task, dimension, questions, item, options, repeat)
    keys = question_keys(len(questions))

    def spelled(value: dict[str, Any]) -> dict[str, Any]:
        """Return the answer with the schema's words in place of synonyms."""
        words = {key: answer_word(value.get(key), question)[0] for key, question in zip(keys, questions, strict=True)}
        usual = {key: with_word(cell, words.get(key, "")) for key, cell in value.items()}
        evidence = _asks_quotes(used, options)
        return {key: with_quote(cell) for key, cell in usual.items()} if evidence else usual

    def usable_part(value: dict[str, Any]) -> dict[str, Any] | None:
        if not value.keys() <= set(keys):  # who counts from 0 means another question by q1: none of it can be trusted
            return None
        asked = zip(keys, questions, strict=True)
        return {key: value[key] for key, question in asked if answer_word(value.get(key), question)[0]} or None

    def fits_once_spelled(value: dict[str, Any]) -> bool:
        return fits(spelled(value), _answer_schema(used, questions, options, cannot_tell=True))

    answered = await ask(model, request, last_resort=usable_part, accept=fits_once_spelled)
    judgments = read_answers(answered.value, answered.reply, questions, repeat)
    return ChecklistReply(judgments, answered.reply)


WEIGHTED = "weighted"  # the name of the weighted score among a score's details
INCONSISTENT = "inconsistent_grades"
"""Name of the number of contradicting pairs of thresholds of a grade; present for checklists with grades."""


@dataclass(frozen=True, slots=True)
class ChecklistEvaluator:
    """Scores texts by the enabled questions of one checklist.

    Asked several times, a text's score is the mean over the repeats that have one: the paper asks once, so this choice
    is ours. Weights play no part in the score; if they differ, the details hold the weighted score.

    earlier: answers that count already, by text; only the other questions are asked.

    If the judge gives no log-probabilities, its answers count as usual, without a probability of yes: the share of yes
    among several samples would measure something else (how often the judge wavers), which `repeats` does.
    """

    model: ChatModel
    task: Task
    dimension: Dimension
    checklist: Checklist
    options: JudgeOptions = PLAIN
    earlier: Mapping[int, Sequence[Judgment]] = field(default_factory=dict)
    logprobs: JudgeLogprobs = field(default_factory=JudgeLogprobs)

    async def score(self, text: Text) -> Evaluation:
        asked_for(text.id)
        repeats = await gather_all(self._answers(text, n) for n in range(self.options.repeats))
        return evaluation_of(self.checklist, self.dimension, repeats)

    async def _answers(self, text: Text, repeat: int) -> tuple[Judgment, ...]:
        """Return answers in the order of the questions; those answered earlier aren't asked."""
        known = {j.question: j for j in self.earlier.get(text.id, ()) if j.repeat == repeat}
        left = tuple(question for question in self.checklist.asked if question.id not in known)
        new = await gather_all(self._ask(group, text, repeat) for group in self.options.calls(left))
        known |= {judgment.question: judgment for judgments in new for judgment in judgments}
        return tuple(known[question.id] for question in self.checklist.asked)

    async def _ask(self, questions: Sequence[Question], text: Text, repeat: int) -> tuple[Judgment, ...]:
        async def asked(options: JudgeOptions) -> tuple[Judgment, ...]:
            judged = await judge(self.model, self.task, self.dimension, questions, text, options=options, repeat=repeat)
            return judged.judgments

        if not self.options.soft:
            return await asked(self.options)
        return await self.logprobs.ask(lambda: asked(self.options), lambda: asked(replace(self.options, soft=False)))


def evaluation_of(checklist: Checklist, dimension: Dimension, repeats: Sequence[Sequence[Judgment]]) -> Evaluation:
    """Return the evaluation of a text from its answers: for each repeat one answer a question, in the order of the
    questions."""
    low, high = dimension.low, dimension.high
    judgments = tuple(judgment for answers in repeats for judgment in answers)
    said = [[judgment.answer for judgment in answers] for answers in repeats]
    asked, graded = checklist.asked, any(question.grade for question in checklist.asked)
    scores = [checklist_score(answers, low, high, asked) for answers in said]
    weighted = None
    if checklist.weighted:
        weighted = _mean(checklist_score(answers, low, high, asked, weighted=True).value for answers in said)
    return Evaluation(
        value=_mean(score.value for score in scores),
        coverage=fmean(score.coverage for score in scores),
        judgments=judgments,
        soft=soft_score(judgments, low, high, asked),
        details={
            **({WEIGHTED: weighted} if weighted is not None else {}),
            **({INCONSISTENT: sum(len(inconsistent_grades(asked, answers)) for answers in said)} if graded else {}),
        },
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _make(setting: EvaluatorContext) -> ChecklistEvaluator:
    if setting.checklist is None:
        raise NotReadyError(f"{setting.dimension.name} has no checklist.", "Build and publish one first.")
    return ChecklistEvaluator(
        setting.model,
        setting.task,
        setting.dimension,
        setting.checklist,
        setting.options,
        setting.earlier,
        setting.judge_logprobs,
    )


def _prompt_variant(options: JudgeOptions) -> str:
    """Return a key of the way of asking, which tells apart several ways that share the prompt asking for evidence."""
    said = {"reversed order": options.reversed_order}
    if options.evidence:
        said |= {"reasons": options.reasons, "cannot tell": options.cannot_tell}
    return ", ".join(word for word, true in said.items() if true)


METHOD = Method(
    "checklist",
    "Checklist: yes/no questions",
    _make,
    options=JudgeOptions,
    by_rules=True,
    checklist=lambda _: True,
    prompt=lambda options: options.prompt(),
    prompt_variant=_prompt_variant,
)
