"""Ways around the gate, and the table of docs/security.md: each attack has a test, and each test of the table is there."""

import pathlib
import re
import unittest

from accounts import Accounts, PAGE, PASSWORD, ROOT, bearer
from grpc_client import GrpcClient, Refused, port_of
from harness import main, raw
from steps import end, wait

TREE = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (8|10\.\d+) \| .+ \| `(tests/[\w/.]+)`: `(\w+)` \|$", re.MULTILINE)


class Table(unittest.TestCase):
    """The sections of the design are numbered as in the table: 8, and 10.1 to 10.10."""

    def test_each_attack_of_the_table_has_its_test(self):
        rows = ROW.findall((TREE / "docs" / "security.md").read_text())
        for _, path, name in rows:
            self.assertRegex((TREE / path).read_text(), rf"(def|static void) {name}\(", path)
        self.assertGreaterEqual(len([row for row in rows if row[0] == "8"]), 12)
        self.assertEqual({row[0] for row in rows}, {"8", *(f"10.{number}" for number in range(1, 11))})


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
