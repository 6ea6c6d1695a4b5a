"""Connections: which are there, who uses them, and whether they work. No answer has a value."""

import json
import os
import sqlite3
import tempfile
import threading

from accounts import ROOT, Accounts
from harness import Case, Client, main
from mail import MailServer

MAIL = {"id": "m", "type": "action_email", "config": {"from": "a@a.example", "to": "b@b.example", "subject": "s", "body": "b"}}
PLANTED = "planted-7d1e-value"


def graph(name, *nodes, **more):
    ids = ["t", *(node["id"] for node in nodes), "e"]
    return {"dialect": "graph/1", "definitionId": name, "name": f"The flow {name}", "nodes": [{"id": "t", "type": "trigger_manual"}, *nodes, {"id": "e", "type": "end"}],
            "edges": [{"from": a, "to": b} for a, b in zip(ids, ids[1:])], **more}


def mailing(name, secret):
    return graph(name, {**MAIL, "config": {**MAIL["config"], "connectionRef": f"vault:{secret}"}})


class Tested(Case):
    arguments = ("--allow-private-calls",)

    def put(self, name, value=PLANTED):
        self.assertIn(self.client.request("PUT", f"/api/secrets/{name}", {"value": value}).status, (200, 201))

    def listed(self):
        answer = self.get("/api/connections")
        self.assertEqual(answer.status, 200, answer)
        self.assertNotIn(PLANTED.encode(), answer.body)
        return {item["name"]: item for item in answer.json["items"]}

    def attempt(self, name, **body):
        return self.post(f"/api/connections/{name}/test", body)


