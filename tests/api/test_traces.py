"""The trace of a run, as it is asked for. Numbers are those of the requirements in docs/traces.md."""

import json
import os
import re
import subprocess

import steps
from collector import Collector, spans_of
from functions import Reply
from graphs import edge, graph, node
from harness import BINARY, PATIENCE, Case, main
from workflows import relay, subflow

SECRET = "swordfish"


class Tracing(Case):
    def setUp(self):
        super().setUp()
        self.collector = Collector()
        self.addCleanup(self.collector.close)

    def trace(self, run, cursor=None):
        answer = self.get(f"/api/runs/{run}/trace" + (f"?cursor={cursor}" if cursor else ""))
        self.assertEqual(answer.status, 200, answer)
        self.assertNotIn(SECRET, answer.body.decode())  # T17
        return answer.json

    def spans(self, run):
        return spans_of(self.trace(run))

    def tree(self, spans):
        """The names of the spans with what they are under: order, ids and parents at once."""
        names = {span["id"]: span["name"] for span in spans}
        self.assertEqual(len(names), len(spans))  # T2
        for span in spans:
            self.assertRegex(span["trace"], "^[0-9a-f]{32}$")  # T4
            self.assertRegex(span["id"], "^(?!0{16})[0-9a-f]{16}$")
            self.assertLessEqual(span["start"], span["end"])
            self.assertEqual(span["start"] % 1000000, 0)  # T18
        self.assertEqual(len({span["trace"] for span in spans}), 1)
        return [(span["name"], names.get(span["parent"], "what is not over") if span["parent"] else None) for span in spans]

    def named(self, spans, name):
        found, = [span for span in spans if span["name"] == name]
        return found

    def start_flow(self, *nodes, edges, **more):
        name = self.fresh("flow")
        self.assertEqual(self.post("/api/workflows", graph(*nodes, edges=edges, name=name, definitionId=name)).status, 201)
        return self.post(f"/v1/definitions/{name}/instances?wait={PATIENCE}", {"variables": {"word": SECRET}, **more}).json["id"], name

    def pawl(self, *arguments, environment=None):
        return subprocess.run([BINARY, *arguments, "--server", f"http://127.0.0.1:{self.server.port}"], capture_output=True, text=True,
                              env={**os.environ, **(environment or {})}, timeout=PATIENCE)


