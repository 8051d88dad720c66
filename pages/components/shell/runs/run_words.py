"""Words for runs, the same on every screen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.condition import ONLY, Condition, Family, StudyCondition, named_in
from app.domain.model_call import RULES_LABEL, ProviderBatch, model_label
from app.domain.run import RunStatus, RunSummary
from app.services.results.method_grid import method_and_judge
from app.services.runtime.batch_rounds import AGAIN, LIVE
from app.services.runtime.endpoint_models import ask_endpoint_again, endpoint_models
from app.services.runtime.workbench import Workbench
from app.services.scoring.scoring_jobs import FailureKind
from pages.components.shell import labels as local_time
from pages.components.shell.background import POLL_SECONDS
from pages.components.shell.current import one_between, was_pressed
from pages.components.shell.labels import failure_address, guide_link, number, plain

if TYPE_CHECKING:
    from app.services.conditions.study_figures import ConditionFigures


FAMILIES = {
    Family.SL: "Single LLMs (SL)",
    Family.SH: "Single people (SH)",
    Family.ML: "All LLMs (ML)",
    Family.MH: "All people (MH)",
    Family.COMB: "Everybody (Comb)",
    Family.WITHOUT: "Everybody but one",
}


def family_label(family: Family, name: str = "") -> str:
    """Return the label of a study's row: a family, or everybody without the contributor of this name."""
    return f"Without {model_label(name)}" if family is Family.WITHOUT and name else FAMILIES[family]


def row_label(row: "ConditionFigures") -> str:
    """Return the label of a study's row; it says so if `rules` take an LLM's place."""
    if row.family is Family.SL and {member.condition.name for member in row.members} == {"rules"}:
        return f"{RULES_LABEL} (SL)"
    return family_label(row.family, row.name)


def condition_words(condition: StudyCondition) -> str:
    """Return the words for one checklist of a study within a label; it says so if rules take an LLM's place."""
    return replace(condition, name=model_label(condition.name)).words


STATES = {
    RunStatus.WAITING: "planned, not begun",
    RunStatus.RUNNING: "scoring",
    RunStatus.DONE: "done",
    RunStatus.STOPPED: "stopped",
    RunStatus.FAILED: "could not go on",
    RunStatus.INTERRUPTED: "interrupted",
}


def state(run: RunSummary) -> str:
    if run.status is RunStatus.DONE and run.failed:
        return f"done, {run.failed:,} failed"
    return STATES[run.status]


def started(run: RunSummary) -> str:
    return local_time.said(run.started)


def title(run: RunSummary) -> str:
    """Return the title of a run, not escaped for Markdown."""
    return f"Run {run.id} · {method_and_judge(run)} · {', '.join(run.dimensions)}"


def short_title(run: RunSummary) -> str:
    return f"Run {run.id} · {method_and_judge(run)}"


def with_version(run: RunSummary) -> str:
    """Return the title with the version of the run's checklist, if it has one."""
    versions = sorted(set(run.versions.values()))
    if not versions:
        return short_title(run)
    return f"{short_title(run)} · version{'s' if len(versions) > 1 else ''} {', '.join(map(str, versions))}"


def at_provider(there: tuple[int, int, ProviderBatch]) -> str:
    """Return how much of a run's batches is back; `there` as from batches_in_progress."""
    answered, requests, first = there
    since = f" since {local_time.said(first.out_at)}" if first.out_at else ""
    return f"At the provider{since}, {answered:,} of {requests:,} back"


def double_payment_warning(run: RunSummary) -> str:
    return f"May have been paid twice: {number(run.maybe_paid_twice, 'call')}, under way when a program ended"


def failure_words(failure: FailureKind) -> str:
    """Return why texts of a run failed, in Markdown, with a link to the guide."""
    kind = guide_link(failure_address(failure.kind), plain(failure.kind))
    return f"{failure.count:,} × {kind}: {plain(failure.sentence)}"


KINDS = {ContributorKind.HUMAN: "person", ContributorKind.LLM: "LLM"}
STUDY_STATES = {
    AttributeStatus.ACTIVE: "in use",
    AttributeStatus.EXCLUDED: "excluded",
    AttributeStatus.MERGED: "merged",
    AttributeStatus.WITHDRAWN: "withdrawn",
}

EXPLAINED = (
    "Whose attributes are used (InteractEval, section 4.2): Comb = everybody, MH = all people, ML = all LLMs, "
    "SH = a single person, SL = a single LLM. The paper found that everybody together is broadest."
)
_JOINT = {
    "comb": ("Everybody", "Comb: the attributes of all people and all LLMs together."),
    "mh": ("All people", "MH: the attributes of several people, without any LLM."),
    "ml": ("All LLMs", "ML: the attributes of several LLMs, without any person."),
    "imported": ("Imported from a file", "The questions came from a file, not from attributes."),
}