class Connections(Tested):
    def test_they_are_listed_with_their_places(self):
        mail, data, key, unused = (self.fresh(word) for word in ("mail", "data", "key", "unused"))
        flow, second = self.fresh("flow"), self.fresh("flow")
        call = {"id": "h", "type": "action_http", "config": {"method": "GET", "url": "https://a.example", "headers": {"X": f"{{{{ secrets.{key} }}}}"}}}
        read = {"id": "d", "type": "action_db", "config": {"connectionRef": f"vault:{data}", "sql": "select 1"}}
        document = mailing(flow, mail)
        document["nodes"][2:2] = [call, read]
        document["edges"] = [{"from": a, "to": b} for a, b in (("t", "m"), ("m", "h"), ("h", "d"), ("d", "e"))]
        self.assertEqual(self.post("/v1/definitions", {**document, "secretRefs": [key]}).status, 201)
        self.assertEqual(self.post("/v1/definitions", mailing(second, mail)).status, 201)
        for name in (mail, unused):
            self.put(name)
        items = self.listed()
        self.assertEqual([items[name]["kinds"] for name in (mail, data, key, unused)], [["mail"], ["database"], ["secret"], ["secret"]])
        self.assertEqual([items[name]["isSet"] for name in (mail, data, key, unused)], [True, False, False, True])
        self.assertEqual([(use["definitionId"], use["pointer"]) for use in items[mail]["usedBy"]],
                         [(flow, "/nodes/1/config/connectionRef"), (second, "/nodes/1/config/connectionRef")])
        self.assertEqual((items[mail]["uses"], items[mail]["usedBy"][0]["name"], items[mail]["source"]), (2, f"The flow {flow}", "store"))
        self.assertEqual((items[unused]["uses"], items[unused]["usedBy"]), (0, []))
        self.assertIn("updatedAt", items[mail])
        self.assertNotIn("source", items[data])

    def test_only_the_latest_version_counts(self):
        flow, old, new = self.fresh("flow"), self.fresh("old"), self.fresh("new")
        for secret in (old, new):
            self.assertEqual(self.post("/v1/definitions", mailing(flow, secret)).status, 201)
        items = self.listed()
        self.assertNotIn(old, items)
        self.assertEqual(items[new]["usedBy"][0]["version"], 2)

    def test_twenty_places_are_told(self):
        secret = self.fresh("many")
        for count in (20, 21):
            self.assertEqual(self.post("/v1/definitions", mailing(f"{self.fresh('m')}-{count}", secret)).status, 201)
            while self.listed()[secret]["uses"] < count:
                self.assertEqual(self.post("/v1/definitions", mailing(self.fresh("m"), secret)).status, 201)
            self.assertEqual((self.listed()[secret]["uses"], len(self.listed()[secret]["usedBy"])), (count, 20))

    def test_a_mail_server_writes_to_one_person(self):
        server, name = MailServer(), self.fresh("mail")
        self.addCleanup(server.close)
        self.put(name, json.dumps({"url": f"smtp://localhost:{server.port}", "from": "shop@shop.example"}))
        answer = self.attempt(name, kind="mail", to="ann@a.example")
        self.assertEqual((answer.status, answer.json["ok"]), (200, True), answer)
        self.assertEqual(server.mails[0].recipients, ["ann@a.example"])
        self.assertIn(name, server.mails[0].text)
        self.assertEqual(self.attempt(name, kind="mail", to="ann@a.example").json["ok"], True)
        self.assertEqual(len(server.mails), 2)

    def test_a_wrong_one_says_why_and_shows_no_secret(self):
        server, name = MailServer(login=("engine", "right")), self.fresh("mail")
        self.addCleanup(server.close)
        self.put(name, json.dumps({"url": f"smtp://localhost:{server.port}", "user": "engine", "password": PLANTED, "tls": "none", "from": "a@a.example"}))
        answer = self.attempt(name, kind="mail", to="ann@a.example")
        self.assertEqual((answer.status, answer.json["ok"], answer.json["error"]), (200, False, "SMTP_535"), answer)
        self.assertTrue(answer.json["why"])
        self.assertNotIn(PLANTED.encode(), answer.body)
        self.put(name, "no server at all " + PLANTED)
        answer = self.attempt(name, kind="mail", to="ann@a.example")
        self.assertEqual((answer.json["ok"], answer.json["error"]), (False, "EMAIL_SERVER"), answer)
        self.assertNotIn(PLANTED.encode(), answer.body)

    def test_a_database_answers(self):
        name = self.fresh("data")
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "a.db")
            with sqlite3.connect(path) as file:
                file.execute("create table t (a)")
            self.put(name, f"sqlite:{path}")
            self.assertEqual(self.attempt(name, kind="database").json["ok"], True)
        gone = self.fresh("gone")
        self.put(gone, f"sqlite:{path}-gone")
        answer = self.attempt(gone, kind="database")
        self.assertEqual((answer.json["ok"], answer.json["error"]), (False, "SQLITE_CANTOPEN"), answer)

    def test_a_broker_that_no_trigger_uses(self):
        name = self.fresh("broker")
        self.put(name)
        answer = self.attempt(name, kind="broker")
        self.assertEqual((answer.status, answer.json["ok"]), (200, False))
        self.assertIn("no trigger uses this broker", answer.json["why"])

    def test_bad_requests(self):
        name = self.fresh("mail")
        self.put(name)
        for body in ({}, {"kind": "secret"}, {"kind": "http"}, {"kind": "mail"}, {"kind": "mail", "to": "shop"}, {"kind": "mail", "to": "a@a.example, b@b.example"},
                     {"kind": "mail", "to": "a@a.example;b@b.example"}, {"kind": "mail", "to": "Ann <a@a.example>"}, {"kind": "mail", "to": "a@b@c"}, {"kind": "mail", "to": "@a"},
                     {"kind": "mail", "to": "a@"}, {"kind": "mail", "to": "a@a.example\r\nX: y"},
                     {"kind": "database", "to": "a@a.example"}, {"kind": "broker", "more": 1}):
            self.assertEqual(self.post(f"/api/connections/{name}/test", body).status, 400, body)
        longest = f"{'a' * 242}@{'a' * 11}"
        self.assertEqual(len(longest), 254)
        self.assertEqual(self.attempt(name, kind="mail", to=longest).status, 200)
        self.assertEqual(self.attempt(name, kind="mail", to="a" + longest).status, 413)
        self.assertEqual(self.attempt(self.fresh("nothing"), kind="broker").status, 404)
        self.assertFalse(self.get("/api/connections").json["hasMailServer"])
        self.assertEqual(self.attempt(".smtp", kind="mail", to="a@a.example").status, 409)
        self.assertEqual(self.get("/api/connections?more=1").status, 400)

    def test_two_tests_at_a_time(self):
        """The third one is refused, and comes through when the others are over."""
        server, name, held, come = MailServer(), self.fresh("mail"), threading.Event(), threading.Semaphore(0)
        self.addCleanup(server.close)
        self.addCleanup(held.set)

        class Hold:
            def pop(self, _):
                come.release()
                held.wait(60)

            def __bool__(self):
                return not held.is_set()

        server.answers["MAIL"] = Hold()
        self.put(name, json.dumps({"url": f"smtp://localhost:{server.port}", "from": "a@a.example"}))

        def write():
            client = Client(self.server)
            client.request("POST", f"/api/connections/{name}/test", {"kind": "mail", "to": "a@a.example"})
            client.close()

        clients = [threading.Thread(target=write) for _ in range(2)]
        for client in clients:
            client.start()
            come.acquire()
        self.assertEqual(self.attempt(name, kind="broker").status, 429)
        held.set()
        for client in clients:
            client.join()
        self.assertEqual(self.attempt(name, kind="broker").status, 200)


