"""The prompts of a project, built-in or its own wordings; and records of the stages that used them."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from app.construction.stage import StageRecord
from app.domain.model_call import OwnPrompt, RenderedPrompt
from app.domain.project import Dimension, Task
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary, StageRun
from app.domain.storable_text import check_storable
from app.errors import InputError, NotFoundError, PromptError, ProviderError, WorkbenchError
from app.prompting import (
    PromptTemplate,
    PromptWording,
    available_prompts,
    dimension_variables,
    load_prompt,
    task_variables,
    worded,
)
from app.prompting.library import example_variables
from app.providers.base import ChatReply, Usage
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork


def answered(stage: str, model: str, prompt: RenderedPrompt, reply: ChatReply) -> StageRun:
    return _kept(stage, model, prompt.label, prompt.digest, prompt.variables, reply.text, reply.usage)


def answered_stage(record: StageRecord) -> StageRun:
    return _kept(record.stage, record.model, record.prompt, record.digest, record.variables, record.reply, record.usage)


def failed(stage: str, model: str, error: WorkbenchError) -> StageRun:
    kind = error.kind if isinstance(error, ProviderError) else "input"
    return StageRun(stage, model, error_kind=kind, error=str(error))


def _kept(
    stage: str, model: str, prompt: str, digest: str, inputs: Mapping[str, Any], output: str, usage: Usage
) -> StageRun:
    return StageRun(
        stage=stage,
        model=model,
        prompt=prompt,
        prompt_digest=digest,
        inputs_digest=_inputs_digest(inputs),
        inputs=inputs,
        output=output,
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cached_tokens,
        output_tokens=usage.output_tokens,
    )


def _inputs_digest(inputs: Mapping[str, Any]) -> str:
    """Return a digest that tells whether a stage's inputs have changed."""
    canonical = json.dumps(inputs, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


TITLES = {
    "think-aloud": "Think aloud: say what to look for",
    "transcript-attributes": "Transcript: find an expert's attributes",
    "follow-up": "Think aloud: ask an expert one question",
    "contrast-attributes": "Pairs: say what the better texts have",
    "components": "Build 1: find the components",
    "clusters": "Build 2: place attributes under components",
    "key-questions": "Build 3: write key questions",
    "sub-questions": "Build 4: write sub-questions",
    "validation": "Build 5: validate the questions",
    "question-rephrase": "Checklist: reword a question",
    "question-simpler": "Checklist: say a question more simply",
    "question-split": "Checklist: split a question",
    "question-merge": "Checklist: merge questions",
    "question-applicability": "Checklist: say which questions may not apply",
    "question-improve": "Checklist: propose wordings from decisions",
    "checklist-coverage": "Checklist: say which attributes it covers",
    "judge-checklist": "Judge: answer the checklist",
    "judge-checklist-reasons": "Judge: answer the checklist with reasons",
    "judge-checklist-open": "Judge: answer the checklist where questions may not apply",
    "judge-checklist-open-reasons": "Judge: the same with reasons",
    "judge-checklist-evidence": "Judge: answer the checklist with evidence",
    "judge-checklist-examples": "Judge: answer the checklist with examples",
    "llm-score": "LLM score: score a text directly",
    "llm-score-cot": "LLM score: think step by step, then score",
    "g-eval-steps": "G-Eval 1: write the evaluation steps",
    "g-eval-score": "G-Eval 2: score a text",
    "coascore-aspects": "CoAScore 1: name aspects",
    "coascore-scores": "CoAScore 2: score a text on the aspects",
    "coascore-target": "CoAScore 3: score a text on the dimension",
    "check-eval-seeds": "CheckEval 1: write seed questions",
    "check-eval-diversify": "CheckEval 2: ask from new angles",
    "check-eval-elaborate": "CheckEval 3: ask in finer detail",
    "check-eval-filter": "CheckEval 4: choose the questions that stay",
    "gptscore": "GPTScore: what stands before a text",
    "gptscore-boolean": "GPTScore for dialogue: a yes/no question",
    "gptscore-task": "GPTScore: what stands before a summary, a sentence from data, a translation",
    "gptscore-question": "GPTScore for dialogue: the dimension's own question",
}


JUDGE = "judge-checklist"
"""Prefix of the names of all prompts that ask a checklist."""
SYSTEM, USER = "# System\n", "# User\n"
WORDINGS, VERSIONS = "prompts", "prompt_versions"
"""A run's parameters on prompts: numbers of the project's own wordings, and versions of built-in ones."""
UNNOTED = dict.fromkeys(
    (
        *("judge-checklist", "judge-checklist-reasons", "check-eval-filter", "g-eval-score", "llm-score"),
        *("llm-score-cot", "coascore-scores", "coascore-target", "gptscore", "gptscore-boolean"),
    ),
    2,
)
"""Versions of prompts in runs that didn't record them; 1 for all others."""


@dataclass(frozen=True, slots=True)
class ProjectPrompt:
    """One prompt of a project. own: its own wordings, newest first; in_use: the number of the one in use, 0 for the
    built-in one."""

    name: str
    description: str
    builtin: PromptTemplate
    own: tuple[OwnPrompt, ...] = ()

    @property
    def title(self) -> str:
        return TITLES.get(self.name, self.name)

    @property
    def earlier(self) -> tuple[PromptTemplate, ...]:
        """Return earlier built-in versions with the same variables, oldest first."""
        versions = (load_prompt(self.name, version) for version in available_prompts()[self.name][:-1])
        return tuple(each for each in versions if sorted(each.variables) == sorted(self.builtin.variables))

    @property
    def in_use(self) -> int:
        return next((prompt.number for prompt in self.own if prompt.in_use), 0)

    def wording(self, number: int) -> PromptTemplate:
        """Return the wording with this number, the built-in one for 0. Raises NotFoundError."""
        if not number:
            return self.builtin
        found = next((prompt for prompt in self.own if prompt.number == number), None)
        if found is None:
            raise NotFoundError(f"There is no wording {number} of the prompt {self.name}.", "Choose one from the list.")
        return PromptTemplate.parse(found.source)


@use_case(Right.FACILITATE)
def project_prompts(workbench: Workbench, project_id: int) -> list[ProjectPrompt]:
    """Return every prompt of the program, in the order of the method."""
    with workbench.database.read() as work:
        own = work.own_prompts.versions(project_id)
    return [
        ProjectPrompt(name, builtin.description, builtin, tuple(prompt for prompt in own if prompt.name == name))
        for name in sorted(available_prompts(), key=_place)
        for builtin in [load_prompt(name, available_prompts()[name][-1])]
    ]


def _place(name: str) -> tuple[int, str]:
    titled = list(TITLES)
    return (titled.index(name) if name in titled else len(titled), name)


@use_case(Right.FACILITATE)
def project_prompt(workbench: Workbench, project_id: int, name: str) -> ProjectPrompt:
    """Return one prompt. Raises NotFoundError for a prompt the program doesn't have."""
    found = next((prompt for prompt in project_prompts(workbench, project_id) if prompt.name == name), None)
    if found is None:
        raise NotFoundError(f"There is no prompt “{name}”.", f"There are: {', '.join(available_prompts())}.")
    return found


@use_case(Right.FACILITATE, act="changed a prompt", about="name")
def save_wording(workbench: Workbench, project_id: int, name: str, system: str, user: str) -> int:
    """Store an own wording of the project and use it from now on; returns its number.

    Variables and the form of the answer stay those of the built-in prompt. Raises PromptError if the wording uses
    unknown variables or can't be filled in, InputError if it equals the one in use.
    """
    prompt = project_prompt(workbench, project_id, name)
    source, wording = _checked(prompt, system, user)
    if wording.digest == prompt.wording(prompt.in_use).digest:
        raise InputError("This is the wording in use already.", "Change something, then save.")
    with workbench.database.write() as work:
        return work.own_prompts.add(project_id, name, source, wording.digest)


def checked_wording(workbench: Workbench, project_id: int, name: str, text: str) -> tuple[str, str]:
    """Return (source, digest) of a wording from a file, ready to store. Raises as `save_wording`."""
    source, wording = _checked(project_prompt(workbench, project_id, name), *sections_of(text))
    return source, wording.digest


def _checked(prompt: ProjectPrompt, system: str, user: str) -> tuple[str, PromptTemplate]:
    check_storable(system + user, "The wording")
    source = _source(prompt, f"{SYSTEM}{_section(system)}{USER}{_section(user)}")
    wording = load_prompt(prompt.name, source=source)
    values = example_variables(wording)
    if values is not None:
        wording.render(**values)
    return source, wording


def judge_wordings(work: UnitOfWork, project_id: int) -> dict[str, str]:
    """Return name of a judge's prompt -> the project's own wording in use, for those with one."""
    own = work.own_prompts.versions(project_id)
    return {one.name: one.source for one in own if one.in_use and one.name.startswith(JUDGE)}


def sections_of(text: str) -> tuple[str, str]:
    """Return system and user section of a prompt file, ignoring what stands before them. Raises InputError."""
    _, system, rest = f"\n{text.replace(chr(13), '')}".partition(f"\n{SYSTEM}")
    body, user, last = rest.partition(f"\n{USER}")
    if not (system and user):
        raise InputError("The file has no section “# System” followed by one “# User”.", "See `prompts show` for one.")
    return body, last


@use_case(Right.FACILITATE, act="chose the wording of a prompt", about="name")
def use_wording(workbench: Workbench, project_id: int, name: str, number: int) -> None:
    """Set which wording is used from now on; 0 for the built-in one. Raises NotFoundError."""
    project_prompt(workbench, project_id, name).wording(number)
    with workbench.database.write() as work:
        work.own_prompts.use(project_id, name, number)


def difference(before: PromptTemplate, after: PromptTemplate) -> list[str]:
    """Return a unified diff of two wordings; [] if they are equal."""
    old, new = (f"{SYSTEM}{t.system}{USER}{t.user}".splitlines() for t in (before, after))
    return list(unified_diff(old, new, before.label, after.label, lineterm="", n=2))


def preview_prompt(prompt: ProjectPrompt, number: int, task: Task, dimension: Dimension) -> RenderedPrompt | None:
    """Return wording `number` of the prompt (0: the built-in one), filled with this task and dimension and invented
    values for the rest; None if a variable has no invented value."""
    template = prompt.wording(number)
    values = example_variables(template)
    if values is None:
        return None
    own = {"task": task_variables(task), "dimension": dimension_variables(dimension)}
    return template.render(**{name: own.get(name, value) for name, value in values.items()})


def active_wordings(work: UnitOfWork, project_id: int) -> dict[str, int]:
    """Return prompt name -> number of the project's own wording in use, to store with a plan."""
    return {prompt.name: prompt.number for prompt in work.own_prompts.versions(project_id) if prompt.in_use}


def own_wordings(workbench: Workbench, project_id: int) -> AbstractContextManager[None]:
    """Use the project's own wordings within the block."""
    with workbench.database.read() as work:
        return _worded(work, project_id, active_wordings(work, project_id))


def own_wordings_of_run(workbench: Workbench, project_id: int, run: RunSummary) -> AbstractContextManager[None]:
    """Use the wordings and built-in versions that the run was planned with, so that a resumed run asks the same and
    finds cached answers."""
    with workbench.database.read() as work:
        return _worded(work, project_id, run.params.get(WORDINGS, {}), _versions_of(run))


def planned_prompts(work: UnitOfWork, project_id: int) -> dict[str, dict[str, int]]:
    """Return what a new run records of its prompts; of built-in versions only those above 1."""
    own = active_wordings(work, project_id)
    newest = {name: versions[-1] for name, versions in available_prompts().items() if versions[-1] > 1}
    return {**({WORDINGS: own} if own else {}), VERSIONS: newest}


def _versions_of(run: RunSummary) -> dict[str, int]:
    noted = run.params.get(VERSIONS, UNNOTED)
    return {name: noted.get(name, 1) for name in available_prompts()}


def _worded(
    work: UnitOfWork, project_id: int, numbers: Mapping[str, int], versions: Mapping[str, int] | None = None
) -> AbstractContextManager[None]:
    sources = work.own_prompts.sources(project_id, numbers)
    return worded({name: PromptWording(numbers[name], source) for name, source in sources.items()}, versions)


@use_case(Right.READ)
def sent_prompt(workbench: Workbench, project_id: int, run: StageRun) -> RenderedPrompt | None:
    """Return the prompt of a stage as it was sent, from the recorded inputs and the wording with the recorded digest.
    None if that wording isn't stored."""
    builtin = [load_prompt(run.stage, version) for version in available_prompts().get(run.stage, ())]
    with workbench.database.read() as work:
        own = [PromptTemplate.parse(prompt.source) for prompt in work.own_prompts.versions(project_id, run.stage)]
    for template in (*builtin, *own):
        if template.digest == run.prompt_digest:
            try:
                return template.render(**run.inputs)
            except PromptError:  # a record without all variables
                return None
    return None


def _source(prompt: ProjectPrompt, body: str) -> str:
    """Return the whole prompt file. If the body equals an earlier built-in version, that file is returned, so that its
    digest stays the same."""
    fronts = [template.source.partition(f"\n{SYSTEM}") for template in (*prompt.earlier, prompt.builtin)]
    same = next(
        (f"{front}{mark}{rest}" for front, mark, rest in fronts if f"{SYSTEM}{rest}".strip() == body.strip()), ""
    )
    return same or f"{fronts[-1][0]}\n{body}"


def _section(text: str) -> str:
    return text.replace("\r\n", "\n").strip("\n") + "\n"
