"""A prompt file as a value, and its strict rendering."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError
from jinja2.meta import find_referenced_templates, find_undeclared_variables

from app.domain.prompt import RenderedPrompt, prompt_label
from app.errors import PromptError
from app.prompting.environment import compiled, shown_in, syntax_tree
from app.prompting.front_matter import FrontMatter, split_front_matter
from app.prompting.limits import TooLongToRenderError, counted, refusal

_SECTIONS = re.compile(r"\s*^# System$\n(?P<system>.*?)^# User$\n(?P<user>.*)\Z", re.MULTILINE | re.DOTALL)

_HEADING = re.compile(r"^# (System|User)$", re.MULTILINE)
_MOST_KEPT = 256  # system parts


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A validated prompt.

    `output_schema` is None where the schema depends on the request. `source` is the whole file as text, `digest` its
    sha256: two prompts with equal digests are worded alike to the letter. `own` is the number of a project's own
    wording, 0 for the built-in one.
    """

    name: str
    version: int
    description: str
    variables: tuple[str, ...]
    output_schema: Mapping[str, Any] | None
    system: str
    user: str
    source: str
    digest: str
    own: int = 0

    @classmethod
    def parse(cls, text: str) -> "PromptTemplate":
        """Read a prompt file's content. Raises PromptError with what is wrong and where."""
        source = text.replace("\r\n", "\n")
        matter, body = split_front_matter(source)
        system, user = _sections(matter.name, body)
        _check_variables(matter, system, user)
        return cls(
            name=matter.name,
            version=matter.version,
            description=matter.description,
            variables=tuple(matter.variables),
            output_schema=None if isinstance(matter.output, str) else matter.output,
            system=system,
            user=user,
            source=source,
            digest=hashlib.sha256(source.encode()).hexdigest(),
        )

    @property
    def label(self) -> str:
        return prompt_label(self.name, self.version, self.own)

    def render(self, **variables: Any) -> RenderedPrompt:
        """Fill in the variables: exactly the declared ones. Raises PromptError."""
        missing = sorted(set(self.variables) - variables.keys())
        surplus = sorted(variables.keys() - set(self.variables))
        if missing or surplus:
            said = [f"missing {', '.join(missing)}"] if missing else []
            said += [f"not declared {', '.join(surplus)}"] if surplus else []
            raise PromptError(f"The prompt {self.label} can't be filled in: {'; '.join(said)}.")
        return RenderedPrompt(
            name=self.name,
            version=self.version,
            digest=self.digest,
            system=self._system(variables),
            user=self._fill(self.user, variables),
            variables=variables,
            own=self.own,
        )

    def _system(self, variables: Mapping[str, Any]) -> str:
        """Filled in once for all texts of a run, which it shows nothing of."""
        shown = repr([variables[name] for name in shown_in(self.system)])  # plain values: else 1, 1.0 and True were one
        last, text = _SYSTEMS.get(self.system, ("", ""))
        if last != shown:
            text = self._fill(self.system, variables)
            if len(_SYSTEMS) >= _MOST_KEPT:
                _SYSTEMS.clear()
            _SYSTEMS[self.system] = shown, text
        return text

    def _fill(self, section: str, variables: Mapping[str, Any]) -> str:
        try:
            with counted():
                return compiled(section).render(variables).strip()
        except TooLongToRenderError as error:
            raise PromptError(
                f"The prompt {self.label} can't be filled in: {error.message}.",
                "Let it show each text once, as the built-in one does.",
            ) from error
        except (TemplateError, TypeError, ValueError, ArithmeticError, SyntaxError, RecursionError) as error:
            # Only Jinja's own messages are free of the variables' content.
            why = error.message if isinstance(error, TemplateError) else type(error).__name__
            raise PromptError(
                f"The prompt {self.label} can't be filled in: {why}.",
                "Correct the name in the prompt, or return to the built-in one.",
            ) from error


_SYSTEMS: dict[str, tuple[str, str]] = {}
"""By system part: what it showed when it was last filled in, and what came of it."""


def _sections(name: str, body: str) -> tuple[str, str]:
    match = _SECTIONS.match(body)
    if match is None or len(_HEADING.findall(body)) != 2:
        raise PromptError(
            f"The prompt {name} needs one section '# System' and, after it, one section '# User'.", "Add them."
        )
    return match["system"], match["user"]


def _check_variables(matter: FrontMatter, system: str, user: str) -> None:
    used: set[str] = set()
    for section in (system, user):
        try:
            tree = syntax_tree(section)
            if list(find_referenced_templates(tree)):
                raise PromptError(f"The prompt {matter.name} includes another file.", "Write everything in one file.")
            if refused := refusal(section, tree):  # before anything of it is computed
                raise PromptError(f"The prompt {matter.name} {refused}.", "Write it with less, as the built-in one is.")
            names = find_undeclared_variables(tree)
        except TemplateSyntaxError as error:
            raise PromptError(
                f"The prompt {matter.name} isn't a valid template: {error.message} "
                f"(line {error.lineno} of its section).",
                "Correct it.",
            ) from error
        except ValueError as error:
            raise PromptError(
                f"The prompt {matter.name} has a number of thousands of digits.", "Write a shorter one."
            ) from error
        except RecursionError as error:
            raise PromptError(f"The prompt {matter.name} is nested too deeply.", "Write it more simply.") from error
        used |= names
    undeclared = sorted(used - set(matter.variables))
    unused = sorted(set(matter.variables) - used)
    if undeclared:
        raise PromptError(
            f"The prompt {matter.name} uses {', '.join(f'“{name}”' for name in undeclared)}, which it isn't given.",
            f"It can use: {', '.join(matter.variables)}.",
        )
    if unused:
        raise PromptError(
            f"The prompt {matter.name} never uses {', '.join(unused)}.", "Use it, or the model never sees it."
        )
