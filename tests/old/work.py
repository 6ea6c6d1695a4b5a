"""Work in every state that a store can keep: each piece is begun by an old version (`begin`) and ended by the present one (`end`).

A piece names its family, so that versions without that family leave it out. Durations are a few seconds: they are over when somebody opens the
store again. What `begin` returns is kept beside the store as JSON, and is all that `end` knows.
"""

import http.client
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))
import entities
from graphs import edge, graph, node
from harness import PATIENCE, Answer, Events
from steps import end as last
from steps import fork, join, person, service, table, timer, wait
from workflows import branch, delay, event, on, operation, parallel, subflow, trigger, worker

CLOUD = {"Content-Type": "application/cloudevents+json"}
SOON = "PT3S"
PIECES = {}


def piece(kind):
    PIECES[kind.__name__] = kind
    return kind


class Engine(unittest.TestCase):
    """Requests to an engine of any version: answers are not held against today's contract."""

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=2 * PATIENCE)

    def ask(self, method, path, body=None, headers=None):
        self.connection.request(method, path, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})
        response = self.connection.getresponse()
        return Answer(response.status, response.headers, response.read())

    def done(self, method, path, body=None, headers=None):
        answer = self.ask(method, path, body, headers)
        self.assertLess(answer.status, 300, (method, path, answer))
        return answer.json if answer.body else None

    def define(self, name, *steps, **more):
        self.done("POST", "/v1/definitions", {"id": name, "name": name, "steps": [*steps, last()], **more})

    def define_states(self, name, *states, **more):
        self.done("POST", "/v1/definitions", {"id": name, "name": name, "startsAt": states[0]["name"], "states": list(states), **more})

    def publish(self, name, *nodes, edges, **more):
        self.done("POST", "/api/workflows", graph(node("t", "trigger_manual"), *nodes, edges=[*edges], name=name, definitionId=name, **more))

    def start(self, name, headers=None, **more):
        return self.done("POST", "/v1/instances", {"definitionId": name, **more}, headers)["id"]

    def take(self, kind, **more):
        (job,) = self.done("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": [kind], "maxJobs": 1, "waitSeconds": PATIENCE, **more})["jobs"]
        return job["id"]

    def complete(self, job, **variables):
        self.done("POST", f"/v1/jobs/{job}/complete", {"workerId": "w", "variables": variables})

    def work(self, kind, **variables):
        self.complete(self.take(kind), **variables)

    def break_down(self, kind, **more):
        self.done("POST", f"/v1/jobs/{self.take(kind)}/fail", {"workerId": "w", "errorMessage": "broke", "retryable": False, **more})

    def instance(self, run):
        return self.done("GET", f"/v1/instances/{run}")

    def ends(self, run, status="COMPLETED"):
        with Events(self.server, run) as events:
            self.assertEqual(events.all()[-1][1], "end", run)
        found = self.instance(run)
        self.assertEqual(found["status"], status, found)
        return found

    def task(self, run):
        return self.done("GET", f"/v1/user-tasks?instanceId={run}")["items"][0]["id"]

    def tell(self, id, source, type, **data):
        return self.ask("POST", "/v1/events", {"specversion": "1.0", "id": id, "source": source, "type": type, "data": data}, CLOUD)


# ---- steps ----


@piece
class ReadyJob:
    family = "steps"

    def begin(engine):
        engine.define("ready", service("s", "end", "ready"))
        return {"run": engine.start("ready", variables={"n": 12345678901234567890, "text": "grüße"}, businessKey="key-1")}

    def end(engine, run):
        engine.work("ready", done=True)
        found = engine.ends(run)
        engine.assertEqual(found["variables"], {"n": 12345678901234567890, "text": "grüße", "done": True})
        engine.assertEqual(found["businessKey"], "key-1")


@piece
class TakenJob:
    """Its lease is over when the store is opened again."""
    family = "steps"

    def begin(engine):
        engine.define("taken", service("s", "end", "taken"))
        run = engine.start("taken")
        engine.take("taken", leaseSeconds=1)
        return {"run": run}

    def end(engine, run):
        engine.work("taken")
        engine.ends(run)


