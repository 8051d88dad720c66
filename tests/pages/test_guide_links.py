"""Links into the guide where something is shown: below an error, beside a kind of failure."""

from streamlit.testing.v1 import AppTest

from app.services.scoring.scoring_jobs import FailureKind
from pages.components.shell.runs.run_words import failure_words


def _wrong_key() -> None:
    from app.errors import WrongKeyError  # noqa: PLC0415 - the script is run by itself
    from pages.components.shell.labels import show_error  # noqa: PLC0415

    show_error(WrongKeyError("The provider refuses the key of [me](http://a.b)."))


def _not_there() -> None:
    from app.errors import NotFoundError  # noqa: PLC0415
    from pages.components.shell.labels import show_error  # noqa: PLC0415

    show_error(NotFoundError("There is no project “x”."))


def test_below_an_error_a_link_leads_to_what_the_guide_says_of_it() -> None:
    app = AppTest.from_function(_wrong_key).run()
    message, link = app.error[0].value.split("\n\n")
    assert link == "[More in the guide](/guide/reference/failures.html#wrong-key)"
    assert "[me](" not in message  # what people wrote is no link


def test_where_the_guide_has_nothing_more_there_is_no_link() -> None:
    app = AppTest.from_function(_not_there).run()
    assert app.error[0].value == "There is no project “x”. Check the name."


def test_a_kind_of_failure_leads_to_its_paragraph_and_an_unheard_one_to_the_page() -> None:
    said = failure_words(FailureKind("rate-limit", 3, "Too *much*."))
    assert said == r"3 × [rate-limit](/guide/reference/failures.html#rate-limit): Too \*much\*."
    assert "](/guide/reference/failures.html): " in failure_words(FailureKind("](http://a.b)", 1, "x"))


def _new_screen() -> None:
    from pages.components.shell.labels import help_link  # noqa: PLC0415 - AppTest runs this source alone

    help_link("not_there_yet")


def test_help_of_a_screen_without_a_paragraph_opens_the_guide() -> None:
    app = AppTest.from_function(_new_screen).run()
    assert not app.exception
