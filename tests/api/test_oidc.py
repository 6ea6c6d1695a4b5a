"""Issuers of tokens: bearers' tokens at the gate, and people who sign in by a provider."""

import base64
import hashlib
import http.client
import json
import os
import subprocess
import tempfile
import unittest
import urllib.parse

from harness import BINARY, Answer, Client, Server, check, main
from oidc_provider import Key, Provider

ROOT = "the-secret-of-root-0123456789"


class Issuers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory()
        secret = os.path.join(cls.files.name, "token")
        with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(ROOT)
        cls.server = Server(arguments=("--auth-token-file", secret, "--allow-private-calls", "--files", cls.files.name),
                            environment={"PAWL_SECRET_OIDC": "s3cret-of-the-client"})
        cls.root = Client(cls.server)
        cls.root.headers = {"Authorization": "Bearer " + ROOT}

    @classmethod
    def tearDownClass(cls):
        cls.root.close()
        cls.server.stop()
        cls.files.cleanup()

    def provider(self, **more):
        provider = Provider()
        self.addCleanup(provider.close)
        issuer = self.issuer(provider, **more)
        return provider, issuer

    def issuer(self, provider, **more):
        name = f"idp{provider.server.server_address[1]}"
        record = {"name": name, "issuer": provider.url, "audience": ["pawl-api"], "groupsClaim": "$.groups",
                  "roles": {"operator": ["ops"], "viewer": ["readers"]}, **more}
        answer = self.root.post("/api/issuers", record)
        self.assertEqual(answer.status, 201, answer)
        self.addCleanup(self.root.request, "DELETE", f"/api/issuers/{name}")
        return name

    def me(self, token):
        return self.root.get("/api/me", headers={"Authorization": "Bearer " + token})

    def refusals(self):
        answer = self.root.get("/api/access/refusals")
        self.assertEqual(answer.status, 200, answer)
        return json.dumps(answer.json)

    def assert_refused(self, token, reason):
        self.assertEqual(self.me(token).status, 401)
        newest = self.root.get("/api/access/refusals").json
        newest = newest.get("items", newest)[0]
        self.assertIn(reason, json.dumps(newest))
        self.assertNotIn(token[-20:], json.dumps(newest))