@piece
class DelayedJob:
    """It has failed once."""
    family = "steps"

    def begin(engine):
        engine.define("delayed", service("s", "end", "delayed", retryCount=3))
        run = engine.start("delayed")
        engine.break_down("delayed", retryable=True)
        return {"run": run}

    def end(engine, run):
        engine.work("delayed")
        engine.ends(run)


@piece
class Failed:
    family = "steps"

    def begin(engine):
        engine.define("failed", service("s", "end", "failed"))
        run = engine.start("failed")
        engine.break_down("failed")
        return {"run": run}

    def end(engine, run):
        engine.assertEqual(engine.instance(run)["status"], "FAILED")
        engine.done("POST", f"/v1/instances/{run}/steps/s/retry", {})
        engine.work("failed")
        engine.ends(run)


@piece
class Asked:
    family = "steps"

    def begin(engine):
        engine.define("asked", person("ask", "end"))
        run = engine.start("asked")
        return {"run": run, "task": engine.task(run)}

    def end(engine, run, task):
        engine.assertEqual(engine.task(run), task)
        engine.done("POST", f"/v1/user-tasks/{task}/complete", {"variables": {"ok": True}})
        engine.assertIs(engine.ends(run)["variables"]["ok"], True)


@piece
class Signalled:
    family = "steps"

    def begin(engine):
        engine.define("signalled", wait("w", "end"))
        return {"run": engine.start("signalled")}

    def end(engine, run):
        engine.done("POST", f"/v1/instances/{run}/signals/w", {})
        engine.ends(run)


@piece
class Timed:
    """The timer became due while no engine ran."""
    family = "steps"

    def begin(engine):
        engine.define("timed", {**wait("w", "end"), "boundaryEvents": [timer(SOON, "late")]}, service("late", "end", "late"))
        return {"run": engine.start("timed")}

    def end(engine, run):
        engine.work("late")
        engine.ends(run)


@piece
class HalfJoined:
    family = "steps"

    def begin(engine):
        engine.define("forked", fork("f", ["a", "b"], "j"), service("a", "j", "left"), service("b", "j", "right"), join("j", "end"))
        run = engine.start("forked")
        engine.work("left", a=1)
        return {"run": run}

    def end(engine, run):
        engine.work("right", b=2)
        engine.assertEqual(engine.ends(run)["variables"], {"a": 1, "b": 2})


@piece
class Decided:
    """It ended in the old version; its history is read."""
    family = "steps"

    def begin(engine):
        engine.define("decided", table("t", "end", [{"when": {"a": "a > 1"}, "outputs": {"b": "much"}}]))
        run = engine.start("decided", variables={"a": 2})
        return {"run": run, "history": [item["stepId"] for item in engine.done("GET", f"/v1/instances/{run}/history")["items"]]}

    def end(engine, run, history):
        engine.assertEqual(engine.instance(run)["variables"]["b"], "much")
        engine.assertEqual([item["stepId"] for item in engine.done("GET", f"/v1/instances/{run}/history")["items"]], history)


@piece
class Cancelled:
    family = "steps"

    def begin(engine):
        engine.define("cancelled", wait("w", "end"))
        run = engine.start("cancelled")
        engine.done("POST", f"/v1/instances/{run}/cancel", {})
        return {"run": run}

    def end(engine, run):
        engine.assertEqual(engine.instance(run)["status"], "CANCELLED")


@piece
class AskedTwice:
    """The same key answers the same run."""
    family = "steps"

    def begin(engine):
        engine.define("twice", wait("w", "end"))
        return {"run": engine.start("twice", {"Idempotency-Key": "once"})}

    def end(engine, run):
        engine.assertEqual(engine.start("twice", {"Idempotency-Key": "once"}), run)


# ---- serverless ----


