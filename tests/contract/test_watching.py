"""What operators look at: metrics, events, explanations, lists of jobs."""

import json
import re

from contract import TIME, Contract, cases, decide, end, fork, fresh, join, main, service, timer, transform, user, wait


class Metrics(Contract):
    def samples(self):
        found = {}
        for line in self.engine.get_of_all("/metrics"):
            match = re.match(r"^([a-zA-Z_:][\w:]*)(\{.*\})?\s+(\S+)$", line)
            if match:
                key = match.group(1) + (match.group(2) or "")
                found[key] = found.get(key, 0) + float(match.group(3))
        return found

    def total(self, name, label=""):
        return sum(value for key, value in self.samples().items() if key.split("{")[0] == name and label in key)

    def grows(self, name, act, by=1, label=""):
        before = self.total(name, label)
        act()
        self.assertEqual(self.total(name, label) - before, by, name + label)

    def test_it_is_prometheus_text(self):
        self.assertTrue(self.get("/metrics").headers["Content-Type"].startswith("text/plain"))

    @cases(("workflow_definitions_uploaded_total",), ("workflow_instances_started_total",),
           ("workflow_instances_completed_total",), ("workflow_steps_executed_total",),
           ("job_poll_latency_seconds",), ("job_lock_conflicts_total",), ("job_retries_total",),
           ("http_requests_duration_seconds",), ("engine_job_timeout_total",),
           ("engine_job_pickup_latency_seconds",), ("engine_db_transaction_duration_seconds",))
    def test_the_name_is_declared(self, name):
        self.assertIn("# TYPE " + name, self.get("/metrics").text)

    def test_uploads_are_counted(self):
        self.grows("workflow_definitions_uploaded_total", lambda: self.deploy([end()]))

    def test_starts_are_counted(self):
        name = self.deploy([user("u", "end"), end()])
        self.grows("workflow_instances_started_total", lambda: self.start(name))

    def test_ends_are_counted_by_outcome(self):
        name = self.deploy([end()])
        self.grows("workflow_instances_completed_total", lambda: self.start(name))
        before = {key for key in self.samples() if key.startswith("workflow_instances_completed_total")}
        self.assertTrue(all("outcome=" in key for key in before), before)

    def test_failures_and_cancellations_are_outcomes(self):
        failing, parked = self.deploy([decide("d", {"false": "end"}), end()]), self.deploy([user("u", "end"), end()])
        self.grows("workflow_instances_completed_total", lambda: (self.start(failing),
                                                            self.cancel(self.start(parked)["id"])), 2)

    def test_steps_are_counted_by_type(self):
        name = self.deploy([transform("t", "end", {"x": 1}), end()])
        self.grows("workflow_steps_executed_total", lambda: self.start(name), 1, 'step_type="TRANSFORMATION"')
        self.grows("workflow_steps_executed_total", lambda: self.start(name), 1, 'step_type="END"')

    def test_retries_are_counted(self):
        job = fresh("job")
        self.begin([service("a", "end", job, retryCount=1), end()])
        taken = self.take(job)
        self.grows("job_retries_total", lambda: self.fail_job(taken, retryable=True))

    def test_expired_leases_are_counted(self):
        job = fresh("job")
        self.begin([service("a", "end", job), end()])

        def expire():
            self.take(job, leaseSeconds=0.05)
            self.take(job)
        self.grows("engine_job_timeout_total", expire)

    def test_a_failure_of_a_worker_without_the_lock_is_a_conflict(self):
        job = fresh("job")
        self.begin([service("a", "end", job), end()])
        taken = self.take(job)
        self.grows("job_lock_conflicts_total", lambda: self.fail_job(taken, worker="thief"))

    def test_polls_and_pickups_are_measured(self):
        job = fresh("job")
        self.begin([service("a", "end", job), end()])
        before = self.samples()
        self.take(job)
        after = self.samples()
        for name in ("job_poll_latency_seconds_count", "engine_job_pickup_latency_seconds_count"):
            grown = [sum(value for key, value in samples.items() if key.split("{")[0] == name) for samples in (before,
                                                            after)]
            self.assertGreater(grown[1], grown[0], name)

    def test_requests_are_measured_by_route(self):
        made = self.begin([user("u", "end"), end()])
        before = self.total("http_requests_duration_seconds_count", 'path="/v1/instances/{id}"')
        self.instance(made)
        self.assertGreater(self.total("http_requests_duration_seconds_count", 'path="/v1/instances/{id}"'), before)
        keys = [key for key in self.samples() if key.startswith("http_requests_duration_seconds_count")]
        self.assertTrue(all('method="' in key and 'status="' in key for key in keys), keys[:3])
        self.assertFalse([key for key in keys if made in key])


