"""English words: tokens, stems and inflection; noun phrases: what surely is one, whether it is plural or lacks an
article, and which words may be verbs."""

import re
from collections.abc import Sequence
from functools import lru_cache

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from app.domain import question_words
from app.domain.question_words import BE, CONTRASTS, TURNS

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:[.,](?=\d)\d+)*(?:['’][^\W\d_{_UNSPACED}]+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?…])(?:\s*(?:''|[\"”’')\]])(?=\s|$))?\s+|(?<=[。！？])|\n")
_WHITE_SPACE = re.compile(r"\s+")
_LONGEST_TITLE = 8  # characters that tell whether a sentence ends with one
_ABBREVIATION = re.compile(r"\b(?:mr|mrs|ms|dr|st|jr|sr|prof|gen|col|sgt|lt|vs|no|[a-z])\.$", re.IGNORECASE)
_CLITIC = re.compile(r"(?:['’](?:s|re|ve|ll|d|m)|n['’]t)$")
_SUFFIXES = (
    "isations", "izations", "isation", "ization", "ations", "ation", "ments", "ment", "ically", "ingly", "ously",
    "ness", "ings", "ing", "edly", "ied", "ies", "ed", "ers", "er", "es", "ly", "s", "e", "y",
)  # fmt: skip

# Pieces that tokenised corpora split off ("n't", "'s") and words too light to say what a text is about.
STOP_WORDS: frozenset[str] = frozenset(ENGLISH_STOP_WORDS) | {
    "s", "t", "n't", "nt", "re", "ve", "ll", "d", "m", "said", "says", "say", "don", "didn", "doesn", "just", "did",
    "does", "like", "really", "oh", "yes", "yeah", "ok",
}  # fmt: skip


def word_set(listed: str) -> frozenset[str]:
    """Return the words of a list written with spaces between them."""
    return frozenset(listed.split())


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, in order, without punctuation."""
    return tuple(_WORD.findall(text.lower()))


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text; a full stop after a title or an initial does not end one."""
    # A run with a line break in it is one line break, so that the expression looks at each character once.
    lines = _WHITE_SPACE.sub(lambda run: "\n" if "\n" in run[0] else run[0], text.strip())
    found: list[list[str]] = []
    ending = ""  # of the last sentence
    for piece in _SENTENCE_END.split(lines):
        part = piece.strip()
        if not part:
            continue
        if found and (not words(part) or _is_abbreviated(ending)):
            found[-1].append(part)
        else:
            found.append([part])
            ending = ""
        ending = f"{ending} {part[-_LONGEST_TITLE:]}"[-_LONGEST_TITLE:]
    return tuple(" ".join(parts) for parts in found)


def _is_abbreviated(ending: str) -> bool:
    """Return whether a sentence ends with a title or initial; a full stop after a space always ends a sentence."""
    return not ending.endswith(" .") and bool(_ABBREVIATION.search(ending))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return a word without its clitic and its most common English endings; at least four letters stay."""
    base = _CLITIC.sub("", word)
    for suffix in _SUFFIXES:
        if base.endswith(suffix) and len(base) - len(suffix) >= 4:
            return base[: -len(suffix)]
    if len(base) > 3 and base.endswith("s") and not base.endswith("ss"):
        return base[:-1]
    return base


@lru_cache(maxsize=65536)
def content_stem(word: str) -> str:
    """Return the stem of a content word, "" for a stop word or a stray single letter."""
    base = _CLITIC.sub("", word)
    if base in STOP_WORDS or (len(base) == 1 and base.isascii() and not base.isdigit()):
        return ""
    return stem(base)


def content_stems(text_words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stems of the content words, in order."""
    return tuple(found for found in map(content_stem, text_words) if found)


AUXILIARIES = question_words.AUXILIARIES | {"am"}
_DOUBLED = word_set("omit infer occur stop get put cut refer run plan skip drop begin set let permit jar swap")

