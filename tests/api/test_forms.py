"""Forms: pages without script that start a definition, for everybody or for people who are signed in."""

import http.client
import json
import re
import urllib.parse
import uuid

from accounts import PAGE, ROOT, Accounts
from harness import PATIENCE, Case, main

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
GERMAN = {"Accept-Language": "de-DE,de;q=0.9,en;q=0.8"}
SCHEMA = {"type": "object", "required": ["who", "days"], "properties": {
    "who": {"type": "string", "title": "Your name", "minLength": 2, "description": "As on <your> badge"},
    "days": {"type": "integer", "minimum": 1},
    "kind": {"oneOf": [{"const": 1, "title": "Holiday"}, {"const": 2, "title": "Other"}], "default": 2},
    "paid": {"type": "boolean"},
    "on": {"type": "array", "items": {"enum": ["mo", "tu"]}},
    "notes": {"type": "array", "items": {"type": "string"}},
    "home": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}, "zip": {"type": "string"}}},
    "proof": {"type": "string", "contentEncoding": "base64"}}}


def leave(name, schema=SCHEMA, triggers=(), **more):
    trigger = {"id": "ask", "type": "manual", "inputSchema": schema, **more}
    return {"dialect": "graph/1", "definitionId": name, "name": "Leave & <rest>", "triggers": [trigger, *triggers],
            "nodes": [{"id": "h", "type": "human_task", "config": {"title": "work"}}],
            "edges": [{"from": one["id"], "to": "h"} for one in (trigger, *triggers)]}


def sent(**fields):
    return urllib.parse.urlencode(fields, doseq=True).encode()


def text_of(answer):
    return answer.body.decode()


