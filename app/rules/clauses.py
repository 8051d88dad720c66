"""English clauses parsed into subject, verb and predicate, and turned into questions."""

import re

from app.domain.question_words import BE
from app.rules.english import (
    FINITE,
    HAVE,
    LEADS_TO_NOUN,
    MODALS,
    RELATIVE,
    VERBS,
    base_form,
    drops_essentials,
    gerund,
    has_verb,
    is_abstract,
    is_bad,
    is_noun_phrase,
    is_plural,
    is_third_person,
    lower_first,
    names_fault,
    needs_article,
    with_article,
    word_set,
)

LONGEST_SUBJECT, LONGEST_KEPT = 14, 10
_HAS_SUBJECT = re.compile(r"^(?:the|a|an|each|every|one|any|its|what|who|everyone|everything|\w+ing)\b", re.IGNORECASE)
_PARTICIPLE = re.compile(
    r"^(?:\w+ly )?(?:\w+ed|left|lost|hidden|told|given|made|kept|put|taken|written|drawn|seen|said|cut|turned)\b"
)
# Permission and taste are no criteria; a second predicate after "but" turns the first one round.
_NO_CRITERION = re.compile(
    r"\b(?:is|are) (?:all right|alright|fine|ok|okay|allowed|acceptable|permitted|nice|common|normal|usual)\b"
    rf"| but (?:{'|'.join(sorted(FINITE))})\b",
    re.IGNORECASE,
)
_AFTER_PARTICIPLE = re.compile(r",| (?:or|and|because|if|when|as|for|to)\b")
_SECOND = re.compile(r",? and (?:\w+ (?:is|are)|(\w+s)) ")
_KNOWN = re.compile(
    r"^(?P<what>(?:who|what|which|where|when|why|how)\b.+?) (?:is|should be|must be) "
    r"(?P<how>(?:always |\w+ly )?(?:clear|obvious|evident|plain|easy to (?:see|tell)))$",
    re.IGNORECASE,
)
_NEGATED_VERB = re.compile(
    r"^(?P<subject>.+?) (?P<verb>is|are|was|were|does|do|did|has|have|can)(?: not|not) (?P<rest>.+)$"
)


def asked(clause: str) -> str | None:
    """Return the clause with its finite verb first, or with "do"; None if no verb is found, or a yes would be bad."""
    if match := _KNOWN.match(clause):
        return f"Is it {match['how']} {lower_first(match['what'])}"
    if is_bad(clause) or _NO_CRITERION.search(clause) or _NEGATED_VERB.match(_first_part(clause)):
        return None
    parts = clause.split()
    for index in range(1, min(len(parts), LONGEST_SUBJECT)):
        subject, verb, rest = " ".join(parts[:index]), parts[index], " ".join(parts[index + 1 :])
        if parts[index - 1].lower() in LEADS_TO_NOUN or not is_noun_phrase(subject):
            continue
        if question := _inverted(subject, verb, rest):
            return question
    return None


def kept_from(clause: str, text_name: str) -> str | None:
    """ "facts are not distorted", "facts are distorted" -> "Does the text keep facts from being distorted"."""
    match = _NEGATED_VERB.match(clause)
    if match:
        if match["verb"] == "did" or not is_noun_phrase(match["subject"]):
            return None
        predicate = match["rest"]
        if match["verb"] in BE:
            predicate = f"be {predicate}"
        elif match["verb"] in HAVE:
            predicate = f"have {predicate}"
        return kept(match["subject"], predicate, text_name)
    match = re.match(r"^(?P<subject>.+?) (?:is|are) (?P<rest>\S.*)$", clause)
    if (
        match is None
        or not _PARTICIPLE.match(match["rest"])
        or not (drops_essentials(clause) or is_bad(_AFTER_PARTICIPLE.split(match["rest"])[0]))
        or names_fault(match["subject"])
        or not is_noun_phrase(match["subject"])
    ):
        return None
    return kept(match["subject"], f"be {match['rest']}", text_name)


def kept(subject: str, predicate: str, text_name: str) -> str | None:
    """ "sentences", "contradict each other" -> "Does the text keep sentences from contradicting each other"."""
    if needs_article(subject):
        return None
    bare = re.sub(r"^(?:any|some) ", "", lower_first(subject))
    if len(bare.split()) > LONGEST_KEPT or re.search(r"\b(?:not|no|nothing|none)\b", bare) or bare in {"it", "they"}:
        return None
    if has_verb(bare) and not RELATIVE.search(bare):
        return None
    verb, _, rest = predicate.partition(" ")
    if (not rest and bare == "readers") or verb in FINITE - {"be", "have", "do"}:
        return None
    writer = re.fullmatch(r"(?:the |a |an )?(?:writer|author|student|pupil|speaker)", bare)
    if writer or (verb == "be" and bare != "readers" and not _PARTICIPLE.match(rest)):
        return f"{'Do' if is_plural(bare) else 'Does'} {bare} avoid {gerund(verb)} {rest}"
    return f"Does the {text_name} keep {bare} from {gerund(verb)} {rest}"


