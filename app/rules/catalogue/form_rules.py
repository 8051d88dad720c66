"""Rules about sentence form."""

from app.rules.catalogue.phrases import AT_LEAST, PER_100, PER_SENTENCE, UP_TO
from app.rules.measures import form
from app.rules.rule import Better, Rule, Unit

FORM_RULES = (
    Rule(
        id="complete",
        theme="sentences",
        description="Sentences with at least four words, a verb, an end mark and no dangling last word.",
        strong=(
            "incomplete; complete sentence*; structurally complete; fragment; fragments; sentence fragment*; "
            "missing verb*; missing component*; stop midway; fully formed; cut off; broken; necessary elements; "
            "break off; proper end; to its end; complete; sentence structure"
        ),
        weak="sentence; structure*; components; elements; syntax; syntactic*",
        measure=form.complete_sentences,
        better=Better.MORE,
        limits=(0.5, 0.7, 0.85, 0.92, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Are all sentences of the {text} complete?",
            "Is every sentence of the {text} brought to its end?",
        ),
        considerations=(
            "Check whether every sentence is complete, with a verb and a proper end.",
            "Sentences should not break off in the middle.",
            "Look for fragments that only pretend to be sentences.",
        ),
    ),
    Rule(
        id="grammar",
        theme="grammar",
        description="Doubled words, articles without their noun, a and an mixed up, sentences that break off.",
        strong=(
            "grammar*; grammatical*; ungrammatical; subject-verb; verb agreement; agreement; subjects and "
            "verbs; verb and subject; subject and verb; verbs agree; article use; word order; "
            "joined correctly; phraseolog*"
        ),
        weak=(
            "error; errors; mistake*; wrong; correct*; fluen*; article; usage; verbs; language use; jarring; glaring"
        ),
        measure=form.slips,
        better=Better.LESS,
        limits=(3.0, 1.5, 0.8, 0.4, 0.0),
        unit=Unit.NUMBER,
        allowed=PER_100,
        questions=(
            "Is the {text} free from grammatical errors?",
            "Are the words of the {text} joined correctly into sentences?",
        ),
        considerations=(
            "Check for grammatical errors such as doubled words or missing nouns.",
            "Subjects and verbs should fit each other.",
            "Consider how much grammatical errors disturb.",
        ),
    ),
    Rule(
        id="tense",
        theme="tense",
        description="Verbs that stand in the rarer of present and past tense.",
        strong="tense; tenses; verb tense",
        weak="past; present tense; time frame",
        measure=form.tense_shifts,
        better=Better.LESS,
        limits=(0.45, 0.36, 0.28, 0.2, 0.1),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Does the {text} keep to one tense where it can?",
            "Is the use of tenses in the {text} consistent?",
        ),
        considerations=(
            "Check whether tenses are used consistently.",
            "The tense should change only where the time of the events changes.",
            "Look for verbs whose tense surprises.",
        ),
    ),
    Rule(
        id="punctuation",
        theme="punctuation",
        description="Missing end marks, unpaired brackets and quotation marks, marks in a row.",
        strong=(
            "punctuat*; comma; commas; full stop*; quotation mark*; format*; missing punctuation; extra spaces; "
            "end mark*; proper mark"
        ),
        weak="mark; marks; brackets; conventions; mechanic*; spaces",
        measure=form.punctuation_slips,
        better=Better.LESS,
        limits=(0.5, 0.34, 0.2, 0.1, 0.0),
        unit=Unit.NUMBER,
        allowed=PER_SENTENCE,
        questions=(
            "Is punctuation used correctly in the {text}?",
            "Does every sentence of the {text} close with an end mark?",
        ),
        considerations=(
            "Check whether punctuation is used correctly.",
            "Brackets and quotation marks should come in pairs, and sentences should end with a mark.",
            "Consider whether the punctuation guides the reader through longer sentences.",
        ),
    ),
    Rule(
        id="capitals",
        theme="spelling",
        description="Sentences that open in lower case; a text written without capitals throughout is left alone.",
        strong="capital*; capital letter*; upper case; uppercase; lower case",
        weak="conventions; letters; mechanic*",
        measure=form.missing_capitals,
        better=Better.LESS,
        limits=(0.5, 0.3, 0.15, 0.08, 0.0),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Is capitalization used correctly throughout the {text}?",
            "Does every sentence of the {text} begin with the right capitalization?",
        ),
        considerations=(
            "Check whether sentences and names begin with a capital letter.",
            "Capitals should be used in the same way throughout the {text}.",
        ),
    ),
    Rule(
        id="spelling",
        theme="spelling",
        description="Words with a missing apostrophe, three equal letters in a row, or digits inside.",
        strong="spell*; misspell*; typo; typos; typing error*; misspelt",
        weak="conventions; letters; words are written; mechanic*",
        measure=form.odd_spellings,
        better=Better.LESS,
        limits=(2.0, 1.0, 0.5, 0.2, 0.0),
        unit=Unit.NUMBER,
        allowed=PER_100,
        questions=(
            "Are the words of the {text} spelled correctly?",
            "Does the {text} avoid typing errors?",
        ),
        considerations=(
            "Check for spelling mistakes and typing errors.",
            "All words of the {text} should be spelled correctly.",
        ),
    ),
    Rule(
        id="sentence-length",
        theme="clarity",
        description="Sentences under five or over thirty words: fragments and run-ons that are hard to follow.",
        strong=(
            "run-on*; confus*; clear; clearly; clarity; awkward*; understandab*; long sentences; "
            "straightforward; vague; hard to follow; simple; unclear"
        ),
        weak="sentence length; follow; sentences; unnatural; comprehen*; phrasing; natural*",
        measure=form.uneven_sentences,
        better=Better.LESS,
        limits=(0.6, 0.45, 0.3, 0.2, 0.05),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Are the sentences of the {text} clear and of a manageable length?",
            "Does the {text} avoid confusing, overlong sentences?",
        ),
        considerations=(
            "Check whether the sentences are clear at first reading.",
            "Sentences should be long enough to say something and short enough to follow.",
            "Look for sentences that run on or that confuse.",
        ),
    ),
    Rule(
        id="readability",
        theme="readability",
        description="Reading difficulty: words per sentence and the share of long words (LIX).",
        strong=(
            "readab*; easy to read; easy to understand; reads; effortless*; easy to comprehend; ease of "
            "reading; comprehensible; comprehend; reading; effort; easily; difficult words"
        ),
        weak="easy; reader*; understood; understand*; read; accessible; plain",
        measure=form.reading_difficulty,
        better=Better.LESS,
        limits=(62.0, 56.0, 52.0, 48.0, 44.0),
        unit=Unit.NUMBER,
        allowed=UP_TO,
        questions=(
            "Is the {text} easy to read?",
            "Can the {text} be understood without effort?",
        ),
        considerations=(
            "Consider how easily the {text} can be read and understood.",
            "The {text} should be readable without going back to an earlier sentence.",
            "Difficult words should be rare enough for easy reading.",
        ),
    ),
)
