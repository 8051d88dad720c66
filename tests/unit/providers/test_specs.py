"""A provider is its spec and its adapter: one that is made up here works everywhere, one that isn't there raises."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

import pytest
from pydantic import SecretStr

from app.domain.model_call import RenderedPrompt
from app.errors import MissingKeyError, UnknownModelError
from app.providers.adapters.provider_errors import Rejection, provider_error, unreachable
from app.providers.adapters.request_style import first_style
from app.providers.base import ChatReply, ChatRequest
from app.providers.credentials import Access, Credentials, Endpoint, credentials_problem
from app.providers.model_name import ModelName, parse_model_name
from app.providers.model_options import EFFORTS, efforts_of
from app.providers.registry import describe_models, gives_logprobs, import_sdk, open_model
from app.providers.specs import KNOWN_PROVIDERS, OWN, ModelTraits, ProviderSpec, network_providers, spec_of
from app.services.attributes.embedding_choice import embedding_choices
from app.services.runtime.models import ProviderAccess, provider_access
from app.services.runtime.workbench import Workbench
from app.settings import Settings
from tests.support.repository import ROOT

PREFIX = "acme"
PLAIN = Access(SecretStr("sk-planted"), None, "a test")


@dataclass
class AcmeModel:
    """All that an adapter must be."""

    parsed: ModelName
    endpoint: Endpoint
    timeout: float
    most_output: int | None
    is_llm = True

    @property
    def name(self) -> str:
        return str(self.parsed)

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply(f"{request.prompt.user} {self.endpoint.base_url}", self.name)

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.fixture
def acme(monkeypatch: pytest.MonkeyPatch) -> ProviderSpec:
    spec = ProviderSpec(
        PREFIX,
        "Acme",
        "acme:rocket-2",
        f"{__name__}:AcmeModel",
        key_variables=("ACME_API_KEY", "ACME_TOKEN"),
        url_variable="ACME_BASE_URL",
        default_url="https://api.acme.example",
        family=re.compile("rocket"),
        gives_logprobs=False,
        note="Fast.",
        models=ModelTraits(no_temperature=re.compile("rocket-2"), efforts=((re.compile("rocket-1"), ()),)),
        embedder=f"{__name__}:AcmeModel",
        embeddings=("rocket-embed",),
    )
    monkeypatch.setitem(KNOWN_PROVIDERS, PREFIX, spec)  # type: ignore[arg-type]
    return spec


def test_a_made_up_provider_is_opened_with_its_key_and_address(acme: ProviderSpec) -> None:
    with pytest.raises(MissingKeyError, match=r"Acme.*ACME_API_KEY"):
        open_model(acme.example, Credentials())
    model = open_model(acme.example, Credentials({PREFIX: PLAIN}), timeout=7.0, most_output=9)
    assert (model.name, model.timeout, model.most_output) == ("acme:rocket-2", 7.0, 9)  # type: ignore[attr-defined]
    reply = asyncio.run(model.complete(ChatRequest(RenderedPrompt("judge", 1, "d1", "", "Hello", {}))))
    assert reply.text == "Hello https://api.acme.example"


def listed_on_settings() -> ProviderAccess:
    nowhere: Any = None  # no database is looked at
    workbench = Workbench(nowhere, Credentials.from_settings(Settings()))
    return next(access for access in provider_access(workbench) if access.prefix == PREFIX)


@pytest.mark.parametrize("variable", ["ACME_API_KEY", "ACME_TOKEN"])
def test_its_variables_are_read_and_it_stands_on_the_list_of_settings(
    acme: ProviderSpec, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "ACME_API_KEY" in listed_on_settings().obstacle
    monkeypatch.setenv(variable, "sk-planted")
    monkeypatch.setenv("ACME_BASE_URL", "http://localhost:1234")
    found = listed_on_settings()
    assert (found.title, found.key_source, found.address) == ("Acme", "the environment", "http://localhost:1234")
    assert found.obstacle == ""


def test_it_is_on_every_list(acme: ProviderSpec) -> None:
    described = {info.name: info for info in describe_models(Credentials())}["acme:NAME"]
    assert (described.price, described.note) == (None, "Fast.")
    assert "ACME_API_KEY" in described.obstacle
    assert "acme:rocket-embed" in [choice.name for choice in embedding_choices(Credentials())]


def test_errors_and_suggestions_name_it(acme: ProviderSpec) -> None:
    name = ModelName(PREFIX, "rocket-2")
    assert "Acme" in str(provider_error(name, Rejection(401)))
    assert "ACME_BASE_URL" in str(unreachable(name))
    with pytest.raises(UnknownModelError, match=r"Did you mean acme:rocket-9\?"):
        parse_model_name("rocket-9")
    with pytest.raises(UnknownModelError, match="local, acme"):
        parse_model_name("mine:model")


def test_what_its_spec_says_of_models_holds(acme: ProviderSpec) -> None:
    assert not gives_logprobs(acme.example)
    assert not first_style(ModelName(PREFIX, "rocket-2")).temperature
    assert first_style(ModelName(PREFIX, "rocket-1")).temperature
    assert (efforts_of(ModelName(PREFIX, "rocket-1")), efforts_of(ModelName(PREFIX, "rocket-2"))) == ((), None)


NOBODY = ModelName("nobody", "model")


@pytest.mark.parametrize(
    "use",
    [
        lambda: open_model(str(NOBODY), Credentials()),
        lambda: import_sdk("nobody"),
        lambda: spec_of("nobody"),
        lambda: Credentials().of("nobody"),
        lambda: credentials_problem("nobody", Credentials()),
        lambda: first_style(NOBODY),
        lambda: efforts_of(NOBODY),
        lambda: NOBODY.title,
        lambda: provider_error(NOBODY, Rejection(401)),
    ],
)
def test_a_provider_that_is_not_there_raises_and_is_never_another(use: Callable[[], object]) -> None:
    with pytest.raises(UnknownModelError, match=r"'nobody' is not a provider.*openai, anthropic"):
        use()


@pytest.mark.parametrize("spec", KNOWN_PROVIDERS.values(), ids=str)
def test_every_spec_names_what_is_there(spec: ProviderSpec) -> None:
    for dotted in filter(None, (spec.opener, spec.embedder, spec.lister)):
        module = dotted.partition(":")[0]
        assert module == "app.rules" or module.startswith(("app.providers.adapters.", "app.providers.embeddings."))
        assert callable(resolve_name(dotted))
    assert not spec.speaks_http or (spec.key_variables and spec.url_variable)
    assert {effort for _, efforts in spec.models.efforts for effort in efforts} <= set(EFFORTS)


def test_every_effort_of_a_model_that_counts_its_thought_has_a_count() -> None:
    budgets = resolve_name("app.providers.adapters.google:BUDGETS")
    assert efforts_of(ModelName("google", "gemini-2.5-flash")) == tuple(budgets)


def test_adding_one_touches_no_list_of_prefixes_elsewhere() -> None:
    """The vendors' prefixes stand as such in their specs alone, and where an adapter names its SDK."""
    vendors = [spec.prefix for spec in network_providers() if spec.prefix != OWN]
    quoted = re.compile(rf"""["']({"|".join(vendors)})["']""")
    files = [path for folder in ("app", "pages", "db") for path in sorted((ROOT / folder).rglob("*.py"))]
    naming = {path.relative_to(ROOT).as_posix() for path in files if quoted.search(path.read_text(encoding="utf-8"))}
    assert {name for name in naming if not name.startswith("app/providers/adapters/")} == {"app/providers/specs.py"}
