"""The second part of work.py: what the store keeps around the runs, such as locks, keys, tenants, secrets, bulks and searches."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))
import entities
from functions import Functions, Reply
from graphs import edge, graph, node
from harness import PATIENCE
from steps import end as last
from steps import service, wait
from work import piece

ACME = {"X-Pawl-Tenant": "acme"}


def until(holds):
    """Asks again until the engine has got there; each question is a request."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "the engine does not get there"


# ---- runs that others keep from going on ----


@piece
class LockWaits:
    """One run holds the lock, another one waits for it."""
    family = "graph"

    def begin(engine):
        engine.publish("locked", {**node("ask", "human_task", title="Ask"), "lock": "the-press"}, edges=[edge("t", "ask")])
        return {"runs": [engine.start("locked") for _ in range(2)]}

    def end(engine, runs):
        (lock,) = engine.done("GET", "/api/locks?name=the-press")["items"]
        engine.assertEqual([[seat["instanceId"] for seat in lock[word]] for word in ("holders", "waiters")], [runs[:1], runs[1:]])
        for run in runs:
            until(lambda: engine.done("GET", f"/api/tasks?instanceId={run}")["items"])
            engine.done("POST", f"/api/workflows/{run}/resume", {"decision": "done"})
            engine.ends(run)


@piece
class Queued:
    """A start waits for a place."""
    family = "graph"

    def begin(engine):
        engine.publish("narrow", node("ask", "human_task", title="Ask"), edges=[edge("t", "ask")], maxActiveInstances=1, overflowPolicy="Queue")
        first = engine.start("narrow")
        engine.assertEqual(engine.done("POST", "/api/workflows/narrow/start", {"input": {"n": 1}, "businessKey": "second"})["outcome"], "queued")
        return {"first": first}

    def end(engine, first):
        engine.done("POST", f"/v1/instances/{first}/cancel", {})
        until(lambda: engine.done("GET", "/v1/instances?definitionId=narrow&businessKey=second")["items"])
        (second,) = engine.done("GET", "/v1/instances?definitionId=narrow&businessKey=second")["items"]
        engine.done("POST", f"/api/workflows/{second['id']}/resume", {"decision": "done"})
        engine.ends(second["id"])


@piece
class Early:
    """A callback came before its run. The same callback, sent again, counts once."""
    family = "graph"
    TRIGGERS = [{"id": "order", "type": "http", "path": "/early", "correlationExpression": "$.body.no"},
                {"id": "done", "type": "http", "path": "/early-done", "correlationExpression": "$.body.no", "onMatch": "MapOrDiscard"}]

    def call(engine):
        return engine.done("POST", "/hooks/early-done", {"no": "A", "n": 1}, {"Idempotency-Key": "early-1"})

    def begin(engine):
        engine.done("POST", "/api/workflows", graph(
            node("ask", "human_task", title="Ask"), node("wait", "wait_event", trigger="done"), node("z", "end", result={"n": "{{ nodes.wait.payload.n }}"}),
            edges=[edge("order", "ask"), edge("ask", "wait"), edge("wait", "z")], name="early", definitionId="early", triggers=Early.TRIGGERS))
        engine.assertEqual(Early.call(engine)["outcome"], "discarded")
        return {}

    def end(engine):
        # An early callback is kept for an hour. In an older store it has expired, and this one takes its place.
        engine.assertIn(Early.call(engine)["outcome"], ("duplicate", "discarded"))
        run = engine.done("POST", "/hooks/early", {"no": "A"})["instanceId"]
        until(lambda: "pendingArrivals" in engine.done("GET", f"/api/runs/{run}"))
        engine.done("POST", f"/api/workflows/{run}/resume", {"decision": "done"})
        engine.ends(run)
        engine.assertEqual(engine.done("GET", f"/api/runs/{run}")["result"], {"n": 1})


