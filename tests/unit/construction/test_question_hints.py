import pytest

from app.construction.question_hints import lint_question, similarity

GOOD = [
    "Does the summary state events in the order in which they happened?",
    "Are the steps visible between sentences and topics?",
    "Does the summary avoid repeating what it has said?",
    "Does the summary avoid facts that aren't in the article?",
    "Does the summary refrain from adding names that the source does not give?",
    "Does the summary avoid information not present in the source?",
    "In the essay, is each pronoun clear of ambiguity?",
    "When the essay names a person, does it say who that is?",
    "Is the number of errors minimal?",
    "Are the sentences varied in length and structure?",
    "Is the tone appropriate, such as formal in a report?",
    "Is every paragraph about a single topic?",
    "Does the author name the source of each figure?",
    "Does the text say to the reader who is meant?",
]

FAULTY = [
    ("The summary is in order.", "not-a-question", None),
    ("The summary is in order?", "not-yes-no", None),
    ("What does the summary leave unsaid?", "not-yes-no", "What"),
    ("To what extent is the essay clear?", "not-yes-no", "what"),
    ("How clear is the essay?", "not-yes-no", "How"),
    ("In this essay, which parts are linked?", "not-yes-no", "which"),
    ("Is it in order? Is it linked?", "asks-two-things", "?"),
    ("Does it name its source and does it date it?", "asks-two-things", "and does"),
    ("Is it in order as well as linked?", "asks-two-things", "as well as"),
    ("Is the wording of the summary plain and precise?", "asks-two-things", "plain and precise"),
    ("Are dates and figures plain and uniform throughout?", "asks-two-things", "plain and uniform"),
    ("Is pronoun use clear and references are known?", "asks-two-things", "and references are"),
    ("Does the summary contain errors?", "yes-is-bad", "errors"),
    ("Does the summary contradict its source?", "yes-is-bad", "contradict"),
    ("Is the essay unclear?", "yes-is-bad", "unclear"),
    ("Isn't the summary never without an ending?", "double-negation", "n't the summary never"),
    ("Does the summary avoid not naming people?", "double-negation", "avoid not"),
    ("Is the summary not incoherent?", "double-negation", "not incoherent"),
    ("Does the summary not jump between topics?", "asks-for-absence", "not"),
    ("Is the tone appropriate?", "vague-word", "appropriate"),
    ("Is the essay well structured?", "vague-word", "well"),
    ("Does the author's intent show in every paragraph?", "not-in-text", "author's intent"),
    ("Did the student really try to find sources?", "not-in-text", "student really try to"),
    ("Would readers enjoy the ending?", "not-in-text", "readers enjoy"),
    ("Does " + "one more word " * 11 + "fit?", "too-long", None),
    ("  ", "empty", None),
]


@pytest.mark.parametrize("question", GOOD)
def test_a_good_question_gets_no_hint(question: str) -> None:
    assert lint_question(question) == []


@pytest.mark.parametrize(("question", "code", "marked"), FAULTY)
def test_a_fault_is_named_and_marked(question: str, code: str, marked: str | None) -> None:
    hints = {hint.code: hint for hint in lint_question(question)}
    assert code in hints
    span = hints[code].span
    assert (question[slice(*span)] if span else None) == marked


def test_places_are_counted_without_the_spaces_around_and_curly_quotes_count_as_straight() -> None:
    question = "Does the text avoid what it doesn’t not say?"
    assert [hint.span for hint in lint_question(f"  {question} ")] == [hint.span for hint in lint_question(question)]
    assert [hint.code for hint in lint_question(question)] == ["double-negation"]


@pytest.mark.parametrize(
    "quote", ["Errors in dates are owned up to", "It doesn't lack a greeting", "not vague, never wrong"]
)
def test_a_quoted_attribute_gets_no_hint_on_its_faults_and_negations(quote: str) -> None:
    codes = {hint.code for hint in lint_question(f"Does the reply fit this: {quote}?")}
    assert not codes & {"yes-is-bad", "double-negation", "asks-for-absence"}


def test_every_hint_says_something_a_person_can_do() -> None:
    for question, _, _ in FAULTY:
        for hint in lint_question(question):
            assert hint.message.endswith(".")


def test_other_languages_get_the_checks_that_hold_in_any() -> None:
    assert lint_question("Ist der Text nicht unklar und gut?", language="German") == []
    assert lint_question("要約は明確ですか？", language="Japanese") == []
    assert lint_question("هل النص واضح؟", language="Arabic") == []
    assert [hint.code for hint in lint_question("Der Text ist klar.", language="German")] == ["not-a-question"]
    assert [hint.code for hint in lint_question("要" * 300 + "？", language="Japanese")] == ["too-long"]


def test_a_pasted_page_is_too_long_and_nothing_else() -> None:
    assert [hint.code for hint in lint_question("Is " + "a-" * 20_000 + "?")] == ["too-long"]


def test_similarity_ignores_order_case_and_punctuation() -> None:
    assert similarity("Is the order clear?", "clear the order IS") == 1
    assert similarity("Is the order clear?", "Do names have capitals?") < 0.6


def test_the_most_similar_other_question_is_shown_with_its_similarity() -> None:
    question = "Does the summary present the events in order of time"
    shorter = question.replace("the events", "events")
    hints = lint_question(f"{question}?", ["Does the summary name its sources?", f"{shorter}?"])
    assert [hint.code for hint in hints] == ["near-duplicate"]
    assert f"“{shorter}?”" in hints[0].message
    # Four characters are deleted, of the length of both together.
    assert f"{100 * (1 - 4 / (len(question) + len(shorter))):.0f} % alike" in hints[0].message


def test_a_checklist_compares_each_question_with_the_others_only() -> None:
    first, second = "Is each name introduced?", "Does every sentence end?"
    assert lint_question(first, [second]) == []
    assert [hint.code for hint in lint_question(first, [second, first])] == ["near-duplicate"]


def test_a_question_where_yes_is_bad_may_name_a_fault() -> None:
    fault = "Does the summary contain errors?"
    assert [hint.code for hint in lint_question(fault)] == ["yes-is-bad"]
    assert lint_question(fault, must_not=True) == []


SAMPLES = ["Mayor Quillon opened the Harbour Bridge in 1987, said the paper. The bridge is long and made of steel."]


@pytest.mark.parametrize(
    ("question", "marked"),
    [
        ("Does the summary mention Quillon?", "Quillon"),
        ("Does the summary mention Quillon's bridge?", "Quillon"),
        ("Does the summary give the year 1987?", "1987"),
        ("Are there more details than in sample 2?", "sample 2"),
        ("Is the order better than in the Third sample?", "Third sample"),
        ("Is it said that the bridge is long and made of wood?", "the bridge is long and made"),
    ],
)
def test_sample_content_is_recognised(question: str, marked: str) -> None:
    hints = [hint for hint in lint_question(question, samples=SAMPLES) if hint.code == "names-sample"]
    assert [question[slice(*hint.span)] for hint in hints if hint.span] == [marked]


@pytest.mark.parametrize(
    "question",
    [
        "Does the summary say who opened what?",
        "Is each Bridge between parts visible?",
        "Mayor or not, is each named?",
        "Is it a sample?",
    ],
)
def test_general_words_are_not_sample_content(question: str) -> None:
    assert "names-sample" not in {hint.code for hint in lint_question(question, samples=SAMPLES)}


def test_capitals_tell_nothing_in_other_languages() -> None:
    samples = ["Der Bürgermeister eröffnete die Brücke."]
    assert lint_question("Nennt der Text den Bürgermeister?", samples=samples, language="German") == []
