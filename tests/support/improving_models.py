"""The judge and writer of `wording_judges` over the wire, for a server or a worker in a process of its own."""

import json
import re

from tests.support.fake_llm.behaviour import Answer, Behaviour
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.wording_judges import ASKED, QUESTIONS, guided, letter, misreads_warm

KIND = "Warm means kind to the reader."
_LETTER = re.compile(re.escape(letter(0)).replace("0", r"\d+").replace("kind", r"\w+").replace("hot", r"\w+"))


def improving_models() -> FakeLlm:
    """Serves llama:judge and llama:writer; use as a context manager."""
    return FakeLlm(usual=_answer, models=("judge", "writer"))


def _answer(received: Received) -> Behaviour:
    """By the text and the guidance that a request holds."""
    said = "\n".join(str(message["content"]) for message in received.body["messages"])
    if "proposals" in json.dumps(received.body.get("response_format", {})):
        return Answer(json.dumps({"proposals": [guided("Look at the first line."), guided(KIND)]}))
    found = _LETTER.search(said)
    assert found is not None, "no letter to judge"
    asked = QUESTIONS[ASKED] if QUESTIONS[ASKED] in said else ""
    word = "yes" if misreads_warm(asked, KIND if KIND in said else "", found.group()) else "no"
    return Answer(lambda schema: json.dumps(dict.fromkeys((schema or {})["required"], word)))
