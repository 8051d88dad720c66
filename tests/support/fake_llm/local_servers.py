"""Model servers as people have them on their computer: what each kind says of itself beside its list of models."""

from tests.support.fake_llm.behaviour import Answer, Fail, all_yes
from tests.support.fake_llm.server import FakeLlm

MODEL = "llama3.1:8b"


def ollama(context: int | None = None, parameters: str = "") -> FakeLlm:
    """context: of the model in memory, None where it isn't."""
    running = [] if context is None else [{"name": MODEL, "model": MODEL, "context_length": context}]
    beside = {
        "/api/version": {"version": "0.12.3"},
        "/api/ps": {"models": running},
        "/api/show": {"parameters": parameters, "model_info": {"llama.context_length": 131_072}},
    }
    return FakeLlm(usual=Answer(all_yes), models=(MODEL, "nomic-embed-text:latest"), owner="library", beside=beside)


def lm_studio(context: int = 8192) -> FakeLlm:
    model = {"id": "qwen3-8b", "type": "llm", "state": "loaded", "max_context_length": 40_960}
    beside = {"/api/v0/models": {"object": "list", "data": [{**model, "loaded_context_length": context}]}}
    return FakeLlm(usual=Answer(all_yes), models=("qwen3-8b",), owner="organization_owner", beside=beside)


def llama_cpp(context: int = 2048) -> FakeLlm:
    beside = {"/props": {"default_generation_settings": {"n_ctx": context}, "total_slots": 1}}
    return FakeLlm(usual=Answer(all_yes), models=("SmolLM2-135M.gguf",), owner="llamacpp", beside=beside)


def vllm(context: int = 16_384) -> FakeLlm:
    """Its list of models says more than others' do."""
    listed = {"id": "meta-llama/Llama-3.1-8B-Instruct", "owned_by": "vllm", "max_model_len": context}
    return FakeLlm(usual=Answer(all_yes), beside={"/v1/models": {"object": "list", "data": [listed]}})


def llama_cpp_python() -> FakeLlm:
    """It tells its context length, 4,096 tokens, only where it refuses a longer text."""
    return FakeLlm(usual=Fail("window"), models=("smollm2",), owner="me")


def port_of(server: FakeLlm) -> int:
    return int(server.url.rpartition(":")[2])
