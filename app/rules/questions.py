"""Key questions and sub-questions, rewritten questions, coverage, and validation, all by rules."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz

from app.domain.question_words import QUOTES, VAGUE
from app.errors import UnsupportedError
from app.rules.catalogue import BY_ID, RULES, STRONG, THEMES
from app.rules.clauses import Clauses
from app.rules.components import OTHER_POINTS, partition, theme_weights, topic_stems, vectors, wording
from app.rules.english import content_stems, finish, is_bad, word_set, words
from app.rules.judge import LEAST_FAMILY, affinities, family_shares, named_rule
from app.rules.phrasing import Phrased, is_sound, is_yes_no, keeps_meaning, plain, question_from, quoted
from app.rules.rule_input import Context, context_of

OVERLAP, OVERLAP_WITH_KEY = 78.0, 90.0
_FRAME = word_set("the a an does do is are in of convincing with regard to succeed terms")
USUAL_WORDS = 14
_VAGUE = re.compile(rf"\b(?:{'|'.join(VAGUE)})\b")
_Part = Mapping[str, Any]
_Attributes = Sequence[Mapping[str, Any]]


def key_questions(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return one yes/no question per component that contains the component's concept."""
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
    """Return two or three questions per component, each for a group of its attributes."""
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
    """Return questions with the attribute ids behind each; none repeats the key question or an earlier one."""
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
    """Return the attributes in two or three groups of similar ones, the largest first; up to two stay separate."""
    if not attributes:
        return []
    count = min(len(attributes), 2 if len(attributes) < 5 else 3)
    labels = partition(vectors([attribute["text"] for attribute in attributes], context), count)
    groups: dict[int, list[Mapping[str, Any]]] = {}
    for attribute, label in zip(attributes, labels, strict=True):
        groups.setdefault(int(label), []).append(attribute)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]["id"]))


def _best(group: _Attributes, part: _Part, taken: Sequence[str], context: Context) -> str | None:
    """Return the group's soundest question: plain, not long, not vague, close to the component and the other
    attributes."""
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
    """Return a question that quotes the group's first attribute, if none can certainly be turned into a question."""
    asked = (quoted(attribute["text"], context) for attribute in group)
    return next((question for question in asked if question and _is_new(question, part, taken, context)), None)


def _merit(phrased: Phrased, near: float) -> float:
    vague = 0.5 * bool(_VAGUE.search(phrased.question))
    return phrased.rank + near - vague - 0.08 * max(len(phrased.question.split()) - USUAL_WORDS, 0)


def _own_wording(group: _Attributes, part: _Part, taken: Sequence[str], context: Context) -> str | None:
    """Return a question in the words of the rule that most of the group names; None if none names one."""
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
    """Return whether a question differs from earlier ones; it may resemble its key question, but not repeat it."""
    repeats_key = overlaps(question, [part["key_question"]], context, OVERLAP_WITH_KEY)
    return not repeats_key and not overlaps(question, taken, context)


def overlaps(question: str, taken: Sequence[str], context: Context, least: float = OVERLAP) -> bool:
    """Return whether a question is nearly the same as one of those taken, apart from the text's name."""
    bare = _bare(question, context)
    return any(fuzz.token_sort_ratio(bare, _bare(other, context)) >= least for other in taken)


def _bare(question: str, context: Context) -> str:
    skipped = _FRAME | {*words(context.text_name)}
    return " ".join(word for word in words(question) if word not in skipped)


_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should)\b"
_TWO_CLAUSES = re.compile(rf",? (?:and|or) (?={_AUXILIARY})", re.IGNORECASE)
_TWO_ENDS = re.compile(r"^(?P<head>.+ )(?P<first>[\w-]+),? and (?P<second>[\w-]+)\?$")

_LINES = 3  # of what people said, in one line of guidance


