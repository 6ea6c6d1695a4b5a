"""How requests travel: kept connections, retries, errors. Against a server that follows a script."""

import json
import re
import unittest

from server import Script, answer
from pawl import (ApiError, BadRequest, Client, ClientClosed, Conflict, ConnectionFailed, LimitExceeded, NotFound,
                  Overloaded, PawlError, ServerError, StorageFull, Unauthorized, Unavailable, Unprocessable,
                  UnsupportedFormat)
from pawl.events import parse_stream
from pawl.transport import Transport, path


class TransportCase(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, Transport, "FIRST_PAUSE", Transport.FIRST_PAUSE)
        Transport.FIRST_PAUSE = 0.001

    def script(self, *answers):
        script = Script(*answers)
        self.addCleanup(script.close)
        client = Client(script.url, timeout=30)
        self.addCleanup(client.close)
        return script, client


class Connections(TransportCase):
    def test_one_connection_serves_many_requests(self):
        script, client = self.script(*[answer(200, '{"id":"x"}')] * 3)
        for _ in range(3):
            self.assertEqual(client.get_instance("x"), {"id": "x"})
        self.assertEqual(script.connections, 1)

    def test_a_connection_that_the_server_closed_is_replaced_before_it_is_used(self):
        # A poll is never repeated: it must not be sent into a connection that is gone.
        script, client = self.script(answer(200, "{}", "Connection: close"), answer(200, '{"jobs":[]}'))
        client.get_instance("x")
        self.assertEqual(client.poll_jobs("w", ["t"]), [])
        self.assertEqual(script.connections, 2)

    def test_the_token_is_sent(self):
        script = Script(answer(200, "{}"))
        self.addCleanup(script.close)
        with Client(script.url, token="s3cret") as client:
            client.get_instance("x")
        self.assertIn("Authorization: Bearer s3cret", script.requests[0][1])

    def test_a_path_in_the_url_is_kept_and_segments_are_encoded(self):
        script = Script(answer(200, "{}"))
        self.addCleanup(script.close)
        with Client(script.url + "/engine/") as client:
            client.get_instance("a/b c?d")
        self.assertTrue(script.requests[0][1].startswith("GET /engine/v1/instances/a%2Fb%20c%3Fd HTTP/1.1"))
        self.assertEqual(path("v1", "LOS::x"), "/v1/LOS::x")

    def test_urls_that_make_no_sense_are_refused(self):
        for url in ("127.0.0.1:8080", "ftp://h", "http://", "http://h/?q=1", "http://u@h"):
            with self.assertRaises(ValueError, msg=url):
                Client(url)

    def test_a_closed_client_says_so(self):
        script, client = self.script()
        client.close()
        with self.assertRaises(ClientClosed):
            client.get_instance("x")


class Retries(TransportCase):
    def test_reading_is_repeated_after_a_lost_connection_and_after_503(self):
        script, client = self.script(None, answer(503, '{"error":"store-unavailable","reason":"r"}'),
                                     answer(429, "{}"), answer(200, '{"id":"x"}'))
        self.assertEqual(client.get_instance("x"), {"id": "x"})
        self.assertEqual(len(script.requests), 4)

    def test_writing_is_repeated_with_the_same_key(self):
        script, client = self.script(None, answer(429, "{}", "Retry-After: 0"), answer(201, '{"id":"x"}'))
        client.start_instance("d", {"a": 1})
        keys = {re.search("Idempotency-Key: (.*)", head).group(1) for _, head, _ in script.requests}
        self.assertEqual((len(script.requests), len(keys)), (3, 1))
        self.assertEqual(json.loads(script.requests[2][2]), {"definitionId": "d", "variables": {"a": 1}})

    def test_every_call_has_a_key_of_its_own_unless_one_is_given(self):
        script, client = self.script(*[answer(201, "{}")] * 3)
        client.start_instance("d")
        client.start_instance("d")
        client.start_instance("d", idempotency_key="mine")
        keys = [re.search("Idempotency-Key: (.*)", head).group(1).strip() for _, head, _ in script.requests]
        self.assertNotEqual(keys[0], keys[1])
        self.assertEqual(keys[2], "mine")

    def test_a_poll_is_not_repeated(self):
        script, client = self.script(None, answer(200, '{"jobs":[]}'))
        with self.assertRaises(ConnectionFailed):
            client.poll_jobs("w", ["t"])
        self.assertEqual(len(script.requests), 1)

    def test_it_gives_up_after_five_attempts(self):
        script, client = self.script(*[answer(503, '{"error":"shutting-down","reason":"bye"}')] * 9)
        with self.assertRaises(Unavailable) as caught:
            client.get_instance("x")
        self.assertEqual(caught.exception.reason, "bye")
        self.assertEqual(len(script.requests), 5)

    def test_nobody_there_is_a_connection_failure(self):
        script = Script()
        script.close()
        with Client(script.url) as client, self.assertRaises(ConnectionFailed):
            client.get_instance("x")

    def test_other_refusals_are_not_repeated(self):
        script, client = self.script(answer(500, "{}"), answer(200, "{}"))
        with self.assertRaises(ServerError):
            client.get_instance("x")
        self.assertEqual(len(script.requests), 1)


