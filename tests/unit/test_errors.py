"""What errors say, and where they send who wants to know more."""

from app.errors import InputError, MissingKeyError, NotListedError, PromptError


def test_a_paragraph_has_an_address_for_links_and_a_name_for_people() -> None:
    error = NotListedError("You aren't on the list.")  # as of the class above it
    assert error.paragraph is not None
    assert error.paragraph.address == "facilitators.html#run-a-team"
    said = "You aren't on the list. Ask the project's facilitator. See: guide, For facilitators, Run a team."
    assert error.in_full == said


def test_each_kind_of_a_models_failure_has_its_own() -> None:
    assert MissingKeyError.paragraph is not None
    assert MissingKeyError.paragraph.address == "reference/failures.html#no-key"


def test_what_the_message_says_itself_is_all_there_is() -> None:
    assert InputError("There is no row 7.", "Count again.").in_full == "There is no row 7. Count again."
    assert PromptError("x").in_full.startswith("x See: guide, ")
