"""A definition is published by somebody who may use the secrets that it names, wherever it names them."""

from accounts import Accounts
from graphs import one_call
from harness import main

TEMPLATE = "Bearer {{ secrets.pay_key }}"


def http(**config):
    return {"type": "action_http", "config": {"url": "https://pay.example", **config}}


def workflow(name, **metadata):
    return {"id": name, "name": name, "startsAt": "A", "functions": [{"name": "f", "resource": "https://pay.example/x", "metadata": metadata}],
            "states": [{"name": "A", "type": "OPERATION", "actions": [{"functionref": {"refname": "f"}}], "end": True}]}


def triggered(name, type, **config):
    return {"dialect": "graph/1", "definitionId": name, "name": name, "nodes": [{"id": "t", "type": type, "config": config}, {"id": "end", "type": "end"}], "edges": [{"from": "t", "to": "end"}]}


def cases(name):
    """A document for each place that can name the secret pay_key, and the place."""
    mail = {"to": ["a@example.com"], "subject": "x", "body": "y"}
    return [
        (one_call(name, http(headers={"Authorization": TEMPLATE}), secretRefs=["pay_key"]), "/secretRefs/0"),
        (one_call(name, http(), secretRefs=["pay_key"]), "/secretRefs/0"),
        (one_call(name, {"type": "action_db", "config": {"connectionRef": "vault:pay_key", "sql": "select 1"}}), "/nodes/1/config/connectionRef"),
        (one_call(name, {"type": "action_email", "config": {**mail, "connectionRef": "pay_key"}}), "/nodes/1/config/connectionRef"),
        (workflow(name, headers={"Authorization": TEMPLATE}), "/functions/0/metadata/headers/Authorization"),
        (workflow(name, query={"key": "{{ secrets.pay_key }}"}), "/functions/0/metadata/query/key"),
        (triggered(name, "trigger_webhook", path=f"/{name}", authType="ApiKey", secretRef="vault:pay_key"), "/nodes/0/config/secretRef"),
        (triggered(name, "trigger_mqtt", brokerRef="vault:pay_key", topic="a"), "/nodes/0/config/brokerRef"),
        (triggered(name, "trigger_mqtt", brokerRef="vault:pay_broker", topic="a", payloadFormat="Protobuf", schemaRef="vault:pay_key#a.B"), "/nodes/0/config/schemaRef"),
        (triggered(name, "trigger_poll", sourceType="RestApi", connectionRef="pay_key", pollingInterval=1, pollingUnit="Hours"), "/nodes/0/config/connectionRef"),
        ({"id": name, "name": name, "steps": [{"id": "e", "name": "e", "type": "END"}], "triggers": [{"id": "t", "type": "webhook", "path": f"/{name}", "authType": "ApiKey", "secretRef": "pay_key"}]}, "/triggers/0/secretRef"),
    ]


class Secrets(Accounts):
    def setUp(self):
        super().setUp()
        builder = ["definitions:write", "definitions:read"]
        self.plain = self.bearer("builder")
        self.other = self.bearer("builder", scopes=[*builder, "secrets:use:ship_*", "secrets:use:pay_broker"])
        self.paying = self.bearer("builder", scopes=[*builder, "secrets:use:pay_*"])
        self.any = self.bearer("builder", scopes=[*builder, "secrets:use"])

    def publish(self, document, caller):
        return self.ask("POST", "/api/workflows" if "nodes" in document else "/v1/definitions", document, caller)

    def test_each_place_that_names_a_secret_is_asked_for(self):
        for i in range(len(cases(""))):
            document, place = cases(self.fresh("flow"))[i]
            with self.subTest(place=place, i=i):
                for caller in (self.other, *(() if "pay_broker" in str(document) else (self.plain,))):
                    refused = self.publish(document, caller)
                    self.assertEqual(refused.status, 403, refused)
                    self.assertEqual([refused.json.get(member) for member in ("permission", "object", "place", "roles")], ["secrets:use", "pay_key", place, ["builder", "admin"]], refused)
                self.assertEqual(self.publish(document, self.paying).status, 201)

    def test_a_connection_that_data_names_can_be_any(self):
        document = one_call(self.fresh(), {"type": "action_db", "config": {"connectionRef": "vault:{{ trigger.db }}", "sql": "select 1"}})
        refused = self.publish(document, self.paying)
        self.assertEqual((refused.status, refused.json["object"], refused.json["place"]), (403, "*", "/nodes/1/config/connectionRef"))
        self.assertEqual(self.publish(document, self.any).status, 201)

    def test_drafts_trials_and_documents_without_secrets_need_nothing(self):
        name = self.fresh()
        self.assertEqual(self.publish(one_call(name, http()), self.plain).status, 201)
        document, _ = cases(name)[0]
        self.assertEqual(self.ask("PUT", f"/api/workflows/{name}/draft", document, {**self.plain, "If-None-Match": "*"}).status, 201)
        self.ask("PUT", "/api/secrets/pay_key", {"value": "planted-value-of-pay"})
        tried = self.ask("POST", "/api/trials", {"document": document, "input": {}}, self.plain)
        self.assertNotIn(b"planted-value", tried.body)
        self.assertEqual(self.publish(document, self.plain).status, 403)

    def test_the_audit_has_the_names(self):
        name = self.fresh()
        self.assertEqual(self.publish(cases(name)[0][0], self.paying).status, 201)
        row = self.ask("GET", f"/api/audit?action=definition.deploy&object={name}").json["items"][0]
        self.assertEqual(row["details"]["secrets"], ["pay_key"])

    def test_the_reason_is_explained(self):
        name = self.user("builder")
        told = self.ask("GET", f"/api/access/explain?principal={name}&permission=secrets:use&object=pay_key").json["decision"]
        self.assertEqual((told["allowed"], "only by a scope" in str(told)), (False, True), told)


if __name__ == "__main__":
    main()
