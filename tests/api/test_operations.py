"""Probes, metrics, the contract itself, and stopping."""

import os
import re
import threading

from harness import CONTRACT, PATIENCE, ROOT, Case, Client, Server, main, validate
from steps import end, person, service, wait

LABEL = r'[a-zA-Z_]+="(?:[^"\\\n]|\\["\\n])*"'
SERIES = re.compile(rf'^([a-z_]+)(\{{{LABEL}(,{LABEL})*\}})? (-?[0-9.e+-]+|\+Inf)$')


class Probes(Case):
    def test_they_answer(self):
        answer = self.get("/healthz")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(self.get("/livez").json, {"status": "alive"})
        self.assertEqual(self.get("/readyz").json, {"status": "ready"})


class Metrics(Case):
    def test_the_text_is_well_formed(self):
        self.get("/nowhere")
        typed = {}
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                self.assertNotIn(name, typed)
                typed[name] = kind
            elif not line.startswith("# HELP "):
                match = SERIES.match(line)
                self.assertTrue(match, line)
                name = match[1]
                self.assertTrue(name in typed or re.sub("_(bucket|sum|count)$", "", name) in typed, line)
        for name in ("workflow_definitions_uploaded_total", "workflow_instances_started_total", "workflow_instances_completed_total",
                     "workflow_steps_executed_total", "job_poll_latency_seconds", "job_lock_conflicts_total", "job_retries_total",
                     "http_requests_duration_seconds", "engine_db_transaction_duration_seconds", "engine_job_timeout_total",
                     "engine_job_pickup_latency_seconds", "process_resident_memory_bytes", "process_cpu_seconds_total", "pawl_build_info"):
            self.assertIn(name, typed)

    def test_they_count(self):
        names = {
            "workflow_definitions_uploaded_total": 1, "workflow_instances_started_total": 3, "pawl_jobs_polled_total": 2, "job_retries_total": 1,
            'workflow_instances_completed_total{outcome="COMPLETED"}': 1, 'workflow_instances_completed_total{outcome="FAILED"}': 0,
            'workflow_instances_completed_total{outcome="CANCELLED"}': 1, 'workflow_steps_executed_total{step_type="SERVICE_TASK"}': 3,
            'workflow_steps_executed_total{step_type="END"}': 1, "engine_job_pickup_latency_seconds_count": 2,
        }
        before = {name: self.metric(name) for name in names}
        kind = self.fresh()
        name = self.upload([service("s", "end", kind, retryCount=1), end()])
        self.start(name)
        self.fail_job(self.take(kind), retryable=True)
        self.complete(self.take(kind))
        for _ in range(2):
            got = self.start(name)["id"]
        self.post(f"/v1/instances/{got}/cancel")
        self.assertEqual({name: self.metric(name) - before[name] for name in names}, names)

    def test_runs_are_counted_by_definition(self):
        name = self.upload([service("work", "end", job_type="by-definition"), end()])
        label = f'tenant="default",definition="{name}"'
        got = [self.start(name)["id"] for _ in range(3)]
        self.post(f"/v1/instances/{got[0]}/cancel")
        self.assertEqual(self.metric(f"pawl_definition_started_total{{{label}}}"), 3)
        self.assertEqual(self.metric(f'pawl_definition_ended_total{{{label},outcome="CANCELLED"}}'), 1)
        self.assertEqual(self.metric(f'pawl_definition_ended_total{{{label},outcome="FAILED"}}'), 0)
        self.assertEqual(self.metric(f"pawl_definition_duration_seconds_count{{{label}}}"), 1)
        self.assertEqual(self.metric(f'pawl_definition_duration_seconds_bucket{{{label},le="+Inf"}}'), 1)

    def test_jobs_are_counted_by_type(self):
        """A type that no worker asks for is told apart from one that is polled: PawlNoWorkers looks at these numbers."""
        polled, unpolled = self.fresh(), self.fresh()
        self.start(self.upload([service("a", "end", job_type=polled), end()]))
        self.start(self.upload([service("b", "end", job_type=unpolled), end()]))
        self.assertEqual(self.metric(f'pawl_job_type_polled_timestamp_seconds{{tenant="default",type="{polled}"}}'), 0)
        job = self.take(polled)
        for name, type, value in (("ready", polled, 0), ("leased", polled, 1), ("ready", unpolled, 1), ("leased", unpolled, 0), ("done_total", polled, 0)):
            self.assertEqual(self.metric(f'pawl_job_type_{name}{{tenant="default",type="{type}"}}'), value, (name, type))
        self.assertGreater(self.metric(f'pawl_job_type_polled_timestamp_seconds{{tenant="default",type="{polled}"}}'), 1e9)
        self.assertEqual(self.metric(f'pawl_job_type_polled_timestamp_seconds{{tenant="default",type="{unpolled}"}}'), 0)
        self.assertGreaterEqual(self.metric(f'pawl_job_type_oldest_seconds{{tenant="default",type="{unpolled}"}}'), 0)
        self.complete(job)
        self.assertEqual(self.metric(f'pawl_job_type_done_total{{tenant="default",type="{polled}"}}'), 1)
        self.assertEqual(self.metric(f'pawl_job_type_duration_seconds_count{{tenant="default",type="{polled}"}}'), 1)

    def test_requests_are_counted_by_route(self):
        series = 'http_requests_duration_seconds_count{method="GET",path="/v1/instances/{id}",status="404"}'
        before = self.metric(series)
        for name in ("x", "y", "z"):
            self.get(f"/v1/instances/{name}")
        self.assertEqual(self.metric(series), before + 3)
        text = self.get("/metrics").body.decode()
        self.assertNotIn("/v1/instances/x", text)
        self.get("/nowhere")
        self.assertGreaterEqual(self.metric('http_requests_duration_seconds_count{method="GET",path="unknown",status="404"}'), 1)

    def test_buckets_add_up(self):
        self.get("/healthz")
        text = self.get("/metrics").body.decode()
        for name in ("job_poll_latency_seconds", "pawl_batch_calls", "engine_db_transaction_duration_seconds"):
            counts = [float(n) for n in re.findall(rf'^{name}_bucket{{le="[^"]+"}} (\S+)$', text, re.M)]
            self.assertEqual(counts, sorted(counts))
            self.assertEqual(counts[-1], float(re.search(rf"^{name}_count (\S+)$", text, re.M)[1]))

    def test_gauges_of_the_store_and_the_process(self):
        name = self.upload([person("p", "end"), end()])
        before = self.metric("pawl_user_tasks"), self.metric('pawl_instances{status="WAITING"}')
        self.start(name)
        self.assertEqual((self.metric("pawl_user_tasks"), self.metric('pawl_instances{status="WAITING"}')), (before[0] + 1, before[1] + 1))
        self.assertGreater(self.metric("process_resident_memory_bytes"), 1e6)
        self.assertGreater(self.metric("pawl_store_bytes"), 0)


