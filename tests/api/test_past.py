"""pointInTime and transactionId: obeyed or refused by every route of the contract and every event of gRPC."""

import json

import grpc

import entities
import harness
from entities import EntityCase
from grpc_client import port_of
from harness import example_path, main
from members import METHOD, CloudEvent, event
from test_tokens import EVERY, events, operations

# Each route that takes one of them; {model} and {entity} are filled in.
TAKES = {
    "getEntity": ("GET", "/api/entity/{entity}"),
    "listTransitions": ("GET", "/api/entity/{entity}/transitions"),
    "fetchTransitions": ("GET", "/api/platform-api/entity/fetch/transitions?entityClass={model}.1&entityId={entity}"),
    "listEntityChanges": ("GET", "/api/entity/{entity}/changes"),
    "listEntities": ("GET", "/api/entity/{model}/1"),
    "countEntities": ("GET", "/api/entity/stats"),
    "countEntitiesByState": ("GET", "/api/entity/stats/states"),
    "countModelEntities": ("GET", "/api/entity/stats/{model}/1"),
    "countModelEntitiesByState": ("GET", "/api/entity/stats/states/{model}/1"),
    "deleteEntities": ("DELETE", "/api/entity/{model}/1"),
    "searchEntities": ("POST", "/api/search/direct/{model}/1"),
    "beginSearch": ("POST", "/api/search/async/{model}/1"),
    "listEntityAudit": ("GET", "/api/audit/entity/{entity}"),
}
RUBBISH = {"pointInTime": ("rubbish", "", "2026-13-01T00:00:00Z", "%zz", "2026-01-01T00:00:00Z&pointInTime=2026-01-01T00:00:00Z"),
           "transactionId": ("rubbish", "", "%zz")}


