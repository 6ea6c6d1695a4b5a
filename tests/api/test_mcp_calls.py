"""Tools of MCP servers that flow graphs use (action_mcp): our own server, one of an older revision, and servers that behave badly."""

import json
import tempfile
import threading

from functions import HANG_UP, Functions, Reply
from graphs import Graphs, edge, graph, node, one_call
from harness import PATIENCE, Case, Client, Events, Server, main
from steps import end

MODERN, LEGACY = "2026-07-28", "2025-11-25"
VERSION = "io.modelcontextprotocol/protocolVersion"
STREAM = "text/event-stream"


def result(call, **more):
    """The answer to a call of a tool."""
    return {"jsonrpc": "2.0", "id": json.loads(call.body)["id"], "result": more}


def text(call, *texts, **more):
    return result(call, content=[{"type": "text", "text": text} for text in texts], **more)


def error(call, code, message, **more):
    return {"jsonrpc": "2.0", "id": json.loads(call.body).get("id"), "error": {"code": code, "message": message, **more}}


def events(*messages, head=""):
    return head + "".join(f"event: message\ndata: {json.dumps(message)}\n\n" for message in messages)


class Older:
    """A server of an earlier revision: it wants a handshake and gives a session. `refusal` is its answer to a call without one."""

    def __init__(self, refusal=(400, "Bad Request: no valid session", "text/plain"), version=LEGACY, session="s-1", expired=0):
        self.refusal, self.version, self.session, self.expired, self.seen = refusal, version, session, expired, []

    def __call__(self, call):
        if call.method == "DELETE":
            self.seen.append(("DELETE", call.headers.get("Mcp-Session-Id")))
            return Reply(204)
        message = json.loads(call.body)
        self.seen.append((message["method"], call.headers.get("Mcp-Session-Id")))
        if message["method"] == "initialize":
            return Reply(200, events(result(call, protocolVersion=self.version, capabilities={}, serverInfo={"name": "older", "version": "1"})), STREAM,
                         {"Mcp-Session-Id": self.session} if self.session else {})
        if call.headers.get("MCP-Protocol-Version") == MODERN:
            status, body, kind = self.refusal
            return Reply(status, body(call) if callable(body) else body, kind)
        if message["method"] == "notifications/initialized":
            return Reply(202)
        assert "id" in message and VERSION not in message["params"]["_meta"], message
        if self.expired:
            self.expired -= 1
            return Reply(404, error(call, -32001, "Session not found"))
        return Reply(200, events({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}, text(call, "from an older server")), STREAM)


class Tools(Case):
    arguments = ("--allow-private-calls", "--mcp")

    def setUp(self):
        super().setUp()
        self.functions = Functions()
        self.addCleanup(self.functions.close)
        self.graphs = Graphs(self.server)

    def run_tool(self, config, variables=None, retry=None, timeout=None, **more):
        call = {"type": "action_mcp", "config": {"url": self.functions.url + "/mcp", "tool": "add", **config}}
        if retry:
            call["retry"] = {"backoffStrategy": "None", **retry}
        if timeout:
            call["timeout"] = timeout
        return self.graphs.run(one_call(self.fresh("tool"), call, **more), variables)

    def answer(self, *answers, retry=None, timeout=None, **config):
        self.functions.answer("/mcp", *answers)
        return self.run_tool(config, retry=retry, timeout=timeout)

    def output(self, run):
        self.assertEqual(run["status"], "COMPLETED", run)
        return run["variables"]["nodes.call"]

    def fails(self, run, code, *words):
        self.assertEqual((run["status"], run["errorCode"]), ("FAILED", code), run)
        for word in words:
            self.assertIn(word, run["error"]["message"])


