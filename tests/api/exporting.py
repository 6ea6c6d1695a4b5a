"""Engines that export to a collector: what the tests of spans and of metrics have in common."""

import os
import shutil
import subprocess
import tempfile

import steps
from collector import Collector, spans_of
from harness import BINARY, PATIENCE, Case, Client, Server

QUICK = {"OTEL_BSP_SCHEDULE_DELAY": "20"}


class ExportingCase(Case):
    """Each test has a collector and engines of its own."""

    @classmethod
    def setUpClass(cls):
        cls.server = None

    def setUp(self):
        self.collector = Collector()
        self.addCleanup(self.collector.close)
        self.directory = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.client = None

    def serve(self, *arguments, **environment):
        self.server = Server(("--otlp", self.collector.url, *arguments), data=self.directory, environment={**QUICK, **environment})
        self.addCleanup(self.server.kill)
        self.client = Client(self.server)
        self.addCleanup(self.client.close)
        self.get, self.post = self.client.get, self.client.post

    def spans(self, names):
        """Waits until spans of these names have come, and returns all."""
        self.until(lambda: set(names) <= {span["name"] for span in self.collector.spans()})
        return self.collector.spans()

    def asked(self, run):
        """The same trace, as it is asked for."""
        return spans_of(self.get(f"/api/runs/{run}/trace").json)

    def run_once(self, variables=None):
        name = self.upload([steps.end()])
        return self.start(name, variables, wait=PATIENCE)["id"], name

    def check_refused(self, text, *arguments, **environment):
        done = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", "--store", "memory", *arguments], capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, **environment})
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, text)