class OpenForms(Case):
    def publish(self, document):
        answer = self.post("/v1/definitions", document)
        self.assertEqual(answer.status, 201, answer)
        return document.get("definitionId", document.get("id"))

    def leave(self, **more):
        return self.publish(leave(self.fresh("leave"), **more))

    def send(self, name, status=201, headers=FORM, **fields):
        answer = self.post(f"/forms/{name}", sent(**fields), headers)
        self.assertEqual(answer.status, status, answer)
        return text_of(answer)

    def runs(self, name):
        return self.get(f"/v1/instances?definitionId={name}").json["items"]

    def payload(self, name):
        (run,) = self.runs(name)
        return run["variables"]["trigger"]["payload"]

    def test_the_page_asks_for_what_the_schema_says(self):
        page = self.get(f"/forms/{self.leave(buttonLabel='Ask')}")
        self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("default-src 'none'", page.headers["Content-Security-Policy"])
        self.assertEqual(page.headers["Referrer-Policy"], "same-origin")
        shown = text_of(page)
        self.assertNotIn("<script", shown)
        for part in ("<h1>Leave &amp; &lt;rest&gt;</h1>", '<label for="f1">Your name</label>', "As on &lt;your&gt; badge", 'type="number"', 'min="1"',
                     '<option value="2" selected>Other</option>', 'name="home.city"', 'type="file"', "At most 96 KB", ">Ask</button>"):
            self.assertIn(part, shown)
        # The form needs no home, so a browser must not insist on its city.
        self.assertNotRegex(shown, r'name="home.city" id="f\d+" required')
        self.assertEqual(self.get("/forms.css").headers["Content-Type"], "text/css; charset=utf-8")

    def test_a_link_fills_in_fields(self):
        shown = text_of(self.get(f"/forms/{self.leave()}?who=Ada%20%22%3E&other=1"))
        self.assertIn('value="Ada &quot;&gt;"', shown)

    def test_texts_become_what_the_schema_says(self):
        name = self.leave()
        thanks = self.send(name, **{"who": "Ada", "days": " 3 ", "kind": "1", "paid": ["false", "true"], "on": ["mo", "tu"], "notes": "one\r\ntwo", "home.city": "Bonn", "home.zip": ""})
        self.assertEqual(self.payload(name), {"who": "Ada", "days": 3, "kind": 1, "paid": True, "on": ["mo", "tu"], "notes": ["one", "two"], "home": {"city": "Bonn"}})
        self.assertIn(self.runs(name)[0]["id"], thanks)

    def test_files_are_sent(self):
        name, parts = self.leave(), b""
        for field, value in (('name="who"', b"Ada"), ('name="days"', b"1"), ('name="proof"; filename="a.pdf"', b"\xff\x00")):
            parts += b"--b\r\nContent-Disposition: form-data; " + field.encode() + b"\r\n\r\n" + value + b"\r\n"
        answer = self.post(f"/forms/{name}", parts + b"--b--\r\n", {"Content-Type": "multipart/form-data; boundary=b"})
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(self.payload(name)["proof"], "/wA=")

    def test_problems_stand_beside_their_fields(self):
        name = self.leave()
        shown = self.send(name, 400, **{"who": "A<", "days": "many", "home.zip": "5"}).replace("&quot;", '"')
        self.assertIn('value="A&lt;"', shown)
        self.assertIn('value="many"', shown)
        for part in ('<p class="wrong" id="f2-wrong">Days must be an integer</p>', 'City must be filled in', '<a href="#f2">Days</a>'):
            self.assertIn(part, shown)
        self.assertNotIn("/home", shown)
        self.assertIn('Your name must be filled in', self.send(name, 400, days="1"))
        self.assertEqual(self.runs(name), [])

    def test_a_page_speaks_the_language_that_is_read_best(self):
        path = f"/forms/{self.leave()}"
        for accepted, language in (("de", "de"), ("de-AT", "de"), ("fr, DE;q=0.5, en;q=0.1", "de"), ("en, de", "en"), ("de, en", "de"), ("de;q=0", "en"), ("fr", "en"), ("*", "en"), ("", "en")):
            shown = text_of(self.get(path, {"Accept-Language": accepted} if accepted else {}))
            self.assertIn(f'<html lang="{language}">', shown, accepted)
            self.assertIn({"de": ">Absenden</button>", "en": ">Send</button>"}[language], shown, accepted)
        shown = text_of(self.get(path, GERMAN))
        for part in ("Bitte wählen …", '<span class="optional">freiwillig</span>', "Jeden Eintrag in eine eigene Zeile.", "Zusammen höchstens 96 KB."):
            self.assertIn(part, shown)
        for part in ("Send", "Choose", "optional<", "each line", "At most"):
            self.assertNotIn(part, shown)

    def test_thanks_and_errors_are_german_too(self):
        name = self.leave()
        thanks = self.send(name, 201, {**FORM, **GERMAN}, who="Ada", days="1")
        for part in ('<html lang="de">', "<h1>Vielen Dank</h1>", "„Leave &amp; &lt;rest&gt;“ ist angekommen.", "Ihr Aktenzeichen: <code>", ">Noch eines ausfüllen</a>"):
            self.assertIn(part, thanks)
        none = text_of(self.get(f"/forms/{self.fresh('none')}", GERMAN))
        self.assertIn("<h1>Hier ist kein Formular</h1>\n<p>Hier ist kein Formular, oder es ist nicht für Sie.</p>", none)
        self.post(f"/api/triggers/{name}/ask/pause", {"reason": "holidays"})
        # The engine's own sentences are English, and say so to those who have pages read to them.
        self.assertRegex(self.send(name, 503, {**FORM, **GERMAN}, who="Ada", days="1"), r'<h2>Es wurde nicht abgesendet</h2>\n<p lang="en">.*holidays.*</p>')

    def test_each_problem_of_a_field_has_a_german_sentence(self):
        fields = {
            "a": ({"type": "integer"}, "x", "muss eine ganze Zahl sein"), "b": ({"type": "number"}, "x", "muss eine Zahl sein"),
            "c": ({"type": "boolean"}, "x", "muss ja oder nein sein"), "d": ({"type": ["number", "null"]}, "x", "hat nicht die richtige Art"),
            "e": ({"enum": ["p", "q"]}, "x", "muss einer der vorgesehenen Werte sein"), "f": ({"const": "p"}, "x", "muss p sein"),
            "g": ({"type": "number", "minimum": 2.5}, "1", "muss mindestens 2,5 sein"), "h": ({"type": "number", "maximum": 2}, "3", "darf höchstens 2 sein"),
            "i": ({"type": "number", "exclusiveMinimum": 2}, "2", "muss größer als 2 sein"), "j": ({"type": "number", "exclusiveMaximum": 2}, "2", "muss kleiner als 2 sein"),
            "k": ({"type": "integer", "multipleOf": 5}, "7", "muss ein Vielfaches von 5 sein"), "l": ({"type": "string", "pattern": "^<b>$"}, "x", "muss dem Muster „^&lt;b&gt;$“ entsprechen"),
            "m": ({"type": "string", "minLength": 2}, "x", "muss mindestens 2 Zeichen haben"), "n": ({"type": "string", "maxLength": 2}, "xyz", "darf höchstens 2 Zeichen haben"),
            "s": ({"type": "array", "items": {"type": "string"}, "minItems": 2}, "x", "muss mindestens 2 Einträge haben"),
            "t": ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, "x\ny", "darf höchstens einen Eintrag haben"),
            "u": ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "x\nx", "darf keine gleichen Einträge haben"),
            "v": ({"type": "string", "not": {"const": "x"}}, "x", "darf nicht so aussehen"), "w": ({"type": "string", "anyOf": [{"minLength": 5}, {"const": "y"}]}, "x", "passt zu keiner der Möglichkeiten"),
        }
        name = self.leave(schema={"type": "object", "required": ["z"], "properties": {**{field: schema for field, (schema, _, _) in fields.items()}, "z": {"type": "string"}}})
        shown = self.send(name, 400, {**FORM, **GERMAN}, **{field: text for field, (_, text, _) in fields.items()})
        for field, (_, _, sentence) in fields.items():
            self.assertIn(f">{field.upper()}</a> {sentence}</li>", shown)
        self.assertIn("Z muss ausgefüllt werden</p>", shown)
        self.assertNotIn('lang="en"', shown)

    def test_a_problem_without_a_german_sentence_is_told_in_english(self):
        name = self.leave(schema={"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "contains": {"const": "y"}}}})
        self.assertRegex(self.send(name, 400, {**FORM, **GERMAN}, a="x"), r'A <span lang="en">must have .*</span></p>')

    def test_a_form_that_is_sent_twice_starts_once(self):
        name = self.leave()
        key = re.search(r'name="pawl-key" value="([^"]+)"', text_of(self.get(f"/forms/{name}")))[1]
        for _ in range(2):
            self.send(name, who="Ada", days="1", **{"pawl-key": key})
        self.assertEqual(len(self.runs(name)), 1)
        self.send(name, who="Ada", days="2", **{"pawl-key": key})
        self.assertEqual(len(self.runs(name)), 2)

    def test_pages_of_other_sites_send_nothing(self):
        name = self.leave(openForm=True)
        self.send(name, 403, {**FORM, "Origin": "http://evil.example"}, who="Ada", days="1")
        self.send(name, 201, {**FORM, "Origin": f"http://localhost:{self.server.port}", "Host": f"localhost:{self.server.port}"}, who="Ada", days="1")

    def test_other_bodies_are_refused(self):
        name = self.leave()
        self.assertEqual(self.post(f"/forms/{name}", {"who": "Ada"}).status, 415)
        exact = sent(who="Ada", days="1", more="")
        for more, status in ((0, 201), (1, 413)):
            answer = self.post(f"/forms/{name}", exact + b"x" * ((128 << 10) - len(exact) + more), FORM)
            self.assertEqual(answer.status, status, answer)
            self.assertIn(b"<h1>", answer.body)

    def test_a_form_beside_a_schedule(self):
        name = self.leave(triggers=[{"id": "often", "type": "cron", "intervalValue": 1, "intervalUnit": "Days"}, {"id": "h2", "type": "http", "path": f"/{uuid.uuid4()}"}])
        self.send(name, who="Ada", days="1")
        self.assertEqual(self.payload(name), {"who": "Ada", "days": 1})
        self.assertEqual(self.get(f"/forms/{name}/ask").status, 200)
        for trigger in ("often", "h2", "none"):
            self.assertEqual(self.get(f"/forms/{name}/{trigger}").status, 404)

    def test_a_paused_form_says_so_and_keeps_what_was_typed(self):
        name = self.leave()
        self.post(f"/api/triggers/{name}/ask/pause", {"reason": "holidays"})
        shown = self.send(name, 503, who="Ada", days="1")
        self.assertIn('value="Ada"', shown)
        self.assertIn("It was not sent", shown)

    def test_steps_have_forms(self):
        name = self.fresh("steps")
        steps = [{"id": "w", "name": "w", "type": "WAIT", "nextStep": "e"}, {"id": "e", "name": "End", "type": "END"}]
        self.publish({"id": name, "name": name, "steps": steps, "triggers": [{"id": "ask", "type": "manual", "openForm": True, "inputSchema": SCHEMA}]})
        self.send(name, who="Ada", days="1")
        (run,) = self.runs(name)
        self.assertEqual(run["variables"]["days"], 1)
        plain = self.fresh("plain")
        self.publish({"id": plain, "name": plain, "steps": steps})
        self.send(plain)
        self.assertEqual(len(self.runs(plain)), 1)

    def test_a_page_has_limited_controls_and_options(self):
        def shown(schema):
            return self.get(f"/forms/{self.leave(schema=schema)}").status
        for count, status in ((200, 200), (201, 413)):  # FORM_CONTROLS_MAX
            self.assertEqual(shown({"type": "object", "properties": {f"f{i}": {"type": "string"} for i in range(count)}}), status)
        for count, status in ((500, 200), (501, 413)):  # FORM_OPTIONS_MAX
            self.assertEqual(shown({"type": "object", "properties": {"f": {"enum": list(range(count))}}}), status)
        self.assertEqual(shown({"type": "object", "properties": {"f": {"type": "string", "default": "<" * (512 << 8)}}}), 413)  # FORM_PAGE_BYTES_MAX
        deep = {"type": "object", "properties": {"leaf": {"type": "string"}}}
        for _ in range(4):  # FORM_DEPTH_MAX
            deep = {"type": "object", "properties": {"in": deep}}
        self.assertIn('name="in.in.in.in.leaf"', text_of(self.get(f"/forms/{self.leave(schema=deep)}")))
        deeper = {"type": "object", "properties": {"in": deep}}
        self.assertIn('<textarea rows="4" name="in.in.in.in.in"', text_of(self.get(f"/forms/{self.leave(schema=deeper)}")))


class ClosedForms(Accounts):
    def below(self, tenant, method, path, body=None, headers=ROOT):
        """The status of a request below the tenant's prefix, which the contract does not describe."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            connection.request(method, f"/t/{tenant}{path}", json.dumps(body) if isinstance(body, dict) else body, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def leave(self, **more):
        document = leave(self.fresh("leave"), **more)
        self.assertEqual(self.ask("POST", "/v1/definitions", document).status, 201)
        return document["definitionId"]

    def test_an_open_form_is_for_everybody(self):
        name, closed = self.leave(openForm=True), self.leave()
        self.assertEqual(self.ask("GET", f"/forms/{name}", None, {}).status, 200)
        self.assertEqual(self.ask("POST", f"/forms/{name}", sent(who="Ada", days="1"), FORM).status, 201)
        self.assertEqual(self.ask("POST", f"/forms/{closed}", sent(who="Ada", days="1"), FORM).status, 401)
        # Roles say more than openForm.
        named = self.leave(openForm=True, requiredRoles=["boss"])
        self.assertEqual(self.ask("GET", f"/forms/{named}", None, {}).status, 303)
        self.assertEqual(self.ask("POST", f"/forms/{named}", sent(who="Ada", days="1"), FORM).status, 401)

    def test_strangers_learn_nothing(self):
        closed, none = self.leave(), self.fresh("none")
        answers = [self.ask("GET", f"/forms/{name}", None, {}) for name in (closed, none)]
        for name, answer in zip((closed, none), answers):
            self.assertEqual((answer.status, answer.headers["Location"]), (303, f"/ui/login?back=%2Fforms%2F{name}"))
        posts = [self.ask("POST", f"/forms/{name}", sent(who="Ada", days="1"), FORM) for name in (closed, none)]
        self.assertEqual((posts[0].status, posts[0].body), (posts[1].status, posts[1].body))
        viewer = self.bearer("viewer")
        seen = [self.ask("GET", f"/forms/{name}", None, viewer) for name in (closed, none)]
        self.assertEqual([answer.status for answer in seen], [404, 404])
        self.assertEqual(seen[0].body, seen[1].body)

    def test_people_who_are_signed_in_fill_in_forms(self):
        name, person = self.leave(), self.user("person")
        cookie = self.login(person)
        self.assertEqual(self.ask("GET", f"/forms/{name}", None, cookie).status, 200)
        self.assertIn(b"At most 768 KB", self.ask("GET", f"/forms/{name}", None, cookie).body)
        fields = sent(who="Ada", days="1")
        # A page of another site has the cookie, and is nobody all the same.
        self.assertEqual(self.ask("POST", f"/forms/{name}", fields, {**cookie, **FORM, "Sec-Fetch-Site": "cross-site"}).status, 401)
        self.assertEqual(self.ask("POST", f"/forms/{name}", fields, {**cookie, **FORM, **PAGE}).status, 201)
        (run,) = self.ask("GET", f"/v1/instances?definitionId={name}").json["items"]
        history = self.ask("GET", f"/v1/instances/{run['id']}/history").json
        self.assertIn(person, str(history) + str(run))
        exact = fields
        for more, status in ((0, 201), (1, 413)):  # FORM_BODY_BYTES_MAX
            answer = self.ask("POST", f"/forms/{name}", exact + b"&" * ((1 << 20) - len(exact) + more), {**cookie, **FORM, **PAGE})
            self.assertEqual(answer.status, status, answer.status)
        old = {"Cookie": "pawl=gone"}
        self.assertEqual(self.ask("GET", f"/forms/{name}", None, old).status, 303)
        self.assertEqual(self.ask("GET", f"/forms/{self.leave(openForm=True)}", None, old).status, 200)

    def test_an_address_leads_to_one_tenant(self):
        tenant = self.fresh("tenant").lower()
        self.assertEqual(self.ask("POST", "/api/tenants", {"name": tenant}).status, 201)
        document = leave(self.fresh("leave"), openForm=True)
        self.assertEqual(self.below(tenant, "POST", "/v1/definitions", document), 201)
        path = f"/forms/{document['definitionId']}"
        self.assertEqual(self.below(tenant, "GET", path, None, {}), 200)
        self.assertEqual(self.ask("GET", path, None, {}).status, 303)
        self.assertEqual(self.below("nowhere", "GET", path, None, {}), 303)
        closed = leave(self.fresh("leave"))
        self.assertEqual(self.ask("POST", "/v1/definitions", closed).status, 201)
        home = self.bearer("person")
        self.assertEqual(self.ask("GET", f"/forms/{closed['definitionId']}", None, home).status, 200)
        self.assertEqual(self.below(tenant, "GET", f"/forms/{closed['definitionId']}", None, home), 404)
        self.assertEqual(self.below(tenant, "POST", path, sent(who="Ada", days="1"), FORM), 201)


if __name__ == "__main__":
    main()