# Verbs that attributes about texts use; they find the predicate of a clause whose subject is not the text itself.
VERBS = word_set(
    "build connect contribute convey follow flow relate read represent reflect include contain introduce present "
    "provide support use match keep maintain make lead say give show help answer respond refer agree fit serve begin "
    "end start open close come stay remain appear occur exist correspond vary add stand sound engage offer guide "
    "capture cover describe explain identify summarize summarise state mention address carry form feel develop differ "
    "belong suit tell share survive combine work hold go lack omit stop repeat need require get happen take bring put "
    "link move think turn see know understand call matter arise emerge depend reach find shift wrap sum cite quote "
    "name define spell focus rest rely meet avoid leave contradict"
)
_FAULTS = (
    *question_words.FAULTS,
    r"inaccura\w*|wrong\w*|omit\w*|repetit\w*|unnecessar\w*|trivial?|minor details|excess\w*|extraneous|stray\w*",
    r"too (?:much|many|long|short)|infers?|run-on\w*|bias\w*|jarring|glaring|discrepanc\w*|any (?:issue|problem)s?",
    r"disjointed|padding|bad(?:ly)?|false(?:ly)?|needless\w*|clumsy|boring|dull|illogical\w*|ungrammatical|misspel\w*",
    r"misus\w*|harmful|toxic|rambl\w*|digress\w*|exaggerat\w*|fillers?|jumps?|abrupt\w*|unnatural|exclamations?",
    r"sudden\w*|dangling|mix(?:es|ed)? up|spoils?|tiring|superfluous|choppy|plagiari\w*|off[- ]topic|wander\w*|copied",
    r"would .*(?:easier|better|clearer|improve\w*)",
    r"(?:format|formatting|grammar|grammatical|spelling|fluency|clarity|punctuation) (?:issue|problem)s?",
    r"(?:list|heap|collection) of (?:separate|loose|loosely|disconnected|unrelated|related) \w+",
)
_TURNED = (
    *TURNS,
    *CONTRASTS,
    r"nothing|nobody|nor|absence|exclud\w*|minimi[sz]\w*|keeps? out|left out|kept out|removed|\w+n't",
    r"hardly|barely|scarcely|rarely|seldom|(?<!a )few|fewer|little|less|minimal",
    r"omits? (?:minor|trivial|irrelevant|unnecessary)",
)
_ESSENTIAL = r"(?:any |some |the |too |many )*(?:key|important|main|essential|crucial|necessary|central|vital|major)"
_DROPPED = r"(?:(?:that|which) .*leaves? out|left out|omitted|skipped|ignored|forgotten|missing|missed)"
_LOSS = re.compile(
    rf"\b(?:leav\w+ out|omit\w*|skip\w*|ignor\w*|miss\w*) {_ESSENTIAL}\b|\b{_ESSENTIAL}\b[^,]*\b{_DROPPED}\b",
    re.IGNORECASE,
)
_DENIED = re.compile(rf"\b(?:{'|'.join(TURNS)}|cannot|nothing)\b", re.IGNORECASE)
_BAD = re.compile(rf"\b(?:{'|'.join(_FAULTS)})\b", re.IGNORECASE)
_GUARD = re.compile(rf"\b(?:{'|'.join(_TURNED)})\b", re.IGNORECASE)


def is_bad(clause: str) -> bool:
    """Return whether a yes to the clause would be bad for the text: it names a fault and nothing negates it."""
    return drops_essentials(clause) or (bool(_BAD.search(clause)) and not _GUARD.search(clause))


def drops_essentials(clause: str) -> bool:
    """Return whether the clause says that something important is left out; leaving out the unimportant is good."""
    return bool(_LOSS.search(clause)) and not _DENIED.search(clause)


def names_fault(clause: str) -> bool:
    """Return whether the clause names a fault, negated or not."""
    return bool(_BAD.search(clause))


def base_form(verb: str) -> str:
    """Return the infinitive of a verb in the third person singular: "includes" -> "include"."""
    if verb in {"is", "are"}:
        return "be"
    if verb == "has":
        return "have"
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "ches", "shes", "xes", "zzes", "oes", "cuses")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def gerund(verb: str) -> str:
    """Return the -ing form of an infinitive: "omit" -> "omitting", "introduce" -> "introducing"."""
    if verb == "be":
        return "being"
    if verb in _DOUBLED or re.fullmatch(r"[^aeiou]{1,2}[aeiou][^aeiouwxy]", verb):
        return f"{verb}{verb[-1]}ing"
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    return verb + "ing"


