"""Database nodes of flow graphs, against a real PostgreSQL server and SQLite files."""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile

from harness import PATIENCE, ROOT, Case, Client, Server, main, needs_a_file

SERVICE = os.path.join(ROOT, "tests", "services", "postgres")
PASSWORD = "secret"


def graph(name, *nodes, **more):
    """A flow of nodes, one after the other."""
    chain = [{"id": "begin", "type": "trigger_manual"}, *nodes, {"id": "end", "type": "end"}]
    edges = [{"from": a["id"], "to": b["id"]} for a, b in zip(chain, chain[1:])]
    return {"dialect": "graph/1", "definitionId": name, "name": name, "nodes": chain, "edges": edges, **more}


def db(node, reference, sql, params=None, **config):
    return {"id": node, "type": "action_db", "retry": {"maxAttempts": 1},
            "config": {"connectionRef": f"vault:{reference}", "sql": sql, "params": params or [], **config}}


class Databases(Case):
    arguments = ("--allow-private-calls",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = tempfile.mkdtemp(prefix="pawl-databases-")
        port = subprocess.run([SERVICE, "start", cls.directory], check=True, capture_output=True, text=True).stdout.strip()
        cls.postgres = f"postgres://pawl:{PASSWORD}@127.0.0.1:{port}/postgres"
        cls.file = os.path.join(tempfile.mkdtemp(prefix="pawl-sqlite-"), "a.db")
        with sqlite3.connect(cls.file) as file:
            file.execute("create table t (id integer primary key, name text unique)")

    @classmethod
    def tearDownClass(cls):
        subprocess.run([SERVICE, "stop", cls.directory], check=True)
        shutil.rmtree(cls.directory)
        shutil.rmtree(os.path.dirname(cls.file))
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        self.client.request("PUT", "/api/secrets/pg", {"value": self.postgres})
        self.client.request("PUT", "/api/secrets/lite", {"value": f"sqlite:{self.file}"})

    def call(self, method, path, body, server=None):
        """The answer's status and JSON; another engine than the usual one may be asked."""
        client = Client(server) if server else self.client
        answer = client.request(method, path, body)
        if server:
            client.close()
        return answer.status, answer.json if answer.body else None

    def run_graph(self, document, data=None):
        """The instance at its end."""
        status, answer = self.call("POST", "/v1/definitions", document)
        self.assertEqual(status, 201, answer)
        status, answer = self.call("POST", f"/v1/instances?wait={PATIENCE}", {"definitionId": document["definitionId"], "variables": data or {}})
        self.assertEqual(status, 201, answer)
        return answer

    def fails(self, code, node):
        instance = self.run_graph(graph(self.fresh("fails"), node))
        self.assertEqual((instance["status"], instance["errorCode"]), ("FAILED", code), instance)
        self.assertNotIn(f":{PASSWORD}", json.dumps(instance))
        return instance

    def test_rows_of_both_databases_become_the_nodes_outputs(self):
        for reference in ("pg", "lite"):
            ask = db("ask", reference, "select :a as a, 2 as b", {"a": "{{ trigger.payload.who }}"})
            instance = self.run_graph(graph(self.fresh(reference), ask), {"who": "O'Reilly'; drop table t; --"})
            self.assertEqual(instance["status"], "COMPLETED", instance)
            self.assertEqual(instance["variables"]["nodes.ask"], {"rows": [{"a": "O'Reilly'; drop table t; --", "b": 2}], "row_count": 1})

    def test_what_is_written_is_read(self):
        name = self.fresh("row")
        instance = self.run_graph(graph(self.fresh("write"), db("write", "lite", "insert into t (name) values (?)", ["{{ trigger.payload.name }}"]),
                                        db("read", "lite", "select name from t where name = ?", ["{{ trigger.payload.name }}"], readOnly=True)), {"name": name})
        self.assertEqual(instance["variables"]["nodes.write"], {"rows": [], "row_count": 1})
        self.assertEqual(instance["variables"]["nodes.read"]["rows"], [{"name": name}])

    def test_failures_have_their_names(self):
        self.fails("SQL_42P01", db("a", "pg", "select * from nowhere"))
        self.fails("SQL_25006", db("a", "pg", "create table x (a int)", readOnly=True))
        self.fails("SQLITE_READONLY", db("a", "lite", "delete from t", readOnly=True))
        self.fails("SQL_STATEMENT", db("a", "pg", "select 1; select 2"))
        self.fails("SQL_PARAMETERS", db("a", "lite", "select ?"))
        self.fails("SQL_RESULT_TOO_LARGE", db("a", "pg", "select generate_series(1, 10001) as x"))
        self.fails("SECRET_NOT_FOUND", db("a", "nobody", "select 1"))

    def test_a_node_that_only_reads_leaves_nothing_behind(self):
        """A transaction of PostgreSQL that is READ ONLY may still create large objects, take locks, notify and change settings."""
        def ask(sql, **config):
            instance = self.run_graph(graph(self.fresh("reads"), db("a", "pg", sql, **config)))
            self.assertEqual(instance["status"], "COMPLETED", instance)
            return instance["variables"]["nodes.a"]["rows"]
        objects = "select count(*)::int as n from pg_largeobject_metadata"
        before = ask(objects)
        self.assertEqual(len(ask("select lo_create(0)::text as made", readOnly=True)), 1)
        self.assertEqual(len(ask("select lo_from_bytea(0, 'x')::text as made", readOnly=True)), 1)
        self.assertEqual(ask(objects), before)
        ask("select pg_advisory_lock(4711)::text as a, set_config('application_name', 'left behind', false) as b", readOnly=True)
        self.assertEqual(ask("select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = 4711"), [{"n": 0}])
        self.assertEqual(ask("select count(*)::int as n from pg_stat_activity where application_name = 'left behind'"), [{"n": 0}])
        # Writing is done all the same where it is wanted.
        self.assertEqual(len(ask("select lo_create(0)::text as made")), 1)
        self.assertEqual(ask(objects), [{"n": before[0]["n"] + 1}])

    def test_a_transaction_that_only_reads_stays_so(self):
        for sql in ("do $$ begin set transaction read write; create table left_behind (a int); end $$", "do $$ begin perform set_config('transaction_read_only', 'off', true); create table left_behind (a int); end $$"):
            instance = self.run_graph(graph(self.fresh("reads"), db("a", "pg", sql, readOnly=True)))
            self.assertEqual(instance["status"], "FAILED", instance)
        self.fails("SQL_42P01", db("a", "pg", "select * from left_behind"))

    @needs_a_file
    def test_secrets_that_are_no_databases_are_refused_and_not_shown(self):
        for text, code in ((f"mysql://a:{PASSWORD}@h/", "SQL_CONNECTION_REF"), (f"postgres://pawl:{PASSWORD}@127.0.0.1:1/x", "SQL_CONNECTION"),
                           (f"sqlite:{self.server.directory}/data/pawl.db", "SQL_ADDRESS")):
            self.client.request("PUT", "/api/secrets/wrong", {"value": text})
            self.fails(code, db("a", "wrong", "select 1"))

    def test_a_uri_names_no_files_of_the_machine(self):
        """The words do not tell whether a file is there, and a pipe that nobody writes into is not opened."""
        pipe = os.path.join(os.path.dirname(self.file), "pipe")
        os.mkfifo(pipe)
        told = set()
        for path in ("/nowhere/at/all", "/etc/passwd", "/etc/shadow", "/etc", pipe):
            self.client.request("PUT", "/api/secrets/files", {"value": f"{self.postgres}?sslmode=verify-full&sslrootcert={path}"})
            told.add(self.fails("SQL_CONNECTION_REF", db("a", "files", "select 1"))["errorMessage"])
        self.assertEqual(len(told), 1, told)
        self.client.request("PUT", "/api/secrets/files", {"value": f"{self.postgres}?passfile=/etc/passwd"})
        self.fails("SQL_CONNECTION_REF", db("a", "files", "select 1"))
        told = set()
        for path in ("/nowhere/at/all", "/etc/passwd", "/etc", pipe):
            self.client.request("PUT", "/api/secrets/files", {"value": f"sqlite:{path}"})
            told.add(self.fails("SQLITE_CANTOPEN", db("a", "files", "select 1 from sqlite_schema"))["errorMessage"])
        self.assertEqual(len(told), 1, told)

    def test_a_statement_has_no_placeholders_of_templates(self):
        status, answer = self.call("POST", "/v1/definitions", graph(self.fresh("text"), db("a", "pg", "select '{{ trigger.payload.who }}' as a")))
        self.assertEqual(status, 400, answer)

    def test_a_statement_that_takes_too_long_is_broken_off(self):
        node = {**db("slow", "pg", "select pg_sleep(600)"), "timeout": "200ms"}
        instance = self.run_graph(graph(self.fresh("slow"), node))
        self.assertEqual(instance["status"], "FAILED", instance)
        self.assertIn(instance["errorCode"], ("TIMEOUT", "SQL_TIMEOUT"))

    def test_a_killed_engine_does_the_statement_again_with_the_same_key(self):
        table = "k" + self.fresh("").replace("-", "_")
        self.run_graph(graph(self.fresh("make"), db("a", "pg", f"create table {table} (key text primary key, n int)")))
        # The first attempt does not come to its end before the kill; the second one finds nothing done.
        insert = f"insert into {table} select :idempotency_key, 1 from pg_sleep(:wait::float8) on conflict (key) do nothing"
        document = graph(self.fresh("kill"), db("a", "pg", insert, {"wait": 0.5}))
        data = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, data)
        server = Server(self.arguments, data)
        self.call("PUT", "/api/secrets/pg", {"value": self.postgres}, server)
        self.call("POST", "/v1/definitions", document, server)
        status, instance = self.call("POST", "/v1/instances", {"definitionId": document["definitionId"]}, server)
        self.assertEqual(status, 201)
        running = graph(self.fresh("running"), db("a", "pg", "select count(*) as n from pg_stat_activity where query like :q and state = 'active' and pid <> pg_backend_pid()",
                                                  {"q": f"insert into {table}%"}))
        while self.run_graph({**running, "definitionId": self.fresh("running")})["variables"]["nodes.a"]["rows"][0]["n"] == 0:
            pass
        server.kill()
        server = Server(self.arguments, data)
        self.addCleanup(server.stop)
        while True:
            status, now = self.call("GET", f"/v1/instances/{instance['id']}", None, server)
            if now["status"] != "ACTIVE":
                break
        self.assertEqual(now["status"], "COMPLETED", now)
        count = self.run_graph(graph(self.fresh("count"), db("a", "pg", f"select count(*) as n from {table}")))
        self.assertEqual(count["variables"]["nodes.a"]["rows"], [{"n": 1}])


if __name__ == "__main__":
    main()
