"""Statements about a text turned into questions about it."""

import re

from app.domain.wording.english_words import BE
from app.rules import subjects
from app.rules.english import (
    base_form,
    drops_essentials,
    gerund,
    is_bad,
    is_third_person,
    lower_first,
    names_fault,
)
from app.rules.noun_phrases import is_abstract, with_article
from app.rules.tokens import word_set

_ADVERB = r"(?:\w+ly|only|also|always|still|even)"
_MODAL = r"(?:should|must|shall|needs? to|has to|have to|ought to|can(?=not))"
_SHOULD = re.compile(rf"^(?P<subject>.+?) {_MODAL} ?(?P<rest>.+)$", re.IGNORECASE)
_NEGATED = re.compile(r"^(?:does not|do not|not|never|cannot) (.+)$", re.IGNORECASE)
_THERE = re.compile(
    r"^there (?:(?:is|are|exists?)|(?:should|must|has to|have to|needs? to)(?P<no> not)? be)"
    r"(?P<not> not)? (?P<thing>.+)$",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"^it is (?!\w+ to \w+(?: and \w+)?$)((?:\w+ )?\w+ (?:what|who|which|where|how|that|whether|to) .+)$", re.IGNORECASE
)
_EXISTS = re.compile(r"^(.+?) (?:exists?|occurs?)(?: in .+)?$", re.IGNORECASE)
_QUANTIFIER = re.compile(r"^(?:any|some|no)\s+(?=\w)", re.IGNORECASE)
_HOLDING = word_set("include contain have present show mention use")
_NOT_BUT = re.compile(r"^(?P<verb>\w+) (?P<prep>\w+) (?P<this>.+?),? but (?:rather )?(?P<that>(?P=prep) .+)$")
_ADDED = re.compile(
    r"^(?:be (?:added|included|introduced|present|there|found|made)|appear|occur|exist|happen)\b ?(?P<where>.*)$"
)
_NONE = re.compile(r"^(?:no|none|nothing|nobody|no one|neither)\b", re.IGNORECASE)
_EITHER = re.compile(r", or else |, or (?:it|they|the \w+(?: of \w+)?) (?:is|are|has|does)\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"^(?P<if>(?:if|when|whenever|where|unless|once) [^,]+), (?:then )?(?P<then>[^,].+)$", re.IGNORECASE
)
_STANDS_FOR = re.compile(r"^(?:it|they|this|that|these|those|he|she)\b", re.IGNORECASE)


