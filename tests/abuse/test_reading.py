"""Documents that take long to read, within the limits: nobody else waits for them."""

import json
import random
import signal
import threading

import grpc

from abuse import CALM_SECONDS, MEASURES, MIB, PATIENCE, AbuseCase, Client, LivenessProbe, Server, main, request_bytes
from grpc_client import port_of
from members import METHOD, CloudEvent, event
from steps import end, wait


def many_names(count, seed=7):
    """As many different names as the reader of XML takes, in an order that no cache likes."""
    numbers = list(range(count))
    random.Random(seed).shuffle(numbers)
    return numbers


def xml_document(count=990000 if MEASURES else 40000):
    return ("<r>" + "".join(f"<a{number:x}/>" for number in many_names(count)) + "</r>").encode()


def json_document(size):
    text = "{" + ",".join(f'"k{number:x}":1' for number in many_names(size // 11)) + "}"
    return text.encode()[:-1] + b" " * (size - len(text)) + b"}"


class Reading(AbuseCase):
    arguments = ("--grpc", "127.0.0.1:0")

    def assert_not_held_up(self, probe):
        """It was up to seven seconds, and is some milliseconds on a machine that does nothing else."""
        self.assert_calm(probe)
        if MEASURES:
            self.assertLess(self.metric("pawl_network_longest_round_seconds"), CALM_SECONDS)

    def at_once(self, jobs):
        """Runs them all at the same time, each on a thread of its own; their results."""
        results = [None] * len(jobs)

        def run(i):
            results[i] = jobs[i]()

        threads = [threading.Thread(target=run, args=(i,)) for i in range(len(jobs))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(4 * PATIENCE)
        return results

    def sender(self, path, body, media_type):
        def send():
            client = Client(self.server)
            client.connection.timeout = 4 * PATIENCE
            answer = client.post(path, body, {"Content-Type": media_type})
            client.close()
            return answer.status
        return send

    def test_xml_holds_up_nobody(self):
        """With 990,000 names the network's thread stood still for three seconds for each of them."""
        document = xml_document()
        with LivenessProbe(self.server) as probe:
            statuses = self.at_once([self.sender("/api/entity/XML/nobody/1", document, "application/xml")])
        self.assertEqual(statuses, [404])
        self.assert_not_held_up(probe)

    def test_json_holds_up_nobody(self):
        """As large as a body may be, and as costly: many names."""
        document, payload = json_document(10 * MIB), json_document(4 * MIB)
        listed = json.dumps([{"model": {"name": "nobody", "version": 1}, "payload": payload.decode()}]).encode()
        paths = [("/api/entity/JSON/nobody/1", document), ("/v1/instances", payload), ("/api/entity/JSON", listed)]
        with LivenessProbe(self.server) as probe:
            statuses = self.at_once([self.sender(path, body, "application/json") for path, body in paths])
        self.assertEqual(statuses, [404, 400, 404])
        self.assert_not_held_up(probe)

    def test_messages_of_grpc_hold_up_nobody(self):
        channel = grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}", options=[("grpc.max_send_message_length", 5 * MIB)])
        self.addCleanup(channel.close)
        texts = [{"dataFormat": "XML", "data": "<r>" + "".join(f"<a{n:x}/>" for n in many_names(200000)) + "</r>"},
                 {"dataFormat": "JSON", "data": json.loads(json_document(3 * MIB))}]

        def send(text):
            call = channel.unary_stream(METHOD + "entityManage", CloudEvent.SerializeToString, CloudEvent.FromString)
            sent = event("EntityCreateRequest", dataFormat=text["dataFormat"],
                         payload={"model": {"name": "nobody", "version": 1}, "data": text["data"]})
            answer, = call(sent, timeout=4 * PATIENCE)
            return json.loads(answer.text_data)["error"]["message"].split(":")[0]

        with LivenessProbe(self.server) as probe:
            codes = self.at_once([lambda text=text: send(text) for text in texts * 2])
        self.assertEqual(codes, ["MODEL_NOT_FOUND"] * 4)
        self.assert_not_held_up(probe)

    def test_clients_that_leave_meanwhile_harm_nobody(self):
        """What they hold is counted until it is read, so others of their kind are refused."""
        document = xml_document(200000 if MEASURES else 40000)
        request = request_bytes("POST", "/api/entity/XML/nobody/1", document, Content_Type="application/xml")
        with LivenessProbe(self.server) as probe:
            for _ in range(4):
                connection = self.dial()
                try:
                    connection.sendall(request)
                except OSError:  # It was refused before it was all there.
                    pass
                connection.close()
            self.assertEqual(self.get("/livez").status, 200)
            # Reads all that waits before it: there are two threads.
            self.assertIn(self.sender("/v1/instances", b'{"definitionId":"x"}' + b" " * (100 << 10), "application/json")(), (404, 503))
        self.assert_not_held_up(probe)
        self.assert_memory(1024 * MIB)

    def test_requests_of_one_connection_keep_their_order(self):
        """The engine keeps the order of calls on a definition that it knows to be cheap."""
        name = self.upload([wait("w", "end"), end()])
        self.start(name)
        connection = self.dial()
        for _ in range(3):
            key = self.fresh("key")
            start = json.dumps({"definitionId": name, "businessKey": key}).encode() + b" " * MIB
            connection.sendall(request_bytes("POST", "/v1/instances", start, Content_Type="application/json") +
                               request_bytes("POST", f"/v1/definitions/{name}/signals/w?businessKey={key}", b"{}", Content_Type="application/json"))
            file, statuses = connection.makefile("rb"), []
            while len(statuses) < 2:
                statuses.append(int(file.readline().split()[1]))
                length = 0
                while (line := file.readline().strip()):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                file.read(length)
            self.assertEqual(statuses, [201, 204])

    def test_the_engine_stops_while_documents_are_read(self):
        document = xml_document(150000 if MEASURES else 30000)
        server = Server()
        requests = []
        for _ in range(3):
            client = Client(server)
            client.connection.request("POST", "/api/entity/XML/nobody/1", document, {"Content-Type": "application/xml"})
            requests.append(client)
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(4 * PATIENCE), 0, server.log())
        for client in requests:
            client.close()


if __name__ == "__main__":
    main()
