"""The five stages of a build as they happened: what each was given, what it made, with which prompt and model."""

import json

import pandas as pd
import streamlit as st

from app.domain.checklist import Checklist
from app.domain.run import StageRun
from app.services.attributes import attributes_of
from app.services.build_history import Build, Made, Revision, StageView
from app.services.workbench import Workbench
from pages.components.conditions import condition_label, number
from pages.components.shell import page
from pages.components.words import model_label, plain

STEPS = {
    "components": ("Components", "The few themes that the attributes keep coming back to."),
    "clusters": ("Clusters", "Each attribute under the component it speaks about."),
    "key-questions": ("Key questions", "One yes/no question for each component."),
    "sub-questions": ("Sub-questions", "Each key question broken down into what a judge can answer."),
    "validation": ("Validation", "Questions about the same thing are merged, irrelevant ones dropped."),
}


def stages(workbench: Workbench, project_id: int, dimension_id: int, build: Build | None) -> None:
    if build is None:
        st.markdown("**Nothing was built yet.** These are the stages that a build goes through:")
        for number_, (title, purpose) in enumerate(STEPS.values(), start=1):
            st.markdown(f"{number_}\\. **{title}.** {purpose}")
        return
    _headline(build)
    for number_, stage in enumerate(build.stages, start=1):
        title, purpose = STEPS[stage.stage]
        with st.expander(f"{number_}\\. {title} · {_state(stage)}", icon=_icon(stage), key=f"stage_{stage.stage}"):
            st.caption(purpose)
            _stage(stage)
    if build.checklist is not None:
        _left_out(workbench, project_id, dimension_id, build.checklist)


def _headline(build: Build) -> None:
    if build.failed is not None:
        title = STEPS[build.failed.stage][0]
        st.error(f"The newest build failed at the stage “{title}”: {build.failed.error}", icon=":material/error:")
    if build.checklist is not None:
        made = build.checklist
        when = f"{made.created_at:%d %b %Y, %H:%M} UTC, " if made.created_at else ""
        st.markdown(
            f"**The newest build made version {made.version}:** {when}"
            f"{plain(condition_label(made.condition)).lower()}, {plain(model_label(made.model))}, "
            f"{number(len(made.asked), 'question')}."
        )
        if st.button("Open the checklist", key="open_checklist"):
            st.switch_page(page("checklist"))


def _state(stage: StageView) -> str:
    if stage.run is None:
        return "not reached"
    if stage.run.error_kind:
        return "failed"
    lines = sum(len(made.lines) for made in stage.made)
    return {
        "components": number(len(stage.made), "component"),
        "clusters": f"{number(lines, 'attribute')} placed",
        "key-questions": number(lines, "key question"),
        "sub-questions": number(lines, "sub-question"),
        "validation": _validated(stage),
    }[stage.stage]


def _validated(stage: StageView) -> str:
    changed = sum(revision.changed for revision in stage.revisions)
    return f"{changed} changed" if changed else "nothing changed"


def _icon(stage: StageView) -> str:
    if stage.run is None:
        return ":material/radio_button_unchecked:"
    return ":material/error:" if stage.run.error_kind else ":material/check_circle:"


def _stage(stage: StageView) -> None:
    if stage.run is None:
        st.markdown("The build ended before this stage.")
        return
    if stage.run.error_kind:
        st.error(stage.run.error)
        return
    for made in stage.made:
        _made(made)
    if stage.revisions:
        _revisions(stage.revisions)
    _record(stage.run)


def _made(made: Made) -> None:
    st.markdown(f"**{plain(made.heading)}**" + (f": {plain(made.note)}" if made.note else ""))
    if made.lines:
        st.markdown("\n".join(f"- {plain(line)}" for line in made.lines))


def _revisions(revisions: tuple[Revision, ...]) -> None:
    changed = [revision for revision in revisions if revision.changed]
    kept = len(revisions) - len(changed)
    st.markdown(f"{number(kept, 'question')} kept as written, {len(changed)} dropped, merged or reworded.")
    for revision in changed:
        verb = "Dropped" if not revision.after else "Merged" if len(revision.before) > 1 else "Reworded"
        lines = [f"- before: {plain(text)}" for text in revision.before]
        lines += [f"- after: {plain(revision.after)}"] if revision.after else []
        st.markdown(f"**{verb}**, because: {plain(revision.reason)}\n\n" + "\n".join(lines))


def _record(run: StageRun) -> None:
    tokens = f" · {run.input_tokens:,} tokens in, {run.output_tokens:,} out" if run.input_tokens else ""
    st.caption(plain(f"{model_label(run.model)} · prompt {run.prompt} ({run.prompt_digest[:8]}){tokens}"))
    if st.toggle("Show what was sent and what came back", key=f"record_{run.id}"):
        given, answered = st.columns(2)
        given.caption("The prompt was filled with")
        given.code(json.dumps(run.inputs, ensure_ascii=False, indent=1), "json", wrap_lines=True, height=300)
        answered.caption("The answer")
        answered.code(run.output, "json", wrap_lines=True, height=300)


def _left_out(workbench: Workbench, project_id: int, dimension_id: int, checklist: Checklist) -> None:
    with st.expander(f"Attributes left out · {len(checklist.dropped)}", key="left_out"):
        if not checklist.dropped:
            st.markdown("Every attribute found its place.")
            return
        texts = {a.id: a for a in attributes_of(workbench, project_id, dimension_id)}
        st.dataframe(
            pd.DataFrame(
                [
                    {
                        "Attribute": texts[dropped.attribute].text,
                        "Said by": model_label(texts[dropped.attribute].contributor),
                        "Stage": STEPS[dropped.stage][0] if dropped.stage in STEPS else dropped.stage,
                        "Reason": dropped.reason,
                    }
                    for dropped in checklist.dropped
                    if dropped.attribute in texts
                ]
            ),
            hide_index=True,
            key="left_out_attributes",
        )
