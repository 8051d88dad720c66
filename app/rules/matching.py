"""Matching of a question, an attribute or a rubric to the rule it is about.

Three steps, the first that finds anything decides: the rules' keywords; likeness of words (TF-IDF cosine) with the
rules' descriptions; the dimension's own rubric. So every question gets a rule, and the judge says which one.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from app.rules.catalogue import BY_ID, RULES
from app.rules.request import Context
from app.rules.rule import Rule
from app.rules.tokens import content_stems, sentences, words

LEAST_LIKENESS = 0.12
DEFAULT_RULE = "sentence-length"
_SOURCE_WORDS = re.compile(
    r"\b(?:original|source)? ?(?:news )?(?:article|document|source text|source document|source material)s?\b"
)

# "... that disrupt the flow", "... to enhance readability": what a point is good for, not what it is about.
_PURPOSE = re.compile(
    r"\s(?:that|which|to|could|might|may)\s(?:\w+\s)?(?:disrupt|hinder|enhanc|aid|help|make it)\w*\b[^.?]*"
)


@lru_cache(maxsize=8192)
def affinities(text: str, context: Context) -> Mapping[str, float]:
    """Keyword weight per rule id, hits in the first sentence counted twice; rules without a hit are left out."""
    spoken = _neutral(text, context)
    first = next(iter(sentences(spoken)), "")
    found: dict[str, float] = {}
    for rule in RULES:
        weight = sum(
            weight * (1 + bool(pattern.search(first))) for pattern, weight in rule.patterns if pattern.search(spoken)
        )
        if weight:
            found[rule.id] = weight
    return MappingProxyType(found)


@lru_cache(maxsize=8192)
def best_rule(text: str, context: Context) -> Rule:
    """The rule that fits best; ties go to the rule listed first."""
    if found := named_rule(text, context):
        return found
    if found := _similar_rule(_neutral(text, context)):
        return found
    if found := named_rule(f"{context.dimension}. {context.rubric}", context):
        return found
    return BY_ID[DEFAULT_RULE]


def named_rule(text: str, context: Context) -> Rule | None:
    """The rule whose keywords weigh most in a text, None without any."""
    found = affinities(text, context)
    return BY_ID[max(found, key=lambda rule: found[rule])] if found else None


def _neutral(text: str, context: Context) -> str:
    """Lower case, the text's own name left out, every name of the source written "source"."""
    lowered = " ".join(text.lower().replace("’", "'").split())
    lowered = re.sub(rf"\b(?:the )?{re.escape(context.text_name.lower())}(?:'s)?\b", " ", lowered)
    lowered = re.sub(rf"\b{re.escape(context.source_name.lower())}\b", "source", lowered)
    return " ".join(_PURPOSE.sub("", _SOURCE_WORDS.sub(" source ", lowered)).split())


def _analyse(text: str) -> list[str]:
    return list(content_stems(words(text)))


@lru_cache(maxsize=1)
def _descriptions() -> tuple[TfidfVectorizer, np.ndarray]:
    vectorizer = TfidfVectorizer(analyzer=_analyse, sublinear_tf=True)
    texts = [" ".join((rule.description, *rule.questions, *rule.considerations)) for rule in RULES]
    blank = [text.replace("{text}", "").replace("{source}", "source") for text in texts]
    return vectorizer, vectorizer.fit_transform(blank).toarray()


def _similar_rule(spoken: str) -> Rule | None:
    vectorizer, rows = _descriptions()
    likeness = rows @ vectorizer.transform([spoken]).toarray()[0]
    best = int(np.argmax(likeness))
    return RULES[best] if likeness[best] >= LEAST_LIKENESS else None
