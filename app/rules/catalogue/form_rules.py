"""Rules on form, wording and flow."""

from app.rules import measures
from app.rules.reading import Better, Rule, Unit

AT_LEAST = "at least {limit} is asked for"
UP_TO = "up to {limit} is allowed"
PER_100 = "up to {limit} in 100 words are allowed"
PER_SENTENCE = "up to {limit} a sentence are allowed"


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
        measure=measures.complete_sentences,
        better=Better.MORE,
        limits=(0.5, 0.7, 0.85, 0.92, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Are all sentences of the {text} complete?",
            "Is every sentence of the {text} brought to its end?",
        ),
        attributes=(
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
        measure=measures.slips,
        better=Better.LESS,
        limits=(3.0, 1.5, 0.8, 0.4, 0.0),
        unit=Unit.NUMBER,
        allowed=PER_100,
        questions=(
            "Is the {text} free from grammatical errors?",
            "Are the words of the {text} joined correctly into sentences?",
        ),
        attributes=(
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
        measure=measures.tense_shifts,
        better=Better.LESS,
        limits=(0.45, 0.36, 0.28, 0.2, 0.1),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Does the {text} keep to one tense where it can?",
            "Is the use of tenses in the {text} consistent?",
        ),
        attributes=(
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
        measure=measures.punctuation_slips,
        better=Better.LESS,
        limits=(0.5, 0.34, 0.2, 0.1, 0.0),
        unit=Unit.NUMBER,
        allowed=PER_SENTENCE,
        questions=(
            "Is punctuation used correctly in the {text}?",
            "Does every sentence of the {text} close with an end mark?",
        ),
        attributes=(
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
        measure=measures.missing_capitals,
        better=Better.LESS,
        limits=(0.5, 0.3, 0.15, 0.08, 0.0),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Is capitalization used correctly throughout the {text}?",
            "Does every sentence of the {text} begin with the right capitalization?",
        ),
        attributes=(
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
        measure=measures.odd_spellings,
        better=Better.LESS,
        limits=(2.0, 1.0, 0.5, 0.2, 0.0),
        unit=Unit.NUMBER,
        allowed=PER_100,
        questions=(
            "Are the words of the {text} spelled correctly?",
            "Does the {text} avoid typing errors?",
        ),
        attributes=(
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
        measure=measures.uneven_sentences,
        better=Better.LESS,
        limits=(0.6, 0.45, 0.3, 0.2, 0.05),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Are the sentences of the {text} clear and of a manageable length?",
            "Does the {text} avoid confusing, overlong sentences?",
        ),
        attributes=(
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
        measure=measures.reading_difficulty,
        better=Better.LESS,
        limits=(62.0, 56.0, 52.0, 48.0, 44.0),
        unit=Unit.NUMBER,
        allowed=UP_TO,
        questions=(
            "Is the {text} easy to read?",
            "Can the {text} be understood without effort?",
        ),
        attributes=(
            "Consider how easily the {text} can be read and understood.",
            "The {text} should be readable without going back to an earlier sentence.",
            "Difficult words should be rare enough for easy reading.",
        ),
    ),
)


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
        measure=measures.variety,
        better=Better.MORE,
        limits=(0.8, 0.85, 0.885, 0.91, 0.94),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} use varied vocabulary?",
            "Does the {text} choose its words with some variety?",
        ),
        attributes=(
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
        measure=measures.long_words,
        better=Better.MORE,
        limits=(0.12, 0.2, 0.27, 0.34, 0.42),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} use precise and specific words?",
            "Does the {text} prefer exact words to general ones?",
        ),
        attributes=(
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
        measure=measures.density,
        better=Better.MORE,
        limits=(0.33, 0.42, 0.5, 0.56, 0.62),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Is the {text} concise?",
            "Does the {text} express its content without unnecessary words?",
        ),
        attributes=(
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
        measure=measures.opinion,
        better=Better.LESS,
        limits=(12.0, 7.0, 3.5, 1.5, 0.0),
        unit=Unit.NUMBER,
        allowed=PER_100,
        questions=(
            "Does the {text} keep a neutral tone?",
            "Does the {text} avoid personal opinion?",
        ),
        attributes=(
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
        measure=measures.substance,
        better=Better.MORE,
        limits=(2.5, 4.0, 6.0, 8.0, 10.0),
        unit=Unit.NUMBER,
        allowed="at least {limit} a sentence are asked for",
        questions=(
            "Does the {text} offer substance that holds interest?",
            "Does each sentence of the {text} have something to say?",
        ),
        attributes=(
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
        measure=measures.subordination,
        better=Better.MORE,
        limits=(1.0, 2.0, 3.0, 4.0, 5.5),
        unit=Unit.NUMBER,
        allowed="at least {limit} in 100 words are asked for",
        questions=(
            "Does the {text} vary its sentence structures?",
            "Does the {text} use main and subordinate clauses where they help?",
        ),
        attributes=(
            "Check whether the {text} varies its sentence structures.",
            "The {text} should combine ideas within complex sentences where that helps.",
        ),
    ),
)


FLOW_RULES = (
    Rule(
        id="order",
        theme="order",
        description="Steps from sentence to sentence that follow the order in which the source tells its content.",
        strong=(
            "order; logical*; organiz*; organis*; sequenc*; chronolog*; hierarchy; structured; jump*; sensible "
            "order; builds; build; elsewhere; progress*; structure or flow"
        ),
        weak="structure; flow; clear structure; disjointed; fragmented; coheren*; arrange*; heap",
        measure=measures.order_agreement,
        better=Better.MORE,
        limits=(0.34, 0.5, 0.67, 0.8, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} present its content in a logical order?",
            "Does the {text} follow a sequence that is easy to follow from start to end?",
        ),
        attributes=(
            "Check whether the content is presented in a logical order.",
            "The {text} should build up from sentence to sentence instead of jumping back and forth.",
            "Consider whether moving a sentence elsewhere would make the {text} easier to follow.",
        ),
    ),
    Rule(
        id="opening",
        theme="frame",
        description="Words of the first sentence that also open the source: whether readers are shown in.",
        strong=(
            "introduction; introduces its subject; beginning and middle; beginning and end; first sentence; "
            "clear beginning; opening; conclusion; ending; final thought; abruptly; read alone; "
            "standalone; stand alone"
        ),
        weak="start*; open*; beginning; context",
        measure=measures.opening,
        better=Better.MORE,
        limits=(0.2, 0.45, 0.7, 0.85, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} open with a sentence that introduces its subject?",
            "Does the {text} have a recognisable beginning and end?",
        ),
        attributes=(
            "Check whether the first sentence tells the reader what the {text} is about.",
            "The {text} should have a recognisable beginning and end.",
            "Consider whether the {text} can stand alone.",
        ),
    ),
    Rule(
        id="links",
        theme="links",
        description="Sentences that take up a word of the sentence before, or refer back to it.",
        strong=(
            "connected; connect; connects; connection*; linked; well-linked; related to each other; sentence to "
            "sentence; cohesi*; previous one; sentence-level; one before; flow; smooth*; naturally; hang "
            "together"
        ),
        weak=("sentences; each sentence; coheren*; next; logically connected; disjointed; loosely; fluen*"),
        measure=measures.linked_sentences,
        better=Better.MORE,
        limits=(0.34, 0.5, 0.6, 0.75, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Is each sentence of the {text} connected to the one before it?",
            "Does the {text} flow smoothly from sentence to sentence?",
        ),
        attributes=(
            "Check whether each sentence is connected to the one before it.",
            "Consider whether the {text} flows smoothly instead of reading like a list of separate statements.",
            "Neighbouring sentences should share a person, a thing or an event, so that they hang together.",
        ),
    ),
    Rule(
        id="connectives",
        theme="transitions",
        description="Connecting words such as because, however, then.",
        strong=("transition*; connective*; joining word*; linking word*; conjunction*; connecting word*"),
        weak="words or phrases; relationship between; flow; cohesi*",
        measure=measures.connectives,
        better=Better.MORE,
        limits=(1.0, 2.5, 4.0, 5.5, 7.0),
        unit=Unit.NUMBER,
        allowed="at least {limit} in 100 words are asked for",
        questions=(
            "Are transitions between the sentences of the {text} marked by connecting words?",
            "Does the {text} use connecting words to show how its statements relate?",
        ),
        attributes=(
            "Look for connecting words that show how one statement relates to the next.",
            "Check whether transitions between sentences are marked rather than left to the reader.",
            "Consider whether connecting words make cause, contrast and time explicit.",
        ),
    ),
    Rule(
        id="reference",
        theme="reference",
        description="Pronouns per sentence, above all one at the start of the text, before anything it could refer to.",
        strong=("pronoun*; refer back; referring; reference*; refers; refers back; antecedent*; identifiable"),
        weak="he; she; who; clear subject; ambiguous; ambiguity",
        measure=measures.unclear_reference,
        better=Better.LESS,
        limits=(2.0, 1.3, 0.9, 0.6, 0.3),
        unit=Unit.NUMBER,
        allowed=PER_SENTENCE,
        questions=(
            "Is it clear what each pronoun in the {text} refers to?",
            "Does the {text} name people and things before it refers back to them?",
        ),
        attributes=(
            "Check whether it is clear what each pronoun refers to.",
            "People and things should be named before the {text} refers back to them.",
            "Consider whether a reader could mix up who is meant.",
        ),
    ),
    Rule(
        id="unity",
        theme="unity",
        description="Sentences that name at least two of the ten terms the whole is about.",
        strong=(
            "unified; unity; whole; single topic; one topic; contribute to the same; could be removed; coherent "
            "body; heap of related; collection of; shift in focus; abrupt shifts; same subject; disconnected; "
            "body of information; organically"
        ),
        weak=("topic; central focus; contribut*; coheren*; collectively; focus; together; supporting details"),
        measure=measures.unity,
        better=Better.MORE,
        limits=(0.34, 0.5, 0.67, 0.8, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} read as a unified whole?",
            "Do all sentences of the {text} contribute to the same topic?",
        ),
        attributes=(
            "Consider whether the {text} reads as a unified whole rather than as a collection of facts.",
            "All sentences should contribute to the same topic.",
            "Look for sentences that could be removed without anybody missing them.",
        ),
    ),
    Rule(
        id="repetition",
        theme="repetition",
        description="Three-word sequences that the text uses again.",
        strong="repetit*; same phrase; more than once; repeat*; redundan*; duplicat*",
        weak="twice; again; same information; same sentence",
        measure=measures.repetition,
        better=Better.LESS,
        limits=(0.12, 0.07, 0.04, 0.015, 0.0),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Does the {text} avoid repeating itself?",
            "Does the {text} avoid using the same phrase again and again?",
        ),
        attributes=(
            "Check for phrases or sentences that occur more than once.",
            "The {text} should not repeat itself.",
            "Consider whether every repetition is needed.",
        ),
    ),
    Rule(
        id="restatement",
        theme="repetition",
        description="Content of a sentence that the sentence before has already, at its highest.",
        strong=(
            "same information; restat*; in different sentences; redundancies; already said; something new; "
            "could be merged; in other words"
        ),
        weak="redundan*; repetit*; again; differently; overlap*",
        measure=measures.repeated_content,
        better=Better.LESS,
        limits=(0.8, 0.55, 0.4, 0.28, 0.18),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Does each sentence of the {text} say something new?",
            "Does the {text} avoid giving the same information in different sentences?",
        ),
        attributes=(
            "Check whether each sentence says something new.",
            "The same information should not come back in other words.",
            "Look for neighbouring sentences that could be merged without losing anything.",
        ),
    ),
)
