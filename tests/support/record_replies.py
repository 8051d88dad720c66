"""Record replies of llama-cpp-python for tests/contract: python -m tests.support.record_replies URL."""

import json
import sys
import urllib.error
import urllib.request
from typing import Any

from tests.support.adapter_cases import SCHEMA, SYSTEM, USER
from tests.support.repository import ROOT

FILE = ROOT / "tests" / "contract" / "recorded" / "llama_cpp_python.json"
MODEL = "/models/SmolLM2-135M-Instruct.Q4_1.gguf"
_MESSAGES = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
_STRICT = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "json_schema": ("chat/completions", {"response_format": _STRICT, "max_tokens": 60}),
    "json_object_schema": (
        "chat/completions",
        {"response_format": {"type": "json_object", "schema": SCHEMA}, "max_tokens": 60},
    ),
    "logprobs": ("chat/completions", {"logprobs": True, "top_logprobs": 3, "max_tokens": 60}),
    "cut off": ("chat/completions", {"max_tokens": 3}),
    "too long": ("chat/completions", {"messages": [{"role": "user", "content": "a " * 9000}], "max_tokens": 60}),
    "echo": ("completions", {"prompt": f"{SYSTEM}\n\n{USER}\nIt burns.", "echo": True, "logprobs": 1, "max_tokens": 1}),
    "models": ("models", {}),
}


def recorded(url: str) -> dict[str, Any]:
    """Each request's name -> status and body, without this machine's paths and times."""
    found = {}
    for name, (path, body) in ASKED.items():
        whole = {"model": "smollm2", "temperature": 0, "messages": _MESSAGES} | body
        if path == "completions":
            del whole["messages"]
        data = None if path == "models" else json.dumps(whole).encode()
        request = urllib.request.Request(f"{url}/{path}", data, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=300) as reply:
                status, said = reply.status, json.load(reply)
        except urllib.error.HTTPError as refused:
            status, said = refused.code, json.load(refused)
        found[name] = {"status": status, "body": _without_this_machine(said)}
    return found


def _without_this_machine(said: dict[str, Any]) -> dict[str, Any]:
    fixed = {"id": "recorded", "created": 0, "model": MODEL}
    said |= {name: value for name, value in fixed.items() if name in said}
    if "error" in said:
        said["error"]["message"] = said["error"]["message"].partition("\n\n  File")[0]
    return said


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(reply)}" for name, reply in recorded(sys.argv[1]).items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
