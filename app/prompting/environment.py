"""The only Jinja2 environment: sandboxed, strict, and without anything a prompt doesn't need.

Prompts can be edited per project, so a template is treated as input: no globals, no loader, no calls, no
arithmetic that could fill the memory; `limits` says which blocks it may have. Autoescape stays off because the result
is sent to a model, never shown as HTML.
"""

import re
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template
from jinja2.exceptions import SecurityError
from jinja2.meta import find_undeclared_variables
from jinja2.nodes import Template as SyntaxTree
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.prompting.limits import bounded, count, joined

MIN_FENCE = 5
_LONGEST_LABEL = 200
_RUN_OF_SIGNS = re.compile(r"=+")


def enclose(content: str, label: str) -> str:
    """`content` between two lines of equals signs that name it.

    The lines are longer than any run of equals signs inside, so that no text can pretend to end its own enclosure;
    the same content always gives the same lines, which keeps requests cacheable.
    """
    bounded(content)
    longest = max((len(run) for run in _RUN_OF_SIGNS.findall(content)), default=0)
    fence = "=" * max(MIN_FENCE, longest + 1)
    name = one_line(label.replace("=", " "))[:_LONGEST_LABEL]
    return bounded(f"{fence} begin {name} {fence}\n{content.strip()}\n{fence} end {name} {fence}")


def one_line(content: str) -> str:
    """Whitespace runs as single spaces: list entries may not break out of their line."""
    return " ".join(str(content).split())


def plain_number(value: float | None) -> str:
    """1.0 as 1, 2.3333 as 2.33; the score of a sample that nobody rated in words."""
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
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=count,
    )
    environment.globals.clear()
    environment.filters = {
        "enclose": enclose,
        "one_line": one_line,
        "number": plain_number,
        "length": len,
    }
    return environment


ENVIRONMENT = _environment()


def syntax_tree(source: str) -> SyntaxTree:
    """Raises jinja2.TemplateSyntaxError."""
    return ENVIRONMENT.parse(source)


@lru_cache(maxsize=256)
def compiled(source: str) -> Template:
    """A run renders the same template for every text: it is compiled once."""
    return ENVIRONMENT.from_string(source)


@lru_cache(maxsize=256)
def shown_in(source: str) -> tuple[str, ...]:
    """The names of the variables that a template uses, in order."""
    return tuple(sorted(find_undeclared_variables(syntax_tree(source))))
