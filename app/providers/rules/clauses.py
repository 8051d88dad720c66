"""Statements about a text turned into questions about it."""

import re

from app.providers.rules.english import BE, VERBS, base_form, gerund, is_bad, is_third_person, names_fault
from app.providers.rules.tokens import word_set

_ADVERB = r"(?:\w+ly|only|also|always|still|even)"
_SHOULD = re.compile(r"^(?P<subject>.+?) (?:should|must|needs? to|has to|have to) (?P<rest>.+)$", re.IGNORECASE)
_NEGATED = re.compile(r"^(?:does not|do not|doesn't|don't|not) (.+)$", re.IGNORECASE)
_THERE = re.compile(r"^there (?:is|are|exists?) (.+)$", re.IGNORECASE)
_EXPLETIVE = re.compile(r"^it is ((?:\w+ )?\w+ (?:what|who|which|where|how|that|whether|to) .+)$", re.IGNORECASE)
_EXISTS = re.compile(r"^(.+?) (?:exists?|occurs?)(?: in .+)?$", re.IGNORECASE)
_QUANTIFIER = re.compile(r"^(?:any|some|no|the)\s+(?=\w)", re.IGNORECASE)
_HOLDING = word_set("include contain have present show mention use")
LONGEST_SUBJECT = 12
_RELATIVE = re.compile(r"\b(?:that|which|who|whose|where|when|if)\b", re.IGNORECASE)


class Clauses:
    """Turns clauses about a text of this name into questions; None where it can't be done soundly."""

    def __init__(self, text_name: str) -> None:
        self.text_name = text_name
        name = re.escape(text_name)
        self._itself = re.compile(
            rf"^(?:it|(?:the|this|a|an)(?: overall)? (?:{name}|text|summary|essay|response))$", re.IGNORECASE
        )
        self._place = re.compile(rf" (?:in|within|throughout|of) the {name}(?=$| )", re.IGNORECASE)

    def question(self, clause: str) -> str | None:
        """ "the summary includes X" -> "Does the summary include X"; faults become "avoid"."""
        if match := _EXPLETIVE.match(clause):
            return f"Is it {match[1]}"
        if match := _THERE.match(clause):
            return self._existing(match[1])
        if match := _EXISTS.match(clause):
            return self._existing(match[1])
        if match := _SHOULD.match(clause):
            return self._should(match["subject"], match["rest"])
        if own := self._own(clause):
            return self._about_text(own)
        return self._about_other(clause)

    def avoiding(self, thing: str) -> str:
        """ "grammatical errors in the summary" -> "Does the summary avoid grammatical errors"."""
        bare = _QUANTIFIER.sub("", self.placeless(thing))
        return f"Does the {self.text_name} avoid {bare}"

    def placeless(self, phrase: str) -> str:
        """A phrase without "in the summary", which the question says already."""
        return self._place.sub("", phrase)

    def having(self, thing: str) -> str | None:
        """A bare noun phrase as something the text should have, or avoid where it names a fault."""
        if thing.lower().startswith("no ") or is_bad(thing):
            return self.avoiding(thing)
        if names_fault(thing) or _RELATIVE.search(thing) or thing.lower().startswith(("the ", "for ")):
            return None
        bare = self.placeless(thing)
        if match := re.match(r"^(?P<how>(?:\w+ )?)use of (?P<what>.+)$", bare, re.IGNORECASE):
            return f"Does the {self.text_name} make {match['how'] or ''}use of {match['what']}"
        verb = "show" if re.match(r"^\w+(?:ency|ity|ness|ance|ence)\b", bare) else "have"
        return f"Does the {self.text_name} {verb} {bare}"

    def turned(self, body: str) -> str | None:
        """A question where yes is bad, turned round: "Are there any errors" -> "Does the summary avoid errors"."""
        verb, _, rest = body.partition(" ")
        if rest.lower().startswith("there "):
            return self.avoiding(rest[6:])
        own = self._own(rest)
        if not own:
            return None
        if verb.lower() in BE:
            return f"Does the {self.text_name} avoid {self._without_be(own)}"
        return self._without(own) if verb.lower() in {"does", "do"} else None

    def _own(self, clause: str) -> str | None:
        """What is said of the text, where the text itself is the subject."""
        for split in range(1, min(5, len(clause.split()))):
            parts = clause.split(" ", split)
            if self._itself.match(" ".join(parts[:split])):
                return parts[split]
        return None

    def _existing(self, thing: str) -> str:
        if thing.lower().startswith("no ") or is_bad(thing):
            return self.avoiding(thing)
        return f"Does the {self.text_name} have {self.placeless(thing)}"

    def _should(self, subject: str, rest: str) -> str | None:
        negated = _NEGATED.match(rest)
        if self._itself.match(subject):
            if negated:
                return self._without(re.sub(r"^(?:just|only|merely) ", "", negated[1]))
            if rest.startswith("be "):
                return f"Is the {self.text_name} {rest[3:]}"
            return f"Does the {self.text_name} {rest}"
        if negated or _RELATIVE.search(subject):
            return None
        plural = _is_plural(subject)
        if rest.startswith("be "):
            return f"{'Are' if plural else 'Is'} {_lower(subject)} {rest[3:]}"
        return f"{'Do' if plural else 'Does'} {_lower(subject)} {rest}"

    def _about_text(self, own: str) -> str | None:
        if match := _NEGATED.match(own):
            return self._without(match[1])
        match = re.match(rf"^(?P<adverb>(?:{_ADVERB} )*)(?P<verb>[\w-]+)(?: (?P<rest>.+))?$", own)
        if not match or not is_third_person(match["verb"]):
            return None
        verb, rest, adverb = match["verb"], match["rest"] or "", match["adverb"]
        if verb in BE:
            first, _, second = rest.partition(" or ")
            if is_bad(second) and not names_fault(first):
                return f"Is the {self.text_name} {adverb}{first}"
            if is_bad(rest):
                return f"Does the {self.text_name} avoid {self._without_be(own)}"
            return f"Is the {self.text_name} {adverb}{rest}"
        if is_bad(own):
            return self._without(f"{base_form(verb)} {rest}")
        if match := re.match(r"^(and|or) (\w+) ", rest):
            rest = f"{match[1]} {base_form(match[2])} {rest[match.end() :]}"
        return f"Does the {self.text_name} {adverb}{base_form(verb)} {rest}"

    def _without(self, predicate: str) -> str:
        """ "include trivial details" -> "Does the summary avoid trivial details"; "omit facts" -> "avoid omitting"."""
        parts = predicate.split(" ", 1)
        adverb = f"{parts[0]} " if parts[0].endswith("ly") and len(parts) > 1 else ""
        verb, _, rest = (parts[1] if adverb else predicate).partition(" ")
        if verb in _HOLDING and (is_bad(rest) or " not " in rest):
            return self.avoiding(rest)
        return f"Does the {self.text_name} avoid {adverb}{gerund(verb)} {rest.removeprefix('any ')}"

    def _without_be(self, own: str) -> str:
        """ "is missing any key elements" -> "missing key elements"; "confusing" -> "being confusing"."""
        rest = re.sub(r"^(?:is|are|was|were) ", "", own)
        first, _, more = rest.partition(" ")
        if first.endswith("ing") and first not in {"confusing", "misleading", "jarring"} and more:
            return f"{first} {_QUANTIFIER.sub('', more) if more.startswith('any ') else more}"
        return f"being {rest}"

    def _about_other(self, clause: str) -> str | None:
        """Another subject: its first finite verb comes first, or "do"; faults are given up."""
        if is_bad(clause) or re.search(r"\bnot\b", clause):
            return None
        parts = clause.split()
        for index in range(1, min(len(parts) - 1, LONGEST_SUBJECT)):
            subject, verb, rest = " ".join(parts[:index]), parts[index], " ".join(parts[index + 1 :])
            if not _RELATIVE.search(subject) and (question := _inverted(subject, verb, rest)):
                return question
        return None


