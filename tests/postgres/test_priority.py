"""Urgent jobs come first at a node that has not started them."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

from functions import Functions, Reply  # noqa: E402
from graphs import Graphs, one_call  # noqa: E402
from harness import ROOT, Server, main  # noqa: E402

POSTGRES = os.path.join(ROOT, "tests", "services", "postgres")
PER_HOST = 32  # Calls that a node makes at one time.


class Priority(unittest.TestCase):
    def node(self):
        server = Server(["--store", self.uri, "--allow-private-calls"])
        self.addCleanup(server.kill)
        return server

    def setUp(self):
        directory = tempfile.mkdtemp(prefix="pawl-postgres-")
        self.addCleanup(shutil.rmtree, directory, True)
        os.chmod(directory, 0o755)
        run = subprocess.run([POSTGRES, "start", directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.addCleanup(subprocess.run, [POSTGRES, "stop", directory], check=True, stdin=subprocess.DEVNULL)
        self.uri = f"postgres://pawl:secret@127.0.0.1:{run.stdout.strip()}/postgres"

    def test_an_urgent_job_of_a_dead_node_comes_before_fifty_others(self):
        functions = Functions()
        self.addCleanup(functions.close)
        functions.answer("/slow", Reply(200, {}))
        functions.hold("/slow")
        call = {"type": "action_http", "config": {"method": "POST", "url": functions.url + "/slow", "body": "{{ trigger.payload.name }}"}}
        first = self.node()
        graphs = Graphs(first)
        for name, priority in (("usual", 4), ("urgent", 8)):
            graphs.publish(one_call(name, call, priority=priority))
        for i in range(50):
            graphs.start("usual", {"name": f"usual {i}"})
        graphs.start("urgent", {"name": "urgent"})
        functions.wait("/slow", PER_HOST)
        self.node()
        first.kill()
        calls = functions.wait("/slow", 2 * PER_HOST)[PER_HOST:]
        self.assertIn("urgent", [call.body.decode().strip("\"") for call in calls[:PER_HOST]])
        functions.release("/slow")


if __name__ == "__main__":
    main()
