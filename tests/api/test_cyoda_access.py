"""The calls of cyoda about access: OIDC providers of tenants, trusted keys and exchanges, key pairs, clients."""

import base64
import http.client
import json
import os
import tempfile
import time
import unittest
import urllib.parse
import uuid

from harness import Client, Server, main
from oidc_provider import FIRST, Key, Provider

ROOT = "the-secret-of-root-0123456789"
PROVIDERS, TRUSTED, PAIRS = "/api/oauth/oidc/providers", "/api/oauth/keys/trusted", "/api/oauth/keys/keypair"
OTHER = Key("other", curve=False)


def claims_of(token):
    return json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))


class Cyoda(unittest.TestCase):
    allows = ("--allow-private-calls",)

    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory()
        secret = os.path.join(cls.files.name, "token")
        with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(ROOT)
        cls.arguments = ("--auth-token-file", secret, *cls.allows)
        cls.server = Server(arguments=cls.arguments)
        cls.root = Client(cls.server)
        cls.root.headers = {"Authorization": "Bearer " + ROOT}

    @classmethod
    def tearDownClass(cls):
        cls.root.close()
        cls.server.stop()
        cls.files.cleanup()

    def tenant(self, name=None):
        """A tenant and its admin, as headers."""
        name = name or str(uuid.uuid4())
        self.assertEqual(self.root.post("/api/tenants", {"name": name}).status, 201)
        key = self.root.post("/api/keys", {"name": "admin", "tenant": name, "roles": ["admin"]})
        self.assertEqual(key.status, 201, key)
        return name, {"Authorization": "Bearer " + key.json["key"]}

    def provider(self, admin, **more):
        provider = Provider()
        self.addCleanup(provider.close)
        made = self.root.post(PROVIDERS, {"wellKnownConfigUri": provider.url + "/.well-known/openid-configuration", **more}, admin)
        self.assertEqual(made.status, 200, made)
        return provider, made.json["id"]

    def me(self, token):
        return self.root.get("/api/me", headers={"Authorization": "Bearer " + token})

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.json["properties"]["errorCode"]), (status, code), answer)


