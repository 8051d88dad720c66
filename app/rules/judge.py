"""The judge: each question is answered by the rule it is about.

A question only chooses a rule; the rule looks at the text. Several questions of one checklist about the same rule ask
it at different strictness, spread evenly from lenient to strict in the order of the questions, so that they grade
instead of repeating each other. One question alone is asked at the middle. This is a stand-in for reading, and each
reason says what was really looked at.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from app.rules.evidence import deciding_passage
from app.rules.matching import best_rule, named_rule
from app.rules.profile import Passage, Profile, Source, grounding_of, passage, source_of
from app.rules.reading import Reading
from app.rules.request import Context, context_of
from app.rules.rule import Rule

TEXTS_KEPT = 512
SOURCES_KEPT = 128


@dataclass(frozen=True, slots=True)
class RuledQuestion:
    """A question's key with the rule and the limit that answer it; `fits` is False where no rule is about it."""

    key: str
    rule: Rule
    limit: float
    fits: bool = True


@dataclass(frozen=True, slots=True)
class RuledAnswers:
    """Answers and reasons by question key; `decided` are the rules that found something to look at, and whether they
    passed."""

    answers: dict[str, str]
    reasons: dict[str, str]
    profile: Profile
    decided: Mapping[str, tuple[Rule, bool]]

    def with_quotes(self, reasons: bool) -> dict[str, dict[str, str]]:
        """Each answer with the sentence that decides it, "" for none, and its reason where that is asked for too."""
        quotes = {key: deciding_passage(rule.id, self.profile, good) for key, (rule, good) in self.decided.items()}
        return {
            key: {
                "quote": quotes.get(key, ""),
                **({"reason": self.reasons[key]} if reasons else {}),
                "answer": answer,
            }
            for key, answer in self.answers.items()
        }


class RuleJudge:
    """Answers checklists. Texts and sources that come again are cut up once (bounded, least recently used go)."""

    def __init__(self) -> None:
        self._passage = lru_cache(maxsize=TEXTS_KEPT)(passage)
        self._source = lru_cache(maxsize=SOURCES_KEPT)(source_of)
        self._plan = lru_cache(maxsize=64)(plan)

    def profile(self, text: str, source: str) -> Profile:
        """A text beside its source, ready to be measured."""
        cut: Passage = self._passage(text)
        beside: Source = self._source(source)
        return Profile(cut, beside, grounding_of(cut, beside))

    def answer(self, variables: Mapping[str, Any]) -> RuledAnswers:
        """ "yes" or "no", or "does not apply" where the question allows that and the text gives its rule nothing to
        look at."""
        questions = tuple((question["key"], question["question"]) for question in variables["questions"])
        item = variables["item"]
        may_not = {question["key"] for question in variables["questions"] if question.get("may_not_apply")}
        context = context_of(variables)
        profile = self.profile(item["text"], item["source"] or "")
        answers: dict[str, str] = {}
        reasons: dict[str, str] = {}
        decided: dict[str, tuple[Rule, bool]] = {}
        readings: dict[str, Reading] = {}
        for asked in self._plan(questions, context):
            rule = asked.rule
            if rule.id not in readings:
                readings[rule.id] = rule.measure(profile)
            reading = readings[rule.id]
            good = bool(profile.text.words) and rule.passes(reading, asked.limit)
            open_ = asked.key in may_not and asked.fits and bool(profile.text.words) and not reading.applies
            answers[asked.key] = "does not apply" if open_ else "yes" if good else "no"
            reason = rule.reason(reading, asked.limit) if profile.text.words else "The text is empty."
            if not asked.fits:
                reason = f"No rule fits this question; the nearest was used. {reason}"
            reasons[asked.key] = reason.replace("the source", f"the {context.source_name}")
            if reading.applies and not open_:
                decided[asked.key] = rule, good
        return RuledAnswers(answers, reasons, profile, decided)


def plan(questions: Sequence[tuple[str, str]], context: Context) -> tuple[RuledQuestion, ...]:
    """The rule and the limit for each (key, question), in order."""
    rules = [best_rule(question, context) for _, question in questions]
    totals, seen = Counter(rule.id for rule in rules), Counter[str]()
    asked: list[RuledQuestion] = []
    for (key, question), rule in zip(questions, rules, strict=True):
        strictness = (seen[rule.id] + 0.5) / totals[rule.id]
        seen[rule.id] += 1
        asked.append(RuledQuestion(key, rule, rule.limit(strictness), named_rule(question, context) is not None))
    return tuple(asked)
