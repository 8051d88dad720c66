"""Record of a stage: what it was given, the prompt that was sent, every answer that came back, the newest first."""

from collections.abc import Sequence

import streamlit as st

from app.domain.build import Stage
from app.domain.run import StageRun
from app.services.building.build_state import BuildView
from app.services.runtime.prompts import sent_prompt
from app.services.runtime.workbench import Workbench
from pages.components.shell import local_time
from pages.components.shell.checklists.build_words import TITLES
from pages.components.shell.contributor_words import said_by
from pages.components.shell.guide.errors import failure_address
from pages.components.shell.guide.link import guide_link
from pages.components.shell.words import model_label, number, plain

HEIGHT = 360


def record(workbench: Workbench, view: BuildView, stage: Stage) -> None:
    with st.expander("Input, prompt and answers", key=f"record_{view.id}_{stage}"):
        _inputs(view, stage)
        runs = view.records[stage]
        if not runs:
            st.caption("No model was asked yet.")
            return
        labels = {run.id: _label(run) for run in runs}
        chosen = st.selectbox(
            f"Answers on record ({len(runs)})",
            list(labels),
            format_func=labels.__getitem__,
            key=f"record_run_{view.id}_{stage}",
            help="Asking again never overwrites: every answer stays here.",
        )
        _run(workbench, view.project.id, next(run for run in runs if run.id == chosen))


def _inputs(view: BuildView, stage: Stage) -> None:
    build, names = view.build, {c.id: c.name for c in view.build.components}
    match stage:
        case Stage.COMPONENTS:
            lines = [
                f"{plain(view.attributes[id_].text)} :gray[{said_by(view.attributes[id_])}]" for id_ in view.in_use
            ]
            what = number(len(view.in_use), "attribute")
        case Stage.CLUSTERS:
            lines = [f"**{plain(c.name)}** {plain(c.description)}" for c in build.components]
            what = f"{number(len(build.components), 'component')} and {number(len(view.in_use), 'attribute')}"
        case Stage.KEY_QUESTIONS:
            lines = [
                f"**{plain(c.name)}** with {number(len(build.members(c.id, view.in_use)), 'attribute')}"
                for c in build.components
            ]
            what = "The components with their attributes"
        case Stage.SUB_QUESTIONS:
            lines = [f"**{plain(names.get(q.component, ''))}** {plain(q.text)}" for q in build.key_questions]
            what = f"{number(len(lines), 'key question')} with the attributes of their components"
        case Stage.VALIDATION:
            lines = [plain(question.text) for question in build.sub_questions]
            what = number(len(lines), "sub-question")
    st.markdown(f"**Input now:** {what}")
    with st.container(height=min(HEIGHT, 40 + 28 * max(len(lines), 1)), border=False, key=f"inputs_{view.id}_{stage}"):
        st.markdown("\n".join(f"- {line}" for line in lines))


def _label(run: StageRun) -> str:
    when = local_time.said(run.created_at, "%d %b, %H:%M:%S") if run.created_at else ""
    return f"{when} · {model_label(run.model)}{' · failed' if run.error_kind else ''}"


def _run(workbench: Workbench, project_id: int, run: StageRun) -> None:
    if run.error_kind:
        st.error(_with_more(plain(run.error), run), icon=":material/error:")
        return
    tokens = f" · {run.input_tokens:,} tokens in, {run.output_tokens:,} out" if run.input_tokens else ""
    st.caption(plain(f"{model_label(run.model)} · prompt {run.prompt} ({run.prompt_digest[:8]}){tokens}"))
    given, answered = st.columns(2)
    prompt = sent_prompt(workbench, project_id, run)
    given.caption("The prompt as it was sent")
    sent = f"{prompt.system}\n\n{prompt.user}" if prompt else "The wording of this prompt is not on record any more."
    given.code(sent, None, wrap_lines=True, height=HEIGHT)
    answered.caption("The answer as it came")
    answered.code(run.output, "json", wrap_lines=True, height=HEIGHT)


def failure(runs: Sequence[StageRun], stage: Stage) -> None:
    """Said while the newest answer of the stage is a failure."""
    if runs and runs[0].error_kind:
        st.error(_with_more(plain(f"{TITLES[stage]} failed: {runs[0].error}"), runs[0]), icon=":material/error:")


def _with_more(said: str, run: StageRun) -> str:
    return f"{said}\n\n{guide_link(failure_address(run.error_kind))}"
