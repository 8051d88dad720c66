"""All attributes of a dimension as a list to read, and what can be done to them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from app.domain.attribute import Attribute, AttributeChange, AttributeStatus
from app.domain.build import BuildComponent
from app.domain.task import Dimension
from app.errors import ConflictError
from app.services.attributes.attribute_acts import ActKind, AttributeAct
from app.services.attributes.attribute_changes import (
    edit_attribute,
    exclude_attributes,
    merge_attributes,
    move_attributes,
    restore_attributes,
    take_back,
)
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import visible_attributes
from pages.components.attributes.filters import COMPONENT, CONTRIBUTOR
from pages.components.shell.attribute_list.attribute_list import (
    ListContents,
    ListedAttribute,
    ListedGroup,
    Performed,
    attribute_list,
)
from pages.components.shell.contributor_words import contributor_words
from pages.components.shell.expert import current_expert
from pages.components.shell.runs.condition_words import STATES
from pages.components.shell.words import number

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
    newest build with the attributes under each, none without a build. `editable`: by whoever looks at them."""

    dimension: Dimension
    project_id: int
    attributes: Sequence[Attribute]
    others: Sequence[Dimension]
    clusters: Clusters
    editable: bool = True


def pool_place(dimension_id: int) -> str:
    """Where changes of a dimension's attributes are remembered."""
    return f"pool_{dimension_id}"


def pool_list(workbench: Workbench, pool: Pool, shown: Sequence[Attribute], grouping: str) -> None:
    """`shown`: those that the filters let through."""
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
    """Each with the key of its group; one that lies under several components is read under the first."""
    under: dict[int, int] = {}
    for component, members in pool.clusters:
        for id_ in members:
            under.setdefault(id_, component.id)
    names = list(dict.fromkeys(a.contributor for a in pool.attributes))
    if grouping == COMPONENT:
        return [(str(under.get(a.id, ELSEWHERE)), a) for a in shown]
    return [(str(names.index(a.contributor)) if grouping == CONTRIBUTOR else ELSEWHERE, a) for a in shown]


def _groups(pool: Pool, shown: Sequence[Attribute], grouped: Mapping[int, str], grouping: str) -> list[ListedGroup]:
    """In the order of the components or contributors, without empty ones; what has no component comes last."""
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
    return ListedAttribute(
        id=a.id,
        group=group,
        text=a.text,
        said_by=" · ".join(who),
        acts=[*done, ActKind.REWORD] if pool.editable else [],
        state="" if in_use else _state(a, texts),
        in_use=in_use,
        first=a.original if a.original and a.original != a.text else "",
    )


def _state(a: Attribute, texts: Mapping[int, str]) -> str:
    said = STATES[a.status]
    if a.merged_into is not None and a.merged_into in texts:
        said = f"{said} into “{texts[a.merged_into]}”"
    return f"{said}: {a.reason}" if a.reason else said


def _perform(workbench: Workbench, pool: Pool, act: AttributeAct) -> Performed:
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


def _done(workbench: Workbench, verb: str, change: AttributeChange, more: str = "") -> Performed:
    what = number(len(change.after), "attribute")
    gone = f" {number(change.missing, 'attribute')} can't be found here any more." if change.missing else ""
    if not change.after:
        return Performed("", f"Nothing to change.{gone}")
    return Performed(f"{verb} {what}", f"{what} {verb}{more}.{gone}", partial(take_back, workbench, change))
