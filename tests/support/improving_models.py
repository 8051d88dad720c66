"""The judge and writer of `wording_judges` over the wire, for a server or a worker in a process of its own."""

import json
import re
from functools import partial

from tests.support.fake_llm.behaviour import Answer, Behaviour
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.wording_judges import ASKED, QUESTIONS, Judging, guided, letter, misreads_warm

KIND = "Warm means kind to the reader."
_LETTER = re.compile(re.escape(letter(0)).replace("0", r"\d+").replace("kind", r"\w+").replace("hot", r"\w+"))


_EXAMPLE = re.compile(r'Example for \w+: (.+)\n\s+Answer: "(\w+)"')


def improving_models(judging: Judging = misreads_warm) -> FakeLlm:
    """Serves llama:judge and llama:writer; use as a context manager."""
    return FakeLlm(usual=partial(_answer, judging), models=("judge", "writer"))


def _answer(judging: Judging, received: Received) -> Behaviour:
    """By the text, the guidance and the examples that a request holds."""
    said = [str(message["content"]) for message in received.body["messages"]]
    if "proposals" in json.dumps(received.body.get("response_format", {})):
        return Answer(json.dumps({"proposals": [guided("Look at the first line."), guided(KIND)]}))
    found = _LETTER.search(said[-1])
    assert found is not None, "no letter to judge"
    before = "\n".join(said)
    asked = QUESTIONS[ASKED] if QUESTIONS[ASKED] in before else ""
    shown = [f"{text} => {answer}" for text, answer in _EXAMPLE.findall(before)]
    word = "yes" if judging(asked, " ".join([KIND] * (KIND in before) + shown), found.group()) else "no"
    return Answer(lambda schema: json.dumps(dict.fromkeys((schema or {})["required"], word)))
