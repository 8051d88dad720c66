"""Attributes of one dimension: viewed, corrected, merged and added."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from app.domain.attribute import Attribute, AttributeChange, AttributeStatus, Contributor, ContributorKind
from app.domain.build import BuildComponent
from app.domain.condition import conditions_of
from app.domain.model_call import model_label
from app.domain.project import Dimension, Project
from app.errors import ConflictError
from app.services.attributes.attribute_changes import (
    ActKind,
    AttributeAct,
    edit_attribute,
    exclude_attributes,
    merge_attributes,
    move_attributes,
    restore_attributes,
    undo_change,
)
from app.services.attributes.attribute_export import attribute_file
from app.services.attributes.attributes import import_attribute_table, import_attributes, is_table
from app.services.attributes.near_duplicates import LIKELY, DuplicateGroup, Measure, duplicate_groups
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import visible_attributes
from pages.components.shell.attribute_list.attribute_list import (
    ActResult,
    ListContents,
    ListedAttribute,
    ListedGroup,
    attribute_list,
)
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.contributor_choice import contributor_choice, contributor_words, said_by
from pages.components.shell.current import current_expert, keep, listed_choice, prepare_words, was_pressed
from pages.components.shell.labels import ShownErrors, button_label, number, plain
from pages.components.shell.runs.run_words import (
    EXPLAINED,
    KINDS,
    STUDY_STATES,
    condition_help,
    condition_label,
    kind_word,
    llms_word,
)
from pages.components.shell.tables import file_download, show_table
from pages.components.shell.undo import change, show_problem
from pages.components.shell.upload_field import field_key, upload_field


def counts(attributes: Sequence[Attribute]) -> None:
    """Draw in a line how many attributes in use each condition has; the paper's names show on hover."""
    llms = llms_word(attributes)
    for condition in conditions_of(attributes):
        if ":" not in condition.code:
            label = plain(condition_label(condition.code, llms))
            st.markdown(f"{label} **{condition.size:,}**", help=condition_help(condition.code), width="content")


def contributor_table(attributes: Sequence[Attribute], contributors: Sequence[Contributor]) -> None:
    """Draw the contributors and how much each said, as the paper's Table 1, folded."""
    with st.expander("By contributor", key="by_contributor"):
        st.caption("Who said how much, and what they told about themselves.", help=EXPLAINED)
        show_table(_by_contributor(attributes, contributors), "contributor_counts", width="content")


def _by_contributor(attributes: Sequence[Attribute], contributors: Sequence[Contributor]) -> pd.DataFrame:
    people = {contributor.name: contributor for contributor in contributors}
    own: dict[tuple[str, ContributorKind], list[Attribute]] = {}
    for attribute in attributes:
        own.setdefault((attribute.contributor, attribute.kind), []).append(attribute)
    return pd.DataFrame(
        [
            {
                "Contributor": model_label(name),
                "Kind": kind_word(kind, name),
                "Role": people[name].role,
                "Background": people[name].background,
                "In use": Counter(a.status for a in said)[AttributeStatus.ACTIVE],
                "Left out": sum(a.status is not AttributeStatus.ACTIVE for a in said),
                "Rounds": len({a.round for a in said}),
            }
            for (name, kind), said in own.items()
        ]
    )


_ADDED = "attributes_added"
SHOWN = 5


@dataclass(frozen=True, slots=True)
class EntryForm:
    """The contents of the submitted form."""

    contributor: str
    kind: ContributorKind
    text: str
    file: bytes | None


