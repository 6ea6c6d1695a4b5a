"""Calculation nodes and processors' transactions with three nodes on one store: each is at one node, and serves requests at all."""

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

import grpc  # noqa: E402

import grpc_client  # noqa: E402
from harness import PATIENCE, ROOT, Client, Server, main  # noqa: E402
from members import METHOD, CloudEvent, Member, event, one_transition, processor  # noqa: E402

POSTGRES = os.path.join(ROOT, "tests", "services", "postgres")


def until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen"
        time.sleep(0.01)


class Node:
    """An engine, and a client of it."""

    def __init__(self, case, at_end, key="key"):
        self.server = Server(["--store", case.uri, "--grpc", "127.0.0.1:0", "--compute-wait", "0s", "--secrets-key", os.path.join(case.directory, key)])
        at_end(self.server.kill)
        self.client = Client(self.server)
        at_end(self.client.close)

    def write(self, case, document, method="POST", path=None, **headers):
        """Sends a write; call the result for the answer."""
        other = Client(self.server)
        case.addCleanup(other.close)
        other.connection.request(method, path or f"/api/entity/JSON/{case.model}/1", json.dumps(document),
                                 {"Content-Type": "application/json", **headers})

        def finish():
            response = other.connection.getresponse()
            return response.status, json.loads(response.read())
        return finish


