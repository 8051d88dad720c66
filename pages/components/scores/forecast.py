"""Forecast of runs: texts, requests and cost."""

from collections.abc import Sequence

import streamlit as st

from app.domain.model_call import model_label
from app.domain.project import Project
from app.domain.run import RunDimension
from app.services.runtime.spending import JUDGING, Spending, allowances_left, project_spending, total_cost
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import Estimate, Forecast
from pages.components.shell.labels import ShownErrors, about, dollars, number, paid, plain
from pages.components.shell.tables import show_table


def show_forecast(ahead: Sequence[Forecast]) -> None:
    """Draw one forecast a judge, all of the same texts."""
    st.markdown("**Before it starts**")
    parts = ahead[0].parts
    dimensions, scores = len(parts), sum(len(part.texts) for part in parts)
    least, most = (choose(len(part.texts) for part in parts) for choose in (min, max))
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    on = f"on {dimensions} dimensions, {each} on each" if dimensions > 1 else f"on {plain(parts[0].name)}"
    judges = f" by each of {len(ahead)} judges" if len(ahead) > 1 else ""
    st.markdown(f"{number(ahead[0].texts, 'text')} {on}: {number(scores, 'score')}{judges}.")
    for judge in ahead:
        heading = f"**{plain(model_label(judge.judge))}**  \n" if len(ahead) > 1 else ""
        st.markdown(heading + _asks(judge))
        if judge.estimate.too_long:
            st.warning(plain(judge.estimate.too_long))
    if len(ahead) > 1:
        calls = sum(judge.estimate.calls - judge.estimate.calls_cached for judge in ahead if judge.is_llm)
        known = sum(judge.estimate.cost_usd or 0.0 for judge in ahead)
        unknown = [judge.judge for judge in ahead if judge.estimate.cost_usd is None]
        cost = about(known)
        if unknown:
            cost = f"{cost}, and what {plain(', '.join(unknown))} costs" if known else "unknown"
        st.markdown(f"**Together: {number(calls, 'new call')}, cost {cost}**")


def texts_to_score(ahead: Forecast) -> None:
    """Draw which texts are scored, and which documents are left out; folded, as documents' names are long."""
    documents = {doc for part in ahead.parts for doc in part.excluded_docs}
    alone = {text for part in ahead.parts for text in part.excluded_texts}
    out = [number(len(documents), "document")] if documents or not alone else []
    out += [number(len(alone), "sample text")] if alone else []
    with st.expander(f"Texts on each dimension; {' and '.join(out)} left out", key="texts_to_score"):
        st.caption(
            "A document of which people read a text as a sample while thinking aloud is not scored on that dimension. "
            "Where that would lose too many texts, only the sample texts themselves are left out."
        )
        show_table([_part(part) for part in ahead.parts], "parts", _COLUMNS)


NO_JUDGE = "It is computed on this machine: no judge is asked and nothing is paid."
NO_LLM = "The judge is a set of rules, not an LLM: no call leaves this machine and nothing is paid."
_COLUMNS = {"Texts": st.column_config.NumberColumn(width="small", format="localized")}


def _asks(judge: Forecast) -> str:
    if judge.is_llm:
        return _calls(judge.estimate)
    return NO_LLM if judge.judge == "rules" else NO_JUDGE


def _calls(found: Estimate) -> str:
    """Return the requests and their cost as lines of Markdown."""
    new = found.calls - found.calls_cached
    reuse = "".join(f"  \n{plain(str(each))}" for each in found.reuse)
    if not new:
        return (
            f"All {number(found.calls, 'call')} were answered before, in a run or by “Try it”: nothing is paid.{reuse}"
        )
    tokens = f"about {found.input_tokens:,} tokens in, {found.output_tokens_estimate:,} out."
    if not found.calls_cached:
        said = f"{number(new, 'call')}: {tokens}"
    else:
        free = "cost nothing: answered before, in a run or by “Try it”, or the same as another."
        said = f"{number(found.calls, 'call')}; {found.calls_cached:,} {free}  \n"
        said += f"{number(new, 'new call')}: {tokens}"
    said += f"  \n{plain(found.counted_on.capitalize())}." if found.counted_on else ""
    said += f"  \n{plain(found.reasoning.capitalize())}." if found.reasoning else ""
    caching = f"  \n{plain(found.caching.capitalize())}." if found.caching else ""
    return f"{said}{reuse}  \nCost: {_cost(found)}{_otherwise(found)}{caching}"