class Events(Contract):
    def test_the_stream_of_a_finished_instance_ends(self):
        made = self.begin([transform("t", "end", {"x": 1}), end()])
        events = list(self.engine.events(made))
        self.assertEqual(events[-1][1], "end")
        self.assertEqual(json.loads(events[-1][2])["status"], "COMPLETED")
        first = json.loads(events[0][2])
        self.assertEqual((events[0][1], first["command"], int(events[0][0])), ("start", "start", first["revision"]))
        self.assertRegex(first["at"], TIME)

    def test_it_is_an_event_stream(self):
        made = self.begin([end()])
        connection = self.engine.connect()
        try:
            connection.request("GET", "/v1/instances/%s/history" % made, None, {"Accept": "text/event-stream"})
            response = connection.getresponse()
            self.assertEqual(response.status, 200)
            self.assertTrue(response.headers["Content-Type"].startswith("text/event-stream"))
            self.assertIn(b"event: end", response.read())
        finally:
            connection.close()

    def test_it_follows_what_happens(self):
        made = self.begin([wait("w", "u"), user("u", "end"), end()])
        stream = self.engine.events(made)
        names = [next(stream)[1]]
        self.signal(made, "w", {"x": 1})
        names.append(next(stream)[1])
        self.complete_task(made, "u")
        names += [event[1] for event in stream]
        self.assertEqual(names, ["start", "signal", "complete_task", "end"])

    def test_it_goes_on_behind_the_last_event(self):
        made = self.begin([wait("w", "end"), end()])
        self.signal(made, "w")
        events = list(self.engine.events(made))
        again = list(self.engine.events(made, last=events[0][0]))
        self.assertEqual([event[1] for event in again], ["signal", "end"])


class Explanations(Contract):
    def explain(self, made):
        answer = self.get("/v1/instances/%s/explain" % made).json
        self.assertEqual(answer["instance"]["id"], made)
        return {token["stepId"]: token for token in answer["tokens"]}

    def test_why_everything_waits(self):
        job = fresh("job")
        made = self.begin([fork("f", ["s", "w", "u", "t"], "j"), service("s", "j", job), wait("w", "j"),
                           user("u", "j", boundaryEvents=[timer("PT1H", "end", False)]),
                           transform("t", "j", {"x": 1}), join("j", "end"), end()])
        tokens = self.explain(made)
        self.assertEqual({name: token["state"] for name, token in tokens.items()},
                         {"s": "job", "w": "signal", "u": "person", "j": "join"})
        self.assertEqual((tokens["s"]["job"]["status"], len(tokens["u"]["timersDueAt"])), ("UNLOCKED", 1))
        for token in tokens.values():
            self.assertTrue(token["why"])
            self.assertRegex(token["since"], TIME)

    def test_who_holds_a_job(self):
        job = fresh("job")
        made = self.begin([service("s", "end", job), end()])
        self.take(job, worker="anna")
        self.until_told(made)
        held = self.explain(made)["s"]["job"]
        self.assertEqual((held["status"], held["workerId"]), ("LOCKED", "anna"))

    def test_a_finished_instance_waits_for_nothing(self):
        self.assertEqual(self.explain(self.begin([end()])), {})


class Jobs(Contract):
    def test_the_list_of_open_jobs(self):
        job = fresh("job")
        made = self.begin([service("s", "end", job, retryCount=2), end()])
        items = self.get("/v1/jobs?jobType=" + job).json["items"]
        self.assertEqual([(item["instanceId"], item["stepId"], item["status"], item["retriesRemaining"],
                           item["attempt"]) for item in items], [(made, "s", "UNLOCKED", 2, 1)])
        self.assertEqual(self.get("/v1/jobs?instanceId=" + made).json["items"], items)
        self.work(job)
        self.assertEqual(self.get("/v1/jobs?jobType=" + job).json["items"], [])


if __name__ == "__main__":
    main()
