"""MQTT triggers, against a real broker: messages become instances, and none is lost."""

import json
import os
import shutil
import subprocess
import tempfile
import time

from harness import PATIENCE, ROOT, Case, Client, Server, main, needs_one_node

SERVICE = os.path.join(ROOT, "tests", "services", "mosquitto")


def graph(name, topic, **trigger):
    nodes = [{"id": "message", "type": "trigger_mqtt", "config": {"brokerRef": "vault:broker", "topic": topic, **trigger}}, {"id": "end", "type": "end"}]
    return {"dialect": "graph/1", "definitionId": name, "name": name, "nodes": nodes, "edges": [{"from": "message", "to": "end"}]}


def steps(name, topic, **trigger):
    return {"id": name, "name": name, "steps": [{"id": "e", "name": "E", "type": "END"}],
            "triggers": [{"id": "message", "type": "mqtt", "brokerRef": "vault:broker", "topic": topic, **trigger}]}


class Messages(Case):
    arguments = ("--allow-private-calls",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = tempfile.mkdtemp(prefix="pawl-mosquitto-")
        cls.broker("start")

    @classmethod
    def tearDownClass(cls):
        cls.broker("stop")
        shutil.rmtree(cls.directory)
        super().tearDownClass()

    @classmethod
    def broker(cls, verb):
        out = subprocess.run([SERVICE, verb, cls.directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True).stdout.strip()
        cls.broker_port = int(out or cls.broker_port)

    def call(self, method, path, body=None, server=None):
        """The answer's status and JSON; another engine than the usual one may be asked."""
        client = Client(server) if server else self.client
        answer = client.request(method, path, body)
        if server:
            client.close()
        return answer.status, answer.json if answer.body else None

    def publish(self, topic, *lines, qos=1, options=()):
        """Publishes a message for each line, over one connection."""
        subprocess.run(["mosquitto_pub", "-p", str(self.broker_port), "-t", topic, "-q", str(qos), "-l", *options],
                       check=True, input="".join(line + "\n" for line in lines), text=True)

    def prepare(self, document, server=None):
        self.call("PUT", "/api/secrets/broker", {"value": json.dumps({"host": "127.0.0.1", "port": self.broker_port})}, server)
        status, answer = self.call("POST", "/v1/definitions", document, server)
        self.assertEqual(status, 201, answer)

    def numbers(self, name, server=None):
        """The member n of the payloads that created instances."""
        found, page = [], 0
        while True:
            status, answer = self.call("GET", f"/v1/instances?definitionId={name}&pageSize=200&page={page}", None, server)
            self.assertEqual(status, 200, answer)
            found += [item["variables"]["trigger"]["payload"]["n"] for item in answer["items"]]
            if len(found) >= answer["total"] or not answer["items"]:
                return found
            page += 1

    def await_instances(self, name, count, server=None):
        """Looks until there are so many: each look is a request."""
        end = time.monotonic() + PATIENCE
        while True:
            total = self.call("GET", f"/v1/instances?definitionId={name}&pageSize=1", None, server)[1]["total"]
            if total >= count:
                return total
            self.assertLess(time.monotonic(), end, f"{total} of {count}")

    def subscribe(self, document, topic, server=None):
        """Publishes until the first message arrives: from then on the subscription is there."""
        self.prepare(document, server)
        self.publish(topic, '{"n": 0}', options=("-r",))
        self.await_instances(document.get("definitionId", document.get("id")), 1, server)

    def test_a_message_creates_an_instance_with_its_topic(self):
        name = self.fresh("mqtt")
        self.subscribe(graph(name, f"{name}/+/reading", onMatch="AlwaysCreate"), f"{name}/s1/reading")
        for qos in (0, 1, 2):
            self.publish(f"{name}/s2/reading", json.dumps({"n": qos + 1}), qos=qos)
        self.await_instances(name, 4)
        self.assertEqual(sorted(self.numbers(name)), [0, 1, 2, 3])
        newest = self.call("GET", f"/v1/instances?definitionId={name}&pageSize=1")[1]["items"][0]["variables"]["trigger"]
        self.assertEqual((newest["topic"], newest["retained"]), (f"{name}/s2/reading", False))

    def test_the_trigger_says_how_surely_messages_come(self):
        """A broker delivers a message no more surely than the subscription asks for."""
        for form in (graph, steps):
            seen = []
            for qos in (0, 1):
                name = self.fresh("mqtt")
                self.subscribe(form(name, name, qos=qos, onMatch="AlwaysCreate"), name)
                self.publish(name, '{"n": 1}', qos=2)
                self.await_instances(name, 2)
                seen += [item["variables"]["trigger"]["qos"] for item in self.get(f"/v1/instances?definitionId={name}").json["items"]
                         if item["variables"]["trigger"]["payload"] == {"n": 1}]
            self.assertEqual(seen, [0, 1])

    def broker_state(self, name):
        self.move_on()  # The node that leads has the connection.
        trigger, = self.get(f"/api/triggers?definitionId={name}").json["items"]
        return trigger.get("broker", {})

    @needs_one_node  # Only the node that leads has a connection to show.
    def test_the_connection_is_shown(self):
        name = self.fresh("mqtt")
        self.subscribe(graph(name, name, onMatch="AlwaysCreate"), name)
        before = self.broker_state(name)
        self.assertEqual((before["ref"], before["connected"]), ("vault:broker", True), before)
        self.assertNotIn("error", before)
        self.publish(name, '{"n": 1}', '{"n": 2}')
        self.await_instances(name, 3)
        self.assertEqual(self.broker_state(name)["messages"], before["messages"] + 2)
        self.assertEqual(self.metric('pawl_mqtt_messages_total{broker="vault:broker"}'), before["messages"] + 2)
        self.broker("stop")
        self.until(lambda: not self.broker_state(name)["connected"])
        self.assertIn("error", self.broker_state(name))
        self.assertEqual(self.metric('pawl_mqtt_connected{broker="vault:broker"}'), 0)
        self.broker("start")
        self.until(lambda: self.broker_state(name)["connected"])
        after = self.broker_state(name)
        self.assertEqual(after["reconnects"], before["reconnects"] + 1)
        self.assertGreater(after["since"], before["since"])
        self.assertEqual(self.metric('pawl_mqtt_connects_total{broker="vault:broker"}'), after["reconnects"] + 1)

    def test_what_is_no_json_creates_nothing(self):
        name = self.fresh("mqtt")
        self.subscribe(graph(name, name, onMatch="AlwaysCreate"), name)
        self.publish(name, "{", "no", '{"n": 1}')
        self.await_instances(name, 2)
        self.assertEqual(sorted(self.numbers(name)), [0, 1])

    def test_protobuf_is_read_with_a_schema_from_the_vault(self):
        name = self.fresh("mqtt")
        # message M { int32 n = 1; }, as protoc describes it.
        schema = "CiUKCG1uLnByb3RvIhEKAU0SDAoBbhgBIAEoBVIBbmIGcHJvdG8z"
        self.call("PUT", "/api/secrets/telemetry", {"value": schema})
        self.prepare(graph(name, name, onMatch="AlwaysCreate", payloadFormat="Protobuf", schemaRef="vault:telemetry#M"))
        self.until(lambda: self.broker_state(name).get("connected"))
        self.publish(name, "\x08\x05", options=("-r",))
        self.await_instances(name, 1)
        self.assertEqual(self.numbers(name), [5])

    def test_subscriptions_follow_the_latest_version(self):
        name = self.fresh("mqtt")
        self.subscribe(graph(name, f"{name}/old", onMatch="AlwaysCreate"), f"{name}/old")
        self.subscribe(graph(name, f"{name}/new", onMatch="AlwaysCreate"), f"{name}/new")
        self.await_instances(name, 2)
        self.publish(f"{name}/old", '{"n": 5}')
        self.publish(f"{name}/new", '{"n": 6}')
        self.await_instances(name, 3)
        self.assertEqual(sorted(self.numbers(name)), [0, 0, 6])

    def test_messages_that_come_while_the_engine_is_away_wait(self):
        name, data = self.fresh("mqtt"), tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, data)
        server = Server(self.arguments, data)
        self.subscribe(graph(name, name, onMatch="AlwaysCreate"), name, server)
        server.stop()
        self.publish(name, *(json.dumps({"n": n}) for n in range(1, 301)))
        self.broker("stop")
        self.broker("start")
        server = Server(self.arguments, data)
        self.addCleanup(server.stop)
        self.await_instances(name, 301, server)
        self.assertEqual(sorted(self.numbers(name, server)), list(range(301)))

    def test_no_message_is_lost_when_the_engine_is_killed(self):
        name, data, count = self.fresh("mqtt"), tempfile.mkdtemp(prefix="pawl-test-"), 3000
        self.addCleanup(shutil.rmtree, data)
        server = Server(self.arguments, data)
        self.subscribe(graph(name, name, onMatch="AlwaysCreate"), name, server)
        publisher = subprocess.Popen(["mosquitto_pub", "-p", str(self.broker_port), "-t", name, "-q", "1", "-l"], stdin=subprocess.PIPE, text=True)
        for n in range(1, count + 1):
            publisher.stdin.write(json.dumps({"n": n}) + "\n")
            if n % 1000 == 0:
                publisher.stdin.flush()
                self.await_instances(name, n - 700, server)
                server.kill()
                server = Server(self.arguments, data)
        publisher.stdin.close()
        self.assertEqual(publisher.wait(PATIENCE), 0)
        self.addCleanup(server.stop)
        end = time.monotonic() + PATIENCE
        while set(self.numbers(name, server)) != set(range(count + 1)):
            self.assertLess(time.monotonic(), end, "messages are missing")


if __name__ == "__main__":
    main()
