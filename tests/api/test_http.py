"""HTTP itself: paths, methods, origins, bad requests, raw bytes."""

import contextlib
import http.client
import json
import re
import socket

from harness import CONTRACT, NODES, PATIENCE, Case, example_path, main, raw, validate_named
from steps import end, wait


class Paths(Case):
    arguments = ("--mcp",)

    def test_unknown_paths(self):
        for path in ("/", "/v1", "/v1/", "/v2/instances", "/v1/definitions/", "/v1/instances/a/b/c/d/e", "/V1/definitions", "/healthz/",
                     "/v1//definitions", "/v1/user-tasks/x", "/metrics/x"):
            self.assertEqual(self.get(path).status, 404, path)

    def test_methods_a_path_does_not_have(self):
        for method, path, allow in (("PUT", "/v1/definitions", "GET, HEAD, POST"), ("DELETE", "/v1/instances/x", "GET, HEAD"),
                                    ("GET", "/v1/jobs/poll", "POST"), ("POST", "/v1/instances/x", "GET, HEAD"), ("PATCH", "/v1/jobs", "GET, HEAD"),
                                    ("HEAD", "/v1/jobs/poll", "POST"), ("POST", "/healthz", "GET, HEAD"), ("OPTIONS", "/v1/jobs", "GET, HEAD")):
            answer = self.client.request(method, path)
            self.assertEqual((answer.status, answer.headers["Allow"], answer.body), (405, allow, b""), (method, path))

    def test_head_is_get_without_the_body(self):
        name = self.upload([end()])
        for path in (f"/v1/definitions/{name}", "/v1/definitions", "/v1/instances", "/openapi.json", "/livez", "/v1/instances/x"):
            head, full = self.client.request("HEAD", path), self.get(path)
            self.assertEqual((head.status, head.headers["Content-Length"], head.body), (full.status, str(len(full.body)), b""), path)

    def test_paths_that_are_not_percent_encoded_text(self):
        for path in ("/v1/definitions/%zz", "/v1/definitions/%", "/v1/definitions/%4", "/v1/definitions/%ff", "/v1/definitions/%C3%28"):
            self.assertEqual(self.get(path).status, 400, path)
        self.assertEqual(self.get("/v1/definitions/%00").status, 404)

    def test_every_operation_of_the_contract_is_served(self):
        for path, item in CONTRACT["paths"].items():
            for method in {"get", "post"} & set(item):
                if path.endswith("/stream") or path == "/api/live":  # They have no end: other tests read them.
                    continue
                asked = example_path(path, "1")
                answer = self.client.request(method.upper(), asked, b"{}" if method == "post" else None)
                self.assertNotEqual(answer.status, 405, (method, path))
                self.assertNotIn(b"page not found", answer.body, (method, path))

    def test_types(self):
        self.assertEqual(self.get("/v1/definitions").type, "application/json")
        self.assertEqual(self.get("/v1/instances/x").type, "application/json")
        self.assertEqual(self.get("/healthz").type, None)


LISTED, OTHER = "http://modeller.example", "https://evil.example"


