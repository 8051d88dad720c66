"""The models known by name and what they cost."""

import pandas as pd
import streamlit as st

from app.services.runtime.access import PricedModel, price_list
from app.services.runtime.workbench import Workbench
from pages.components.shell.words import model_label

_NAMES = {
    "rules": model_label("rules"),
    "replay:FILE": "replay:FILE (recorded answers)",
    "llama:NAME": "llama:NAME (any model your server has)",
}
_PRICES = {"Input": "input", "Input from cache": "cached", "Input to cache": "written", "Output": "output"}
_HELP = {
    "Input": "What you send: the instructions, the questions and the text. A token is about four letters of English.",
    "Input from cache": "The part of the input that the provider still remembers from an earlier request.",
    "Input to cache": "The part of the input that the provider keeps for the next requests; some ask more for it.",
    "Output": "What the model answers.",
}


def price_table(workbench: Workbench) -> None:
    prices = price_list(workbench)
    st.caption(
        f"US dollars per million tokens, looked up on {prices.checked:%d %B %Y}. Providers change their prices without "
        "notice, so check them before you rely on an estimate. A model that isn’t listed can be used as well, as "
        "provider:name; its price is then shown as unknown and its runs have no cost, not a cost of 0."
    )
    columns = {name: st.column_config.TextColumn(help=_HELP[name], alignment="right") for name in _PRICES}
    rows = [
        {
            "Model": _NAMES.get(model.name, model.name),
            **{column: _amount(model, part) for column, part in _PRICES.items()},
            "Can be used": "yes" if model.ready else "no",
        }
        for model in prices.models
    ]
    st.dataframe(pd.DataFrame(rows), placeholder="–", hide_index=True, key="prices", column_config=columns, height=350)


def _amount(model: PricedModel, part: str) -> str:
    if model.price is None:
        return "unknown"
    if model.free:
        return "free"
    amount = getattr(model.price, part)
    amount = model.price.input if amount is None else amount
    return f"{amount:,.2f}" if round(amount, 2) == amount else f"{amount:,.3f}"
