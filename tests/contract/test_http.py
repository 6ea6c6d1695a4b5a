"""What holds for every request: error bodies, content types, unknown paths, methods, CORS, keys, HTTP itself."""

import json
import socket
from urllib.parse import quote, quote_plus

from contract import Contract, cases, definition, end, fresh, main, service, user, wait

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


class Shapes(Contract):
    @cases(
        ("POST", "/v1/definitions", "{", 400, "bad-request"), ("POST", "/v1/instances", "{", 400, "bad-request"),
        ("POST", "/v1/jobs/poll", "{", 400, "bad-request"),
        ("GET", "/v1/definitions/nobody", None, 404, "not-found"), ("GET", "/v1/instances/" + NOBODY, None, 404,
                                                            "not-found"),
        ("GET", "/v1/instances/%s/history" % NOBODY, None, 404, "not-found"),
        ("GET", "/v1/instances/%s/explain" % NOBODY, None, 404, "not-found"),
        ("GET", "/v1/instances/%s/events" % NOBODY, None, 404, "not-found"),
        ("POST", "/v1/instances/%s/cancel" % NOBODY, None, 404, "not-found"),
        ("POST", "/v1/jobs/%s/complete" % NOBODY, '{"workerId":"w"}', 404, "not-found"),
        ("POST", "/v1/jobs/%s/fail" % NOBODY, '{"workerId":"w"}', 404, "not-found"),
    )
    def test_an_error_has_three_fields(self, method, path, body, status, code):
        answer = self.refused(self.engine.request(method, path, body), status, code)
        self.assertLessEqual({"error", "reason", "message"}, set(answer.json))

    @cases(("/nowhere",), ("/",), ("/v1",), ("/v1/",), ("/v1/nothing",), ("/v2/definitions",),
           ("/v1/definitions/x/y/z/w",), ("/v1/instances/x/nothing",), ("/v1/jobs/x/nothing",))
    def test_an_unknown_path_is_plain_text(self, path):
        for method in ("GET", "POST"):
            answer = self.engine.request(method, path)
            self.assertEqual(answer.status, 404)
            self.assertEqual(answer.text.strip(), "404 page not found")
            self.assertTrue(answer.headers["Content-Type"].startswith("text/plain"))

    @cases(("DELETE", "/v1/definitions", {"GET", "POST"}), ("PUT", "/v1/instances", {"GET", "POST"}),
           ("GET", "/v1/jobs/poll", {"POST"}), ("POST", "/v1/definitions/x", {"GET"}),
           ("DELETE", "/v1/instances/" + NOBODY, {"GET"}), ("GET", "/v1/instances/%s/cancel" % NOBODY, {"POST"}),
           ("GET", "/v1/jobs/%s/complete" % NOBODY, {"POST"}),
           ("PATCH", "/v1/jobs/%s/fail" % NOBODY, {"POST"}), ("GET", "/v1/instances/%s/signals/w" % NOBODY, {"POST"}),
           ("POST", "/v1/instances/%s/history" % NOBODY, {"GET"}),
           ("POST", "/healthz", {"GET"}))
    def test_a_wrong_method_is_405_with_allow_and_no_body(self, method, path, allowed):
        answer = self.engine.request(method, path)
        self.assertEqual((answer.status, answer.body), (405, b""))
        allow = {word.strip() for value in answer.headers.get_all("Allow") for word in value.split(",")}
        self.assertLessEqual(allowed, allow)
        self.assertNotIn(method, allow)

    def test_every_answer_with_a_body_is_json_without_charset(self):
        name = self.deploy([user("u", "end"), end()])
        made = self.start(name)["id"]
        for path in ("/v1/definitions", "/v1/definitions/" + name, "/v1/definitions/%s/versions/1" % name,
                     "/v1/instances", "/v1/instances/" + made,
                     "/v1/instances/%s/history" % made, "/v1/instances/%s/explain" % made, "/v1/jobs", "/v1/user-tasks",
                     "/openapi.json"):
            self.assertEqual(self.get(path).headers["Content-Type"], "application/json", path)
        self.assertEqual(self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["t"]}).headers["Content-Type"],
                         "application/json")
        self.assertEqual(self.cancel(made).headers["Content-Type"], "application/json")

    def test_an_answer_without_a_body_has_no_type(self):
        made = self.begin([wait("w", "end"), end()])
        answer = self.signal(made, "w")
        self.assertEqual((answer.body, answer.headers["Content-Type"]), (b"", None))

    def test_the_health_check_has_no_body(self):
        self.assertEqual(self.get("/healthz").body, b"")

    def test_the_probes(self):
        for path in ("/livez", "/readyz"):
            self.get(path)

    def test_an_authorization_header_is_ignored(self):
        self.get("/v1/definitions", 200, {"Authorization": "Bearer whatever"})

    def test_unicode_is_sent_as_utf_8(self):
        made = self.begin([user("u", "end"), end()], {"name": "Nguyễn 日本 \U0001f600"})
        self.assertEqual(self.variables(made)["name"], "Nguyễn 日本 \U0001f600")

    @cases(("\\ud800",), ("\\udc00x",))
    def test_half_a_surrogate_pair_is_no_server_error(self, text):
        name = self.deploy([end()])
        answer = self.post("/v1/instances", '{"definitionId":"%s","variables":{"a":"%s"}}' % (name, text))
        self.assertLess(answer.status, 500)

    def test_bytes_that_are_no_utf_8_are_a_bad_request(self):
        name = self.deploy([end()])
        answer = self.post("/v1/instances", b'{"definitionId":"' + name.encode() + b'","variables":{"a":"\xff\xfe"}}')
        self.assertLess(answer.status, 500)

    def test_the_list_parameters_may_be_escaped(self):
        key = fresh("a b&c=d+é")
        self.start(self.deploy([user("u", "end"), end()]), businessKey=key)
        for escaped in (quote(key, safe=""), quote_plus(key)):
            self.assertEqual(self.get("/v1/instances?businessKey=" + escaped).json["total"], 1)