@piece
class Delayed:
    family = "serverless"

    def begin(engine):
        engine.define_states("delays", delay("D", SOON))
        return {"run": engine.start("delays")}

    def end(engine, run):
        engine.ends(run)


@piece
class Awaited:
    """It waits for an event of its own key; one event has come before, and is known when it comes again."""
    family = "serverless"

    def begin(engine):
        engine.define_states("awaits", event("E", on("paid")), triggers=[trigger("paid", "shop", "paid", "$.order")])
        run = engine.start("awaits", variables={"order": "o-1"})
        return {"run": run}

    def end(engine, run):
        answer = engine.tell("e-1", "shop", "paid", order="o-1")
        engine.assertLess(answer.status, 300, answer)
        engine.ends(run)


@piece
class Unmatched:
    family = "serverless"

    def begin(engine):
        engine.tell("e-lost", "nowhere", "lost")
        return {"number": engine.done("GET", "/v1/events/unmatched")["items"][0]["number"]}

    def end(engine, number):
        engine.assertIn(number, [item["number"] for item in engine.done("GET", "/v1/events/unmatched")["items"]])


@piece
class Parent:
    family = "serverless"

    def begin(engine):
        engine.define_states("child", operation("A", "child-work"), functions=worker("child-work"))
        engine.define_states("parent", subflow("S", "child"))
        return {"run": engine.start("parent")}

    def end(engine, run):
        engine.work("child-work")
        engine.ends(run)


@piece
class Branches:
    family = "serverless"

    def begin(engine):
        engine.define_states("branches", parallel("P", branch("a", operation("A", "branch-a"), awaited=True), branch("b", operation("B", "branch-b"), awaited=True)), functions=worker("branch-a", "branch-b"))
        run = engine.start("branches")
        engine.work("branch-a")
        return {"run": run}

    def end(engine, run):
        engine.work("branch-b")
        engine.ends(run)


# ---- graphs and triggers ----


def yes_or_no(name, **config):
    return node(name, "human_task", title="May I?", decisions=["yes", "no"], **config)


@piece
class Question:
    family = "graph"

    def begin(engine):
        engine.publish("question", yes_or_no("ask"), node("z", "end"), node("n", "end"), edges=[edge("t", "ask"), edge("ask", "z", "yes"), edge("ask", "n", "no")])
        run = engine.start("question")
        (task,) = engine.done("GET", f"/api/tasks?instanceId={run}")["items"]
        engine.done("POST", f"/api/tasks/{task['id']}/claim", {}, {"X-Actor": "ada"})
        return {"run": run, "task": task["id"]}

    def end(engine, run, task):
        engine.assertEqual(engine.done("GET", f"/api/tasks/{task}")["assignee"], "ada")
        engine.done("POST", f"/api/tasks/{task}/complete", {"decision": "yes"}, {"X-Actor": "ada"})
        engine.ends(run)


@piece
class WaitingGraph:
    """Its waiting time is over when the store is opened again."""
    family = "graph"

    def begin(engine):
        engine.publish("waiting", node("w", "delay", duration="3s"), node("z", "end"), edges=[edge("t", "w"), edge("w", "z")])
        return {"run": engine.start("waiting")}

    def end(engine, run):
        engine.ends(run)


@piece
class ForEach:
    """One of three people has answered."""
    family = "graph"

    def begin(engine):
        engine.publish("each", node("l", "for_each", items=["a", "b", "c"], mode="parallel"), node("ask", "human_task", parent="l", title="{{ item }}", decisions=["yes"]),
                       node("z", "end"), edges=[edge("t", "l"), edge("l", "ask", "body"), edge("l", "z", "done")])
        run = engine.start("each")
        ForEach.answer(engine, run, 1)
        return {"run": run}

    def answer(engine, run, count):
        for task in engine.done("GET", f"/api/tasks?instanceId={run}")["items"][:count]:
            engine.done("POST", f"/api/tasks/{task['id']}/complete", {"decision": "yes"}, {"X-Actor": "ada"})

    def end(engine, run):
        ForEach.answer(engine, run, 2)
        engine.ends(run)


