"""E-mail: messages of flow graphs, sent to a real SMTP server."""

import email
import email.policy
import itertools
import json
import tempfile
import threading
import unittest

from graphs import Graphs, one_call
from harness import Case, Server, main, needs_one_node
from mail import MailServer, certificate

CERTIFICATE = certificate()
MESSAGE = {"from": "Ann <ann@a.example>", "to": "bob@b.example", "subject": "Hello", "body": "Hi"}
numbers = itertools.count(1)


class Hold:
    """A reply that does not come while the first event is not set; then the connection is closed."""

    def __init__(self, held, arrived):
        self.held, self.arrived = held, arrived

    def pop(self, _):
        self.arrived.set()
        self.held.wait(60)

    def __bool__(self):
        return not self.held.is_set()


class Mail(Case):
    arguments = ("--allow-private-calls",)

    def setUp(self):
        super().setUp()
        self.graphs = Graphs(self.server)

    def mail_server(self, **more):
        server = MailServer(**more)
        self.addCleanup(server.close)
        return server

    def connection(self, server, **more):
        """Puts the server into the vault; the reference to it."""
        name = f"mail-{next(numbers)}"
        scheme = "smtps" if server.implicit else "smtp"
        value = {"url": f"{scheme}://localhost:{server.port}", **({"ca": CERTIFICATE[2]} if server.tls else {}), **more}
        self.assertEqual(self.client.request("PUT", f"/api/secrets/{name}", {"value": json.dumps(value)}).status, 201)
        return f"vault:{name}"

    def send(self, config, retry=None, **more):
        node = {"type": "action_email", "config": {**MESSAGE, **config}, "retry": retry or {"maxAttempts": 1}, **more}
        return self.graphs.run(one_call(f"mailer-{next(numbers)}", node))

    def assert_failed(self, instance, code, words=""):
        self.assertEqual((instance["status"], instance["errorCode"]), ("FAILED", code), instance)
        self.assertIn(words, instance["errorMessage"])

    def read(self, mail):
        return email.message_from_string(mail.text, policy=email.policy.default)


class Sending(Mail):
    def test_a_message_arrives_as_it_was_meant(self):
        server = self.mail_server()
        instance = self.send({"connectionRef": self.connection(server), "to": ["Bob Ö. <bob@b.example>", "carl@c.example"], "cc": "dora@d.example",
                              "bcc": "eve@e.example", "replyTo": "help@a.example", "subject": "Grüße 🐢 " * 10, "body": ".\nlines\n..\nend", "html": "<p>grün</p>"})
        self.assertEqual(instance["status"], "COMPLETED", instance)
        mail = server.wait(1)[0]
        self.assertEqual((mail.sender, mail.recipients), ("ann@a.example", ["bob@b.example", "carl@c.example", "dora@d.example", "eve@e.example"]))
        message = self.read(mail)
        self.assertEqual(str(message["Subject"]).strip(), ("Grüße 🐢 " * 10).strip())
        self.assertEqual([address.display_name for address in message["To"].addresses], ["Bob Ö.", ""])
        self.assertEqual(str(message["Reply-To"]), "help@a.example")
        self.assertNotIn("eve@", mail.text)
        self.assertEqual(message.get_body(("plain",)).get_content().replace("\r\n", "\n").rstrip("\n"), ".\nlines\n..\nend")
        self.assertEqual(message.get_body(("html",)).get_content().strip(), "<p>grün</p>")
        result = instance["variables"]["nodes.call"]
        self.assertEqual(result, {"message_id": str(message["Message-ID"]), "accepted": mail.recipients})

    def test_lines_of_dots_survive(self):
        server = self.mail_server()
        self.send({"connectionRef": self.connection(server), "body": ".\n..\n.x"})
        self.assertEqual(self.read(server.wait(1)[0]).get_content(), ".\r\n..\r\n.x\r\n")

    def test_tls_and_login(self):
        for implicit in (False, True):
            server = self.mail_server(tls=CERTIFICATE, implicit=implicit, login=("ann", "pässword ✓"))
            instance = self.send({"connectionRef": self.connection(server, user="ann", password="pässword ✓")})
            self.assertEqual(instance["status"], "COMPLETED", instance)
            mail = server.wait(1)[0]
            self.assertEqual((mail.secure, mail.login), (True, ("ann", "pässword ✓")))

    def test_a_password_is_not_sent_in_the_clear(self):
        server = self.mail_server(login=("ann", "password"))
        self.assert_failed(self.send({"connectionRef": self.connection(server, user="ann", password="password")}), "SMTP_TLS", "does not offer TLS")
        self.assertEqual(server.mails, [])
        instance = self.send({"connectionRef": self.connection(server, user="ann", password="password", tls="none")})
        self.assertEqual(instance["status"], "COMPLETED", instance)

    def test_a_certificate_that_nobody_vouches_for(self):
        server = self.mail_server(tls=CERTIFICATE)
        self.assert_failed(self.send({"connectionRef": self.connection(server, ca=None, tls="starttls")}), "SMTP_TLS", "no trusted TLS")

    def test_a_wrong_password_is_final_and_not_shown(self):
        server = self.mail_server(tls=CERTIFICATE, login=("ann", "right"))
        instance = self.send({"connectionRef": self.connection(server, user="ann", password="planted-wrong-7")})
        self.assert_failed(instance, "SMTP_535", "authentication failed for ***")
        self.assertNotIn("planted-wrong-7", json.dumps(instance))

    @needs_one_node  # Each node keeps connections of its own.
    def test_connections_are_kept(self):
        server = self.mail_server()
        reference = self.connection(server)
        for _ in range(3):
            self.send({"connectionRef": reference})
        self.assertEqual((len(server.wait(3)), server.connections), (3, 1))

    def test_the_servers_own_sender(self):
        server = self.mail_server()
        self.send({"connectionRef": self.connection(server, **{"from": "Engine <engine@pawl.example>"}), "from": None})
        self.assertEqual(server.wait(1)[0].sender, "engine@pawl.example")