def is_third_person(verb: str) -> bool:
    """Return whether a word can be a verb in the third person singular."""
    return verb in {"is", "has", "does"} or (
        verb.endswith("s") and not verb.endswith(("ss", "us", "'s")) and len(verb) > 3
    )


def lower_first(phrase: str) -> str:
    """Return a phrase for use inside a sentence: its first letter in lower case, unless in a name in capitals."""
    first = phrase.split(" ", 1)[0]
    return phrase if len(first) > 1 and first.isupper() else phrase[:1].lower() + phrase[1:]


def finish(question: str) -> str:
    """Return the question on one line, with a capital first and a single question mark last."""
    line = " ".join(question.split()).rstrip(" .,;:!?")
    return f"{line[:1].upper()}{line[1:]}?"


_COUNTED = word_set(
    "sentence beginning end ending structure thread order idea introduction conclusion opening tone tense focus "
    "message flow sequence connection link transition overview style voice theme topic point purpose argument "
    "statement thesis title headline length pace register perspective picture line core range balance build-up "
    "summary lead"
)
_MASS = word_set(
    "punctuation grammar spelling agreement coherence cohesion vocabulary usage use capitalization capitalisation "
    "wording language information content phrasing clarity accuracy syntax support evidence context detail unity "
    "consistency completeness brevity concision readability logic progression variation formatting substance coverage "
    "neutrality variety"
)
# Subjects without an article: "tone is calm". Of what ends in "-ing", the others need one.
_UNCOUNTED = _MASS | word_set(
    "tone style structure length order tense voice pace rhythm choice flow speech dialogue narration humour humor "
    "irony empathy consent praise blame trust respect feedback advice guidance opinion policy notation time memory "
    "money work help care progress research knowledge reasoning code input output documentation terminology jargon "
    "imagery colour"
)
_COUNTED_IN_ING = word_set("ending opening heading finding beginning setting warning drawing meeting greeting")
_DETERMINED = re.compile(r"^(?:an?|one|enough|two|three|\d+)\b", re.IGNORECASE)
_ABSTRACT = re.compile(r"^(?!sentence|reference|audience|quality)\w+(?:ency|ity|ness|ance|ence|acy|ety)$")
_DESCRIBED = re.compile(
    r"^(?:clear|smooth|good|strong|short|brief|simple|varied|proper|correct|precise|exact|right|rich|plain|balanced|vivid"
    r"|main|strict|fair|even|firm|full|close|accurate|adequate|appropriate|separate|relevant|complete|concise|well-\w+"
    r"|easy-\w+|\w+(?:al|ic|ive|ent|ant|ous|able|ible|ful|ary|ing|ed))$"
)
_ENDS = re.compile(
    r",| (?:of|in|on|between|among|with|from|for|to|about|without|throughout|and|or|at|especially|such as|that) "
)
LONGEST_LISTED = 3
# Other words in "-s" may be verbs: "time passes".
_PLURALS = {f"{noun}s" for noun in _COUNTED} | word_set(
    "words names sentences examples facts sources details steps phrases paragraphs ideas reasons figures quotes "
    "verbs nouns questions claims headings references terms definitions links quotations"
)


def is_abstract(phrase: str) -> bool:
    """Return whether a phrase opens with a quality, which a text shows rather than has: "accuracy of names"."""
    return bool(_ABSTRACT.match(phrase.split(" ", 1)[0].lower()))


def with_article(phrase: str) -> str | None:
    """Return the phrase with "a" or "an" if its head, the last word before any preposition, needs one.

    None if the head is unknown, or names a thing without saying how it should be ("order of events").
    """
    parts = phrase.split(", ")
    if len(parts) > 1 and all(len(part.split()) <= LONGEST_LISTED for part in parts) and " and " not in phrase:
        if all(re.match(r"(?:one|no|two|each|every)\b", part, re.IGNORECASE) for part in parts):
            return None
        listed = [with_article(part) for part in parts]
        return None if None in listed else f"{', '.join(map(str, listed[:-1]))} and {listed[-1]}"
    spoken = phrase if phrase[:2].isupper() else phrase[:1].lower() + phrase[1:]
    if _DETERMINED.match(spoken):
        return spoken
    start = _ENDS.split(spoken, maxsplit=1)[0].split()
    if not start:
        return None
    head, described = start[-1], len(start) > 1 and bool(_DESCRIBED.match(start[0]))
    if head in _COUNTED:
        return f"{'an' if spoken[0] in 'aeiou' else 'a'} {spoken}" if described else None
    if is_abstract(spoken) or (re.search(r"[^s]s$", head) and (len(start) == 1 or described or head in _PLURALS)):
        return spoken
    return spoken if head in _MASS and (described or "-" in start[0]) else None