def entry(workbench: Workbench, project: Project, dimension: Dimension, attributes: Sequence[Attribute]) -> None:
    """Draw the folded form for new attributes; present contributors can be chosen, others typed."""
    if said := st.session_state.pop(_ADDED, ""):
        st.success(said, icon=":material/check_circle:")
    with (
        st.expander("Add attributes by hand or from a file", key="add_attributes"),
        st.form("add_form", border=False, clear_on_submit=False),
    ):
        who, what = st.columns(2, gap="large")
        known = list(dict.fromkeys(a.contributor for a in attributes))
        name = who.selectbox(
            "Contributor",
            known,
            index=None,
            accept_new_options=True,
            placeholder="choose or type a name",
            key="add_contributor",
        )
        kind = who.radio("This is", list(ContributorKind), format_func=_kind, horizontal=True, key="add_kind")
        text = what.text_area("One attribute per line", height=110, key="add_text")
        with what:
            file = upload_field(
                workbench,
                "or a file: one attribute per line, a JSON list, or a table with contributors",
                ("txt", "json", "md", "csv", "tsv"),
                "add_file",
                written=True,
                help="A CSV or JSON table with the columns text, contributor and kind, such as this screen gives out, "
                "needs no contributor beside it.",
            )
        if was_pressed("Add attributes", "add_submit", form=True):
            written = EntryForm(name or "", kind or ContributorKind.HUMAN, text, file.getvalue() if file else None)
            _add(workbench, project, dimension, written)


def _kind(kind: ContributorKind) -> str:
    return f"a {KINDS[kind]}" if kind is ContributorKind.HUMAN else f"an {KINDS[kind]}"


def _add(workbench: Workbench, project: Project, dimension: Dimension, written: EntryForm) -> None:
    with ShownErrors():
        said = _kept(workbench, project, dimension, written)
        saved_typing("add_text")
        for key in ("add_text", field_key("add_file")):
            del st.session_state[key]
        st.session_state[_ADDED] = said
        st.rerun()


def _kept(workbench: Workbench, project: Project, dimension: Dimension, written: EntryForm) -> str:
    """Return in words what was added."""
    added, more = 0, ""
    table = written.file is not None and is_table(written.file)
    if written.text.strip() or written.file is None:
        added += len(import_attributes(workbench, dimension.id, written.contributor, written.kind, written.text))
    if written.file is not None and table:
        report = import_attribute_table(workbench, project, written.file, dimension.name)
        added += report.added
        more = f" {report.there:,} were there already." if report.there else ""
        if report.passages_left_out:
            more += (
                f" Without {number(report.passages_left_out, 'passage')}: no text here has these words at that place."
            )
        more += "".join(f" Row {row.row} was left out: {row.reason}" for row in report.skipped[:SHOWN])
        if len(report.skipped) > SHOWN:
            more += f" So were {len(report.skipped) - SHOWN:,} more."
    elif written.file is not None:
        added += len(import_attributes(workbench, dimension.id, written.contributor, written.kind, written.file))
    return plain(f"Added {number(added, 'attribute')}.{more}")


_FILES = {"text": ("Text, one per line", "txt"), "json": ("JSON", "json"), "csv": ("Table (CSV)", "csv")}


def attribute_downloads(
    attributes: Sequence[Attribute], contributors: Sequence[Contributor], dimension: Dimension
) -> None:
    unfolded = st.expander("Choose contributors and download their attributes", key="take_away", on_change="rerun")
    if not unfolded.open:  # files of thousands of attributes are made when they are wanted
        return
    with unfolded:
        chosen, condition = contributor_choice(attributes, f"take_{dimension.id}")
        found = [a for a in attributes if a.contributor in chosen]
        if left_out := len(found) - condition.size:
            st.caption(f"The files also hold the {left_out:,} that are left out, with the reason.")
        with st.container(horizontal=True):
            for form, (label, ending) in _FILES.items():
                file_download(
                    label,
                    attribute_file(found, contributors, form),
                    f"attributes.{ending}",
                    f"take_{form}",
                    disabled=not found,
                )


EVERYBODY = "Everybody"
KIND_CHOICES = {"People and LLMs": None, "People": ContributorKind.HUMAN, "LLMs": ContributorKind.LLM}
STATUS_CHOICES = {
    "Any status": None,
    "In use": AttributeStatus.ACTIVE,
    "Excluded": AttributeStatus.EXCLUDED,
    "Merged": AttributeStatus.MERGED,
}
COMPONENT, CONTRIBUTOR, NOTHING = "Component", "Contributor", "Not grouped"


