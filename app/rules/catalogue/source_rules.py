"""Rules that compare a text with its source."""

from app.rules import measures
from app.rules.catalogue.form_rules import AT_LEAST, UP_TO
from app.rules.reading import Better, Rule, Unit

SOURCE_RULES = (
    Rule(
        id="support",
        theme="support",
        description="Content words of the text that the source does not have: information that was added or invented.",
        strong=(
            "entail*; hallucinat*; fabricat*; invent*; new information; new topic*; not present; does not "
            "contain; add information; adding information; traced back; no basis; not in the source; not "
            "mentioned; not explicitly stated; not stated; unsupported; supported by; made up; introduce new; "
            "introduces new; introducing new; infers; faithful*; factual*; grounded*; hold up against; add "
            "nothing; adds nothing; be added; is added; from elsewhere"
        ),
        weak="support*; fact*; consisten*; stick; only; statement*; adding; true; interpretation*",
        measure=measures.novelty,
        better=Better.LESS,
        limits=(0.15, 0.08, 0.05, 0.02, 0.0),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Does the {text} contain only information that the {source} supports?",
            "Does the {text} avoid adding information that is not in the {source}?",
        ),
        attributes=(
            "Check whether every statement in the {text} can be traced back to the {source}.",
            "The {text} should not add information that the {source} does not contain.",
            "Look for claims that sound plausible but have no basis in the {source}.",
        ),
    ),
    Rule(
        id="relations",
        theme="accuracy",
        description="Words side by side that no sentence of the source brings together: who did what and when.",
        strong=(
            "relationship*; distort*; misrepresent*; actor*; subjects; who did; misleading; contradict*; "
            "discrepanc*; inaccura*; accurate*; accuracy; correctly represent*; background; intention*; "
            "mismatch*; perspective; same context; same meaning; the meaning of; separate facts; never makes; "
            "people, actions; same way as; inconsisten*"
        ),
        weak=(
            "context; meaning; represent*; correct*; fact*; incorrect*; convey*; action*; event*; consisten*; "
            "reaction*; align*"
        ),
        measure=measures.broken_pairs,
        better=Better.LESS,
        limits=(0.35, 0.22, 0.12, 0.06, 0.0),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Does the {text} connect people, actions and events in the same way as the {source}?",
            "Does the {text} keep the meaning of the {source}'s statements intact?",
        ),
        attributes=(
            "Check whether people, actions and events are related in the {text} as they are in the {source}.",
            "The {text} should not combine separate facts of the {source} into a claim that the {source} never makes.",
            "Consider whether the meaning of the {source} survives the rewording.",
        ),
    ),
    Rule(
        id="details",
        theme="names-and-figures",
        description="Figures and capitalised names that the source does not have.",
        strong=(
            "number*; date*; statistic*; figure*; name; names; place*; location*; entit*; quot*; individuals; "
            "key figures; terminology"
        ),
        weak="person; people; time; detail*; correctly; exact*; identif*; spelled",
        measure=measures.invented_details,
        better=Better.LESS,
        limits=(0.5, 0.3, 0.2, 0.1, 0.0),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Do the names and figures in the {text} match those in the {source}?",
            "Does the {text} give every name, number and date as the {source} gives it?",
        ),
        attributes=(
            "Verify that names, numbers and dates in the {text} are the ones given in the {source}.",
            "A single wrong figure or name should weigh heavily.",
            "Compare each place, person and number with the {source}.",
        ),
    ),
    Rule(
        id="key-terms",
        theme="key-points",
        description="The source's most frequent content words, weighed by frequency, that the text takes up.",
        strong=(
            "main point*; key point*; key element*; important; essential; crucial; key information; omit*; "
            "omission*; missing any key; key content*; leave out; left out; cover*; key fact*; main "
            "information; core; basic point*; keywords; key detail*; necessary detail*; key event*; complete "
            "overview; on topic; relevan*"
        ),
        weak=(
            "main; key; content; includ*; overview; information; captur*; reflect*; convey*; overall message; "
            "message; prompt; topic"
        ),
        measure=measures.key_term_coverage,
        better=Better.MORE,
        limits=(0.25, 0.48, 0.6, 0.68, 0.76),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} cover the main points of the {source}?",
            "Does the {text} include the content that the {source} returns to most often?",
        ),
        attributes=(
            "Check whether the {text} covers the main points of the {source}.",
            "The {text} should include what matters most in the {source}.",
            "Look for important points of the {source} that the {text} leaves out.",
        ),
    ),
    Rule(
        id="lead",
        theme="main-message",
        description="Content words from the source's first three sentences that the text takes up.",
        strong=(
            "main topic; main idea; main message; purpose; central message; central idea; central theme; puts "
            "first; mainly about; thesis; gist; main issue; headline; first in the; priorit*; most important"
        ),
        weak="main; interest; overview; context; event; message",
        measure=measures.lead_coverage,
        better=Better.MORE,
        limits=(0.2, 0.35, 0.48, 0.58, 0.7),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} convey the central message of the {source}?",
            "Does the {text} take up what the {source} puts first?",
        ),
        attributes=(
            "Identify the central message of the {source} and check whether the {text} conveys it.",
            "The {text} should give most room to what the {source} itself puts first.",
            "Consider whether the {text} makes clear what the {source} is mainly about.",
        ),
    ),
    Rule(
        id="focus",
        theme="focus",
        description="How much of the text is among the source's most frequent content words, rather than asides.",
        strong=(
            "trivial; trivia; unnecessary detail*; unnecessary information; asides; irrelevant; minor; "
            "extraneous; excess; less significant; too much detail; focus*; stray*; digress*; unrelated; off "
            "topic; central to"
        ),
        weak=("detail*; only; relevan*; balanced; important; significant; distract*; unnecessar*; central"),
        measure=measures.focus,
        better=Better.MORE,
        limits=(0.2, 0.45, 0.54, 0.61, 0.69),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} stay focused on what is central to the {source}?",
            "Does the {text} avoid minor details?",
        ),
        attributes=(
            "Check whether the {text} leaves out trivia and minor details.",
            "Every sentence should contribute something that is central to the {source}.",
            "Consider how much of the {text} is spent on asides.",
        ),
    ),
    Rule(
        id="length",
        theme="concision",
        description="How many times longer or shorter the text is than usual for a source of this size.",
        strong=("length; too long; too short; to be informative; brief*; wordiness; verbos*; to the point"),
        weak="size; concis*; excess*; efficient*; unnecessar*",
        measure=measures.length_fold,
        better=Better.LESS,
        limits=(2.2, 1.6, 1.4, 1.25, 1.12),
        unit=Unit.NUMBER,
        allowed="up to {limit} times longer or shorter is allowed",
        questions=(
            "Does the length of the {text} match the amount there is to say?",
            "Does the {text} come to the point without becoming too short?",
        ),
        attributes=(
            "Consider whether the length of the {text} suits the amount there is to say.",
            "The {text} should be concise without becoming too short to be informative.",
            "Consider whether the {text} is too long or too short for its purpose.",
        ),
    ),
    Rule(
        id="reply",
        theme="reply",
        description="Content words of the last turn, the one that is answered, that the text takes up.",
        strong=(
            "reply*; replies; respon*; answer*; last turn; previous turn; conversation*; dialog*; preceding; "
            "spoke last; said last; said just before; take up the subject"
        ),
        weak="question*; turn; history; context; continu*; speaker*",
        measure=measures.reply_overlap,
        better=Better.MORE,
        limits=(1.0, 1.0, 1.0, 2.0, 3.0),
        unit=Unit.COUNT,
        allowed="at least {limit} is asked for",
        questions=(
            "Does the {text} respond to what was said last?",
            "Does the {text} take up the subject of the conversation?",
        ),
        attributes=(
            "Check whether the {text} responds to what was said just before.",
            "The {text} should reply to the {source} instead of starting a new subject.",
            "Consider whether the {text} would satisfy whoever asked or spoke last.",
        ),
    ),
)