class Bearers(Issuers):
    def test_a_token_of_the_provider_is_a_principal(self):
        provider, _ = self.provider()
        me = self.me(provider.token(groups=["ops"], preferred_username="robot"))
        self.assertEqual(me.status, 200, me)
        self.assertEqual((me.json["kind"], me.json["name"], me.json["roles"]), ("token", "robot", ["operator"]))
        self.assertEqual(me.json["groups"], ["ops"])

    def test_keys_are_fetched_once_and_again_for_a_new_kid(self):
        provider, _ = self.provider()
        for _ in range(3):
            self.assertEqual(self.me(provider.token(groups=["ops"])).status, 200)
        self.assertEqual(provider.calls.count("/jwks"), 1)
        new = Key("second")
        provider.published.append(new)
        self.assertEqual(self.me(provider.token(key=new, groups=["ops"])).status, 200)
        self.assertEqual(provider.calls.count("/jwks"), 2)
        self.assert_refused(provider.token(key=Key("third"), groups=["ops"]), "unknown-signing-key")
        self.assertEqual(provider.calls.count("/jwks"), 2, "an unknown kid makes us ask once a minute at most")

    def test_a_provider_that_is_away_stops_only_new_keys(self):
        provider, name = self.provider()
        self.assertEqual(self.me(provider.token(groups=["ops"])).status, 200)
        provider.away = True
        self.assertEqual(self.me(provider.token(groups=["ops"], sub="another")).status, 200)
        tested = self.root.post(f"/api/issuers/{name}/test")
        self.assertEqual((tested.status, tested.json["ok"], tested.json["keys"]), (200, False, 1))
        other, _ = self.provider()
        other.away = True
        self.assert_refused(other.token(groups=["ops"]), "provider-away")

    def test_tokens_that_do_not_count(self):
        provider, _ = self.provider()
        good = provider.token(groups=["ops"])
        self.assertEqual(self.me(good).status, 200)
        parts = good.split(".")
        for token, reason in (
                (provider.token(groups=["ops"], aud="others"), "wrong-audience"),
                (provider.token(groups=["ops"], aud=None), "wrong-audience"),
                (provider.token(groups=["ops"], exp=1), "expired"),
                (provider.token(groups=["ops"], iss="https://elsewhere.example"), "unknown-issuer"),
                (provider.token(groups=["nobody"]), "no role"),
                (provider.token(key=Key("first", curve=False), groups=["ops"]), "bad-signature"),
                (provider.token(groups=["ops"], header={"alg": "HS256"}), "wrong-algorithm"),
                (".".join((parts[0], parts[1], "")), "malformed")):
            self.assert_refused(token, reason)

    def test_a_changed_issuer_counts_at_once(self):
        provider, name = self.provider()
        token = provider.token(groups=["ops"])
        self.assertEqual(self.me(token).json["roles"], ["operator"])
        self.assertEqual(self.root.request("PATCH", f"/api/issuers/{name}", {"roles": {"viewer": ["ops"]}}).status, 200)
        self.assertEqual(self.me(token).json["roles"], ["viewer"])
        self.assertEqual(self.root.request("DELETE", f"/api/issuers/{name}").status, 204)
        self.assertEqual(self.me(token).status, 401)

    def test_a_client_secret_that_is_not_there_is_warned_about(self):
        provider = Provider()
        self.addCleanup(provider.close)
        record = {"name": "blind", "issuer": provider.url, "audience": ["pawl-api"], "clientId": "pawl"}
        self.addCleanup(self.root.request, "DELETE", "/api/issuers/blind")

        def warning(answer):
            self.assertIn(answer.status, (200, 201), answer)
            return answer.headers["X-Pawl-Warning"]
        self.assertIsNone(warning(self.root.post("/api/issuers", record)))
        for reference, is_there in (("vault:gone", False), ("vault:oidc", True)):
            file = {"issuers": [{**record, "clientSecretRef": reference}]}
            for answer in (self.root.request("PATCH", "/api/issuers/blind", {"clientSecretRef": reference}), self.root.post("/api/access/apply", {"file": file}), self.root.post("/api/access/apply?dryRun=true", {"file": file})):
                told = warning(answer)
                self.assertEqual(told, None if is_there else f"issuer blind: there is no secret {reference} (clientSecretRef), so nobody can sign in by it")
        self.assertIsNone(warning(self.root.request("PATCH", "/api/issuers/blind", {"label": "B"})))

    def test_the_start_names_issuers_without_their_client_secret(self):
        path = os.path.join(self.files.name, "access.json")
        issuers = [{"name": name, "issuer": f"https://{name}.example", "audience": "a", "clientId": "pawl", "clientSecretRef": reference} for name, reference in (("blind", "vault:gone"), ("seeing", "vault:oidc"), ("plain", None))]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"issuers": [{key: value for key, value in one.items() if value} for one in issuers]}, file)
        secret = os.path.join(self.files.name, "token")
        server = Server(arguments=("--auth-token-file", secret, "--access-file", path), environment={"PAWL_SECRET_OIDC": "s3cret"})
        self.addCleanup(server.kill)
        client = Client(server)
        self.addCleanup(client.close)
        while "names a secret that is not there" not in server.log():
            self.assertEqual(client.get("/api/me", headers={"Authorization": "Bearer " + ROOT}).status, 200)
        lines = [json.loads(line) for line in server.log().splitlines() if "names a secret that is not there" in line]
        self.assertEqual([(line["issuer"], line["secret"]) for line in lines], [("blind", "vault:gone")])
        self.assertNotIn("s3cret", server.log())

    def test_static_keys_need_no_provider(self):
        key = Key("static")
        provider = Provider()
        self.addCleanup(provider.close)
        self.issuer(provider, jwks={"keys": [key.jwk()]})
        self.assertEqual(self.me(provider.token(key=key, groups=["ops"])).status, 200)
        self.assert_refused(provider.token(groups=["ops"]), "unknown-signing-key")
        self.assertEqual(provider.calls, [])

    def test_a_file_of_keys_is_read_again_when_it_changes(self):
        provider, old, new = Provider(), Key("old"), Key("new")
        self.addCleanup(provider.close)
        path = os.path.join(self.files.name, "keys.json")
        with open(path, "w") as file:
            json.dump({"keys": [old.jwk()]}, file)
        name = self.issuer(provider, jwksFile="keys.json")
        self.assertEqual(self.me(provider.token(key=old, groups=["ops"])).status, 200)
        with open(path, "w") as file:
            json.dump({"keys": [new.jwk(), Key("more").jwk()]}, file)
        self.assertEqual(self.root.post(f"/api/issuers/{name}/test").json["keys"], 2)
        self.assertEqual(self.me(provider.token(key=new, groups=["ops"])).status, 200)

    def test_shapes_of_well_known_providers(self):
        """Claims as these products send them, each with the paths that an issuer's record needs for it."""
        shapes = (
            ({"userClaim": "$.preferred_username", "rolesClaim": "$.realm_access.roles", "roles": {"builder": ["pawl-builder"]}},
             {"preferred_username": "kc", "realm_access": {"roles": ["offline_access", "pawl-builder"]}, "azp": "x", "typ": "Bearer"}, "builder"),
            ({"userClaim": "$.upn", "rolesClaim": "$.roles", "roles": {"admin": ["Pawl.Admin"]}},
             {"upn": "entra@example.com", "roles": ["Pawl.Admin"], "ver": "2.0", "tid": "9188040d-6c67-4c5b-b112-36a304b66dad"}, "admin"),
            ({"userClaim": "$.sub", "rolesClaim": "$['urn:zitadel:iam:org:project:roles']", "roles": {"worker": ["work"]}},
             {"urn:zitadel:iam:org:project:roles": {"work": {"2389": "example.com"}}}, "worker"),
            ({"userClaim": "$.username", "rolesClaim": "$['cognito:groups']", "audience": None, "roles": {"sender": ["send"]}},
             {"username": "cog", "cognito:groups": ["send"], "token_use": "access", "aud": None, "client_id": "7h"}, "sender"))
        for record, claims, role in shapes:
            provider = Provider()
            self.addCleanup(provider.close)
            self.issuer(provider, **record)
            answer = self.me(provider.token(**claims))
            self.assertEqual(answer.status, 200, (record, answer, self.refusals()[:400]))
            self.assertEqual(answer.json["roles"], [role])


