"""Changes and audit of entities name the one on whose account something was done, and the one who did it."""

import json

from accounts import Accounts, PAGE, ROOT, bearer
from grpc_client import port_of
from harness import main
from members import CloudEvent, METHOD, Member, event, one_transition, processor
from pace import paced

import grpc

ENGINE = ("pawl", "system")


def told(change):
    """(user, kind, executor's id, executor's kind)"""
    by = change["executedBy"]
    return change["user"], change["attributedKind"], by["id"], by["kind"]


class Attribution(Accounts):
    def model(self, *workflows):
        name = self.fresh("order")
        self.assertEqual(self.ask("POST", f"/api/model/import/JSON/SAMPLE_DATA/{name}/1", {"amount": 1}).status, 200)
        if workflows:
            self.assertEqual(self.ask("POST", f"/api/model/{name}/1/workflow/import", {"workflows": list(workflows)}).json, {"success": True})
        self.assertEqual(self.ask("PUT", f"/api/model/{name}/1/lock").status, 200)
        return name

    def create(self, model, headers=ROOT):
        answer = self.ask("POST", f"/api/entity/JSON/{model}/1", {"amount": 1}, headers)
        self.assertEqual(answer.status, 200, answer)
        return answer.json[0]["entityIds"][0]

    def changes(self, entity):
        return [told(one) for one in self.ask("GET", f"/api/entity/{entity}/changes").json]

    def audit(self, entity):
        """All events of the audit, as changes() has them."""
        items = self.ask("GET", f"/api/audit/entity/{entity}?limit=1000").json["items"]
        return [told({**one, "user": one["actor"]["id"], "attributedKind": one["actor"]["kind"]}) for one in items]

    def changes_by_grpc(self, entity):
        with grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}") as channel:
            call = channel.unary_stream(METHOD + "entitySearchCollection", CloudEvent.SerializeToString, CloudEvent.FromString)
            asked = event("EntityChangesMetadataGetRequest", entityId=entity)
            answers = call(asked, metadata=[("authorization", ROOT["Authorization"])])
            return [told(json.loads(one.text_data)["changeMeta"]) for one in answers]

    def assert_told(self, entity, *wanted):
        self.assertEqual(self.changes(entity), list(wanted))
        self.assertEqual(self.changes_by_grpc(entity), list(wanted))
        self.assertEqual(set(self.audit(entity)), set(wanted))

    def callers(self):
        """(headers, what is told of their writes)"""
        key, portal, person = self.key("sender", "viewer"), self.key("sender", actsFor=True), self.user("admin")
        return ((ROOT, ("root", "service", "root", "service")),
                (bearer(key["key"]), (key["name"], "service", key["name"], "service")),
                ({**self.login(person), **PAGE}, (person, "user", person, "user")),
                ({**bearer(portal["key"]), "X-Actor": person}, (person, "user", portal["name"], "service")))

    def test_writes_and_deletes_name_their_callers(self):
        model, callers = self.model(), self.callers()
        for (headers, first), (other, second) in zip(callers, callers[1:] + callers[:1]):
            entity = self.create(model, headers)
            self.assertEqual(self.ask("PUT", f"/api/entity/JSON/{entity}", {"amount": 2}, other).status, 200)
            self.assertEqual(self.ask("DELETE", f"/api/entity/{entity}", None, headers).status, 200)
            self.assert_told(entity, first, second, first)

    def test_a_removal_of_many_names_its_caller(self):
        callers = self.callers()
        for headers, said in callers[1:]:
            model = self.model()
            entity = self.create(model)
            self.assertEqual(self.ask("DELETE", f"/api/entity/{model}/1", None, headers).status, 200)
            self.assert_told(entity, said, callers[0][1])

    def test_nobody_is_the_timer_or_the_engine_by_their_own_word(self):
        portal, model = bearer(self.key("sender", actsFor=True)["key"]), self.model()
        for name in ("timer", "pawl", "system"):
            entity = self.create(model, {**portal, "X-Actor": name})
            self.assertEqual(self.changes(entity)[0][:2], (name, "user"))
            self.assertEqual({one["system"] for one in self.ask("GET", f"/api/audit/entity/{entity}?eventType=EntityChange").json["items"]}, {False})

    def scheduled(self, *processors):
        """A model whose entities go from NEW to OLD to ANCIENT by themselves."""
        soon = {"name": "EXPIRE", "next": "OLD", "schedule": {"delayMs": 1}, "processors": list(processors)}
        later = {"name": "FADE", "next": "ANCIENT", "schedule": {"delayMs": 1}}
        states = {"NEW": {"transitions": [soon]}, "OLD": {"transitions": [later]}, "ANCIENT": {}}
        return self.model({"version": "1", "name": "w", "initialState": "NEW", "states": states})

    def test_the_engine_makes_a_scheduled_transition_for_the_one_who_armed_it(self):
        model = self.scheduled()
        for headers, said in self.callers():
            entity = self.create(model, headers)
            self.until(lambda entity=entity: len(self.changes(entity)) == 3)
            self.assert_told(entity, said[:2] + ENGINE, said[:2] + ENGINE, said)

    @paced
    def test_the_last_write_has_armed_it(self, pace):
        later = {"name": "EXPIRE", "next": "OLD", "schedule": {"delayMs": int(pace.seconds(1) * 1000)}}
        model = self.model({"version": "1", "name": "w", "initialState": "NEW", "states": {"NEW": {"transitions": [later]}, "OLD": {}}})
        callers = self.callers()
        entity = self.create(model, callers[1][0])
        self.assertEqual(self.ask("PUT", f"/api/entity/JSON/{entity}", {"amount": 2}, callers[2][0]).status, 200)
        self.until(lambda: len(self.changes(entity)) == 3)
        self.assert_told(entity, callers[2][1][:2] + ENGINE, callers[2][1], callers[1][1])

    def test_processors_of_a_scheduled_transition_hear_of_the_one_who_armed_it(self):
        tag = self.fresh("tag")
        model, (member, _) = self.scheduled(processor("p", tag, mode="SYNC")), self.node(tag)
        headers, said = self.callers()[2]
        self.create(model, headers)
        attributes = member.next_request()[2].attributes
        self.assertEqual((attributes["authtype"].ce_string, attributes["authid"].ce_string), ("user", said[0]))

    def test_the_audit_names_the_tenant(self):
        there = {**ROOT, "X-Pawl-Tenant": self.fresh("tenant").lower()}
        self.assertEqual(self.ask("POST", "/api/tenants", {"name": there["X-Pawl-Tenant"]}).status, 201)
        for headers, tenant in ((ROOT, "default"), (there, there["X-Pawl-Tenant"])):
            name = self.fresh("order")
            self.assertEqual(self.ask("POST", f"/api/model/import/JSON/SAMPLE_DATA/{name}/1", {"amount": 1}, headers).status, 200)
            self.assertEqual(self.ask("PUT", f"/api/model/{name}/1/lock", None, headers).status, 200)
            entity = self.create(name, headers)
            items = self.ask("GET", f"/api/audit/entity/{entity}", None, headers).json["items"]
            self.assertEqual({one["actor"]["legalId"] for one in items}, {tenant})
            last = self.ask("GET", f"/api/audit/entity/{entity}/workflow/{items[0]['transactionId']}/finished", None, headers)
            self.assertEqual(last.json["actor"]["legalId"], tenant)

    # ---- cascades ----

    def node(self, tag, **more):
        key = self.key("worker", "sender", "viewer")
        member = Member(port_of(self.server), [tag], metadata=[("authorization", f"Bearer {key['key']}")], **more)
        self.addCleanup(member.close)
        return member, key

    def test_the_engine_goes_on_for_the_one_who_wrote(self):
        tag = self.fresh("tag")
        model = self.model(one_transition(processor("p", tag, mode="COMMIT_BEFORE_DISPATCH")))
        self.node(tag)
        for headers, said in self.callers():
            entity = self.create(model, headers)
            self.assert_told(entity, said[:2] + ENGINE, said)

    def test_a_processor_that_writes_does_so_for_the_one_who_wrote(self):
        tag = self.fresh("tag")
        plain, model = self.model(), self.model(one_transition(processor("p", tag, mode="SYNC")))
        other, old = self.create(plain), self.create(plain)
        done = {}

        def work(request):
            token = {"X-Tx-Token": member.tokens[request["requestId"]], **bearer(key["key"])}
            done["made"] = self.create(plain, token)
            self.ask("PUT", f"/api/entity/JSON/{other}", {"amount": 9}, token)
            self.ask("DELETE", f"/api/entity/{old}", None, token)
            return {}
        member, key = self.node(tag, work=work)
        headers, said = self.callers()[2]
        entity = self.fire_aside(model, headers)
        cascade = said[:2] + (key["name"], "service")
        first = ("root", "service", "root", "service")
        self.assertEqual(self.changes(entity), [said])
        self.assertEqual(set(self.audit(entity)), {said, said[:2] + ENGINE})
        self.assert_told(done["made"], cascade)
        self.assert_told(other, cascade, first)
        self.assert_told(old, cascade, first)

    def fire_aside(self, model, headers):
        """Creates an entity on a connection of its own: the processor uses the case's."""
        finish = self.client.later(f"/api/entity/JSON/{model}/1", {"amount": 1}, headers)
        answer = finish()
        self.assertEqual(answer.status, 200, answer)
        return answer.json[0]["entityIds"][0]


if __name__ == "__main__":
    main()
