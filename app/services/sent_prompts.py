"""The prompt of a stage as it was sent, word for word."""

from app.domain.prompt import RenderedPrompt
from app.domain.run import StageRun
from app.errors import PromptError
from app.prompting import available_prompts, load_prompt


def sent_prompt(run: StageRun) -> RenderedPrompt | None:
    """Rendered again from the wording of the same hash and the recorded variables; None where that wording is gone."""
    for version in available_prompts().get(run.stage, ()):
        template = load_prompt(run.stage, version)
        if template.digest == run.prompt_digest:
            try:
                return template.render(**run.inputs)
            except PromptError:  # a record without all variables
                return None
    return None
