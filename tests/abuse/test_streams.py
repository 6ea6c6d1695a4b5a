"""Many listeners leave, and then something happens that they would have heard of."""

from abuse import AbuseCase, main, request_bytes
from steps import end, wait

LISTENERS = 300


class Streams(AbuseCase):
    def listen_and_leave(self, path):
        listeners = [self.dial() for _ in range(LISTENERS)]
        for listener in listeners:
            listener.sendall(request_bytes("GET", path))
        for listener in listeners:
            self.assertIn(b"200 OK", listener.recv(4096))
        for listener in listeners:
            listener.close()

    def test_listeners_that_leave_before_the_instance_ends(self):
        """Each stream's memory was touched once more after its request was gone."""
        name = self.upload([wait("w", "end"), end()])
        instance = self.start(name)["id"]
        self.listen_and_leave(f"/v1/instances/{instance}/events")
        self.assertEqual(self.post(f"/v1/instances/{instance}/signals/w").status, 204)
        self.assertEqual(self.ended(instance)["status"], "COMPLETED")

    def test_listeners_of_tasks_that_leave(self):
        """The same memory: with a sanitizer the engine ended."""
        self.listen_and_leave("/api/tasks/stream")
        self.assertEqual(self.get("/livez").status, 200)


if __name__ == "__main__":
    main()