class Providers(Cyoda):
    def test_a_token_is_of_the_tenant_that_registered_its_provider(self):
        name, admin = self.tenant()
        provider, made = self.provider(admin, expectedAudiences=["orders"])
        token = provider.token(aud=["x", "orders"], roles=["ROLE_ADMIN"], caas_org_id="default")
        me = self.me(token)
        self.assertEqual((me.status, me.json["tenant"], me.json["kind"]), (200, name, "token"), me)
        self.assertEqual((me.json["name"], sorted(me.json["roles"])), (f"oidc:{made}:machine-7", ["admin", "person", "viewer"]))
        self.assertEqual(self.me(provider.token(aud="others")).status, 401)
        self.assertEqual(self.me(provider.token(aud=None)).status, 401)
        self.assertEqual(self.me(provider.token(aud="orders", kid=None, header={"kid": "unknown"})).status, 401)
        now = int(time.time())
        for claims in ({"iat": now - 3600}, {"exp": now - 31}, {"iss": provider.url + "/"}, {"sub": None}, {"sub": "a\x01b"}, {"iat": now + 60}):
            self.assertEqual(self.me(provider.token(aud="orders", **claims)).status, 401, claims)
        self.assertEqual(self.me(provider.token(aud="orders", exp=now - 20)).status, 200, "half a minute of skew")

    def test_roles_are_in_one_claim(self):
        _, admin = self.tenant()
        provider, made = self.provider(admin, rolesClaim="urn:x:roles")
        for value, roles in ((["ROLE_M2M", 7, ""], ["builder", "person", "sender", "viewer", "worker"]), ({"ROLE_ADMIN": {"a": 1}}, ["admin", "person", "viewer"]),
                             ("operator ROLE_USER", ["operator", "person", "sender", "viewer"]), (7, ["person", "viewer"]), (None, ["person", "viewer"])):
            me = self.me(provider.token(**{"urn:x:roles": value, "roles": ["ROLE_ADMIN"]}))
            self.assertEqual((me.status, sorted(me.json["roles"])), (200, roles), value)
        changed = self.root.request("PATCH", f"{PROVIDERS}/{made}", {"rolesClaim": None}, admin)
        self.assertEqual((changed.status, "rolesClaim" in changed.json), (200, False))
        self.assertIn("admin", self.me(provider.token(roles=["ROLE_ADMIN"])).json["roles"])

    def test_they_are_invalidated_and_come_back(self):
        _, admin = self.tenant()
        provider, made = self.provider(admin)
        token = provider.token()
        self.assertEqual(self.me(token).status, 200)
        for _ in range(2):
            answer = self.root.post(f"{PROVIDERS}/{made}/invalidate", headers=admin)
            self.assertEqual((answer.status, answer.body), (200, b""))
            self.assertEqual(self.me(token).status, 401)
        self.refused(self.root.request("PATCH", f"{PROVIDERS}/{made}", {"issuers": []}, admin), 409, "OIDC_PROVIDER_INACTIVE")
        self.assertEqual(self.root.get(PROVIDERS + "?activeOnly=true", admin).json, [])
        self.assertEqual([item["active"] for item in self.root.get(PROVIDERS, admin).json], [False])
        for body in (None, {"reactivateKeys": False}):
            answer = self.root.post(f"{PROVIDERS}/{made}/reactivate", body, admin)
            self.assertEqual((answer.status, answer.json["active"]), (200, True))
            self.assertEqual(self.me(token).status, 200)
        answer = self.root.request("DELETE", f"{PROVIDERS}/{made}", None, admin)
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(self.me(token).status, 401)
        for method, path in (("DELETE", ""), ("POST", "/invalidate"), ("POST", "/reactivate")):
            self.refused(self.root.request(method, f"{PROVIDERS}/{made}{path}", None, admin), 404, "OIDC_PROVIDER_NOT_FOUND")
        self.refused(self.root.request("PATCH", f"{PROVIDERS}/{made}", {}, admin), 404, "OIDC_PROVIDER_NOT_FOUND")
        self.refused(self.root.request("DELETE", PROVIDERS + "/7", None, admin), 400, "BAD_REQUEST")

    def test_issuers_are_pinned(self):
        _, admin = self.tenant()
        provider, made = self.provider(admin, issuers=["https://elsewhere.example"])
        self.assertEqual(self.me(provider.token()).status, 401)
        self.assertEqual(self.me(provider.token(iss="https://elsewhere.example")).status, 401, "the description names another issuer")
        self.root.request("PATCH", f"{PROVIDERS}/{made}", {"issuers": [provider.url, "https://elsewhere.example"]}, admin)
        for issuer in (provider.url, "https://elsewhere.example"):
            self.assertEqual(self.me(provider.token(iss=issuer)).status, 200)

    def test_tenants_that_share_a_provider_are_told_apart_by_audience(self):
        first, admin = self.tenant()
        provider, _ = self.provider(admin, expectedAudiences=["a"])
        second, other = self.tenant()
        uri = {"wellKnownConfigUri": provider.url + "/.well-known/openid-configuration"}
        made = self.root.post(PROVIDERS, uri, other).json["id"]
        self.assertEqual(self.me(provider.token(aud="a")).json["tenant"], first)
        self.assertEqual(self.me(provider.token(aud="b")).status, 401, "nobody knows whose it is")
        self.root.request("PATCH", f"{PROVIDERS}/{made}", {"expectedAudiences": ["b"]}, other)
        self.assertEqual(self.me(provider.token(aud="b")).json["tenant"], second)
        self.assertEqual(self.me(provider.token(aud=["a", "b"])).status, 401)
        self.refused(self.root.post(PROVIDERS, uri, other), 400, "OIDC_PROVIDER_DUPLICATE")
        self.refused(self.root.request("DELETE", f"{PROVIDERS}/{made}", None, admin), 404, "OIDC_PROVIDER_NOT_FOUND")
        self.assertEqual(len(self.root.get(PROVIDERS, admin).json), 1)

    def test_one_that_is_away_is_registered_and_reloaded(self):
        _, admin = self.tenant()
        provider, _ = self.provider(admin)
        provider.away = True
        token = provider.token()
        self.assertEqual(self.me(token).status, 401)
        provider.away = False
        self.assertEqual(self.root.post(PROVIDERS + "/reload", headers=admin).status, 200)
        self.assertEqual(self.me(token).status, 200)
        provider.published = [OTHER]
        self.assertEqual(self.me(provider.token(key=OTHER, sub="new")).status, 200, "keys that rotate are found")

    def test_only_admins_change_them(self):
        _, admin = self.tenant()
        provider, made = self.provider(admin)
        user = {"Authorization": "Bearer " + provider.token(roles=["ROLE_USER"])}
        self.assertEqual([item["id"] for item in self.root.get(PROVIDERS, user).json], [made])
        for method, path, body in (("POST", "", {"wellKnownConfigUri": "https://idp.example/x"}), ("POST", "/reload", None), ("PATCH", "/" + made, {}),
                                   ("DELETE", "/" + made, None), ("POST", f"/{made}/invalidate", None), ("POST", f"/{made}/reactivate", None)):
            self.refused(self.root.request(method, PROVIDERS + path, body, user), 403, "FORBIDDEN")
        nobody = {"Authorization": "Bearer x.y.z"}
        self.refused(self.root.get(PROVIDERS, nobody), 401, "UNAUTHORIZED")

    def test_bodies_that_are_refused(self):
        _, admin = self.tenant()
        good = "https://idp.example/.well-known/openid-configuration"
        for body in ({}, {"wellKnownConfigUri": ""}, {"wellKnownConfigUri": 7}, {"wellKnownConfigUri": "ftp://idp.example/"}, {"wellKnownConfigUri": "https://" + "x" * 1000},
                     {"wellKnownConfigUri": good, "issuers": "x"}, {"wellKnownConfigUri": good, "issuers": [""]}, {"wellKnownConfigUri": good, "issuers": ["x"] * 11},
                     {"wellKnownConfigUri": good, "expectedAudiences": [7]}, {"wellKnownConfigUri": good, "rolesClaim": "x" * 101}, {"wellKnownConfigUri": good, "rolesClaim": []}):
            self.refused(self.root.post(PROVIDERS, body, admin), 400, "BAD_REQUEST")
        made = self.root.post(PROVIDERS, {"wellKnownConfigUri": good, "issuers": None, "expectedAudiences": []}, admin)
        self.assertEqual((made.status, sorted(made.json)), (200, ["active", "createdAt", "id", "wellKnownConfigUri"]), "nobody asks it now")

    def test_they_outlive_a_restart(self):
        data = tempfile.mkdtemp(prefix="pawl-test-", dir=self.files.name)
        server = Server(arguments=self.arguments, data=data)
        root = Client(server)
        root.headers = self.root.headers
        provider = Provider()
        self.addCleanup(provider.close)
        made = root.post(PROVIDERS, {"wellKnownConfigUri": provider.url + "/.well-known/openid-configuration"})
        bearer = {"Authorization": "Bearer " + provider.token()}
        self.assertEqual(root.get("/api/me", bearer).status, 200)
        pair = root.post(PAIRS, {"algorithm": "RS256", "audience": "client"}).json
        root.close()
        server.stop()
        server = Server(arguments=self.arguments, data=data)
        self.addCleanup(server.stop)
        root = Client(server)
        root.headers = self.root.headers
        self.addCleanup(root.close)
        self.assertEqual([item["id"] for item in root.get(PROVIDERS).json], [made.json["id"]])
        self.assertEqual(root.get("/api/me", bearer).status, 200)
        self.assertEqual(root.get(PAIRS + "/current?audience=client").json, pair)


