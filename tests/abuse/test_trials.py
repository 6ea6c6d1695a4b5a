"""Test runs that do their worst: each stays below 128 MiB, and four at once below 512 MiB."""

import http.client
import json
import threading

from abuse import AbuseCase, MIB, PATIENCE, main
from steps import decide, end, service, transform

TRIALS_MAX = 4
LARGE = 250000  # Bytes of a text that a run's variables just hold.


def flow(*steps):
    return {"id": "t", "name": "t", "steps": list(steps)}


def parallel(state):
    """A family that grows eightfold, each time with copies of its data, or waits."""
    branches = [{"name": f"b{i}", "startsAt": f"S{i}", "waitForCompletion": True, "states": [{"name": f"S{i}", "end": True, **state}]} for i in range(7)]
    return {"id": "t", "name": "t", "startsAt": "P", "states": [{"name": "P", "type": "PARALLEL", "branches": branches, "end": True}]}


AGAIN = decide("again", {"1 == 1": "a", "1 == 2": "end"})
WORST = {
    "a loop that carries much": {"document": flow(service("a", "again"), AGAIN, end()), "input": {"x": "y" * LARGE}},
    "a loop that copies much": {"document": flow(service("a", "t"), transform("t", "again", {"v": "${x}"}), AGAIN, end()), "input": {"x": "y" * (LARGE // 2)}},
    "a loop whose worker brings much": {"document": flow(service("a", "again"), AGAIN, end()), "pins": {"a": {"x": "y" * LARGE}}},
    "a long chain": {"document": flow(*[service(f"s{i}", f"s{i + 1}") for i in range(450)], end("s450")), "input": {"x": "y" * 40000}},
    "a chain that is told at its end": {"document": flow(*[service(f"s{i}", f"s{i + 1}") for i in range(30)], end("s30")), "input": {"x": "y" * LARGE}},
    "a large document": {"document": flow(*[service(f"s{i}", f"s{i + 1}", description="n" * 350) for i in range(1900)], end("s1900"))},
    "a family without end": {"document": parallel({"type": "SUBFLOW", "workflowId": "t", "waitForCompletion": True}), "input": {"x": "y" * LARGE}},
    "many regions": {"document": parallel({"type": "DELAY", "timeDelay": "PT1H"}), "input": {"x": "y" * LARGE}},
}


class Trials(AbuseCase):
    def trial(self, body, ends):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            connection.request("POST", "/api/trials", json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            ends.append((response.status, json.loads(response.read().splitlines()[-1])))
        finally:
            connection.close()

    def trials(self, *bodies):
        """The last lines of these runs, which go on at the same time."""
        ends = []
        threads = [threading.Thread(target=self.trial, args=(body, ends)) for body in bodies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([status for status, _ in ends], [200] * len(bodies), ends)
        return [line for _, line in ends]


class Alone(Trials):
    def test_one_run(self):
        for name, body in WORST.items():
            with self.subTest(name):
                self.trials(body)
                self.assert_memory(128 * MIB)

    def test_a_run_that_takes_too_much_says_so(self):
        line, = self.trials(WORST["a loop that carries much"])
        self.assertEqual(line["status"], "stopped")
        self.assertIn("bytes of memory (REHEARSED_BYTES_MAX)", line["reason"])

    def test_variables_that_are_too_large_are_refused(self):
        answer = self.post("/api/trials", {"document": flow(end()), "input": {"x": "y" * 300000}})
        self.assertEqual((answer.status, "the most is 262144" in answer.json["message"]), (413, True), answer)


class Together(Trials):
    """An engine of its own: the most that a process has ever held is what is measured."""

    arguments = ("--lease", "30s")

    def test_as_many_runs_as_there_may_be(self):
        for name, body in WORST.items():
            with self.subTest(name):
                self.trials(*[body] * TRIALS_MAX)
                self.assert_memory(512 * MIB)


if __name__ == "__main__":
    main()
