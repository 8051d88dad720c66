"""Clauses whose subject is something other than the text: "sentences are linked" -> "Are sentences linked"."""

import re
from collections.abc import Sequence

from app.domain.wording.english_words import BE
from app.rules.english import VERBS, base_form, gerund, is_bad, lower_first, names_fault
from app.rules.tokens import word_set

LONGEST_SUBJECT, LONGEST_KEPT = 14, 10
RELATIVE = re.compile(r"\b(?:that|which|who|whom|whose|where|when|if|what|how|whether)\b", re.IGNORECASE)
_OUTER = re.compile(
    r"^(?:after|before|how|whether|if|when|where|unless|because|while|although|as|this|that|they|he|she|readers)\b"
)
_MODALS = frozenset({"can", "will", "would"})
_HAVE = frozenset({"has", "have"})
_FINITE = BE | _MODALS | _HAVE | {"does", "do", "did", "should", "must", "had", "could", "may"}
_LEADS_TO_NOUN = word_set("of the a an in for to and or with by from on at as between its their each every no any all")
_DETERMINED = re.compile(r"^(?:the|a|an|each|every|one|any|its|what|who|everyone|everything|\w+ing)\b", re.IGNORECASE)
_PARTICIPLE = re.compile(
    r"^(?:\w+ly )?(?:\w+ed|left|lost|hidden|told|given|made|kept|put|taken|written|drawn|seen|said|cut|turned)\b"
)
# Permission and taste are no criteria; a second predicate after "but" turns the first one round.
_NO_CRITERION = re.compile(
    r"\b(?:is|are) (?:all right|alright|fine|ok|okay|allowed|acceptable|permitted|nice|common|normal|usual)\b"
    rf"| but (?:{'|'.join(sorted(_FINITE))})\b",
    re.IGNORECASE,
)
_SECOND = re.compile(r",? and (?:\w+ (?:is|are)|(\w+s)) ")
_KNOWN = re.compile(
    r"^(?P<what>(?:who|what|which|where|when|why|how)\b.+?) (?:is|should be|must be) "
    r"(?P<how>(?:always |never |\w+ly )?(?:clear|obvious|evident|plain|easy to (?:see|tell)))$",
    re.IGNORECASE,
)
_NEGATED_VERB = re.compile(
    r"^(?P<subject>.+?) (?P<verb>is|are|was|were|does|do|did|has|have|can)(?: not|not) (?P<rest>.+)$"
)


def asked(clause: str) -> str | None:
    """The clause with its finite verb first, or with "do"; None where no verb is found, or a yes would be bad."""
    if match := _KNOWN.match(clause):
        return f"Is it {match['how']} {lower_first(match['what'])}"
    if is_bad(clause) or _NO_CRITERION.search(clause) or _NEGATED_VERB.match(_first_part(clause)):
        return None
    parts = clause.split()
    for index in range(1, min(len(parts), LONGEST_SUBJECT)):
        subject, verb, rest = " ".join(parts[:index]), parts[index], " ".join(parts[index + 1 :])
        if parts[index - 1].lower() in _LEADS_TO_NOUN or not is_whole(subject):
            continue
        if question := _inverted(subject, verb, rest):
            return question
    return None


def kept_from(clause: str, text_name: str) -> str | None:
    """ "facts are not distorted", "facts are distorted" -> "Does the text keep facts from being distorted"."""
    match = _NEGATED_VERB.match(clause)
    if match:
        if match["verb"] == "did" or not is_whole(match["subject"]):
            return None
        predicate = match["rest"]
        if match["verb"] in BE:
            predicate = f"be {predicate}"
        elif match["verb"] in _HAVE:
            predicate = f"have {predicate}"
        return kept(match["subject"], predicate, text_name)
    match = re.match(r"^(?P<subject>.+?) (?:is|are) (?P<rest>\S.*)$", clause)
    if (
        match is None
        or not _PARTICIPLE.match(match["rest"])
        or not is_bad(clause)
        or names_fault(match["subject"])
        or not is_whole(match["subject"])
    ):
        return None
    return kept(match["subject"], f"be {match['rest']}", text_name)