def filtered(attributes: Sequence[Attribute], in_components: bool) -> tuple[list[Attribute], str]:
    """Draw the filters; return the attributes that pass, and how to group them."""
    who, kinds, states, groups, words = st.columns([5, 5, 5, 5, 6])
    names = [EVERYBODY, *dict.fromkeys(a.contributor for a in attributes)]
    groupings = [COMPONENT, CONTRIBUTOR, NOTHING] if in_components else [CONTRIBUTOR, NOTHING]
    with who:
        name = listed_choice("said_by", names, EVERYBODY, "Contributor", model_label)
    with kinds:
        kind = KIND_CHOICES[listed_choice("kind", list(KIND_CHOICES), "People and LLMs", "Kind")]
    with states:
        status = STATUS_CHOICES[listed_choice("status", list(STATUS_CHOICES), "Any status", "Status")]
    with groups:
        grouping = listed_choice("grouped", groupings, groupings[0], "Grouped by")
    with words:
        prepare_words("words")
        typed = st.text_input("Search", key="words", placeholder="words in the attribute", icon=":material/search:")
        keep("words", typed, "")
    search = typed.strip().casefold()
    found = [
        a
        for a in attributes
        if name in (EVERYBODY, a.contributor)
        and kind in (None, a.kind)
        and status in (None, a.status)
        and search in a.text.casefold()
    ]
    return found, grouping


Clusters = Sequence[tuple[BuildComponent, Sequence[int]]]
ELSEWHERE = "none"
WORDS = {
    ActKind.EXCLUDE: "Exclude",
    ActKind.MOVE: "Move to another dimension",
    ActKind.MERGE: "Merge",
    ActKind.RESTORE: "Restore",
    ActKind.REWORD: "Reword",
}


@dataclass(frozen=True, slots=True)
class Pool:
    """The attributes of one dimension. `others`: the project's other dimensions. `clusters`: the components of its
    newest build with the attributes under each, none without a build. `editable`: by the person at the screen."""

    dimension: Dimension
    project_id: int
    attributes: Sequence[Attribute]
    others: Sequence[Dimension]
    clusters: Clusters
    editable: bool = True


def pool_place(dimension_id: int) -> str:
    """Return the place under which Undo keeps changes of a dimension's attributes."""
    return f"pool_{dimension_id}"


def pool_list(workbench: Workbench, pool: Pool, shown: Sequence[Attribute], grouping: str) -> None:
    """Draw the list of attributes. `shown`: those that pass the filters."""
    grouped = {a.id: key for key, a in _grouped(pool, shown, grouping)}
    texts = {a.id: a.text for a in pool.attributes}
    words = {kind: word for kind, word in WORDS.items() if pool.others or kind is not ActKind.MOVE}
    contents = ListContents(
        label=f"Attributes of {pool.dimension.name}",
        groups=_groups(pool, shown, grouped, grouping),
        rows=[_row(a, grouped[a.id], texts, pool, grouping) for a in shown],
        words=words if pool.editable else {},
        targets=[(dimension.id, dimension.name) for dimension in pool.others],
        total=len(pool.attributes),
        empty="No attribute fits these choices. Clear the search, or choose another contributor or status.",
    )
    key = f"attributes_list_{pool.dimension.id}"
    attribute_list(key, pool_place(pool.dimension.id), contents, partial(_perform, workbench, pool))


def _grouped(pool: Pool, shown: Sequence[Attribute], grouping: str) -> list[tuple[str, Attribute]]:
    """Return each attribute with the key of its group; an attribute under several components is in the first."""
    under: dict[int, int] = {}
    for component, members in pool.clusters:
        for id_ in members:
            under.setdefault(id_, component.id)
    names = list(dict.fromkeys(a.contributor for a in pool.attributes))
    if grouping == COMPONENT:
        return [(str(under.get(a.id, ELSEWHERE)), a) for a in shown]
    return [(str(names.index(a.contributor)) if grouping == CONTRIBUTOR else ELSEWHERE, a) for a in shown]


