"""Attributes turned into yes/no questions."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from app.domain.question_words import HANDLED, OPEN_WORDS, QUOTES
from app.rules import clauses as subjects
from app.rules import english
from app.rules.catalogue import RULES
from app.rules.clauses import Clauses
from app.rules.english import (
    AUXILIARIES,
    VERBS,
    base_form,
    finish,
    is_bad,
    is_third_person,
    lower_first,
    names_fault,
    sentences,
    word_set,
    words,
)
from app.rules.rule_input import Context

_BULLET = re.compile(r"^\s*(?:[-*•–·]+|\(?\d{1,2}[.)]|\(?[a-z]\))\s+")
_ASIDE = re.compile(r"\s*\([^)]*\)")
_EXAMPLE = re.compile(r",? (?:e\. ?g\.|i\. ?e\.|for example|for instance)[,:]? .*?(?P<mark>[.?!]?)$", re.IGNORECASE)
_ELABORATED = re.compile(r"^(?P<head>(?:\S+ ){1,}?\S+?)(?: [-–—]+ |: )(?P<more>[^-–—:?]+?)[ .!]*(?P<mark>\??)$")
_SHORT_FORMS = (
    (re.compile(r"\bcan't\b", re.IGNORECASE), "cannot"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"\b(it|there|that|what|who)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\b(I|you|we|they)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(you|we|they)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(I|you|we|they)'d\b", re.IGNORECASE), r"\1 would"),
    (re.compile(r"\bI'm\b", re.IGNORECASE), "I am"),
)
_ASKED_NEGATIVELY = re.compile(r"^(\w+)n't (?=.*\?$)")
_PUPILS = re.compile(r"\b(?:my|our|your) (?:students?|pupils?|writers?|authors?)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"\"[^\"]*\"|“[^”]*”"
    r"|\b(?P<subject>I|i|[Ww]e|[Yy]ou)\b(?P<be> (?:am|was)\b)?"
    r"|\b(?P<object>me|us)\b|\b(?P<owner>[Mm]y|[Oo]ur)\b|\b(?P<yours>[Yy]our)\b"
    r"|\b(?P<self>myself|ourselves|yourself|yourselves)\b"
)


# What every reader has may be said of readers; "my grandmother" can't.
_MINE = re.compile(
    r"\b(?:my|our) (?!(?:own|attention|interest|eyes?|mind|understanding|view|curiosity|time|patience|questions?|needs"
    r"|students?|pupils?|writers?|authors?|reading)\b)\w",
    re.IGNORECASE,
)
# "Isn't the end rushed?" hopes for a yes or for a no; "Have you read it again?" asks the writer.
_YES_UNSURE = re.compile(r"^(?:\w+n['’]t\b|(?:have|had|did|are|were) (?:you|we|I)\b).*\?$", re.IGNORECASE)


def without_bullet(text: str) -> str:
    """Return a list item without its bullet or number."""
    return _BULLET.sub("", text.strip())


def plain(sentence: str) -> str:
    """Return one line, in lower case if all was in capitals, without asides and examples, short forms written out."""
    line = " ".join(sentence.replace("’", "'").split())
    if line.isupper() and " " in line:
        line = line.lower()
    line = _EXAMPLE.sub(r"\g<mark>", _ASIDE.sub("", line))
    line = _ASKED_NEGATIVELY.sub(r"\1 ", line)
    for pattern, written in _SHORT_FORMS:
        line = pattern.sub(written, line)
    return line


def elaborated(line: str) -> tuple[str, str]:
    """ "It has an order - cause, then effect." -> ("It has an order", "cause, then effect"); ("...", "") without."""
    match = _ELABORATED.match(line)
    return (match["head"] + match["mark"], match["more"]) if match else (line, "")


def impersonal(line: str) -> str:
    """Return the line as about readers: "I can follow" -> "readers can follow"; quotations stay."""
    named = False

    def said(match: re.Match[str]) -> str:
        nonlocal named
        if match[0][0] in '"“':
            return match[0]
        if match["yours"]:
            return "the"
        before, named = named, True
        if match["subject"]:
            be = {" am": " are", " was": " were"}.get(match["be"] or "", "")
            return ("they" if before else "readers") + be
        if match["object"]:
            return "them" if before else "readers"
        if match["owner"]:
            return "their" if before else "readers'"
        return "themselves"

    return _PERSON.sub(said, _PUPILS.sub("the writer", line))


_WHO = r"(?:I|we|you|readers?|the reader|teachers|one)(?: would| really| always| usually| also| just| only| should)*"
_LOOKED_FOR = re.compile(rf"^{_WHO} (?:look for|watch for|hope for) (?P<what>.+)$", re.IGNORECASE)
_WISH = re.compile(
    rf"^{_WHO} (?P<not>do not )?(?:want|expect|need|like|love|hope|prefer|wish|have)s? (?P<what>.+)$", re.IGNORECASE
)
_UNWISHED = re.compile(rf"^{_WHO} do not (?:want|expect|need|like|love|hope|prefer|wish|know)\b", re.IGNORECASE)
_TOLD = re.compile(r"^to (?P<verb>know|understand|learn|see (?=how|why|what|who|when|where)) ?(?P<what>.+)$")
_SEEN = re.compile(r"^to (?:see|find|get|have|read|be given) (?P<what>.+)$")
_ABLE = re.compile(r"^to be able to (?P<what>.+)$")
_THAT = re.compile(r"^(?:it )?(?:when|if|that) (?P<what>.+)$")
_MADE = re.compile(r"^(?P<what>the .+?) (?P<how>(?:made|said|given|\w{3,}ed)\b.*)$")
_DONE = re.compile(r"^(?P<who>(?!to )(?:\S+ ){1,6}?)to (?P<what>.+)$")


def wished(line: str, clauses: Clauses) -> str | None:
    """Return the question that a wish gives, None if the line is no wish or can't be turned into one."""
    if match := _LOOKED_FOR.match(line):
        return clauses.having(impersonal(match["what"]))
    match = _WISH.match(line)
    if match is None:
        return None
    what = impersonal(match["what"])
    if match["not"]:
        return _unwanted(what, clauses)
    if told := _TOLD.match(what):
        return f"Does the {clauses.text_name} let readers {told['verb'].strip()} {told['what']}"
    if seen := _SEEN.match(what):
        return clauses.having(seen["what"])
    if able := _ABLE.match(what):
        return f"Can readers {able['what']}"
    if that := _THAT.match(what):
        return clauses.question(that["what"])
    if done := _DONE.match(what):
        return clauses.question(f"{done['who']}should {done['what']}")
    return clauses.having(what) if line[:1] in "IWw" else None


