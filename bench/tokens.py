"""An issuer of tokens with a key of its own."""

import base64
import json
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa


def encoded(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Issuer:
    """RS256, and its record for /api/issuers."""

    def __init__(self, name="bench"):
        self.name, self.key = name, rsa.generate_private_key(65537, 2048)
        numbers = self.key.public_key().public_numbers()
        jwk = {"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig", "n": encoded(numbers.n.to_bytes(256, "big")), "e": encoded(b"\1\0\1")}
        self.record = {"name": name, "issuer": f"https://{name}.example", "audience": "pawl", "jwks": {"keys": [jwk]},
                       "rolesClaim": "$.roles", "roles": {"viewer": ["see"]}}

    def token(self, subject):
        now = int(time.time())
        claims = {"iss": self.record["issuer"], "aud": "pawl", "sub": subject, "iat": now, "exp": now + 3600, "roles": ["see"]}
        text = encoded({"alg": "RS256", "kid": "1", "typ": "JWT"}) + "." + encoded(claims)
        return text + "." + encoded(self.key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))
