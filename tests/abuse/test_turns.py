"""Expensive commands, events for very many, families without end: others are served meanwhile."""

import http.client
import json
import select
import signal
import subprocess
import threading
import unittest

from abuse import AbuseCase, MIB, PATIENCE, Server, main
from steps import decide, end, service, transform, wait


def counting(max_name="max"):
    """A loop that costs what the variable says; about 5 µs for each round."""
    return [transform("count", "again", {f"v{i}": "${n + 1}" for i in range(50)} | {"n": "${n + 1}"}),
            decide("again", {f"n < {max_name}": "count", "true": "end"}), end()]


DEAR = {"n": 0, "max": 3000}  # Near the budget of one command.


class Expensive(AbuseCase):
    def post_many(self, count, path, body):
        """Sends the request on so many connections at once; returns the threads and the list of answers."""
        answers = []

        def send():
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE * 4)
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            answers.append((response.status, response.read()))
            connection.close()
        threads = [threading.Thread(target=send) for _ in range(count)]
        for thread in threads:
            thread.start()
        return threads, answers

    def test_an_unrelated_start_does_not_wait_for_expensive_ones(self):
        dear, cheap = self.upload(counting()), self.upload([end()])
        self.start(cheap)
        self.start(dear, DEAR)
        threads, answers = self.post_many(20, "/v1/instances", {"definitionId": dear, "variables": DEAR})
        self.until(lambda: self.metric("pawl_calls_deferred") > 5 or len(answers) == 20)
        before = len(answers)
        self.start(cheap)
        self.assertLess(len(answers) - before, 8, "the cheap start waited for expensive ones")
        for thread in threads:
            thread.join()
        self.assertEqual([status for status, _ in answers], [201] * 20)
        self.assert_memory(512 * MIB)

    def test_a_timer_into_an_expensive_loop(self):
        steps = [dict(wait("w", "count"), boundaryEvents=[
            {"type": "TIMER", "duration": "PT0.05S", "interrupting": True, "targetStepId": "count"}])]
        steps += [transform("count", "again", {f"v{i}": "${n + 1}" for i in range(2000)}),
                  decide("again", {"n < 1000000": "count", "true": "end"}), end()]
        got = self.start(self.upload(steps), {"n": 0})["id"]
        self.until(lambda: self.instance(got)["status"] == "FAILED")
        self.assertIn("command_fuel_max", self.instance(got)["failureReason"])
        self.assertEqual(self.get("/readyz").status, 200)
        step = [item["stepId"] for item in self.history(got) if item["status"] == "FAILED"][-1]
        answer = self.post(f"/v1/instances/{got}/steps/{step}/retry", {"variables": {"n": 1000000}})
        self.assertEqual(answer.json["status"], "COMPLETED", answer)


    def test_regions_that_copy_large_data(self):
        """Each of 200 branches would have its own copy of the variables, in the state and in the history."""
        branches = [{"name": f"b{i}", "startsAt": f"S{i}", "waitForCompletion": True,
                     "states": [{"name": f"S{i}", "type": "DELAY", "timeDelay": "PT1H", "end": True}]} for i in range(200)]
        name = self.upload_workflow({"name": "P", "type": "PARALLEL", "branches": branches, "end": True})
        got = self.start(name, {"x": "y" * 700000})
        self.assertEqual(got["status"], "FAILED")
        self.assertIn("step_bytes_max", json.dumps({**got, "variables": None}))
        self.assertEqual(self.start(name, {"x": "y" * 100000})["status"], "ACTIVE")
        self.assert_memory(512 * MIB)