class Refusals(Mail):
    def test_5xx_is_final(self):
        for command, reply, code in (("RCPT", "550 5.1.1 no such user", "SMTP_550"), ("MAIL", "552 5.3.4 too large", "SMTP_552"),
                                     ("DATA.", "554 5.6.0 spam", "SMTP_554")):
            server = self.mail_server()
            server.answers[command] = [reply]
            instance = self.send({"connectionRef": self.connection(server)}, retry={"maxAttempts": 3, "initialDelay": "1ms"})
            self.assert_failed(instance, code, reply)
            self.assertEqual(server.mails, [])

    def test_4xx_is_tried_again_with_the_same_id(self):
        server = self.mail_server()
        server.answers = {"RCPT": ["450 4.2.1 busy"], "DATA.": ["451 4.3.0 try later"]}
        instance = self.send({"connectionRef": self.connection(server)}, retry={"maxAttempts": 3, "initialDelay": "1ms"})
        self.assertEqual(instance["status"], "COMPLETED", instance)
        self.assertEqual(len(server.wait(1)), 1)
        self.assertEqual(instance["variables"]["nodes.call"]["message_id"], str(self.read(server.mails[0])["Message-ID"]))

    def test_a_lost_confirmation_repeats_the_message_with_the_same_id(self):
        server = self.mail_server()
        server.answers["QUEUED"] = [None]
        instance = self.send({"connectionRef": self.connection(server)}, retry={"maxAttempts": 2, "initialDelay": "1ms"})
        self.assertEqual(instance["status"], "COMPLETED", instance)
        ids = {str(self.read(mail)["Message-ID"]) for mail in server.wait(2)}
        self.assertEqual(ids, {instance["variables"]["nodes.call"]["message_id"]})

    def test_a_4xx_that_stays_ends_the_attempts(self):
        server = self.mail_server()
        server.answers["MAIL"] = ["421 4.3.2 going down"] * 2
        instance = self.send({"connectionRef": self.connection(server)}, retry={"maxAttempts": 2, "initialDelay": "1ms"})
        self.assert_failed(instance, "SMTP_421", "421 4.3.2 going down")
        self.assertEqual(server.answers["MAIL"], [])

    def test_nobody_listens(self):
        server = self.mail_server()
        reference = self.connection(server)
        server.close()
        self.assert_failed(self.send({"connectionRef": reference}), "SMTP_CONNECTION", "refused the connection")

    def test_a_server_that_says_nothing(self):
        server = self.mail_server()
        held = threading.Event()
        self.addCleanup(held.set)
        server.answers["EHLO"] = Hold(held, threading.Event())
        instance = self.send({"connectionRef": self.connection(server)}, timeout="300ms")
        self.assertEqual(instance["status"], "FAILED")
        self.assertIn(instance["errorCode"], ("TIMEOUT", "SMTP_TIMEOUT"))

    def test_what_cannot_be_sent(self):
        server = self.mail_server()
        reference = self.connection(server)
        for config, code in (({"subject": "a\r\nBcc: x@y.example"}, "EMAIL_HEADER"), ({"to": "b@b.example\r\nRCPT TO:<x@y.example>"}, "EMAIL_HEADER"),
                             ({"from": "A\n <a@a.example>"}, "EMAIL_HEADER"), ({"to": "nobody"}, "EMAIL_INPUT"), ({"to": []}, "EMAIL_INPUT"),
                             ({"connectionRef": "vault:nothing-there"}, "SECRET_NOT_FOUND"), ({"connectionRef": None}, "EMAIL_SERVER")):
            self.assert_failed(self.send({"connectionRef": reference, **config}), code)
        self.assertEqual(server.mails, [])

    def test_a_secret_that_is_no_server_is_not_shown(self):
        name = f"mail-{next(numbers)}"
        self.client.request("PUT", f"/api/secrets/{name}", {"value": "ftp://planted-value-8"})
        instance = self.send({"connectionRef": f"vault:{name}"})
        self.assert_failed(instance, "EMAIL_SERVER", "neither smtp://")
        self.assertNotIn("planted-value-8", json.dumps(instance))