class Clauses:
    """Turns clauses about a text of this name into questions; None where it can't be done soundly."""

    def __init__(self, text_name: str) -> None:
        self.text_name = text_name
        name = re.escape(text_name)
        self._itself = re.compile(
            rf"^(?:it|(?:the|this|a|an|any|every)(?: overall| whole| good| strong| great)? "
            rf"(?:{name}|text|summary|essay|response))$",
            re.IGNORECASE,
        )
        self._place = re.compile(rf" (?:in|within|throughout|of) the (?:whole )?{name}(?=$| )", re.IGNORECASE)

    def question(self, clause: str) -> str | None:
        """ "the summary includes X" -> "Does the summary include X"; faults become "avoid"."""
        if match := _CONDITION.match(clause):
            return self._on_condition(match["if"], match["then"])
        if match := _EXPLETIVE.match(clause):
            return f"Is it {match[1]}"
        if match := _THERE.match(clause):
            return self.avoiding(match["thing"]) if match["no"] or match["not"] else self._existing(match["thing"])
        if _NONE.match(clause):
            return _true(_allowed(clause)) if subjects.denies(clause) else self._none_of(clause)
        if _EITHER.search(clause):
            return _true(clause)
        if match := _EXISTS.match(clause):
            return self._existing(match[1])
        own, wanted = self._own(clause), _SHOULD.match(clause)
        if wanted and (self._itself.match(wanted["subject"]) or (own is None and subjects.is_whole(wanted["subject"]))):
            return self._should(wanted["subject"], wanted["rest"])
        if own:
            return self._about_text(own)
        question = subjects.asked(clause)
        if question and re.search(r"\b(?:no|nothing|nobody|none)\b", question):
            return _true(clause)
        return question or subjects.kept_from(self.placeless(clause), self.text_name)

    def avoiding(self, thing: str) -> str:
        """ "grammatical errors in the summary" -> "Does the summary avoid grammatical errors"."""
        bare = _QUANTIFIER.sub("", self.placeless(thing))
        bare = re.sub(r",? (?:(?:and|or) )?no (?=\w)", " or ", bare)
        return f"Does the {self.text_name} avoid {bare}"

    def placeless(self, phrase: str) -> str:
        """A phrase without "in the summary", which the question says already."""
        return self._place.sub("", phrase)

    def having(self, thing: str) -> str | None:
        """A bare noun phrase as something the text should have, or avoid where it names a fault."""
        if drops_essentials(thing):
            return None
        if thing.lower().startswith("no ") or is_bad(thing):
            return self.avoiding(thing)
        if names_fault(thing) or subjects.RELATIVE.search(thing) or thing.lower().startswith(("the ", "for ")):
            return None
        bare = self.placeless(thing)
        if match := re.match(r"^(?P<how>(?:\w+ )?)use of (?P<what>.+)$", bare, re.IGNORECASE):
            return f"Does the {self.text_name} make {match['how'] or ''}use of {match['what']}"
        spoken = with_article(bare)
        verb = "show" if is_abstract(bare) else "have"
        return f"Does the {self.text_name} {verb} {spoken}" if spoken else None

    def turned(self, body: str) -> str | None:
        """A question where yes is bad, turned round: "Are there any errors" -> "Does the summary avoid errors"."""
        verb, _, rest = body.partition(" ")
        if match := re.match(r"^there (?:any|some)thing (.+)$", rest, re.IGNORECASE):
            return f"Is it true that there is nothing {match[1]}"
        if rest.lower().startswith("there "):
            return self.avoiding(rest[6:])
        own = self._own(rest)
        if verb.lower() in BE:
            passive = subjects.kept_from(self.placeless(_uninverted(verb, rest)), self.text_name)
            return f"Does the {self.text_name} avoid {self._without_be(own)}" if own else passive
        return self.without(own) if own and verb.lower() in {"does", "do"} else None

    def _own(self, clause: str) -> str | None:
        """What is said of the text, where the text itself is the subject."""
        for split in range(1, min(5, len(clause.split()))):
            parts = clause.split(" ", split)
            if self._itself.match(" ".join(parts[:split])):
                return parts[split]
        return None

    def _existing(self, thing: str) -> str | None:
        if re.match(r"^(?:no(?:thing| one)|none)\b", thing, re.IGNORECASE):
            return f"Is it true that there is {thing}"
        if thing.lower().startswith("no ") or is_bad(thing):
            return self.avoiding(thing)
        return f"Does the {self.text_name} have {self.placeless(thing)}"

    def _none_of(self, thing: str) -> str | None:
        """ "no loose ends" -> "Does the summary avoid loose ends"; "no clear end" may be meant either way."""
        unwanted = is_bad(thing[3:]) or subjects.is_plural(thing[3:])
        return self.avoiding(thing) if thing.lower().startswith("no ") and unwanted else None

    def _on_condition(self, condition: str, main: str) -> str | None:
        """ "if there are several events, the order should be clear" -> "Is the order clear if there are ..."."""
        if is_bad(main) or re.match(r"^(?:that|this|it) (?:is|means)\b", main, re.IGNORECASE):
            return None
        if _STANDS_FOR.match(main):
            wanted = _SHOULD.match(main)
            return (
                f"Does the {self.text_name} meet the expectation that, {lower_first(condition)}, {main}"
                if wanted
                else None
            )
        question = self.question(main)
        return f"{question} {lower_first(condition)}" if question else None

    def _should(self, subject: str, rest: str) -> str | None:
        negated = _NEGATED.match(rest)
        if self._itself.match(subject):
            if negated:
                return self.without(re.sub(r"^(?:just|only|merely) ", "", negated[1]))
            if rest.startswith("be "):
                return f"Is the {self.text_name} {rest[3:]}"
            return f"Does the {self.text_name} {rest}"
        if negated:
            return self._should_not(subject, negated[1])
        if names_fault(subject) and not re.match(r"^be (?:left out|kept out|removed|cut|avoided)\b", rest):
            return None
        return _shown(subject, rest)

    def _should_not(self, subject: str, rest: str) -> str | None:
        if match := _ADDED.match(rest):
            return self.avoiding(f"{lower_first(subject)} {match['where']}".strip())
        return subjects.kept(self.placeless(subject), rest, self.text_name)

    def _about_text(self, own: str) -> str | None:
        if match := re.match(r"^(can|will|would) (?!not)(.+)$", own):
            return f"{match[1]} the {self.text_name} {match[2]}"
        if match := _NEGATED.match(own):
            return self.without(match[1])
        match = re.match(rf"^(?P<adverb>(?:{_ADVERB} )*)(?P<verb>[\w-]+)(?: (?P<rest>.+))?$", own)
        if not match or not is_third_person(match["verb"]):
            return None
        verb, rest, adverb = match["verb"], match["rest"] or "", match["adverb"]
        if verb in BE:
            return self._being(own, adverb, rest)
        if verb == "has" and rest.startswith("been "):
            return f"Has the {self.text_name} {rest}"
        if is_bad(own):
            return self.without(f"{base_form(verb)} {rest}")
        if match := re.match(r"^(and|or) (\w+) ", rest):
            rest = f"{match[1]} {base_form(match[2])} {rest[match.end() :]}"
        rest = re.sub(r"(?<= and )(leaves|keeps|avoids|omits|gives|makes)\b", lambda verb: base_form(verb[0]), rest)
        return f"Does the {self.text_name} {adverb}{base_form(verb)} {rest}"

    def _being(self, own: str, adverb: str, rest: str) -> str:
        if rest.startswith("not "):
            return f"Does the {self.text_name} avoid being {rest[4:]}"
        first, _, second = rest.partition(" or ")
        if is_bad(rest) and is_bad(second) and not names_fault(first):
            return f"Is the {self.text_name} {adverb}{first}"
        if is_bad(rest):
            return f"Does the {self.text_name} avoid {self._without_be(own)}"
        return f"Is the {self.text_name} {adverb}{rest}"

    def without(self, predicate: str) -> str:
        """ "include trivial details" -> "Does the summary avoid trivial details"; "omit facts" -> "avoid omitting"."""
        if match := _NOT_BUT.match(predicate):
            return (
                f"Does the {self.text_name} {match['verb']} {match['that']} rather than {match['prep']} {match['this']}"
            )
        parts = predicate.split(" ", 1)
        adverb = f"{parts[0]} " if parts[0].endswith("ly") and len(parts) > 1 else ""
        verb, _, rest = (parts[1] if adverb else predicate).partition(" ")
        bare = re.sub(r"\b(?:your|my|our)self\b|\byourselves\b|\bthemselves\b", "itself", rest.removeprefix("any "))
        if verb in _HOLDING and not rest.startswith(("a ", "an ")) and (is_bad(rest) or " not " in rest):
            return self.avoiding(rest)
        return f"Does the {self.text_name} avoid {adverb}{gerund(verb)} {bare}"

    def _without_be(self, own: str) -> str:
        """ "is missing any key elements" -> "missing key elements"; "confusing" -> "being confusing"."""
        rest = re.sub(r"^(?:is|are|was|were) ", "", own)
        first, _, more = rest.partition(" ")
        if (
            first.endswith("ing")
            and first not in {"confusing", "misleading", "jarring", "boring", "convincing"}
            and more
        ):
            return f"{first} {_QUANTIFIER.sub('', more) if more.startswith('any ') else more}"
        return f"being {rest}"


