"""Values from outside that try to be more than values: in addresses, headers, forms, HTML and recipients of calls."""

import email
import email.policy
import itertools
import json
import urllib.parse

from abuse import AbuseCase, main
from functions import Functions, Reply
from graphs import Graphs, one_call
from mail import MailServer

CLIMB = "../../admin?x=1#"
TOKEN = {"Authorization": "Bearer planted-token"}
RECIPIENTS_MAX = 100  # MAIL_RECIPIENTS_MAX of src/perform/limits.h
numbers = itertools.count(1)


class Values(AbuseCase):
    arguments = ("--allow-private-calls",)

    def setUp(self):
        super().setUp()
        self.graphs = Graphs(self.server)

    def run_node(self, type, config, payload, **more):
        return self.graphs.run(one_call(f"values-{next(numbers)}", {"type": type, "config": config, "retry": {"maxAttempts": 1}}, **more), payload)

    def assert_refused(self, instance, words, code="EXPRESSION_ERROR"):
        self.assertEqual((instance["status"], instance["errorCode"]), ("FAILED", code), instance)
        self.assertIn(words, instance["errorMessage"])


class Calls(Values):
    def setUp(self):
        super().setUp()
        self.functions = Functions()
        self.addCleanup(self.functions.close)

    def call(self, path, value, headers=None, **config):
        """Calls the path with the value in it; the instance, and what the web service saw."""
        before = len(self.functions.calls)
        config = {"url": self.functions.url + path, "headers": {**TOKEN, **(headers or {})}, **config}
        instance = self.run_node("action_http", config, {"v": value})
        return instance, self.functions.calls[before:]

    def test_a_value_stays_inside_its_segment(self):
        for value in (CLIMB, "..\\..\\admin", "%2e%2e/admin", "a\r\nX: y", "a b", "ü", "x;y@z:1", "\0"):
            instance, calls = self.call("/shop/items/{{ trigger.payload.v }}", value)
            path = "/shop/items/" + urllib.parse.quote(value, safe="")
            self.assertEqual([call.path for call in calls], [path], instance)
            self.assertEqual(calls[0].headers["Authorization"], TOKEN["Authorization"])

    def test_dots_lead_nowhere(self):
        for value in (".", ".."):
            for path in ("/shop/items/{{ trigger.payload.v }}", "/shop/{{ trigger.payload.v }}/items"):
                instance, calls = self.call(path, value)
                self.assert_refused(instance, "trigger.payload.v")
                self.assertEqual(calls, [])
        instance, calls = self.call("/shop/{{ trigger.payload.v }}{{ trigger.payload.v }}/items", ".")
        self.assert_refused(instance, "leads to another path")
        self.assertEqual(calls, [])

    def test_a_value_adds_no_parameter(self):
        _, calls = self.call("/shop?q={{ trigger.payload.v }}&n=1", "a&admin=1#b=c")
        self.assertEqual([call.path for call in calls], ["/shop?q=a%26admin%3D1%23b%3Dc&n=1"])
        _, calls = self.call("/shop", "a&admin=1", query={"q": "{{ trigger.payload.v }}"})
        self.assertEqual([call.path for call in calls], ["/shop?q=a%26admin%3D1"])

    def test_a_value_is_no_other_server(self):
        port = self.functions.port
        for value in (f"@127.0.0.1:{port}", f"x@127.0.0.1:{port}/", "127.0.0.1/x?", "a%2Fb", "a\\b", "hü"):
            instance = self.run_node("action_http", {"url": "http://shop.example{{ trigger.payload.v }}/x", "headers": TOKEN}, {"v": value})
            self.assert_refused(instance, "no host of a URL has")
        instance = self.run_node("action_http", {"url": "http://{{ trigger.payload.v }}/x?y={{ trigger.payload.v }}"}, {"v": f"127.0.0.1:{port}"})
        self.assertEqual([call.path for call in self.functions.calls], [f"/x?y=127.0.0.1%3A{port}"], instance)

    def test_a_value_that_is_the_address_is_taken_and_told(self):
        self.functions.answers["/any/where?x=1"] = [Reply(200, {})]
        document = one_call(self.fresh("values"), {"type": "action_http", "config": {"url": "{{ trigger.payload.v }}"}})
        published = self.graphs.publish(document)
        self.assertIn(("SERVER_FROM_DATA", "/nodes/1/config/url"), [(w["code"], w["pointer"]) for w in self.warnings(document)], published)
        done = self.graphs.run(document, {"v": self.functions.url + "/any/where?x=1"})
        self.assertEqual(done["status"], "COMPLETED", done)

    def warnings(self, document):
        checked = self.post("/api/workflows/validate", document).json
        self.assertTrue(checked["valid"], checked)
        return checked["warnings"]

    def test_three_braces_are_obeyed_and_told(self):
        instance, calls = self.call("/shop/{{{ trigger.payload.v }}}", "a/b?c=d")
        self.assertEqual([call.path for call in calls], ["/shop/a/b?c=d"], instance)
        document = one_call(self.fresh("values"), {"type": "action_http", "config": {"url": "https://h/{{{ trigger.payload.v }}}"}})
        warning, = self.warnings(document)
        self.assertEqual((warning["code"], warning["pointer"]), ("RAW_PLACEHOLDER", "/nodes/1/config/url"))

    def test_a_value_begins_no_header(self):
        for value in ("a\r\nX-Admin: 1", "a\nb", "a\0b", "a\x7f"):
            instance, calls = self.call("/shop", value, headers={"X-Who": "{{ trigger.payload.v }}"})
            self.assert_refused(instance, "X-Who", code="INVALID_HEADER")
            self.assertEqual(calls, [])

    def test_a_value_adds_no_field_to_a_form_and_no_tag_to_a_document(self):
        for kind, value, sent in (("application/x-www-form-urlencoded", "a&admin=1", "a%26admin%3D1"),
                                  ("text/html; charset=utf-8", "<script>'", "&lt;script&gt;&#39;"), ("application/xml", "</x><y z=\"", "&lt;/x&gt;&lt;y z=&quot;"),
                                  ("text/plain", "<a&b>", "<a&b>")):
            instance, calls = self.call("/shop", value, headers={"Content-Type": kind}, method="POST", body="x={{ trigger.payload.v }};")
            self.assertEqual([call.body.decode() for call in calls], [f"x={sent};"], instance)
        value = "\"}, {\"admin\": true"
        _, calls = self.call("/shop", value, method="POST", body={"v": "{{ trigger.payload.v }}", "t": "v: {{ trigger.payload.v }}"})
        self.assertEqual(json.loads(calls[0].body), {"v": value, "t": f"v: {value}"})