class Logins(Issuers):
    def browser(self, path, cookies=None, method="GET", body=None):
        """One request, without following its redirect."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in (cookies or {}).items())} if cookies else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        answer.text = answer.read()
        check(method, path, Answer(answer.status, answer.headers, answer.text))
        answer.cookies = {}
        for line in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = line.split(";")[0].partition("=")
            answer.cookies[name] = value
            self.assertIn("HttpOnly", line)
            self.assertIn("SameSite=Lax", line)
        connection.close()
        return answer

    def at_provider(self, location):
        """The provider's answer leads back to us; returns the path."""
        place = urllib.parse.urlsplit(location)
        connection = http.client.HTTPConnection(place.netloc, timeout=30)
        connection.request("GET", place.path + "?" + place.query)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        back = urllib.parse.urlsplit(answer.headers["Location"])
        self.assertEqual(back.netloc, f"127.0.0.1:{self.server.port}")
        return back.path + "?" + back.query

    def login(self, name, to="/ui/inbox?x=1"):
        started = self.browser(f"/api/oidc/{name}/start?" + urllib.parse.urlencode({"to": to} if isinstance(to, str) else to))
        self.assertEqual(started.status, 303, started.text)
        return started, self.at_provider(started.headers["Location"])

    def people(self, **more):
        return self.provider(clientId="pawl", clientSecretRef="vault:oidc", audience=None, **more)

    def test_a_person_signs_in_and_out(self):
        provider, name = self.people()
        provider.person = {"sub": "1", "preferred_username": "ada", "groups": ["readers"]}
        started, path = self.login(name)
        done = self.browser(path, started.cookies)
        self.assertEqual((done.status, done.headers["Location"]), (303, "/ui/inbox?x=1"), done.text)
        cookie = {"pawl": done.cookies["pawl"]}
        self.assertEqual(done.cookies["pawl-login"], "")
        me = json.loads(self.browser("/api/me", cookie).text)
        self.assertEqual((me["kind"], me["name"], me["roles"], me["groups"]), ("user", "ada", ["viewer"], ["readers"]))
        self.assertNotIn(done.cookies["pawl"], self.server.log())
        again = self.browser(path, started.cookies)  # The provider gives a token for a code once.
        self.assertEqual((again.status, again.headers["Location"]), (303, "/ui/login?error=provider-refused"))
        self.assertNotIn("pawl", again.cookies)
        self.assertEqual(self.root.request("DELETE", f"/api/issuers/{name}").status, 204)
        self.assertEqual(self.browser("/api/me", cookie).status, 401, "a session does not survive its issuer")

    def test_a_login_belongs_to_one_browser(self):
        provider, name = self.people()
        provider.person["groups"] = ["ops"]
        started, path = self.login(name)
        other, _ = self.login(name)
        for cookies in (None, other.cookies, {"pawl-login": started.cookies["pawl-login"][:-2] + "xx"}):
            answer = self.browser(path, cookies)
            self.assertEqual((answer.status, answer.headers["Location"]), (303, "/ui/login?error=wrong-state"))
        self.assertEqual(self.browser(path, started.cookies).headers["Location"], "/ui/inbox?x=1")

    def test_it_leads_only_to_places_of_ours(self):
        _, name = self.people()
        for to in ("https://evil.example/", "//evil.example/ui/", "/\\evil.example", "/api/me", "http://127.0.0.1.evil.example:80/",
                   "http://127.0.0.1:99999/", "http://localhost:1/x", "/t/acme", "/t/acme/api/me", "/t//ui/", "/t/../ui/", "/t/a/b/ui/", "/t/@evil.example/ui/", "/loopback?to=http%3A%2F%2Fevil.example"):
            self.assertEqual(self.browser(f"/api/oidc/{name}/start?" + urllib.parse.urlencode({"to": to})).status, 400, to)
        self.assertEqual(self.browser("/api/oidc/nobody/start").status, 404)
        self.assertEqual(self.browser(f"/api/oidc/{name}/start?to=/t/acme/ui/inbox").status, 303)

    def test_somebody_without_a_role_hears_why(self):
        provider, name = self.people()
        provider.person["groups"] = ["guests"]
        started, path = self.login(name)
        self.assertEqual(self.browser(path, started.cookies).headers["Location"], "/ui/login?error=no-role")

    def test_a_provider_that_is_away_or_refuses(self):
        provider, name = self.people()
        started, path = self.login(name)
        provider.secret = "another"
        self.assertEqual(self.browser(path, started.cookies).headers["Location"], "/ui/login?error=provider-refused")
        provider.away = True
        self.assertEqual(self.browser(path, started.cookies).headers["Location"], "/ui/login?error=provider-away")
        state = urllib.parse.parse_qs(path.split("?")[1])["state"][0]
        query = urllib.parse.urlencode({"error": "access_denied", "state": state, "iss": provider.url})
        refused = self.browser(f"/api/oidc/{name}/callback?{query}", started.cookies)
        self.assertEqual(refused.headers["Location"], "/ui/login?error=provider-refused")

    def test_a_program_gets_the_session_of_its_browser(self):
        provider, name = self.people()
        provider.person["groups"] = ["ops"]
        verifier = "v" * 43
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        started, path = self.login(name, {"to": "http://127.0.0.1:4711/done", "challenge": challenge, "state": "abc"})
        place = urllib.parse.urlsplit(self.browser(path, started.cookies).headers["Location"])
        query = dict(urllib.parse.parse_qsl(place.query))
        self.assertEqual((place.netloc, place.path, query["state"]), ("127.0.0.1:4711", "/done", "abc"))
        for proof, status in (("w" * 43, 401), (verifier, 200)):
            got = self.browser(f"/api/oidc/{name}/session", method="POST", body={"code": query["code"], "verifier": proof})
            self.assertEqual(got.status, 204, got.text)
            self.assertEqual(self.browser("/api/me", {"pawl": got.cookies["pawl"]}).status, status)


    def test_pawl_login_waits_for_the_browser(self):
        provider, name = self.people()
        provider.person["groups"] = ["ops"]
        home = tempfile.mkdtemp(prefix="pawl-test-", dir=self.files.name)
        command = [BINARY, "login", "--issuer", name, "--server", f"http://127.0.0.1:{self.server.port}"]
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PAWL_") and "DISPLAY" not in key}
        program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**clean, "XDG_CONFIG_HOME": home})
        self.assertIn("browser", program.stdout.readline())
        address = urllib.parse.urlsplit(program.stdout.readline().strip())
        asked = dict(urllib.parse.parse_qsl(address.query))
        started = self.browser(f"{address.path}?{address.query}")
        place = self.browser(self.at_provider(started.headers["Location"]), started.cookies).headers["Location"]
        done = urllib.parse.urlsplit(place)
        self.assertTrue(place.startswith(asked["to"] + "?"))
        for path, status in (("/favicon.ico", 404), ("/done?code=of-somebody&state=else", 400), ("/done", 404), (f"{done.path}?{done.query}", 200)):
            connection = http.client.HTTPConnection(done.netloc, timeout=30)
            connection.request("GET", path)
            self.assertEqual(connection.getresponse().status, status, path)
            connection.close()
        out, errors = program.communicate(timeout=60)
        self.assertEqual((program.returncode, "you are  user ada" in out), (0, True), (out, errors))
        kept = os.path.join(home, "pawl", "credentials.json")
        self.assertEqual(os.stat(kept).st_mode & 0o777, 0o600)
        whoami = subprocess.run([BINARY, "whoami"], capture_output=True, text=True, env={**clean, "XDG_CONFIG_HOME": home}, timeout=60)
        self.assertIn("you are  user ada", whoami.stdout)
        late = subprocess.run([*command, "--wait", "0s"], capture_output=True, text=True, env={**clean, "XDG_CONFIG_HOME": home}, timeout=60)
        self.assertEqual((late.returncode, "in time" in late.stderr), (5, True), late)


