"""An engine that asks for a token."""

import http.client
import os
import tempfile

from harness import CONTRACT, Case, example_path, main

TOKEN = "s3cret-token-of-the-engine"


class Tokens(Case):
    handle, path = tempfile.mkstemp(prefix="pawl-token-")
    os.write(handle, TOKEN.encode())
    os.close(handle)
    arguments = ("--auth-token-file", path, "--cors-origin", "http://a.example")

    @classmethod
    def tearDownClass(cls):
        os.unlink(cls.path)

    def test_without_the_token_nothing_but_the_probes_and_descriptions(self):
        for path in ("/healthz", "/livez", "/readyz", "/schemas/steps.json", "/openapi.json", "/docs/steps.md", "/api/health", "/api/help", "/api/help/errors"):
            self.assertEqual(self.get(path).status, 200)
        for path in ("/metrics", "/v1/definitions", "/v1/instances/x", "/nowhere"):
            answer = self.get(path)
            self.assertEqual((answer.status, answer.json["error"], answer.headers["WWW-Authenticate"]), (401, "unauthenticated", "Bearer"), path)

    def test_no_operation_of_the_contract_forgets_to_ask(self):
        for path, item in CONTRACT["paths"].items():
            for method in {"get", "post", "put", "delete"} & set(item):
                if item[method].get("security") in ([], [{}]):
                    continue
                asked = example_path(path, "1")
                self.assertEqual(self.client.request(method.upper(), asked).status, 401, (method, path))

    def test_tokens_that_are_not_it(self):
        for header in ("", "Bearer", "Bearer ", "Bearer x", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN,
                       f"Bearer {TOKEN.upper()}", f"Bearer {TOKEN} {TOKEN}"):
            self.assertEqual(self.get("/v1/definitions", {"Authorization": header}).status, 401, header)

    def test_each_request_of_a_connection_is_judged_by_its_own_token(self):
        longest = "x" * 96  # A connection remembers tokens up to here.
        tokens = (TOKEN, TOKEN[:-1] + "x", TOKEN, longest, TOKEN, longest + "x", TOKEN, TOKEN, "", TOKEN[:-1], TOKEN)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        for token in tokens:
            connection.request("GET", "/v1/definitions", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            self.assertEqual(answer.status, 200 if token == TOKEN else 401, token)
        connection.close()

    def test_with_the_token_everything(self):
        for header in (f"Bearer {TOKEN}", f"bearer {TOKEN}", f"Bearer  {TOKEN}"):
            for path in ("/metrics", "/v1/definitions"):
                self.assertEqual(self.get(path, {"Authorization": header}).status, 200, header)
        self.assertEqual(self.get("/nowhere", {"Authorization": f"Bearer {TOKEN}"}).status, 404)

    def test_a_preflight_is_free(self):
        answer = self.client.request("OPTIONS", "/v1/definitions", None, {"Origin": "http://a.example", "Access-Control-Request-Method": "POST"})
        self.assertEqual(answer.status, 200)
        answer = self.get("/v1/definitions", {"Origin": "http://a.example"})
        self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"]), (401, "http://a.example"))

    def test_other_pages_do_not_get_as_far_as_the_token(self):
        for token in ({}, {"Authorization": f"Bearer {TOKEN}"}):
            answer = self.get("/v1/definitions", {"Origin": "http://b.example", **token})
            self.refused(answer, 403, "--cors-origin http://b.example")
            self.assertNotIn("Access-Control-Allow-Origin", answer.headers)

    def test_any_host_will_do(self):
        self.assertEqual(self.get("/v1/definitions", {"Authorization": f"Bearer {TOKEN}", "Host": "engine.example:99"}).status, 200)


if __name__ == "__main__":
    main()