@piece
class PausedTrigger:
    family = "graph"

    def begin(engine):
        engine.done("POST", "/api/workflows", graph(node("h", "trigger_webhook", path="/paused"), node("z", "end"), edges=[edge("h", "z")], name="paused", definitionId="paused"))
        engine.done("POST", "/api/triggers/paused/h/pause", {"reason": "repairs"})
        return {}

    def end(engine):
        engine.assertEqual(engine.ask("POST", "/hooks/paused", {}).status, 503)
        engine.done("POST", "/api/triggers/paused/h/resume")
        engine.assertEqual(engine.done("POST", "/hooks/paused", {})["outcome"], "created")


@piece
class Saga:
    """A call has been made. When the next one fails, it is undone."""
    family = "graph"

    def begin(engine):
        functions = Functions()
        functions.answer("/book", Reply(200, {"ref": "H1"}))
        engine.publish("saga", {**node("book", "action_http", method="POST", url="{{ trigger.payload.url }}/book"),
                                "compensation": {"type": "action_http", "config": {"method": "POST", "url": "{{ __resume.url }}/undo", "body": {"ref": "{{ self.output.body.ref }}"}}}},
                       node("ask", "human_task", title="Where?"), node("pay", "action_http", method="POST", url="{{ __resume.url }}/pay"),
                       edges=[edge("t", "book"), edge("book", "ask"), edge("ask", "pay")], onFailure="compensate")
        run = engine.start("saga", variables={"url": functions.url})
        until(lambda: engine.done("GET", f"/api/tasks?instanceId={run}")["items"])
        functions.close()
        return {"run": run}

    def end(engine, run):
        functions = Functions()
        functions.answer("/pay", Reply(402))
        functions.answer("/undo", Reply(200))
        engine.done("POST", f"/api/workflows/{run}/resume", {"decision": "done", "url": functions.url})
        engine.ends(run, "FAILED")
        engine.assertEqual([json.loads(call.body) for call in functions.wait("/undo", 1)], [{"ref": "H1"}])
        functions.close()


# ---- definitions ----


@piece
class Retired:
    """It starts nothing any more; a run of it goes on."""
    family = "steps"

    def begin(engine):
        engine.define("retired", wait("w", "end"))
        run = engine.start("retired")
        engine.done("POST", "/api/definitions/retired/retire")
        return {"run": run}

    def end(engine, run):
        engine.assertEqual(engine.ask("POST", "/v1/instances", {"definitionId": "retired"}).status, 409)
        engine.done("POST", f"/v1/instances/{run}/signals/w", {})
        engine.ends(run)


@piece
class Moved:
    """A bulk has moved two runs to the second version."""
    family = "steps"

    def begin(engine):
        engine.define("moved", wait("ask", "end"))
        runs = [engine.start("moved") for _ in range(2)]
        engine.define("moved", wait("ask", "more"), wait("more", "end"))
        bulk = engine.done("POST", "/api/migrations", {"definitionId": "moved", "from": 1, "to": 2})["id"]
        until(lambda: engine.done("GET", f"/v1/bulk/{bulk}")["state"] == "done")
        return {"runs": runs, "bulk": bulk}

    def end(engine, runs, bulk):
        engine.assertEqual(engine.done("GET", f"/v1/bulk/{bulk}")["succeeded"], 2)
        engine.assertEqual([item["instanceId"] for item in engine.done("GET", f"/v1/bulk/{bulk}/results")["items"]], runs)
        for run in runs:
            engine.done("POST", f"/v1/instances/{run}/signals/ask", {})
            engine.done("POST", f"/v1/instances/{run}/signals/more", {})
            engine.ends(run)


@piece
class Tested:
    """A run that is a test is still one."""
    family = "steps"

    def begin(engine):
        engine.define("tested", wait("w", "end"))
        run = engine.start("tested", isTest=True)
        return {"run": run}

    def end(engine, run):
        engine.assertIs(engine.ends(run)["isTest"], True)


# ---- entities ----