class Origins(Case):
    arguments = ("--cors-origin", LISTED, "--cors-origin", "http://localhost:3000", "--host", "engine.example")

    def preflight(self, path, origin):
        return self.client.request("OPTIONS", path, None, {
            "Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"})

    def test_a_preflight_of_a_listed_origin_is_answered_anywhere(self):
        for path in ("/v1/definitions", "/v1/jobs/x/complete", "/metrics", "/nowhere"):
            answer = self.preflight(path, LISTED)
            self.assertEqual((answer.status, answer.body, answer.headers["Access-Control-Allow-Origin"]), (200, b"", LISTED))
            self.assertEqual((answer.headers["Access-Control-Allow-Methods"], answer.headers["Vary"]), ("DELETE, GET, PATCH, POST, PUT, OPTIONS", "Origin"))
            allowed = {name.strip().lower() for name in answer.headers["Access-Control-Allow-Headers"].split(",")}
            self.assertLessEqual({"accept", "authorization", "content-type", "idempotency-key", "last-event-id"}, allowed)
            self.assertEqual(answer.headers["Access-Control-Max-Age"], "300")
            self.assertNotIn("Access-Control-Allow-Credentials", answer.headers)

    def test_every_answer_to_a_listed_origin_may_be_read(self):
        origin = {"Origin": LISTED}
        name = self.upload([end()])
        for answer in (self.get("/v1/definitions", origin), self.get("/v1/instances/x", origin), self.get("/nowhere", origin),
                       self.post("/v1/instances", {"definitionId": name}, origin), self.post("/healthz", None, origin),
                       self.get("/metrics", origin), self.post("/v1/jobs/poll", b"{", origin), self.get("/livez", {"Origin": "http://localhost:3000"})):
            self.assertIn(answer.headers["Access-Control-Allow-Origin"], (LISTED, "http://localhost:3000"), answer)
            self.assertEqual(answer.headers["Vary"], "Origin")

    def test_other_origins_are_refused_and_may_read_nothing(self):
        name = self.upload([end()])
        for origin in (OTHER, "null", LISTED + ":81", LISTED + ".evil.example", "http://localhost:3001", "x"):
            for answer in (self.preflight("/v1/definitions", origin), self.get("/v1/definitions", {"Origin": origin}),
                           self.post("/v1/instances", {"definitionId": name}, {"Origin": origin}), self.get("/livez", {"Origin": origin}),
                           self.get("/nowhere", {"Origin": origin})):
                self.refused(answer, 403, f"--cors-origin {origin}")
                self.assertFalse([header for header in answer.headers if header.startswith("Access-Control")], answer)
        self.assertEqual(self.get(f"/v1/instances?definitionId={name}").json["total"], 0)

    def test_pages_of_the_engine_itself_need_no_list(self):
        port = self.server.port
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
            answer = self.get("/v1/definitions", {"Host": host, "Origin": f"http://{host}"})
            self.assertEqual(answer.status, 200)
            self.assertNotIn("Access-Control-Allow-Origin", answer.headers)
        self.assertEqual(self.get("/v1/definitions", {"Host": f"localhost:{port}", "Origin": f"http://localhost:{port + 1}"}).status, 403)

    def test_what_a_page_sends_must_say_its_type(self):
        """Forms can send the first ones, from any page, and no browser asks before."""
        name = self.upload([end()])
        body = json.dumps({"definitionId": name}).encode()
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "text/plain; application/json"):
            self.assertEqual(self.post("/v1/instances", body, {"Origin": LISTED, "Content-Type": kind}).status, 415, kind)
            self.assertEqual(self.post("/v1/instances", body, {"Content-Type": kind}).status, 201, kind)
        for kind in ("application/json", "application/json; charset=utf-8", "application/problem+json", "Application/JSON"):
            self.assertEqual(self.post("/v1/instances", body, {"Origin": LISTED, "Content-Type": kind}).status, 201, kind)
        document = f'{{"id": "{self.fresh()}", "name": "x", "steps": [{{"id": "e", "name": "e", "type": "END"}}]}}'.encode()
        self.assertEqual(self.post("/v1/definitions", document, {"Origin": LISTED, "Content-Type": "text/yaml"}).status, 201)
        attributes = {"ce-specversion": "1.0", "ce-id": self.fresh(), "ce-source": "s", "ce-type": "t", "Content-Type": "text/plain"}
        self.assertEqual(self.post("/v1/events", b"x", {"Origin": LISTED, **attributes}).status, 202)

    def test_hosts(self):
        """A page whose name was pointed at this machine is of the same origin: only its Host gives it away."""
        for host in ("127.0.0.1", "127.9.9.9:80", "localhost", "LocalHost:1", "[::1]", "[::1]:8080", "engine.example", "ENGINE.example:443"):
            self.assertEqual(self.get("/v1/definitions", {"Host": host}).status, 200, host)
        for host in ("evil.example", "evil.example:8080", "10.0.0.1", "localhost.evil.example", "127.0.0.1.evil.example", "[::2]", "engine.example.", "1"):
            self.refused(self.get("/v1/definitions", {"Host": host}), 421, "--host")
            answer = self.get("/v1/definitions", {"Host": host, "Origin": f"http://{host}"})
            self.assertEqual(answer.status, 421, host)
            self.assertNotIn("Access-Control-Allow-Origin", answer.headers)
        self.assertIn(b" 200 ", raw(self.server, b"GET /livez HTTP/1.0\r\n\r\n").split(b"\r\n")[0])


