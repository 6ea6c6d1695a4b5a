"""Documents whose fields show their effect only over the API: what people see of tasks, webhooks, polled sources, calls.

A probe has documents, and looks at what each of them does: `observe(server, documents)` gives an observation of each, in order. A field has an
effect if the observation of the document without it is another one. A document that is refused has the observation "refused".
"""

import copy
import datetime
import http.server
import itertools
import json
import queue
import sys
import threading
import time

from fields import ROOT, family_of

sys.path.append(str(ROOT / "tests" / "api"))
from grpc_client import port_of
from members import Member

numbers = itertools.count(1)
PATIENCE = 30

END = {"id": "e", "name": "End", "type": "END"}
WAIT = {"id": "w", "name": "w", "type": "WAIT", "nextStep": "e"}


def steps(*listed, **more):
    return {"id": "x", "name": "x", "steps": [*listed, END], **more}


def graph(*nodes, **more):
    return {"definitionId": "x", "name": "x", "nodes": list(nodes), "edges": [], **more}


def publish(server, document, **more):
    """Publishes a copy with an id of its own; the id, or None if it is refused."""
    name = f"probe-{next(numbers)}"
    document = {**copy.deepcopy(document), **more, "id" if family_of(document) != "graph" else "definitionId": name, "name": name}
    return name if server.post("/v1/definitions", document).status == 201 else None


