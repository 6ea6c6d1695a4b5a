"""A PostgreSQL server of its own."""

import os
import subprocess
import tempfile

SERVICE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "services", "postgres")


class Database:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pawl-postgres-")
        os.chmod(self.folder.name, 0o755)
        port = subprocess.run([SERVICE, "start", self.folder.name], check=True, capture_output=True, text=True).stdout.strip()
        self.uri = f"postgres://pawl:secret@127.0.0.1:{port}/postgres"
        return self

    def __exit__(self, *_):
        subprocess.run([SERVICE, "stop", self.folder.name], check=True)
        self.folder.cleanup()

    def load(self, dump):
        subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", self.uri], input=dump, check=True, stdout=subprocess.DEVNULL)