class Ours(Tools):
    def config(self, tool, **arguments):
        return {"url": f"http://127.0.0.1:{self.server.port}/mcp", "tool": tool, "arguments": arguments}

    def test_a_tool_of_another_engine(self):
        name = self.upload([end()], mcp={"tool": self.fresh("refund")})
        output = self.output(self.run_tool(self.config("start_run", definitionId=name, input={"amount": "{{ trigger.payload.amount }}"}), {"amount": 12}))
        self.assertEqual(output["complete"], True)
        run = self.get(f"/api/instances/{output['result']['runId']}").json
        self.assertEqual((run["definitionId"], run["variables"]["amount"]), (name, 12))

    def test_a_tool_that_fails_and_one_that_is_not_there(self):
        self.fails(self.run_tool(self.config("get_run", runId="no such run")), "MCP_TOOL_ERROR", "no such run")
        self.fails(self.run_tool(self.config("no_such_tool")), "MCP_ERROR", "no_such_tool")

    def test_a_failure_can_be_caught(self):
        name = self.fresh("tool")
        done = self.graphs.run(graph(node("t", "trigger_manual"), node("call", "action_mcp", **self.config("get_run", runId="x")), node("bad", "end", result={"why": "{{ nodes.call.error.code }}"}),
                                     edges=[edge("t", "call"), edge("call", "bad", "error")], definitionId=name))
        self.assertEqual(done["status"], "COMPLETED", done)

    def test_a_kill_in_the_middle_starts_nothing_twice(self):
        """The caller is killed when the tool has done its work and before the answer is there."""
        name = self.upload([end()])
        directory = tempfile.TemporaryDirectory(prefix="pawl-test-")
        self.addCleanup(directory.cleanup)
        callers = [Server(("--allow-private-calls",), directory.name)]
        self.addCleanup(lambda: callers[-1].kill())
        ids = []

        def forward(call):
            client = Client(self.server)
            headers = {key: value for key, value in call.headers.items() if key.lower() not in ("host", "content-length")}
            answer = client.post("/mcp", json.loads(call.body), headers)
            client.close()
            ids.append((json.loads(call.body)["id"], call.headers["Idempotency-Key"]))
            if len(ids) == 1:
                callers[0].kill()
                return HANG_UP
            return Reply(answer.status, answer.body)

        self.functions.answer("/mcp", forward)
        graphs = Graphs(callers[0])
        graphs.publish(one_call("caller", {"type": "action_mcp", "config": {"url": self.functions.url + "/mcp", "tool": "start_run", "arguments": {"definitionId": name}}}))
        run = graphs.start("caller")["id"]
        self.functions.wait("/mcp", 1)
        callers[0].process.wait()
        callers.append(Server(("--allow-private-calls",), directory.name))
        client = Client(callers[-1])
        self.addCleanup(client.close)
        self.functions.wait("/mcp", 2)
        with Events(callers[-1], run) as stream:
            stream.all()
        done = client.get(f"/v1/instances/{run}").json
        self.assertEqual(done["status"], "COMPLETED", done)
        self.assertEqual(len(set(ids)), 1, ids)
        self.assertEqual(len(self.get(f"/v1/instances?definitionId={name}").json["items"]), 1)


