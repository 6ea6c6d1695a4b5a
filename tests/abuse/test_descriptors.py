"""More connections than the process may have files."""

import os
import tempfile

from abuse import PATIENCE, AbuseCase, harness, main, request_bytes
from steps import end

FILES = 300


class Descriptors(AbuseCase):
    @classmethod
    def setUpClass(cls):
        wrapper = tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False)
        wrapper.write(f'#!/bin/sh\nulimit -n {FILES}\nexec "{os.path.abspath(harness.BINARY)}" "$@"\n')
        wrapper.close()
        os.chmod(wrapper.name, 0o700)
        cls.addClassCleanup(os.unlink, wrapper.name)
        real, harness.BINARY = harness.BINARY, wrapper.name
        try:
            super().setUpClass()
        finally:
            harness.BINARY = real

    def ask(self, path):
        """The status of an answer, 0 without one, and the connection, which stays open."""
        connection = self.dial()
        connection.sendall(request_bytes("GET", path))
        try:
            text = connection.recv(4096)
        except ConnectionResetError:
            text = b""
        return int(text[9:12] or 0), connection

    def test_one_connection_too_many_is_told_so_and_the_store_goes_on(self):
        """connections_max is 10,000. Half of the files are kept for the store, for calls and for saying no."""
        answers = [self.ask("/v1/instances?pageSize=1")[0] for _ in range(FILES)]
        self.assertIn(503, answers)
        self.assertEqual(self.ask("/livez")[0], 200)  # A probe is never one too many.
        self.assertLess(answers.count(200), FILES // 2)
        self.assertIn("fewer connections than connections_max", self.server.log())
        self.doCleanups()
        self.assertEqual(self.start(self.upload([end()]), wait=PATIENCE)["status"], "COMPLETED")

    def test_probes_make_room_for_each_other(self):
        for _ in range(FILES):
            self.assertEqual(self.ask("/livez")[0], 200)
        self.assertEqual(self.start(self.upload([end()]), wait=PATIENCE)["status"], "COMPLETED")


if __name__ == "__main__":
    main()
