"""Answers in a judge's reply to a checklist: the words for yes and no, reasons, quotes, and the probability of yes."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.abstentions import NOT_APPLICABLE, abstention
from app.domain.checklist import Question
from app.domain.checklist_score import CANNOT_TELL, Answer, Judgment
from app.domain.model_thoughts import answer_part
from app.domain.quotes import stored_quote
from app.providers.base import ChatReply, TokenLogprob


def probabilities_of_yes(tokens: Sequence[TokenLogprob], keys: Sequence[str]) -> dict[str, float]:
    """Return key -> P(yes) / (P(yes) + P(no)) at the token where the answer to that key begins.

    `tokens` spell the whole reply in order; thoughts before the answer don't count. Alternatives that begin neither
    word are left out. A key is missing from the result if its answer isn't found, or its token has neither alternative.
    """
    text = answer_part("".join(token.token for token in tokens))
    found = {}
    for key in keys:
        places = list(re.finditer(rf'"{re.escape(key)}"\s*:\s*(?:\{{.*?"answer"\s*:\s*)?"', text, re.DOTALL))
        if places:
            p = _at(tokens, places[-1].end())
            if p is not None:
                found[key] = p
    return found


def _at(tokens: Sequence[TokenLogprob], position: int) -> float | None:
    """Return P(yes) at the token that contains the character at `position`, the first letter of the answer."""
    start = 0
    for token in tokens:
        end = start + len(token.token)
        if start <= position < end:
            return _share_of_yes(token, position - start)
        start = end
    return None


def _share_of_yes(token: TokenLogprob, offset: int) -> float | None:
    alternatives = {**token.top, token.token: token.logprob}
    before = token.token[:offset]
    yes = no = 0.0
    for alternative, logprob in alternatives.items():
        if not alternative.startswith(before):
            continue
        word = alternative[offset:].strip().lower().rstrip('",}')
        if word and Answer.YES.value.startswith(word):
            yes += math.exp(logprob)
        elif word and Answer.NO.value.startswith(word):
            no += math.exp(logprob)
    return yes / (yes + no) if yes + no > 0 else None


ANSWERS = (Answer.YES.value, Answer.NO.value)


def question_keys(count: int) -> tuple[str, ...]:
    """Return the keys of the questions in request and answer: q1, q2 ..."""
    return tuple(f"q{number}" for number in range(1, count + 1))


def read_answers(
    value: Mapping[str, Any], reply: ChatReply, questions: Sequence[Question], repeat: int = 0
) -> tuple[Judgment, ...]:
    """Return the judgments in an answer. A missing or invalid answer is unanswered, never No."""
    keys = question_keys(len(questions))
    p_yes = probabilities_of_yes(reply.logprobs, keys) if reply.logprobs else {}
    judgments = []
    for key, question in zip(keys, questions, strict=True):
        word, reason = answer_word(value.get(key), question)
        if word == CANNOT_TELL:
            judgments.append(Judgment(question.id, Answer.UNANSWERED, reason, repeat, cannot_tell=True))
        elif not word:
            judgments.append(Judgment(question.id, Answer.UNANSWERED, repeat=repeat))
        else:
            rationale = reason or reply.rationales.get(key, "")
            likely, quote = p_yes.get(key) if word in ANSWERS else None, _quote(value.get(key))
            judgments.append(Judgment(question.id, Answer(word), rationale, repeat, likely, quote=quote))
    return tuple(judgments)


def _quote(value: object) -> str:
    return stored_quote(value.get("quote")) if isinstance(value, Mapping) else ""


def answer_word(value: object, question: Question) -> tuple[str, str]:
    """Return "yes", "no", "does not apply" if the question allows it, CANNOT_TELL or "", and the reason, from either of
    the two forms. A judge that can't tell gives its reason with the word if it has no other place for it."""
    said, reason = value, ""
    if isinstance(value, Mapping):
        said, reason = value.get("answer"), str(value.get("reason") or "").strip()
    if said in ANSWERS:
        return str(said), reason
    word = abstention(said)
    if word == NOT_APPLICABLE and not question.may_not_apply:
        return "", ""
    own = str(said).strip() if word == CANNOT_TELL and said != CANNOT_TELL else ""
    return word, reason or own


def with_word(cell: object, word: str) -> object:
    if not word:
        return cell
    return {**cell, "answer": word} if isinstance(cell, Mapping) else word


def with_quote(cell: object) -> object:
    """Return the cell with an empty quote if it has none: a missing quote isn't worth asking again."""
    given = dict(cell) if isinstance(cell, Mapping) else {"answer": cell}
    return given if isinstance(given.get("quote"), str) else given | {"quote": ""}
