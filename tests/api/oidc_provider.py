"""Plays an OIDC provider: discovery, keys, and the code flow with PKCE, in the test's own process.

It signs with `cryptography`, and its token endpoint checks everything that a strict provider checks.
"""

import base64
import hashlib
import http.server
import json
import secrets
import threading
import time
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, size=None):
    return encode(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))


class Key:
    """A key on P-256, or an RSA key, which takes long to make."""

    def __init__(self, kid, curve=True):
        self.kid, self.curve = kid, curve
        self.private = ec.generate_private_key(ec.SECP256R1()) if curve else rsa.generate_private_key(65537, 2048)

    def jwk(self):
        public = self.private.public_key().public_numbers()
        if self.curve:
            return {"kty": "EC", "crv": "P-256", "kid": self.kid, "use": "sig", "x": number(public.x, 32), "y": number(public.y, 32)}
        return {"kty": "RSA", "kid": self.kid, "use": "sig", "alg": "RS256", "n": number(public.n), "e": number(public.e)}

    def sign(self, claims, **header):
        head = {"typ": "JWT", "alg": "ES256" if self.curve else "RS256", "kid": self.kid, **header}
        text = encode(json.dumps(head).encode()) + "." + encode(json.dumps(claims).encode())
        if self.curve:
            r, s = utils.decode_dss_signature(self.private.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
            return text + "." + encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
        return text + "." + encode(self.private.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))


FIRST = Key("first", curve=False)


class Provider:
    def __init__(self, client="pawl", secret="s3cret-of-the-client"):
        self.client, self.secret = client, secret
        self.key = FIRST
        self.published = [self.key]
        self.person = {"sub": "1234", "preferred_username": "ada"}  # The claims of the one who signs in.
        self.away = False
        self.codes, self.calls = {}, []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def token(self, key=None, header=None, **claims):
        now = int(time.time())
        full = {"iss": self.url, "aud": "pawl-api", "sub": "machine-7", "iat": now, "exp": now + 600, **claims}
        return (key or self.key).sign({name: value for name, value in full.items() if value is not None}, **(header or {}))

    def description(self):
        return {"issuer": self.url, "authorization_endpoint": self.url + "/authorize", "token_endpoint": self.url + "/token",
                "jwks_uri": self.url + "/jwks", "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256", "ES256"], "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic"], "authorization_response_iss_parameter_supported": True}

    def authorize(self, query):
        """The person agrees at once."""
        assert query["response_type"] == "code" and query["client_id"] == self.client, query
        assert query["code_challenge_method"] == "S256" and "openid" in query["scope"].split(), query
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return query["redirect_uri"] + "?" + urllib.parse.urlencode({"code": code, "state": query["state"], "iss": self.url})

    def exchange(self, authorization, form):
        pair = f"{self.client}:{self.secret}"
        if authorization != "Basic " + base64.b64encode(pair.encode()).decode():
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code"), None)
        challenge = encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if not asked or asked["redirect_uri"] != form.get("redirect_uri") or asked["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant"}
        token = self.token(aud=self.client, nonce=asked["nonce"], **self.person)
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": token}

    def _handler(provider):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self, status, value=None, **headers):
                body = b"" if value is None else json.dumps(value).encode()
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                path, _, query = self.path.partition("?")
                provider.calls.append(path)
                if provider.away:
                    self.reply(503)
                elif path == "/.well-known/openid-configuration":
                    self.reply(200, provider.description())
                elif path == "/jwks":
                    self.reply(200, {"keys": [key.jwk() for key in provider.published]})
                elif path == "/authorize":
                    self.reply(302, Location=provider.authorize(dict(urllib.parse.parse_qsl(query))))
                else:
                    self.reply(404)

            def do_POST(self):
                provider.calls.append(self.path)
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                form = dict(urllib.parse.parse_qsl(body))
                self.reply(*((503,) if provider.away else provider.exchange(self.headers.get("Authorization"), form)))

        return Handler
