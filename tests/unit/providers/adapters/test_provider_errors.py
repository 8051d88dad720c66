from datetime import UTC, datetime

import pytest

from app.errors import (
    LimitReachedError,
    ModelTimeoutError,
    NoLogprobsError,
    OverloadedError,
    ProviderError,
    QuotaError,
    RateLimitError,
    RefusedError,
    TooLongError,
    UnknownModelError,
    WrongAddressError,
    WrongKeyError,
)
from app.providers.adapters.provider_errors import (
    Rejection,
    asked_at,
    provider_error,
    refused_effort,
    retry_after_seconds,
)
from app.providers.model_name import ModelName
from app.settings import settings

NAME = ModelName("openai", "gpt-4o")
NOW = datetime(2026, 11, 21, 7, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("rejection", "error"),
    [
        (Rejection(401), WrongKeyError),
        (Rejection(403), WrongKeyError),
        (Rejection(400, words="API_KEY_INVALID"), WrongKeyError),
        (Rejection(404), WrongAddressError),
        (Rejection(404, words="Invalid URL (POST /chat/completions)"), WrongAddressError),
        (Rejection(404, "not_found_error", words="not_found_error Not found"), WrongAddressError),
        (Rejection(405, words="Method Not Allowed"), WrongAddressError),
        (Rejection(404, words="The model `x` does not exist."), UnknownModelError),
        (Rejection(404, words='model "x" not found, try pulling it first'), UnknownModelError),
        (Rejection(404, "not_found_error", words="model: claude-9"), UnknownModelError),
        (Rejection(404, words="models/gemini-9 is not found for API version v1beta"), UnknownModelError),
        (Rejection(403, code="model_not_found"), UnknownModelError),
        (Rejection(400, code="1500", words="invalid_model Invalid model: x"), UnknownModelError),
        (Rejection(429), RateLimitError),
        (Rejection(429, code="insufficient_quota"), QuotaError),
        (Rejection(429, words="GenerateRequestsPerDayPerProject"), QuotaError),
        (Rejection(429, words="You exceeded your current quota"), RateLimitError),
        (Rejection(429, words="Rate limit reached: 200 requests per day (RPD)"), RateLimitError),
        (Rejection(429, retry_after=86_400), LimitReachedError),
        (Rejection(429, words="GenerateRequestsPerDayPerProject", retry_after=86_400), LimitReachedError),
        (Rejection(429, retry_after=60), RateLimitError),
        (Rejection(400, words="Your credit balance is too low"), QuotaError),
        (Rejection(400, words="You have reached your API usage limits. You will regain access later."), QuotaError),
        (Rejection(402), QuotaError),
        (Rejection(403, code="billing_error"), QuotaError),
        (Rejection(500, words="insufficient_quota service down"), OverloadedError),
        (Rejection(500), OverloadedError),
        (Rejection(502), OverloadedError),
        (Rejection(503), OverloadedError),
        (Rejection(529), OverloadedError),
        (Rejection(409), OverloadedError),
        (Rejection(408), ModelTimeoutError),
        (Rejection(504), ModelTimeoutError),
        (Rejection(400, code="content_filter"), RefusedError),
        (Rejection(400, code="context_length_exceeded"), TooLongError),
        (Rejection(413), TooLongError),
        (Rejection(400, parameter="top_logprobs"), NoLogprobsError),
        (Rejection(400), ProviderError),
    ],
)
def test_causes_are_told_apart(rejection: Rejection, error: type[ProviderError]) -> None:
    assert type(provider_error(NAME, rejection)) is error


def test_a_provider_s_words_are_never_passed_on() -> None:
    for status in (400, 401, 402, 403, 404, 408, 413, 418, 429, 500, 529):
        rejection = Rejection(status, "SK-key9", "messages[0]: SECRET", "SECRET words", 3.0)
        error = provider_error(NAME, rejection)
        assert "SECRET" not in str(error) + repr(vars(error)) + repr(rejection)
        assert "key9" not in str(error).lower()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Sat, 21 Nov 2026 07:01:30 GMT"}, 90.0),
        ({"retry-after": "Sat, 21 Nov 2026 06:59:00 GMT"}, 0.0),
        ({"retry-after": "Sat, 21 Nov 2026 07:00:10 -0000"}, 10.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, NOW) == seconds


def test_the_wait_is_kept_with_the_error() -> None:
    for status in (429, 503, 408):
        error = provider_error(NAME, Rejection(status, retry_after=7.0))
        assert getattr(error, "retry_after", None) == 7.0


def test_a_wrong_address_is_named_with_what_answered_there() -> None:
    error = provider_error(NAME, Rejection(404, address="http://localhost:8000/chat/completions"))
    assert "404 at http://localhost:8000/chat/completions: is the address right?" in str(error)
    assert "OPENAI_BASE_URL" in error.hint


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    class Response:
        url = "https://user:password@example.org:8443/v1/chat/completions?key=secret"

    assert asked_at(Response()) == "https://example.org:8443/v1/chat/completions"
    assert asked_at(None) == ""


def test_where_people_sign_in_an_address_is_nobody_s_business(monkeypatch: pytest.MonkeyPatch) -> None:
    class Response:
        url = "http://10.0.0.5:8000/v1/chat/completions"

    monkeypatch.setenv("INTERACTEVAL_ACCESS", "invite")
    settings.cache_clear()
    assert asked_at(Response()) == ""
    monkeypatch.delenv("INTERACTEVAL_ACCESS")
    settings.cache_clear()
    assert asked_at(Response()) == "http://10.0.0.5:8000/v1/chat/completions"


@pytest.mark.parametrize(
    ("rejection", "said"),
    [
        (
            Rejection(
                400,
                parameter="reasoning_effort",
                words="'reasoning_effort' does not support 'minimal'. Supported values are: 'low', 'high'.",
            ),
            "openai:gpt-4o doesn't take the effort “minimal”. It takes low, high.",
        ),
        (Rejection(400, words="Thinking level MINIMAL is not supported for this model."), "Try another one"),
        (Rejection(422, words="reasoning_effort: Extra inputs are not permitted"), "Try another one"),
    ],
)
def test_a_refused_effort_says_what_is_taken(rejection: Rejection, said: str) -> None:
    assert said in str(refused_effort(NAME, rejection, "minimal"))


@pytest.mark.parametrize(
    "rejection",
    [Rejection(400, parameter="temperature", words="only with reasoning off"), Rejection(500, words="effort")],
)
def test_what_is_not_about_the_effort_is_left_alone(rejection: Rejection) -> None:
    assert refused_effort(NAME, rejection, "low") is None
    assert refused_effort(NAME, Rejection(400, words="effort"), "") is None


def test_a_limit_that_lasts_hours_says_when_it_ends() -> None:
    error = provider_error(NAME, Rejection(429, "rate_limit_exceeded", retry_after=86_400))
    assert "takes requests again in about 24 hours, at 20" in error.message
    assert "Resume then" in error.hint