class Guarded(Cyoda):
    allows = ()

    def test_addresses_inside_are_refused(self):
        for uri in ("https://127.0.0.1/x", "http://localhost:8080/x", "https://10.1.2.3/x", "https://[::1]/x", "https://169.254.169.254/latest", "https://[::ffff:127.0.0.1]/x"):
            self.refused(self.root.post(PROVIDERS, {"wellKnownConfigUri": uri}), 400, "OIDC_SSRF_BLOCKED")
        self.refused(self.root.post(PROVIDERS, {"wellKnownConfigUri": "http://idp.example/x"}), 400, "BAD_REQUEST")


class Keys(Cyoda):
    """Tokens of our own, and the keys behind them."""

    def token(self, client, secret, **form):
        pair = base64.b64encode(f"{urllib.parse.quote(client)}:{urllib.parse.quote(secret, safe='')}".encode()).decode()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        connection.request("POST", "/api/oauth/token", urllib.parse.urlencode({"grant_type": "client_credentials", **form}),
                           {"Authorization": "Basic " + pair, "Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        answer.json = json.loads(answer.read())
        connection.close()
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        return answer

    def exchange(self, client, **claims):
        now = int(time.time())
        key = claims.pop("key", FIRST)
        full = {"sub": "eve", "caas_org_id": client[2], "iat": now, "exp": now + 120, **claims}
        assertion = key.sign({name: value for name, value in full.items() if value is not None})
        return self.token(*client[:2], grant_type="urn:ietf:params:oauth:grant-type:token-exchange",
                          subject_token_type="urn:ietf:params:oauth:token-type:jwt", subject_token=assertion)

    def client(self, admin, tenant):
        made = self.root.post("/api/clients", headers=admin).json
        return made["client_id"], made["client_secret"], tenant

    def trust(self, admin, key=FIRST, **more):
        made = self.root.post(TRUSTED, {"keyId": key.kid, "jwk": key.jwk(), "audience": "human", **more}, admin)
        self.assertEqual(made.status, 200, made)
        return made.json

    def test_an_assertion_is_exchanged_for_a_token_of_the_user(self):
        tenant, admin = self.tenant()
        client = self.client(admin, tenant)
        self.assertEqual(self.exchange(client).json["error"], "invalid_grant", "nobody trusts the key")
        made = self.trust(admin)
        self.assertEqual((made["legalEntityId"], made["active"], made["jwk"]["kid"], "d" in made["jwk"]), (tenant, True, "first", False))
        answer = self.exchange(client, user_roles=["ROLE_USER", "ROLE_ADMIN"])
        self.assertEqual((answer.status, answer.json["issued_token_type"]), (200, "urn:ietf:params:oauth:token-type:jwt"), answer.json)
        self.assertLessEqual(answer.json["expires_in"], 120)
        claims = claims_of(answer.json["access_token"])
        self.assertEqual((claims["sub"], claims["caas_user_id"], claims["caas_org_id"], claims["act"], claims["user_roles"]),
                         ("eve", "eve", tenant, {"sub": client[0]}, ["ROLE_USER", "ROLE_ADMIN"]))
        me = self.me(answer.json["access_token"]).json
        self.assertEqual((me["name"], me["tenant"], sorted(me["roles"])), ("eve", tenant, ["person", "sender", "viewer"]), "never more than the client")

    def test_changes_of_entities_name_the_principal(self):
        tenant, admin = self.tenant()
        client = self.client(admin, tenant)
        self.trust(admin)
        provider, made = self.provider(admin)
        own = self.token(*client[:2]).json["access_token"]
        exchanged, foreign = self.exchange(client, user_roles=["ROLE_USER"]).json["access_token"], f"oidc:{made}:machine-7"
        users = ((own, client[0], "service", (client[0], "service")), (exchanged, "eve", "user", (client[0], "service")), (provider.token(roles=["ROLE_USER"]), foreign, "user", (foreign, "user")))
        headers = {"Authorization": "Bearer " + own}
        self.assertEqual(self.root.post("/api/model/import/JSON/SAMPLE_DATA/order/1", {"n": 1}, headers).status, 200)
        self.assertEqual(self.root.request("PUT", "/api/model/order/1/lock", None, headers).status, 200)
        for token, user, kind, executor in users:
            bearer = {"Authorization": "Bearer " + token}
            created = self.root.post("/api/entity/JSON/order/1", {"n": 2}, bearer)
            self.assertEqual(created.status, 200, created)
            entity = created.json[0]["entityIds"][0]
            changes = self.root.get(f"/api/entity/{entity}/changes", bearer)
            self.assertEqual([(one["user"], one["attributedKind"], (one["executedBy"]["id"], one["executedBy"]["kind"])) for one in changes.json], [(user, kind, executor)])
            self.assertEqual(self.root.get(f"/api/entity/{entity}/changes").status, 404, "it is another tenant's")

    def test_assertions_that_do_not_count(self):
        tenant, admin = self.tenant()
        client = self.client(admin, tenant)
        self.trust(admin, issuers=["https://portal.example"])
        good = {"iss": "https://portal.example"}
        now = int(time.time())
        # Each has times that a slow machine does not make good: an hour ahead, or both given.
        self.assertEqual(self.exchange(client, **good, iat=now, exp=now + 300).status, 200)
        self.assertEqual(self.exchange(client, **good, exp=now - 10).json["error"], "invalid_grant")
        for claims in ({"iss": "x"}, {"iss": None}, {**good, "iat": now, "exp": now + 301}, {**good, "exp": now - 31, "iat": now - 60}, {**good, "iat": now + 3600, "exp": now + 3660},
                       {**good, "sub": None}, {**good, "iat": None}, {**good, "key": OTHER}):
            answer = self.exchange(client, **claims)
            self.assertEqual((answer.status, answer.json["error"]), (400, "invalid_grant"), claims)
        for other in ("default", None):
            answer = self.exchange(client, **good, caas_org_id=other)
            self.assertEqual((answer.status, answer.json["error"]), (403, "access_denied"))
        _, elsewhere = self.tenant()
        stranger = self.client(elsewhere, tenant)
        self.assertEqual(self.exchange(stranger, **good).json["error"], "invalid_grant", "keys of another tenant are not trusted")
        self.assertEqual(self.token("nobody", "x").json["error"], "invalid_client")
        self.assertEqual(self.token(*client[:2], grant_type="password").json["error"], "unsupported_grant_type")

    def test_trusted_keys_end_and_come_back(self):
        tenant, admin = self.tenant()
        client = self.client(admin, tenant)
        self.trust(admin)
        self.assertEqual(self.root.post(f"{TRUSTED}/first/invalidate", headers=admin).status, 200)
        self.assertEqual(self.exchange(client).status, 400)
        self.assertEqual([key["active"] for key in self.root.get(TRUSTED, admin).json], [False])
        for body in ({}, {"validTo": "2020-01-01T00:00:00Z"}, {"validTo": "soon"}):
            self.refused(self.root.post(f"{TRUSTED}/first/reactivate", body, admin), 400, "BAD_REQUEST")
        self.assertTrue(self.root.post(f"{TRUSTED}/first/reactivate", {"validTo": "2099-01-01T00:00:00Z"}, admin).json["active"])
        self.assertEqual(self.exchange(client).status, 200)
        self.trust(admin, OTHER, invalidatePrevious=True, invalidateGracePeriodSec=600)
        self.assertEqual({key["keyId"]: key["active"] for key in self.root.get(TRUSTED, admin).json}, {"first": False, "other": True})
        self.assertEqual(self.exchange(client).status, 200, "its grace period is not over")
        self.assertEqual(self.root.request("DELETE", f"{TRUSTED}/first", None, admin).status, 200)
        self.assertEqual(self.exchange(client).status, 400)
        for method, path, body in (("DELETE", "", None), ("POST", "/invalidate", None), ("POST", "/reactivate", {"validTo": "2099-01-01T00:00:00Z"})):
            self.refused(self.root.request(method, f"{TRUSTED}/first{path}", body, admin), 404, "TRUSTED_KEY_NOT_FOUND")

    def test_trusted_keys_that_are_refused(self):
        _, admin = self.tenant()
        jwk = FIRST.jwk()
        for body, code in (({"keyId": "a b", "jwk": jwk}, "BAD_REQUEST"), ({"keyId": "first"}, "BAD_REQUEST"), ({"keyId": "first", "jwk": {**jwk, "d": "x"}}, "BAD_REQUEST"),
                           ({"keyId": "second", "jwk": jwk}, "BAD_REQUEST"), ({"keyId": "curve", "jwk": Key("curve").jwk()}, "UNSUPPORTED_KEY_TYPE"),
                           ({"keyId": "first", "jwk": {**jwk, "n": "AQAB"}}, "BAD_REQUEST"), ({"keyId": "first", "jwk": jwk, "audience": "x"}, "BAD_REQUEST"),
                           ({"keyId": "first", "jwk": jwk, "validTo": "2020-01-01T00:00:00Z"}, "BAD_REQUEST"), ({"keyId": "first", "jwk": jwk, "invalidateGracePeriodSec": -1}, "BAD_REQUEST")):
            self.refused(self.root.post(TRUSTED, body, admin), 400, code)
        for number in range(10):
            self.assertEqual(self.root.post(TRUSTED, {"keyId": f"k{number}", "jwk": {**jwk, "kid": f"k{number}"}}, admin).status, 200)
        self.refused(self.root.post(TRUSTED, {"keyId": "first", "jwk": jwk}, admin), 400, "TRUSTED_KEY_CAP_REACHED")
        self.assertEqual(self.root.post(TRUSTED, {"keyId": "k3", "jwk": {**jwk, "kid": "k3"}}, admin).status, 200, "the same once more")

    def kids(self):
        return [key["kid"] for key in self.root.get("/api/.well-known/jwks.json").json["keys"]]

    def test_key_pairs_sign_in_their_windows(self):
        client = self.client(self.root.headers, "default")
        before = self.token(*client[:2]).json["access_token"]
        first = self.root.get(PAIRS + "/current?audience=client").json["keyId"]
        pair = self.root.post(PAIRS, {"algorithm": "RS256", "audience": "client"})
        self.assertEqual((pair.status, pair.json["active"], pair.json["algorithm"]), (200, True, "RS256"))
        base64.b64decode(pair.json["publicKey"], validate=True)
        kid = pair.json["keyId"]
        self.assertEqual(sorted(self.kids()), sorted([first, kid]))
        token = self.token(*client[:2]).json["access_token"]
        self.assertEqual(json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))["kid"], kid)
        self.assertEqual((self.me(before).status, self.me(token).status), (200, 200))
        self.assertEqual(self.root.post(f"{PAIRS}/{kid}/invalidate", {"gracePeriodSec": 600}).status, 200)
        self.assertEqual((self.me(token).status, kid in self.kids()), (200, True), "its grace period is not over")
        self.assertEqual(self.root.get(PAIRS + "/current?audience=client").json["keyId"], first)
        self.assertEqual(self.root.post(f"{PAIRS}/{kid}/invalidate").status, 200)
        self.assertEqual((self.me(token).status, kid in self.kids()), (401, False))
        again = self.root.post(f"{PAIRS}/{kid}/reactivate", {"validTo": "2099-01-01T00:00:00Z"})
        self.assertEqual((again.status, again.json["active"], self.me(token).status), (200, True, 200))
        self.assertEqual(self.root.post(f"{PAIRS}/{first}/invalidate").status, 200)
        self.assertEqual((self.me(before).status, self.me(token).status, self.kids()), (401, 200, [kid]))
        self.assertEqual(self.root.request("DELETE", f"{PAIRS}/{kid}").status, 200)
        self.assertEqual((self.me(token).status, self.kids()), (401, []))
        self.refused(self.root.get(PAIRS + "/current?audience=client"), 404, "KEYPAIR_NOT_FOUND")
        self.assertEqual(self.root.request("DELETE", f"{PAIRS}/{first}").status, 200)
        self.assertEqual((self.token(*client[:2]).status, len(self.kids())), (200, 1), "another first key is made")

    def test_key_pairs_that_are_refused(self):
        for body, code in (({"algorithm": "ES256", "audience": "client"}, "UNSUPPORTED_ALGORITHM"), ({"algorithm": "RS256"}, "BAD_REQUEST"),
                           ({"algorithm": "RS256", "audience": "client", "validTo": "2020-01-01T00:00:00Z"}, "BAD_REQUEST"),
                           ({"algorithm": "RS256", "audience": "client", "validFrom": "2090-01-01T00:00:00Z", "invalidateCurrent": True}, "BAD_REQUEST")):
            self.refused(self.root.post(PAIRS, body), 400, code)
        for method, path, body in (("DELETE", "", None), ("POST", "/invalidate", None), ("POST", "/reactivate", {"validTo": "2099-01-01T00:00:00Z"})):
            self.refused(self.root.request(method, f"{PAIRS}/nothing{path}", body), 404, "KEYPAIR_NOT_FOUND")
        _, admin = self.tenant()
        self.refused(self.root.post(PAIRS, {"algorithm": "RS256", "audience": "client"}, admin), 403, "FORBIDDEN")
        for method, path in (("DELETE", "/api/clients/7HqZ3bTw9K"), ("PUT", "/api/clients/7HqZ3bTw9K/secret")):
            self.refused(self.root.request(method, path, None, admin), 404, "M2M_CLIENT_NOT_FOUND")


del Cyoda

if __name__ == "__main__":
    main()