def until(holds):
    """Asks again and again; each time is a request."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < end, "this did not happen"
    return found


# ---- tasks ----

ESCALATION = {"after": "10ms", "assignee": "bob", "assignees": ["bob", "eve"], "groups": ["heads"], "priority": 90, "due": "P2D"}
FIRST = {"id": "t", "type": "trigger_manual"}
TASKS = [
    steps({"id": "u", "name": "u", "type": "USER_TASK", "nextStep": "e", "assignee": "ann", "candidateUsers": ["ann"], "candidateGroups": ["team"],
           "dueDate": "P1D", "followUpDate": "PT1H", "priority": 70, "reminders": ["5ms"]}),
    graph(FIRST, {"id": "u", "type": "human_task", "config": {"title": "T", "description": "D", "assignees": ["ann"], "groups": ["team"], "due": "1d",
                                                              "followUp": "1h", "priority": 70, "reminders": ["5ms"]}}, edges=[{"from": "t", "to": "u"}]),
]
ESCALATED = [
    steps({"id": "u", "name": "u", "type": "USER_TASK", "nextStep": "e", "escalation": ESCALATION}),
    graph(FIRST, {"id": "u", "type": "human_task", "config": {"title": "T", "escalation": ESCALATION}}, edges=[{"from": "t", "to": "u"}]),
]


def since(start, end):
    return end and str(datetime.datetime.fromisoformat(end) - datetime.datetime.fromisoformat(start))


def observe_task(server, document):
    name = publish(server, document)
    if not name:
        return "refused"
    server.post("/v1/instances", {"definitionId": name})
    task = server.get(f"/api/tasks?definitionId={name}").json["items"][0]["id"]
    awaited = {what for field, what in (('"reminders"', "reminded"), ('"escalation"', "escalated")) if field in json.dumps(document)}
    until(lambda: awaited <= {note["what"] for note in server.get(f"/api/tasks/{task}").json["history"]})
    shown = server.get(f"/api/tasks/{task}").json  # Its history may be younger than the rest of an answer.
    told = {field: shown.get(field) for field in ("title", "description", "assignee", "assignees", "groups", "priority", "reminded")}
    return {**told, "due": since(shown["createdAt"], shown.get("due")), "followUp": since(shown["createdAt"], shown.get("followUp"))}


def observe_tasks(server, documents):
    return [observe_task(server, document) for document in documents]


# ---- webhooks ----

def hooks():
    """A trigger for each answer, and one of which a sender finds the instance again."""
    return [{"id": "a", "type": "http", "path": "/a", "authType": "ApiKey", "secretRef": "probe.key"},
            {"id": "b", "type": "http", "path": "/b", "responseMode": "RespondOnComplete"},
            {"id": "c", "type": "http", "path": "/c", "opaqueResponses": True},
            {"id": "d", "type": "http", "path": "/d", "method": "PUT", "correlationExpression": "$.body.k", "onMatch": "MapOrReplace"}]


HOOKS = [steps(WAIT, triggers=hooks()),
         graph({"id": "u", "type": "human_task", "config": {"title": "T"}}, triggers=hooks(), edges=[{"from": name, "to": "u"} for name in "abcd"])]


def observe_hook(server, document):
    place = f"probe{next(numbers)}"
    triggers = [{**trigger, "path": f"/{place}-{trigger['id']}"} for trigger in document["triggers"]]
    if not publish(server, document, triggers=triggers):
        return "refused"
    seen = []
    for name in "abcdd":
        answer = server.request("PUT" if name == "d" else "POST", f"/hooks/{place}-{name}", {"k": "K"})
        told = answer.json if answer.body else {}
        seen.append((answer.status, {field: told.get(field) for field in ("outcome", "key", "status")}))
    return seen


def observe_hooks(server, documents):
    server.request("PUT", "/api/secrets/probe.key", {"value": "s3cret"})
    return [observe_hook(server, document) for document in documents]


# ---- sources that are polled ----

ROWS = {"rows": [{"id": 1, "k": "a", "ok": True}, {"id": 2, "k": "a", "ok": True}, {"id": 2, "k": "a", "ok": True}, {"id": 3, "k": "b", "ok": False}]}
FED = {"id": "p", "type": "poll", "sourceType": "RestApi", "connectionRef": "feed", "query": "$.rows[*]", "pollingInterval": 1, "pollingUnit": "Seconds",
       "deduplicationKey": "$.id", "onMatch": "MapOrReplace", "correlationExpression": "$.k"}
POLLS = [steps(WAIT, triggers=[{**FED, "filter": "payload.ok"}]), steps(WAIT, triggers=[{**FED, "filterExpression": "payload.ok"}]),
         graph({"id": "u", "type": "delay", "config": {"duration": "9d"}}, triggers=[{**FED, "filter": "payload.ok", "entry": "u"}]),
         steps(WAIT, triggers=[{"id": "p", "type": "poll", "url": "feed", "query": "$.rows[*]", "pollingInterval": 1, "pollingUnit": "Seconds", "deduplicationKey": "$.id"}])]
POLLED_MIN = 2


class Source:
    """A server whose rows are always the same; it counts who asks."""

    def __init__(self):
        self.asked, self.changed, source = {}, threading.Condition(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps(ROWS).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                with source.changed:
                    source.asked[self.path] = source.asked.get(self.path, 0) + 1
                    source.changed.notify_all()

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def is_asked_often(self, path):
        return self.asked.get(path, 0) >= POLLED_MIN

    def wait(self, paths):
        with self.changed:
            assert self.changed.wait_for(lambda: all(self.is_asked_often(path) for path in paths), PATIENCE), self.asked

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def connect(server, source, trigger, path):
    """The trigger asks the source for its own path."""
    trigger = dict(trigger)
    if "url" in trigger:
        trigger["url"] = source.url + path
    if "connectionRef" in trigger:
        trigger["connectionRef"] = f"feed{path[1:]}"
        server.request("PUT", f"/api/secrets/feed{path[1:]}", {"value": source.url + path})
    return trigger


def observe_poll(server, name, often):
    if not name:
        return "refused"
    outcomes = [(item["outcome"], item.get("key")) for item in server.get(f"/api/arrivals?definitionId={name}&pageSize=200").json["items"]]
    listed = server.get(f"/v1/instances?definitionId={name}&pageSize=200").json["items"]
    return {"often": often, "outcomes": sorted(set(outcomes), key=str), "total": min(len(outcomes), 4), "at": listed[:1] and listed[0]["currentStepIds"]}


def observe_polls(server, documents):
    """Waits until each source has been asked often whose trigger says so."""
    source = Source()
    try:
        published = []
        for document in documents:
            path, trigger = f"/{next(numbers)}", document["triggers"][0]
            name = publish(server, document, triggers=[connect(server, source, trigger, path)])
            asks = "url" in trigger or ("connectionRef" in trigger and trigger.get("sourceType") == "RestApi")
            often = name and asks and (trigger.get("pollingInterval"), trigger.get("pollingUnit")) == (1, "Seconds")
            published.append((name, path, often))
        source.wait([path for _, path, often in published if often])
        return [observe_poll(server, name, source.is_asked_often(path)) for name, path, _ in published]
    finally:
        source.close()


# ---- calculation nodes ----

CALL = {"attachEntity": False, "calculationNodesTags": "gpu", "context": "c"}
COMMITS = {"type": "EXTERNAL", "name": "p", "executionMode": "COMMIT_BEFORE_DISPATCH"}


def workflow(**transition):
    return {"entityName": "x", "modelVersion": 1, "workflows": [
        {"version": "1", "name": "w", "initialState": "A", "states": {"A": {"transitions": [{"name": "T", "next": "B", **transition}]}, "B": {}}}]}


MEMBERS = [workflow(processors=[{"type": "EXTERNAL", "name": "p", "config": CALL}]),
           workflow(processors=[{**COMMITS, "config": {**CALL, "startNewTxOnDispatch": True}}]),
           workflow(processors=[{**COMMITS, "startNewTxOnDispatch": True, "config": CALL}]),
           workflow(criterion={"type": "function", "function": {"name": "f", "config": CALL}}),
           workflow(schedule={"function": {"name": "f", "resultKind": "Schedule", **CALL}})]


def answer_of(request):
    """An answer that fits each kind of request."""
    return {"matches": True} if "criteriaName" in request else {"resultKind": "Schedule", "result": {"fireAfterMs": 9000000}} if "functionName" in request else {}


def observe_member(server, document, asked):
    model = f"probe{next(numbers)}/1"
    server.post(f"/api/model/import/JSON/SAMPLE_DATA/{model}", {"a": 1})
    if server.post(f"/api/model/{model}/workflow/import", {"workflows": document["workflows"]}).status != 200:
        return "refused"
    server.request("PUT", f"/api/model/{model}/lock")
    made = server.post(f"/api/entity/JSON/{model}", {"a": 1})
    tag, request = asked.get(timeout=PATIENCE)
    return made.status, tag, "payload" in request, request.get("parameters"), bool(request.get("transactionId"))


def observe_members(server, documents):
    asked = queue.Queue()
    joined = [Member(port_of(server), [tag], lambda request, tag=tag: asked.put((tag, request)) or answer_of(request)) for tag in ("gpu", "cpu")]
    try:
        return [observe_member(server, document, asked) for document in documents]
    finally:
        for member in joined:
            member.close()


PROBES = {"task": (TASKS, observe_tasks), "escalation": (ESCALATED, observe_tasks), "hook": (HOOKS, observe_hooks), "poll": (POLLS, observe_polls),
          "member": (MEMBERS, observe_members)}
