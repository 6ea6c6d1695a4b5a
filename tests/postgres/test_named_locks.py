"""Named locks with three nodes on one store: one line for all nodes, also while a node dies."""

import http.server
import threading

from three_nodes import NODES, ThreeNodes

from harness import main


class Callee(http.server.ThreadingHTTPServer):
    """Answers a call when it is told to, and remembers how many there were."""

    daemon_threads = True

    def __init__(self):
        self.calls, self.answers = threading.Semaphore(0), threading.Event()
        super().__init__(("127.0.0.1", 0), self.handler())
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handler(callee):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                callee.calls.release()
                callee.answers.wait()
                try:
                    self.send_response(200)
                    self.send_header("Content-Length", "2")
                    self.end_headers()
                    self.wfile.write(b"{}")
                except OSError:
                    pass  # The node that called is dead.

            def log_message(self, *_):
                pass
        return Handler

    def close(self):
        self.answers.set()
        self.shutdown()
        self.server_close()


class NamedLocks(ThreeNodes):
    arguments = ("--allow-private-calls",)

    def publish(self, step):
        ThreeNodes.number += 1
        name, lock = f"locked-{self.number}", f"lock-{self.number}"
        document = {"dialect": "graph/1", "definitionId": name, "name": name, "edges": [{"from": "t", "to": "it"}],
                    "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "it", "lock": lock, **step}]}
        self.assertEqual(self.ask(0, "POST", "/v1/definitions", document).status, 201)
        for node in range(NODES):
            self.until(lambda node=node: self.ask(node, "GET", f"/v1/definitions/{name}").status == 200)
        return name, lock

    def person(self, **more):
        return self.publish({"type": "human_task", "config": {"title": "Ask"}, **more})

    def begin(self, node, name):
        answer = self.ask(node, "POST", "/v1/instances", {"definitionId": name})
        self.assertEqual(answer.status, 201, answer)
        return answer.json["id"]

    def seats(self, node, lock, word):
        items = self.ask(node, "GET", f"/api/locks?name={lock}").json["items"]
        return [seat["instanceId"] for seat in items[0][word]] if items else []

    def has(self, lock, holders, waiters, nodes=range(NODES)):
        for node in nodes:
            self.until(lambda node=node: (self.seats(node, lock, "holders"), self.seats(node, lock, "waiters")) == (holders, waiters))

    def answer(self, node, run):
        answer = self.ask(node, "POST", f"/api/workflows/{run}/resume", {"decision": "done"})
        self.assertEqual(answer.status, 200, answer)


class Together(NamedLocks):
    def test_runs_of_all_nodes_stand_in_one_line(self):
        name, lock = self.person()
        runs = []
        for turn in range(2 * NODES):
            runs.append(self.begin(turn % NODES, name))
            self.has(lock, runs[:1], runs[1:])
        for turn in range(len(runs)):
            self.answer((turn + 1) % NODES, runs[turn])
            self.has(lock, runs[turn + 1:turn + 2], runs[turn + 2:])

    def test_a_pool_of_two_never_has_three_holders(self):
        """Many runs come and go at all nodes at once. Each holder says so with a call, and leaves when it is answered."""
        inside, most, lock_ = [0], [0], threading.Lock()

        class Counter(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                with lock_:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                done.acquire(timeout=0.02)  # Others that are let in meanwhile are counted.
                with lock_:
                    inside[0] -= 1
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        done = threading.Semaphore(0)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counter)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        name, lock = self.publish({"type": "action_http", "lockSize": 2, "config": {
            "method": "POST", "url": f"http://127.0.0.1:{server.server_port}/in", "body": None}})
        runs, found = [[] for _ in range(NODES)], []

        def starts(node):
            for _ in range(12):
                runs[node].append(self.begin(node, name))
                found.append(len(self.seats(node, lock, "holders")))
        threads = [threading.Thread(target=starts, args=(node,)) for node in range(NODES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        everything = sum(runs, [])
        self.assertEqual(len(everything), 12 * NODES)
        for run in everything:
            self.until(lambda run=run: self.ask(0, "GET", f"/v1/instances/{run}").json["status"] == "COMPLETED")
            found.append(len(self.seats(1, lock, "holders")))
        self.assertEqual((most[0], max(found) <= 2), (2, True), found)
        self.has(lock, [], [])


class Killed(NamedLocks):
    def test_the_lock_of_a_dead_nodes_run_goes_to_the_next_one(self):
        callee = Callee()
        self.addCleanup(callee.close)
        name, lock = self.publish({"type": "action_http", "config": {
            "method": "POST", "url": f"http://127.0.0.1:{callee.server_port}/in", "body": None}})
        first = self.begin(0, name)
        self.has(lock, [first], [])
        self.assertTrue(callee.calls.acquire(timeout=30))
        second, third = self.begin(1, name), self.begin(0, name)
        self.has(lock, [first], [second, third])
        for node in range(NODES - 1):  # Wherever the holder's call is made: one node is left.
            self.servers[node].kill()
        self.has(lock, [first], [second, third], nodes=[NODES - 1])  # Its run lives, and so does its lock.
        callee.answers.set()
        for run in (first, second, third):
            self.until(lambda run=run: self.ask(NODES - 1, "GET", f"/v1/instances/{run}").json["status"] == "COMPLETED")
        self.has(lock, [], [], nodes=[NODES - 1])


class KilledAtTheEnd(NamedLocks):
    def test_a_node_that_dies_behind_the_end_of_the_holder_takes_no_waiter_along(self):
        name, lock = self.person()
        runs = [self.begin(0, name) for _ in range(3)]
        self.has(lock, runs[:1], runs[1:])
        self.assertEqual(self.ask(0, "POST", f"/v1/instances/{runs[0]}/cancel", {}).status, 200)
        self.servers[0].kill()
        self.has(lock, runs[1:2], runs[2:], nodes=[1, 2])
        self.answer(1, runs[1])
        self.has(lock, runs[2:], [], nodes=[1, 2])
        self.answer(2, runs[2])
        self.has(lock, [], [], nodes=[1, 2])


if __name__ == "__main__":
    main()
