"""Relevance of questions to a dimension: some are about another quality, or about nothing known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.rules.assessor import LEAST_FAMILY, family_shares
from app.rules.catalogue import BY_ID, THEMES
from app.rules.matching import affinities
from app.rules.request import Context
from app.rules.rule import STRONG
from app.rules.tokens import content_stems, words
from app.rules.vectors import topic_stems

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
    """What a checklist's questions are about, taken together.

    shares: of each family of rules in what the dimension's rubric says. known: most questions name a rule. at_home:
    most name one of a family that the rubric speaks of; where they don't, it is not for the rules to say who is astray.
    """

    context: Context
    shares: Mapping[str, float]
    known: bool
    at_home: bool

    def irrelevance(self, question: str, component: str) -> str:
        """Why a question has no place in the checklist, "" where it has; other scripts pass."""
        if not question.isascii():
            return ""
        named = affinities(question, self.context)
        if named:
            return self._foreign(question, named) if self.at_home else ""
        return "It has nothing to do with the dimension or its component." if self._stray(question, component) else ""

    def _stray(self, question: str, component: str) -> bool:
        """Whether a question that no rule knows shares no word with component, rubric or task."""
        here = self.context
        known = f"{component} {here.dimension} {here.rubric} {here.text_name} {here.source_name}"
        return self.known and set(content_stems(words(question))).isdisjoint(content_stems(words(known)))

    def _foreign(self, question: str, named: Mapping[str, float]) -> str:
        """Says so where a rule that the question names clearly belongs to a side of quality of which the rubric hardly
        speaks, none belongs to one of which it does, and question and rubric share no word."""
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
    """The field of a checklist's questions; without a rubric nobody can tell what belongs to the dimension."""
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