@piece
class Hooked:
    """A webhook has started the run, another request ends it; a schedule waits for its day."""
    family = "graph"

    def begin(engine):
        engine.done("POST", "/api/workflows", graph(
            node("h", "trigger_webhook", path="/old-order", correlationExpression="$.body.order"), node("c", "trigger_cron", cron="0 9 1 1 *"),
            node("w", "wait_event", trigger="h2"), node("h2", "trigger_webhook", path="/old-paid", correlationExpression="$.body.order", onMatch="MapOrDiscard"), node("z", "end"),
            edges=[edge("h", "w"), edge("c", "w"), edge("w", "z")], name="hooked", definitionId="hooked"))
        return {"run": engine.done("POST", "/hooks/old-order", {"order": "o-7"})["instanceId"]}

    def end(engine, run):
        engine.done("POST", "/hooks/old-paid", {"order": "o-7"})
        engine.ends(run)
        engine.assertTrue(engine.done("GET", "/api/triggers?definitionId=hooked")["items"])


@piece
class Draft:
    family = "graph"

    def begin(engine):
        engine.done("PUT", "/api/workflows/half/draft", {"half": "done"})
        return {}

    def end(engine):
        engine.assertEqual(engine.done("GET", "/api/workflows/half/draft")["document"], {"half": "done"})


# ---- entities ----


@piece
class Order:
    family = "entity"

    def begin(engine):
        engine.done("POST", "/api/model/import/JSON/SAMPLE_DATA/order/1", entities.SAMPLE)
        engine.done("POST", "/api/model/order/1/workflow/import", {"importMode": "MERGE", "workflows": [entities.WORKFLOW]})
        engine.done("PUT", "/api/model/order/1/lock")
        created = [engine.done("POST", "/api/entity/JSON/order/1", {**entities.SAMPLE, "amount": amount})[0]["entityIds"][0] for amount in (12, 200)]
        engine.done("PUT", f"/api/entity/JSON/{created[0]}", {**entities.SAMPLE, "amount": 13})
        return {"small": created[0], "large": created[1]}

    def end(engine, small, large):
        engine.assertEqual(engine.done("GET", f"/api/entity/{small}")["data"]["amount"], 13)
        engine.assertEqual(len(engine.done("GET", f"/api/entity/{small}/changes")), 2)
        for entity, state, transition in ((small, "NEW", "PAY"), (large, "LARGE", "APPROVE")):
            engine.assertEqual(engine.done("GET", f"/api/entity/{entity}")["meta"]["state"], state)
            engine.done("PUT", f"/api/entity/JSON/{entity}/{transition}", entities.SAMPLE)
            engine.assertEqual(engine.done("GET", f"/api/entity/{entity}")["meta"]["state"], "PAID")
        found = engine.ask("POST", "/api/search/direct/order/1", {"type": "simple", "jsonPath": "$.customer", "operatorType": "EQUALS", "value": "Ada"})
        engine.assertEqual(len(found.body.splitlines()), 2, found)


@piece
class ScheduledTransition:
    """It became due while no engine ran."""
    family = "entity"

    def begin(engine):
        workflow = {"version": "1", "name": "late", "initialState": "NEW", "states": {
            "NEW": {"transitions": [{"name": "EXPIRE", "next": "OLD", "manual": False, "schedule": {"delayMs": 3000}}]}, "OLD": {}}}
        engine.done("POST", "/api/model/import/JSON/SAMPLE_DATA/offer/1", entities.SAMPLE)
        engine.done("POST", "/api/model/offer/1/workflow/import", {"importMode": "MERGE", "workflows": [workflow]})
        engine.done("PUT", "/api/model/offer/1/lock")
        return {"entity": engine.done("POST", "/api/entity/JSON/offer/1", entities.SAMPLE)[0]["entityIds"][0]}

    def end(engine, entity):
        while engine.done("GET", f"/api/entity/{entity}")["meta"]["state"] != "OLD":
            pass
