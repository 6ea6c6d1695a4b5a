"""What builders ask about parts of documents: templates, ticks, tables, differences between versions."""

import datetime

from graphs import edge, graph, node
from harness import Case, main
from steps import end, service

TABLE = {"rules": [{"when": {"amount": "amount < 100"}, "outputs": {"who": "clerk"}}, {"when": {"amount": "amount >= 100"}, "outputs": {"who": "boss"}}]}


class Templates(Case):
    def test_every_template_is_sound(self):
        answer = self.get("/api/templates")
        self.assertEqual(answer.status, 200, answer)
        for template in answer.json["items"]:
            checked = self.post("/api/checks", template["document"]).json
            self.assertEqual((template["id"], checked["errors"]), (template["id"], []))
            self.assertTrue(template["name"])


class Ticks(Case):
    def moments(self, answer):
        self.assertEqual(answer.status, 200, answer)
        return [(datetime.datetime.fromisoformat(tick["at"].replace("Z", "+00:00")), datetime.datetime.fromisoformat(tick["local"])) for tick in answer.json["items"]]

    def test_a_schedule_says_when_it_fires(self):
        answer = self.post("/api/ticks?count=3&zone=Asia/Tokyo", {"cron": "30 9 * * 1", "timezone": "Europe/Berlin"})
        moments = self.moments(answer)
        self.assertEqual((len(moments), answer.json["zone"]), (3, "Asia/Tokyo"))
        for at, local in moments:
            self.assertEqual((at, local.utcoffset()), (local, datetime.timedelta(hours=9)))
            self.assertIn((at.hour, at.minute), ((8, 30), (7, 30)))
        self.assertEqual(moments[1][0].date() - moments[0][0].date(), datetime.timedelta(days=7))

    def test_a_trigger_of_a_definition_says_so_too(self):
        document = graph(node("c", "trigger_cron", cron="0 9 * * *"), node("m", "trigger_manual"), node("z", "end"), edges=[edge("c", "z"), edge("m", "z")], name="Ticks " + self.fresh("n"))
        id = self.post("/api/workflows", document).json["definitionId"]
        self.assertEqual([at.hour for at, _ in self.moments(self.get(f"/api/triggers/{id}/c/ticks?count=2"))], [9, 9])
        self.assertEqual(len(self.moments(self.get(f"/api/triggers/{id}/c/ticks?count=100"))), 100)
        self.assertEqual(self.get(f"/api/triggers/{id}/m/ticks").status, 400)
        self.assertEqual(self.get(f"/api/triggers/{id}/nobody/ticks").status, 404)
        self.assertEqual(self.get("/api/triggers/nobody/c/ticks").status, 404)
        for wrong in ("count=101", "count=0", "count=x", "zone=Mars/Base"):
            self.assertEqual(self.get(f"/api/triggers/{id}/c/ticks?{wrong}").status, 400, wrong)

    def test_wrong_schedules_are_refused(self):
        for config in ({"cron": "61 * * * *"}, {"cron": ""}, {"cron": "0 9 * * *", "timezone": "Nowhere"}):
            self.assertEqual(self.post("/api/ticks", config).status, 400, config)

    def test_a_member_that_says_nothing_about_the_time_is_refused(self):
        self.refused(self.post("/api/ticks", {"cron": "30 9 * * 1", "timezon": "Europe/Berlin"}), 400, 'did you mean "timeZone"?')
        self.assertEqual(self.post("/api/ticks", {"cron": "30 9 * * 1", "onMatch": "Ignore"}).status, 400)


