"""An LLM reads the same material as the experts and says what to look for (InteractEval, section 3.3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.task import Dimension, Task
from app.domain.think_aloud import Sample
from app.errors import NotReadyError
from app.prompting import PromptTemplate, dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatReply, ChatRequest
from app.providers.structured import ask

PROMPT = "think-aloud"
# Our choice, where the paper asks once: at temperature 0 another round would bring the same words.
FIRST_TEMPERATURE, LATER_TEMPERATURE = 0.0, 1.0


@dataclass(frozen=True, slots=True)
class Elicitation:
    """What one model said in one round. `reply` carries the usage of all attempts."""

    considerations: tuple[str, ...]
    model: str
    request: ChatRequest
    reply: ChatReply


def think_aloud_request(
    template: PromptTemplate,
    task: Task,
    dimension: Dimension,
    samples: Sequence[Sample],
    *,
    round_number: int = 1,
) -> ChatRequest:
    """The request of one round; asking in another round is another request, also to a cache."""
    numbered = [
        {"number": number, "source": sample.text.source, "text": sample.text.text, "score": sample.score}
        for number, sample in enumerate(samples, start=1)
    ]
    prompt = template.render(task=task_variables(task), dimension=dimension_variables(dimension), samples=numbered)
    temperature = FIRST_TEMPERATURE if round_number == 1 else LATER_TEMPERATURE
    return ChatRequest(prompt, template.output_schema, temperature=temperature, sample=round_number - 1)


async def think_aloud(
    model: ChatModel,
    task: Task,
    dimension: Dimension,
    samples: Sequence[Sample],
    *,
    template: PromptTemplate | None = None,
    round_number: int = 1,
) -> Elicitation:
    """Considerations in the model's order, blank ones left out.

    Raises NotReadyError without samples and ProviderError where the model doesn't answer as asked.
    """
    if not samples:
        raise NotReadyError(
            f"There are no samples for {dimension.name} to think aloud about.", "Choose its samples first."
        )
    wording = template or load_prompt(PROMPT)
    request = think_aloud_request(wording, task, dimension, samples, round_number=round_number)
    answer = await ask(model, request, check=_check)
    return Elicitation(considerations_in(answer.value), model.name, request, answer.reply)


def considerations_in(answer: dict[str, Any]) -> tuple[str, ...]:
    """Those of an answer of the prompt's form, in the model's order, without blank ones."""
    ordered = sorted(answer["considerations"], key=lambda entry: entry["index"])
    texts = (entry["consideration"].strip() for entry in ordered)
    return tuple(text for text in texts if text)


def _check(value: dict[str, Any]) -> str | None:
    return None if considerations_in(value) else "it holds no consideration"
