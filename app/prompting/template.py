"""Prompt templates: front matter, sandboxed environment and limits."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import yaml
from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.meta import find_referenced_templates, find_undeclared_variables
from jinja2.nodes import Template as SyntaxTree
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.domain.model_call import RenderedPrompt, prompt_label
from app.errors import FileFormatError, PromptError
from app.input_file import read_yaml

FENCE = "---\n"
NAME_PATTERN = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"


class FrontMatter(BaseModel):
    """A prompt file's header. `output` is the JSON Schema of the answer, or "dynamic" if it depends on the request.

    `why_dynamic` then says why.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=NAME_PATTERN)
    version: int = Field(ge=1)
    description: str = Field(min_length=1)
    variables: list[str] = Field(min_length=1)
    output: dict[str, Any] | Literal["dynamic"]
    why_dynamic: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> "FrontMatter":
        if len(set(self.variables)) != len(self.variables):
            raise ValueError("a variable is declared twice")
        if self.output == "dynamic" and not self.why_dynamic:
            raise ValueError("output is dynamic but why_dynamic doesn't say why")
        return self


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """Return the validated front matter and the rest of the file. Raises PromptError."""
    head, fence, body = text.removeprefix(FENCE).partition("\n" + FENCE)
    if not text.startswith(FENCE) or not fence:
        raise PromptError("The prompt has no front matter.", "Start it with a block of YAML between two lines of ---.")
    try:
        matter = FrontMatter.model_validate(read_yaml(head))
    except FileFormatError as error:
        raise PromptError(f"The prompt's front matter can't be read: {error.message}", error.hint) from error
    except yaml.YAMLError as error:
        raise PromptError(f"The prompt's front matter isn't YAML{_place(error)}.", "Correct it.") from error
    except ValidationError as error:
        raise PromptError(f"The prompt's front matter is wrong: {_first(error)}.", "Correct it.") from error
    _check_schema(matter)
    return matter, body


def _check_schema(matter: FrontMatter) -> None:
    if isinstance(matter.output, str):
        return
    try:
        Draft202012Validator.check_schema(matter.output)
    except SchemaError as error:
        raise PromptError(
            f"The prompt {matter.name} has an output that isn't a JSON Schema: {error.message}.", "Correct it."
        ) from error


def _place(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 2})" if mark is not None else ""


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


MAX_CHARACTERS = 50_000
MAX_RENDERED = 5_000_000
"""Most characters of a rendered text; more than any model reads at once."""
MAX_JOINED = 100
_ARITHMETIC: dict[type[nodes.Node], str] = {
    nodes.Mul: "*",
    nodes.Pow: "**",
    nodes.Mod: "%",
    nodes.Div: "/",
    nodes.FloorDiv: "//",
}
_BLOCKS = (nodes.Output, nodes.If, nodes.For, nodes.FilterBlock)


def refusal(section: str, tree: nodes.Template) -> str:
    """Return why this section can't be part of a prompt, to follow its name in a sentence; "" if it can."""
    if len(section) > MAX_CHARACTERS:
        return f"is longer than {MAX_CHARACTERS:,} characters"
    for operation in tree.find_all(tuple(_ARITHMETIC)):
        return f"calculates with {_ARITHMETIC[type(operation)]} (line {operation.lineno} of its section)"
    for block in tree.find_all(nodes.Stmt):
        if not isinstance(block, _BLOCKS):
            return f"has a block that isn't for, if or filter (line {block.lineno} of its section)"
    if (
        sum(len(joined.nodes) for joined in tree.find_all(nodes.Concat)) + len(list(tree.find_all(nodes.Add)))
        > MAX_JOINED
    ):
        return f"joins more than {MAX_JOINED} pieces with ~ or +"
    for outer in tree.find_all(nodes.For):
        for inner in outer.find_all(nodes.For):
            if not _goes_through_a_part(inner, outer):
                return f"has a loop in a loop that isn't over a part of its entry (line {inner.lineno} of its section)"
    return ""


def _goes_through_a_part(inner: nodes.For, outer: nodes.For) -> bool:
    whole = inner.iter.node if isinstance(inner.iter, nodes.Getattr) else None
    return isinstance(whole, nodes.Name) and isinstance(outer.target, nodes.Name) and whole.name == outer.target.name


class TooLongToRenderError(TemplateError):
    """The rendered text is longer than MAX_RENDERED."""


_written: ContextVar[int | None] = ContextVar("characters written", default=None)


@contextmanager
def counted() -> Iterator[None]:
    """Within the block, let `count` add up lengths."""
    token = _written.set(0)
    try:
        yield
    finally:
        _written.reset(token)


def count(value: Any) -> Any:
    """Return the value unchanged, after adding the length of its text to the total. Raises TooLongToRenderError."""
    so_far = _written.get()
    if so_far is not None:
        _written.set(_checked(so_far + _length(value)))
    return value


