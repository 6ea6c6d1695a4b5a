"""Ways around the gate, and the table of docs/security.md: each attack has a test, and each test of the table is there."""

import datetime
import os
import pathlib
import re
import subprocess
import time
import unittest

from accounts import Accounts, PAGE, PASSWORD, ROOT, Stream, bearer
from grpc_client import GrpcClient, Refused, port_of
from harness import BINARY, main, raw
from steps import end, wait

TREE = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (8|10\.\d+) \| (.+) \| `(tests/[\w/.]+)`: `(\w+)` \|$", re.MULTILINE)
# All attacks that sections 8 and 10 of the design name. docs/security.md has a row for each, with its test.
ATTACKS = {
    "8": [
        "a secret, key, token or hash in an answer or a log",
        "a secret, key, token or hash in an error",
        "a secret, key, token or hash in a history, a page or an export",
        "a wrong name and a wrong password told apart by the answer",
        "a wrong name and a wrong password told apart by the time",
        "a token that says by which algorithm it is signed",
        "a forged, foreign, old or early token",
        "a redirect to a place of somebody else",
        "a login that another browser finishes",
        "a session that survives its user",
        "the relay of another node",
        "`/t/` twice, encoded slashes, dots in a path",
        "`HEAD` and preflights",
        "gRPC without metadata",
        "pseudo headers of HTTP/2, twice, late or made up",
        "HTTP/2 as a way around the gate",
        "a stream that outlives its key",
        "a long poll that outlives its key",
        "a list that outlives its key",
    ],
    "10.1": [
        "a preflight on its way into gRPC",
    ],
    "10.2": [
        "a header that names the principal",
        "a message between nodes that no node has written",
        "a node that serves what the tenant of a call may not have",
    ],
    "10.3": [
        "`X-Actor`, `by` and `groups` in somebody else's name",
        "the name of the engine or of the timer in `X-Actor`",
        "`assign` gets past the assignment of a task",
        "`modify` gets past the assignment of a task",
        "a task of somebody else, read, claimed, commented or answered",
    ],
    "10.4": [
        "ids of another tenant, guessed",
        "ids of another tenant, at every route",
    ],
    "10.5": [
        "an idempotency key of somebody else",
        "lists and queues of another tenant",
        "live topics of another tenant",
        "streams of tasks of another tenant",
        "feeds and live topics tell of others' tasks",
        "`/metrics`, `/api/overview`, webhooks, secrets and trials of another tenant",
        "a calculation node that takes the tag of another tenant",
    ],
    "10.6": [
        "a definition that reads a secret its author may not use",
        "a connection whose name comes out of data",
        "drafts and trials as a way to a secret",
    ],
    "10.7": [
        "a route that forgets to ask",
        "a method of gRPC that forgets to ask",
        "a webhook at a path of the engine",
    ],
    "10.8": [
        "streams and polls after a revocation",
        "streams and keys after their time",
        "streams of a bearer whose issuer, user or grant is gone",
        "`startStreaming` after a revocation",
    ],
    "10.9": [
        "two `Authorization` headers",
        "a page of another site uses the cookie",
        "a page of another scheme uses the cookie",
        "an answer that a browser takes for a page",
    ],
    "10.10": [
        "passwords tried by strangers",
        "signatures checked for strangers",
        "calls of strangers, in great numbers",
    ],
}


class Table(unittest.TestCase):
    def setUp(self):
        self.rows = ROW.findall((TREE / "docs" / "security.md").read_text())

    def test_each_attack_has_one_row(self):
        self.assertEqual([(section, attack) for section, attack, _, _ in self.rows], [(section, attack) for section, attacks in ATTACKS.items() for attack in attacks])

    def test_each_row_has_its_test(self):
        for _, _, path, name in self.rows:
            self.assertRegex((TREE / path).read_text(), rf"(def|static void) {name}\(", path)


