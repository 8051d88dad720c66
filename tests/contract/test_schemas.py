"""The schemas that are really sent fit the strictest of the APIs' schema modes."""

import pytest

from app.evaluators.checklist import judge_schema
from app.prompting.library import available_prompts, load_prompt
from app.providers.adapters.request_style import is_closed
from tests.support.adapter_cases import AdapterCase, a_request, ask, schema_sent
from tests.support.fake_llm.server import FakeLlm

SCHEMAS = {name: load_prompt(name).output_schema for name in available_prompts()} | {
    "judge": judge_schema(9),
    "judge with evidence": judge_schema(9, evidence=True),
    "judge with all": judge_schema(9, True, [True] * 9, cannot_tell=True, evidence=True),
}


@pytest.mark.parametrize("name", [name for name, schema in SCHEMAS.items() if schema is not None])
def test_no_prompt_loses_its_schema_mode(name: str, case: AdapterCase, server: FakeLlm) -> None:
    schema = SCHEMAS[name]
    assert schema is not None
    assert is_closed(schema, all_required=True)
    ask(case, server, a_request(schema=schema))
    sent = schema_sent(server.requests[0])
    assert sent is not None
    assert set(sent["properties"]) == set(schema["properties"])
    assert set(sent["required"]) == set(schema["required"])
