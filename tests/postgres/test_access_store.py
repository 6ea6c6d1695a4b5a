"""The verbs of access work on a database that no engine uses, as they do on a file."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

from harness import BINARY, PATIENCE, ROOT, Client, Server, main  # noqa: E402

POSTGRES = os.path.join(ROOT, "tests", "services", "postgres")
PASSWORD = "correct horse battery"


class Database(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="pawl-access-store-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        os.chmod(cls.directory, 0o755)
        run = subprocess.run([POSTGRES, "start", cls.directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(subprocess.run, [POSTGRES, "stop", cls.directory], check=True, stdin=subprocess.DEVNULL)
        cls.url = f"postgres://pawl:secret@127.0.0.1:{run.stdout.strip()}/postgres"

    def pawl(self, *arguments, code=0, stdin=""):
        run = subprocess.run([BINARY, *arguments, "--store", self.url], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             timeout=PATIENCE, env={**os.environ, "XDG_CONFIG_HOME": self.directory})
        self.assertEqual(run.returncode, code, run)
        self.assertNotIn("secret@", run.stdout + run.stderr)
        return run.stdout if code == 0 else run.stderr

    def serve(self):
        engine = Server(["--store", self.url, "--secrets-key", os.path.join(self.directory, "key")])
        self.addCleanup(engine.kill)
        return engine

    def names(self, *verb):
        return [one["name"] for one in json.loads(self.pawl(*verb, "list", "--json"))["items"]]

    def rows(self):
        return [(row["principal"], row["way"], row["action"], row["object"]) for row in json.loads(self.pawl("audit", "--json"))["items"]]

    def test_the_doctor_looks_at_the_settings_of_the_server(self):
        """The server of the tests does not wait for its disk, which is wrong anywhere else."""
        run = subprocess.run([BINARY, "doctor", "--store", self.url, "--data", self.directory, "--listen", "127.0.0.1:0", "--json"],
                             stdout=subprocess.PIPE, timeout=PATIENCE, check=False)
        found = {row["check"]: row for row in json.loads(run.stdout)}
        self.assertRegex(found["database"]["found"], r"^PostgreSQL \d+\.\d+$")
        self.assertEqual((found["database"]["finding"], found["fsync"]["finding"], run.returncode), ("ok", "wrong", 1), found)
        self.assertRegex(found["connections"]["found"], r"^at most \d+$")
        self.assertNotIn(b"secret@", run.stdout)

    def test_each_verb_changes_the_database_and_the_audit_has_it(self):
        self.assertEqual(self.pawl("user", "add", "ada", "--role", "admin", "--password", stdin=PASSWORD), "user ada added\n")
        self.assertIn("already", self.pawl("user", "add", "ada", code=4))
        self.pawl("tenant", "add", "acme", "--quota", "keys=5")
        key = self.pawl("key", "add", "stock", "--role", "worker", "--tenant", "acme").strip()
        self.assertRegex(key, r"^pawl_\w{10}_\w{49}$")
        self.pawl("grant", "add", "user:ada", "operator", "--tenant", "acme")
        path = os.path.join(self.directory, "access.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"users": [{"name": "fay", "roles": ["viewer"]}]}, file)
        self.assertIn("+ user fay", self.pawl("access", "apply", path))
        self.assertIn("nothing changes", self.pawl("access", "apply", path))
        self.pawl("user", "password", "ada", stdin="another horse battery\n")
        self.assertEqual(sorted(self.names("user")), ["ada", "fay"])
        self.assertIn("acme", self.names("tenant"))
        rows = self.rows()
        for action, name in (("user.create", "ada"), ("tenant.create", "acme"), ("user.create", "fay"), ("user.password", "ada")):
            self.assertIn(("store", "cli", action, name), rows)
        self.assertIn("none is changed or missing", self.pawl("audit", "--verify"))
        self.check_with_engines(key)

    def check_with_engines(self, key):
        """While an engine has the database, nothing is changed or shown; also of two engines. A killed one does not count."""
        before = self.rows()
        first, second = self.serve(), self.serve()
        client = Client(first)
        self.addCleanup(client.close)
        me = client.request("GET", "/api/me", None, {"Authorization": f"Bearer {key}"})
        self.assertEqual((me.status, me.json["name"], me.json["tenant"]), (200, "stock", "acme"))
        for engine in (second, first):
            for verb in (("user", "add", "eva"), ("user", "list"), ("audit",)):
                self.assertIn("another process is using", self.pawl(*verb, code=4), verb)
            engine.kill()
        self.assertEqual(self.pawl("user", "add", "eva", "--role", "viewer").split(";")[0], "user eva added")
        added = [row for row in self.rows() if row not in before]
        self.assertIn(("store", "cli", "user.create", "eva"), added)


if __name__ == "__main__":
    main()
