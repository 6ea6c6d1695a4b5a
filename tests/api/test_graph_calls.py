"""Web services called by flow graphs: what is sent, what comes back, and what is tried again."""

import datetime
import json
import shutil
import subprocess
import tempfile

from functions import HANG_UP, Functions, Reply
from graphs import Graphs, one_call
from harness import Case, Server, main
from mail import certificate

CERTIFICATE = certificate()


class Calls(Case):
    arguments = ("--allow-private-calls",)

    def setUp(self):
        super().setUp()
        self.functions = Functions()
        self.addCleanup(self.functions.close)
        self.graphs = Graphs(self.server)

    def run_call(self, config, variables=None, retry=None, **more):
        node = {"type": "action_http", "config": {"url": self.functions.url + "/call", **config}}
        if retry:
            node["retry"] = retry
        return self.graphs.run(one_call(self.fresh("call"), node, **more), variables)

    def output(self, instance):
        return instance["variables"]["nodes.call"]

    def test_parts_of_the_request_and_of_the_answer(self):
        self.functions.answers["/call?q=a%26b&n=1"] = [Reply(201, {"id": 7}, headers={"X-Trace": "t"})]
        done = self.run_call({"method": "PUT", "query": {"q": "a&b", "n": 1}, "headers": {"X-Who": "{{ trigger.payload.who }}"},
                              "body": {"amount": "{{ trigger.payload.amount }}", "text": "{{ trigger.payload.amount }} EUR"}},
                             {"who": "ann", "amount": 12.50})
        self.assertEqual(done["status"], "COMPLETED", done)
        call, = self.functions.calls
        self.assertEqual((call.method, call.path, call.headers["X-Who"], call.headers["X-Attempt"]), ("PUT", "/call?q=a%26b&n=1", "ann", "1"))
        self.assertEqual(json.loads(call.body), {"amount": 12.5, "text": "12.5 EUR"})
        output = self.output(done)
        self.assertEqual(sorted(output), ["body", "headers", "status_code"])
        self.assertEqual((output["status_code"], output["body"], output["headers"]["x-trace"]), (201, {"id": 7}, "t"))

    def test_failures_that_may_pass_are_tried_again_with_one_key(self):
        self.functions.answers["/call"] = [HANG_UP, Reply(503), Reply(200, "done", "text/plain")]
        done = self.run_call({"method": "POST"}, retry={"maxAttempts": 3, "backoffStrategy": "None"})
        self.assertEqual(done["status"], "COMPLETED", done)
        self.assertEqual(self.output(done)["body"], "done")
        self.assertEqual([call.headers["X-Attempt"] for call in self.functions.calls], ["1", "2", "3"])
        self.assertEqual({call.headers["Idempotency-Key"] for call in self.functions.calls}, {f"{done['id']}/call/2"})

    def test_a_server_may_ask_for_a_pause(self):
        self.functions.answers["/call"] = [Reply(429, headers={"Retry-After": "1"}), Reply(200, {})]
        done = self.run_call({"method": "POST"}, retry={"maxAttempts": 2, "backoffStrategy": "None"})
        self.assertEqual(done["status"], "COMPLETED", done)
        self.assertEqual(len(self.functions.calls), 2)
        began, ended = (datetime.datetime.fromisoformat(done[name]) for name in ("startedAt", "completedAt"))
        self.assertGreaterEqual((ended - began).total_seconds(), 1)

    def test_other_failures_are_final(self):
        self.functions.answers["/call"] = [Reply(404, {"message": "no such order"})]
        failed = self.run_call({"method": "GET"})
        self.assertEqual((failed["status"], failed["executionStatus"]), ("FAILED", "failed"))
        self.assertEqual(failed["error"], {"code": "HTTP_404", "message": "no such order", "nodeId": "call"})
        self.assertEqual(len(self.functions.calls), 1)

    def test_used_up_attempts_say_so(self):
        self.functions.answers["/call"] = [Reply(500, {"message": "broken"})] * 2
        failed = self.run_call({"method": "GET"}, retry={"maxAttempts": 2, "backoffStrategy": "None"})
        self.assertEqual(failed["error"]["message"], "Max retries exceeded: broken")
        self.assertEqual(failed["errorCode"], "HTTP_500")

    def test_headers_of_the_connection_cannot_be_set(self):
        failed = self.run_call({"method": "GET", "headers": {"Host": "elsewhere"}})
        self.assertEqual(failed["errorCode"], "INVALID_REQUEST")
        self.assertEqual(self.functions.calls, [])

    def test_certificates_that_the_environment_trusts(self):
        functions = Functions(CERTIFICATE[:2])
        self.addCleanup(functions.close)
        functions.answers["/call"] = [Reply(200, {})]
        call = one_call(self.fresh("call"), {"type": "action_http", "retry": {"maxAttempts": 1}, "config": {"url": functions.url + "/call"}})
        self.assertEqual(self.graphs.run(call)["errorCode"], "TLS")
        for variable, value in (("SSL_CERT_FILE", CERTIFICATE[0]), ("SSL_CERT_DIR", self.hashed(CERTIFICATE[0]))):
            server = Server(self.arguments, environment={variable: value})
            self.addCleanup(server.stop)
            self.assertEqual(Graphs(server).run(call)["status"], "COMPLETED", variable)

    def hashed(self, certificate):
        """A directory in which OpenSSL finds this certificate."""
        directory = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, directory)
        shutil.copy(certificate, directory)
        subprocess.run(["openssl", "rehash", directory], check=True)
        return directory


if __name__ == "__main__":
    main()
