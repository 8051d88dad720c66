"""Key questions, one a component, and the sub-questions that break them down."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz

from app.domain.wording.english_words import VAGUE
from app.rules.catalogue import RULES, THEMES
from app.rules.components import OTHER_POINTS, partition
from app.rules.matching import named_rule
from app.rules.phrasing import Phrased, question_from, quoted
from app.rules.request import Context, context_of
from app.rules.tokens import word_set, words
from app.rules.vectors import theme_weights, vectors

OVERLAP, OVERLAP_WITH_KEY = 78.0, 90.0
_FRAME = word_set("the a an does do is are in of convincing with regard to succeed terms")
USUAL_WORDS = 14
_VAGUE = re.compile(rf"\b(?:{'|'.join(VAGUE)})\b")
_Part = Mapping[str, Any]
_Attributes = Sequence[Mapping[str, Any]]


def key_questions(variables: Mapping[str, Any]) -> dict[str, Any]:
    """One yes/no question per component that contains the component's concept."""
    context = context_of(variables)
    return {
        "questions": [
            {
                "component": part["id"],
                "question": _key_question(part["name"], context),
                "attributes": [attribute["id"] for attribute in part["attributes"]],
            }
            for part in variables["components"]
        ]
    }


def sub_questions(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Two or three questions per component, each for a group of its attributes."""
    context = context_of(variables)
    written: list[dict[str, Any]] = []
    asked: list[str] = []
    for part in variables["components"]:
        for question, served in _breakdown(part, asked, context):
            asked.append(question)
            written.append({"component": part["id"], "question": question, "attributes": served})
    return {"questions": written}


def _key_question(name: str, context: Context) -> str:
    for theme in THEMES.values():
        if theme.name.lower() == name.strip().lower():
            return context.fill(theme.question)
    concept = " ".join(name.split()).rstrip("?.! ")
    spoken = concept if concept[:2].isupper() else concept[:1].lower() + concept[1:]
    if name == OTHER_POINTS:
        return f"Does the {context.text_name} do justice to the other points named?"
    return f"Does the {context.text_name} succeed in terms of {spoken}?"


def _breakdown(part: _Part, asked: Sequence[str], context: Context) -> list[tuple[str, list[int]]]:
    """Questions with the attribute ids each serves; none repeats the key question or one asked before."""
    attributes: _Attributes = part["attributes"]
    taken = list(asked)
    found: list[tuple[str, list[int]]] = []
    unserved: list[int] = []
    for group in _groups(attributes, context):
        served = [attribute["id"] for attribute in group]
        question = (
            _best(group, part, taken, context)
            or _quoted(group, part, taken, context)
            or _own_wording(group, part, taken, context)
        )
        if question is None:
            unserved += served
            continue
        taken.append(question)
        found.append((question, served))
    if found and unserved:
        found[-1] = (found[-1][0], found[-1][1] + unserved)
    if len(found) < 2:
        served = [attribute["id"] for attribute in attributes]
        extra = _own_wording([{"text": part["name"]}, *attributes], part, taken, context)
        if extra or not found:
            found.append((extra or _last_resort(part, context), served))
    return found


def _groups(attributes: _Attributes, context: Context) -> list[list[Mapping[str, Any]]]:
    """The attributes in two or three groups of like ones, the largest first; up to two stay on their own."""
    if not attributes:
        return []
    count = min(len(attributes), 2 if len(attributes) < 5 else 3)
    labels = partition(vectors([attribute["text"] for attribute in attributes], context), count)
    groups: dict[int, list[Mapping[str, Any]]] = {}
    for attribute, label in zip(attributes, labels, strict=True):
        groups.setdefault(int(label), []).append(attribute)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]["id"]))


def _best(group: _Attributes, part: _Part, taken: Sequence[str], context: Context) -> str | None:
    """The group's soundest question: plain, not long, not vague, near the component and the other attributes."""
    texts = [attribute["text"] for attribute in group]
    rows = vectors([*texts, part["name"]], context)
    near = rows[:-1] @ rows[-1] + (rows[:-1] @ rows[:-1].T).mean(axis=1)
    candidates: list[tuple[float, str]] = []
    for place, text in enumerate(texts):
        phrased = question_from(text, context)
        if phrased and _is_new(phrased.question, part, taken, context):
            candidates.append((_merit(phrased, float(near[place])), phrased.question))
    return max(candidates, key=lambda pair: pair[0])[1] if candidates else None


def _quoted(group: _Attributes, part: _Part, taken: Sequence[str], context: Context) -> str | None:
    """The first attribute of the group as it is, where none can be turned into a question for certain."""
    asked = (quoted(attribute["text"], context) for attribute in group)
    return next((question for question in asked if question and _is_new(question, part, taken, context)), None)


def _merit(phrased: Phrased, near: float) -> float:
    vague = 0.5 * bool(_VAGUE.search(phrased.question))
    return phrased.rank + near - vague - 0.08 * max(len(phrased.question.split()) - USUAL_WORDS, 0)


def _own_wording(group: _Attributes, part: _Part, taken: Sequence[str], context: Context) -> str | None:
    """A question in the words of the rule that most of the group names; None where none is named."""
    named = [named_rule(attribute["text"], context) for attribute in group]
    votes = Counter(rule.id for rule in named if rule)
    themes = theme_weights(group[0]["text"], context)
    order = [rule for found, _ in votes.most_common() for rule in RULES if rule.id == found]
    order += [rule for rule in RULES if rule.theme in themes and rule not in order]
    for rule in order:
        for template in rule.questions:
            question = context.fill(template)
            if _is_new(question, part, taken, context):
                return question
    return None


def _last_resort(part: _Part, context: Context) -> str:
    concept = " ".join(part["name"].split()).rstrip("?.! ")
    return f"Is the {context.text_name} convincing with regard to {concept[:1].lower() + concept[1:]}?"


def _is_new(question: str, part: _Part, taken: Sequence[str], context: Context) -> bool:
    """Whether a question differs from those asked; it may come close to its key question, not repeat it."""
    repeats_key = overlaps(question, [part["key_question"]], context, OVERLAP_WITH_KEY)
    return not repeats_key and not overlaps(question, taken, context)


def overlaps(question: str, taken: Sequence[str], context: Context, least: float = OVERLAP) -> bool:
    """Whether a question is nearly the same as one of those taken, the text's own name aside."""
    bare = _bare(question, context)
    return any(fuzz.token_sort_ratio(bare, _bare(other, context)) >= least for other in taken)


def _bare(question: str, context: Context) -> str:
    skipped = _FRAME | {*words(context.text_name)}
    return " ".join(word for word in words(question) if word not in skipped)
