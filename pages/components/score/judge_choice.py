"""Choice of judges: any number of models, each with a run of its own."""

import streamlit as st

from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.runtime.judges import JudgeAbility, judge_named
from app.services.runtime.models import available_models
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE, takes_rules
from app.services.scoring.last_models import last_model
from app.services.scoring.runs import list_runs
from pages.components.shell.words import model_label, show_error

HELP = (
    "Who is asked; with several, each gets a run of its own, one after another. Any model can be typed as "
    "provider:name, for example openai:gpt-4o."
)
RULES_HELP = (
    " “rules” is a set of fixed text rules, not an LLM: it needs no key and costs nothing, and it shows how everything "
    "works."
)
RULES = "rules"


def judge_choice(workbench: Workbench, project: Project, evaluator: str) -> list[JudgeAbility]:
    """Those chosen; none, with a word on why, where one of them is no model."""
    rules = takes_rules(evaluator)
    known = _known_judges(workbench, project, rules)
    chosen = st.multiselect(
        "Judges",
        known,
        default=[last] if (last := last_model(workbench, project.id, "judge")) in known else known[:1],
        format_func=model_label,
        accept_new_options=True,
        wrap=True,
        placeholder="choose judges, or type provider:name",
        key="score_judge" if rules else "score_llm_judge",
        help=HELP + (RULES_HELP if rules else ""),
    )
    names = dict.fromkeys(name.strip() for name in chosen if name.strip())
    if not names:
        st.info("Choose a judge." if rules else "Choose an LLM as the judge, or type one, for example openai:gpt-4o.")
    try:
        return [judge_named(workbench, name) for name in names]
    except WorkbenchError as error:
        show_error(error)
        return []


def _known_judges(workbench: Workbench, project: Project, rules: bool) -> list[str]:
    """The rules where they can judge, what judged here before, the suggested model of each provider with a key, and
    all of the person's own endpoint."""
    usable = [model for model in available_models(workbench) if model.usable]
    suggested = [model.name for model in usable if model.suggested or model.own]
    before = [run.judge for run in list_runs(workbench, project.id) if run.judge not in (NO_JUDGE, RULES)]
    return list(dict.fromkeys([*([RULES] if rules else []), *before, *suggested]))