class Contract(Case):
    def test_it_is_served_as_it_is(self):
        self.assertEqual(self.get("/openapi.json").json, CONTRACT)

    def test_schemas_are_served_as_they_are_in_the_tree(self):
        for name in ("steps", "serverless", "graph", "scenario"):
            answer = self.get(f"/schemas/{name}.json")
            self.assertEqual((answer.status, answer.type), (200, "application/schema+json"))
            with open(os.path.join(ROOT, "contract", "schema", name + ".schema.json"), "rb") as file:
                self.assertEqual(answer.body, file.read())
        answer = self.get("/schemas/nothing.json")
        self.assertEqual(answer.status, 404)
        self.assertIn("scenario.json", answer.json["reason"])

    def test_its_examples_fit_its_schemas(self):
        def walk(node):
            if isinstance(node, dict):
                if "example" in node and "schema" in node and "in" not in node:
                    validate(node["example"], node["schema"])
                for child in node.values():
                    walk(child)
            elif isinstance(node, list):
                for child in node:
                    walk(child)
        walk(CONTRACT)


class Stopping(Case):
    def test_waiting_clients_are_answered_when_the_engine_stops(self):
        server = Server()
        client = Client(server)
        client.post("/v1/definitions", {"id": "f", "name": "f", "steps": [wait("w", "end"), end()]})
        poll = client.later("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["x"], "waitSeconds": PATIENCE})
        start = client.later(f"/v1/instances?wait={PATIENCE}", {"definitionId": "f"})
        self.client = client

        def both_wait():
            self.move_on()
            return client.get("/v1/instances").json["total"] == 1 and "\npawl_polls_waiting 1\n" in client.get("/metrics").body.decode()
        self.until(both_wait)
        client.close()
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        answers = [poll(), start()]
        stopping.join()
        self.assertEqual((answers[0].status, answers[0].json), (200, {"jobs": []}))
        self.assertEqual((answers[1].status, answers[1].json["status"]), (201, "WAITING"))


if __name__ == "__main__":
    main()
