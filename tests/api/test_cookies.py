"""The session cookie is for secure pages only where the browser came by TLS, to the engine or to a proxy that it trusts."""

import http.client
import json
import os
import shutil
import ssl
import subprocess
import tempfile

from accounts import Accounts, PAGE, PASSWORD
from harness import main


class Cookies(Accounts):
    """The tests come from 127.0.0.1, which is the proxy."""

    arguments = (*Accounts.arguments, "--proxy", "127.0.0.1")

    def sign_in(self, headers=None):
        answer = self.ask("POST", "/api/session", {"name": self.user("viewer"), "password": PASSWORD}, headers or {})
        self.assertEqual(answer.status, 204, answer)
        line = answer.headers["Set-Cookie"]
        return line, "; Secure" in line, {"Cookie": line.split(";")[0]}

    def test_a_trusted_proxy_says_that_the_browser_came_by_tls(self):
        for said, secure in (("https", True), ("HTTPS", True), ("http, https", True), ("http", False), ("https, http", False), ("", False), ("httpsx", False)):
            line, is_secure, cookie = self.sign_in({"X-Forwarded-Proto": said})
            self.assertEqual((is_secure, line.startswith("__Host-pawl=")), (secure, secure), (said, line))
            me = self.ask("GET", "/api/me", None, {**cookie, "X-Forwarded-Proto": said})
            self.assertEqual(me.status, 200, said)

    def test_a_secure_cookie_counts_nowhere_else(self):
        """A plain page could have set a cookie of the lax name."""
        _, _, cookie = self.sign_in({"X-Forwarded-Proto": "https"})
        self.assertEqual(self.ask("GET", "/api/me", None, cookie).status, 401)
        plain = {"Cookie": cookie["Cookie"].replace("__Host-pawl", "pawl"), "X-Forwarded-Proto": "https"}
        self.assertEqual(self.ask("GET", "/api/me", None, plain).status, 401)

    def test_the_end_of_a_session_takes_the_cookie_away_by_the_same_name(self):
        _, _, cookie = self.sign_in({"X-Forwarded-Proto": "https"})
        answer = self.ask("DELETE", "/api/session", None, {**cookie, **PAGE, "X-Forwarded-Proto": "https"})
        self.assertEqual(answer.status, 204)
        self.assertRegex(answer.headers["Set-Cookie"], r"^__Host-pawl=;.* Max-Age=0;.*; Secure$")


class Strangers(Cookies):
    arguments = (*Accounts.arguments, "--proxy", "192.0.2.0/24")

    def test_a_trusted_proxy_says_that_the_browser_came_by_tls(self):
        line, is_secure, _ = self.sign_in({"X-Forwarded-Proto": "https"})
        self.assertEqual((is_secure, line.startswith("pawl=")), (False, True), "a stranger says it")

    def test_a_secure_cookie_counts_nowhere_else(self):
        _, _, cookie = self.sign_in()
        self.assertEqual(self.ask("GET", "/api/me", None, {**cookie, "X-Forwarded-Proto": "https"}).status, 200)

    def test_the_end_of_a_session_takes_the_cookie_away_by_the_same_name(self):
        _, _, cookie = self.sign_in()
        self.assertRegex(self.ask("DELETE", "/api/session", None, {**cookie, **PAGE}).headers["Set-Cookie"], r"^pawl=;")


class Tls(Accounts):
    directory = tempfile.mkdtemp(prefix="pawl-cookies-")
    certificate, key = os.path.join(directory, "a.pem"), os.path.join(directory, "a.key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", key, "-out", certificate], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    arguments = (*Accounts.arguments, "--tls-cert", certificate, "--tls-key", key)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.directory, True)

    def test_a_session_by_tls_has_the_strict_cookie(self):
        context = ssl.create_default_context(cafile=self.certificate)
        context.check_hostname = False

        def ask(method, path, body, headers):
            connection = http.client.HTTPSConnection("localhost", self.server.port, context=context, timeout=30)
            connection.request(method, path, json.dumps(body), {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            answer.read()
            connection.close()
            return answer
        root = {"Authorization": "Bearer s3cret-token-of-the-engine"}
        self.assertEqual(ask("POST", "/api/users", {"name": "ada", "password": PASSWORD, "roles": ["viewer"]}, root).status, 201)
        line = ask("POST", "/api/session", {"name": "ada", "password": PASSWORD}, {}).headers["Set-Cookie"]
        self.assertRegex(line, r"^__Host-pawl=\w+; Path=/;.*; Secure$")


if __name__ == "__main__":
    main()