def rephrased(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rule's own wording for what the question is about."""
    context, question = context_of(variables), _only(variables)
    found = _catalogue_wording(question, variables["others"], context)
    if found is None:
        raise _beyond("no other wording of their own for this question")
    return {"questions": [found], "reason": "The rules' own wording for what it asks about."}


def simplified(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the question without asides and examples; else the rule's own wording, if that is shorter."""
    context, question = context_of(variables), _only(variables)
    bare = plain(question)
    if bare != question and len(words(bare)) < len(words(question)) and is_sound(bare):
        return {"questions": [bare], "reason": "Asides and examples are left out."}
    found = _catalogue_wording(question, variables["others"], context)
    if found is None or len(words(found)) >= len(words(question)):
        raise _beyond("nothing in this question that they could leave out")
    return {"questions": [found], "reason": "The rules' own wording, which is shorter."}


def split(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return a question each for two clauses joined by "and", or for two qualities at the end."""
    question = _only(variables)
    clauses = [finish(part.strip(" ,?")) for part in _TWO_CLAUSES.split(question)]
    ends = _TWO_ENDS.match(question)
    if len(clauses) < 2 and ends is not None:
        clauses = [finish(ends["head"] + ends[part]) for part in ("first", "second")]
    if not 2 <= len(clauses) <= 4 or not all(is_yes_no(clause) for clause in clauses):
        raise _beyond("no “and” in this question at which they could split it")
    return {"questions": clauses, "reason": "Each of them asks one thing."}


def merged(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first of questions that are worded nearly alike."""
    context, asked = context_of(variables), [entry["question"] for entry in variables["questions"]]
    if not all(overlaps(asked[0], [other], context) for other in asked[1:]):
        raise _beyond("too little in common in the words of these questions")
    return {"questions": [asked[0]], "reason": "They are worded nearly alike; the first stands for all."}


def improved(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return people's comments on the errors as guidance, and the rule's own wording; rules don't read guidance, LLMs
    do."""
    context, question = context_of(variables), variables["question"]
    asked = " ".join(str(question["question"]).split())
    said = dict.fromkeys(finished(error["why"]) for error in variables["errors"] if error["why"].strip())
    guidance = " ".join([*filter(None, [str(question["guidance"]).strip()]), *list(said)[:_LINES]])
    found = []
    if said:
        reason = "It says what people said of the judge's errors."
        found.append({"question": asked, "guidance": guidance, "reason": reason})
    wording = _catalogue_wording(asked, variables["others"], context)
    if wording is not None:
        reason = "The rule's own wording for what it asks about."
        found.append({"question": wording, "guidance": str(question["guidance"]), "reason": reason})
    if not found:
        raise _beyond("nothing to go by: nobody said why, and they have no other wording for this question")
    return {"proposals": found}


def finished(sentence: str) -> str:
    """Return the sentence on one line, ending in a full stop unless it ends in "!" or "?" or is blank."""
    line = " ".join(sentence.split())
    return line if line[-1:] in ".!?" else f"{line}."


LEAST_SHARED = 0.3
"""Cosine of wordings from which a question covers an attribute."""


def covered(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each attribute the questions that share enough of its words."""
    questions, attributes = variables["questions"], variables["attributes"]
    rows = wording([str(a["text"]) for a in attributes] + [str(q["question"]) for q in questions])
    alike = rows[: len(attributes)] @ rows[len(attributes) :].T >= LEAST_SHARED
    return {
        "attributes": [
            {"attribute": a["id"], "questions": [q["id"] for q, near in zip(questions, row, strict=True) if near]}
            for a, row in zip(attributes, alike, strict=True)
        ]
    }


ANSWERS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "question-rephrase": rephrased,
    "question-simpler": simplified,
    "question-split": split,
    "question-merge": merged,
    "question-improve": improved,
    "checklist-coverage": covered,
}


def _only(variables: Mapping[str, Any]) -> str:
    return " ".join(str(variables["questions"][0]["question"]).split())


def _catalogue_wording(question: str, others: list[str], context: Context) -> str | None:
    rule = named_rule(question, context)
    wordings = [context.fill(template) for template in rule.questions] if rule else []
    return next((w for w in wordings if w != question and not overlaps(w, others, context)), None)


def _beyond(what: str) -> UnsupportedError:
    return UnsupportedError(f"The built-in rules find {what}.", "Choose an LLM for this, or reword it by hand.")


LEAST_KNOWN, KNOWN_SHARE = 5, 0.7
# A strong keyword in the first sentence names a rule clearly.
CLEARLY = 2 * STRONG
# Of what a rubric says, the share below which a side of quality is another dimension's.
FOREIGN = 0.15
LEAST_AT_HOME = 0.5
_ANYBODYS = frozenset(content_stems(words("reader readers read reads reading")))
# Its keywords, question and answer, mean a conversation only where the texts are replies.
_REPLY = "reply"


@dataclass(frozen=True, slots=True)
class Field:
    """What a checklist's questions together are about.

    shares: by family of rules, its share of the rubric's keywords. known: most questions name a rule. at_home: most
    name one of a family that the rubric mentions; otherwise the rules don't judge which question is irrelevant.
    """

    context: Context
    shares: Mapping[str, float]
    known: bool
    at_home: bool

    def irrelevance(self, question: str, component: str) -> str:
        """Return why a question doesn't belong to the checklist, "" if it does; other scripts pass."""
        if not question.isascii():
            return ""
        named = affinities(question, self.context)
        if named:
            return self._foreign(question, named) if self.at_home else ""
        return "It has nothing to do with the dimension or its component." if self._stray(question, component) else ""

    def _stray(self, question: str, component: str) -> bool:
        """Return whether a question that names no rule shares no word with component, rubric or task."""
        here = self.context
        known = f"{component} {here.dimension} {here.rubric} {here.text_name} {here.source_name}"
        return self.known and set(content_stems(words(question))).isdisjoint(content_stems(words(known)))

    def _foreign(self, question: str, named: Mapping[str, float]) -> str:
        """Return a reason if a rule that the question names clearly belongs to a side of quality that the rubric hardly
        mentions, none belongs to one that it does, and question and rubric share no word; else ""."""
        clear = [
            rule
            for rule, weight in named.items()
            if weight >= CLEARLY and self.shares.get(_family(rule), 0.0) < FOREIGN and BY_ID[rule].theme != _REPLY
        ]
        said = set(topic_stems(f"{self.context.dimension} {self.context.rubric}", self.context)) - _ANYBODYS
        if not clear or _names_family_of(named, self.shares) or said & set(topic_stems(question, self.context)):
            return ""
        theme = THEMES[BY_ID[max(clear, key=named.__getitem__)].theme].name.lower()
        return f"It asks about {theme}, of which the definition of {self.context.dimension} does not speak."


def field_of(questions: Sequence[str], context: Context) -> Field:
    """Return the field of a checklist's questions; without a rubric nothing can be called irrelevant."""
    shares = family_shares(context) if context.rubric.strip() else {}
    named = [affinities(question, context) for question in questions]
    known = sum(map(bool, named))
    at_home = sum(_names_family_of(each, shares) for each in named)
    return Field(
        context,
        shares,
        known >= max(LEAST_KNOWN, KNOWN_SHARE * len(questions)),
        at_home >= max(LEAST_KNOWN, LEAST_AT_HOME * len(questions)),
    )


def _names_family_of(named: Mapping[str, float], shares: Mapping[str, float]) -> bool:
    return any(shares.get(_family(rule), 0.0) >= LEAST_FAMILY for rule in named)


def _family(rule: str) -> str:
    return THEMES[BY_ID[rule].theme].family


KEPT = "Kept as it is."
# Of the words of the shorter question, where both name the same rule, and where they don't.
SHARED_WITH_RULE, SHARED_ALONE = 0.6, 0.8


def validation(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return questions with their source ids, changes and reasons; dropped ones with the reason."""
    context = context_of(variables)
    field = field_of([entry["question"] for entry in variables["questions"]], context)
    kept: list[dict[str, Any]] = []
    dropped: list[dict[str, Any]] = []
    for entry in variables["questions"]:
        question, reason = _mended(entry["question"], context)
        if question is None:
            dropped.append({"question": entry["id"], "reason": reason})
            continue
        same = next((k for k in kept if _ask_the_same(question, k["question"], context)), None)
        if same:
            same["sources"].append(entry["id"])
            topic = _named_by_both(same["question"], question, context)
            same["reason"] = f"These questions ask about the same thing{topic}."
        elif why := field.irrelevance(question, entry["component"]):
            dropped.append({"question": entry["id"], "reason": why})
        else:
            kept.append({"sources": [entry["id"]], "question": question, "reason": reason})
    return {"questions": kept, "dropped": dropped}


def _mended(written: str, context: Context) -> tuple[str | None, str]:
    """Return a sound form of a question with what was corrected, or None with what is wrong."""
    question = " ".join(written.split())
    if len(words(question)) < 2:
        return None, "It is not a question."
    if not is_yes_no(question):
        if is_yes_no(finish(question)):
            return finish(question), "A question mark was missing."
        phrased = question_from(question, context)
        return (
            (phrased.question, "Turned into a yes/no question.")
            if phrased
            else (None, "It can't be answered yes or no.")
        )
    if is_bad(question) and QUOTES not in question:  # a quoted attribute is never reworded
        turned = Clauses(context.text_name).turned(question.rstrip("?"))
        if turned is not None and not keeps_meaning(question, turned):
            return question, KEPT  # naming a fault isn't having one: "Does it admit a mistake openly?"
        if turned is None:
            return None, "A yes would speak against the text."
        return finish(turned), "Turned round so that yes is good."
    return question, KEPT


def _ask_the_same(question: str, other: str, context: Context) -> bool:
    """Return whether two questions ask the same: nearly the same words, or one rule and most words of the shorter
    one."""
    if overlaps(question, [other], context):
        return True
    first, second = named_rule(question, context), named_rule(other, context)
    one, two = set(topic_stems(question, context)), set(topic_stems(other, context))
    shared = len(one & two)
    least = SHARED_WITH_RULE if first is not None and first == second else SHARED_ALONE
    return shared >= 2 and shared >= least * min(len(one), len(two))


def _named_by_both(one: str, other: str, context: Context) -> str:
    first, second = named_rule(one, context), named_rule(other, context)
    if first is None or first != second:
        return ""
    return f" ({THEMES[first.theme].name.lower()})"