def _groups(pool: Pool, shown: Sequence[Attribute], grouped: Mapping[int, str], grouping: str) -> list[ListedGroup]:
    """Return groups by component or contributor, without empty ones; attributes without component come last."""
    titles, about = {}, {}
    if grouping == COMPONENT:
        titles = {str(component.id): component.name for component, _ in pool.clusters}
        about = {str(component.id): component.description for component, _ in pool.clusters}
        titles[ELSEWHERE] = "Under no component"
    elif grouping == CONTRIBUTOR:
        firsts = {a.contributor: a for a in reversed(pool.attributes)}
        names = list(dict.fromkeys(a.contributor for a in pool.attributes))
        titles = {str(place): contributor_words(firsts[name]) for place, name in enumerate(names)}
    else:
        titles[ELSEWHERE] = "All"
    out = Counter(grouped[a.id] for a in shown if a.status is not AttributeStatus.ACTIVE)
    there = set(grouped.values())
    return [
        ListedGroup(key, title, f"{out[key]:,} not in use" if out[key] else "", about.get(key, ""))
        for key, title in titles.items()
        if key in there
    ]


def _row(a: Attribute, group: str, texts: Mapping[int, str], pool: Pool, grouping: str) -> ListedAttribute:
    in_use = a.status is AttributeStatus.ACTIVE
    done = [ActKind.EXCLUDE, ActKind.MERGE, *([ActKind.MOVE] if pool.others else [])] if in_use else [ActKind.RESTORE]
    who = [contributor_words(a)] if grouping != CONTRIBUTOR else []
    who += [f"round {a.round}"] if a.round > 1 else []
    who += [f"first said about {a.original_dimension}"] if a.original_dimension else []
    who += [a.pair.words] if a.pair else []
    return ListedAttribute(
        id=a.id,
        group=group,
        text=a.text,
        said_by=" · ".join(who),
        acts=[*done, ActKind.REWORD] if pool.editable else [],
        quote=" ".join(a.passage.quote.split()) if a.passage else "",
        state="" if in_use else _state(a, texts),
        in_use=in_use,
        first=a.original if a.original and a.original != a.text else "",
    )


def _state(a: Attribute, texts: Mapping[int, str]) -> str:
    said = STUDY_STATES[a.status]
    if a.merged_into is not None and a.merged_into in texts:
        said = f"{said} into “{texts[a.merged_into]}”"
    return f"{said}: {a.reason}" if a.reason else said


def _perform(workbench: Workbench, pool: Pool, act: AttributeAct) -> ActResult:
    here = pool.dimension.id
    if not visible_attributes(workbench, pool.project_id, here, current_expert())[1]:
        raise ConflictError("What others wrote is hidden from you.", "Say on Think aloud that you are done.")
    match act.kind:
        case ActKind.EXCLUDE:
            return _done(workbench, "excluded", exclude_attributes(workbench, act.ids, act.text, here))
        case ActKind.RESTORE:
            return _done(workbench, "restored", restore_attributes(workbench, act.ids, here))
        case ActKind.MOVE:
            name = next((d.name for d in pool.others if d.id == act.target), "another dimension")
            return _done(workbench, "moved", move_attributes(workbench, act.ids, act.target, here), f" to {name}")
        case ActKind.MERGE:
            change = merge_attributes(workbench, act.target, act.ids, dimension_id=here)
            return _done(workbench, "merged", change, " into one that stands for them")
        case _:
            return _done(workbench, "reworded", edit_attribute(workbench, act.ids[0], act.text, here))


def _done(workbench: Workbench, verb: str, change: AttributeChange, more: str = "") -> ActResult:
    what = number(len(change.after), "attribute")
    gone = f" {number(change.missing, 'attribute')} can't be found here any more." if change.missing else ""
    if not change.after:
        return ActResult("", f"Nothing to change.{gone}")
    return ActResult(f"{verb} {what}", f"{what} {verb}{more}.{gone}", partial(undo_change, workbench, change))


MEASURES: dict[Measure, str] = {"words": "rare words", "order": "same order"}
_LEFT_ALONE = "groups_left_alone"
_SHOWN = "merge_groups_shown"
SURE = 6
"""Largest group whose attributes are all ticked: in a larger one the ends of a chain may say different things, and a
person ticks those that say the same."""