class Attacks(Accounts):
    def status(self, *lines):
        """The status of a request that no client would send."""
        return raw(self.server, b"\r\n".join([*lines, b"Host: localhost", b"Connection: close", b"", b""])).split(b" ")[1].decode()

    def test_paths_that_look_like_others_are_not_let_through(self):
        key = f"Authorization: Bearer {self.key('viewer')['key']}".encode()
        for path in (b"/t/default/t/default/v1/definitions", b"/t/default/t/nowhere/api/users", b"//v1/definitions", b"/t//v1/definitions", b"/t/nowhere/v1/definitions",
                     b"/api%2Fusers", b"/t%2Fdefault/api/users", b"/probes/../api/users", b"/api/help/../users", b"/api/help/%2e%2e/users", b"/t/..%2Fdefault/api/users"):
            self.assertIn(self.status(b"GET " + path + b" HTTP/1.1"), ("400", "401", "404"), path)
            self.assertIn(self.status(b"GET " + path + b" HTTP/1.1", key), ("400", "403", "404"), path)

    def test_head_and_preflight_ask_no_less(self):
        for path in (b"/v1/definitions", b"/api/users", b"/api/live?topics=tasks", b"/api/tasks/stream"):
            self.assertEqual(self.status(b"HEAD " + path + b" HTTP/1.1"), "401", path)
        viewer = f"Authorization: Bearer {self.key('viewer')['key']}".encode()
        self.assertEqual(self.status(b"HEAD /api/users HTTP/1.1", viewer), "403")
        answer = raw(self.server, b"OPTIONS /pawl.v1.Workflow/ListDefinitions HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.example\r\nAccess-Control-Request-Method: POST\r\n"
                     b"Content-Type: application/grpc\r\nConnection: close\r\n\r\n")
        self.assertNotIn(b"grpc-status", answer.lower())

    def test_grpc_without_metadata_is_nobody(self):
        for metadata, code in (((), "UNAUTHENTICATED"), ((("authorization", "Bearer x"),), "UNAUTHENTICATED"),
                               ((("authorization", ROOT["Authorization"]), ("x-pawl-tenant", "nowhere")), "NOT_FOUND")):
            call = GrpcClient(port_of(self.server), metadata)
            self.addCleanup(call.close)
            with self.assertRaises(Refused) as refused:
                call("ListDefinitions", {})
            self.assertEqual(refused.exception.code, code, metadata)

    def test_a_session_does_not_survive_its_user(self):
        for change in (("PATCH", {"state": "disabled"}), ("DELETE", None)):
            name = self.user("viewer")
            cookie = self.login(name)
            self.assertEqual(self.ask("GET", "/api/me", None, cookie).status, 200)
            self.assertIn(self.ask(change[0], f"/api/users/{name}", change[1]).status, (200, 204))
            self.assertEqual(self.ask("GET", "/api/me", None, cookie).status, 401, change)

    def test_answers_and_logs_have_no_secrets(self):
        made, name = self.key("viewer", note="n"), self.user("operator")
        cookie = self.login(name)
        self.ask("PUT", "/api/secrets/planted", {"value": "planted-secret-value"})
        self.ask("GET", "/api/me", None, bearer(made["key"] + "x"))
        for path in ("/api/users", f"/api/users/{name}", "/api/keys", f"/api/keys/{made['id']}", "/api/sessions?user=" + name, "/api/secrets", "/api/audit", "/api/access/refusals", "/api/issuers", "/metrics"):
            body = self.ask("GET", path).body.decode()
            for secret in (made["key"], cookie["Cookie"].split("=")[1], PASSWORD, "argon2", "planted-secret-value", "s3cret-token"):
                self.assertNotIn(secret, body, path)
                self.assertNotIn(secret, self.server.log())

    def test_errors_repeat_no_secret(self):
        """What is wrong with a credential or a record is told without it."""
        secret = "planted-and-long-enough"
        forms = (("POST", "/api/session", {"name": secret, "password": secret + "!"}, {}), ("GET", "/api/me", None, bearer(secret)), ("GET", "/api/me", None, {"Cookie": "pawl=" + secret}),
                 ("POST", "/api/users", {"name": "x y", "password": secret}, ROOT), ("PUT", "/api/secrets/a b", {"value": secret}, ROOT), ("POST", "/api/keys", {"name": "k", "roles": ["none"], "key": secret}, ROOT),
                 ("POST", "/api/access/apply", {"file": {"users": [{"name": "a", "passwordHash": secret}]}}, ROOT), ("POST", "/api/access/apply", {"file": {"keys": [{"id": "7HqZ3bTw9K", "name": "k", "hash": secret}]}}, ROOT))
        for method, path, body, headers in forms:
            answer = self.client.request(method, path.replace(" ", "%20"), body, headers)
            self.assertIn(answer.status, (400, 401, 404), (path, answer))
            self.assertNotIn(secret.encode(), answer.body, path)
        self.assertNotIn(secret, self.server.log())
        self.assertNotIn(secret + "!", self.ask("GET", "/api/access/refusals").body.decode())

    def test_histories_pages_and_exports_have_no_secrets(self):
        made, name = self.key("sender", "operator", "viewer"), self.user("operator", "sender")
        cookie = self.login(name)
        self.ask("PUT", "/api/secrets/planted", {"value": "planted-secret-value"})
        flow = self.upload_as_root([wait("w", "end"), end()])
        texts = []
        for headers in (bearer(made["key"]), {**cookie, **PAGE}):
            run = self.ask("POST", "/v1/instances", {"definitionId": flow}, headers).json["id"]
            self.ask("POST", f"/v1/instances/{run}/cancel", {}, headers)
            texts += [self.ask("GET", path, None, headers).body.decode() for path in (f"/v1/instances/{run}/history", f"/v1/instances/{run}", f"/v1/instances/{run}/explain", f"/v1/definitions/{flow}")]
        texts += [self.ask("GET", path).body.decode() for path in ("/ui/", "/ui/login", "/api/login", "/openapi.json")]
        export = subprocess.run([BINARY, "access", "export", "--server", f"http://127.0.0.1:{self.server.port}"], capture_output=True, text=True, check=True,
                                env={**os.environ, "PAWL_TOKEN": ROOT["Authorization"].split()[1]})
        self.assertIn(name, export.stdout)
        for text in (*texts, export.stdout, export.stderr):
            for secret in (made["key"], cookie["Cookie"].split("=")[1], PASSWORD, "argon2", "planted-secret-value", "s3cret-token-of"):
                self.assertNotIn(secret, text)

    def test_an_unknown_name_costs_a_hash(self):
        """A hash takes many times as long as everything else that a login does. The least time of each counts, and on a busy machine further
        names are tried: a name has five tries, an address 30."""
        def took(name):
            began = time.perf_counter()
            self.assertEqual(self.ask("POST", "/api/session", {"name": name, "password": "not it at all"}, {}).status, 401)
            return time.perf_counter() - began
        times = []
        for _ in range(3):
            names = self.user("viewer"), "nobody-" + self.fresh("has").lower()
            times += [[took(name) for name in names] for _ in range(4)]
            known, unknown = map(min, zip(*times))
            if known / 3 < unknown < known * 3:
                return
        self.fail((known, unknown))

    def test_http2_asks_no_less(self):
        def ask(path, *more):
            run = subprocess.run(["curl", "-sS", "--http2-prior-knowledge", "-o", os.devnull, "-w", "%{http_version} %{http_code}", *more, f"http://127.0.0.1:{self.server.port}{path}"],
                                 capture_output=True, text=True, check=True)
            return run.stdout
        viewer = self.key("viewer")["key"]
        for path in ("/v1/definitions", "/api/users", "/t/default/api/users", "/api/tasks/stream"):
            self.assertEqual(ask(path), "2 401", path)
            self.assertEqual(ask(path, "-H", "x-pawl-principal: key:root", "-H", "authorization:"), "2 401", path)
        self.assertEqual(ask("/api/users", "-H", f"authorization: Bearer {viewer}"), "2 403")
        self.assertEqual(ask("/v1/definitions", "-H", f"authorization: Bearer {viewer}"), "2 200")

    def test_a_stream_ends_when_its_key_expires(self):
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
        made = self.key("viewer", expiresAt=soon.strftime("%Y-%m-%dT%H:%M:%SZ"))
        with Stream(self.server, "/api/live?topics=instances", bearer(made["key"])) as stream:
            self.assertEqual(stream.response.status, 200)
            stream.response.read()  # Up to its end, which would not come.
        self.assertEqual(self.ask("GET", "/api/me", None, bearer(made["key"])).status, 401)

    def test_a_page_of_another_scheme_is_another_page(self):
        cookie = self.login(self.user("operator"))
        host = f"127.0.0.1:{self.server.port}"
        for origin, status in ((f"http://{host}", 404), (f"https://{host}", 403), ("null", 403), (f"http://{host}.evil.example", 403)):
            answer = self.ask("POST", "/v1/instances/01KA2P3N6S0000000000100000/cancel", {}, {**cookie, "Host": host, "Origin": origin})
            self.assertEqual(answer.status, status, origin)

    def test_answers_are_not_sniffed(self):
        for path, headers in (("/v1/definitions", ROOT), ("/v1/definitions", {}), ("/api/me", ROOT), ("/api/login", {})):
            self.assertEqual(self.ask("GET", path, None, headers).headers["X-Content-Type-Options"], "nosniff", path)

    def test_names_of_headers_and_bodies_make_nobody_of_somebody(self):
        """X-Actor, by, author, workerId and groups are claims."""
        flow = self.upload_as_root([wait("w", "end"), end()])
        person = {**self.login(self.user("operator", "sender")), **PAGE}
        run = self.run_as_root(flow)
        self.assertEqual(self.ask("POST", "/v1/instances", {"definitionId": flow}, {**person, "X-Actor": "boss"}).status, 403)
        self.assertEqual(self.ask("POST", f"/v1/instances/{run}/modify", {"set": {"a": 1}, "by": "boss"}, person).status, 403)
        self.assertEqual(self.ask("POST", f"/v1/instances/{run}/cancel", {}, {**person, "X-Actor": "boss"}).status, 403)
        for header in ("X-Pawl-Principal", "X-Pawl-Caller", "X-Principal", "X-Forwarded-User"):
            self.assertEqual(self.ask("GET", "/api/me", None, {header: "key:root"}).status, 401, header)


if __name__ == "__main__":
    main()