RELATIVE = re.compile(r"\b(?:that|which|who|whom|whose|where|when|if|what|how|whether)\b", re.IGNORECASE)
_OUTER = re.compile(
    r"^(?:after|before|how|whether|if|when|where|unless|because|while|although|as|this|that|they|he|she|readers)\b"
)
MODALS = frozenset({"can", "will", "would"})
HAVE = frozenset({"has", "have"})
FINITE = BE | MODALS | HAVE | {"does", "do", "did", "should", "must", "had", "could", "may"}
LEADS_TO_NOUN = word_set("of the a an in for to and or with by from on at as between its their each every no any all")


def has_verb(phrase: str, asked: bool = False) -> bool:
    """Return whether a word after the first can be its finite verb; in a question (`asked`) the first word may."""
    said = phrase.lower().replace("(", "").replace(")", "").split()
    return bool(asked and said and said[0] in FINITE) or any(
        _may_be_verb(said[place].rstrip(",.;"), said[1:place], said[place - 1]) for place in range(1, len(said))
    )


def _may_be_verb(word: str, earlier: Sequence[str], before: str) -> bool:
    if word in FINITE:
        return True
    if before.endswith(",") or before in LEADS_TO_NOUN:
        return False
    return (word.endswith("s") and base_form(word) in VERBS) or (
        word in VERBS and (before.endswith("s") or "and" in earlier)
    )


def is_whole(subject: str) -> bool:
    """Return whether a relative clause inside the subject, if any, has its verb; only then the main verb can follow."""
    if _OUTER.match(subject.lower()) and not subject.lower().startswith("readers"):
        return False
    found = RELATIVE.search(subject)
    if found is None:
        return True
    inner = subject[found.end() :].split()
    return found[0].lower() not in {"how", "if", "when", "whether", "where"} and any(
        word in FINITE or (base_form(word) in VERBS) for word in inner
    )


_PREPOSITIONS = word_set(
    "of in on at for to with from by about between among within without into onto over under above below around near "
    "per through throughout across against behind beyond during like such via and or nor"
)
_AFTER_NOUN = _PREPOSITIONS | word_set("that which who whose whom alone themselves only each not & / made drawn given")
_NO_NOUN_FIRST = (_PREPOSITIONS - {"about", "over", "under"}) | word_set(
    "often always usually mostly rarely seldom never sometimes hardly barely not than less more most so yes just even "
    "still also too very please"
)
_ADJECTIVES_IN_LY = word_set("friendly early daily lively lovely ugly timely orderly costly likely")
_PRONOUNS = word_set("they he she we i you it")
_NOT_PLURAL = word_set("its this these those whose various previous news always across towards perhaps besides")
_NO_COUNT_NOUN = re.compile(
    r"^(?:an?|the|this|that|these|those|each|every|one|any|no|some|all|both|either|neither|many|most|few|several|its"
    r"|their|his|her|your|our|what\w*|who\w*|which\w*|every\w+|some\w+|any\w+|readers|\d+|two|three|four)\b|^\w+s' "
)
_SUBORDINATE = re.compile(
    r"\b(?:unless|until|till|while|whilst|because|although|though|once|than|since|so|then|before|after|when|if|whether"
    r"|how|where|(?<!such )(?<!well )as(?! well))\b"
)


