"""More connections than the process may have files."""

import os
import socket
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

    def test_one_connection_too_many_is_told_so_and_the_store_goes_on(self):
        """connections_max is 10,000. Half of the files are kept for the store, for calls and for saying no."""
        self.assertEqual(self.get("/livez").status, 200)
        told, served = 0, []
        for _ in range(FILES):
            connection = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
            connection.sendall(request_bytes("GET", "/livez"))
            try:
                text = connection.recv(4096)
            except ConnectionResetError:
                text = b""
            told += b"503" in text
            if b"200 OK" in text:
                served.append(connection)
            else:
                connection.close()
        self.assertGreater(told, 0)
        self.assertLess(len(served), FILES // 2)
        self.assertEqual(self.start(self.upload([end()]), wait=PATIENCE)["status"], "COMPLETED")
        self.assertIn("fewer connections than connections_max", self.server.log())
        for connection in served:
            connection.close()


if __name__ == "__main__":
    main()
