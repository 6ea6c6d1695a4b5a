"""SIGHUP: the token, the certificate and the log file are read or opened again, and the log says so."""

import http.client
import json
import os
import shutil
import signal
import ssl
import tempfile

from harness import PATIENCE, Case, Server, main, needs_one_node
from mail import certificate


@needs_one_node
class Reload(Case):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="pawl-reload-")
        cls.file = {name: os.path.join(cls.directory, name) for name in ("token", "cert.pem", "key.pem", "log")}
        cls.put_certificate()
        cls.write("token", "first-token")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)

    @classmethod
    def write(cls, name, text):
        with open(os.open(cls.file[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(text)

    @classmethod
    def put_certificate(cls):
        """A new one; its text."""
        cert, key, text = certificate()
        os.chmod(key, 0o600)
        shutil.move(cert, cls.file["cert.pem"])
        shutil.move(key, cls.file["key.pem"])
        shutil.rmtree(os.path.dirname(cert))
        return text

    def setUp(self):
        file = self.file
        self.server = Server(("--auth-token-file", file["token"], "--tls-cert", file["cert.pem"], "--tls-key", file["key.pem"],
                              "--log-file", file["log"], "--grpc", "127.0.0.1:0"))
        self.addCleanup(self.server.kill)
        self.grpc = int(self.server.banner.split("gRPC on 127.0.0.1:")[1].split(",")[0])
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=PATIENCE, context=context)
        self.addCleanup(self.connection.close)

    def status(self, token):
        """Of a request over the connection that is open."""
        self.connection.request("GET", "/v1/definitions", headers={"Authorization": f"Bearer {token}"})
        answer = self.connection.getresponse()
        answer.read()
        return answer.status

    def shown(self):
        """The certificates that new connections get at both ports."""
        return [ssl.get_server_certificate(("127.0.0.1", port), timeout=PATIENCE).split() for port in (self.server.port, self.grpc)]

    def lines(self, path=None):
        with open(path or self.file["log"], encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().splitlines()]

    def hang_up(self):
        """What the log says of each part."""
        moved = self.file["log"] + ".1"
        os.rename(self.file["log"], moved)
        self.server.process.send_signal(signal.SIGHUP)
        self.until(lambda: os.path.exists(self.file["log"]) and any(line.get("what") == "certificate" for line in self.lines()))
        return {line["what"]: line for line in self.lines() if "what" in line}

    def test_each_part_is_reloaded_or_stays(self):
        self.assertEqual((self.status("first-token"), self.status("other-token")), (200, 401))
        before = self.shown()
        self.write("token", "other-token\n")
        text = self.put_certificate()
        told = self.hang_up()
        self.assertEqual({what: line["event"] for what, line in told.items()}, {what: "reloaded" for what in ("log", "token", "certificate")})
        self.assertEqual((self.status("first-token"), self.status("other-token")), (401, 200))
        self.assertEqual(self.shown(), [text.split()] * 2)
        self.assertNotIn(text.split(), before)

        self.write("token", "two words")
        self.write("cert.pem", "no certificate")
        told = self.hang_up()
        for what, why in (("token", "one line of printable ASCII"), ("certificate", "no TLS certificate in PEM form")):
            self.assertEqual((told[what]["level"], told[what]["file"]), ("error", self.file["token" if what == "token" else "cert.pem"]))
            self.assertIn("not reloaded", told[what]["event"])
            self.assertIn(why, told[what]["reason"])
        self.assertEqual((self.status("other-token"), self.shown()), (200, [text.split()] * 2))

        self.put_certificate()
        self.write("token", "third-token")
        os.chmod(self.file["key.pem"], 0o644)
        told = self.hang_up()
        self.assertIn("open to other users", told["certificate"]["reason"])
        self.assertEqual((self.status("third-token"), self.shown()), (200, [text.split()] * 2))
        self.server.stop()


if __name__ == "__main__":
    main()