def is_noun_phrase(phrase: str, subject: bool = True) -> bool:
    """Return whether a phrase is certainly one noun phrase: none of its words may be the verb of a clause.

    subject: a verb follows it, so that a relative clause in it must be complete.
    """
    said = re.sub(r'"[^"]*"', "this", phrase.lower())
    start = RELATIVE.split(said, maxsplit=1)[0]
    head = start.split()
    if (head and head[0] in _NO_NOUN_FIRST) or _SUBORDINATE.search(said if subject else start):
        return False
    verbs_after = sum(word in FINITE for word in said[len(start) :].split())
    if subject and (
        not is_whole(phrase) or verbs_after > len(RELATIVE.findall(said)) or ("," in said and start != said)
    ):
        return False
    if re.search(r"[^su]s (?:what|how|why|whether|if)\b", said):
        return False
    if len(head) == 2 and head[0].endswith("ly") and head[1].endswith("s") and head[0] not in _ADJECTIVES_IN_LY:
        return False
    if said.endswith(",") and said.count(",") < 2:
        return False
    for place, word in enumerate(head[1:], start=1):
        before = head[place - 1]
        if word in FINITE or (word in _PRONOUNS and before not in _PREPOSITIONS):
            return False
        if _is_plural_noun(before) and word not in _AFTER_NOUN and not re.match(r"\w+(?:ed|ing)\b|\W|\d", word):
            return False
    return True


def _is_plural_noun(word: str) -> bool:
    """Return whether a word may be a plural noun, or a verb in the third person singular."""
    return word == "people" or (
        len(word) > 3 and word.isalpha() and bool(re.search(r"[^su]s$", word)) and word not in _NOT_PLURAL
    )


def needs_article(subject: str) -> bool:
    """Return whether a subject may be a bare singular that needs an article: "customer", "refund amount"."""
    said = subject.lower()
    if re.match(r"(?!to|yester|what|who)\w+'s\b", said):
        return True
    if is_plural(subject) or is_plural(said.split(" or ")[0]) or _NO_COUNT_NOUN.match(said):
        return False
    head = re.split(r" (?:of|in|on|at|for|to|with|from|by|about|between|that|which|who|such)\b|,", said)[0].split()[-1]
    counted = head.endswith("ing") and head in _COUNTED_IN_ING
    return not (head in _UNCOUNTED or bool(_ABSTRACT.match(head)) or (head.endswith("ing") and not counted))


_OPENERS = word_set(
    "that which who whom whose what whatever whoever when where why how if whether because although though while as "
    "before after until unless since once than so"
)
_FINITE_NOW = FINITE - {"have", "do", "be"} | {"were", "was"}
_OBJECT_FOLLOWS = re.compile(r"^\w+ (?:\w+ )?\w{2,}[^su\W]s (?:the|an?|its|what|how|why|that|who|when|where)\b")


def has_one_clause(question: str) -> bool:
    """Return whether no second verb follows a question's first word, except in a clause of its own: "that ...", "when
    ..."."""
    said = re.sub(r'"[^"]*"|\([^)]*\)', "this", question.lower()).rstrip("?").split()
    for place, word in enumerate(said[1:], start=1):
        bare = word.strip(",;")
        if bare in _OPENERS:
            return True
        if bare in _FINITE_NOW and said[place - 1] in _PRONOUNS | {"there"}:
            return True
        if bare in _FINITE_NOW and said[place - 1] not in LEADS_TO_NOUN - {"and", "or"}:
            return False
        if bare in {"and", "or", "but"}:
            rest = " ".join(said[place + 1 :])
            if said[0] not in {"are", "do", "were"} and re.match(
                r"(?:\w+ly )?\w{2,}[^su\W]s (?:the|an?|its?|them|their|his|her|every|each|no|all|who|what|how|why)\b",
                rest,
            ):
                return False
            if re.match(r"(?:the|its|their|each|every|all|no)\b", rest):
                clause = _OBJECT_FOLLOWS.search(rest)
                if has_verb(RELATIVE.split(rest)[0]) or clause:
                    return False
    return True


def is_plural(subject: str) -> bool:
    """Return whether a noun phrase is plural, judging by its head, the word before any "of", "that" or "such as"."""
    if re.match(r"(?:each|every|any|no|one|what|who|none)\b", subject, re.IGNORECASE):
        return False
    head = re.split(
        r",? (?:in|of|from|between|on|for|with|that|which|who|such as|like|about|within|to) |,", subject.lower()
    )[0]
    return " and " in head or head in {"people", "they", "readers"} or bool(re.search(r"(?<!s)s$|\bpeople$", head))
