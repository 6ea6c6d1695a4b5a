"""`pip install ./sdk/python` in a fresh environment, with no registry to ask."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


LOOK = """import importlib.metadata as m, json, pawl
print(json.dumps([pawl.__file__, m.requires("pawl"), [str(path) for path in m.files("pawl")]]))"""


class Install(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-install-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
        self.environment.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_CACHE_DIR="1", PIP_CONFIG_FILE=os.devnull)
        self.run_here(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", "fresh")  # The pip of the system: to install another one takes most of the time.

    def run_here(self, *command):
        done = subprocess.run(command, cwd=self.directory, env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def python(self, *arguments):
        return self.run_here(os.path.join("fresh", "bin", "python"), *arguments)

    def test_it_needs_nothing_but_python(self):
        self.python("-m", "pip", "install", "--quiet", os.path.join(ROOT, "sdk", "python"))
        place, needs, files = json.loads(self.python("-c", LOOK))
        self.assertEqual((os.path.commonpath([place, self.directory]), needs), (self.directory, None))
        there = [name for name in os.listdir(os.path.join(ROOT, "sdk", "python", "pawl")) if name != "__pycache__"]
        self.assertEqual(sorted(name for name in files if name.startswith("pawl/") and "__pycache__" not in name), sorted(f"pawl/{name}" for name in there))


if __name__ == "__main__":
    unittest.main()
