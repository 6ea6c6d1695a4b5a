"""An engine that asks everybody who they are, and what it takes to be somebody."""

import http.client
import json
import os
import tempfile

from harness import Case, PATIENCE

ROOT = {"Authorization": "Bearer s3cret-token-of-the-engine"}
PAGE = {"Sec-Fetch-Site": "same-origin"}
PASSWORD = "correct horse battery"


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


class Accounts(Case):
    handle, path = tempfile.mkstemp(prefix="pawl-token-")
    os.write(handle, b"s3cret-token-of-the-engine")
    os.close(handle)
    arguments = ("--auth-token-file", path, "--cors-origin", "http://a.example", "--grpc", "127.0.0.1:0")

    def ask(self, method, path, body=None, headers=ROOT):
        return self.client.request(method, path, body, headers)

    def key(self, *roles, **more):
        answer = self.ask("POST", "/api/keys", {"name": self.fresh("key"), "roles": list(roles), **more})
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def bearer(self, *roles, **more):
        return bearer(self.key(*roles, **more)["key"])

    def user(self, *roles, **more):
        name = self.fresh("user").lower()
        answer = self.ask("POST", "/api/users", {"name": name, "password": PASSWORD, "roles": list(roles), **more})
        self.assertEqual(answer.status, 201, answer)
        self.assertNotIn(b"argon2", answer.body)
        return name

    def login(self, name, password=PASSWORD):
        answer = self.ask("POST", "/api/session", {"name": name, "password": password}, {})
        self.assertEqual(answer.status, 204, answer)
        line = answer.headers["Set-Cookie"]
        for part in ("Path=/", "HttpOnly", "SameSite=Lax"):
            self.assertIn(part, line)
        self.assertNotIn("Secure", line)
        return {"Cookie": line.split(";")[0]}

    def upload_as_root(self, steps, **more):
        name = more.pop("id", None) or self.fresh()
        self.assertEqual(self.ask("POST", "/v1/definitions", {"id": name, "name": name, "steps": steps, **more}).status, 201)
        return name

    def run_as_root(self, name, **more):
        answer = self.ask("POST", "/v1/instances", {"definitionId": name, **more})
        self.assertEqual(answer.status, 201, answer)
        return answer.json["id"]


class Stream:
    """Server-Sent Events of any path."""

    def __init__(self, server, path, headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self.connection.request("GET", path, headers={"Accept": "text/event-stream", **headers})
        self.response = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.response.close()
        self.connection.close()

    def next(self, *events):
        """The data of the next event of these kinds; None at the end."""
        event = {}
        for line in iter(self.response.readline, b""):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name in ("event", "data"):
                event[name] = value
            elif not name and event.get("event") in events:
                return json.loads(event["data"])
            elif not name:
                event = {}
        return None
