"""A build as JSON and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.domain.build import (
    Build,
    BuildComponent,
    BuildQuestion,
    ChangeDecision,
    ChangeKind,
    Placement,
    ProposedChange,
    Stage,
)
from app.domain.checklist import QuestionOrigin


def to_document(build: Build) -> dict[str, Any]:
    return asdict(build)


def from_document(document: Mapping[str, Any]) -> Build:
    """The inverse; raises KeyError or ValueError for anything that `to_document` did not make."""
    return Build(
        condition=document["condition"],
        max_components=document["max_components"],
        models={Stage(stage): model for stage, model in document["models"].items()},
        components=tuple(map(_component, document["components"])),
        placements=tuple(map(_placement, document["placements"])),
        key_questions=tuple(map(_question, document["key_questions"])),
        sub_questions=tuple(map(_question, document["sub_questions"])),
        changes=tuple(map(_change, document["changes"])),
        made_from=document["made_from"],
        runs={Stage(stage): tuple(ids) for stage, ids in document["runs"].items()},
        last_id=document["last_id"],
    )


def _component(entry: Mapping[str, Any]) -> BuildComponent:
    offered = entry["offered"]
    fields = {
        **entry,
        "origin": QuestionOrigin(entry["origin"]),
        "offered": tuple(offered) if offered is not None else None,
    }
    return BuildComponent(**fields)


def _placement(entry: Mapping[str, Any]) -> Placement:
    offered = entry["offered"]
    return Placement(
        entry["attribute"],
        tuple(entry["components"]),
        entry["reason"],
        QuestionOrigin(entry["origin"]),
        _placement(offered) if offered is not None else None,
    )


def _question(entry: Mapping[str, Any]) -> BuildQuestion:
    return BuildQuestion(
        **{**entry, "attributes": tuple(entry["attributes"]), "origin": QuestionOrigin(entry["origin"])}
    )


def _change(entry: Mapping[str, Any]) -> ProposedChange:
    return ProposedChange(
        **{
            **entry,
            "kind": ChangeKind(entry["kind"]),
            "before": tuple(entry["before"]),
            "decision": ChangeDecision(entry["decision"]),
        }
    )
