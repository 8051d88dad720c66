"""Certificates of the servers that are trusted."""

import ssl
from functools import lru_cache

import httpx2


@lru_cache(maxsize=1)
def trusted() -> ssl.SSLContext:
    """The certificates this computer trusts, read once a process: each SDK would read them anew for every client,
    which takes 20 ms each time a model is opened or only looked at."""
    return httpx2.create_ssl_context()