class Tables(Case):
    def tried(self, table, *rows):
        answer = self.post("/api/tables/try", {"table": table, "rows": [{"variables": row} for row in rows]})
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_values_are_tried(self):
        found = self.tried({**TABLE, "hitPolicy": "U"}, {"amount": 5}, {"amount": 100, "who": "old"}, {"amount": "x"})
        self.assertEqual(found["results"][:2], [{"matched": [0], "output": {"who": "clerk"}}, {"matched": [1], "output": {"who": "boss"}}])
        self.assertIn("amount", found["results"][2]["error"])
        step = {"id": "x", "name": "X", "type": "DECISION_TABLE", "hitPolicy": "F", "decisionTable": TABLE, "nextStep": "y"}
        self.assertEqual(self.tried(step, {"amount": 5})["results"], [{"matched": [0], "output": {"who": "clerk"}}])

    def test_findings_name_their_rules(self):
        rules = [{"when": {"a": "a > 1"}, "outputs": {"x": 1}}, {"when": {"a": "a > 5"}, "outputs": {"x": 2}}]
        found = self.tried({"rules": rules, "hitPolicy": "U"}, {"a": 3})
        self.assertIn(("TABLE_OVERLAP", [0, 1]), [(f["code"], f["rows"]) for f in found["findings"]])
        self.assertIn(("TABLE_GAP", ""), [(f["code"], f["pointer"]) for f in found["findings"]])
        found = self.tried({"rules": [{"when": {}, "outputs": {"x": 1}}, rules[0]], "hitPolicy": "F"})
        self.assertEqual([(f["code"], f["rows"]) for f in found["findings"]], [("TABLE_SHADOW", [1, 0])])
        broken = self.tried({"rules": [{"when": {"a": "a >"}, "outputs": {"x": 1}}]}, {"a": 3})
        self.assertEqual(([f["rows"] for f in broken["findings"]], broken["results"]), ([[0]], []))
        self.assertTrue(broken["findings"][0]["pointer"].startswith("/rules/0"), broken)

    def document(self, id, rules, name="Tabled"):
        step = {"id": "t", "name": "Who decides", "type": "DECISION_TABLE", "hitPolicy": "F", "decisionTable": {"rules": rules}, "nextStep": "z"}
        return {"id": id, "name": name, "steps": [step, {"id": "z", "name": "End", "type": "END"}]}

    def listed(self, keyword, size=100):
        found, cursor, pages = [], "", 0
        while pages == 0 or cursor:
            page = self.get(f"/api/tables?keyword={keyword}&pageSize={size}&cursor={cursor}").json
            found += page["items"]
            cursor = page.get("nextCursor", "")
            pages += 1
        return found

    def test_tables_of_definitions_and_drafts_are_listed(self):
        mark = self.fresh("tabled")
        ids = [f"{mark}-{letter}" for letter in "abcd"]
        rules = TABLE["rules"]
        for id in ids[:2]:
            self.assertEqual(self.post("/v1/definitions", self.document(id, rules)).status, 201)
        plain = {"id": ids[3], "name": "Plain", "steps": [{"id": "z", "name": "End", "type": "END"}]}
        self.assertEqual(self.post("/v1/definitions", plain).status, 201)
        first = self.listed(mark)
        self.assertEqual([(t["definitionId"], t["version"], t["isDraft"], t["rules"]) for t in first], [(ids[0], 1, False, 2), (ids[1], 1, False, 2)])
        self.assertEqual((first[0]["definitionName"], first[0]["stepId"], first[0]["title"], first[0]["hitPolicy"]), ("Tabled", "t", "Who decides", "F"))
        self.assertEqual((first[0]["conditions"], first[0]["results"]), (["amount"], ["who"]))
        draft = self.document(ids[1], [*rules, {"when": {"b": "b >"}, "outputs": {"x": 1}}], name="Drafted")
        for id, document in ((ids[1], draft), (ids[2], self.document(ids[2], rules)), (ids[3], {"steps": 7})):
            self.assertEqual(self.client.request("PUT", f"/api/workflows/{id}/draft", document).status, 201)
        for size in (1, 2, 100):
            second = self.listed(mark, size)
            self.assertEqual([(t["definitionId"], t.get("version"), t["isDraft"], t["rules"]) for t in second], [(ids[0], 1, False, 2), (ids[1], 1, True, 3), (ids[2], None, True, 2)])
        self.assertEqual((second[1]["definitionName"], second[1]["conditions"]), ("Drafted", ["amount", "b"]))
        self.assertGreater(second[1]["problems"], second[0]["problems"])
        self.assertEqual(self.listed("no" + mark), [])

    def test_wrong_requests_are_refused(self):
        for body in ({}, {"table": 3}, {"table": TABLE, "rows": {}}, {"table": TABLE, "rows": [{}] * 101}):
            self.assertEqual(self.post("/api/tables/try", body).status, 400, body)
        self.assertEqual(self.tried({"rules": 7})["results"], [])


class Comparisons(Case):
    def test_two_versions_are_compared(self):
        one = {"id": self.fresh("cmp"), "name": "A", "steps": [service("a", "b"), service("b", "end"), end()]}
        two = {**one, "steps": [{**service("a", "c"), "jobType": "other"}, service("c", "end"), end()]}
        for document in (one, two):
            self.post("/api/workflows", document)
        path = f"/api/definitions/{one['id']}/compare"
        found = self.get(path + "?from=1&to=2").json
        self.assertEqual({(n["id"], n["change"]) for n in found["nodes"]}, {("a", "changed"), ("b", "removed"), ("c", "added")})
        self.assertEqual(sorted(next(n for n in found["nodes"] if n["id"] == "a")["fields"]), ["/jobType", "/nextStep"])
        self.assertEqual({(e["from"], e["to"], e["change"]) for e in found["edges"]}, {("a", "b", "removed"), ("b", "end", "removed"), ("a", "c", "added"), ("c", "end", "added")})
        texts = ["\n".join(line["text"] for line in found["lines"] if line["op"] in ops) for ops in ("=-", "=+")]
        self.assertIn('"b"', texts[0])
        self.assertNotIn('"b"', texts[1])
        self.assertNotIn("cut", found)
        same = self.get(path + "?from=1&to=1").json
        self.assertEqual((same["nodes"], same["edges"], {line["op"] for line in same["lines"]}), ([], [], {"="}))
        for wrong, status in (("?from=1", 400), ("?from=0&to=1", 400), ("?from=1&to=3", 404)):
            self.assertEqual(self.get(path + wrong).status, status)
        self.assertEqual(self.get("/api/definitions/nobody/compare?from=1&to=1").status, 404)

    def test_large_versions_are_compared_and_their_texts_are_cut(self):
        name, count = self.fresh("large"), 1900
        nodes = [node("begin", "trigger_manual")] + [node(f"n{i}", "set_variables", values={"i": i}) for i in range(count)] + [node("end", "end")]
        names = [each["id"] for each in nodes]
        edges = [edge(a, b) for a, b in zip(names, names[1:])]
        one = graph(*nodes, edges=edges, name="A", definitionId=name)
        two = {**one, "nodes": [{**each, "label": "other"} if each["id"] == "n7" else each for each in reversed(nodes)], "edges": edges[::-1]}
        for document in (one, two):
            self.assertEqual(self.post("/api/workflows", document).status, 201)
        found = self.get(f"/api/definitions/{name}/compare?from=1&to=2").json
        self.assertEqual([(n["id"], n["change"]) for n in found["nodes"]], [("n7", "changed")])
        self.assertEqual(found["edges"], [])
        self.assertTrue(found["cut"])


if __name__ == "__main__":
    main()
