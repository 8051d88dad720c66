"""A score from several samples at temperature 1, for judges that don't say how likely each score is (G-Eval, 3.1)."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from app.domain.judgment import Evaluation
from app.domain.task import Dimension
from app.errors import AbstainedError, CutOffError, NoAnswerError, ProviderError, RefusedError, UnreadableScoreError
from app.evaluators.concurrent_requests import gather_all
from app.evaluators.free_score import ask_score
from app.providers.base import ChatModel, ChatRequest

# What befalls one sample and says nothing of the others. Anything else may be gone when the text is tried again.
_LOST = (AbstainedError, RefusedError, CutOffError, NoAnswerError, UnreadableScoreError)


async def sampled_score(model: ChatModel, requests: Sequence[ChatRequest], dimension: Dimension) -> Evaluation:
    """The mean of the samples that hold a score; the details say how many of how many do.

    The first sample goes ahead, so that the others find the prompt they share in the provider's cache. Raises the
    commonest of their errors where no sample holds a score (AbstainedError where that is what most of them say), and
    whatever else befalls one of them.
    """

    lost: list[ProviderError] = []
    ahead = asyncio.Event()

    async def one(request: ChatRequest) -> float | None:
        if request is not requests[0]:
            await ahead.wait()
        try:
            found, _ = await ask_score(model, request, dimension, attempts=1)
        except _LOST as error:
            lost.append(error)
            return None
        finally:
            ahead.set()
        return found.value

    drawn = await gather_all(map(one, requests))
    values = [value for value in drawn if value is not None]
    if not values:
        raise _commonest(lost)
    shares = {f"{value:g}": values.count(value) / len(values) for value in sorted(set(values))}
    counted = {"outside": 1 - len(values) / len(drawn), "samples": len(values), "asked": len(drawn)}
    return Evaluation(fmean(values), details={"probabilities": shares, **counted})


def _commonest(errors: Sequence[ProviderError]) -> ProviderError:
    kinds = Counter(error.kind for error in errors)
    kind, count = kinds.most_common(1)[0]
    error = next(error for error in errors if error.kind == kind)
    if isinstance(error, AbstainedError):
        return error
    said = f"None of {len(errors)} samples gave a score; of {count} of them: {error.message}"
    return type(error)(said, error.hint)
