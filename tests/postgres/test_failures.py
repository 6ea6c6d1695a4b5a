"""An engine whose store is in PostgreSQL, while the server fails: what was acknowledged is there, and nothing happened twice."""

import concurrent.futures
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

from harness import BINARY, PATIENCE, ROOT, Client, Server, raw  # noqa: E402
from steps import end, service  # noqa: E402

POSTGRES = os.path.join(ROOT, "tests", "services", "postgres")
DEFINITION = {"id": "order", "name": "order", "steps": [service("work", "end"), end()]}


def until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen"
        time.sleep(0.02)


class Starter(threading.Thread):
    """Starts instances with keys of its own, one after the other, each again until it is acknowledged."""

    def __init__(self, port, name):
        super().__init__()
        self.port, self.name, self.acknowledged, self.refused, self.enough = port, name, [], 0, False

    def run(self):
        number = 0
        while not self.enough:
            key = f"{self.name}-{number}"
            if self.start_one(key):
                self.acknowledged.append(key)
                number += 1
            else:
                self.refused += 1
                time.sleep(0.02)

    def start_one(self, key):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("POST", "/v1/instances", json.dumps({"definitionId": "order", "businessKey": key}),
                               {"Content-Type": "application/json", "Idempotency-Key": key})
            status = connection.getresponse().status
            assert status in (201, 503), status
            return status == 201
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Failures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="pawl-postgres-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        os.chmod(cls.directory, 0o755)
        port = cls.database("start").strip()
        cls.addClassCleanup(cls.database, "stop")
        cls.uri = f"postgres://pawl:secret@127.0.0.1:{port}/postgres"

    def setUp(self):
        self.sql("SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        self.server = self.engine()
        self.client = Client(self.server)
        self.addCleanup(self.client.close)
        self.client.post("/v1/definitions", DEFINITION)

    @classmethod
    def database(cls, verb):
        return subprocess.run([POSTGRES, verb, cls.directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True).stdout

    def engine(self):
        server = Server(["--store", self.uri])
        self.addCleanup(server.kill)
        return server

    def sql(self, text):
        return subprocess.run(["psql", "-qAt", self.uri, "-c", text], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def check(self):
        done = subprocess.run([BINARY, "store", "check", "--deep", "--store", self.uri], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_server_that_is_restarted_at_once_loses_nothing(self):
        starters = [Starter(self.server.port, f"s{n}") for n in range(4)]
        for starter in starters:
            starter.start()
        for _ in range(3):
            before = sum(len(starter.acknowledged) for starter in starters)
            until(lambda: sum(len(starter.acknowledged) for starter in starters) > before + 40, "forty starts")
            self.database("stop")
            self.database("start")
        before = sum(len(starter.acknowledged) for starter in starters)
        until(lambda: sum(len(starter.acknowledged) for starter in starters) > before + 40, "starts after the last restart")
        for starter in starters:
            starter.enough = True
            starter.join()
        acknowledged = [key for starter in starters for key in starter.acknowledged]
        stored = self.sql("SELECT convert_from(key, 'UTF8') FROM instance").split("\n")
        self.assertEqual(len(stored), len(set(stored)), "a start happened twice")
        self.assertLessEqual(set(acknowledged), set(stored), "an acknowledged start is lost")
        self.assertGreater(sum(starter.refused for starter in starters), 0, "nobody noticed the restarts")
        self.server.stop()
        self.check()

    def started(self, client, key):
        """Starts an instance, again and again until that is acknowledged."""
        until(lambda: client.post("/v1/instances", {"definitionId": "order", "businessKey": key}, headers={"Idempotency-Key": key}).status == 201, "a start")

    def test_an_engine_that_others_took_for_dead_joins_again(self):
        """It was stopped, others fenced it, and it wakes up."""
        self.started(self.client, "before")
        number = self.sql("SELECT id FROM node WHERE NOT dead")
        self.sql(f"BEGIN; DELETE FROM node_turn WHERE node = {number}; UPDATE node SET dead = true WHERE id = {number}; COMMIT")
        self.started(self.client, "after")
        self.assertGreater(int(self.sql("SELECT id FROM node WHERE NOT dead")), int(number))
        self.assertEqual(self.sql("SELECT count(*) FROM instance"), "2")
        until(lambda: self.sql(f"SELECT count(*) FROM node WHERE id = {number}") == "0", "taking over")
        self.server.stop()
        self.check()

    def test_an_engine_ends_if_the_server_has_lost_commits(self):
        """A standby that was behind has taken its place. Whoever starts the engine again goes on with what is there."""
        self.started(self.client, "before")
        self.sql("UPDATE node_turn SET turn = turn - 1")
        self.assertEqual(self.server.process.wait(20), 1)
        self.assertIn("has lost transactions that it had committed", self.server.log())

    def test_a_job_that_was_given_back_is_there_after_a_crash_of_the_server(self):
        """Only its row says so: the engine has forgotten it."""
        self.sql("ALTER SYSTEM SET wal_writer_delay = '10s'")
        self.addCleanup(self.sql, "ALTER SYSTEM RESET wal_writer_delay")
        self.sql("SELECT pg_reload_conf()")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            client = Client(self.server)
            self.addCleanup(client.close)
            first = pool.submit(client.post, "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["work"], "leaseSeconds": 1, "waitSeconds": 10})
            until(lambda: re.search(r"pawl_polls_waiting 1\n", self.client.get("/metrics").body.decode()), "waiting")
            self.started(self.client, "k")
            self.assertEqual(len(first.result().json["jobs"]), 1)
        until(lambda: self.sql("SELECT count(*) FROM job WHERE claimed IS NULL") == "1", "the end of the lease")
        self.database("stop")
        self.database("start")
        until(lambda: (self.client.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": ["work"]}).json or {}).get("jobs"), "the second delivery")

    def test_a_second_engine_takes_over_from_the_first_one(self):
        second = self.engine()
        client = Client(second)
        self.addCleanup(client.close)
        self.started(self.client, "first")
        self.started(client, "second")
        self.assertEqual(client.get("/v1/instances?businessKey=first").json["total"], 1)
        self.server.kill()
        until(lambda: self.sql("SELECT count(*) FROM node") == "1", "taking over")
        self.started(client, "third")
        self.assertEqual(self.sql("SELECT count(*) FROM instance"), "3")
        second.stop()
        self.check()

    def test_a_session_that_is_ended_right_behind_its_commit_has_committed(self):
        """The server says that it ends the session, and not that the transaction is committed, though it is."""
        self.sql("ALTER SYSTEM SET fsync = on")
        self.sql("ALTER SYSTEM SET commit_siblings = 0")
        self.sql("ALTER SYSTEM SET commit_delay = 100000")  # Each commit takes 0.1 s, in which a session is not ended.
        self.addCleanup(lambda: (self.sql("ALTER SYSTEM RESET ALL"), self.sql("SELECT pg_reload_conf()")))
        self.sql("SELECT pg_reload_conf()")
        until(lambda: self.sql("SHOW commit_delay") == "100000", "the new settings")
        # Only a session that writes instances is ended: others commit now and then, too. It may be missed, but not each time.
        ender = """DO $$ DECLARE ended bool; until timestamptz := clock_timestamp() + '10s'; BEGIN LOOP
            SELECT pg_terminate_backend(pid) INTO ended FROM pg_stat_activity JOIN pg_locks USING (pid)
                WHERE query LIKE 'COMMIT%' AND relation = 'instance'::regclass AND mode = 'RowExclusiveLock';
            EXIT WHEN ended OR clock_timestamp() > until; PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.003); END LOOP; END $$"""
        for number in range(3):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                ended = pool.submit(self.sql, ender)
                until(lambda: self.sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO%'") == "1", "the loop")
                answer = self.client.post("/v1/instances", {"definitionId": "order", "businessKey": f"k{number}"})
                ended.result()
            self.assertEqual((answer.status, self.sql(f"SELECT count(*) FROM instance WHERE key = 'k{number}'")), (201, "1"), answer)
            if '"outcome":"committed"' in self.server.log():
                return
        self.fail("no session was ended behind its commit")

    def cancels_of_which_one_fails(self):
        """The statuses of four cancels, of which PostgreSQL breaks off a read, unless the node read something else at that moment."""
        ids = [self.client.post("/v1/instances", {"definitionId": "order"}).json["id"] for _ in range(4)]
        self.server.stop()
        self.server = self.engine()  # It knows none of them by heart.
        self.client = Client(self.server)
        stranger = subprocess.Popen(["psql", "-qAt", self.uri], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        stranger.stdin.write("BEGIN; LOCK TABLE instance IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n")
        stranger.stdin.flush()
        self.assertEqual(stranger.stdout.readline().strip(), "locked")
        head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
        # The look-up of the key begins the transaction. Instances that are read before it begins do not spoil it.
        cancels = "".join(f"POST /v1/instances/{name}/cancel HTTP/1.1\r\n{head}Idempotency-Key: {name}\r\n{last}\r\n{{}}"
                          for name, last in zip(ids, ["", "", "", "Connection: close\r\n"]))
        # Only the session that writes has the store's lock. The one beside it may wait, too, and is not meant.
        waiting = "SELECT pid FROM pg_locks AS w WHERE NOT granted AND EXISTS (SELECT FROM pg_locks AS s WHERE s.pid = w.pid AND s.locktype = 'advisory')"
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            answers = pool.submit(raw, self.server, cancels.encode())
            # On a busy machine the node may still read for its start when the cancels come. Each read that waits is broken off until one was theirs.
            until(lambda: answers.done() or self.sql(f"SELECT count(pg_cancel_backend(pid)) FROM ({waiting}) AS waiting") and False, "the answers")
            stranger.communicate("ROLLBACK;\n")
            return re.findall(r"HTTP/1.1 (\d+)", answers.result().decode())

    def test_nothing_is_missing_because_another_read_of_the_turn_failed(self):
        """Behind a statement that fails PostgreSQL skips the others of the transaction: no rows of a skipped one are no answer."""
        for _ in range(5):
            statuses = self.cancels_of_which_one_fails()
            self.assertEqual(len(statuses), 4, statuses)
            self.assertNotIn("404", statuses)
            if "503" in statuses:
                return
        self.fail("no read has failed")

    def test_a_failure_on_a_new_connection_does_not_spoil_the_next_turns(self):
        """Statements are prepared when they are first used; those behind one that failed are not."""
        self.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'")
        for table in ("instance", "timer", "task", "idempotency", "history"):
            with self.subTest(table=table):
                self.sql(f"CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()")
                self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
                for number in range(3):
                    self.client.post("/v1/instances", {"definitionId": "order", "businessKey": f"{table}{number}"}, {"Idempotency-Key": f"{table}{number}"})
                self.sql(f"DROP TRIGGER refuse ON {table}")
                until(lambda: self.client.post("/v1/instances", {"definitionId": "order"}).status == 201, "a start that is well")

    def test_a_lock_that_a_stranger_holds_delays_and_breaks_nothing(self):
        stranger = subprocess.Popen(["psql", "-qAt", self.uri], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        stranger.stdin.write("BEGIN; LOCK TABLE instance IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n")
        stranger.stdin.flush()
        self.assertEqual(stranger.stdout.readline().strip(), "locked")
        finish = self.client.later("/v1/instances", {"definitionId": "order", "businessKey": "k"})
        until(lambda: self.sql("SELECT count(*) FROM pg_locks WHERE NOT granted") != "0", "waiting")
        stranger.communicate("ROLLBACK;\n")
        self.assertEqual(finish().status, 201)


if __name__ == "__main__":
    unittest.main()