def _true(clause: str) -> str | None:
    """A clause that denies something, or leaves a choice, kept as it is: it has no shorter question."""
    return None if is_bad(clause) else f"Is it true that {lower_first(clause)}"


def _allowed(clause: str) -> str:
    """ "nothing may be added" -> "nothing is added"."""
    match = re.match(r"^(?P<subject>.+?) (?:should|must|may|can) be (?P<rest>.+)$", clause)
    if match is None:
        return clause
    return f"{match['subject']} {'are' if subjects.is_plural(match['subject'][3:]) else 'is'} {match['rest']}"


def _shown(subject: str, rest: str) -> str:
    """ "each point", "be clear" -> "Is each point clear"."""
    plural, spoken = subjects.is_plural(subject), lower_first(subject)
    rest = re.sub(r"^(always|also|only|never|still) be ", r"be \1 ", rest)
    if rest.startswith("be "):
        return f"{'Are' if plural else 'Is'} {spoken} {rest[3:]}"
    return f"{'Do' if plural else 'Does'} {spoken} {rest}"


def _uninverted(verb: str, rest: str) -> str:
    """ "Are", "key points left out" -> "key points are left out", as far as the participle shows where."""
    match = re.match(r"^(?P<subject>.+?) (?P<predicate>(?:\w+ly )?(?:\w+ed|left|kept|told|lost|hidden)\b.*)$", rest)
    return f"{match['subject']} {verb.lower()} {match['predicate']}" if match else rest
