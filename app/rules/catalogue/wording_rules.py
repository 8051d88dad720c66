"""Rules about words, density, tone and variety."""

from app.rules.catalogue.phrases import AT_LEAST, PER_100
from app.rules.measures import wording
from app.rules.rule import Better, Rule, Unit

WORDING_RULES = (
    Rule(
        id="vocabulary",
        theme="word-choice",
        description="Different words in any stretch of 25 words.",
        strong=(
            "vocabulary; varied; variety of words; word choice; well chosen; lexical*; diction; synonym*; range "
            "of words"
        ),
        weak="words; wording; variety; diverse; diversity; phrases; language",
        measure=wording.variety,
        better=Better.MORE,
        limits=(0.8, 0.85, 0.885, 0.91, 0.94),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} use varied vocabulary?",
            "Does the {text} choose its words with some variety?",
        ),
        considerations=(
            "Check whether the {text} uses varied vocabulary that suits the subject.",
            "The {text} should use different words for different things.",
            "Consider whether the words are well chosen.",
        ),
    ),
    Rule(
        id="precision",
        theme="word-choice",
        description="Longer words with seven letters or more, which tend to be the more specific ones.",
        strong=(
            "precise; precision; specific; advanced vocabulary; sophisticat*; specialised; exact words; academic; "
            "native speaker*; idiom*"
        ),
        weak="vocabulary; words; language; appropriate",
        measure=wording.long_words,
        better=Better.MORE,
        limits=(0.12, 0.2, 0.27, 0.34, 0.42),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} use precise and specific words?",
            "Does the {text} prefer exact words to general ones?",
        ),
        considerations=(
            "Check whether words are precise rather than general.",
            "The {text} should prefer specific words to general ones.",
        ),
    ),
    Rule(
        id="density",
        theme="concision",
        description="Share of words that carry content rather than fill.",
        strong=(
            "wordy; filler*; unnecessary words; many words; padding; efficient*; concise; concisely; concision; "
            "economical; excess information; to the point"
        ),
        weak="brief; short; tight; words",
        measure=wording.density,
        better=Better.MORE,
        limits=(0.33, 0.42, 0.5, 0.56, 0.62),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Is the {text} concise?",
            "Does the {text} express its content without unnecessary words?",
        ),
        considerations=(
            "Check whether the wording is concise.",
            "The {text} should not use many words where few would do.",
        ),
    ),
    Rule(
        id="tone",
        theme="tone",
        description="Words of opinion or of the first person, and exclamation marks.",
        strong=(
            "tone; neutral*; bias*; opinion*; objective; subjective; style; personal; emotional; empath*; "
            "exclamation*; judging; formal*; attitude"
        ),
        weak="impression; register; voice; interpretation*",
        measure=wording.opinion,
        better=Better.LESS,
        limits=(12.0, 7.0, 3.5, 1.5, 0.0),
        unit=Unit.NUMBER,
        allowed=PER_100,
        questions=(
            "Does the {text} keep a neutral tone?",
            "Does the {text} avoid personal opinion?",
        ),
        considerations=(
            "Check whether the {text} keeps a neutral tone.",
            "The {text} should not mix in personal opinion.",
            "The {text} should avoid exclamations and judging words.",
        ),
    ),
    Rule(
        id="substance",
        theme="substance",
        description="Different content words per sentence: how much each sentence has to say.",
        strong=(
            "engag*; interesting; informative; tell the reader; something to say; substance; rich*; evidence; "
            "example*; detailed; depth; elaborat*; develop*; supporting detail*"
        ),
        weak="interest; detail*; specific; knowledge; fact; enough; useful; dull",
        measure=wording.substance,
        better=Better.MORE,
        limits=(2.5, 4.0, 6.0, 8.0, 10.0),
        unit=Unit.NUMBER,
        allowed="at least {limit} a sentence are asked for",
        questions=(
            "Does the {text} offer substance that holds interest?",
            "Does each sentence of the {text} have something to say?",
        ),
        considerations=(
            "Check whether the {text} has enough substance to be informative.",
            "Each sentence should tell the reader something.",
            "Consider whether the {text} is interesting rather than merely correct.",
        ),
    ),
    Rule(
        id="sentence-variety",
        theme="variety",
        description="Subordinate clauses per 100 words.",
        strong=(
            "sentence variety; sentence structures; varied sentence*; subordinat*; complex sentence*; sentence "
            "patterns; range of structures; clauses; syntactic*; syntax"
        ),
        weak="variety; structures; complex; active and passive; range",
        measure=wording.subordination,
        better=Better.MORE,
        limits=(1.0, 2.0, 3.0, 4.0, 5.5),
        unit=Unit.NUMBER,
        allowed="at least {limit} in 100 words are asked for",
        questions=(
            "Does the {text} vary its sentence structures?",
            "Does the {text} use main and subordinate clauses where they help?",
        ),
        considerations=(
            "Check whether the {text} varies its sentence structures.",
            "The {text} should combine ideas within complex sentences where that helps.",
        ),
    ),
)
