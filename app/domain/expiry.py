"""How long invitation links, API tokens and sign-ins last."""

LINK_DAYS, TOKEN_DAYS, MOST_DAYS = 14, 90, 365
"""Days until an unopened link or an API token expires, by default and at most."""
SIGNED_IN_DAYS = 30
"""Days that a browser stays signed in."""
OIDC_DAYS = 7
"""The same for sign-in by a provider, shorter so that the provider confirms again (one click) who may sign in."""