def kind_word(kind: ContributorKind, name: str) -> str:
    """Return the word for a contributor's kind; `rules` take an LLM's place without being one."""
    return "rules" if name == "rules" else KINDS[kind]


def llms_word(attributes: Iterable[Attribute]) -> str:
    """Return the word for those that are not people; it names the built-in rules if they are among them."""
    names = {a.contributor for a in attributes if a.kind is ContributorKind.LLM}
    if "rules" not in names:
        return "LLMs"
    return "LLMs and rules" if len(names) > 1 else RULES_LABEL


def condition_label(code: str, llms: str = "LLMs") -> str:
    """Return the words for a condition's code, not escaped for Markdown. `llms` from `llms_word`."""
    if code == "ml":
        return f"All {llms}" if llms != RULES_LABEL else f"Only {RULES_LABEL}"
    if code in _JOINT:
        return _JOINT[code][0]
    names = ", ".join(map(model_label, named_in(code)))
    if names == RULES_LABEL:
        return f"Only {names}"
    only = {"sh": "One person: ", "sl": "One LLM: ", ONLY: "Only "}.get(code.partition(":")[0])
    return f"{only}{names}" if only is not None else code


def condition_help(code: str) -> str:
    if code in _JOINT:
        return _JOINT[code][1]
    return {
        "sh": "SH: a single person's attributes.",
        "sl": "SL: a single LLM's attributes.",
        ONLY: "A choice of contributors that the paper has no name for.",
    }.get(code.partition(":")[0], "")


def condition_size(condition: Condition, llms: str = "LLMs") -> str:
    return f"{condition_label(condition.code, llms)} · {number(condition.size, 'attribute')}"


def interval(value: float | None, low: float | None = None, high: float | None = None) -> str:
    if value is None:
        return "none"
    if low is None or high is None:
        return f"{value:.3f}"
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


class WithInterval(Protocol):
    """A figure and the ends of its interval; None if missing."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def figure_cells(figures: Mapping[Any, WithInterval], mae: WithInterval | None = None) -> dict[str, str]:
    """Return a row's cells with all coefficients and the error, which is among `figures` unless given as `mae`."""
    names = {"Spearman": "spearman", "Kendall tau-b": "kendall", "Pearson": "pearson", "MAE": "mae"}
    each = {**figures, **({} if mae is None else {"mae": mae})}
    return {name: interval(each[key].value, each[key].low, each[key].high) for name, key in names.items()}


HELP = (
    "Requests that expire or fail at the provider cost nothing there. In another batch they cost half as well and "
    "may take another day; at once they cost the standard price. What fails in three is asked at once in any case."
)


def batch_rest_choice(key: str) -> str:
    """Draw the choice for requests that aren't at a provider; return AGAIN or LIVE."""
    return one_between(key, {AGAIN: "In another batch", LIVE: "At once"}, AGAIN, "What a batch doesn't get to", HELP)


TYPED = "Your llama endpoint is set up too: type llama:NAME above, with the name of its model."
ASKING = "Your llama endpoint is being asked which models it has."
SHOWN = 10


def typing_note(workbench: Workbench, chosen: Sequence[str]) -> None:
    """Say why a model of the endpoint must be typed; nothing once one is chosen or can be chosen."""
    found = endpoint_models(workbench, patience=0)
    if any(name.startswith("llama:") for name in chosen):
        return
    if found.asking:
        _awaited(workbench)
    elif found.problem:
        _no_list(workbench, f"{TYPED} {found.problem}")


def served_list(workbench: Workbench) -> None:
    """Draw the models of the endpoint; nothing if none is configured."""
    found = endpoint_models(workbench, patience=0)
    if found.asking:
        _awaited(workbench)
    elif found.problem:
        _no_list(workbench, found.problem)
    elif found.names:
        chat = found.chat
        others = [name for name in found.names if name not in chat]
        said = f"Its models that answer questions, going by their names: {_few(chat)}."
        st.caption(plain(said + (f" Others: {_few(others)}." if others else "")))


def _few(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _no_list(workbench: Workbench, why: str) -> None:
    st.caption(plain(why))
    if was_pressed("Ask it again", key="ask_endpoint_again", type="tertiary", icon=":material/refresh:"):
        ask_endpoint_again(workbench)
        st.rerun()


@st.fragment(run_every=POLL_SECONDS)
def _awaited(workbench: Workbench) -> None:
    if not endpoint_models(workbench, patience=0).asking:
        st.rerun()
    st.caption(ASKING)