def _unwanted(what: str, clauses: Clauses) -> str | None:
    if seen := _SEEN.match(what):
        made = _MADE.match(seen["what"])
        kept = subjects.kept(made["what"], f"be {made['how']}", clauses.text_name) if made else None
        return kept or clauses.avoiding(seen["what"])
    done = _DONE.match(what)
    return clauses.question(f"{done['who']}should not {done['what']}") if done else None


_ASSERT = (
    r"(?:check|assess|ensure|verify|confirm|evaluate|consider|determine|see to it|see|make sure|examine|ask yourself"
    r"|decide|judge|note|analyse|analyze|look at|look out for|look for|watch for|be sure|take care|think about|observe"
    r"|pay attention to)"
)
_CLAUSE = re.compile(rf"^(?:{_ASSERT}(?: out)? (?:if|whether|that)|whether) (.+)$", re.IGNORECASE)
_HOW = re.compile(
    rf"^(?:{_ASSERT} )?how (well|effectively|clearly|accurately|smoothly|consistently) (.+)$", re.IGNORECASE
)
_EXPECTED = re.compile(
    r"^(?:check for|look for|look out for|watch for|watch out for|beware of|ensure|verify|confirm|make sure|check"
    r"|examine for|search for|identify(?= any)) (.+)$",
    re.IGNORECASE,
)
_WARNED = re.compile(r"^(?:watch out for|beware of|look out for) ", re.IGNORECASE)
_CARE = re.compile(r"^(?:be careful with|take care (?:with|of)|pay attention to|mind) (.+)$", re.IGNORECASE)
_ABILITY = re.compile(rf"^{_ASSERT} .*?'s ability to (.+)$", re.IGNORECASE)
_PRESENCE = re.compile(rf"^{_ASSERT} (?:the )?(presence|absence) of (.+)$", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"^(avoid|exclude|include|focus on|stick to|keep|use|maintain|provide|present|leave out|start|begin|put|stay|state"
    r"|give|make(?! sure)|tell|name|cite|explain|follow|connect|spell|capture|mention|describe) "
    r"(?!(?:of|is|are|and|or|between|should|must)\b)(.+)$",
    re.IGNORECASE,
)
_PROHIBITED = re.compile(r"^(?:do not|never) ((?!(?:is|are|the|a)\b)\w+ .+)$", re.IGNORECASE)
_PREDICATE = re.compile(
    r"^(?P<verb>[a-z]+s|should|must|can|cannot|is|does not|is not|has) "
    r"(?P<sure>(?:the|an?|all|every|each|only|its|who|what|where|how|when)\b)?",
    re.IGNORECASE,
)
_NAMES_A_THING = word_set(
    "name quote link end show answer lead move turn form sound match find focus use support start call"
)
_QUALITY = re.compile(
    r"^(?:(?:easy|free|clear|short|concise|brief|coherent|readable|accurate|complete|precise|neutral|logical|consistent)"
    r"(?=$|,| (?:to|of|from|and|but|enough|for|throughout)\b)|(?:well|clearly|logically)[- ]\w+(?=$|,| (?:and|but)\b)"
    r"|neither\b.+\bnor\b|as \w+ as\b).*$",
    re.IGNORECASE,
)
_NOTED = re.compile(
    r"^(?P<thing>(?:[\w-]+ ){1,3})(?P<how>(?:used|spelled|spelt|given|told|kept|\w{3,}ed) (?:right|well|\w+ly))$"
)
_ONLY = re.compile(r"^only (?P<what>\w+s\b[^,]*)(?:,? please)?$", re.IGNORECASE)
_ALTERNATIVE = re.compile(r",? or (?:not|does|do|is|are|whether|if|has|have|can)\b.*$", re.IGNORECASE)
_DETERMINER = r"(?:it|they|none|nothing|nobody|no \w+|(?:the|its|their|each|every|all|readers)(?: \w+){0,3}?|\w+s)"
_FINITE = r"(?:is|are|does|do|has|have|should|must|can|will)"
# Without a comma it says under which hard condition the rest must hold.
_CONCESSION = re.compile(r", (?:even if|even though)\b.*$|,? because\b.*$|, as (?:it|they|this) .*$", re.IGNORECASE)
_SECOND = re.compile(
    rf",? and (?:{_FINITE})\b|,? (?:and|but) {_DETERMINER} {_FINITE}\b"
    r"|, (?:and|but) (?:it|none|nothing|nobody|no \w+) \w+s\b",
    re.IGNORECASE,
)
# A question whose mark is missing: "are the sources named". "Is the ..." may also go on with a noun.
_UNMARKED = re.compile(
    r"^(?:(?:is|are|was|were|does|has|can|could|would|will) (?:it|there|they|he|she|readers|any\w*|every\w*|each|all)"
    r"|are|(?:can|could|would|will) (?:the|an?))\b",
    re.IGNORECASE,
)
_HALF_ASKED = re.compile(r"^(?:is|was|were) (?:the|an?|its|their|this|that|\w+s)\b .*\w+$", re.IGNORECASE)
_FINITE_NEXT = re.compile(r"^\w+ (?:is|are|was|were|has|have|can|will|should|must|may)\b", re.IGNORECASE)
_BARE_FRAME = re.compile(
    rf"^{_ASSERT}\b|^(?:identify|pay|understand|find|read|compare|these|those|this|he|she|they)\b", re.IGNORECASE
)
_YOURS = ((re.compile(r"\byour\b"), "its"), (re.compile(r"\byourself\b"), "itself"))
_NEGATIVE = re.compile(r"^(?:no|not|nor|none|never)\b", re.IGNORECASE)
LONGEST_NOTE = 10

