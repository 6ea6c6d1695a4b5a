"""Calls of the engine into networks that are not public: only to what --allow-private-calls lists."""

import os
import tempfile

from functions import Functions, Reply
from graphs import Graphs, one_call
from harness import Case, main


class Reach(Case):
    def setUp(self):
        super().setUp()
        self.functions = Functions()
        self.addCleanup(self.functions.close)
        self.functions.answer("/", Reply(200, {}))
        self.functions.answer("/away", Reply(302, headers={"Location": f"http://127.0.0.1:{self.functions.port}/"}))

    def call(self, host, path="/"):
        """The code of the error, or None."""
        node = {"type": "action_http", "retry": {"maxAttempts": 1}, "config": {"url": f"http://{host}:{self.functions.port}{path}"}}
        done = Graphs(self.server).run(one_call(self.fresh("call"), node))
        return done["errorCode"] if done["status"] == "FAILED" else None

    def refused(self, *hosts):
        for host in hosts:
            self.assertEqual(self.call(host), "ADDRESS_REFUSED", host)


class Networks(Reach):
    arguments = ("--allow-private-calls=127.0.0.2,127.0.0.0/31",)

    def test_only_addresses_of_the_networks(self):
        for host in ("127.0.0.1", "2130706433", "0x7f.1", "localhost"):
            self.assertIsNone(self.call(host), host)
        self.assertNotEqual(self.call("[::ffff:127.0.0.1]"), "ADDRESS_REFUSED")
        self.refused("127.0.0.3", "0.0.0.0", "[::1]", "169.254.169.254", "[::ffff:127.0.0.4]", "10.0.0.1")


class Names(Reach):
    """The list is in the configuration file."""
    handle, path = tempfile.mkstemp(prefix="pawl-conf-")
    os.write(handle, b"allow-private-calls = localhost, intranet.example\n")
    os.close(handle)
    arguments = ("--config", path)

    @classmethod
    def tearDownClass(cls):
        os.unlink(cls.path)

    def test_only_calls_that_name_the_host(self):
        self.assertIsNone(self.call("localhost"))
        self.assertIsNone(self.call("LOCALHOST"))
        self.refused("127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433")

    def test_a_redirect_leads_nowhere(self):
        before = len(self.functions.to("/"))
        self.call("localhost", "/away")
        self.assertEqual((len(self.functions.to("/away")), len(self.functions.to("/"))), (1, before))


if __name__ == "__main__":
    main()
