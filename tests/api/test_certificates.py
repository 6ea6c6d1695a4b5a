"""Clients that show a certificate: the authority, the name in the subject, and the roles that it gives."""

import http.client
import json
import os
import ssl
import subprocess
import tempfile
import unittest

from harness import BINARY, Answer, Server, check, main

ROOT = "the-secret-of-root-0123456789"


def openssl(*arguments):
    subprocess.run(("openssl", *arguments), check=True, capture_output=True)


class Certificates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory()
        cls.authority("ca")
        cls.authority("other-ca")
        cls.certificate("server", "/CN=127.0.0.1", "ca", "subjectAltName=IP:127.0.0.1")
        cls.certificate("worker", "/O=Shop/CN=line-7", "ca")
        cls.certificate("stranger", "/CN=line-8", "ca")
        cls.certificate("twice", "/CN=line-7/CN=line-9", "ca")
        cls.certificate("forged", "/CN=line-7", "other-ca")
        with open(os.open(cls.path("token"), os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(ROOT)
        with open(cls.path("access.json"), "w") as file:
            json.dump({"tenants": [{"name": "acme"}]}, file)
        more = ("--trust-certificate", "CN=line-7=worker,sender@acme", "--access-file", cls.path("access.json"))
        cls.server = Server(arguments=(*cls.settings(), *more))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.files.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.files.name, name)

    @classmethod
    def authority(cls, name):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                "-keyout", cls.path(name + ".key"), "-out", cls.path(name + ".pem"))

    @classmethod
    def certificate(cls, name, subject, by, more="basicConstraints=CA:FALSE"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", subject, "-addext", more,
                "-CA", cls.path(by + ".pem"), "-CAkey", cls.path(by + ".key"), "-keyout", cls.path(name + ".key"), "-out", cls.path(name + ".pem"))
        os.chmod(cls.path(name + ".key"), 0o600)

    @classmethod
    def settings(cls):
        return ("--tls-cert", cls.path("server.pem"), "--tls-key", cls.path("server.key"), "--auth-token-file", cls.path("token"), "--tls-client-ca", cls.path("ca.pem"))

    def ask(self, path, certificate=None, method="GET", **headers):
        context = ssl.create_default_context(cafile=self.path("ca.pem"))
        if certificate:
            context.load_cert_chain(self.path(certificate + ".pem"), self.path(certificate + ".key"))
        connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, context=context, timeout=60)
        try:
            connection.request(method, path, None, headers)
            answer = connection.getresponse()
            answer = Answer(answer.status, answer.headers, answer.read())
            check(method, path, answer)
            return answer
        finally:
            connection.close()

    def test_the_name_in_the_subject_has_its_roles(self):
        me = self.ask("/api/me", "worker")
        self.assertEqual((me.status, me.json["kind"], me.json["name"], me.json["tenant"], me.json["roles"]),
                         (200, "certificate", "CN=line-7", "acme", ["worker", "sender"]))
        self.assertEqual(self.ask("/api/keys", "worker").status, 403)
        for certificate in (None, "stranger", "twice"):
            self.assertEqual(self.ask("/api/me", certificate).status, 401, certificate)
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.ask("/api/me", "forged")
        root = {"Authorization": "Bearer " + ROOT}
        self.assertEqual(self.ask("/api/me", "worker", **root).json["name"], "root", "a bearer wins")
        refusals = self.ask("/api/access/refusals", **root, **{"X-Pawl-Tenant": "acme"}).json
        self.assertIn("certificate:CN=line-7", json.dumps(refusals), "they name the subject")

    def test_the_start_says_so(self):
        self.assertRegex(self.server.log(), r"need no other credential.*CN=line-7")

    def test_settings_that_are_refused(self):
        settings = self.settings()
        for arguments, words in (((*settings, "--trust-certificate", "CN=x=admin"), "no role that it can give"), ((*settings, "--trust-certificate", "line-7=worker"), "CN=NAME=ROLES"),
                                 ((*settings, "--trust-certificate", "CN=worker"), "CN=NAME=ROLES"), (settings, "needs --trust-certificate"),
                                 ((*settings[:-2], "--trust-certificate", "CN=x=worker"), "needs --tls-client-ca")):
            ended = subprocess.run((BINARY, "serve", "--listen", "127.0.0.1:0", "--store", "memory", *arguments), capture_output=True, text=True, timeout=60)
            self.assertEqual((ended.returncode, words in ended.stderr), (2, True), ended)


if __name__ == "__main__":
    main()