def duplicates(workbench: Workbench, attributes: Sequence[Attribute], dimension_id: int) -> None:
    """Draw groups of duplicates, a few at a time, the most similar first; all can be reached."""
    unfolded = st.expander("Merge attributes that say the same", key="merge", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        measure, least = _measure()
        groups = duplicate_groups(attributes, least, measure)
        alone = st.session_state.setdefault(_LEFT_ALONE, set())
        waiting = [group for group in groups if _ids(group) not in alone]
        show_problem()
        if not waiting:
            st.markdown("No two attributes in use are that alike. Lower the limit to see more.")
            return
        alike = sum(len(group.attributes) for group in waiting)
        groups_of = f"{number(len(waiting), 'group')} of {alike:,} attributes"
        st.caption(f"{groups_of}. What is merged stays on record and can be restored.")
        shown = min(int(st.session_state.get(_SHOWN, SHOWN)), len(waiting))
        for group in waiting[:shown]:
            _group(workbench, group, dimension_id)
        if shown < len(waiting):
            more = min(SHOWN, len(waiting) - shown)
            st.button(f"Show {more} more", key="merge_more", on_click=_show_more, args=[shown + SHOWN])


def _show_more(groups: int) -> None:
    st.session_state[_SHOWN] = groups


def _measure() -> tuple[Measure, float]:
    how, limit = st.columns([2, 2], gap="large", width=700)
    measure: Measure = how.radio(
        "Alike in",
        list(MEASURES),
        format_func=MEASURES.__getitem__,
        key="merge_measure",
        horizontal=True,
        help="Rare words: words and parts of words that few attributes share, in any order and form; words that "
        "most of them have weigh little. Same order: the longest run of equal words (ROUGE-L F). Neither knows what "
        "words mean: that is for you to decide.",
    )
    least = limit.slider("Alike at least", 0.2, 1.0, LIKELY[measure], 0.05, key=f"merge_least_{measure}", width=320)
    return measure, least


def _ids(group: DuplicateGroup) -> tuple[int, ...]:
    return tuple(one.id for one in group.attributes)


def _group(workbench: Workbench, group: DuplicateGroup, dimension_id: int) -> None:
    """Draw a group, each attribute with a button that keeps it; the other ticked ones are merged into it."""
    ids = _ids(group)
    first = ids[0]
    with st.container(border=True, key=f"merge_group_{first}"):
        many = "Two" if len(ids) == 2 else f"{len(ids):,}"
        keep = "keep one" if len(ids) <= SURE else "tick those that do, then keep one"
        st.markdown(
            f"**{many} may say the same: {keep}**" if len(ids) > SURE else f"**{many} say the same: {keep}**",
            help=f"The two most alike: {group.likeness:.2f}.",
        )
        for one in group.attributes:
            said, decision = st.columns([6, 3], gap="medium", vertical_alignment="center")
            with said:
                st.text(one.text)
                st.caption(said_by(one))
            with decision.container(horizontal=True, gap="small", vertical_alignment="center"):
                if len(ids) > 2:
                    st.checkbox(
                        "Says the same",
                        value=len(ids) <= SURE,
                        key=_same_key(one.id),
                        help="Without the tick it stays as it is.",
                    )
                st.button(
                    button_label("Keep this one", one.text),
                    key=f"merge_keep_{one.id}",
                    on_click=_merge,
                    args=[workbench, one.id, ids, dimension_id],
                )
        label = button_label(
            "Keep both" if len(ids) == 2 else "Keep all", " / ".join(one.text for one in group.attributes)
        )
        st.button(label, key=f"merge_none_{first}", type="tertiary", on_click=_leave, args=[ids])


def _same_key(attribute_id: int) -> str:
    return f"merge_same_{attribute_id}"


def _merge(workbench: Workbench, kept: int, ids: Sequence[int], dimension_id: int) -> None:
    done: list[AttributeChange] = []
    merged = [id_ for id_ in ids if id_ != kept and st.session_state.get(_same_key(id_), True)]
    change(
        pool_place(dimension_id),
        f"merged {number(len(merged) + 1, 'attribute')}",
        lambda: done.append(merge_attributes(workbench, kept, merged, dimension_id=dimension_id)),
        lambda: undo_change(workbench, done[0]),
    )


def _leave(ids: tuple[int, ...]) -> None:
    st.session_state[_LEFT_ALONE] = {*st.session_state.get(_LEFT_ALONE, set()), ids}