class Addresses(Mail):
    def test_utf8_where_it_is_offered(self):
        server = self.mail_server()
        instance = self.send({"connectionRef": self.connection(server), "to": "jörg@b.example"})
        self.assertEqual(instance["status"], "COMPLETED", instance)
        mail = server.wait(1)[0]
        self.assertEqual(mail.recipients, ["jörg@b.example"])
        self.assertIn("SMTPUTF8", mail.parameters)

    def test_utf8_where_it_is_not_offered(self):
        server = self.mail_server(utf8=False)
        instance = self.send({"connectionRef": self.connection(server), "to": "jörg@b.example"})
        self.assert_failed(instance, "SMTP_UTF8", "does not offer SMTPUTF8")
        self.assertEqual(server.mails, [])

    def test_odd_addresses(self):
        server = self.mail_server()
        odd = ["o'neil+tag@b.example", '"a b"@b.example', '"a@b"@b.example', "bob@[127.0.0.1]"]
        instance = self.send({"connectionRef": self.connection(server), "to": odd})
        self.assertEqual(instance["status"], "COMPLETED", instance)
        self.assertEqual(server.wait(1)[0].recipients, odd)


class Engine(unittest.TestCase):
    def test_the_engines_own_server_and_the_guard_of_addresses(self):
        server = MailServer()
        self.addCleanup(server.close)
        url = f"smtp://127.0.0.1:{server.port}?from=engine%40pawl.example"
        for arguments, status, code in ((("--smtp", url, "--allow-private-calls"), "COMPLETED", None), (("--smtp", url), "FAILED", "SMTP_ADDRESS")):
            engine = Server(arguments)
            self.addCleanup(engine.kill)
            instance = Graphs(engine).run(one_call("mailer", {"type": "action_email", "config": {**MESSAGE, "from": None}}))
            self.assertEqual((instance["status"], instance["errorCode"]), (status, code), instance)
            engine.stop()
        self.assertEqual([mail.sender for mail in server.mails], ["engine@pawl.example"])

    def test_a_message_under_way_is_sent_again_after_a_kill(self):
        """The engine dies while the server holds the message back. The next one sends it, with the same id."""
        server = MailServer()
        self.addCleanup(server.close)
        held, arrived = threading.Event(), threading.Event()
        self.addCleanup(held.set)
        with tempfile.TemporaryDirectory(prefix="pawl-email-") as directory:
            arguments = ("--smtp", f"smtp://127.0.0.1:{server.port}", "--allow-private-calls")
            engine = Server(arguments, data=directory)
            self.addCleanup(engine.kill)
            graphs = Graphs(engine)
            graphs.publish(one_call("mailer", {"type": "action_email", "config": MESSAGE}))
            server.answers["DATA."] = Hold(held, arrived)
            instance = graphs.start("mailer")["id"]
            self.assertTrue(arrived.wait(30))
            engine.kill()
            held.set()
            engine = Server(arguments, data=directory)
            self.addCleanup(engine.kill)
            mail = server.wait(1)[0]
            self.assertIn(f"Message-ID: <{instance}_call_", mail.text)
            engine.stop()


if __name__ == "__main__":
    main()