class AnyOrigin(Case):
    arguments = ("--cors-origin", "*")

    def test_all_pages_may(self):
        answer = self.get("/v1/definitions", {"Origin": OTHER})
        self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"]), (200, "*"))
        self.assertEqual(self.post("/v1/instances", b"{}", {"Origin": OTHER, "Content-Type": "text/plain"}).status, 415)


class BadJson(Case):
    def test_where_it_is_wrong(self):
        cases = [
            (b'{"a":}', "line 1, column 6"), (b'{\n "a": 1,\n}', "line 3, column 1"), (b'{"a":1} x', "line 1, column 9"), (b"{'a':1}", "line 1, column 2"),
            ('{"ü": tru}'.encode(), "line 1, column 7"), (b'{"a":01}', "line 1"), (b'{"a":NaN}', "line 1"), (b'{"a":1,"a":2}', "line 1"),
            (b'{"a":"\xc3"}', "line 1"), (b'{"a":"\\ud800"}', "line 1"), (b'{"a":"\\udc00\\ud800"}', "line 1"), (b'{"a":"\x01"}', "line 1"),
            (b"\xef\xbb\xbf{}", "line 1"), (b'{"a":1', "line 1"), (b'["a"', "line 1"), (b'"', "line 1"), (b'{"a":+1}', "line 1"),
        ]
        for body, text in cases:
            for path in ("/v1/instances", "/v1/jobs/poll"):
                with self.subTest(body):
                    self.refused(self.post(path, body), 400, text)

    def test_depth(self):
        def nested(depth):
            return b'{"definitionId":"ghost","variables":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"
        self.assertEqual(self.post("/v1/instances", nested(127)).status, 404)
        self.assertEqual(self.post("/v1/instances", nested(128)).status, 413)
        self.assertEqual(self.post("/v1/instances", b"[" * 100000).status, 413)