Ranked = tuple[str, int]


def shortened(line: str) -> str:
    """Return a statement or question without "... or not", a second clause, or a concession."""
    line = _CONCESSION.sub("", _ALTERNATIVE.sub("", line))
    heads = (line[: second.start()] for second in _SECOND.finditer(line))
    return next((head for head in heads if english.has_verb(head, asked=True)), line)


def unframed(line: str, clauses: Clauses) -> Ranked | None:
    """Return a statement's question with its rank: 3 for a plain statement about the text, less for one changed
    more."""
    if wish := wished(line, clauses):
        return wish, 2
    if _UNWISHED.match(line):
        return None
    if told := _told(line, clauses):
        return told, 2
    line = impersonal(line)
    if match := _CLAUSE.match(line):
        return _framed(clauses.question(match[1]), 3)
    if match := _HOW.match(line):
        return _framed(clauses.question(_with_adverb(match[1].lower(), match[2])), 2)
    if match := _ABILITY.match(line):
        return f"Does the {clauses.text_name} {match[1]}", 2
    if match := _PRESENCE.match(line):
        return _framed(clauses.avoiding(match[2]) if match[1].lower() == "absence" or is_bad(match[2]) else None, 2)
    if match := _EXPECTED.match(line):
        thing = match[1]
        if _WARNED.match(line):
            return _framed(clauses.avoiding(thing) if is_bad(thing) or line.lower().startswith("beware") else None, 2)
        return _framed(clauses.question(thing) or clauses.having(thing), 2)
    return None if _BARE_FRAME.match(line) else _unstated(line, clauses)