class Requests(Tools):
    def test_the_request_of_the_current_revision(self):
        self.functions.answer("/mcp", lambda call: Reply(200, result(call, content=[{"type": "text", "text": "{}"}], structuredContent={"sum": 5})))
        run = self.run_tool({"arguments": {"a": "{{ trigger.payload.a }}"}, "headers": {"X-Who": "{{ trigger.payload.who }}"}}, {"a": 2, "who": "ann"})
        self.assertEqual(self.output(run), {"result": {"sum": 5}, "complete": True})
        call, = self.functions.calls
        message, key = json.loads(call.body), f"{run['id']}/call/2"
        self.assertEqual((message["jsonrpc"], message["id"], message["method"]), ("2.0", key, "tools/call"))
        self.assertEqual((message["params"]["name"], message["params"]["arguments"], message["params"]["_meta"]["pawl/idempotencyKey"]), ("add", {"a": 2}, key))
        self.assertEqual((message["params"]["_meta"][VERSION], message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]), (MODERN, {}))
        self.assertEqual([call.headers[name] for name in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Idempotency-Key", "X-Who", "Content-Type")],
                         [MODERN, "tools/call", "add", key, "ann", "application/json"])
        self.assertIn(STREAM, call.headers["Accept"])
        self.assertRegex(call.headers["traceparent"], "^00-")

    def test_names_that_are_no_header(self):
        self.output(self.answer(lambda call: Reply(200, text(call, "")), tool="größe"))
        self.assertRegex(self.functions.calls[0].headers["Mcp-Name"], r"^=\?base64\?.+\?=$")

    def test_a_secret_authorizes_the_call_and_stays_out_of_the_answer(self):
        name = self.fresh("key").replace("-", "_")
        self.client.request("PUT", f"/api/secrets/{name}", {"value": "planted-token-7"})
        self.functions.answer("/mcp", lambda call: Reply(200, text(call, call.headers["Authorization"])))
        run = self.run_tool({"headers": {"Authorization": "Bearer {{ secrets.%s }}" % name}}, secretRefs=[name])
        self.assertEqual(self.functions.calls[0].headers["Authorization"], "Bearer planted-token-7")
        self.assertNotIn("planted", json.dumps(run))

    def test_what_cannot_be_sent(self):
        for config, words in (({"tool": ""}, ["tool"]), ({"tool": "x" * 257}, ["MCP_TOOL_NAME_BYTES_MAX"]), ({"arguments": "{{ trigger.payload.list }}"}, ["arguments", "array"]),
                              ({"headers": {"mcp-name": "x"}}, ["mcp-name", "protocol"]), ({"headers": {"Host": "x"}}, ["Host"]), ({"url": "ftp://h/"}, [])):
            with self.subTest(config):
                run = self.run_tool(config, {"list": [1]})
                self.assertEqual(run["status"], "FAILED", run)
                self.assertIn(run["errorCode"], ("INVALID_REQUEST", "INVALID_URL"))
                for word in words:
                    self.assertIn(word, run["error"]["message"])
        self.assertEqual(self.functions.calls, [])

    def test_attempts_have_one_key(self):
        self.output(self.answer(HANG_UP, Reply(503), lambda call: Reply(200, text(call, "ok")), retry={"maxAttempts": 3}))
        self.assertEqual(len({(call.headers["Idempotency-Key"], json.loads(call.body)["id"]) for call in self.functions.calls}), 1)
        self.assertEqual([call.headers["X-Attempt"] for call in self.functions.calls], ["1", "2", "3"])

    def test_networks_that_may_not_be_reached(self):
        server = Server()
        self.addCleanup(server.stop)
        run = Graphs(server).run(one_call("tool", {"type": "action_mcp", "config": {"url": self.functions.url + "/mcp", "tool": "add"}}))
        self.assertEqual((run["errorCode"], self.functions.calls), ("ADDRESS_REFUSED", []))


class Answers(Tools):
    def test_texts_and_what_is_none(self):
        parts = [{"type": "text", "text": "one"}, {"type": "image", "data": "AA==", "mimeType": "image/png"}, {"type": "resource", "resource": {"uri": "x:1", "text": "two"}}]
        self.assertEqual(self.output(self.answer(lambda call: Reply(200, result(call, content=parts)))), {"result": "one\ntwo", "complete": False})
        self.assertEqual(self.output(self.answer(lambda call: Reply(200, text(call, "ä" * 140000)))), {"result": "ä" * 131072, "complete": False})
        self.assertEqual(self.output(self.answer(lambda call: Reply(200, result(call, content=[])))), {"result": "", "complete": True})

    def test_streams(self):
        notice = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "busy"}}
        other = {"jsonrpc": "2.0", "id": "another", "result": {"content": []}}
        self.assertEqual(self.output(self.answer(lambda call: Reply(200, events(notice, other, text(call, "done"), head=": hello\r\n\r\nid: 1\ndata:\n\n"), STREAM)))["result"], "done")
        split = lambda call: "data: {\r\ndata:" + json.dumps(text(call, "in two"))[1:] + "\r\n\r\n"
        self.assertEqual(self.output(self.answer(lambda call: Reply(200, split(call), STREAM)))["result"], "in two")
        run = self.answer(Reply(200, events(notice), STREAM), lambda call: Reply(200, events(text(call, "again")), STREAM), retry={"maxAttempts": 2})
        self.assertEqual(self.output(run)["result"], "again")
        self.fails(self.answer(Reply(200, events(notice, other), STREAM), retry={"maxAttempts": 1}), "MCP_BAD_ANSWER", "stream has ended")

    def test_a_tool_says_that_it_failed(self):
        run = self.answer(lambda call: Reply(200, text(call, "no such order " + "x" * 5000, isError=True)))
        self.fails(run, "MCP_TOOL_ERROR", "no such order")
        self.assertLessEqual(len(run["error"]["message"]), 2048)
        self.fails(self.answer(lambda call: Reply(200, result(call, content=[], isError=True))), "MCP_TOOL_ERROR", "add", "did not say why")
        self.fails(self.answer(lambda call: Reply(200, error(call, -32602, "a is missing"))), "MCP_ERROR", "a is missing", "-32602")
        self.fails(self.answer(lambda call: Reply(200, result(call, resultType="input_required"))), "MCP_UNSUPPORTED", "input_required")

    def test_rubbish(self):
        for reply in (Reply(200, "<html>", "text/html"), Reply(200, b"\xff\xfe", "application/json"), Reply(200, "[]"), Reply(200, {"jsonrpc": "2.0", "id": "else", "result": {"content": []}}),
                      Reply(200, {"result": {"content": []}}), Reply(200), Reply(202), lambda call: Reply(200, result(call)), lambda call: Reply(200, {**result(call), "result": []}),
                      lambda call: Reply(200, error(call, "no number", "x")), lambda call: Reply(200, "[" * 5000)):
            self.fails(self.answer(reply), "MCP_BAD_ANSWER", "cannot be used")

    def test_servers_that_behave_badly(self):
        elsewhere = Reply(302, headers={"Location": self.functions.url + "/stolen"})
        self.fails(self.answer(elsewhere), "HTTP_302")
        self.assertEqual(self.functions.to("/stolen"), [])
        self.fails(self.answer(Reply(500, "broken", "text/plain"), retry={"maxAttempts": 2}), "HTTP_500", "Max retries exceeded")
        self.fails(self.answer(Reply(401, {"error": "invalid_token"})), "HTTP_401")
        self.fails(self.answer(Reply(200, json.dumps({"a": "x" * (1 << 20)}))), "TOO_LARGE")
        self.fails(self.answer(HANG_UP, retry={"maxAttempts": 1}), "CONNECTION_FAILED")

    def test_a_server_that_hangs(self):
        self.functions.hold("/mcp")
        run = self.answer(Reply(200), timeout="100ms", retry={"maxAttempts": 1})
        self.assertEqual(run["status"], "FAILED", run)
        self.assertIn("TIMEOUT", run["errorCode"].upper())

    def test_a_server_that_hangs_in_the_middle_of_a_handshake(self):
        older, over = Older(), threading.Event()
        self.addCleanup(over.set)

        def hang(call):
            if call.method == "POST" and json.loads(call.body)["method"] == "initialize":
                over.wait(PATIENCE)
            return older(call)

        run = self.answer(hang, timeout="100ms", retry={"maxAttempts": 1})
        self.assertIn("TIMEOUT", run["errorCode"].upper())
        self.assertEqual(len(self.functions.calls), 2)


