"""Pictures of definitions and of documents: nodes and lines with their places."""

from graphs import edge, graph, node
from harness import Case, main
from steps import end, service


def boxes(picture):
    return {n["id"]: n for n in picture["nodes"]}


def overlap(a, b):
    return a["x"] < b["x"] + b["width"] and b["x"] < a["x"] + a["width"] and a["y"] < b["y"] + b["height"] and b["y"] < a["y"] + a["height"]


class Pictures(Case):
    def draw(self, document, query=""):
        answer = self.post("/api/pictures" + query, document)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_a_version_is_drawn(self):
        one = {"id": self.fresh("wf"), "name": "A", "steps": [service("a", "end"), end()]}
        self.post("/api/workflows", one)
        self.post("/api/workflows", {**one, "steps": [service("a", "b"), service("b", "end"), end()]})
        path = f"/api/definitions/{one['id']}/versions/"
        first, latest = self.get(path + "1/picture").json, self.get(path + "latest/picture").json
        self.assertEqual((first["version"], latest["version"], latest["definitionId"]), (1, 2, one["id"]))
        self.assertEqual(([n["id"] for n in first["nodes"]], [n["id"] for n in latest["nodes"]]), (["a", "end"], ["a", "b", "end"]))
        self.assertEqual((latest["start"], [(e["from"], e["to"]) for e in latest["edges"]]), ("a", [("a", "b"), ("b", "end")]))
        for missing in (path + "3/picture", path + "0/picture", path + "x/picture", "/api/definitions/nobody/versions/latest/picture"):
            self.assertEqual(self.get(missing).status, 404, missing)
        self.assertEqual(self.get(path + "1/picture?layout=odd").status, 400)

    def test_a_loop_holds_its_body(self):
        document = graph(
            node("t", "trigger_manual"),
            node("each", "for_each", items=[]),
            node("in", "set_variables", parent="each", values={"a": 1}),
            node("z", "end"),
            edges=[edge("t", "each"), edge("each", "in", "body"), edge("each", "z", "done")],
        )
        picture = self.draw(document)
        box = boxes(picture)
        self.assertEqual((box["each"]["isZone"], box["in"]["zone"], box["each"]["kind"], box["in"]["kind"]), (True, "each", "scope", "set"))
        self.assertTrue(box["each"]["x"] < box["in"]["x"] and box["in"]["x"] + box["in"]["width"] < box["each"]["x"] + box["each"]["width"])
        self.assertTrue(box["each"]["y"] < box["in"]["y"] and box["in"]["y"] + box["in"]["height"] < box["each"]["y"] + box["each"]["height"])
        self.assertIn(("each", "in", "inward"), [(e["from"], e["to"], e["kind"]) for e in picture["edges"]])

    def test_nodes_stay_where_their_document_puts_them(self):
        document = graph(node("t", "trigger_manual"), node("z", "end"), edges=[edge("t", "z")])
        for n, (x, y) in zip(document["nodes"], ((-40, 10), (300.5, 90))):
            n["position"] = {"x": x, "y": y}
        own, auto = self.draw(document), self.draw(document, "?layout=auto")
        self.assertEqual([(n["x"], n["y"]) for n in own["nodes"]], [(-40, 10), (300.5, 90)])
        self.assertEqual({n["width"] for n in own["nodes"]}, {216})  # As wide as on a canvas, or steps set below each other would be a staircase.
        self.assertTrue(own["left"] < -40 and len(own["edges"][0]["points"]) == 2)
        self.assertNotEqual([(n["x"], n["y"]) for n in auto["nodes"]], [(-40, 10), (300.5, 90)])
        self.assertEqual((auto["left"], auto["isPlaced"], own["isPlaced"]), (0, False, True))
        document["nodes"][1]["position"] = {"x": "far", "y": 1e300}
        self.assertGreater(self.draw(document)["nodes"][1]["y"], 10 + 48)  # Without a place: below the others.

    def test_lines_go_round_boxes(self):
        document = graph(*(node(f"n{i}", "trigger_manual" if not i else "match") for i in range(4)),
                         edges=[edge("n0", "n3"), edge("n3", "n1"), edge("n2", "n2")])
        for i, n in enumerate(document["nodes"]):
            n["position"] = {"x": 0, "y": i * 120}
        picture = self.draw(document)
        box = boxes(picture)
        ways = {(e["from"], e["to"]): e["points"] for e in picture["edges"]}
        for ends, way in ways.items():
            for n in box.values():
                inside = {"x": n["x"] + 2, "y": n["y"] + 2, "width": n["width"] - 4, "height": n["height"] - 4}
                for a, b in zip(way, way[1:]):
                    line = {"x": min(a[0], b[0]), "y": min(a[1], b[1]), "width": abs(a[0] - b[0]), "height": abs(a[1] - b[1])}
                    self.assertFalse(overlap(inside, line), (ends, n["id"], way))
        self.assertEqual([len(way) for way in ways.values()], [4, 4, 4])

    def test_two_ways_to_the_same_step_are_two_lines(self):
        document = graph(node("t", "trigger_manual"), node("d", "decision"), node("z", "end"), edges=[
            edge("t", "d"), edge("d", "z", id="usual"),
            edge("d", "z", id="large", label="decline", condition={"left": "{{ trigger.payload.amount }}", "op": "gt", "right": 5})])
        for query in ("", "?layout=auto"):
            found = [(e["id"], e["label"]) for e in self.draw(document, query)["edges"] if e["from"] == "d"]
            self.assertEqual(sorted(found), [("large", "decline"), ("usual", "")], query)

    def test_unfinished_documents_of_every_family_are_drawn(self):
        unfinished = {
            "graph": {"dialect": "graph/1", "name": "", "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "a", "type": "action_http"}, {"id": "b", "type": "no_such"}], "edges": [{"from": "t", "to": "a"}, {"from": "a", "to": "nowhere"}, {"from": "a", "to": "b"}]},
            "steps": {"id": "x", "name": "X", "steps": [{"id": "t", "type": "SERVICE_TASK", "nextStep": "a"}, {"id": "a", "type": "NOPE", "conditionalNextSteps": {"x > 1": "b", "(": "t"}}, {"id": "b", "type": "END"}]},
            "serverless": {"name": "W", "startsAt": "t", "states": [{"name": "t", "type": "RELAY", "transition": "a"}, {"name": "a", "type": "SWITCH", "choices": [], "default": "b"}, {"name": "b"}]},
            "entity": {"entityName": "e", "modelVersion": 1, "workflows": [{"name": "w", "initialState": "nope", "states": {"t": {"transitions": [{"name": "GO", "next": "a"}]}, "a": {"transitions": [{"next": "b"}]}, "b": {}}}]},
        }
        for family, document in unfinished.items():
            self.assertFalse(self.post("/api/workflows/validate", document).json["valid"], family)
            picture = self.draw(document)
            self.assertEqual((picture["dialect"], len(picture["nodes"])), (family, 3))
            ids = [n["id"] for n in picture["nodes"]]
            self.assertLessEqual({(ids[0], ids[1]), (ids[1], ids[2])}, {(e["from"], e["to"]) for e in picture["edges"]}, family)

    def test_what_cannot_be_drawn_is_refused_with_its_problems(self):
        for text in (b"", b"{", b"[1]", b"\xff", b"{}", {"dialect": "graph/1", "name": "x", "nodes": []}, {"dialect": "graph/1", "name": "x", "nodes": "odd", "edges": 3}):
            answer = self.post("/api/pictures", text)
            self.assertEqual((answer.status, answer.type), (400, "application/problem+json"), text)
            self.assertTrue(answer.json["problems"], text)

    def test_hostile_names_stay_text(self):
        names = ["x" * 200, "\u202eright to left", "👩‍👩‍👧‍👦" * 40, "a\u0007b\n\u0000", "<script>alert(1)</script>&\"'", "\u200b"]
        nodes = [node("t", "trigger_manual")] + [node(f"n{i}", "end", label=name) for i, name in enumerate(names)]
        picture = self.draw(graph(*nodes, edges=[edge("t", f"n{i}", label=name) for i, name in enumerate(names)]))
        box = boxes(picture)
        self.assertEqual(box["n0"]["title"], names[0])
        self.assertEqual(box["n4"]["title"], names[4])
        self.assertEqual(box["n3"]["title"], "a b  ")
        self.assertFalse([n for n in picture["nodes"] if any(ord(c) < 32 for c in n["title"] + n["caption"])])
        for a in picture["nodes"]:
            for b in picture["nodes"]:
                self.assertTrue(a is b or not overlap(a, b), (a, b))

    def test_a_tangled_graph_is_drawn(self):
        count, lines = 120, 480
        nodes = [node("n0", "trigger_manual")] + [node(f"n{i}", "set_variables", values={"a": i}) for i in range(1, count)]
        pairs = sorted({(i * 7919 % (count - 1), (i * 104729 + i // 13) % count) for i in range(3 * lines)})
        pairs = [(a, b) for a, b in pairs if b and a != b][:lines]
        document = graph(*nodes, edges=[edge(f"n{a}", f"n{b}") for a, b in pairs])
        picture = self.draw(document)
        self.assertEqual(len(picture["nodes"]), count)
        self.assertGreater(len(picture["edges"]), lines * 0.9)


if __name__ == "__main__":
    main()