class NodeMessages(unittest.TestCase):
    """Two nodes live through all tests. Those that kill one start it."""

    number = 0

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="pawl-node-messages-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        os.chmod(cls.directory, 0o755)
        run = subprocess.run([POSTGRES, "start", cls.directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(subprocess.run, [POSTGRES, "stop", cls.directory], check=True, stdin=subprocess.DEVNULL)
        cls.uri = f"postgres://pawl:secret@127.0.0.1:{run.stdout.strip()}/postgres"
        cls.a, cls.b = Node(cls, cls.addClassCleanup), Node(cls, cls.addClassCleanup)

    def setUp(self):
        NodeMessages.number += 1
        self.model, self.tag = f"order-{NodeMessages.number}", f"tag-{NodeMessages.number}"

    def third(self, **more):
        return Node(self, self.addCleanup, **more)

    def prepare(self, node, manual=False, **config):
        path = f"/api/model/{self.model}/1"
        self.assertEqual(node.client.post(f"/api/model/import/JSON/SAMPLE_DATA/{self.model}/1", {"amount": 1, "note": "a"}).status, 200)
        made = processor("p", self.tag, **config)
        self.assertEqual(node.client.post(path + "/workflow/import", {"workflows": [one_transition(made, manual=manual)]}).json, {"success": True})
        self.assertEqual(node.client.request("PUT", path + "/lock").status, 200)

    def member(self, node, work=None):
        member = Member(grpc_client.port_of(node.server), [self.tag], work)
        self.addCleanup(member.close)
        return member

    def listed(self, node):
        return [m for m in node.client.get("/api/compute/members").json["members"] if self.tag in m["tags"]]

    def metric(self, node, name):
        text = node.client.get("/metrics").body.decode()
        return float(next(line.split()[-1] for line in text.splitlines() if line.startswith(name + " ")))

    def test_a_member_serves_the_other_node_as_soon_as_it_has_joined(self):
        a, b = self.a, self.b
        self.prepare(b)
        for _ in range(5):
            status, answer = b.write(self, {"amount": 1})()
            self.assertEqual((status, answer["properties"]["errorCode"]), (503, "NO_COMPUTE_MEMBER_FOR_TAG"))
            member = self.member(a, lambda request: {"payload": {"data": {"amount": 7}}})
            status, answer = b.write(self, {"amount": 1})()
            self.assertEqual(status, 200, answer)
            shown = b.client.get(f"/api/entity/{answer[0]['entityIds'][0]}").json
            self.assertEqual((shown["meta"]["state"], shown["data"]), ("DONE", {"amount": 7}))
            (listed,), (own,) = self.listed(b), self.listed(a)
            self.assertEqual((listed["memberId"], listed["tags"], listed["node"]), (member.id, [self.tag], own["node"]))
            member.outbox.put(None)
            self.assertEqual(member.wait_end(), grpc.StatusCode.OK)
            self.assertEqual(self.listed(b), [])
        self.assertGreater(self.metric(b, 'pawl_node_messages_total{what="sent"}'), 4)
        self.assertGreater(self.metric(a, 'pawl_node_messages_total{what="answered"}'), 4)
        self.assertGreater(self.metric(a, 'pawl_errands_total{what="answered"}'), 4)  # Its old name, for one version.

    def test_warnings_of_a_member_go_to_the_other_node(self):
        a, b = self.a, self.b
        self.prepare(b)
        self.member(a, lambda request: {"warnings": ["slow"], **({"success": False, "error": {"message": "no"}} if request["payload"]["data"]["amount"] > 1 else {})})
        self.assertEqual(b.write(self, {"amount": 1})()[1][0]["warnings"], ["slow"])
        status, answer = b.write(self, {"amount": 2})()
        self.assertEqual((status, answer["detail"].endswith("no"), answer["properties"]["warnings"]), (400, True, ["slow"]))

    def test_large_documents_go_there_and_back(self):
        a, b = self.a, self.b
        self.prepare(b)
        note = "x" * 900000
        self.member(a, lambda request: {"payload": {"data": {"amount": 2, "note": request["payload"]["data"]["note"] + "y"}}})
        status, answer = b.write(self, {"amount": 1, "note": note})()
        self.assertEqual(status, 200, answer)
        self.assertEqual(b.client.get(f"/api/entity/{answer[0]['entityIds'][0]}").json["data"], {"amount": 2, "note": note + "y"})

    def test_failures_and_time_outs_are_told_as_at_home(self):
        a, b = self.a, self.b
        self.prepare(b, timeout_ms=400)
        member = self.member(a, lambda request: {"success": False, "error": {"code": "E", "message": "too blue"}})
        status, answer = b.write(self, {"amount": 1})()
        self.assertEqual((status, answer["detail"]), (400, 'WORKFLOW_FAILED: processor "p" failed: too blue'))
        member.work = lambda request: None
        status, answer = b.write(self, {"amount": 1})()
        self.assertEqual(status, 400)
        self.assertIn("not answered in time", answer["detail"])
        member.asked()
        late = member.asked()
        # The member's node may hear a moment later that nobody waits any more, and take the first one.
        member.reply(late, {}), member.reply(late, {})
        self.assertIn("no such request", member.next("EventAckResponse")["error"]["message"])

    def test_a_member_that_is_lost_is_told_as_at_home(self):
        a, b = self.a, self.b
        self.prepare(b)
        member = self.member(a, lambda request: None)
        later = b.write(self, {"amount": 1})
        member.asked()
        member.kill()
        status, answer = later()
        self.assertEqual((status, answer["properties"]["errorCode"]), (503, "COMPUTE_MEMBER_DISCONNECTED"))

    def test_the_node_of_a_member_is_killed_in_the_middle(self):
        a, b = self.third(), self.b
        self.prepare(b)
        member = self.member(a, lambda request: None)
        later = b.write(self, {"amount": 1})
        member.asked()
        began = time.monotonic()
        a.server.kill()
        status, answer = later()
        self.assertEqual((status, answer["properties"]["errorCode"]), (503, "COMPUTE_MEMBER_DISCONNECTED"))
        self.assertLess(time.monotonic() - began, 15)  # Not the half minute that a processor has.
        until(lambda: self.listed(b) == [], "the end of its members")

    def test_committed_work_goes_on_at_another_member(self):
        a, b, c = self.third(), self.a, self.b
        self.prepare(b, mode="COMMIT_BEFORE_DISPATCH")
        dying = self.member(a, lambda request: None)
        later = b.write(self, {"amount": 1})
        first = dying.asked()
        other = self.member(c, lambda request: {"payload": {"data": {"amount": 5}}})
        a.server.kill()
        status, answer = later()
        self.assertEqual(status, 200, answer)
        self.assertEqual(other.asked()["requestId"], first["requestId"])

    def test_the_node_that_asked_is_killed_and_its_committed_work_goes_on(self):
        a, b = self.a, self.third()
        self.prepare(b, mode="COMMIT_BEFORE_DISPATCH")
        member = self.member(a, lambda request: None)
        b.write(self, {"amount": 1})
        first = member.asked()
        b.server.kill()
        again = member.asked()  # The other node has taken over the job.
        self.assertEqual(again["requestId"], first["requestId"])
        member.reply(again, {"payload": {"data": {"amount": 6}}})

        def is_done():
            shown = a.client.get(f"/api/entity/{first['entityId']}").json
            return (shown["meta"]["state"], shown["data"]) == ("DONE", {"amount": 6})
        until(is_done, "the answer's effect")

    def test_committed_work_of_a_dead_node_waits_for_a_member(self):
        a, b = self.a, self.third()
        self.prepare(b, mode="COMMIT_BEFORE_DISPATCH")
        member = self.member(b, lambda request: None)
        b.write(self, {"amount": 1})
        first = member.asked()
        b.server.kill()  # The member is gone with it, and nobody waits for the answer any more.
        until(lambda: any(node.client.get("/api/compute/members").json["requestsWaiting"] for node in (a, self.b)), "the take-over")
        again = self.member(a, lambda request: {"payload": {"data": {"amount": 6}}})
        self.assertEqual(again.asked()["requestId"], first["requestId"])
        until(lambda: a.client.get(f"/api/entity/{first['entityId']}").json["data"] == {"amount": 6}, "the answer's effect")

    def begin_held(self, member, node):
        """A write that waits for its processor, the request and the token."""
        later = node.write(self, {"amount": 1})
        _, request, message = member.next_request()
        return later, request, message.attributes["cyodatxtoken"].ce_string

    def test_a_token_is_good_at_every_node(self):
        a, b, c = self.a, self.b, self.third()
        self.prepare(b)
        member = self.member(a, lambda request: None)
        later, request, token = self.begin_held(member, b)
        # The processor writes by HTTP at the third node, and reads by gRPC at the first.
        inner = c.write(self, {"amount": 2}, **{"X-Tx-Token": token})
        _, asked, _ = member.next_request()  # The new entity has a processor, too.
        member.reply(asked, {})
        status, answer = inner()
        self.assertEqual(status, 200, answer)
        made = answer[0]["entityIds"][0]
        self.assertEqual(c.client.get(f"/api/entity/{made}").status, 404)
        self.assertEqual(c.client.get(f"/api/entity/{made}", {"X-Tx-Token": token}).json["data"], {"amount": 2})
        self.assertEqual(self.get_by_grpc(a, made, token)["payload"]["data"], {"amount": 2})
        self.assertFalse(self.get_by_grpc(a, made, "")["success"])
        member.reply(request, {})
        self.assertEqual(later()[0], 200)
        self.assertEqual(c.client.get(f"/api/entity/{made}").json["data"], {"amount": 2})
        for node in (a, b, c):
            answer = node.client.get(f"/api/entity/{made}", {"X-Tx-Token": token})
            self.assertEqual((answer.status, answer.json["properties"]["errorCode"]), (404, "TRANSACTION_NOT_FOUND"))

    def get_by_grpc(self, node, entity, token):
        with grpc.insecure_channel(f"127.0.0.1:{grpc_client.port_of(node.server)}") as channel:
            call = channel.unary_unary(METHOD + "entitySearch", CloudEvent.SerializeToString, CloudEvent.FromString)
            answer = call(event("EntityGetRequest", entityId=entity), metadata=[("tx-token", token)] if token else [], timeout=PATIENCE)
            return json.loads(answer.text_data)

    def sql(self, text):
        return subprocess.run(["psql", "-qAtX", self.uri, "-c", text], check=True, stdout=subprocess.PIPE, text=True).stdout.split()

    def doubted(self, node):
        return self.metric(node, 'pawl_node_messages_total{what="doubted"}')

    def test_somebody_who_can_write_the_table_gets_nothing(self):
        """A forged call, and real ones once more: as they were, of another sender, to another target and with another number."""
        a, b = self.a, self.b
        self.prepare(b)
        member = self.member(b, lambda request: None)
        later, request, token = self.begin_held(member, b)
        self.sql("CREATE TABLE recorded AS SELECT target, sender, number, until, text FROM errand WHERE false; "
                 "CREATE FUNCTION record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO recorded "
                 "VALUES(NEW.target, NEW.sender, NEW.number, NEW.until, NEW.text); RETURN NEW; END $$; "
                 "CREATE TRIGGER record AFTER INSERT ON errand FOR EACH ROW EXECUTE FUNCTION record()")
        inner = a.write(self, {"amount": 2}, **{"X-Tx-Token": token})
        _, asked, _ = member.next_request()
        member.reply(asked, {})
        self.assertEqual(inner()[0], 200)
        self.sql("DROP TRIGGER record ON errand")
        # The call is what the other node had sent: the letter behind the proof says so.
        target, sender, number = self.sql("SELECT target || ' ' || sender || ' ' || number FROM recorded WHERE get_byte(text, 41) = ascii('c')")
        doubted = self.doubted(b)
        again = "INSERT INTO errand(target, sender, number, until, text) SELECT {}, {}, {}, now() + interval '1 hour', {} FROM recorded " \
            f"WHERE target = {target} AND sender = {sender} AND number = {number}"
        call = b"c" + b"\x01" + b"\x00" + b"\x04POST" + b"\x0a/api/users" + b"\x00" + b"\x02{}"
        forged = [(target, sender, 10 ** 9, f"'\\x{call.hex()}'"), (target, sender, 10 ** 9, f"'\\x50{'00' * 40}{call.hex()}'"),
                  (target, sender, f"number + {10 ** 6}", "text"), (target, 10 ** 9, "number", "text"), (target, "target", "number", "text"),
                  (target, sender, "number", "text || '\\x00'"), (target, sender, "number", "overlay(text placing '\\x64' from 42)")]
        for row in [(target, sender, "number", "text"), *forged]:
            self.sql(again.format(*row))
        until(lambda: self.doubted(b) == doubted + len(forged), "the refusal")
        self.assertEqual(self.sql("SELECT count(*) FROM errand WHERE target = " + target), ["0"])
        warned = [line for line in b.server.log().splitlines() if "a message of another node was refused" in line]
        self.assertLessEqual(len(warned), 2)  # One a minute.
        member.reply(request, {})
        self.assertEqual(later()[0], 200)
        with self.assertRaises(queue.Empty):
            member.requests.get_nowait(), member.requests.get_nowait(), member.requests.get_nowait()
        self.assertEqual(len(a.client.get(f"/api/entity/{self.model}/1").json), 2)

    def test_a_node_with_another_key_is_not_believed(self):
        a, b = self.a, self.third(key="other-key")
        self.prepare(a)
        until(lambda: self.doubted(a) and self.doubted(b), "the doubt")
        foreign = self.member(b)
        status, answer = a.write(self, {"amount": 1})()
        self.assertEqual((status, answer["properties"]["errorCode"]), (503, "NO_COMPUTE_MEMBER_FOR_TAG"))
        self.assertEqual((self.listed(a), len(self.listed(b))), ([], 1))
        until(lambda: "all nodes need the same key file" in b.server.log(), "the log line")
        foreign.close()
        member = self.member(a, lambda request: None)
        later, request, token = self.begin_held(member, a)
        status, answer = b.write(self, {"amount": 2}, **{"X-Tx-Token": token})()
        self.assertEqual((status, answer["properties"].get("retryable")), (503, True), answer)
        self.assertIn("has not proven itself", answer["detail"])
        member.reply(request, {})
        self.assertEqual(later()[0], 200)

    def test_a_new_key_of_the_secrets_loses_no_message(self):
        a, b = self.a, self.b
        self.prepare(b)
        self.member(a)
        doubted = self.doubted(a), self.doubted(b)
        for node in (a, b):
            self.assertEqual(node.client.post("/api/secrets/rekey").status, 200)
            for _ in range(3):
                status, answer = b.write(self, {"amount": 1})()
                self.assertEqual(status, 200, (answer, a.server.log(), b.server.log()))
        self.assertEqual((self.doubted(a), self.doubted(b)), doubted)
        late = self.third()  # It has never had the old keys, and others tell it their members once more.
        until(lambda: len(self.listed(late)) == 1, "the list of members")
        self.assertEqual(late.write(self, {"amount": 1})()[0], 200)

    def test_the_node_of_a_transaction_is_killed(self):
        a, b, c = self.a, self.third(), self.b
        self.prepare(b)
        member = self.member(a, lambda request: None)
        _, _, token = self.begin_held(member, b)
        waits = c.write(self, {"amount": 2}, **{"X-Tx-Token": token})
        member.asked()
        member.asked()
        b.server.kill()
        status, answer = waits()  # It was at work in that transaction.
        self.assertEqual((status, answer["properties"]["errorCode"]), (404, "TRANSACTION_NOT_FOUND"))
        status, answer = a.write(self, {"amount": 2}, **{"X-Tx-Token": token})()
        self.assertEqual((status, answer["properties"]["errorCode"]), (404, "TRANSACTION_NOT_FOUND"))

    def fenced(self, *nodes):
        return sum(self.metric(node, "pawl_nodes_fenced_total") for node in nodes)

    def test_a_node_that_was_taken_for_dead_does_not_say_that_a_transaction_of_another_is_over(self):
        a, b, c = self.a, self.b, self.third()
        self.prepare(b)
        member = self.member(a, lambda request: None)
        later, request, token = self.begin_held(member, b)
        inner = c.write(self, {"amount": 2}, **{"X-Tx-Token": token})
        _, asked, _ = member.next_request()
        channel = grpc.insecure_channel(f"127.0.0.1:{grpc_client.port_of(c.server)}")
        self.addCleanup(channel.close)
        create = channel.unary_unary(METHOD + "entityManage", CloudEvent.SerializeToString, CloudEvent.FromString)
        model = {"name": self.model, "version": 1}
        call = create.future(event("EntityCreateRequest", dataFormat="JSON", payload={"model": model, "data": {"amount": 3}}),
                             metadata=[("tx-token", token)], timeout=PATIENCE)
        _, called, _ = member.next_request()
        fenced = self.fenced(a, b)
        c.server.process.send_signal(signal.SIGSTOP)
        until(lambda: self.fenced(a, b) > fenced, "the fence")
        c.server.process.send_signal(signal.SIGCONT)
        status, answer = inner()  # The transaction goes on at its node, and the write with it.
        self.assertEqual((status, answer["properties"].get("retryable")), (503, True), answer)
        self.assertIn("may have happened", answer["detail"])
        self.assertEqual((call.code(), call.details()), (grpc.StatusCode.UNAVAILABLE, answer["detail"].split(": ", 1)[1]))
        for each in (asked, called, request):
            member.reply(each, {})
        self.assertEqual(later()[0], 200)
        self.assertEqual(b.client.get(f"/api/entity/{asked['entityId']}").json["data"], {"amount": 2})
        self.assertEqual(b.client.get(f"/api/entity/{called['entityId']}").json["data"], {"amount": 3})

    def test_a_node_stops_while_another_runs_a_request_for_it(self):
        a, b, c = self.a, self.b, self.third()
        self.prepare(b)
        member = self.member(a, lambda request: None)
        later, request, token = self.begin_held(member, b)
        c.write(self, {"amount": 2}, **{"X-Tx-Token": token})
        asked = member.next("EntityProcessorCalculationRequest")
        c.server.stop()
        for each in (asked, request):
            member.reply(each, {})
        self.assertEqual(later()[0], 200)
        self.assertEqual(b.client.get(f"/api/entity/{asked['entityId']}").json["data"], {"amount": 2})

    def test_of_two_writes_at_two_nodes_the_first_that_commits_wins(self):
        """An entity is held by the memory of one node. The other node writes it, and the one that waits hears of that."""
        a, b = self.a, self.b
        self.prepare(b, manual=True)
        entity = b.write(self, {"amount": 1})()[1][0]["entityIds"][0]
        member = self.member(a, lambda request: None)
        waits = b.write(self, {"amount": 2}, "PUT", f"/api/entity/JSON/{entity}/GO")
        request = member.asked()
        status, answer = b.write(self, {"amount": 3}, "PUT", f"/api/entity/JSON/{entity}")()
        self.assertEqual((status, answer["properties"]["errorCode"]), (409, "CONFLICT"))
        self.assertEqual(a.write(self, {"amount": 4}, "PUT", f"/api/entity/JSON/{entity}")()[0], 200)
        member.reply(request, {})
        status, answer = waits()
        self.assertEqual((status, answer["properties"]["errorCode"]), (409, "CONFLICT"))
        shown = b.client.get(f"/api/entity/{entity}").json
        self.assertEqual((shown["meta"]["state"], shown["data"]), ("NEW", {"amount": 4}))

    def test_members_of_a_node_that_stops_leave(self):
        a, b = self.third(), self.b
        self.prepare(b)
        member = self.member(a)
        self.assertEqual(b.write(self, {"amount": 1})()[0], 200)
        a.server.stop()
        self.assertEqual(member.wait_end(), grpc.StatusCode.UNAVAILABLE)
        status, answer = b.write(self, {"amount": 1})()
        self.assertEqual((status, answer["properties"]["errorCode"]), (503, "NO_COMPUTE_MEMBER_FOR_TAG"))


if __name__ == "__main__":
    main()
