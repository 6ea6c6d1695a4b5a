"""Answers far larger than anybody reads at once: polls, lists, histories, streams."""

import http.client
import json
import threading

from abuse import MIB, PATIENCE, AbuseCase, Client, Events, LivenessProbe, main, request_bytes
from steps import end, service, wait

# A control character is one byte as stored and six in JSON: within the limit of 1 MiB, and a text of 6 MB.
LOUD = json.dumps({"a": "\x01" * 600_000}).encode()
COUNT = 24  # 3.6 MB each: 86 MB in one answer, if nobody looks.
ANSWER_MAX = 8 * MIB
ONE_MAX = 4 * MIB
LEASE = 600  # Seconds, so that no job comes a second time while a slow machine reads the answers.


class Answers(AbuseCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kind = "loud"
        case = cls("test_a_poll_ends_where_its_answer_is_full")
        case.client = Client(cls.server)
        case.get, case.post = case.client.get, case.client.post
        cls.definition = case.upload([service("s", "end", cls.kind), end()])
        for _ in range(COUNT):
            body = b'{"definitionId":"%s","variables":%s}' % (cls.definition.encode(), LOUD)
            assert case.post("/v1/instances", body).status == 201
        case.client.close()

    def test_a_poll_ends_where_its_answer_is_full(self):
        taken = []
        with LivenessProbe(self.server) as probe:
            while True:
                answer = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": [self.kind], "maxJobs": 200, "leaseSeconds": LEASE})
                self.assertLess(len(answer.body), ANSWER_MAX + ONE_MAX)
                jobs = answer.json["jobs"]
                if not jobs:
                    break
                taken += [job["instanceId"] for job in jobs]
        self.assertEqual(len(set(taken)), COUNT)
        self.assertEqual(len(taken), COUNT)
        self.assert_calm(probe)
        self.assert_memory(200 * MIB)

    def test_pages_by_number_keep_their_items(self):
        with LivenessProbe(self.server) as probe:
            answer = self.get(f"/v1/instances?definitionId={self.definition}&pageSize=200")
        page = answer.json
        self.assertLess(len(answer.body), ANSWER_MAX + ONE_MAX)
        self.assertEqual((len(page["items"]), page["total"]), (COUNT, COUNT))
        whole = [item for item in page["items"] if "variablesOmitted" not in item]
        short = [item for item in page["items"] if item.get("variablesOmitted")]
        self.assertGreater(len(whole), 0)
        self.assertEqual(len(whole) + len(short), COUNT)
        self.assertEqual({len(item["variables"]) for item in short}, {0})
        self.assertEqual({item["currentStepIds"][0] for item in page["items"]}, {"s"})
        self.assert_calm(probe)

    def test_pages_by_cursor_end_early(self):
        seen, cursor = [], "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
        while cursor:
            answer = self.get(f"/v1/instances?definitionId={self.definition}&pageSize=200&cursor={cursor}")
            self.assertLess(len(answer.body), ANSWER_MAX + ONE_MAX)
            seen += [item["id"] for item in answer.json["items"]]
            cursor = answer.json.get("nextCursor")
        self.assertEqual(len(seen), COUNT)
        self.assertEqual(len(set(seen)), COUNT)

    def test_many_lists_at_once(self):
        """Beyond answers_bytes_max a request is told to come back; nobody else waits."""
        statuses = []

        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
            connection.request("GET", f"/v1/instances?definitionId={self.definition}&pageSize=200")
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
            connection.close()

        threads = [threading.Thread(target=ask) for _ in range(40)]
        with LivenessProbe(self.server) as probe:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(statuses), len(threads))
        self.assertLessEqual(set(statuses), {200, 503})
        self.assertIn(200, statuses)
        self.assert_calm(probe)
        self.assert_memory(512 * MIB)

    def test_clients_that_do_not_read(self):
        """Their answers stay within a bound, and what is small is answered all the same."""
        ask = request_bytes("GET", f"/v1/instances?definitionId={self.definition}&pageSize=200")
        readers = [self.dial() for _ in range(60)]
        for reader in readers:
            reader.sendall(ask * 4)
        instance = self.start(self.upload([wait("w", "end"), end()]))["id"]
        with LivenessProbe(self.server) as probe:
            for _ in range(20):
                self.assertEqual(self.get("/livez").status, 200)
            self.until(lambda: self.get("/v1/instances?pageSize=1").status == 503)
            self.refused(self.get("/v1/instances?pageSize=1"), 503, "answers_bytes_max")
            self.assertEqual(self.post(f"/v1/instances/{instance}/signals/w").status, 204)
        self.assert_calm(probe)
        self.assert_memory(512 * MIB)
        for reader in readers:
            reader.close()
        self.until(lambda: self.get("/v1/instances?pageSize=1").status == 200)


class Histories(AbuseCase):
    def grow(self, rounds):
        """An instance whose history holds the same large data again and again."""
        steps = [wait(f"w{n}", f"w{n + 1}" if n + 1 < rounds else "end") for n in range(rounds)] + [end()]
        instance = self.start(self.upload(steps))["id"]
        for n in range(rounds):
            self.assertEqual(self.post(f"/v1/instances/{instance}/signals/w{n}", LOUD).status, 204)
        return instance

    def test_a_history_shows_all_visits_and_leaves_snapshots_out(self):
        instance = self.grow(16)
        with LivenessProbe(self.server) as probe:
            answer = self.get(f"/v1/instances/{instance}/history")
        self.assertLess(len(answer.body), ANSWER_MAX + 4 * ONE_MAX)
        items = answer.json["items"]
        self.assertEqual([item["stepId"] for item in items][:2], ["w0", "w1"])
        self.assertEqual(len(items), 17)
        self.assertTrue(items[-1]["snapshotsOmitted"])
        self.assertIsNone(items[-1]["inputSnapshot"])
        self.assert_calm(probe)
        self.assert_memory(300 * MIB)

    def test_a_stream_catches_up_with_a_long_history(self):
        """It was cut off as soon as its first events were larger than 1 MiB together."""
        instance = self.grow(8)
        with Events(self.server, instance) as events:
            got = events.all()
        self.assertEqual([event[0] for event in got], [str(n) for n in range(1, 10)] + [None])
        self.assert_memory(300 * MIB)


if __name__ == "__main__":
    main()
