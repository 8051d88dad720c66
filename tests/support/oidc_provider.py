"""A provider of OpenID Connect on this machine, with real keys, that does as it is told."""

import base64
import hashlib
import hmac
import html
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "workbench", "s3cret:with/signs+"
Claims = dict[str, Any]


@cache
def rsa_key(name: str) -> RSAKey:
    """One of this name, the same through all tests."""
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"})


def unsigned(claims: Claims) -> str:
    """A token with the algorithm "none"."""
    return f"{_written(claims, alg='none')}."


def signed_with_what_is_public(claims: Claims, key: RSAKey) -> str:
    """With the algorithm for a shared secret, and the public half of a key as that secret."""
    written = _written(claims, alg="HS256", kid=key.kid)
    return f"{written}.{_plain(hmac.digest(key.as_pem(private=False), written.encode(), 'sha256'))}"


def signed(claims: Claims, key: RSAKey, **header: str) -> str:
    return jwt.encode({"alg": "RS256", "kid": key.kid, **header}, claims, key)


def _written(claims: Claims, **header: str | None) -> str:
    return ".".join(_plain(json.dumps(part).encode()) for part in (header, claims))


def _plain(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class OidcProviderServer:
    """What it says can be changed between two requests. `claims` go over the usual ones of a token, without those that
    are None; `answers` are whole answers in place of the usual: path -> status and body."""

    address: str = ""
    claims: Claims = field(default_factory=dict)
    document: Claims = field(default_factory=dict)
    userinfo: Claims | None = None
    key: str = "first"
    shown_keys: tuple[str, ...] = ("first",)
    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    token: str = ""
    asked: list[str] = field(default_factory=list)
    exchanged: list[dict[str, str]] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def discovery(self) -> str:
        return f"{self.address}/.well-known/openid-configuration"

    def authorize(self, address: str) -> dict[str, str]:
        """What a browser brings back from the page at this address, once somebody has signed in there."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def describe(self) -> Claims:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            **({} if self.userinfo is None else {"userinfo_endpoint": f"{self.address}/userinfo"}),
        } | self.document

    def page(self, query: str) -> str:
        """Where a person says who they are, in a browser: by their name, which is all that is asked."""
        kept = "".join(
            f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
            for name, value in parse_qsl(query)
        )
        field = '<input name="person" aria-label="Your name">'
        return f'<!doctype html><form action="/signed-in">{kept}{field}<button>Go on</button></form>'

    def back(self, query: str) -> str:
        """The address that the browser goes on to from there."""
        brought = self.authorize(f"?{query}")
        return f"{parse_qs(query)['redirect_uri'][0]}?{urlencode(brought)}"

    def usual_claims(self, nonce: str, access: str, person: str = "") -> Claims:
        now = int(time.time())
        usual = {"iss": self.address, "aud": CLIENT, "sub": "ana-1", "iat": now, "exp": now + 300, "nonce": nonce}
        more = {"email": "ana@lab.example", "email_verified": True, "name": "Ana Silva"}
        if person:
            more |= {"email": f"{person.lower()}@lab.example", "name": person}
            usual["sub"] = person
        half = _plain(hashlib.sha256(access.encode()).digest()[:16])
        claims = usual | more | {"at_hash": half} | self.claims
        return {name: value for name, value in claims.items() if value is not None}

    def exchange(self, form: dict[str, str], header: str) -> tuple[int, Claims]:
        """Each code once, for whoever has the secret and what the challenge was made of."""
        self.exchanged.append(form)
        basic = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT, SECRET) and header != basic:
            return 401, {"error": "invalid_client", "error_description": f"{form} {header}"}
        asked = self.codes.pop(form.get("code", ""), None)
        challenge = _plain(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        access = secrets.token_urlsafe(16)
        token = self.token or signed(
            self.usual_claims(asked["nonce"], access, asked.get("person", "")), rsa_key(self.key)
        )
        return 200, {"token_type": "Bearer", "expires_in": 300, "access_token": access, "id_token": token}

    def reply(self, path: str, form: dict[str, str], header: str) -> tuple[int, str]:
        self.asked.append(path)
        if path in self.answers:
            return self.answers[path]
        status, found = 200, dict[str, Any]()
        match path:
            case "/.well-known/openid-configuration":
                found = self.describe()
            case "/keys":
                found = {"keys": [rsa_key(name).as_dict(private=False) for name in self.shown_keys]}
            case "/token":
                status, found = self.exchange(form, header)
            case "/userinfo" if self.userinfo is not None and header.startswith("Bearer "):
                found = self.userinfo
            case _:
                status = 404
        return status, json.dumps(found)


@contextmanager
def oidc_provider() -> Iterator[OidcProviderServer]:
    provider = OidcProviderServer()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, form: dict[str, str]) -> None:
            status, text = provider.reply(urlsplit(self.path).path, form, self.headers.get("Authorization", ""))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(text.encode())

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                self._say(200, provider.page(parts.query), "Content-Type", "text/html")
            elif parts.path == "/signed-in":
                self._say(303, "", "Location", provider.back(parts.query))
            else:
                self._answer({})

        def _say(self, status: int, text: str, header: str, value: str) -> None:
            self.send_response(status)
            self.send_header(header, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer({name: values[0] for name, values in parse_qs(body).items()})

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