class RawBytes(Case):
    arguments = ("--cors-origin", LISTED)
    HOST = b"Host: localhost\r\n"

    def statuses(self, data, finish=False):
        """The status codes of all answers to these bytes."""
        text = raw(self.server, data, finish)
        return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", text)]

    def test_pipelined_requests_are_answered_in_order(self):
        one = b"GET /healthz HTTP/1.1\r\n" + self.HOST + b"\r\n"
        two = b"GET /nowhere HTTP/1.1\r\n" + self.HOST + b"\r\n"
        last = b"GET /v1/definitions HTTP/1.1\r\n" + self.HOST + b"Connection: close\r\n\r\n"
        self.assertEqual(self.statuses(one + two + one + last), [200, 404, 200, 200])

    def test_a_body_is_not_taken_for_a_request(self):
        inner = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        outer = b"POST /v1/jobs/poll HTTP/1.1\r\n" + self.HOST + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(inner)
        self.assertEqual(self.statuses(outer + inner), [400])

    def test_what_smuggling_is_made_of_is_refused_and_closed(self):
        post = b"POST /v1/jobs/poll HTTP/1.1\r\n"
        after = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        cases = [
            post + self.HOST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
            post + self.HOST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            post + self.HOST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            post + self.HOST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            post + self.HOST + b"Content-Length : 2\r\n\r\n{}", post + self.HOST + b"Content-Length: +2\r\n\r\n{}",
            post + self.HOST + b"Content-Length: 2, 2\r\n\r\n{}", post + self.HOST + b"X: a\r\n folded\r\n\r\n",
            b"GET /healthz HTTP/1.1\n" + self.HOST + b"\r\n", b"GET /healthz HTTP/1.1\r\n\r\n",
            b"GET /healthz HTTP/1.1\r\n" + self.HOST + self.HOST + b"\r\n", b"GET  /healthz HTTP/1.1\r\n" + self.HOST + b"\r\n",
            b"GET /healthz HTTP/1.1\r\n" + self.HOST + b"X: a\x00b\r\n\r\n", b"GET /health z HTTP/1.1\r\n" + self.HOST + b"\r\n",
            post + self.HOST + b"Transfer-Encoding: chunked\r\n\r\nZ\r\n", post + self.HOST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n",
        ]
        for data in cases:
            with self.subTest(data):
                self.assertEqual(self.statuses(data + after), [400])

    def test_other_refusals(self):
        cases = [
            (b"BREW /healthz HTTP/1.1\r\n" + self.HOST + b"\r\n", (405, 501)), (b"GET /healthz HTTP/2.0\r\n" + self.HOST + b"\r\n", (505,)),
            (b"GET /healthz HTTP/1.1\r\n" + self.HOST + b"Expect: tea\r\n\r\n", (417,)),
            (b"GET /healthz HTTP/1.1\r\n" + self.HOST + b"X: " + b"a" * 20000 + b"\r\n\r\n", (431,)),
        ]
        for data, want in cases:
            with self.subTest(data[:60]):
                got = self.statuses(data, finish=True)
                self.assertEqual(len(got), 1)
                self.assertIn(got[0], want)

    def test_refusals_have_the_body_of_an_error(self):
        text = raw(self.server, b"GET /healthz HTTP/1.1\r\n\r\n")
        validate_named(json.loads(text.split(b"\r\n\r\n", 1)[1]), "Error")

    def test_refusals_obey_the_rules_of_origins(self):
        """Where the head cannot be read nobody knows the origin; otherwise a listed one may read them."""
        listed, other = b"Origin: " + LISTED.encode() + b"\r\n", b"Origin: " + OTHER.encode() + b"\r\n"
        large = b"POST /v1/jobs/poll HTTP/1.1\r\n" + self.HOST + b"%sContent-Length: 99999999999\r\n\r\n"
        cases = [
            (b"GET /healthz HTTP/1.1\r\n" + listed + b"\r\n", 400, False), (b"GET /healthz HTTP/2.0\r\n" + self.HOST + listed + b"\r\n", 505, False),
            (b"GET /healthz HTTP/1.1\r\n" + self.HOST + listed + b"X: " + b"a" * 20000 + b"\r\n\r\n", 431, False),
            (large % (listed + b"Content-Type: application/json\r\n"), 413, True), (large % other, 403, False),
        ]
        for data, status, readable in cases:
            with self.subTest(data[:60]):
                head = raw(self.server, data).split(b"\r\n\r\n")[0]
                self.assertIn(b"HTTP/1.1 %d " % status, head)
                self.assertEqual(b"\r\nAccess-Control-Allow-Origin: " + LISTED.encode() + b"\r\n" in head, readable, head)
                self.assertEqual(b"Access-Control" in head, readable, head)

    def test_an_offer_of_http2_is_ignored(self):
        data = (b"GET /livez HTTP/1.1\r\n" + self.HOST + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")
        self.assertEqual(self.statuses(data, finish=True), [200])

    def test_expect_continue(self):
        name = self.upload([wait("w", "end"), end()])
        got = self.start(name)["id"]
        head = f"POST /v1/instances/{got}/signals/w HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
        self.assertIn(self.statuses(head.encode() + b"{}"), ([100, 204], [204]))

    def test_a_client_that_half_closes_gets_its_answer(self):
        name = self.upload([end()])
        body = b'{"definitionId":"%s"}' % name.encode()
        head = b"POST /v1/instances HTTP/1.1\r\n" + self.HOST + b"Content-Length: %d\r\n\r\n" % len(body)
        self.assertEqual(self.statuses(head + body, finish=True), [201])


class Crowded(Case):
    arguments = ("--limit", "connections_max=1")

    def ask(self, path):
        """Asks on connections that stay open; of several nodes each takes one. Returns the last answer."""
        with contextlib.ExitStack() as stack:
            for _ in range(NODES + 1):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", self.server.port), PATIENCE))
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                answer = http.client.HTTPResponse(connection)
                answer.begin()
                body = answer.read()
            return answer, body

    def test_one_connection_too_many_is_told_when_to_come_back(self):
        answer, body = self.ask("/v1/instances")
        self.assertEqual((answer.status, answer.getheader("Retry-After")), (503, "1"))
        self.assertIsNone(answer.getheader("Access-Control-Allow-Origin"))
        validate_named(json.loads(body), "Error")

    def test_a_probe_is_never_one_too_many(self):
        for path in ("/livez", "/readyz"):
            self.assertEqual(self.ask(path)[0].status, 200)


if __name__ == "__main__":
    main()