def _inverted(subject: str, verb: str, rest: str) -> str | None:
    """ "sentences", "are", "linked" -> "are sentences linked"; None where the word can't be the verb."""
    spoken = _lower(subject)
    if verb in BE:
        return f"{verb} {spoken} {_one_predicate(rest)}"
    if verb in {"has", "have"}:
        return f"{'Does' if verb == 'has' else 'Do'} {spoken} have {rest}"
    after_plural = subject.endswith("s")
    if verb.endswith("s") and base_form(verb) in VERBS and not after_plural:
        return f"Does {spoken} {base_form(verb)} {rest}"
    return f"Do {spoken} {verb} {rest}" if verb in VERBS and after_plural else None


def _one_predicate(rest: str) -> str:
    """ "varied and suits the subject" -> "varied": a second verb would need a question of its own."""
    match = re.search(r",? and (?:\w+ (?:is|are)|(\w+s)) ", rest)
    return rest[: match.start()] if match and (match[1] is None or base_form(match[1]) in VERBS) else rest


def _is_plural(subject: str) -> bool:
    """Whether a noun phrase is plural, as far as its head, the word before any "of" or "in", shows it."""
    if re.match(r"(?:each|every|any|no)\b", subject, re.IGNORECASE):
        return False
    head = re.split(r",| (?:in|of|from|between|on|for|with) ", subject)[0]
    return " and " in head or (head.endswith("s") and not head.endswith("ss"))


def _lower(subject: str) -> str:
    """A subject inside a question: its first letter small unless the word is all capitals."""
    return subject if subject[:2].isupper() else subject[:1].lower() + subject[1:]
