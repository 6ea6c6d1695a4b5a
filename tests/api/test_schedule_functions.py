"""Functions that say when a scheduled transition is made: calculation nodes answer for each write."""

import time

import harness
from harness import main
from members import Case


def schedule(said, kind="Schedule"):
    """A node's answer."""
    return lambda request: {"resultKind": kind, "result": said}


class ScheduleFunctions(Case):
    def workflow(self, **config):
        later = {"name": "LATER", "next": "LATE", "schedule": {"function": {"name": "when", "resultKind": "Schedule", "calculationNodesTags": self.tag, **config}}}
        return {"name": "w", "initialState": "OPEN", "states": {"OPEN": {"transitions": [later]}, "LATE": {}}}

    def events(self, entity):
        items = self.get(f"/api/audit/entity/{entity}?eventType=StateMachine&limit=100").json["items"]
        return [item["eventType"] for item in reversed(items) if item["eventType"].startswith("SCHEDULED")]

    def change(self, entity, amount):
        return self.client.request("PUT", f"/api/entity/JSON/{entity}", {"amount": amount})

    def test_a_request_says_what_it_asks(self):
        self.prepare(self.workflow(context="days=3"))
        member = self.member(schedule({"fireAfterMs": 3600000}))
        entity = self.created({"amount": 7})
        kind, request, message = member.next_request()
        self.assertEqual((kind, request["functionName"], request["entityId"], request["parameters"]), ("EntityFunctionCalculationRequest", "when", entity, "days=3"))
        self.assertEqual(request["transition"], {"id": "LATER", "name": "LATER", "stateFrom": "OPEN", "stateTo": "LATE"})
        self.assertEqual(request["payload"]["data"], {"amount": 7})
        self.assertTrue(message.attributes["cyodatxtoken"].ce_string)  # By which it reads what its transaction has written.
        self.assertEqual(self.events(entity), ["SCHEDULED_TRANSITION_ARM"])

    def test_the_transition_is_made_when_the_function_says(self):
        for said in ({"fireAfterMs": 1}, {"fireAt": int(time.time() * 1000) - 5000}, {"fireAt": int(time.time() * 1000) + 1, "expireAfterMs": 60000}):
            with self.subTest(said):
                self.setUp()
                self.prepare(self.workflow())
                member = self.member(schedule(said))
                entity = self.created()
                self.until(lambda: self.state(entity)[0] == "LATE")
                self.assertEqual(self.events(entity), ["SCHEDULED_TRANSITION_ARM", "SCHEDULED_TRANSITION_FIRE"])
                member.close()

    def test_each_write_asks_again_and_may_disarm(self):
        self.prepare(self.workflow())
        member = self.member(schedule({"fireAfterMs": 600000}))
        entity = self.created()
        member.work = schedule({"fireAfterMs": 1, "expireAfterMs": 0})
        self.assertEqual(self.change(entity, 2).status, 200)
        self.assertEqual((self.events(entity), self.state(entity)),
                         (["SCHEDULED_TRANSITION_ARM", "SCHEDULED_TRANSITION_EXPIRE", "SCHEDULED_TRANSITION_CANCEL"], ("OPEN", {"amount": 2})))

    def test_a_bad_answer_undoes_the_write(self):
        self.prepare(self.workflow())
        member = self.member(schedule({"fireAfterMs": 600000}))
        entity = self.created()
        for work in (schedule({}), schedule({"fireAfterMs": 1}, "Time"), schedule("soon"), lambda request: {}, schedule({"fireAt": 1, "fireAfterMs": 1}), schedule({"fireAt": "2030-01-01"})):
            member.work = work
            self.assert_code(self.change(entity, 2), 500, "SCHEDULE_FUNCTION_INVALID_RESULT", "no schedule")
        self.assertEqual(self.state(entity), ("OPEN", {"amount": 1}))
        self.assertEqual(self.events(entity), ["SCHEDULED_TRANSITION_ARM"])

    def test_no_answer_undoes_the_write(self):
        self.prepare(self.workflow(responseTimeoutMs=50))
        self.assert_code(self.create(), 503, "NO_COMPUTE_MEMBER_FOR_TAG")
        member = self.member(lambda request: {"success": False, "error": {"code": "X", "message": "no calendar"}})
        self.assert_code(self.create(), 400, "WORKFLOW_FAILED", 'function "when" failed: no calendar')
        member.work = lambda request: None
        self.assert_code(self.create(), 400, "WORKFLOW_FAILED", "time")
        self.setUp()
        self.prepare(self.workflow())
        member = self.member(lambda request: None)
        later = self.create_later()
        member.asked()
        member.kill()
        self.assert_code(later(), 503, "COMPUTE_MEMBER_DISCONNECTED")
        self.assertEqual(self.get(f"/api/entity/{self.model}/1").json, [])

    def test_what_is_wrong_with_a_schedule_is_told_at_the_import(self):
        self.prepare()
        for wrong in ({"function": {}}, {"function": "when"}, {"function": {"name": "f", "resultKind": "Time"}}, {"function": {"name": "f"}, "delayMs": 5},
                      {"function": {"name": "f"}, "timeoutMs": 5}, {"function": {"name": "f", "responseTimeoutMs": 3600001}}, {}, {"delayMs": 0}):
            workflow = self.workflow()
            workflow["states"]["OPEN"]["transitions"][0]["schedule"] = wrong
            answer = self.post(f"/api/model/{self.model}/1/workflow/import", {"workflows": [workflow]})
            self.assert_code(answer, 400, "VALIDATION_FAILED")
        given = self.workflow(attachEntity=False)
        self.assertEqual(self.post(f"/api/model/{self.model}/1/workflow/import", {"workflows": [given]}).status, 200)
        kept = self.get(f"/api/model/{self.model}/1/workflow/export").json["workflows"][0]["states"]["OPEN"]["transitions"][0]["schedule"]
        self.assertEqual(kept, given["states"]["OPEN"]["transitions"][0]["schedule"])


class Restart(Case):
    def begin(self, data):
        self.server = harness.Server(self.arguments, data)
        self.addCleanup(self.server.kill)
        super().setUp()

    def test_a_crash_between_the_time_and_the_answer_is_made_good(self):
        """A timer leads to a state whose function is asked: killed there, the engine makes the transition again."""
        data = harness.tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(harness.shutil.rmtree, data, ignore_errors=True)
        self.begin(data)
        tag = self.tag
        on = {"name": "ON", "next": "ASKED", "schedule": {"delayMs": 1000}}
        end = {"name": "END", "next": "DONE", "schedule": {"function": {"name": "when", "calculationNodesTags": tag}}}
        self.prepare({"name": "w", "initialState": "OPEN", "states": {"OPEN": {"transitions": [on]}, "ASKED": {"transitions": [end]}, "DONE": {}}})
        member = self.member(lambda request: None)
        entity = self.created()
        first = member.asked()
        self.assertEqual(self.state(entity)[0], "OPEN")
        self.server.kill()
        self.begin(data)
        self.until(lambda: self.metric('pawl_compute_dispatches_total{outcome="no_member"}') >= 1)  # Its time is over, and no node is there yet.
        member = self.member(schedule({"fireAfterMs": 1}), tags=[tag])
        self.assertNotEqual(member.asked()["requestId"], first["requestId"])
        self.until(lambda: self.state(entity)[0] == "DONE")
        self.server.stop()


if __name__ == "__main__":
    main()