class Events(AbuseCase):
    arguments = ("--limit", "turn_fuel_max=100000")  # What thousands of instances are to a larger turn.

    def event(self, number):
        return {"specversion": "1.0", "id": str(number), "source": "/bells", "type": "bell"}

    def upload_crowd(self):
        return self.upload_workflow(
            {"name": "Wait", "type": "EVENT", "end": True,
             "eventActions": [{"condition": "bell and never", "actions": []}]},
            triggers=[{"name": name, "source": "/bells", "type": name} for name in ("bell", "never")])

    def test_a_batch_for_many_instances(self):
        crowd, cheap = self.upload_crowd(), self.upload([end()])
        instances, events = 300, 40
        for _ in range(instances):
            self.start(crowd)
        self.start(cheap)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE * 4)
        connection.request("POST", "/v1/events", json.dumps([self.event(i) for i in range(events)]),
                           {"Content-Type": "application/cloudevents-batch+json"})
        self.until(lambda: self.metric("pawl_calls_deferred") > 0)
        self.start(cheap)
        self.assertFalse(select.select([connection.sock], [], [], 0)[0], "the start waited for the events")
        response = connection.getresponse()
        items = json.loads(response.read())["events"]
        connection.close()
        self.assertEqual(len(items), events)
        for item in items:
            self.assertEqual((item["outcome"], item["instanceCount"]), ("delivered", instances), item)
        self.assert_memory(512 * MIB)


class Families(AbuseCase):
    arguments = ("--limit", "family_starts_max=20000")

    def test_a_family_that_grows_tenfold_is_cancelled(self):
        name = self.fresh("tenfold")
        branch = [{"name": f"b{i}", "startsAt": f"S{i}", "waitForCompletion": True,
                   "states": [{"name": f"S{i}", "type": "SUBFLOW", "workflowId": name, "waitForCompletion": True, "end": True}]}
                  for i in range(10)]
        self.post("/v1/definitions", {"id": name, "name": name, "startsAt": "P",
                                      "states": [{"name": "P", "type": "PARALLEL", "branches": branch, "end": True}]})
        top = self.start(name)["id"]
        self.until(lambda: self.metric("workflow_instances_started_total") > 300)
        self.assertEqual(self.post(f"/v1/instances/{top}/cancel", {}).status, 200)
        started = self.metric("workflow_instances_started_total")
        self.until(lambda: self.get(f"/v1/instances?definitionId={name}&status=ACTIVE&pageSize=1").json["total"] == 0)
        self.assertLess(self.metric("workflow_instances_started_total"), started + 2000)


class Hanging(unittest.TestCase):
    """A command without a budget, which only an operator can allow, hangs the engine."""

    def test_readyz_tells_and_sigterm_ends_it(self):
        limits = ("command_fuel_max=1000000000000", "fuel_max=1000000000000", "step_bytes_max=4000000000")
        server = Server([word for limit in limits for word in ("--limit", limit)])
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)

        def ask(method, path, body=None):
            connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        endless = "count(a, count(a, count(a, # > 5) > 0) > 0) > 0"
        steps = [service("s", "d", "go"), decide("d", {endless: "end", "true": "end"}), end()]
        self.assertEqual(ask("POST", "/v1/definitions", {"id": "x", "name": "x", "steps": steps})[0], 201)
        self.assertEqual(ask("POST", "/v1/instances", {"definitionId": "x", "variables": {"a": list(range(5000))}})[0], 201)
        job = json.loads(ask("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["go"]})[1])["jobs"][0]["id"]
        other = http.client.HTTPConnection("127.0.0.1", server.port)
        other.request("POST", f"/v1/jobs/{job}/complete", json.dumps({"workerId": "w"}), {"Content-Type": "application/json"})
        status = 200
        while status == 200:
            status, body = ask("GET", "/readyz")
        self.assertEqual(status, 503)
        self.assertIn(b"busy with one turn", body)
        self.assertEqual(ask("GET", "/livez")[0], 200)
        server.process.send_signal(signal.SIGTERM)
        try:
            self.assertEqual(server.process.wait(PATIENCE), 1)
            self.assertIn("stopped where it stands", server.log())
            self.assertIn("; a turn of the engine, for so many milliseconds (", server.log())
        except subprocess.TimeoutExpired:
            self.fail("SIGTERM does not end it")
        finally:
            other.close()
            connection.close()
            server.kill()


if __name__ == "__main__":
    main()