def denies(clause: str) -> bool:
    """Return whether a clause that opens with "no", "nothing" or the like has a verb, unlike a bare "no loose ends"."""
    if not clause.lower().startswith("no ") or clause.lower().startswith("no one "):
        return True
    head = RELATIVE.split(clause)[0]
    return has_verb(head if head != clause else clause.rsplit(" ", 1)[0])


def _inverted(subject: str, verb: str, rest: str) -> str | None:
    """ "sentences", "are", "linked" -> "Are sentences linked"; None where the word can't be the verb."""
    spoken = lower_first(subject)
    if needs_article(subject) or (verb in {"is", "was", "has"} and is_plural(subject)):
        return None
    if verb in BE or verb in MODALS:
        return f"{verb} {spoken} {_one_predicate(rest)}" if rest else None
    if verb in HAVE and rest.startswith("been "):
        return f"{verb} {spoken} {rest}"
    if verb in HAVE:
        return f"{'Does' if verb == 'has' else 'Do'} {spoken} have {rest}" if rest else None
    if rest.split(" ", maxsplit=1)[0] in FINITE or spoken == "readers":
        return None
    plural = is_plural(subject)
    if verb.endswith("s") and base_form(verb) in VERBS and not plural and (rest or _HAS_SUBJECT.match(subject)):
        return f"Does {spoken} {base_form(verb)} {rest}"
    return f"Do {spoken} {verb} {rest}" if verb in VERBS and plural else None


def _one_predicate(rest: str) -> str:
    """ "varied and suits the subject" -> "varied": a second verb would need a question of its own."""
    match = _SECOND.search(rest)
    return rest[: match.start()] if match and (match[1] is None or base_form(match[1]) in VERBS) else rest


def _first_part(clause: str) -> str:
    """Return the clause up to ", not ..." or "and not ...", which negate no verb."""
    return re.split(r",? (?:and|but|or) not |, not ", clause)[0]


