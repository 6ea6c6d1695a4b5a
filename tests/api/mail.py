"""A mail server for tests: SMTP with STARTTLS or TLS from the first byte, logins, and refusals on demand."""

import base64
import os
import socket
import ssl
import subprocess
import tempfile
import threading


def certificate():
    """A self-signed certificate for localhost; its files (certificate, key) and its text."""
    directory = tempfile.mkdtemp(prefix="pawl-mail-")
    cert, key = os.path.join(directory, "cert.pem"), os.path.join(directory, "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    with open(cert, encoding="ascii") as file:
        return cert, key, file.read()


class Mail:
    """What one client handed in."""

    def __init__(self):
        self.sender, self.recipients, self.text, self.login, self.secure, self.parameters = None, [], None, None, False, ""


class MailServer:
    """`answers` maps a command's first word (also "DATA." for the end of a message, "QUEUED" when it was taken) to a list of replies, used up one by one
    before the usual one. A reply of None closes the connection."""

    def __init__(self, tls=None, implicit=False, login=None, utf8=True):
        self.tls, self.implicit, self.login, self.utf8 = tls, implicit, login, utf8
        self.answers, self.mails, self.senders, self.connections = {}, [], [], 0  # Senders in the order of their messages' beginnings.
        self.changed = threading.Condition()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)  # Ends the accept that waits.
        except OSError:
            pass
        self.socket.close()

    def wait(self, count, seconds=30):
        """The messages, once there are that many."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.mails) >= count, seconds), f"{len(self.mails)} messages came"
            return list(self.mails)

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        session = Session(self, connection, self.implicit)
        try:
            session.run()
        except (OSError, ValueError):
            pass
        finally:
            session.connection.close()
            connection.close()

    def secure(self, connection):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.tls[0], self.tls[1])
        return context.wrap_socket(connection, server_side=True)


class Session:
    def __init__(self, server, connection, secure):
        self.server, self.connection, self.secure = server, connection, secure
        self.lines, self.mail, self.login = None, Mail(), None

    def say(self, text):
        self.connection.sendall(text.encode() + b"\r\n")

    def line(self):
        line = self.lines.readline()
        if not line:
            raise OSError("gone")
        return line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")

    def planned(self, word):
        """True if a reply was planned for the command, and was given."""
        plan = self.server.answers.get(word)
        if not plan:
            return False
        reply = plan.pop(0)
        if reply is None:
            raise OSError("closed on purpose")
        self.say(reply)
        return True

    def run(self):
        if self.secure:
            self.connection = self.server.secure(self.connection)
        self.lines = self.connection.makefile("rb")
        if self.planned("CONNECT"):
            return
        self.say("220 test ESMTP")
        while True:
            line = self.line()
            word = line.split(" ")[0].split(":")[0].upper()
            if word == "QUIT":
                self.say("221 bye")
                return
            if not self.planned(word):
                getattr(self, "on_" + word.lower(), self.on_other)(line)

    def on_other(self, _):
        self.say("250 ok")

    def on_ehlo(self, _):
        offers = ["test", "SIZE 10000000"]
        if self.server.utf8:
            offers.append("SMTPUTF8")
        if self.server.tls and not self.secure:
            offers.append("STARTTLS")
        if self.server.login:
            offers.append("AUTH PLAIN LOGIN")
        for offer in offers[:-1]:
            self.say("250-" + offer)
        self.say("250 " + offers[-1])

    def on_starttls(self, _):
        self.say("220 go ahead")
        self.connection = self.server.secure(self.connection)
        self.lines, self.secure = self.connection.makefile("rb"), True

    def on_auth(self, line):
        words = line.split(" ")
        if words[1].upper() == "PLAIN":
            if len(words) < 3:
                self.say("334 ")
            login = base64.b64decode(words[2] if len(words) > 2 else self.line()).decode().split("\0")[1:]
        else:
            self.say("334 VXNlcm5hbWU6")
            user = base64.b64decode(self.line()).decode()
            self.say("334 UGFzc3dvcmQ6")
            login = [user, base64.b64decode(self.line()).decode()]
        if tuple(login) == self.server.login:
            self.login = tuple(login)
            self.say("235 welcome")
        else:
            self.say("535 5.7.8 authentication failed for " + login[1])

    def on_mail(self, line):
        if self.server.login and not self.login:
            self.say("530 5.7.0 authentication required")
            return
        self.mail = Mail()
        address, _, self.mail.parameters = line[line.index("<") + 1:].partition(">")
        self.mail.sender, self.mail.login, self.mail.secure = address, self.login, self.secure
        self.server.senders.append(address)
        self.say("250 ok")

    def on_rcpt(self, line):
        self.mail.recipients.append(line[line.index("<") + 1:line.rindex(">")])
        self.say("250 ok")

    def on_data(self, _):
        self.say("354 go ahead")
        lines = []
        while (line := self.line()) != ".":
            lines.append(line[1:] if line.startswith(".") else line)
        if self.planned("DATA."):
            return
        self.mail.text = "\r\n".join(lines) + "\r\n"
        with self.server.changed:
            self.server.mails.append(self.mail)
            self.server.changed.notify_all()
        if not self.planned("QUEUED"):
            self.say("250 2.0.0 queued")