@piece
class Unique:
    """A unique key, an index, and a search that has found its entities."""
    family = "entity"

    def begin(engine):
        engine.done("POST", "/api/model/import/JSON/SAMPLE_DATA/guest/1", entities.SAMPLE)
        engine.done("PUT", "/api/model/guest/1/unique-keys", {"uniqueKeys": [{"id": "customer", "fields": ["$.customer"]}]})
        engine.done("PUT", "/api/model/guest/1/indexes", {"fields": ["$.amount"]})
        engine.done("PUT", "/api/model/guest/1/lock")
        entity = engine.done("POST", "/api/entity/JSON/guest/1", entities.SAMPLE)[0]["entityIds"][0]
        job = engine.done("POST", "/api/search/async/guest/1", entities.above(5))
        until(lambda: engine.done("GET", f"/api/search/async/{job}/status")["searchJobStatus"] == "SUCCESSFUL")
        return {"entity": entity}

    def end(engine, entity):
        engine.assertEqual(engine.ask("POST", "/api/entity/JSON/guest/1", entities.SAMPLE).status, 409)
        found = engine.ask("POST", "/api/search/direct/guest/1", entities.above(5))
        engine.assertEqual([json.loads(line)["meta"]["id"] for line in found.body.splitlines()], [entity])
        engine.done("DELETE", f"/api/entity/{entity}")
        engine.done("POST", "/api/entity/JSON/guest/1", entities.SAMPLE)


# ---- people, tenants, secrets ----


@piece
class Tenant:
    """A tenant with a key, and a run that only the tenant has."""
    family = "access"

    def begin(engine):
        engine.done("POST", "/api/tenants", {"name": "acme"})
        engine.done("POST", "/v1/definitions", {"id": "theirs", "name": "theirs", "steps": [service("s", "end", "theirs"), last()]}, ACME)
        run = engine.done("POST", "/v1/instances", {"definitionId": "theirs"}, ACME)["id"]
        return {"run": run, "key": engine.done("POST", "/api/keys", {"name": "worker", "roles": ["worker", "viewer"]}, ACME)["key"]}

    def end(engine, run, key):
        engine.assertEqual(engine.ask("GET", f"/v1/instances/{run}").status, 404)
        theirs = {"Authorization": f"Bearer {key}"}
        engine.assertEqual(engine.done("GET", "/api/me", None, theirs)["tenant"], "acme")
        (job,) = engine.done("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["theirs"], "maxJobs": 1, "waitSeconds": PATIENCE}, theirs)["jobs"]
        engine.done("POST", f"/v1/jobs/{job['id']}/complete", {"workerId": "w", "variables": {}}, theirs)
        engine.assertEqual(engine.done("GET", f"/v1/instances/{run}", None, theirs)["status"], "COMPLETED")


@piece
class Sealed:
    """A call gets the secret that the old version sealed."""
    family = "access"

    def begin(engine):
        engine.done("PUT", "/api/secrets/old_key", {"value": "sealed-long-ago"})
        engine.publish("sealed", node("call", "action_http", url="{{ trigger.payload.url }}/call", headers={"Authorization": "Bearer {{ secrets.old_key }}"}),
                       node("z", "end"), edges=[edge("t", "call"), edge("call", "z")], secretRefs=["old_key"])
        return {}

    def end(engine):
        functions = Functions()
        functions.answer("/call", Reply(200))
        engine.ends(engine.start("sealed", variables={"url": functions.url}))
        (call,) = functions.to("/call")
        engine.assertEqual(call.headers["Authorization"], "Bearer sealed-long-ago")
        functions.close()


@piece
class Audited:
    """The chain of the audit holds, and has the rows of the old version."""
    family = "access"

    def begin(engine):
        return {"checked": engine.done("POST", "/api/audit/verify")["checked"]}

    def end(engine, checked):
        found = engine.done("POST", "/api/audit/verify")
        engine.assertIs(found["whole"], True)
        engine.assertGreaterEqual(found["checked"], checked)