class Traces(Tracing):
    arguments = ("--allow-private-calls",)

    def test_a_step_with_attempts(self):
        """T1, T4, T5, T6, T7, T16"""
        kind = self.fresh("kind")
        name = self.upload([steps.service("a", "end", kind, retryCount=1), steps.end()])
        run = self.start(name, {"word": SECRET}, businessKey=self.fresh(SECRET))["id"]
        self.assertEqual(self.tree(self.spans(run)), [(f"start {name}", None)])
        self.fail_job(self.take(kind), SECRET, retryable=True)
        self.complete(self.take(kind), {"word": SECRET})
        spans = self.spans(run)
        self.assertEqual(self.tree(spans), [
            (f"start {name}", None), ("a attempt 1", "a"), ("a attempt 2", "a"), ("a", f"start {name}"), ("end", f"start {name}"), (f"end {name}", f"start {name}")])
        first, second, step = (self.named(spans, word) for word in ("a attempt 1", "a attempt 2", "a"))
        self.assertEqual((first["status"], first["attributes"]["error.type"], first["kind"]), (2, "failed", 3))
        self.assertEqual((second["status"], second["attributes"]["pawl.attempt"]), (0, 2))
        self.assertEqual((step["status"], step["attributes"]["pawl.attempts"], step["attributes"]["workflow.task.type"]), (1, 2, "SERVICE_TASK"))
        self.assertEqual(step["start"], spans[0]["start"])
        self.assertEqual(spans[-1]["attributes"]["pawl.status"], "COMPLETED")
        for span in spans:
            self.assertEqual({key: span["attributes"][key] for key in ("workflow.name", "workflow.version", "workflow.run.id", "pawl.tenant")},
                             {"workflow.name": name, "workflow.version": 1, "workflow.run.id": run, "pawl.tenant": "default"})
            self.assertEqual(span["resource"], {"service.name": "pawl"})

    def test_the_called_service_is_under_the_attempt(self):
        """T1, T3, T11, T19"""
        self.collector.answer("/called", Reply(200, {"ok": True}))
        run, name = self.start_flow(node("t", "trigger_manual"), node("call", "action_http", method="GET", url=self.collector.url + "/called"),
                                    edges=[edge("t", "call")])
        spans = self.spans(run)
        self.tree(spans)
        calls = self.collector.to("/called")
        self.assertEqual(len(calls), 1)
        for number, call in enumerate(calls, 1):
            _, trace, parent, _ = call.headers["traceparent"].split("-")
            attempt = self.named(spans, f"call attempt {number}")
            self.assertEqual((trace, parent), (attempt["trace"], attempt["id"]))

    def test_waits(self):
        """T8, T22"""
        name = self.upload([steps.wait("w", "end"), steps.end()])
        run = self.start(name)["id"]
        before = self.spans(run)
        self.assertEqual(self.tree(before), [(f"start {name}", None), ("wait w", "what is not over")])
        self.assertEqual(self.post(f"/v1/instances/{run}/signals/w", {}).status, 204)
        after = self.spans(run)
        self.assertEqual([span["name"] for span in after], [f"start {name}", "wait w", "wait w", "w", "end", f"end {name}"])
        self.assertEqual(after[:2], before)
        self.assertEqual([span["attributes"].get("pawl.wait.part") for span in after[1:3]], ["begin", None])
        self.assertEqual({span["attributes"]["pawl.wait"] for span in after[1:3]}, {"signal"})
        self.assertEqual(after[1]["parent"], after[3]["id"])
        self.assertEqual((after[2]["start"], after[2]["parent"]), (after[1]["start"], after[3]["id"]))

    def test_branches_and_ends(self):
        """T9, T12, T16"""
        kinds = self.fresh("kind"), self.fresh("kind")
        name = self.upload([steps.fork("f", ["a", "b"], "j"), steps.service("a", "j", kinds[0]), steps.service("b", "j", kinds[1]), steps.join("j", "end"), steps.end()])
        run = self.start(name)["id"]
        self.fail_job(self.take(kinds[0]), SECRET)
        failed = self.spans(run)
        self.assertEqual((failed[-1]["name"], failed[-1]["status"], failed[-1]["attributes"]["pawl.status"]), (f"end {name}", 2, "FAILED"))
        self.assertNotIn("b", [span["name"] for span in failed])  # T22
        self.assertEqual(self.post(f"/v1/instances/{run}/retry", {}).status, 200)
        self.complete(self.take(kinds[1]))
        self.complete(self.take(kinds[0]))
        spans = self.spans(run)
        self.tree(spans)
        ends = [span for span in spans if span["name"] == f"end {name}"]
        self.assertEqual([span["attributes"]["pawl.status"] for span in ends], ["FAILED", "COMPLETED"])
        self.assertGreaterEqual(ends[1]["start"], ends[0]["end"])
        self.assertEqual(spans[:len(failed)], failed)

    def test_children_and_chains_link_both_ways(self):
        """T13, T14"""
        child = self.upload_workflow(relay("R"))
        parent = self.upload_workflow(subflow("S", child))
        run = self.start(parent, wait=PATIENCE)["id"]
        spans = self.spans(run)
        attempt = self.named(spans, "S attempt 1")
        (trace, start, relation), = attempt["links"]
        below = self.get(f"/api/instances/{run}").json["children"][0]["id"]
        began = self.spans(below)[0]
        self.assertEqual((trace, start, relation), (began["trace"], began["id"], "child"))
        self.assertEqual(began["links"], [(attempt["trace"], attempt["id"], "parent")])

        after = self.upload([steps.end()])
        before = self.start(self.upload([steps.end()], autoStartNextWorkflow=True, nextWorkflowId=after), wait=PATIENCE)["id"]
        last = self.spans(before)[-1]
        (trace, start, relation), = last["links"]
        following = self.get(f"/api/instances/{before}").json["chainedTo"]["id"]
        began = self.spans(following)[0]
        self.assertEqual((trace, start, relation), (began["trace"], began["id"], "chained to"))
        self.assertEqual(began["links"], [(last["trace"], self.spans(before)[0]["id"], "chained from")])

    def test_a_run_that_was_purged_is_linked_by_nobody(self):
        """T15"""
        after = self.upload([steps.end()])
        name = self.fresh("flow")
        document = graph(node("t", "trigger_manual"), node("next", "continue_as", definition=after), edges=[edge("t", "next")], name=name, definitionId=name,
                         settings={"retentionPeriod": "PT1S"})
        self.assertEqual(self.post("/api/workflows", document).status, 201)
        before = self.start(name, wait=PATIENCE)["id"]
        following = self.get(f"/api/instances/{before}").json["chainedTo"]["id"]
        self.until(lambda: self.get(f"/api/runs/{before}").status == 404)
        self.assertEqual(self.spans(following)[0]["links"], [])

    def test_a_loop_is_under_its_step(self):
        """T10, T11"""
        run, name = self.start_flow(
            node("t", "trigger_manual"), node("loop", "for_each", items=[1, 2]), node("s", "set_variables", parent="loop", values={"x": 1}),
            edges=[edge("t", "loop"), edge("loop", "s", "body")])
        self.assertEqual(sorted(self.tree(self.spans(run)), key=str), sorted([
            (f"start {name}", None), ("t", f"start {name}"), ("s", "loop"), ("s", "loop"), ("loop", f"start {name}"), (f"end {name}", f"start {name}")], key=str))

    def test_other_families_have_traces(self):
        """T19"""
        name = self.upload_workflow(relay("A", {"x": SECRET}, "B"), relay("B"))
        run = self.start(name, wait=PATIENCE)["id"]
        spans = self.spans(run)
        self.assertEqual(self.tree(spans), [(f"start {name}", None), ("A", f"start {name}"), ("B", f"start {name}"), (f"end {name}", f"start {name}")])
        self.assertEqual({span["attributes"]["pawl.dialect"] for span in spans}, {self.get(f"/api/instances/{run}").json["dialect"]})

    def test_wrong_cursors(self):
        run = self.start(self.upload([steps.end()]))["id"]
        answer = self.get(f"/api/runs/{run}/trace?cursor=1")
        self.assertEqual((answer.status, spans_of(answer.json)), (200, []))
        for cursor in ("0", "x", "-1", "99999999999"):
            self.assertEqual(self.get(f"/api/runs/{run}/trace?cursor={cursor}").status, 400)

    def test_who_may_not_read_the_run(self):
        """T20"""
        self.assertEqual(self.get("/api/runs/01M7NVKMRH00000005W0000000/trace").status, 404)
        self.assertEqual(self.get("/api/runs/nothing/trace").status, 404)

    def test_the_command_prints_and_sends(self):
        """T2, T23"""
        name = self.upload([steps.wait("w", "end"), steps.end()])
        run = self.start(name)["id"]
        spans = self.spans(run)
        shown = self.pawl("trace", run)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn(spans[0]["trace"], shown.stdout)
        self.assertRegex(shown.stdout, rf"start {re.escape(name)} .*{spans[0]['id']}")
        self.assertEqual(spans_of(json.loads(self.pawl("trace", run, "--json").stdout)), spans)
        sent = self.pawl("trace", run, "--to", self.collector.url, environment={"OTEL_EXPORTER_OTLP_HEADERS": "x-key=k1, x-other=b"})
        self.assertEqual((sent.returncode, sent.stderr), (0, ""))
        self.assertIn("2 spans were sent", sent.stdout)
        self.assertEqual(self.collector.spans(), spans)
        call, = self.collector.to("/v1/traces")
        self.assertEqual((call.headers["x-key"], call.headers["x-other"]), ("k1", "b"))

    def test_a_collector_that_refuses(self):
        run = self.start(self.upload([steps.wait("w", "end"), steps.end()]))["id"]
        self.collector.answer("/v1/traces", Reply(401, {"message": "who are you"}))
        sent = self.pawl("trace", run, "--to", self.collector.url)
        self.assertNotEqual(sent.returncode, 0)
        self.assertIn("the collector answered 401", sent.stderr)
        self.assertNotEqual(self.pawl("trace", run, "--to", "nowhere").returncode, 0)