class WithOwn(Case):
    mail = MailServer()
    arguments = ("--allow-private-calls", "--smtp", f"smtp://localhost:{mail.port}?from=a%40a.example")

    def test_the_mail_server_of_the_engine(self):
        self.assertTrue(self.get("/api/connections").json["hasMailServer"])
        answer = self.post("/api/connections/.smtp/test", {"kind": "mail", "to": "ann@a.example"})
        self.assertEqual((answer.status, answer.json["ok"]), (200, True), answer)
        self.assertEqual(self.mail.mails[0].recipients, ["ann@a.example"])
        self.assertEqual(self.post("/api/connections/.smtp/test", {"kind": "database"}).status, 400)


class Narrow(Accounts):
    def test_a_caller_sees_and_tests_what_it_may_use(self):
        own, other = self.fresh("own"), self.fresh("other")
        flow, hidden = f"a-{self.fresh('flow')}", f"b-{self.fresh('flow')}"
        for name in (own, other):
            self.assertEqual(self.ask("PUT", f"/api/secrets/{name}", {"value": PLANTED}).status, 201)
        for name in (flow, hidden):
            self.assertEqual(self.ask("POST", "/v1/definitions", mailing(name, own)).status, 201)
        viewer = self.bearer("viewer")
        self.assertEqual(self.ask("GET", "/api/connections", None, viewer).status, 403)
        self.assertEqual(self.ask("POST", f"/api/connections/{own}/test", {"kind": "broker"}, viewer).status, 403)
        narrow = self.bearer("builder", scopes=[f"secrets:use:{own}", "definitions:read:a-*"])
        items = self.ask("GET", "/api/connections", None, narrow).json["items"]
        self.assertEqual([(item["name"], [use["definitionId"] for use in item["usedBy"]], item["uses"]) for item in items], [(own, [flow], 1)])
        self.assertEqual(self.ask("POST", f"/api/connections/{other}/test", {"kind": "broker"}, narrow).status, 403)
        self.assertEqual(self.ask("POST", "/api/connections/.smtp/test", {"kind": "mail", "to": "a@a.example"}, narrow).status, 409)
        self.assertEqual(self.ask("POST", f"/api/connections/{own}/test", {"kind": "broker"}, narrow).status, 200)
        rows = self.ask("GET", "/api/audit?action=connection.test", None, ROOT).json["items"]
        self.assertEqual([row["object"] for row in rows], [own])


if __name__ == "__main__":
    main()