def _cost(found: Estimate) -> str:
    if found.cost_usd is None:
        return "**unknown price**. No price is on record for this model, so look it up with its provider."
    return f"**{about(found.cost_usd)}**{f', {found.paid_at}.' if found.paid_at else ''}"


def _otherwise(found: Estimate) -> str:
    """Return what it would cost at once, or in a batch: the one that isn't chosen."""
    if found.at_once_usd:
        return f"  \nAt once: {about(found.at_once_usd)}."
    if not found.batch_usd:
        return ""
    return f"  \nAs a batch: {about(found.batch_usd)}, answered within a day (“Service tier”, under “More options”)."


def _part(part: RunDimension) -> dict[str, object]:
    alone = number(len(part.excluded_texts), "sample text") if part.excluded_texts else "none"
    return {"Dimension": part.name, "Texts": len(part.texts), "Left out": ", ".join(part.excluded_docs) or alone}


STAGES = {
    "think-aloud": "Thinking aloud",
    "components": "Components",
    "clusters": "Clusters",
    "key-questions": "Key questions",
    "sub-questions": "Sub-questions",
    "validation": "Validation",
    "follow-up": "Follow-up questions",
    "contrast-attributes": "Attributes from pairs",
    "checklist-coverage": "Coverage by the checklist",
    "transcript-attributes": "Attributes from speech",
    JUDGING: "Judging",
}
_COST_COLUMNS = {
    "Calls": st.column_config.NumberColumn(
        format="localized", help="Answers that were paid for, and replies that were lost and may have been."
    ),
    "Input": st.column_config.NumberColumn(format="localized", help="Tokens sent, those from the cache included."),
    "Answered before": st.column_config.NumberColumn(
        format="localized", help="The very same request had an answer already: nothing was paid."
    ),
    "of it from cache": st.column_config.NumberColumn(
        format="localized", help="The part that the provider still remembered from an earlier request: cheaper."
    ),
    "of it to cache": st.column_config.NumberColumn(
        format="localized", help="The part that the provider keeps for the next requests; some ask more for it."
    ),
    "Output": st.column_config.NumberColumn(format="localized"),
    "Cost": st.column_config.TextColumn(alignment="right", help="US dollars, from the prices on the Settings screen."),
}


def cost_table(workbench: Workbench, project: Project) -> None:
    """Draw the costs so far, folded; nothing if nothing was ever paid."""
    rows = project_spending(workbench, project.id)
    if not rows:
        return
    known, unknown = total_cost(rows)
    total = dollars(known if known or not unknown else None)
    if known and unknown:
        total = f"at least {total}; not all is known of {plain(', '.join(unknown))}"
    with st.expander(f"What it cost: {total}", key="what_it_cost"):
        show_table([_row(row) for row in rows], "costs", _COST_COLUMNS)
        st.caption(
            "Tokens as the providers counted them, useless answers included, at the prices of the day. Embeddings and "
            "transcripts of recordings are not in here."
        )


def _row(spent: Spending) -> dict[str, object]:
    return {
        "Stage": STAGES.get(spent.stage, spent.stage),
        "Run": "" if spent.run is None else str(spent.run),
        "Model": spent.model,
        "Calls": spent.calls,
        "Answered before": spent.calls_cached,
        "Input": spent.input_tokens,
        "of it from cache": spent.cached_tokens,
        "of it to cache": spent.cache_write_tokens,
        "Output": spent.output_tokens,
        "Cost": paid(spent.cost_usd, spent.at_least_usd, markdown=False),
    }


def allowance(workbench: Workbench, project_id: int, ahead: Sequence[Forecast]) -> None:
    """Draw the budget's limits; nothing without requests or a limit."""
    paying = [judge for judge in ahead if judge.is_llm and judge.estimate.calls > judge.estimate.calls_cached]
    with ShownErrors():
        budgets = allowances_left(workbench, project_id, [judge.judge for judge in paying])
        cost = sum(judge.estimate.cost_usd or 0.0 for judge in paying)
        for shared in budgets:
            st.caption(f"{plain(shared.whose)}: {dollars(shared.left)} of it is left.")
            if cost > shared.left:
                st.warning(
                    "This may cost more than that: the run then ends on the way and can be resumed. "
                    f"{plain(shared.hint)}"
                )
