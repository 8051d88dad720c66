"""Judges' free text: read right or called unreadable, never guessed, never 0."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import UnreadableScoreError
from app.evaluators.score_reading import find_score

READ = [
    ("4", 4),
    (" 4\n", 4),
    ("4.", 4),
    ("4.5", 4.5),
    ("4,5", 4.5),
    ("Four", 4),
    ("four out of five", 4),
    ("three and a half", 3.5),
    ("Final score: 4", 4),
    ("final score is 4.", 4),
    ("4/5", 4),
    ("4 / 5", 4),
    ("4.5/5", 4.5),
    ("I would rate it 4 out of 5", 4),
    ("I would rate this summary a 4.", 4),
    ("I'd give it a solid 4.", 4),
    ("**Score:** 4.5", 4.5),
    ("**Score: 4**", 4),
    ("**Final Score**: 3/5", 3),
    ("Score = 2", 2),
    ("Score - 2", 2),
    ("Score: four", 4),
    ("- Coherence: 4", 4),
    ("Coherence (1-5): 4", 4),
    ("Rating: 3 (on a scale of 1 to 5)", 3),
    ("On a scale of 1 to 5, I would give it a 4.", 4),
    ("On a scale from 1 to 5, 2", 2),
    ("On a scale from 1-5, this text deserves 2.", 2),
    ("On a scale of one to five: three", 3),
    ("On a 5-point scale: 2", 2),
    ("I rate it 3 on the 1-5 scale.", 3),
    ("The summary has 3 errors in 12 sentences. Score: 2", 2),
    ("It covers 2 of the 7 points. Final score: 2", 2),
    ("First score: 3. After thinking again, final score: 4", 4),
    ("Overall score: 4. I considered 3 aspects.", 4),
    ("The score for coherence is 4.", 4),
    ("The final score for this summary would be 4", 4),
    ('{"score": 4}', 4),
    ("Step 1: read. Step 2: compare.\nScore: 5", 5),
    ("1. The order is good.\n2. It ends well.\n\nFinal score: 4/5", 4),
    ("# Score\n4", 4),
    ("$\\boxed{4}$", 4),
    ("Score: 1 (where 1 is the lowest and 5 the highest)", 1),
    ("Score: 4/5. In short, 4 out of 5.", 4),
    ("In 2019, the author won. I would rate it 4 out of 5.", 4),
    ("Score: 5.0", 5),
    ("It is not perfect, so I rate it 4.", 4),
    ("Score (1-5): 4", 4),
    ("A score of 4", 4),
    ("4 (good)", 4),
    ("I scored it 3 at first, but my final score is 4", 4),
    ("I'd rate it 2/5, as 3 of the 5 sentences are wrong", 2),
    ('{"reason": "2 errors", "score": 3}', 3),
    ("Between 1 and 5, I'd choose 4.", 4),
    ("Score: Four (4)", 4),
    ("<score>4</score>", 4),
    ("The score I'd assign to this summary is a 4 out of 5", 4),
    ("Explanation: In 2014, 3 of 10 boats sank.\nScore: 4", 4),
    ("[[4]]", 4),
    ("Score: 4 - the order holds.", 4),
    ("I would give this summary 4 stars.", 4),
    ("It is coherent on the sentence level. 5", 5),
    ("It names all points of the story.\n5", 5),
    ("The summary has 3 errors. 2", 2),
    ("It says the same twice! 3.", 3),
    ("<think>My score would be 2 for flow</think>\n4", 4),
    ("My score would be 2 for flow.\n</think>\n\n4", 4),
    ("<|channel|>analysis<|message|>Score: 2?<|end|><|start|>assistant<|channel|>final<|message|>4", 4),
    ("It has 3 flaws. <answer>4</answer>", 4),
    ('{"name": "answer", "arguments": "4"}', 4),
    ('<tool_call>\n{"name": "answer", "arguments": {"score": 4}}\n</tool_call>', 4),
    ("<function=answer>\n<parameter=score>\n4\n</parameter>\n</function>", 4),
    ("Score：４／５", 4),
    ("４．５", 4.5),
]

UNREADABLE = [
    "",
    "   ",
    "I can't rate this.",
    "The summary is good.",
    "3-4",
    "3–4",
    "3 to 4",
    "Score: 3-4",
    "Score: 3 or 4",
    "between 3 and 4",
    "I would rate it between 3 and 4 out of 5.",
    "Somewhere between 3/5 and 4/5",
    "6",
    "0",
    "-4",
    "Score: 7",
    "Score: 0",
    "8/10",
    "Score: 8/10",
    "4/10",
    "4 out of 10",
    "85%",
    "Score: 80%",
    "On a scale of 1 to 10, I give it a 4.",
    "On a 10-point scale: 4",
    "3 and later 4",
    "Score: 3. Score: 4.",
    "It has 2 strengths and 3 weaknesses.",
    "On a scale of 1 to 5.",
    "out of 5",
    "1 2 3 4 5",
    "v4",
    "4th",
    "Score: N/A",
    "Score: 4.5.6",
    "nan",
    "Infinity",
    "I would not give it a 5, but a 4.",
    "Almost 4.",
    "No score of 5 is possible.",
    "1,000",
    "- Coherence: 4\n- Relevance: 3",
    "Score: 1 to 5",
    "Score: 4%",
    "I can't give it a 3.",
    "Score: less than 3",
    "The score is not 5 but 4.",
    "<think>My score would be 2",
    "Its best sentence is no. 3",
    "1. Good order. 2. Weak end. 3",
    "I saw this in paragraph 2.",
]


@pytest.mark.parametrize(("text", "score"), READ)
def test_read(text: str, score: float) -> None:
    assert find_score(text, 1, 5).value == score


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable(text: str) -> None:
    with pytest.raises(UnreadableScoreError):
        find_score(text, 1, 5)


def test_other_scales() -> None:
    assert find_score("8/10", 1, 10).value == 8
    assert find_score("Score: 0", 0, 3).value == 0
    assert find_score("Score: 85", 0, 100).value == 85
    assert find_score("-1", -2, 2).value == -1
    with pytest.raises(UnreadableScoreError, match="outside"):
        find_score("Score: 4", 1, 3)


@pytest.mark.parametrize("text", ["**Score:** 4/5", "<think>Score: 2</think>\n**Score:** 4/5"])
def test_the_place_of_the_digits_is_kept_through_thoughts_and_markup(text: str) -> None:
    found = find_score(text, 1, 5)
    assert text[found.start : found.end] == "4"


TEMPLATES = ["{}", "Score: {}", "**Final score:** {}/5", "I rate it {} out of 5.", "On a scale of 1 to 5: {}", "{}/5"]


@given(st.sampled_from(TEMPLATES), st.integers(10, 50))
def test_every_score_with_one_decimal_is_read_back(template: str, tenths: int) -> None:
    assert find_score(template.format(tenths / 10), 1, 5).value == tenths / 10


@given(st.sampled_from(TEMPLATES), st.one_of(st.integers(51, 9999), st.integers(0, 9)))
def test_off_the_scale_is_never_read(template: str, tenths: int) -> None:
    with pytest.raises(UnreadableScoreError):
        find_score(template.format(tenths / 10), 1, 5)


@given(st.text(max_size=200))
def test_any_text_is_a_score_on_the_scale_or_unreadable(text: str) -> None:
    with contextlib.suppress(UnreadableScoreError):
        assert 1 <= find_score(text, 1, 5).value <= 5


@given(st.text(alphabet="1234567890 ./-:outfscre\n", max_size=60))
def test_digits_in_any_order_are_a_score_on_the_scale_or_unreadable(text: str) -> None:
    with contextlib.suppress(UnreadableScoreError):
        assert 1 <= find_score(text, 1, 5).value <= 5


@pytest.mark.parametrize(
    "part", ["score ", "score" + " " * 500, "1 ", "out of ", "final ", "not ", "between 1 and ", "\n"]
)
def test_no_answer_takes_long_to_read(part: str) -> None:
    started = time.process_time()
    with contextlib.suppress(UnreadableScoreError):
        find_score((part * 8000)[:8000] + "4", 1, 5)
    assert time.process_time() - started < 2
