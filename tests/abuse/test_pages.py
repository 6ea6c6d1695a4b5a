"""Pages of the web that try to use an engine on the loopback address which asks for no token."""

import json

from abuse import AbuseCase, main
from steps import end

EVIL = "https://evil.example"


class Pages(AbuseCase):
    def total(self, name):
        return self.get(f"/v1/instances?definitionId={name}").json["total"]

    def test_a_form_of_another_site_starts_nothing(self):
        """What a page may send without asking first: the types of forms, or none at all."""
        name = self.upload([end()])
        body = json.dumps({"definitionId": name}).encode()
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
            answer = self.post("/v1/instances", body, {"Origin": EVIL, "Content-Type": kind})
            self.assertEqual(answer.status, 403)
            self.assertNotIn("Access-Control-Allow-Origin", answer.headers)
        self.assertEqual(self.total(name), 0)

    def test_a_script_of_another_site_reads_nothing(self):
        for path in ("/v1/definitions", "/v1/instances", "/metrics", "/openapi.json", "/livez"):
            answer = self.get(path, {"Origin": EVIL})
            self.assertEqual(answer.status, 403)
            self.assertNotIn("Access-Control-Allow-Origin", answer.headers)

    def test_a_preflight_of_another_site_is_refused(self):
        answer = self.client.request("OPTIONS", "/v1/instances", None, {
            "Origin": EVIL, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"})
        self.assertEqual(answer.status, 403)
        self.assertFalse([name for name in answer.headers if name.startswith("Access-Control")])

    def test_a_name_that_points_here_gives_no_access(self):
        """DNS rebinding: for the browser the page and the engine are one origin, so reads send no Origin at all."""
        name = self.upload([end()])
        host = f"evil.example:{self.server.port}"
        self.assertEqual(self.get("/v1/definitions", {"Host": host}).status, 421)
        answer = self.post("/v1/instances", {"definitionId": name}, {"Host": host, "Origin": f"http://{host}"})
        self.assertEqual(answer.status, 421)
        self.assertEqual(self.total(name), 0)

    def test_clients_that_are_no_browsers_notice_nothing(self):
        name = self.upload([end()])
        body = json.dumps({"definitionId": name}).encode()
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            self.assertEqual(self.post("/v1/instances", body, {"Content-Type": kind}).status, 201)
        self.assertEqual(self.total(name), 3)


if __name__ == "__main__":
    main()