def kept(subject: str, predicate: str, text_name: str) -> str | None:
    """ "sentences", "contradict each other" -> "Does the text keep sentences from contradicting each other"."""
    bare = re.sub(r"^(?:any|some) ", "", lower_first(subject))
    if len(bare.split()) > LONGEST_KEPT or re.search(r"\b(?:not|no|nothing|none)\b", bare) or bare in {"it", "they"}:
        return None
    if has_verb(bare) and not RELATIVE.search(bare):
        return None
    verb, _, rest = predicate.partition(" ")
    writer = re.fullmatch(r"(?:the |a |an )?(?:writer|author|student|pupil|speaker)", bare)
    if writer or (verb == "be" and bare != "readers" and not _PARTICIPLE.match(rest)):
        return f"{'Do' if is_plural(bare) else 'Does'} {bare} avoid {gerund(verb)} {rest}"
    return f"Does the {text_name} keep {bare} from {gerund(verb)} {rest}"


def denies(clause: str) -> bool:
    """Whether a clause that opens with "no", "nothing" or the like has a verb, and so isn't a bare "no loose ends"."""
    if not clause.lower().startswith("no ") or clause.lower().startswith("no one "):
        return True
    head = RELATIVE.split(clause)[0]
    return has_verb(head if head != clause else clause.rsplit(" ", 1)[0])


def has_verb(phrase: str, asked: bool = False) -> bool:
    """Whether a word after the first can be its finite verb; in a question (`asked`) the first word may."""
    said = phrase.lower().replace("(", "").replace(")", "").split()
    return bool(asked and said and said[0] in _FINITE) or any(
        _may_be_verb(said[place].rstrip(",.;"), said[1:place], said[place - 1]) for place in range(1, len(said))
    )


def _may_be_verb(word: str, earlier: Sequence[str], before: str) -> bool:
    if word in _FINITE:
        return True
    if before.endswith(",") or before in _LEADS_TO_NOUN:
        return False
    return (word.endswith("s") and base_form(word) in VERBS) or (
        word in VERBS and (before.endswith("s") or "and" in earlier)
    )


def is_whole(subject: str) -> bool:
    """Whether a relative clause inside the subject, if any, has its verb; only then the main verb can follow."""
    if _OUTER.match(subject.lower()) and not subject.lower().startswith("readers"):
        return False
    found = RELATIVE.search(subject)
    if found is None:
        return True
    inner = subject[found.end() :].split()
    return found[0].lower() not in {"how", "if", "when", "whether", "where"} and any(
        word in _FINITE or (base_form(word) in VERBS) for word in inner
    )


def is_plural(subject: str) -> bool:
    """Whether a noun phrase is plural, as far as its head, the word before any "of", "that" or "such as", shows it."""
    if re.match(r"(?:each|every|any|no|one|what|who|none)\b", subject, re.IGNORECASE):
        return False
    head = re.split(
        r",? (?:in|of|from|between|on|for|with|that|which|who|such as|like|about|within|to) |,", subject.lower()
    )[0]
    return " and " in head or head in {"people", "they", "readers"} or bool(re.search(r"(?<!s)s$|\bpeople$", head))


def _inverted(subject: str, verb: str, rest: str) -> str | None:
    """ "sentences", "are", "linked" -> "Are sentences linked"; None where the word can't be the verb."""
    spoken = lower_first(subject)
    if verb in BE or verb in _MODALS:
        return f"{verb} {spoken} {_one_predicate(rest)}" if rest else None
    if verb in _HAVE and rest.startswith("been "):
        return f"{verb} {spoken} {rest}"
    if verb in _HAVE:
        return f"{'Does' if verb == 'has' else 'Do'} {spoken} have {rest}" if rest else None
    if rest.split(" ", maxsplit=1)[0] in _FINITE or spoken == "readers":
        return None
    plural = is_plural(subject)
    if verb.endswith("s") and base_form(verb) in VERBS and not plural and (rest or _DETERMINED.match(subject)):
        return f"Does {spoken} {base_form(verb)} {rest}"
    return f"Do {spoken} {verb} {rest}" if verb in VERBS and plural else None


def _one_predicate(rest: str) -> str:
    """ "varied and suits the subject" -> "varied": a second verb would need a question of its own."""
    match = _SECOND.search(rest)
    return rest[: match.start()] if match and (match[1] is None or base_form(match[1]) in VERBS) else rest


def _first_part(clause: str) -> str:
    """The clause up to ", not ..." or "and not ...", which deny no verb."""
    return re.split(r",? (?:and|but|or) not |, not ", clause)[0]
