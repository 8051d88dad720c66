"""One server on this machine in the place of all vendors."""

import json

from tests.support.fake_llm import anthropic_wire, google_wire, mistral_wire
from tests.support.fake_llm.behaviour import Answer, Behaviour, Fail
from tests.support.fake_llm.server import FakeLlm, Received

SUGGESTED = [
    "openai:gpt-6-luna",
    "anthropic:claude-sonnet-5-5",
    "google:gemini-3.8-flash",
    "mistral:mistral-large-4",
    "llama:llama3.1:8b",
]
SERVED = ("nomic-embed-text", "qwen3:8b", "llama3.1:8b")
POINTS = {"considerations": [{"index": n, "consideration": f"Whether point {n} is made."} for n in (1, 2, 3)]}


def environment_of(server: FakeLlm) -> dict[str, str]:
    """What a person sets so that all are reached there."""
    keys = {f"{name}_API_KEY": "not-a-key" for name in ("OPENAI", "ANTHROPIC", "GOOGLE", "MISTRAL")}
    bare = {f"{name}_BASE_URL": server.url for name in ("ANTHROPIC", "GOOGLE_GEMINI", "LLAMA")}
    return {
        **keys,
        **bare,
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "MISTRAL_BASE_URL": f"{server.url}/mistral/v1",
    }


def vendor_of(request: Received) -> str:
    by_wire = {anthropic_wire: "anthropic", google_wire: "google", mistral_wire: "mistral"}
    return by_wire.get(request.wire) or ("llama" if "llama" in request.body["model"] else "openai")


def thinks_aloud(request: Received) -> Behaviour:
    """Three attributes, whoever is asked."""
    return Answer(json.dumps(POINTS))


def thinks_aloud_again(request: Received) -> Behaviour:
    """Two of the three once more, in other letters, and one that is new."""
    points = ["whether point 1  is made!", "Whether point 2 is made", "Whether the points follow."]
    return Answer(json.dumps({"considerations": [{"index": n, "consideration": p} for n, p in enumerate(points)]}))


def all_but_google(request: Received) -> Behaviour:
    return Fail("wrong-key") if vendor_of(request) == "google" else thinks_aloud(request)