def _told(line: str, clauses: Clauses) -> str | None:
    """Turn an instruction to the writer into a question: "Never repeat yourself" -> "Does the summary avoid repeating
    itself"."""
    for pattern, its in _YOURS:
        line = pattern.sub(its, line)
    line = impersonal(line)
    if match := _PROHIBITED.match(line):
        return _forbidden(lower_first(match[1]), line[:1] in "dD", clauses)
    if match := _CARE.match(line):
        used = re.match(r"(?:the )?(\w+ use of .+)$", match[1])
        return clauses.having(used[1]) if used else f"Does the {clauses.text_name} handle {match[1]} with care"
    if match := re.match(r"^keep it (.+)$", line, re.IGNORECASE):
        return f"Is the {clauses.text_name} {match[1]}"
    if match := _IMPERATIVE.match(line):
        return f"Does the {clauses.text_name} {match[1].lower()} {clauses.without_place_phrase(match[2])}"
    return None


def _forbidden(predicate: str, ordered: bool, clauses: Clauses) -> str | None:
    """ "repeat yourself", "talks down" -> "Does the summary avoid ..."; after "never" only a known verb is one."""
    verb, _, rest = predicate.partition(" ")
    if ordered or verb in VERBS:
        return clauses.without(predicate)
    return clauses.without(f"{base_form(verb)} {rest}") if verb.endswith("s") and base_form(verb) in VERBS else None


def _unstated(line: str, clauses: Clauses) -> Ranked | None:
    """Return the question of an attribute without a full statement: a clause, a predicate, a quality or a bare
    thing."""
    if _HALF_ASKED.match(line):
        return None
    match = _PREDICATE.match(line)
    if match and match["verb"].lower() not in AUXILIARIES and _FINITE_NEXT.match(line):
        match = None
    if match and _is_predicate(match["verb"].lower(), bool(match["sure"])):
        return _framed(clauses.question(f"the {clauses.text_name} {lower_first(line)}"), 3)
    if _QUALITY.match(line):
        listed = re.sub(r"(?<=, )(\w+), (\w+)$", r"\1 and \2", lower_first(line))
        return _framed(f"Is the {clauses.text_name} {listed}", 2)
    if (match := re.match(r"^not (.+)$", line, re.IGNORECASE)) and is_bad(match[1]):
        if re.match(r"too (?:many|much|few|little)\b", match[1]):
            return _framed(clauses.avoiding(match[1]), 2)
        alone = re.fullmatch(r"(?:too )?[\w-]+(?: or [\w-]+)?", match[1])
        return _framed(f"Does the {clauses.text_name} avoid being {match[1]}" if alone else None, 2)
    if match := _ONLY.match(line):
        if base_form(match["what"].split()[0]) in VERBS - _NAMES_A_THING:
            return _framed(clauses.question(f"the {clauses.text_name} {lower_first(line)}"), 3)
        bare = not english.has_verb(match["what"]) and english.is_noun_phrase(match["what"], subject=False)
        return _framed(f"Does the {clauses.text_name} contain only {match['what']}" if bare else None, 2)
    if question := clauses.question(line):
        return question, 3
    if match := _NOTED.match(line):
        thing = lower_first(match["thing"]).strip()
        return f"{'Are' if english.is_plural(thing) else 'Is'} {thing} {match['how']}", 2
    bare = (
        len(line.split()) <= LONGEST_NOTE
        and not _NEGATIVE.match(line)
        and not english.RELATIVE.search(line)
        and not english.has_verb(line)
    )
    return _framed(clauses.having(lower_first(line)) if bare else None, 1)


