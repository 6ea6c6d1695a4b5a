"""A calculation node for tests: a stream of CloudEvents whose answers a test gives as functions."""

import json
import queue
import threading
import uuid

import grpc

import grpc_client
import harness

METHOD = "/org.cyoda.cloud.api.grpc.CloudEventsService/"
CloudEvent = grpc_client.FACTORY.GetPrototype(grpc_client.POOL.FindMessageTypeByName("io.cloudevents.v1.CloudEvent"))


KINDS = {"Criteria": "criteriaName", "Function": "functionName", "Processor": "processorName"}


def event(kind, **data):
    """Any event; its envelope's id is that of its data."""
    data.setdefault("id", str(uuid.uuid4()))
    return CloudEvent(id=str(data["id"]), source="test", spec_version="1.0", type=kind, text_data=json.dumps(data))


def answer_to(request, **more):
    """The answer to a request, as a dict that has its kind."""
    kind = next(f"Entity{word}CalculationResponse" for word, name in KINDS.items() if name in request)
    return {"kind": kind, "id": str(uuid.uuid4()), "requestId": request["requestId"], "entityId": request["entityId"], "success": True, **more}


class Member:
    """Joins, and gives each request to `work`, which returns fields of the answer, an event, a list of events, or None: no answer."""

    def __init__(self, port, tags=(), work=None, metadata=(), join=True):
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1)])
        self.outbox, self.seen, self.requests = queue.Queue(), queue.Queue(), queue.Queue()
        self.tokens = {}  # Of transactions, by the id of the request.
        self.work = work or (lambda request: {})
        self.ended = threading.Event()
        self.code = None
        call = self.channel.stream_stream(METHOD + "startStreaming", CloudEvent.SerializeToString, CloudEvent.FromString)
        self.stream = call(iter(self.outbox.get, None), metadata=list(metadata))
        threading.Thread(target=self.listen, daemon=True).start()
        if join:
            self.send(event("CalculationMemberJoinEvent", tags=list(tags)))
            self.id = self.next("CalculationMemberGreetEvent")["memberId"]

    def listen(self):
        try:
            for message in self.stream:
                data = json.loads(message.text_data)
                self.seen.put((message.type, data, message))
                if message.type.endswith("CalculationRequest"):
                    self.tokens[data["requestId"]] = message.attributes["cyodatxtoken"].ce_string
                    self.requests.put(data)
                    self.reply(data, self.work(data))
        except grpc.RpcError as error:
            self.code, self.details = error.code(), error.details()
        else:
            self.code, self.details = grpc.StatusCode.OK, ""
        self.ended.set()

    def reply(self, request, made):
        for one in made if isinstance(made, list) else [made]:
            if isinstance(one, dict):
                data = answer_to(request, **one)
                self.send(event(data.pop("kind"), **data))
            elif one is not None:
                self.send(one)

    def send(self, message):
        self.outbox.put(message)

    def next(self, kind=None):
        """The next event of that type; those before it are dropped."""
        while True:
            found, data, _ = self.seen.get(timeout=harness.PATIENCE)
            if kind in (None, found):
                return data

    def next_request(self):
        """The next request as (type, data, message). Other events, such as those that keep a connection alive, may come at any time."""
        while True:
            found = self.seen.get(timeout=harness.PATIENCE)
            if found[0].endswith("CalculationRequest"):
                return found

    def asked(self):
        """The next request."""
        return self.requests.get(timeout=harness.PATIENCE)

    def wait_end(self):
        assert self.ended.wait(harness.PATIENCE), "the stream did not end"
        return self.code

    def kill(self):
        """The connection is lost."""
        self.stream.cancel()
        self.close()

    def close(self):
        self.outbox.put(None)
        self.channel.close()


# ---- what tests of members share ----


def processor(name, tags="", mode=None, timeout_ms=None, **config):
    made = {"type": "EXTERNAL", "name": name, "config": {"calculationNodesTags": tags, **config}}
    if mode:
        made["executionMode"] = mode
    if timeout_ms:
        made["config"]["responseTimeoutMs"] = timeout_ms
    return made


def function(name, tags=""):
    return {"type": "function", "function": {"name": name, "config": {"calculationNodesTags": tags}}}


def one_transition(*processors, manual=False, **more):
    """A workflow with the states NEW and DONE and one transition GO between them."""
    go = {"name": "GO", "next": "DONE", "manual": manual, "processors": list(processors), **more}
    return {"version": "1", "name": "work", "initialState": "NEW", "states": {"NEW": {"transitions": [go]}, "DONE": {}}}


class Case(harness.Case):
    arguments = ("--grpc", "127.0.0.1:0", "--compute-wait", "0s")  # Tests of missing nodes are not to wait.
    sample = {"amount": 12, "note": "a", "paid": True}

    def setUp(self):
        super().setUp()
        self.model, self.tag = self.fresh("order"), self.fresh("tag")

    def prepare(self, *workflows):
        path = f"/api/model/{self.model}/1"
        self.assertEqual(self.post(f"/api/model/import/JSON/SAMPLE_DATA/{self.model}/1", self.sample).status, 200)
        self.assertEqual(self.post(path + "/workflow/import", {"workflows": list(workflows)}).json, {"success": True})
        self.assertEqual(self.client.request("PUT", path + "/lock").status, 200)

    def member(self, work=None, tags=None, server=None, **more):
        made = Member(grpc_client.port_of(server or self.server), [self.tag] if tags is None else tags, work, **more)
        self.addCleanup(made.close)
        return made

    def create(self, document=None):
        return self.post(f"/api/entity/JSON/{self.model}/1", document or {"amount": 1})

    def fire_later(self, method, path, document, **headers):
        """Sends a request on a connection of its own; call the result for the answer."""
        other = harness.Client(self.server)
        self.addCleanup(other.close)
        other.connection.request(method, path, json.dumps(document), {"Content-Type": "application/json", **headers})

        def finish():
            response = other.connection.getresponse()
            answer = harness.Answer(response.status, response.headers, response.read())
            harness.check(method, path, answer)
            return answer
        return finish

    def create_later(self, document=None):
        return self.fire_later("POST", f"/api/entity/JSON/{self.model}/1", document or {"amount": 1})

    def created(self, document=None):
        answer = self.create(document)
        self.assertEqual(answer.status, 200, answer)
        return answer.json[0]["entityIds"][0]

    def fire(self, entity, transition, document=None, **headers):
        return self.client.request("PUT", f"/api/entity/JSON/{entity}/{transition}", document or {"amount": 1}, headers)

    def state(self, entity):
        shown = self.get(f"/api/entity/{entity}").json
        return shown["meta"]["state"], shown["data"]

    def assert_code(self, answer, status, code, text=""):
        self.assertEqual((answer.status, answer.json["properties"]["errorCode"]), (status, code), answer.body)
        self.assertIn(text, answer.json["detail"])
        self.assertEqual(answer.json["properties"].get("retryable", False), status == 503, answer.body)