def joined(parts: Iterable[str]) -> str:
    """Return all parts as one text. Raises TooLongToRenderError beyond MAX_RENDERED."""
    pieces, length = [], 0
    for part in parts:
        length = _checked(length + len(part))
        pieces.append(part)
    return "".join(pieces)


def bounded(text: str) -> str:
    """Return the text unchanged. Raises TooLongToRenderError beyond MAX_RENDERED."""
    _checked(len(text))
    return text


def _length(value: Any) -> int:
    """Return a lower bound of the length of a value's text: a list may hold the same long text many times."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_length(key) + _length(entry) for key, entry in value.items())
    return sum(map(_length, value)) if isinstance(value, list | tuple) else 1


def _checked(length: int) -> int:
    if length > MAX_RENDERED:
        raise TooLongToRenderError(f"it becomes longer than {MAX_RENDERED:,} characters")
    return length


MIN_FENCE = 5
_LONGEST_LABEL = 200
_RUN_OF_SIGNS = re.compile(r"=+")


def enclose(content: str, label: str) -> str:
    """Return `content` between two lines of equals signs that name it.

    The lines are longer than any run of equals signs inside, so that no text can pretend to end its own enclosure;
    the same content always gives the same lines, which keeps requests cacheable.
    """
    bounded(content)
    longest = max((len(run) for run in _RUN_OF_SIGNS.findall(content)), default=0)
    fence = "=" * max(MIN_FENCE, longest + 1)
    name = one_line(label.replace("=", " "))[:_LONGEST_LABEL]
    return bounded(f"{fence} begin {name} {fence}\n{content.strip()}\n{fence} end {name} {fence}")


def one_line(content: str) -> str:
    """Return the text with each run of whitespace as one space: list entries may not break out of their line."""
    return " ".join(str(content).split())


def plain_number(value: float | None) -> str:
    """Return a number as text, 1.0 as 1, 2.3333 as 2.33; words for None, a sample that nobody rated."""
    if value is None:
        return "not rated"
    return f"{value:.2f}".rstrip("0").rstrip(".")


class _PromptEnvironment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"*", "**", "%"})
    concat = staticmethod(joined)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        raise SecurityError(f"the operator {operator} isn't available in prompts")

    def is_safe_callable(self, obj: Any) -> bool:
        return False


def _environment() -> _PromptEnvironment:
    environment = _PromptEnvironment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, finalize=count
    )
    environment.globals.clear()
    environment.filters = {"enclose": enclose, "one_line": one_line, "number": plain_number, "length": len}
    return environment


ENVIRONMENT = _environment()


def syntax_tree(source: str) -> SyntaxTree:
    """Return the template's syntax tree. Raises jinja2.TemplateSyntaxError."""
    return ENVIRONMENT.parse(source)


@lru_cache(maxsize=256)
def compiled(source: str) -> Template:
    """Return the compiled template, cached: a run renders the same one for every text."""
    return ENVIRONMENT.from_string(source)


@lru_cache(maxsize=256)
def shown_in(source: str) -> tuple[str, ...]:
    """Return the names of the variables that a template uses, in order."""
    return tuple(sorted(find_undeclared_variables(syntax_tree(source))))


_SECTIONS = re.compile(r"\s*^# System$\n(?P<system>.*?)^# User$\n(?P<user>.*)\Z", re.MULTILINE | re.DOTALL)

_HEADING = re.compile(r"^# (System|User)$", re.MULTILINE)
_MOST_KEPT = 256  # system parts


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A validated prompt.

    `output_schema` is None if the schema depends on the request. `source` is the whole file as text, `digest` its
    sha256: prompts with equal digests are identical. `own` is the number of a project's own wording, 0 for the built-in
    one.
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
        """Read a prompt file's content. Raises PromptError that says what is wrong and where."""
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
        """Fill in the variables, which must be exactly the declared ones. Raises PromptError."""
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
        """Return the rendered system part, cached over the texts of a run, as it doesn't contain them."""
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
"""Cache by system part: the variables of its last rendering, and the text that it gave."""


def _sections(name: str, body: str) -> tuple[str, str]:
    match = _SECTIONS.match(body)
    if match is None or len(_HEADING.findall(body)) != 2:
        raise PromptError(
            f"The prompt {name} needs one section '# System' and, after it, one section '# User'.", "Add them."
        )
    return match["system"], match["user"]


def _check_variables(matter: FrontMatter, system: str, user: str) -> None:
    used: set[str] = set()
    for heading, section in (("System", system), ("User", user)):
        try:
            tree = syntax_tree(section)
            if list(find_referenced_templates(tree)):
                raise PromptError(f"The prompt {matter.name} includes another file.", "Write everything in one file.")
            if refused := refusal(section, tree):  # before anything of it is computed
                raise PromptError(f"The prompt {matter.name} {refused}.", "Write it with less, as the built-in one is.")
            names = find_undeclared_variables(tree)
        except TemplateSyntaxError as error:
            raise PromptError(
                f"The prompt {matter.name} isn't a valid template. {heading}, line {error.lineno}: "
                f"{str(error.message).rstrip('.')}.",
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