class Errors(TransportCase):
    def test_each_status_has_its_exception(self):
        table = {400: BadRequest, 401: Unauthorized, 404: NotFound, 409: Conflict, 413: LimitExceeded,
                 415: UnsupportedFormat, 422: Unprocessable, 429: Overloaded, 500: ServerError, 503: Unavailable,
                 507: StorageFull, 502: ServerError, 418: ApiError}
        for status, kind in table.items():
            script, client = self.script(*[answer(status, '{"error":"word","reason":"why"}')] * 5)
            with self.assertRaises(ApiError) as caught:
                client.get_instance("x")
            self.assertIs(type(caught.exception), kind)
            self.assertEqual((caught.exception.status, caught.exception.error, caught.exception.reason),
                             (status, "word", "why"))

    def test_a_text_that_is_not_json_is_the_reason(self):
        script, client = self.script(answer(404, "404 page not found"))
        with self.assertRaises(NotFound) as caught:
            client.get_instance("x")
        self.assertEqual(caught.exception.reason, "404 page not found")

    def test_a_good_answer_that_is_not_json_is_an_error(self):
        script, client = self.script(answer(200, "<html>"))
        with self.assertRaises(PawlError):
            client.get_instance("x")

    def test_values_that_json_does_not_have_are_refused_before_sending(self):
        script, client = self.script()
        with self.assertRaises(ValueError):
            client.start_instance("d", {"x": float("nan")})
        self.assertEqual(script.requests, [])


class EventStreams(TransportCase):
    STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

    def test_lines_become_events(self):
        text = (b": hello\n\nid: 1\nevent: start\ndata: {\"a\":\ndata: 1}\n\n"
                b"event:end\r\ndata:{}\r\n\r\nid: 9\nevent: cut\ndata: {}\n")
        events = [(event.id, event.event, event.data) for event in parse_stream(iter(text.splitlines(True)))]
        self.assertEqual(events, [("1", "start", {"a": 1}), (None, "end", {})])

    def test_a_lost_stream_is_taken_up_where_it_broke(self):
        first = self.STREAM + 'id: 1\nevent: start\ndata: {}\n\nid: 2\nevent: sig'
        second = self.STREAM + 'id: 2\nevent: signal\ndata: {}\n\nevent: end\ndata: {"status":"COMPLETED"}\n\n'
        script = Script(first.encode(), second.encode())
        script._serve = lambda connection, number, serve=script._serve: serve_one(script, connection, number, serve)
        self.addCleanup(script.close)
        with Client(script.url) as client:
            events = [event.event for event in client.events("x")]
        self.assertEqual(events, ["start", "signal", "end"])
        self.assertNotIn("Last-Event-ID", script.requests[0][1])
        self.assertIn("Last-Event-ID: 1", script.requests[1][1])

    def test_a_refused_stream_is_an_error(self):
        script, client = self.script(answer(404, '{"error":"not-found","reason":"no instance"}'))
        with self.assertRaises(NotFound):
            next(client.events("x"))


def serve_one(script, connection, number, serve):
    """One request per connection: an event stream ends with its connection."""
    rest = script.answers[1:]
    script.answers = script.answers[:1]
    serve(connection, number)
    script.answers = rest


if __name__ == "__main__":
    unittest.main()