class OlderServers(Tools):
    STEPS = ["tools/call", "initialize", "notifications/initialized", "tools/call"]

    def use(self, older, **more):
        run = self.answer(older, **more)
        return run, [name for name, _ in older.seen if name != "DELETE"]

    def test_servers_that_want_a_handshake(self):
        unsupported = lambda call: error(call, -32022, "unknown revision", data={"supported": ["2025-06-18"], "requested": MODERN})
        for refusal in ((400, "Bad Request: no valid session", "text/plain"), (400, lambda call: error(call, -32000, "Server not initialized"), "application/json"),
                        (200, lambda call: error(call, -32600, "Invalid Request"), "application/json"), (400, unsupported, "application/json"), (400, None, None)):
            older = Older(refusal)
            run, steps = self.use(older)
            self.assertEqual((self.output(run)["result"], steps), ("from an older server", self.STEPS))
            self.assertEqual([session for _, session in older.seen[:4]], [None, None, "s-1", "s-1"])
            self.until(lambda: older.seen[-1] == ("DELETE", "s-1"))

    def test_keys_and_revisions_of_the_four_messages(self):
        run, _ = self.use(Older(version="2025-06-18", session=None))
        self.output(run)
        calls, key = self.functions.calls, f"{run['id']}/call/2"
        self.assertEqual([call.headers["Idempotency-Key"] for call in calls], [key, key + "/initialize", key + "/initialized", key])
        self.assertEqual([call.headers.get("MCP-Protocol-Version") for call in calls], [MODERN, None, "2025-06-18", "2025-06-18"])
        self.assertEqual([json.loads(call.body).get("id") for call in calls], [key, key + "/initialize", None, key])
        self.assertEqual({call.method for call in calls}, {"POST"})  # There is no session that could be ended.

    def test_a_session_that_is_forgotten_is_begun_anew(self):
        run, steps = self.use(Older(expired=1), retry={"maxAttempts": 2})
        self.assertEqual((self.output(run)["result"], steps), ("from an older server", self.STEPS * 2))

    def test_servers_that_nobody_understands(self):
        run, steps = self.use(Older(version="1999-01-01"))
        self.fails(run, "MCP_UNSUPPORTED", "1999-01-01")
        self.assertEqual(steps, ["tools/call", "initialize"])
        unsupported = lambda call: error(call, -32022, "unknown revision", data={"supported": ["2030-01-01"]})
        run, steps = self.use(Older((400, unsupported, "application/json")))
        self.fails(run, "MCP_ERROR", "unknown revision")
        self.assertEqual(steps, ["tools/call"])
        self.fails(self.answer(Reply(400, {"message": "the body is wrong"})), "HTTP_400", "the body is wrong", "before that")


if __name__ == "__main__":
    main()
