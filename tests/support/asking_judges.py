"""Judges that answer each question by its words and the text, and one whose answers lean on the question's place."""

import json
import re
from collections.abc import Callable
from hashlib import sha256

from tests.support.fake_llm.behaviour import Answer, Behaviour
from tests.support.fake_llm.server import Received

Leaning = Callable[[float], float]


def judge_of(chance_of_yes: Leaning, seed: int = 0) -> Callable[[Received], Behaviour]:
    """Says yes to a question about a text where a number drawn from both lies below `chance_of_yes` of its place: 0
    for the first question of a call, 1 for the last, 0.5 where it is alone. The same number in every order."""

    def answer(received: Received) -> Behaviour:
        system, user = (message["content"] for message in received.body["messages"])
        asked = dict(re.findall(r"^(q\d+): (.*)$", system, re.M))
        given = {}
        for place, (key, question) in enumerate(asked.items()):
            where = place / (len(asked) - 1) if len(asked) > 1 else 0.5
            drawn = int(sha256(f"{seed} {question} {user}".encode()).hexdigest()[:8], 16) / 16**8
            given[key] = "yes" if drawn < chance_of_yes(where) else "no"
        return Answer(json.dumps(given))

    return answer


def steady(_: float) -> float:
    return 0.5


def leaning(where: float) -> float:
    """Nine of ten times yes to the first question, one of ten to the last."""
    return 0.9 - 0.8 * where
