"""models list, models test, models prices, bench."""

import asyncio
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.shared import JsonOption, echo, open_workbench, print_json, say, table
from app.errors import ProviderError

if TYPE_CHECKING:
    from app.providers.registry import ModelInfo
    from app.services.runtime.spending import PricedModel
    from app.services.runtime.workbench import Workbench


# The endpoint gets less; this is also for importing what asks it, on a slow machine.
ENDPOINT_SECONDS = 60.0


class Benchmark(StrEnum):
    SCORING = "scoring"
    SESSIONS = "sessions"


def list_(
    ask: Annotated[
        bool, typer.Option("--ask", help="Ask each vendor whose key is set which models the key may use.")
    ] = False,
    use: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Use the model server found at this address from now on.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """List the configured models with prices per million tokens. Your own endpoint is asked for its models.

    Without an endpoint, the command looks for Ollama, LM Studio, llama.cpp and vLLM on this computer.

    Example: interacteval models list
    """
    from app.providers.known_prices import end_of
    from app.providers.registry import describe_models
    from app.services.runtime.endpoint_models import endpoint_models, use_local_server

    workbench = open_workbench()
    if use is not None:
        use_local_server(workbench, use)
        workbench = open_workbench()
    endpoint = endpoint_models(workbench, patience=ENDPOINT_SECONDS)
    found = describe_models(workbench.credentials, served=endpoint.names)
    if ask:
        found = _as_sold(workbench, found)
    if json_:
        print_json(
            [
                {
                    "model": m.name,
                    "provider": m.provider,
                    "key_set": m.key_set,
                    "key_source": m.key_source,
                    "input_usd": m.price.input if m.price else None,
                    "cached_usd": m.price.cached if m.price else None,
                    "cache_write_usd": (m.price.written or m.price.input) if m.price else None,
                    "output_usd": m.price.output if m.price else None,
                    "ends": end.day.isoformat() if (end := end_of(m.name)) else None,
                    "note": m.obstacle or m.note,
                }
                for m in found
            ]
        )
        return
    rows = [[m.name, m.price.input if m.price else None, m.price.output if m.price else None, _ready(m)] for m in found]
    echo(table(["model", "$ in", "$ out", "can be used"], rows))
    for obstacle in dict.fromkeys(m.obstacle for m in found if m.obstacle):  # one sentence a provider, not a model
        echo(obstacle)
    if endpoint.problem:
        echo(endpoint.problem)
    _print_nearby(workbench)


def _print_nearby(workbench: "Workbench") -> None:
    """Print unused model servers on this computer, or how to get one."""
    from app.providers.credentials import HOW_TO_GET_ONE
    from app.services.runtime.endpoint_models import ASKED_SECONDS, local_servers

    nearby = local_servers(workbench, patience=ASKED_SECONDS)
    for server in nearby.others:
        models = ", ".join(server.models) or "no model yet"
        echo(f"{server.kind} on this computer has {models}. Use it: interacteval models list --use {server.address}")
    if nearby.looked and not nearby.found and not nearby.used:
        echo("No model server runs on this computer. To get one:")
        for line in HOW_TO_GET_ONE:
            echo(f"- {line}")


def _as_sold(workbench: "Workbench", found: "list[ModelInfo]") -> "list[ModelInfo]":
    """Return the models with each vendor's own list, newest first, if the vendor answers, instead of those known by
    name."""
    from app.providers.registry import describe_models
    from app.providers.specs import network_providers
    from app.services.runtime.models import ask_vendor_models

    usable = {model.provider for model in found if not model.obstacle}
    for spec in network_providers():
        if spec.listing is None or spec.prefix not in usable:
            continue
        try:
            names = ask_vendor_models(workbench, spec.prefix)
        except ProviderError as error:
            say(error.in_full)
            continue
        sold = {model.name: model for model in describe_models(workbench.credentials, served=names)}
        others = [model for model in found if model.provider != spec.prefix]
        found = [*others, *(sold[name] for name in names)]
    return found


def _ready(model: "ModelInfo") -> str:
    from app.providers.known_prices import end_label

    usable = "no" if model.obstacle else "yes"
    note = "" if model.obstacle else model.note.rstrip(".")
    return ". ".join(filter(None, (usable, note, end_label(model.name))))


def test(
    model: Annotated[str, typer.Argument(help="provider:name, or rules.")] = "rules", json_: JsonOption = False
) -> None:
    """Ask a model one question and show its abilities: schema, log-probabilities, echo, context length and speed.

    Example: interacteval models test openai:gpt-6-luna
    """
    from app.services.runtime.model_abilities import probe_model

    found = asyncio.run(probe_model(open_workbench(), model))
    if json_:
        print_json(found.to_json())
        return
    echo(f"{model} answers ({found.seconds:.1f} s).")
    if rows := found.rows():
        echo(table(["ability", "found"], rows))


def prices(
    update: Annotated[
        bool, typer.Option("--update", help="First fetch the newest prices; nothing else ever fetches them.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """List prices of models per million tokens, and the source of each price.

    Example: interacteval models prices --update
    """
    from app.services.runtime.spending import price_list, update_prices

    workbench = open_workbench()
    if update:
        say(f"Prices of {update_prices(workbench):%d %B %Y} from now on; what was paid before keeps its cost.")
    found = price_list(workbench)
    if json_:
        print_json([model.to_json() for model in found.models])
        return
    parts = ("input_usd", "cached_usd", "cache_write_usd", "output_usd")
    rows = [[m.name, *(m.to_json()[part] for part in parts), _from(m)] for m in found.models]
    echo(table(["model", "$ in", "$ from cache", "$ to cache", "$ out", "from"], rows))


def _from(model: "PricedModel") -> str:
    """Return source and day of the price, and short notes on what --json shows in full."""
    origin = model.price.origin if model.price else None
    if model.price is None or origin is None:
        return ""
    longer = "".join(f"; more above {tokens:,} tokens of input" for tokens, _ in model.price.longer)
    return f"{origin.source}{f', {origin.day}' if origin.day else ''}{longer}{'; flex' if model.flex else ''}"


def bench(name: Annotated[Benchmark, typer.Argument(help="What to measure.")], json_: JsonOption = False) -> None:
    """Measure this machine: how fast a run scores texts, or how many people can work at once. Data are made up.

    Example: interacteval bench scoring --json
    """
    if name is Benchmark.SCORING:
        from app.benchmarks.scoring import run as score

        measured = score()
    else:
        from app.benchmarks.sessions import run as play_sessions

        measured = play_sessions()
    if json_:
        print_json(measured)
    else:
        echo(table(["measurement", "value"], _flat(measured)))


def _flat(measured: Mapping[str, Any], before: str = "") -> list[list[Any]]:
    rows: list[list[Any]] = []
    for name, value in measured.items():
        rows += _flat(value, f"{before}{name} ") if isinstance(value, Mapping) else [[f"{before}{name}", value]]
    return rows
