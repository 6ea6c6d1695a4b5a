"""Webhooks: who may send, what becomes of it, and how triggers are paused, fired and listed."""

import base64
import hashlib
import hmac
import os
import shutil
import socket
import sqlite3
import tempfile
import threading

from harness import PATIENCE, Case, Client, Server, main, needs_a_file, raw

PERSON = {"id": "h", "type": "human_task", "config": {"title": "work"}}


def graph(definition, *triggers, nodes=(PERSON,), edges=None, **more):
    edges = edges or [{"from": trigger["id"], "to": nodes[0]["id"]} for trigger in triggers]
    return {"dialect": "graph/1", "definitionId": definition, "name": definition, "triggers": list(triggers), "nodes": list(nodes), "edges": edges, **more}


def webhook(path, name="t", **more):
    return {"id": name, "type": "http", "path": f"/{path}", **more}


class Hooks(Case):
    def publish(self, document, status=201):
        answer = self.post("/v1/definitions", document)
        self.assertEqual(answer.status, status, answer)
        return document["definitionId"]

    def hook(self, path, body=None, status=202, method="POST", **headers):
        answer = self.client.request(method, f"/hooks/{path}", body, {name.replace("_", "-"): value for name, value in headers.items()})
        self.assertEqual(answer.status, status, answer)
        return answer

    def test_a_request_creates_and_updates(self):
        path = self.fresh("orders")
        definition = self.publish(graph(path, webhook(path, correlationExpression="$.body.id")))
        first = self.hook(path, {"id": "A1"}).json
        self.assertEqual((first["outcome"], first["key"]), ("created", "A1"))
        second = self.hook(path, {"id": "A1"}).json
        self.assertEqual((second["outcome"], second["instanceId"]), ("updated", first["instanceId"]))
        self.assertEqual(self.hook(path, {"id": "B"}).json["outcome"], "created")
        listed = self.get(f"/api/arrivals?definitionId={definition}").json["items"]
        self.assertEqual([item["outcome"] for item in listed], ["created", "updated", "created"])
        trigger = self.get(f"/api/triggers?definitionId={definition}").json["items"][0]
        self.assertEqual((trigger["address"], trigger["state"]), (f"POST /{path}", "active"))
        # Of several nodes each has counted its own.
        counted = [answer.json["items"][0]["counts"] for answer in self.ask_all(f"/api/triggers?definitionId={definition}")]
        self.assertEqual({word: sum(counts.get(word, 0) for counts in counted) for word in ("created", "updated")}, {"created": 2, "updated": 1})

    def test_paths_and_methods(self):
        path = self.fresh("paths")
        self.publish(graph(path, webhook(path), webhook(path, "g", method="PUT")))
        self.assertEqual(self.hook("nowhere-at-all", {}, 404).json["outcome"], "no_route")
        answer = self.hook(path, None, 405, "DELETE")
        self.assertEqual(answer.headers["Allow"], "POST, PUT")
        self.assertEqual(self.hook(path, {}, 202, "PUT").json["outcome"], "created")
        # A deeper path; the contract's own check knows one segment only.
        deep = self.fresh("deep")
        self.publish(graph(deep, webhook(f"v2/{deep}/x")))
        answer = raw(self.server, f"POST /hooks/v2/{deep}/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
        self.assertIn(b'"outcome":"created"', answer)

    def test_paths_of_the_engine_are_reserved(self):
        for path in ("api", "api/orders", "v1/x", "t/acme/x", "UI/x", "login", "oauth/x", "forms", "mcp", "docs", "metrics", "healthz", "readyz", "hooks/x"):
            answer = self.post("/v1/definitions", graph(self.fresh("reserved"), webhook(path)))
            self.refused(answer, 400, f'trigger "t": the engine\'s own routes begin like its path /{path}')
        self.publish(graph(self.fresh("free"), webhook("apis/x")))
        warned = self.post("/api/checks", graph(self.fresh("reserved"), webhook("api/x"))).json
        self.assertIn("/triggers/0/path", str(warned))

    def test_two_definitions_cannot_have_one_path(self):
        path = self.fresh("taken")
        self.publish(graph(path, webhook(path)))
        answer = self.post("/v1/definitions", graph(self.fresh("other"), webhook(path)))
        self.assertEqual(answer.status, 409)
        self.assertIn(path, answer.json["message"])

    def test_bad_bodies(self):
        path = self.fresh("bad")
        self.publish(graph(path, webhook(path), inputSchema={"type": "object", "required": ["id"]}))
        self.assertEqual(self.hook(path, b'{"id":', 400).json["outcome"], "decode_error")
        self.assertEqual(self.hook(path, b'{"id":"\xff"}', 400).json["outcome"], "decode_error")
        self.assertEqual(self.hook(path, {}, 400).json["outcome"], "rejected_schema")
        more = self.fresh("bad")
        self.publish(graph(more, webhook(more), inputSchema={"type": "object", "required": ["id", "who"], "properties": {"n": {"type": "integer"}}}))
        note = self.hook(more, {"n": "x"}, 400).json["note"]
        self.assertTrue(all(word in note for word in ("id", "who", "/n must be an integer")), note)
        self.assertEqual(self.hook(path, b'{"id":1}', 415, Content_Type="application/json; charset=latin1").json["outcome"], "decode_error")
        self.assertEqual(self.hook(path, b"<id/>", 415, Content_Type="application/xml").json["outcome"], "decode_error")
        self.assertEqual(self.hook(path, b'{"id":1}', 415, Content_Encoding="gzip").json["outcome"], "decode_error")
        large = b'{"id":"' + b"a" * (128 << 10) + b'"}'
        self.hook(path, large, 413)
        # Without a length it is refused when it gets too long, and not when it is whole.
        head = f"POST /hooks/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.assertIn(b" 413 ", raw(self.server, head.encode() + b"%x\r\n" % len(large) + large + b"\r\n").split(b"\r\n")[0])
        exact = b'{"id":"' + b"a" * ((128 << 10) - 9) + b'"}'
        self.assertEqual(self.hook(path, exact).json["outcome"], "created")
        form = self.hook(path, b"id=two+words", Content_Type="application/x-www-form-urlencoded").json
        self.assertEqual(form["outcome"], "created")

    def test_forms_are_coerced_by_the_schema(self):
        path = self.fresh("form")
        self.publish(graph(path, webhook(path), inputSchema={"type": "object", "required": ["n"], "properties": {
            "n": {"type": "number"}, "ok": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "integer"}},
            "note": {"type": "string", "minLength": 1}, "file": {"type": "string", "contentEncoding": "base64"}}}))

        def payload(answer):
            run = self.client.request("GET", f"/v1/instances/{answer['instanceId']}").json
            return run["variables"]["trigger"]["payload"]
        taken = self.hook(path, b"n=12.5&ok=on&tags=1&tags=2&note=&more=x", Content_Type="application/x-www-form-urlencoded").json
        self.assertEqual(payload(taken), {"n": 12.5, "ok": True, "tags": [1, 2], "more": "x"})
        parts = (b'--b\r\nContent-Disposition: form-data; name="n"\r\n\r\n7\r\n'
                 b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: image/png\r\n\r\n\xff\x00\r\n--b--\r\n')
        taken = self.hook(path, parts, Content_Type="multipart/form-data; boundary=b").json
        self.assertEqual(payload(taken), {"n": 7, "file": "/wA="})
        refused = self.hook(path, b"n=many", 400, Content_Type="application/x-www-form-urlencoded").json
        self.assertEqual(refused["outcome"], "rejected_schema")
        self.assertIn("/n must be a number", refused["note"])
        # JSON says itself what is a number.
        self.assertEqual(self.hook(path, {"n": "7"}, 400).json["outcome"], "rejected_schema")
        self.assertEqual(self.hook(path, parts[:-6], 400, Content_Type="multipart/form-data; boundary=b").json["outcome"], "decode_error")

    def test_senders_prove_who_they_are(self):
        path = self.fresh("auth")
        for name, value in (("key", "s3cret"), ("basic", "u:pw"), ("sign", "k")):
            self.client.request("PUT", f"/api/secrets/{path}.{name}", {"value": value})
        self.publish(graph(path, *(webhook(f"{path}-{name}", name, authType=auth, secretRef=f"{path}.{name}")
                                   for name, auth in (("key", "ApiKey"), ("basic", "BasicAuth"), ("sign", "HMAC"), ("gone", "ApiKey")))))
        body = b'{"order": 1}'
        signature = "sha256=" + hmac.new(b"k", body, hashlib.sha256).hexdigest()
        basic = "Basic " + base64.b64encode(b"u:pw").decode()
        self.hook(f"{path}-key", body, 401)
        self.hook(f"{path}-key", body, 401, X_Api_Key="wrong")
        self.hook(f"{path}-key", body, X_Api_Key="s3cret")
        created = self.hook(f"{path}-key", body, Authorization="Bearer s3cret").json
        self.hook(f"{path}-basic", body, 401, Authorization=basic + "x")
        self.hook(f"{path}-basic", body, Authorization=basic)
        self.hook(f"{path}-sign", body, X_Signature=signature)
        self.hook(f"{path}-sign", body, X_Hub_Signature_256=signature)
        self.hook(f"{path}-sign", body + b" ", 401, X_Signature=signature)
        self.hook(f"{path}-gone", body, 401, X_Api_Key="s3cret")
        # What was proved is not kept.
        shown = raw(self.server, f"GET /v1/instances/{created['instanceId']} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        self.assertIn(b'"authorization":"***"', shown)
        self.assertNotIn(b"s3cret", shown)
        self.assertEqual(len(self.get(f"/api/arrivals?definitionId={path}").json["items"]), 5)

    def test_an_idempotency_key_counts_once(self):
        path = self.fresh("key")
        self.publish(graph(path, webhook(path)))
        first = self.hook(path, {}, Idempotency_Key="k1")
        again = self.hook(path, {}, Idempotency_Key="k1")
        self.assertEqual((again.json["outcome"], again.json["instanceId"]), ("duplicate", first.json["instanceId"]))
        self.assertEqual(again.headers["Idempotency-Replayed"], "true")
        self.assertNotEqual(self.hook(path, {}, Idempotency_Key="k2").json["instanceId"], first.json["instanceId"])
        self.hook(path, {}, 400, Idempotency_Key="k" * 256)

    def test_caps_refuse_and_never_overshoot(self):
        path = self.fresh("cap")
        self.publish(graph(path, webhook(path), maxActiveInstances=5))
        statuses, lock = [], threading.Lock()

        def send():
            client = Client(self.server)
            for _ in range(5):
                status = client.request("POST", f"/hooks/{path}", {}).status
                with lock:
                    statuses.append(status)
            client.close()

        threads = [threading.Thread(target=send) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((statuses.count(202), statuses.count(429)), (5, 35))
        self.assertEqual(self.hook(path, {}, 429).headers["Retry-After"], "1")

    def test_an_answer_may_wait_for_the_instance(self):
        path = self.fresh("wait")
        values = {"id": "s", "type": "set_variables", "config": {"values": {"x": "{{ trigger.payload.n }}"}}}
        end = {"id": "e", "type": "end", "config": {"result": {"x": "{{ vars.x }}"}}}
        self.publish(graph(path, webhook(path, responseMode="RespondOnComplete"), nodes=(values, end), edges=[{"from": "t", "to": "s"}, {"from": "s", "to": "e"}]))
        answer = self.hook(path, {"n": 7}, 200).json
        self.assertEqual((answer["status"], answer["context"]["vars"]["x"]), ("completed", 7))
        # An instance that waits for a person has come as far as it can.
        person = self.fresh("person")
        self.publish(graph(person, webhook(person, responseMode="RespondOnComplete", successCode=201)))
        self.assertEqual(self.hook(person, {}, 201).json["status"], "waiting_for_human")

    def test_codes_of_success_and_opaque_answers(self):
        path = self.fresh("codes")
        self.publish(graph(path, webhook(path, successCode=201)))
        self.hook(path, {}, 201)
        opaque = self.fresh("opaque")
        self.publish(graph(opaque, webhook(opaque, opaqueResponses=True), inputSchema={"type": "object", "required": ["id"]}))
        for body in (b'{"id":1}', b"{}", b"{"):
            answer = raw(self.server, f"POST /hooks/{opaque} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
            self.assertTrue(answer.startswith(b"HTTP/1.1 202 "), answer)
            self.assertTrue(answer.endswith(b"\r\n\r\n"), answer)

    def test_an_opaque_webhook_does_not_show_that_it_is_there(self):
        """To a wrong method it answers, byte for byte, as a path does that nobody has."""
        opaque, nobody = self.fresh("opaque"), self.fresh("nobody")
        both = self.fresh("both")
        self.publish(graph(opaque, webhook(opaque, opaqueResponses=True)))
        self.publish(graph(both, webhook(both, opaqueResponses=True), webhook(both, "g", method="PUT")))

        def ask(method, path, *headers, body=b""):
            lines = [f"{method} /hooks/{path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", "Connection: close", *headers]
            answer = raw(self.server, "\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            return b"\r\n".join(line for line in answer.split(b"\r\n") if not line.lower().startswith(b"date:"))
        preflight = ("Origin: http://localhost", "Access-Control-Request-Method: POST")
        for method in ("GET", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "TRACE", "GETS"):
            for more in ((), preflight, ("Content-Type: text/x",), ("Idempotency-Key: " + "k" * 300,)):
                for body in (b"", b"{}", b"x" * 200000):
                    self.assertEqual(ask(method, opaque, *more, body=body), ask(method, nobody, *more, body=body), (method, more, len(body)))
        self.assertTrue(ask("GET", opaque).startswith(b"HTTP/1.1 404 "))
        self.assertEqual(ask("POST", opaque, body=b"x" * 200000), ask("POST", nobody, body=b"x" * 200000))
        self.assertIn(b"\r\nAllow: PUT\r\n", ask("GET", both))

    def test_triggers_are_paused_resumed_and_fired(self):
        path = self.fresh("pause")
        self.publish(graph(path, webhook(path)))
        paused = self.post(f"/api/triggers/{path}/t/pause", {"reason": "repairs"})
        self.assertEqual((paused.status, paused.json["state"], paused.json["reason"]), (200, "paused", "repairs"))
        refused = self.hook(path, {}, 503)
        self.assertEqual((refused.json["outcome"], refused.json["note"]), ("paused", "repairs"))
        self.assertEqual(self.post(f"/api/triggers/{path}/t/resume").json["state"], "active")
        self.hook(path, {})
        fired = self.post(f"/api/triggers/{path}/t/fire", {"by": "hand"})
        self.assertEqual((fired.status, fired.json["outcome"]), (202, "created"))
        self.assertEqual(self.post(f"/api/triggers/{path}/nobody/pause").status, 404)
        self.assertEqual(self.post(f"/api/triggers/{path}/nobody/fire").status, 404)
        outcomes = [item["outcome"] for item in self.get(f"/api/arrivals?definitionId={path}").json["items"]]
        self.assertEqual(outcomes, ["created", "created", "paused"])
        self.assertEqual(self.get("/api/arrivals?outcome=never").status, 400)

    def test_a_start_by_hand_belongs_to_whom_its_trigger_says(self):
        name = self.fresh("by-hand")
        self.publish(graph(name, {"id": "m", "type": "manual", "correlationExpression": "$.order", "onMatch": "MapOrCreate"}))
        run = self.post(f"/api/workflows/{name}/start", {"input": {"order": "A1"}})
        self.assertEqual((run.status, run.json["key"]), (201, "A1"), run)
        again = self.post(f"/api/workflows/{name}/start", {"input": {"order": "A1"}})
        self.assertEqual((again.status, again.json["outcome"], again.json["instanceId"]), (200, "updated", run.json["instanceId"]), again)
        fired = self.post(f"/api/triggers/{name}/m/fire", {"order": "A1"}).json
        self.assertEqual((fired["outcome"], fired["instanceId"]), ("updated", run.json["instanceId"]))
        named = self.post(f"/api/workflows/{name}/start", {"input": {"order": "A1"}, "businessKey": "mine"})
        self.assertEqual((named.status, named.json["key"]), (201, "mine"))
        tested = self.post(f"/api/workflows/{name}/start", {"input": {"order": "A1"}, "isTest": True})
        self.assertEqual((tested.status, tested.json["key"]), (201, None))
        self.assertEqual(self.post(f"/api/workflows/{name}/start", {"input": {"order": "x" * 300}}).status, 400)
        free = self.post(f"/api/workflows/{name}/start", {"input": {}})
        self.assertEqual((free.status, free.json["key"]), (201, None))

    def test_triggers_have_names_and_are_found_by_them(self):
        path = self.fresh("named")
        document = graph(path, webhook(path, "hook"), nodes=(PERSON, {"id": "by-hand", "type": "trigger_manual", "label": "Parcel <b>lost</b>"}))
        document["edges"].append({"from": "by-hand", "to": "h"})
        self.publish({**document, "name": "Lost parcels"})
        found = {item["trigger"]: item for item in self.get(f"/api/triggers?definitionId={path}").json["items"]}
        self.assertEqual((found["by-hand"]["label"], found["hook"]["label"]), ("Parcel <b>lost</b>", "Start on a web request"))
        self.assertEqual(found["hook"]["definitionName"], "Lost parcels")

        def by(keyword):
            return [item["trigger"] for item in self.get(f"/api/triggers?definitionId={path}&keyword={keyword}").json["items"]]

        self.assertEqual(by("parcel%20%3CB"), ["by-hand"])
        self.assertEqual(by(path.upper()), ["by-hand", "hook"])
        self.assertEqual(by("HOOK"), ["hook"])
        self.assertEqual(by("nothing-of-the-kind"), [])
        # A page looks at so many triggers as it may have, whether they fit or not.
        page = self.get(f"/api/triggers?definitionId={path}&keyword=hook&pageSize=1").json
        self.assertEqual(page["items"], [])
        rest = self.get(f"/api/triggers?definitionId={path}&keyword=hook&pageSize=1&cursor={page['nextCursor']}").json
        self.assertEqual([item["trigger"] for item in rest["items"]], ["hook"])
        self.assertEqual(self.get(f"/api/triggers?keyword={'x' * 1025}").status, 400)

    def test_pages_of_arrivals_follow_each_other(self):
        path = self.fresh("pages")
        self.publish(graph(path, webhook(path)))
        for _ in range(7):
            self.hook(path, {})
        seen, cursor = [], ""
        while True:
            page = self.get(f"/api/arrivals?definitionId={path}&pageSize=3{cursor}").json
            seen += [item["number"] for item in page["items"]]
            if "nextCursor" not in page:
                break
            cursor = f"&cursor={page['nextCursor']}"
        self.assertEqual(len(seen), 7)
        self.assertEqual(seen, sorted(seen, reverse=True))

    def test_a_paused_engine_holds_instances(self):
        path = self.fresh("engine")
        self.publish(graph(path, webhook(path)))
        self.assertEqual(self.post("/api/engine/pause").status, 204)
        try:
            self.assertIs(self.get("/api/overview").json["engine"]["paused"], True)
            created = self.hook(path, {}).json["instanceId"]
            self.assertEqual(self.get(f"/v1/user-tasks?instanceId={created}").json["total"], 0)
        finally:
            self.assertEqual(self.post("/api/engine/resume").status, 204)
        self.until(lambda: self.get(f"/v1/user-tasks?instanceId={created}").json["total"] == 1)


class Restarts(Case):
    def test_what_was_acknowledged_is_there_once(self):
        """kill -9 under a load of webhooks: each key counts once, and no cap is overshot."""
        data = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, data)
        server = Server(data=data)
        capped, path = self.fresh("capped"), self.fresh("load")
        client = Client(server)
        for document in (graph(path, webhook(path)), graph(capped, webhook(capped), maxActiveInstances=20)):
            self.assertEqual(client.post("/v1/definitions", document).status, 201)
        acknowledged, lock = {}, threading.Lock()

        def send(worker):
            own = Client(server)
            for i in range(400):
                key = f"{worker}-{i}"
                try:
                    answer = own.request("POST", f"/hooks/{path if i % 4 else capped}", {"k": key}, {"Idempotency-Key": key})
                except Exception:
                    return
                if answer.status == 202:
                    with lock:
                        acknowledged[key] = (answer.json["instanceId"], i % 4)

        threads = [threading.Thread(target=send, args=(worker,)) for worker in range(6)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 300 and any(thread.is_alive() for thread in threads):
            threads[0].join(0.01)
        server.kill()
        for thread in threads:
            thread.join()
        again = Server(data=data)
        client = Client(again)
        self.assertGreater(len(acknowledged), 100)
        for key, (instance, kind) in list(acknowledged.items())[-50:]:
            answer = client.request("POST", f"/hooks/{path if kind else capped}", {"k": key}, {"Idempotency-Key": key})
            self.assertEqual((answer.json["outcome"], answer.json["instanceId"]), ("duplicate", instance))
        for instance, _ in acknowledged.values():
            self.assertTrue(raw(again, f"GET /v1/instances/{instance} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()).startswith(b"HTTP/1.1 200 "))
        listed = raw(again, f"GET /v1/instances?definitionId={capped}&pageSize=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        self.assertIn(b'"total":20', listed)
        self.assertEqual(client.request("POST", f"/hooks/{capped}", {}).status, 429)
        self.assertEqual(len({instance for instance, _ in acknowledged.values()}), len(acknowledged))
        again.stop()

    @needs_a_file
    def test_a_reserved_path_of_an_earlier_version_is_not_served(self):
        data = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, data)
        server = Server(data=data)
        client = Client(server)
        self.assertEqual(client.post("/v1/definitions", graph("old", webhook("apx/old"))).status, 201)
        client.close()
        server.stop()
        store = sqlite3.connect(os.path.join(data, "data", "pawl.db"))
        self.assertEqual(store.execute("UPDATE record SET key = ? WHERE key = ?", (b"h/api/old\0POST", b"h/apx/old\0POST")).rowcount, 1)
        store.commit()
        store.close()
        server = Server(("--hooks-at-root",), data=data)
        log = server.log()
        for path in ("/api/old", "/hooks/api/old"):
            answer = raw(server, f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
            self.assertTrue(answer.startswith(b"HTTP/1.1 404 "), answer)
        server.stop()
        self.assertIn("/api/old", log)
        self.assertIn("not served", log)

    def test_hooks_at_the_root(self):
        server = Server(arguments=("--hooks-at-root",))
        client = Client(server)
        self.assertEqual(client.post("/v1/definitions", graph("rooted", webhook("rooted"))).status, 201)
        for path in ("/rooted", "/hooks/rooted"):
            answer = raw(server, f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
            self.assertIn(b'"outcome":"created"', answer)
        server.stop()


class Slow(Case):
    arguments = ("--allow-private-calls",)

    def test_an_opaque_answer_does_not_wait_for_the_instance(self):
        """Its time would tell what became of the request."""
        path = self.fresh("opaque")
        with socket.create_server(("127.0.0.1", 0)) as silent:  # Its client waits for an answer that does not come.
            call = {"id": "w", "type": "action_http", "config": {"method": "GET", "url": f"http://127.0.0.1:{silent.getsockname()[1]}/"}}
            document = graph(path, webhook(path, opaqueResponses=True, responseMode="RespondOnComplete"), nodes=(call, {"id": "e", "type": "end"}),
                             edges=[{"from": "t", "to": "w"}, {"from": "w", "to": "e"}])
            self.assertEqual(self.post("/v1/definitions", document).status, 201)
            with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE / 2) as client:  # A webhook that waits does so for PATIENCE.
                client.sendall(f"POST /hooks/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}".encode())
                self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 202 "))


if __name__ == "__main__":
    main()