_NOT_ONLY = re.compile(
    r"(?<!and )(?<!, )\bnot (?:only|just|merely|simply|necessarily|always|all|every|both)\b", re.IGNORECASE
)
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
    r"^it (?:is|should be|must be) (?!\w+ (?:and to\b|to \w+(?: and \w+)?$))(?P<denied>(?:not|never) |(?=un))?"
    r"(?P<what>(?:\w+ )?\w+ (?:what|who|which|where|how|that|whether|to) .+)$",
    re.IGNORECASE,
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
    """Turns clauses about a text of this name into questions; methods return None if that can't be done soundly."""

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
        if _NOT_ONLY.search(clause):
            return None
        if match := _CONDITION.match(clause):
            return self._on_condition(match["if"], match["then"])
        if match := _EXPLETIVE.match(clause):
            return None if match["denied"] else f"Is it {match['what']}"
        if match := _THERE.match(clause):
            thing = match["thing"]
            if thing.lower().startswith("no ") and not (is_bad(thing[3:]) or is_plural(thing[3:])):
                return _true(f"there is {thing}")
            return self.avoiding(thing) if match["no"] or match["not"] else self._existing(thing)
        if _NONE.match(clause):
            return _true(_allowed(clause)) if denies(clause) else self._none_of(clause)
        if _EITHER.search(clause):
            return _true(clause)
        if (match := _EXISTS.match(clause)) and is_noun_phrase(match[1]):
            return self._existing(match[1])
        own, wanted = self._own(clause), _SHOULD.match(clause)
        if wanted and (self._itself.match(wanted["subject"]) or (own is None and is_noun_phrase(wanted["subject"]))):
            return self._should(wanted["subject"], wanted["rest"])
        if own:
            return self._about_text(own)
        question = asked(clause)
        if question and re.search(r"\b(?:no|nothing|nobody|none)\b", question):
            return _true(clause)
        return question or kept_from(self.without_place_phrase(clause), self.text_name)

    def avoiding(self, thing: str) -> str:
        """ "grammatical errors in the summary" -> "Does the summary avoid grammatical errors"."""
        bare = _QUANTIFIER.sub("", self.without_place_phrase(thing))
        bare = re.sub(r",? (?:(?:and|or) )?no (?=\w)", " or ", bare)
        return f"Does the {self.text_name} avoid {bare}"

    def without_place_phrase(self, phrase: str) -> str:
        """Return a phrase without "in the summary", which the question says already."""
        return self._place.sub("", phrase)

    def having(self, thing: str) -> str | None:
        """Ask whether the text has a bare noun phrase, or avoids it if it names a fault."""
        if match := re.match(r"(?:a |the )?(?P<no>lack|absence|presence|existence|inclusion) of (?P<what>.+)$", thing):
            present = match["no"] not in {"lack", "absence"}
            if present or (is_bad(match["what"]) and match["no"] == "lack"):
                return self.having(match["what"]) if present else self.avoiding(match["what"])
            return f"Does the {self.text_name} avoid a lack of {match['what']}" if match["no"] == "lack" else None
        if drops_essentials(thing) or not is_noun_phrase(thing, subject=False):
            return None
        if thing.lower().startswith("no ") or is_bad(thing):
            return self.avoiding(thing)
        if names_fault(thing) or RELATIVE.search(thing) or thing.lower().startswith(("the ", "for ")):
            return None
        bare = self.without_place_phrase(thing)
        if match := re.match(r"^(?P<how>(?:\w+ )?)use of (?P<what>.+)$", bare, re.IGNORECASE):
            return f"Does the {self.text_name} make {match['how'] or ''}use of {match['what']}"
        spoken = with_article(bare)
        verb = "show" if is_abstract(bare) else "have"
        return f"Does the {self.text_name} {verb} {spoken}" if spoken else None

    def turned(self, body: str) -> str | None:
        """Return the opposite of a question with a bad yes: "Are there any errors" -> "Does the summary avoid
        errors"."""
        verb, _, rest = body.partition(" ")
        if match := re.match(r"^there (?:any|some)thing (.+)$", rest, re.IGNORECASE):
            return f"Is it true that there is nothing {match[1]}"
        if rest.lower().startswith("there "):
            return self.avoiding(rest[6:])
        own = self._own(rest)
        if verb.lower() in BE:
            passive = kept_from(self.without_place_phrase(_uninverted(verb, rest)), self.text_name)
            return f"Does the {self.text_name} avoid {self._without_be(own)}" if own else passive
        return self.without(own) if own and verb.lower() in {"does", "do"} else None

    def _own(self, clause: str) -> str | None:
        """Return the predicate of a clause whose subject is the text itself."""
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
        return f"Does the {self.text_name} have {self.without_place_phrase(thing)}"

    def _none_of(self, thing: str) -> str | None:
        """Turn "no loose ends" into "Does the summary avoid loose ends"; None for an ambiguous "no clear end"."""
        unwanted = is_bad(thing[3:]) or is_plural(thing[3:])
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
                return self.without(negated[1])
            if rest.startswith("be "):
                return f"Is the {self.text_name} {rest[3:]}"
            return f"Does the {self.text_name} {rest}"
        if negated:
            if match := _ADDED.match(negated[1]):
                return self.avoiding(f"{lower_first(subject)} {match['where']}".strip())
            return kept(self.without_place_phrase(subject), negated[1], self.text_name)
        if names_fault(subject) and not re.match(r"^be (?:left out|kept out|removed|cut|avoided)\b", rest):
            return None
        return None if needs_article(subject) else _shown(subject, rest)

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
    """Return "Is it true that ..." for a clause that denies something or leaves a choice; None if yes would be bad."""
    return None if is_bad(clause) else f"Is it true that {lower_first(clause)}"


def _allowed(clause: str) -> str:
    """ "nothing may be added" -> "nothing is added"."""
    match = re.match(r"^(?P<subject>.+?) (?:should|must|may|can) be (?P<rest>.+)$", clause)
    if match is None:
        return clause
    return f"{match['subject']} {'are' if is_plural(match['subject'][3:]) else 'is'} {match['rest']}"


def _shown(subject: str, rest: str) -> str:
    """ "each point", "be clear" -> "Is each point clear"."""
    plural, spoken = is_plural(subject), lower_first(subject)
    rest = re.sub(r"^(always|also|only|never|still) be ", r"be \1 ", rest)
    if rest.startswith("be "):
        return f"{'Are' if plural else 'Is'} {spoken} {rest[3:]}"
    return f"{'Do' if plural else 'Does'} {spoken} {rest}"


def _uninverted(verb: str, rest: str) -> str:
    """ "Are", "key points left out" -> "key points are left out", as far as the participle shows where."""
    match = re.match(r"^(?P<subject>.+?) (?P<predicate>(?:\w+ly )?(?:\w+ed|left|kept|told|lost|hidden)\b.*)$", rest)
    return f"{match['subject']} {verb.lower()} {match['predicate']}" if match else rest