class Parts(Tracing):
    """Answers are small here."""
    arguments = ("--limit", "answer_bytes_max=65536")

    def test_parts_have_no_gap(self):
        """T21"""
        name = self.upload([steps.wait("w", "v"), {"id": "v", "name": "v", "type": "WAIT", "conditionalNextSteps": {"last": "end", "!last": "w"}}, steps.end()])
        run = self.start(name, {"last": False})["id"]
        for number in range(60):
            self.assertEqual(self.post(f"/v1/instances/{run}/signals/{'vw'[number % 2 == 0]}", {}).status, 204)
        spans, cursor, parts = [], None, 0
        while True:
            part = self.trace(run, cursor)
            spans += spans_of(part)
            parts += 1
            cursor = part.get("nextCursor")
            if not cursor:
                break
        self.assertGreater(parts, 1)
        self.tree(spans)
        self.assertEqual([span["name"] for span in spans if span["attributes"].get("pawl.wait.part") == "begin"], [f"wait {'wv'[number % 2]}" for number in range(61)])
        sent = self.pawl("trace", run, "--to", self.collector.url)
        self.assertIn(f"{len(spans)} spans were sent", sent.stdout)
        self.assertEqual(self.collector.spans(), spans)
        self.assertEqual(len(self.collector.messages()), parts)


if __name__ == "__main__":
    main()
