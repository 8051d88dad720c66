"""The prompts that come with the program."""

import re
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files

from app.errors import PromptError
from app.prompting.template import PromptTemplate
from app.prompting.wordings import own_wording, version_in_force

_FILE = re.compile(r"v([1-9][0-9]*)\.md")


@cache
def available_prompts() -> dict[str, tuple[int, ...]]:
    """Name -> versions, ascending."""
    found: dict[str, tuple[int, ...]] = {}
    for folder in sorted(files("prompts").iterdir(), key=lambda entry: entry.name):
        if folder.is_dir():
            matches = (_FILE.fullmatch(entry.name) for entry in folder.iterdir())
            versions = tuple(sorted(int(match[1]) for match in matches if match))
            if versions:
                found[folder.name] = versions
    return found


def load_prompt(name: str, version: int | None = None, source: str | None = None) -> PromptTemplate:
    """The prompt of that name; the version in force, which is the newest outside of runs, unless one is given.

    `source` is a project's own wording of it; without one and without a version, the wording in force counts
    (`app.prompting.wordings`). An own wording must keep the built-in prompt's name, variables and output, because the
    code that asks and the code that reads the answer rely on them. Raises PromptError.
    """
    if source is not None:
        return _own(name, version, source)
    wording = own_wording(name) if version is None else None
    if wording:
        return replace(_own(name, None, wording.source), own=wording.number)
    return _builtin(name, version_in_force(name) if version is None else version)


@lru_cache(maxsize=256)
def _own(name: str, version: int | None, source: str) -> PromptTemplate:
    """The wording, if it keeps to what the built-in prompt promises. A run asks for it once for every text."""
    builtin, own = _builtin(name, version), PromptTemplate.parse(source)
    for what in ("name", "variables", "output_schema"):
        ours, theirs = getattr(builtin, what), getattr(own, what)
        if (sorted(ours) != sorted(theirs)) if what == "variables" else (ours != theirs):
            raise PromptError(
                f"The project's wording of the prompt {name} changes its {what.replace('_', ' ')}.",
                "Keep the front matter of the built-in prompt and change the wording below it.",
            )
    return own


@cache
def _builtin(name: str, version: int | None) -> PromptTemplate:
    versions = available_prompts().get(name)
    if versions is None:
        raise PromptError(f"There is no prompt {name!r}.", f"There are: {', '.join(available_prompts())}.")
    wanted = versions[-1] if version is None else version
    if wanted not in versions:
        raise PromptError(f"The prompt {name} has no version {wanted}.", f"It has: {', '.join(map(str, versions))}.")
    text = files("prompts").joinpath(name, f"v{wanted}.md").read_text(encoding="utf-8")
    template = PromptTemplate.parse(text)
    if (template.name, template.version) != (name, wanted):
        raise PromptError(f"The prompt file {name}/v{wanted}.md calls itself {template.label}.")
    return template