class Cors(Contract):
    def test_the_preflight(self):
        answer = self.engine.request("OPTIONS", "/v1/definitions", None, {
            "Origin": "http://modeller.example", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,authorization"})
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertIn(answer.headers["Access-Control-Allow-Origin"], ("*", "http://modeller.example"))
        methods = answer.headers["Access-Control-Allow-Methods"].upper()
        self.assertIn("POST", methods)
        headers = answer.headers["Access-Control-Allow-Headers"].lower()
        self.assertIn("content-type", headers)
        self.assertIn("authorization", headers)
        self.assertEqual(answer.headers["Access-Control-Max-Age"], "300")
        self.assertIsNone(answer.headers["Access-Control-Allow-Credentials"])

    @cases(("/v1/instances/%s/cancel" % NOBODY,), ("/v1/jobs/poll",), ("/v1/definitions/x",))
    def test_the_preflight_of_every_path(self, path):
        answer = self.engine.request("OPTIONS", path, None, {"Origin": "http://a.example",
                                                            "Access-Control-Request-Method": "GET"})
        self.assertEqual((answer.status, answer.body), (200, b""))

    @cases(("/v1/definitions",), ("/v1/definitions/nobody",), ("/v1/instances",))
    def test_a_listed_origin_may_read(self, path):
        answer = self.engine.get(path, {"Origin": "http://a.example"})
        self.assertIn(answer.headers["Access-Control-Allow-Origin"], ("*", "http://a.example"))


class Keys(Contract):
    def test_a_start_with_a_key_is_done_once(self):
        name, key = self.deploy([user("u", "end"), end()]), fresh("idem")
        first = self.post("/v1/instances", {"definitionId": name}, 201, {"Idempotency-Key": key})
        again = self.post("/v1/instances", {"definitionId": name}, 201, {"Idempotency-Key": key})
        self.assertEqual(first.json["id"], again.json["id"])
        self.assertEqual(first.body, again.body)
        self.assertIsNone(first.headers["Idempotency-Replayed"])
        self.assertEqual(again.headers["Idempotency-Replayed"], "true")
        self.assertEqual(self.get("/v1/instances?definitionId=" + name).json["total"], 1)

    def test_another_request_with_the_key_is_refused(self):
        name, key = self.deploy([user("u", "end"), end()]), fresh("idem")
        self.post("/v1/instances", {"definitionId": name}, 201, {"Idempotency-Key": key})
        self.refused(self.post("/v1/instances", {"definitionId": name, "variables": {"x": 1}}, None,
                               {"Idempotency-Key": key}), 422, "unprocessable")

    def test_a_signal_with_a_key_is_answered_alike(self):
        made, key = self.begin([wait("w", "u"), user("u", "end"), end()]), fresh("idem")
        path = "/v1/instances/%s/signals/w" % made
        self.post(path, {"n": 1}, 204, {"Idempotency-Key": key})
        answer = self.post(path, {"n": 1}, 204, {"Idempotency-Key": key})
        self.assertEqual(answer.headers["Idempotency-Replayed"], "true")

    def test_an_upload_with_a_key(self):
        document, key = definition([end()]), fresh("idem")
        first = self.post("/v1/definitions", document, 201, {"Idempotency-Key": key})
        self.assertEqual(self.post("/v1/definitions", document, 201, {"Idempotency-Key": key}).body, first.body)

    def test_a_completion_with_a_key(self):
        job, key = fresh("job"), fresh("idem")
        made = self.begin([service("a", "end", job), end()])
        taken = self.take(job)
        for _ in range(2):
            self.post("/v1/jobs/%s/complete" % taken["id"], {"workerId": "worker", "variables": {"x": 1}}, 204,
                      {"Idempotency-Key": key})
        self.assertEqual(self.instance(made)["variables"], {"x": 1})

    def test_two_at_once_are_done_once(self):
        name, key = self.deploy([user("u", "end"), end()]), fresh("idem")
        calls = [lambda: self.engine.post("/v1/instances", {"definitionId": name}, {"Idempotency-Key": key})] * 3
        answers = self.together(*calls)()
        made = {answer.json["id"] for answer in answers if answer.status == 201}
        self.assertEqual(len(made), 1)
        self.assertEqual(self.get("/v1/instances?definitionId=" + name).json["total"], 1)


class Wire(Contract):
    """HTTP/1.1 as clients really speak it, byte by byte."""

    def talk(self, text):
        with socket.create_connection(("127.0.0.1", self.engine.port), 10) as connection:
            connection.sendall(text)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while True:
                part = connection.recv(65536)
                if not part:
                    return answer
                answer += part

    UPGRADE = (b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
               b"HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA")

    def send(self, line, body=b"", *headers):
        """Sends one request; its body has a length unless a header says otherwise."""
        head = [line + b" HTTP/1.1", b"Host: localhost", *headers]
        if body and not any(header.startswith(b"Transfer-Encoding") for header in headers):
            head.append(b"Content-Length: %d" % len(body))
        return self.talk(b"\r\n".join(head) + b"\r\n\r\n" + body)

    def test_javas_offer_of_http_2_is_ignored(self):
        answer = self.send(b"GET /v1/definitions?pageSize=1", b"", self.UPGRADE)
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer[:80])

    def test_javas_offer_with_a_body(self):
        body = json.dumps({"definitionId": self.deploy([end()])}).encode()
        answer = self.send(b"POST /v1/instances", body, self.UPGRADE, b"Content-Type: application/json")
        self.assertTrue(answer.startswith(b"HTTP/1.1 201 "), answer[:80])

    def test_a_chunked_body(self):
        text = json.dumps(definition([end()])).encode()
        body = b"%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (10, text[:10], len(text) - 10, text[10:])
        answer = self.send(b"POST /v1/definitions", body, b"Transfer-Encoding: chunked", b"Connection: close")
        self.assertTrue(answer.startswith(b"HTTP/1.1 201 "), answer[:80])

    def test_a_chunked_signal_succeeds(self):
        made = self.begin([wait("w", "end"), end()])
        answer = self.send(b"POST /v1/instances/%s/signals/w" % made.encode(), b"7\r\n{\"a\":1}\r\n0\r\n\r\n",
                           b"Transfer-Encoding: chunked", b"Connection: close")
        self.assertTrue(answer.startswith(b"HTTP/1.1 204 "), answer[:80])

    def test_expect_continue(self):
        answer = self.send(b"POST /v1/definitions", json.dumps(definition([end()])).encode(), b"Expect: 100-continue",
                           b"Connection: close")
        self.assertIn(b"HTTP/1.1 201 ", answer)

    def test_two_requests_in_one_packet(self):
        answer = self.talk(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                           b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertEqual((answer.count(b"HTTP/1.1 200 "), answer.count(b"HTTP/1.1 404 ")), (1, 1))

    def test_http_1_0(self):
        self.assertIn(b" 200 ", self.talk(b"GET /healthz HTTP/1.0\r\n\r\n")[:20])

    def test_gzip_may_be_offered(self):
        self.get("/v1/definitions", 200, {"Accept-Encoding": "gzip, deflate, br"})

    def test_a_connection_stays_open(self):
        connection = self.engine.connect()
        try:
            for path, status in (("/healthz", 200), ("/nowhere", 404), ("/v1/definitions/nobody", 404),
                                 ("/v1/definitions", 200)):
                connection.request("GET", path)
                first = connection.sock
                response = connection.getresponse()
                response.read()
                self.assertEqual(response.status, status)
                self.assertIs(connection.sock, first)
        finally:
            connection.close()


if __name__ == "__main__":
    main()