def _is_predicate(verb: str, sure: bool) -> bool:
    """Whether "covers", "must", "is not" opens a predicate; "names" does only before a determiner."""
    base = base_form(verb)
    return verb.split(maxsplit=1)[0] in AUXILIARIES or (base in VERBS and (sure or base not in _NAMES_A_THING))


def _with_adverb(adverb: str, clause: str) -> str:
    """ "effectively", "the summary conveys X" -> "the summary effectively conveys X"; "well" adds nothing here."""
    return clause if adverb == "well" else re.sub(r"^(the \w+) ", rf"\1 {adverb} ", clause)


def _framed(question: str | None, rank: int) -> Ranked | None:
    return (question, rank) if question else None


_DENIED = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|nor|neither|cannot|avoid\w*|without|free (?:of|from)|free|absence|absent"
    r"|beware|watch out|look out|refrain\w*|exclud\w*|keeps? out|leave out|kept out|left out)\b|n't\b",
    re.IGNORECASE,
)
_AVOIDED = re.compile(r"\bavoid (?P<thing>.+?)\??$")
_HOLDS = r"(?:contain|include|have|has|show|use|make|give|introduce|sound|seem|feel|appear|become|be|is|are|was|were)"
_LOSES = r"(?:lack|omit|miss|skip|ignore|lose|forget|leave|fail|drop|jump|stray|deviate|shift|change|add|read|end)"
_HOLDING = re.compile(
    r"^(?:\w+ly )?(?:being|having|containing|including|showing|using|making|giving|introducing|sounding|seeming|feeling"
    r"|appearing|becoming|lacking|omitting|missing|skipping|ignoring|losing|forgetting|leaving|failing|dropping|jumping"
    r"|straying|deviating|shifting|changing|adding|reading|ending)\b",
    re.IGNORECASE,
)
_FRAMED = re.compile(rf"^(?:\w+ly )?(?:{_HOLDS}|{_LOSES})(?:s|es)?\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:about|of|for|from|with|on|to|after|towards?|into|against|over|why|how|what|who|when|where|that|which)\b",
    re.IGNORECASE,
)
_HANDLES = re.compile(rf"^(?:{'|'.join(HANDLED)}|honest|open|clear|frank|candid)\w*\b", re.IGNORECASE)
_FAULTS_ALONE = word_set(
    "errors mistakes typos flaws inconsistencies contradictions redundancies repetitions omissions"
)
_NOUN_FOLLOWS = re.compile(r"^(?:of|between)\b", re.IGNORECASE)
_SECOND_VERB = re.compile(
    r"^(?:does|do|can|will|would) .+? and (?:then )?(?!is\b|has\b|does\b)\w+s (?:the|an?|it|its|them|their|his|her|who"
    r"|what|how|why|where|when|that|to|out|up)\b",
    re.IGNORECASE,
)


def keeps_meaning(attribute: str, question: str) -> bool:
    """Return whether the question certainly means what the attribute means: not the opposite, and no verb in a noun's
    place."""
    words = attribute.split()
    if not words:
        return False
    first, rest = words[0].lower().strip(",;:"), " ".join(words[1:])
    if len(words) == 1 and first in _FAULTS_ALONE:
        return True
    if _SECOND_VERB.match(question):
        return False
    verb = first not in AUXILIARIES and is_third_person(first) and not _NOUN_FOLLOWS.match(rest)
    if verb and re.search(rf"\b(?:have|show|avoid|of) {re.escape(first)}\b", question, re.IGNORECASE):
        return False
    avoided = _AVOIDED.search(question)
    if avoided is None or _DENIED.search(attribute):
        return True
    if verb and len(words) > 1 and not (_FRAMED.match(attribute) or names_fault(first)):
        return False
    return _is_fault(avoided["thing"])


