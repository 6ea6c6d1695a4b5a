"""Entities in pages, in the past, and counted."""

from entities import NIL, WORKFLOW, EntityCase
from harness import main


class Pages(EntityCase):
    def page(self, query=""):
        return self.read(f"/api/entity/{self.model}/1{query}")

    def amounts(self, query=""):
        return [entity["data"]["amount"] for entity in self.page(query)]

    def test_entities_are_listed_in_the_order_of_creation(self):
        self.prepare(WORKFLOW)
        self.assertEqual(self.page(), [])
        ids = self.created([{"amount": n} for n in range(90, 115)])
        self.assertEqual(self.amounts(), list(range(90, 110)))
        self.assertEqual(self.amounts("?pageNumber=1"), list(range(110, 115)))
        self.assertEqual(self.amounts("?pageSize=10&pageNumber=2"), list(range(110, 115)))
        self.assertEqual(self.amounts("?pageSize=10&pageNumber=3"), [])
        self.assertEqual(self.amounts("?pageSize=10000&pageNumber=2147483647"), [])
        shown = self.page("?pageSize=1&pageNumber=11")[0]
        self.assertEqual(shown, self.read(f"/api/entity/{ids[11]}"))
        self.assertEqual((shown["meta"]["state"], shown["meta"]["modelKey"]), ("LARGE", {"name": self.model, "version": 1}))

    def test_a_page_can_begin_after_an_entity(self):
        self.prepare(WORKFLOW)
        ids = self.created([{"amount": n} for n in range(7)])
        seen, after = [], NIL
        while True:
            page = self.page(f"?pageSize=3&after={after}")
            if not page:
                break
            seen += [entity["meta"]["id"] for entity in page]
            after = seen[-1]
        self.assertEqual(seen, ids)
        self.delete(f"/api/entity/{ids[3]}")  # Cursors of deleted entities go on working.
        self.assertEqual(self.amounts(f"?after={ids[3]}"), [4, 5, 6])

    def test_deleted_entities_and_those_of_other_models_are_not_listed(self):
        self.prepare(WORKFLOW)
        first, second, third = self.created([{"amount": n} for n in (1, 2, 3)])
        other, self.model = self.model, self.model + "0"  # Its name begins alike.
        self.prepare()
        self.created({"amount": 9})
        self.model = other
        self.delete(f"/api/entity/{second}")
        self.assertEqual(self.amounts(), [1, 3])
        self.changed(first, {"amount": 5}, "PAY")
        self.assertEqual(self.amounts(), [5, 3])

    def test_what_is_wrong_with_a_page_is_said(self):
        path = f"/api/entity/{self.model}/1"
        self.assert_code(self.get(path), 404, "MODEL_NOT_FOUND")
        self.prepare()
        for query in ("pageSize=0", "pageSize=10001", "pageSize=x", "pageNumber=-1", "pageNumber=2147483648",
                      "after=x", "after=" + "f" * 8 + NIL[8:], f"after={NIL}&pageNumber=1"):
            self.assert_code(self.get(f"{path}?{query}"), 400, "BAD_REQUEST")
        self.assert_code(self.get(f"/api/entity/{self.model}/x"), 400, "BAD_REQUEST")


class LargePages(EntityCase):
    arguments = ("--limit", "answer_bytes_max=65536")

    def test_a_page_that_is_too_large_is_refused_or_ends_before(self):
        self.prepare(sample={"text": "x"})
        ids = self.created([{"text": "x" * 10000} for _ in range(9)])
        path = f"/api/entity/{self.model}/1"
        self.assertEqual(len(self.read(f"{path}?pageSize=5")), 5)
        self.assertEqual(len(self.read(f"{path}?pageSize=5&pageNumber=1")), 4)
        self.assert_code(self.get(path), 413, "BAD_REQUEST")
        seen, after = [], NIL
        while len(seen) < len(ids):
            seen += [entity["meta"]["id"] for entity in self.read(f"{path}?after={after}")]
            after = seen[-1]
        self.assertEqual(seen, ids)


if __name__ == "__main__":
    main()
