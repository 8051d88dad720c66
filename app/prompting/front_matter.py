"""Front matter: what a prompt file says about itself, before its two sections."""

from typing import Any, Literal

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.errors import FileFormatError, PromptError
from app.limited_yaml import read_yaml

FENCE = "---\n"
NAME_PATTERN = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"


class FrontMatter(BaseModel):
    """`output` is the JSON Schema of the answer, or "dynamic" where it depends on the request.

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
    """The validated front matter and the rest of the file. Raises PromptError."""
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
