"""Answer of a model about some units of a stage, in the build's ids, before it becomes part of the build."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.build import ChangeKind, Stage

WrittenQuestion = tuple[str, tuple[int, ...]]  # a question and the attributes it rests on


@dataclass(frozen=True, slots=True)
class StageAnswer:
    """One of the fields is filled, according to the stage.

    made_from: the units asked about, with the digests of the inputs they were made from.
    components: (name, description). placements: attribute -> (components, reason where left out).
    questions: component -> its questions. changes: (kind, questions before, wording after, reason).
    """

    stage: Stage
    made_from: Mapping[str, str]
    components: tuple[tuple[str, str], ...] = ()
    placements: Mapping[int, tuple[tuple[int, ...], str]] = field(default_factory=dict)
    questions: Mapping[int, tuple[WrittenQuestion, ...]] = field(default_factory=dict)
    changes: tuple[tuple[ChangeKind, tuple[int, ...], str, str], ...] = ()
