"""Sign-ins with a provider: from the button at the door to the cookie of whoever may come in."""

import hmac
from dataclasses import astuple

from app.domain.people.actor import Right
from app.errors import NotAllowedError, NotListedError, SignInError
from app.oidc.client import CALLBACK, oidc_client
from app.oidc.code_flow import Attempt, address_to_sign_in, identity_by_code, new_attempt
from app.services.people.sign_ins import begin_oidc_sign_in
from app.services.people.tokens import signed_words, words_in
from app.services.people.ways_in import allow_list, set_address, whom_to_ask
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

ATTEMPT_SECONDS = 600
"""How long somebody has to sign in at the provider."""
_ATTEMPT = "interacteval attempt to sign in"
_AGAIN = "Sign in again."
_NO_ANSWER = ("server_error", "temporarily_unavailable")
_REFUSED = ("access_denied", "login_required", "interaction_required", "consent_required", "account_selection_required")


def begin_attempt(back: str, other: bool) -> tuple[str, str]:
    """Where the browser goes, and the cookie that it comes back with. back: the path that the sign-in leads to. other:
    as somebody else than last time. Raises SignInError where the provider can't be reached."""
    attempt = new_attempt(back)
    return address_to_sign_in(oidc_client(), attempt, _redirect(), other), signed_words([*astuple(attempt)], _ATTEMPT)


def attempt_in(cookie: str, state: str) -> Attempt:
    """The sign-in that comes back. Raises NotAllowedError for one that this browser didn't begin, or long ago."""
    words = words_in(cookie, _ATTEMPT, ATTEMPT_SECONDS)
    attempt = Attempt(*words) if len(words) == len(Attempt.__slots__) else None
    if attempt is None or not hmac.compare_digest(attempt.state.encode(), state.encode("utf-8", "replace")):
        raise NotAllowedError(
            "This sign-in wasn't begun in this browser, or another one took its place, or it took more than "
            f"{ATTEMPT_SECONDS // 60} minutes.",
            _AGAIN,
        )
    return attempt


def check_answer(error: str) -> None:
    """error: what the provider says went wrong, "" for nothing. Raises NotAllowedError or SignInError."""
    if error in _REFUSED:
        raise NotAllowedError("The provider didn't let you in, or you said no there.", _AGAIN)
    if error in _NO_ANSWER:
        raise SignInError(f"{oidc_client().host}, the sign-in provider, can't sign anybody in now.", "Try again later.")
    if error:
        raise SignInError(
            f"{oidc_client().host}, the sign-in provider, refuses this server's request.",
            "Whoever runs this server checks how it is entered there.",
        )


@use_case(Right.ARRIVE)
def sign_in_with_code(workbench: Workbench, attempt: Attempt, code: str, said_by: str = "") -> str:
    """The cookie of whoever comes back with this code, if they are on the list. said_by: the issuer, where the browser
    says it.

    Raises NotListedError for whoever isn't on the list, NotAllowedError for what isn't meant for this sign-in, and
    SignInError where the provider can't be reached or believed.
    """
    client = oidc_client()
    identity = identity_by_code(client, attempt, code, _redirect(), said_by)
    if not identity.address:
        raise NotListedError(
            f"{client.host} gives no address of yours that it knows to be yours.",
            f"Confirm it there, or ask {whom_to_ask()}.",
        )
    if not allow_list().allows(identity.address):
        raise NotListedError(
            f"{identity.address} isn't on the list of those who may come in.",
            f"Ask {whom_to_ask()} to put it there, or sign in as somebody else.",
        )
    with workbench.database.write() as work:
        return begin_oidc_sign_in(work, identity, client.discovery)


def _redirect() -> str:
    return set_address() + CALLBACK