def asks_for_a_fault(question: str, context: Context) -> bool:
    """Return whether a yes is certainly bad for the text: "Does the summary contain spelling errors?"."""
    if QUOTES in question or not is_bad(question):
        return False
    turned = Clauses(context.text_name).turned(question.rstrip("?"))
    return turned is not None and keeps_meaning(question, turned)


def _is_fault(thing: str) -> bool:
    """Return whether a phrase names a fault, and not how one is handled."""
    bare = _HOLDING.sub("", thing).strip()
    if bare != thing:
        return True
    if _HANDLES.match(thing) and not names_fault(thing.split(maxsplit=1)[0]):
        return False
    first = thing.split(maxsplit=1)[0]
    if (
        first.endswith("ing")
        and len(thing.split()) > 1
        and not names_fault(first)
        and re.search(rf"^{re.escape(first)} (?:the|an?|its|their|his|her|your|my)\b", thing)
    ):
        return False
    about = _ABOUT.search(thing)
    return about is None or names_fault(thing[: about.start()])


LONGEST, SHORTEST = 30, 3
_LABELLED = re.compile(r"^(?P<label>(?:\w+ ){0,2}\w+)(?::| [-–—]+) (?P<point>\w.+)$")
_OPEN = re.compile(rf"^(?:{'|'.join(OPEN_WORDS)})\b", re.IGNORECASE)
_LEFTOVER = re.compile(
    r"\b(?:whether|ensure|check|assess)\b|(?<!expectation that)\bshould\b|[:;=<>|{}#]|\?.|\([^)]*$", re.IGNORECASE
)
_STATED = re.compile(
    r"^(?:(?:check|assess|ensure|verify|confirm|evaluate|consider|determine|make sure|examine|see) )?"
    r"(?:if|whether|that) (?:it|(?:the|this) \w+) ",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"[äöüßéèêàçñõåøæ]|\b(?:und|oder|nicht|kein\w*|ist|sind|ein|eine[nmrs]?|der|das|dem|den|wird|werden|mit|für|auf|zu|er"
    r"|une?|les|des|est|pas|avec|pour|que|los|las|una|con|por|het|een|niet|zijn|voor)\b",
    re.IGNORECASE,
)
# Also words of German, Dutch, French, Spanish, Italian, Portuguese, the Nordic languages or Indonesian.
_SHARED = word_set(
    "a al all also am an as at con day de den die do en er he her i in is la man me men mine more most my no nor o "
    "of on once or over per pro so some son to un under us via was we who even here text style structure tone argument "
    "point points central logical formal normal simple sentence date dates format passage phrase phrases information "
    "introduction conclusion question questions article summary order detail details"
)
_ENGLISH_END = re.compile(r"\w{2,}(?:[^e]ed|ly|ful|less|ness|ough|ight|ck|sh|st|th)$|jargon$|typos?$")
_ANSWERED_BADLY = re.compile(r"^(?:then|if so|if yes|in that case)\b", re.IGNORECASE)
_IT = re.compile(
    r"^(?P<verb>\w+) it (?!(?:[\w-]+ ){0,2}(?:that|who|what|which|where|when|how|whether|to \w+ (?!and\b)\w))",
    re.IGNORECASE,
)
_READ_IT = re.compile(
    r"^(?P<asked>(?:can|could|do|does|will|would) (?:readers|(?:an?|the) [\w-]+) \w+) it\b", re.IGNORECASE
)
_UNDERSTOOD = re.compile(
    r"^(?P<asked>(?:do|does|can|could|would|will) (?:an? |the |every )?readers?\b.*) it$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Phrased:
    """A question with a rank: 3 for a plain statement about the text, less for one changed more."""

    question: str
    rank: int


def question_from(attribute: str, context: Context) -> Phrased | None:
    """Return the best question that an attribute gives, None if none is sound."""
    if not is_english(context, attribute) or _MINE.search(attribute):
        return None
    clauses = Clauses(context.text_name)
    pieces = [piece.strip() for part in sentences(without_bullet(attribute)) for piece in part.split(";")]
    found: list[Phrased] = []
    for piece, after in zip_longest(pieces, pieces[1:], fillvalue=""):
        line = plain(piece)
        if _YES_UNSURE.match(piece) and not is_bad(line):
            continue
        if line.endswith("?") and _ANSWERED_BADLY.match(after) and is_bad(after):
            phrased = _ranked(clauses.turned(_named(impersonal(line.rstrip("? ")), clauses)), 3)
        else:
            phrased = _convert(line, clauses)
        if phrased and not english.has_one_clause(phrased.question):
            phrased = None
        if phrased and not keeps_meaning(_STATED.sub("", line), phrased.question):
            phrased = None
        if phrased and is_sound(phrased.question):
            found.append(phrased)
    return max(found, key=lambda phrased: phrased.rank, default=None)


def quoted(attribute: str, context: Context) -> str | None:
    """Return a question that quotes an attribute which can't certainly be turned into one; None for other attributes.

    A yes/no question that somebody wrote stays as it is.
    """
    said = " ".join(without_bullet(attribute).split())
    if not said or question_from(attribute, context):
        return None
    return said if is_yes_no(said) else f"Does the {context.text_name} {QUOTES} {said.rstrip(' .!?;:')}?"


def is_english(context: Context, attribute: str) -> bool:
    """Return whether the grammar here may be used: the project's language is English, and nothing shows another one."""
    if context.language.lower() not in ("", "english", "en") or _FOREIGN.search(attribute):
        return False
    said = words(attribute)
    return not all(word.isascii() for word in said) or any(
        word in english_words() or _ENGLISH_END.match(word) for word in said
    )


@lru_cache(maxsize=1)
def english_words() -> frozenset[str]:
    """Return words that show a line to be English: function words not in related languages, verbs, and the rules'
    words."""
    own = {word for rule in RULES for line in (*rule.attributes, *rule.questions) for word in words(line)}
    verbs = VERBS | {f"{verb}s" for verb in VERBS}
    return frozenset({*ENGLISH_STOP_WORDS, *own, *verbs, *AUXILIARIES} - _SHARED)


def is_sound(question: str) -> bool:
    """Return whether the text is one yes/no question in English of acceptable length, with yes as the good answer."""
    body = question.rstrip("?").strip()
    count = len(words(body))
    if not is_yes_no(question) or not SHORTEST <= count <= LONGEST:
        return False
    return "meet the expectation that" in body or (not _LEFTOVER.search(body) and not is_bad(body))


def is_yes_no(question: str) -> bool:
    """Return whether a question ends with its mark and opens as English yes/no questions do; other scripts may open
    freely."""
    if not question.endswith(("?", "？")):
        return False
    first = next(iter(words(question)), "")
    return first in AUXILIARIES or first.endswith("n't") if first.isascii() else bool(first)


def _convert(line: str, clauses: Clauses) -> Phrased | None:
    label = _LABELLED.match(line)
    if label and (labelled := _convert(label["point"], clauses)):
        return labelled
    head, more = elaborated(line)
    if more and (phrased := _convert(head, clauses)):
        return Phrased(f"{phrased.question.rstrip('?')} ({more})?", phrased.rank)
    if line.endswith(("?", "？")):
        return _from_question(line, clauses)
    if _UNMARKED.match(line):
        return _from_question(f"{line.rstrip(' .!')}?", clauses)
    found = unframed(shortened(line.rstrip(" .!")), clauses)
    return _ranked(_UNDERSTOOD.sub(rf"\g<asked> the {clauses.text_name}", found[0]), found[1]) if found else None


def _from_question(line: str, clauses: Clauses) -> Phrased | None:
    body = _named(impersonal(shortened(line.rstrip("?？ "))), clauses)
    first = next(iter(words(body)), "")
    if not first.isascii():
        return Phrased(line, 3)
    if _OPEN.match(body) or first not in AUXILIARIES:
        return None
    if not is_bad(body):
        return _ranked(body, 3)
    plainly, _, other = body.partition(" or ")
    return _ranked(plainly if is_bad(other) and not is_bad(plainly) else clauses.turned(body), 3)


def _named(body: str, clauses: Clauses) -> str:
    """Return a question that names the text: "Does it flow" -> "Does the summary flow"."""
    text = f"the {clauses.text_name}"
    return _READ_IT.sub(rf"\g<asked> {text}", _IT.sub(rf"\g<verb> {text} ", f"{body} ")).strip()


def _ranked(question: str | None, rank: int) -> Phrased | None:
    return Phrased(finish(question), rank) if question else None
