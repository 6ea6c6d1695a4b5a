"""Live views: the event stream, and why an instance waits."""

from harness import Case, Events, main, validate_named
from steps import decide, end, fork, join, person, service, timer, transform, wait


class Streams(Case):
    arguments = ("--cors-origin", "http://a.example")

    def test_one_event_per_command_and_then_the_end(self):
        kind = self.fresh()
        got = self.start(self.upload([service("s", "p", kind), person("p", "end"), end()]), {"a": 1})
        with Events(self.server, got["id"]) as events:
            self.assertEqual((events.response.status, events.response.headers["Content-Type"]), (200, "text/event-stream"))
            first = events.next()
            self.assertEqual(first[:2], ("1", "start"))
            self.complete(self.take(kind), {"b": 2})
            second = events.next()
            self.assertEqual((second[:2], second[2]["actor"]), (("2", "complete_job"), "w"))
            self.post(f"/v1/instances/{got['id']}/user-tasks/p/complete", {"workerId": "erika"})
            rest = events.all()
        self.assertEqual([(e[0], e[1]) for e in rest], [("3", "complete_task"), (None, "end")])
        self.assertEqual(rest[-1][2], {"status": "COMPLETED"})
        for number, _, data in (first, second, rest[0]):
            validate_named(data, "InstanceEvent")
            self.assertEqual(data["revision"], int(number))

    def test_entries_say_what_changed(self):
        got = self.start(self.upload([transform("t", "w", {"b": 2}), wait("w", "end", boundaryEvents=[timer("PT1H", "end")]), end()]), {"a": 1})
        with Events(self.server, got["id"]) as events:
            entries = events.next()[2]["entries"]
        kinds = [entry["kind"] for entry in entries]
        self.assertEqual([entry["stepId"] for entry in entries if entry["kind"] == "enter"], ["t", "w"])
        self.assertIn({"b": 2}, [entry.get("data") for entry in entries if entry["kind"] == "data"])
        self.assertIn("signal", [entry.get("value") for entry in entries if entry["kind"] == "park"])
        self.assertIn("timer_open", kinds)
        self.assertIn("WAITING", [entry.get("value") for entry in entries if entry["kind"] == "status"])

    def test_going_on_behind_the_last_event(self):
        name = self.upload([wait("a", "b"), wait("b", "end"), end()])
        got = self.start(name)["id"]
        for step in ("a", "b"):
            self.post(f"/v1/instances/{got}/signals/{step}")
        for last, want in ((None, ["1", "2", "3", None]), (1, ["2", "3", None]), (2, ["3", None]), (3, [None]), ("x", ["1", "2", "3", None]),
                           (99, [None])):
            with Events(self.server, got, last) as events:
                self.assertEqual([event[0] for event in events.all()], want, last)

    def test_by_the_accept_header_of_history(self):
        got = self.start(self.upload([end()]))["id"]
        with Events(self.server, got, path="history") as events:
            self.assertEqual([event[1] for event in events.all()], ["start", "end"])

    def test_failed_and_cancelled_instances_end_the_stream_too(self):
        failed = self.start(self.upload([decide("d", {"false": "end"}), end()]))["id"]
        with Events(self.server, failed) as events:
            self.assertEqual(events.all()[-1][2], {"status": "FAILED"})
        live = self.start(self.upload([wait("w", "end"), end()]))["id"]
        with Events(self.server, live) as events:
            events.next()
            self.post(f"/v1/instances/{live}/cancel", {"reason": "r"})
            self.assertEqual([(e[1], e[2].get("status")) for e in events.all()], [("cancel", None), ("end", "CANCELLED")])

    def test_several_watchers(self):
        got = self.start(self.upload([wait("w", "end"), end()]))["id"]
        with Events(self.server, got) as one, Events(self.server, got) as two:
            one.next(), two.next()
            self.post(f"/v1/instances/{got}/signals/w")
            self.assertEqual(one.all(), two.all())

    def test_a_watcher_that_leaves_disturbs_nobody(self):
        got = self.start(self.upload([wait("w", "end"), end()]))["id"]
        with Events(self.server, got) as events:
            events.next()
        self.assertEqual(self.post(f"/v1/instances/{got}/signals/w").status, 204)
        self.assertEqual(self.instance(got)["status"], "COMPLETED")

    def test_head_and_cross_origin(self):
        got = self.start(self.upload([wait("w", "end"), end()]))["id"]
        answer = self.client.request("HEAD", f"/v1/instances/{got}/events")
        self.assertEqual((answer.status, answer.type, answer.body), (200, "text/event-stream", b""))
        with Events(self.server, got, headers={"Origin": "http://a.example"}) as events:
            self.assertEqual(events.response.headers["Access-Control-Allow-Origin"], "http://a.example")

    def test_the_engine_stops_although_somebody_watches(self):
        """The module's end stops the engine in order; this stream is still open then."""
        got = self.start(self.upload([wait("w", "end"), end()]))["id"]
        events = Events(self.server, got)
        events.next()
        type(self).addClassCleanup(events.__exit__)


class Explaining(Case):
    def explain(self, instance_id):
        return self.get(f"/v1/instances/{instance_id}/explain").json

    def test_every_point_of_execution_says_what_it_waits_for(self):
        kind = self.fresh()
        name = self.upload([fork("f", ["s", "p", "w", "t"], "j"), service("s", "j", kind, retryCount=2), person("p", "j"), wait("w", "j"),
                            transform("t", "j", {"a": 1}), join("j", "end"), end()])
        got = self.start(name)
        self.take(kind, worker="holder")
        self.told(got["id"])
        answer = self.explain(got["id"])
        tokens = {token["stepId"]: token for token in answer["tokens"]}
        self.assertEqual(answer["instance"]["id"], got["id"])
        self.assertEqual({step: token["state"] for step, token in tokens.items()}, {"s": "job", "p": "person", "w": "signal", "j": "join"})
        self.assertIn(kind, tokens["s"]["why"])
        self.assertEqual((tokens["s"]["job"]["status"], tokens["s"]["job"]["workerId"]), ("LOCKED", "holder"))
        self.assertNotIn("job", tokens["p"])
        self.assertEqual(tokens["s"]["stepExecutionId"], tokens["s"]["job"]["stepExecutionId"])

    def test_a_failed_step_says_so(self):
        token, = self.explain(self.start(self.upload([decide("d", {"false": "end"}), end()]))["id"])["tokens"]
        self.assertEqual((token["stepId"], token["state"], token["stepType"]), ("d", "failed", "DECISION"))

    def test_an_ended_instance_has_nothing_to_explain(self):
        self.assertEqual(self.explain(self.start(self.upload([end()]))["id"])["tokens"], [])


if __name__ == "__main__":
    main()