class Clients(Issuers):
    """Clients of cyoda: secrets for tokens of our own."""

    def token(self, client, secret, **form):
        pair = base64.b64encode(f"{client}:{secret}".encode()).decode()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        connection.request("POST", "/api/oauth/token", urllib.parse.urlencode({"grant_type": "client_credentials", **form}),
                           {"Authorization": "Basic " + pair, "Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        text = answer.read()
        answer.json = json.loads(text)
        connection.close()
        check("POST", "/api/oauth/token", Answer(answer.status, answer.headers, text))
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        return answer

    def client(self, query=""):
        made = self.root.post("/api/clients" + query)
        self.assertEqual(made.status, 200, made)
        return made.json["clientId"], made.json["clientSecret"]

    def test_a_client_gets_a_token_that_ends_with_it(self):
        client, secret = self.client()
        self.assertIn(client, [item["clientId"] for item in self.root.get("/api/clients").json])
        self.assertNotIn(secret.encode(), self.root.get("/api/clients").body)
        answer = self.token(client, secret)
        self.assertEqual((answer.status, answer.json["token_type"], answer.json["expires_in"]), (200, "Bearer", 3600))
        token = answer.json["access_token"]
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        self.assertEqual((claims["caas_org_id"], claims["user_roles"], claims["scopes"]), ("default", ["ROLE_M2M"], ["ROLE_M2M"]))
        kids = [key["kid"] for key in self.root.get("/api/.well-known/jwks.json").json["keys"]]
        self.assertEqual([json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))["kid"]], kids)
        me = self.me(token)
        self.assertEqual((me.status, me.json["kind"], sorted(me.json["roles"])), (200, "token", ["builder", "sender", "worker"]))
        self.assertEqual(self.root.request("DELETE", f"/api/clients/{client}").status, 200)
        self.assertEqual(self.me(token).status, 401)
        self.assertEqual(self.token(client, secret).status, 401)

    def test_wrong_clients_and_forms(self):
        client, secret = self.client("?withAdminRole=true")
        refused = self.token(client, secret[:-1] + ("y" if secret.endswith("x") else "x"))
        self.assertEqual((refused.status, refused.json["error"], refused.headers["WWW-Authenticate"][:5]), (401, "invalid_client", "Basic"))
        self.assertEqual(self.token(client, secret, grant_type="password").json["error"], "unsupported_grant_type")
        admin = self.me(self.token(client, secret).json["access_token"])
        self.assertIn("admin", admin.json["roles"])
        new = self.root.request("PUT", f"/api/clients/{client}/secret").json["clientSecret"]
        self.assertEqual((self.token(client, secret).status, self.token(client, new).status), (401, 200))
        self.assertEqual(self.root.request("DELETE", "/api/clients/nobody").status, 404)
        key = self.root.post("/api/keys", {"name": "plain", "roles": ["viewer"]}).json["id"]
        for method, path in (("DELETE", f"/api/clients/{key}"), ("PUT", f"/api/clients/{key}/secret")):
            self.assertEqual(self.root.request(method, path).status, 404, path)
        self.assertEqual(self.root.get(f"/api/keys/{key}").json["state"], "active")

    def test_a_token_about_a_user_is_exchanged(self):
        provider, _ = self.provider(roles={"worker": ["ops"], "admin": ["ops"]})
        client, secret = self.client()
        form = {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt"}
        answer = self.token(client, secret, subject_token=provider.token(groups=["ops"], preferred_username="eve"), **form)
        self.assertEqual(answer.status, 200, answer.json)
        me = self.me(answer.json["access_token"])
        self.assertEqual((me.json["name"], me.json["roles"]), ("eve", ["worker"]), "what user and client have in common")
        claims = json.loads(base64.urlsafe_b64decode(answer.json["access_token"].split(".")[1] + "=="))
        self.assertEqual((claims["act"]["sub"], claims["sub"]), (client, "eve"))
        bad = self.token(client, secret, subject_token=provider.token(groups=["ops"], aud="others"), **form)
        self.assertEqual((bad.status, bad.json["error"]), (400, "invalid_grant"))
        own = self.token(client, secret, subject_token=answer.json["access_token"], **form)
        self.assertEqual((own.status, own.json["error"]), (400, "invalid_grant"))


del Issuers

if __name__ == "__main__":
    main()