class Moments(EntityCase):
    arguments = ("--grpc", "127.0.0.1:0", "--mcp")

    def setUp(self):
        super().setUp()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}")
        self.addCleanup(self.channel.close)

    def begin(self):
        """An entity with a past, another one that comes and goes, and a third."""
        self.prepare(entities.WORKFLOW)
        self.made = self.written(self.create({"amount": 1}))[0]
        self.first = self.made["entityIds"][0]
        self.second = self.created({"amount": 2})
        self.early = self.next_moment(self.second)
        self.paid = self.changed(self.first, {"amount": 5}, "PAY")
        self.written(self.delete(f"/api/entity/{self.second}"))
        self.third = self.created({"amount": 200})

    def next_moment(self, entity):
        """The time of the entity's last change, once the clock of the engine has gone on."""
        shown = self.entity(entity)["meta"]["lastUpdateTime"]
        other = self.fresh("tick")
        self.post(f"/api/model/import/JSON/SAMPLE_DATA/{other}/1", {"a": 1})
        self.put(f"/api/model/{other}/1/lock")
        while True:
            made = self.post(f"/api/entity/JSON/{other}/1", {"a": 1}).json[0]["entityIds"][0]
            if self.entity(made)["meta"]["creationDate"] > shown:
                return shown

    def fill(self, text):
        return text.replace("{model}", self.model).replace("{entity}", self.first)

    def asked(self, name, query):
        method, path = TAKES[name]
        path = self.fill(path)
        return self.client.request(method, path + ("&" if "?" in path else "?") + query, EVERY if method == "POST" else None)

    def test_rubbish_is_refused_with_its_name(self):
        self.begin()
        self.assertEqual({name for name, _, _, takes in operations() if takes & {"pointInTime", "transactionId"}}, set(TAKES))
        for name, method, path, takes in operations():
            for parameter, values in RUBBISH.items():
                for value in values:
                    with self.subTest(name, **{parameter: value}):
                        if name in TAKES:
                            answer = self.asked(name, f"{parameter}={value}")
                        else:
                            answer = self.client.request(method, example_path(path) + f"?{parameter}={value}")
                        self.assertEqual(answer.status, 400, answer)
                        self.assertIn(parameter.encode(), answer.body)

    def test_what_a_route_does_not_take_is_refused(self):
        self.begin()
        values = {"pointInTime": self.early, "transactionId": self.paid}
        for name, _, _, takes in operations():
            for parameter, value in values.items():
                if name in TAKES and parameter not in takes:
                    with self.subTest(name, parameter=parameter):
                        answer = self.asked(name, f"{parameter}={value}")
                        self.assert_code(answer, 400, "BAD_REQUEST")
                        self.assertIn(parameter, answer.json["detail"])

    def test_lists(self):
        self.begin()
        def page(query):
            return [(one["data"]["amount"], one["meta"]["state"]) for one in self.read(f"/api/entity/{self.model}/1?{query}")]
        self.assertEqual(page(""), [(5, "PAID"), (200, "LARGE")])
        at = f"pointInTime={self.early}"
        self.assertEqual(page(at), [(1, "NEW"), (2, "NEW")])
        self.assertEqual([page(f"{at}&pageSize=1&pageNumber={number}") for number in range(3)], [[(1, "NEW")], [(2, "NEW")], []])
        self.assertEqual(page(f"{at}&pageSize=1&after={entities.NIL}"), [(1, "NEW")])
        self.assertEqual(page(f"{at}&after={self.first}"), [(2, "NEW")])
        self.assertEqual(page(f"{at}&after={self.second}"), [])
        self.assertEqual(page("pointInTime=2020-01-01T00:00:00Z"), [])
        self.assert_code(self.get(f"/api/entity/{self.model}x/1?{at}"), 404, "MODEL_NOT_FOUND")

    def test_counts(self):
        self.begin()
        at = f"pointInTime={self.early}"
        mine = lambda items: [{name: one[name] for name in one if name in ("state", "count")} for one in items if one["modelName"] == self.model]
        for path in (f"/api/entity/stats/states/{self.model}/1", "/api/entity/stats/states"):
            self.assertEqual(mine(self.read(path)), [{"state": "LARGE", "count": 1}, {"state": "PAID", "count": 1}])
            self.assertEqual(mine(self.read(f"{path}?{at}")), [{"state": "NEW", "count": 2}])
            self.assertEqual(mine(self.read(f"{path}?{at}&states=PAID")), [])
            self.assertEqual(mine(self.read(f"{path}?pointInTime=2030-01-01T00:00:00Z")), mine(self.read(path)))
        self.assertEqual(mine(self.read(f"/api/entity/stats?{at}")), [{"count": 2}])
        self.assertEqual(self.read(f"/api/entity/stats/{self.model}/1?{at}")["count"], 2)
        self.assertEqual(self.read(f"/api/entity/stats/{self.model}/1?pointInTime=2020-01-01T00:00:00Z")["count"], 0)

    def test_changes(self):
        self.begin()
        def changes(query, entity=self.first):
            return [one["changeType"] for one in self.read(f"/api/entity/{entity}/changes?{query}")]
        self.assertEqual(changes(""), ["UPDATE", "CREATE"])
        self.assertEqual(changes(f"pointInTime={self.early}"), ["CREATE"])
        self.assertEqual(changes(f"transactionId={self.made['transactionId']}"), ["CREATE"])
        self.assertEqual(changes(f"transactionId={self.paid.upper()}"), ["UPDATE", "CREATE"])
        self.assertEqual(changes(f"pointInTime={self.early}", self.second), ["CREATE"])
        for query in ("pointInTime=2020-01-01T00:00:00Z", f"transactionId={self.first}"):
            self.assert_code(self.get(f"/api/entity/{self.first}/changes?{query}"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get(f"/api/entity/{self.first}/changes?pointInTime={self.early}&transactionId={self.paid}"), 400, "BAD_REQUEST")

    def test_transitions(self):
        self.begin()
        fetch = f"/api/platform-api/entity/fetch/transitions?entityClass={self.model}.1&entityId={self.first}&"
        for path in (f"/api/entity/{self.first}/transitions?", fetch):
            self.assertEqual(self.read(path), [])
            self.assertEqual(self.read(f"{path}pointInTime={self.early}"), ["CHECK", "PAY"])
            self.assertEqual(self.read(f"{path}transactionId={self.made['transactionId']}"), ["CHECK", "PAY"])
            self.assertEqual(self.read(f"{path}transactionId={self.paid}"), [])
            self.assert_code(self.get(f"{path}pointInTime=2020-01-01T00:00:00Z"), 404, "ENTITY_NOT_FOUND")
        self.assert_code(self.get(fetch.replace(".1", ".2") + f"pointInTime={self.early}"), 404, "ENTITY_NOT_FOUND")

    def test_transitions_of_the_workflows_that_the_entity_had_then(self):
        self.begin()
        other = json.loads(json.dumps(entities.WORKFLOW).replace("PAY", "SETTLE"))
        self.import_workflows(other, mode="REPLACE")
        self.changed(self.third, {"amount": 3})
        path = f"/api/entity/{self.first}/transitions?"
        self.assertEqual(self.read(f"{path}transactionId={self.made['transactionId']}"), ["CHECK", "PAY"])

    # ---- gRPC ----

    def send(self, method, kind, **data):
        call = self.channel.unary_stream(METHOD + method, CloudEvent.SerializeToString, CloudEvent.FromString)
        return [json.loads(answer.text_data) for answer in call(event(kind, **data), timeout=harness.PATIENCE)]

    def test_events_refuse_rubbish_with_its_name(self):
        self.begin()
        data = {"model": {"name": self.model, "version": 1}, "entityId": self.first, "condition": EVERY}
        for method, kind in events():
            for parameter in RUBBISH:
                for value in ("rubbish", "", 7):
                    with self.subTest(kind, **{parameter: value}):
                        answer = self.send(method, kind, **data, **{parameter: value})[0]
                        self.assertFalse(answer["success"])
                        self.assertIn(parameter, answer["error"]["message"])
        self.assertEqual(self.read(f"/api/entity/stats/{self.model}/1")["count"], 2)

    def test_events_obey_them(self):
        self.begin()
        of, at = {"name": self.model, "version": 1}, {"pointInTime": self.early}
        listed = self.send("entitySearchCollection", "EntityGetAllRequest", model=of, **at)
        self.assertEqual([one["payload"]["data"]["amount"] for one in listed], [1, 2])
        self.assertEqual([one["count"] for one in self.send("entitySearchCollection", "EntityStatsGetRequest", model=of, **at)], [2])
        by_state = self.send("entitySearchCollection", "EntityStatsByStateGetRequest", model=of, **at)
        self.assertEqual([(one["state"], one["count"]) for one in by_state], [("NEW", 2)])
        for moment in (at, {"transactionId": self.made["transactionId"]}):
            changes = self.send("entitySearchCollection", "EntityChangesMetadataGetRequest", entityId=self.first, **moment)
            self.assertEqual([one["changeMeta"]["changeType"] for one in changes], ["CREATE"])
            self.assertEqual(self.send("entitySearch", "EntityGetRequest", entityId=self.first, **moment)[0]["payload"]["data"], {"amount": 1})


if __name__ == "__main__":
    main()