class Mails(Values):
    def setUp(self):
        super().setUp()
        self.mail = MailServer()
        self.addCleanup(self.mail.close)
        self.name = f"mail-{next(numbers)}"
        server = json.dumps({"url": f"smtp://localhost:{self.mail.port}", "from": "engine@pawl.example"})
        self.assertEqual(self.client.request("PUT", f"/api/secrets/{self.name}", {"value": server}).status, 201)

    def send(self, payload, **config):
        config = {"connectionRef": f"vault:{self.name}", "to": "ann@a.example", "subject": "Hello", **config}
        return self.run_node("action_email", config, {"v": payload})

    def test_one_placeholder_is_one_recipient(self):
        many = [f"a{i}@evil.example" for i in range(99)]
        for separator in (",", ", ", ";"):
            for field in ("to", "cc", "bcc", "from", "replyTo"):
                self.assert_refused(self.send(separator.join(many), **{field: "{{ trigger.payload.v }}"}), "more than one address")
            self.assert_refused(self.send(separator.join(many), to=["{{ trigger.payload.v }}"]), "more than one address")
            self.assert_refused(self.send(separator.join(many), to="boss@a.example, {{ trigger.payload.v }}"), "more than one address")
            self.assert_refused(self.send(separator.join(many), to="{{{ trigger.payload.v }}}"), "more than one address")
        self.assert_refused(self.send("\n".join(many), to="{{ trigger.payload.v }}"), "control character", code="EMAIL_HEADER")
        self.assert_refused(self.send("x@evil.example> <y@evil.example", to="Boss <{{ trigger.payload.v }}>"), "name@domain", code="EMAIL_INPUT")
        self.assert_refused(self.send("x@evil.example", to="{{ trigger.payload.v }}@a.example"), "name@domain", code="EMAIL_INPUT")
        self.assertEqual(self.mail.mails, [])

    def test_a_list_is_several_recipients(self):
        team = ["ann@a.example", "\"Other, Bob\" <bob@b.example>"]
        for to in ("{{ trigger.payload.v }}", ["{{ trigger.payload.v }}"]):
            done = self.send(team, to=to, cc="boss@a.example")
            self.assertEqual(done["status"], "COMPLETED", done)
        for mail in self.mail.wait(2):
            self.assertEqual(mail.recipients, ["ann@a.example", "bob@b.example", "boss@a.example"])
        self.assert_refused(self.send(["ann@a.example, x@evil.example"], to="{{ trigger.payload.v }}"), "more than one address")

    def test_recipients_have_a_limit(self):
        def people(count):
            return [f"a{i}@a.example" for i in range(count)]
        done = self.send(people(RECIPIENTS_MAX - 1), to="{{ trigger.payload.v }}", bcc="boss@a.example")
        self.assertEqual(done["status"], "COMPLETED", done)
        self.assertEqual(len(self.mail.wait(1)[0].recipients), RECIPIENTS_MAX)
        self.assert_refused(self.send(people(RECIPIENTS_MAX), to="{{ trigger.payload.v }}", bcc="boss@a.example"), f"the most is {RECIPIENTS_MAX}",
                            code="EMAIL_INPUT")
        self.assertEqual(len(self.mail.mails), 1)

    def test_html_shows_what_a_value_says(self):
        value = "<img src=x onerror='alert(\"1\")'>&"
        shown = "&lt;img src=x onerror=&#39;alert(&quot;1&quot;)&#39;&gt;&amp;"
        for html, sent in (("<p>{{ trigger.payload.v }}</p>", f"<p>{shown}</p>"), ("{{ trigger.payload.v }}", shown), ("<p>{{{ trigger.payload.v }}}</p>", f"<p>{value}</p>")):
            done = self.send(value, html=html, body="{{ trigger.payload.v }}")
            self.assertEqual(done["status"], "COMPLETED", done)
            message = email.message_from_string(self.mail.mails[-1].text, policy=email.policy.default)
            self.assertEqual(message.get_body(("html",)).get_content().strip(), sent)
            self.assertEqual(message.get_body(("plain",)).get_content().strip(), value)

    def test_a_value_begins_no_header(self):
        for field in ("subject", "headers"):
            config = {"subject": "{{ trigger.payload.v }}"} if field == "subject" else {"headers": {"X-Order": "{{ trigger.payload.v }}"}}
            self.assert_refused(self.send("a\r\nBcc: x@evil.example", **config), field, code="EMAIL_HEADER")
        self.assertEqual(self.mail.mails, [])


if __name__ == "__main__":
    main()
