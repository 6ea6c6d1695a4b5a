"""The verbs that talk to an engine, on the Serverless Workflow dialect: event, show, ps, jobs."""

import json
import unittest
import urllib.request

from program import PATIENCE, Case

ORDER = """
id: order
name: Order
startsAt: Placed
triggers:
  - {name: placed, source: /shop, type: placed, correlationToken: $.data.order}
  - {name: paid, source: /shop, type: paid, correlationToken: $.data.order}
functions:
  - {name: pack, type: worker}
states:
  - name: Placed
    type: EVENT
    eventActions:
      - {condition: placed, actions: [], transition: {nextState: Notify}}
  - {name: Notify, type: SUBFLOW, workflowId: child, transition: Both}
  - name: Both
    type: PARALLEL
    branches:
      - name: left
        startsAt: Note
        waitForCompletion: true
        states: [{name: Note, type: RELAY, inject: {noted: true}, end: true}]
      - name: right
        startsAt: Pack
        waitForCompletion: true
        states: [{name: Pack, type: OPERATION, actions: [{functionref: {refname: pack}}], end: true}]
    transition: {nextState: Paid}
  - name: Paid
    type: EVENT
    end: true
    eventActions:
      - {condition: paid, actions: []}
"""
CHILD = "{id: child, name: Child, startsAt: W, states: [{name: W, type: DELAY, timeDelay: PT1H, end: true}]}"


def event(number, kind, **more):
    return {"specversion": "1.0", "id": str(number), "source": "/shop", "type": kind, **more}


class Workflows(Case):
    def setUp(self):
        super().setUp()
        self.serving = self.serve()
        self.pawl("deploy", self.file("child.yaml", CHILD), self.file("order.yaml", ORDER))

    def pawl(self, *arguments, **more):
        return self.run_pawl(*arguments, PAWL_SERVER=self.serving.url, **more)

    def send(self, *events):
        """What each did."""
        body = json.dumps(events[0] if len(events) == 1 else events)
        return json.loads(self.pawl("event", "-", "--json", stdin=body).out)["events"]

    def post(self, path, body):
        request = urllib.request.Request(self.serving.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or b"null")

    def take(self):
        return self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["pack"]})["jobs"][0]["id"]

    def test_events_say_what_they_did(self):
        text = "specversion: '1.0'\nid: '1'\nsource: /shop\ntype: placed\ndata: {order: 7}\n"
        lines = self.pawl("event", self.file("e.yaml", text)).out.splitlines()
        self.assertEqual(lines[0].split(), ["EVENT", "SOURCE", "TYPE", "OUTCOME", "INSTANCES", "OR", "REASON"])
        instance = lines[1].split()[-1]
        self.assertEqual(lines[1].split(), ["1", "/shop", "placed", "started", instance])
        again = self.pawl("event", self.file("e.json", json.dumps(event(1, "placed")))).out
        self.assertRegex(again, rf"duplicate \(started before\) +{instance}")
        lines = self.pawl("event", "-", stdin=json.dumps([event(2, "paid", data={"order": 7}), event(3, "odd")])).out.splitlines()
        self.assertEqual(lines[1].split()[3:], ["delivered", instance])
        self.assertRegex(lines[2], r"unmatched +no definition takes events of this source and type$")
        lines = self.pawl("event", self.file("list.yaml", "- {specversion: '1.0', id: a, source: s, type: t}\n")).out.splitlines()
        self.assertIn("unmatched", lines[1])

    def test_an_unmatched_event_is_sent_again_by_its_number(self):
        early = {**event(1, "paid", data={"order": 7}), "timetolive": 0}  # It is not kept.
        self.assertEqual(self.send(early)[0]["outcome"], "unmatched")
        self.assertRegex(self.pawl("event", "--resend", "1").out, r"/shop +paid +unmatched")
        instance = self.send(event(2, "placed", data={"order": 7}))[0]["instances"][0]["id"]
        self.assertRegex(self.pawl("event", "--resend", "1").out, rf"/shop +paid +delivered +{instance}")
        self.assertIn("1", self.pawl("event", "--resend=1", code=3).err)
        for arguments in ((), ("--resend", "0"), ("--resend", "x"), ("-", "--resend", "1")):
            self.pawl("event", *arguments, code=2)

    def test_events_that_are_refused(self):
        cases = [({"specversion": "1.0", "id": "1", "source": "s"}, 2, '"type"'), ([event(1, "a"), event(2, "")], 2, "event 1 of the batch"),
                 (7, 2, "an event is an object")]
        for body, code, message in cases:
            self.assertIn(message, self.pawl("event", "-", stdin=json.dumps(body), code=code).err)
        self.assertIn("not JSON", self.pawl("event", "-", stdin="{", code=2).err)
        self.pawl("event", "nothing.json", code=3)

    def test_a_full_mailbox_is_for_later(self):
        serving = self.serve("--limit", "mailbox_events_max=1", "--store", "memory")
        workflow = {"id": "both", "name": "B", "startsAt": "E", "triggers": [{"name": kind, "source": "/shop", "type": kind} for kind in "ab"],
                    "states": [{"name": "E", "type": "EVENT", "end": True, "eventActions": [{"condition": "a and b", "actions": []}]}]}
        settings = {"PAWL_SERVER": serving.url}
        self.run_pawl("deploy", self.file("both.json", json.dumps(workflow)), **settings)
        self.run_pawl("start", "both", **settings)
        self.run_pawl("event", "-", stdin=json.dumps(event(1, "a")), **settings)
        self.run_pawl("event", "-", stdin=json.dumps(event(2, "a")), code=6, **settings)
        self.assertIn("refused", self.run_pawl("event", "-", stdin=json.dumps([event(2, "a"), event(3, "x")]), code=6, **settings).out)

    def test_an_instance_is_shown_in_its_own_words(self):
        instance = self.send(event(1, "placed", data={"order": 7}))[0]["instances"][0]["id"]
        self.send(event(2, "paid", data={"order": 7}))
        shown = self.pawl("show", instance).out
        for part in ("status      Running\n", "token       7", "children", ", child, Running", "events      paid of /shop, id 2",
                     "path        Placed > Notify > Both\n", "Both/right/Pack", 'waits for a worker of type "pack"'):
            self.assertIn(part, shown)
        self.assertIn('Placed\n  in  {}\n  out {"order":7}\n', shown)
        self.assertIn('Both/left/Note\n  in  {"order":7}\n  out {"order":7,"noted":true}\n', shown)
        self.assertRegex(self.pawl("jobs").out, rf"pack.*{instance}|{instance}.*pack")
        self.post(f"/v1/jobs/{self.take()}/complete", {"workerId": "w", "result": {"packed": True}})
        shown = self.pawl("show", instance).out
        self.assertIn("status      Done (Success)", shown)
        self.assertIn("path        Placed > Notify > Both > Paid\n", shown)
        self.assertIn("Done", self.pawl("ps", "--definition", "order").out)
        child = json.loads(self.pawl("show", instance, "--json").out)["children"][0]["id"]
        self.assertIn(f"parent      {instance}", self.pawl("show", child).out)

    def test_an_error_is_shown(self):
        instance = self.send(event(1, "placed", data={"order": 7}))[0]["instances"][0]["id"]
        self.post(f"/v1/jobs/{self.take()}/fail", {"workerId": "w", "errorName": "PackException", "errorMessage": "no box"})
        shown = self.pawl("show", instance).out
        for part in ("status      Failed (Fail)", "reason      PackException: no box", "error       PackException in Pack, function pack"):
            self.assertIn(part, shown)


if __name__ == "__main__":
    unittest.main()
