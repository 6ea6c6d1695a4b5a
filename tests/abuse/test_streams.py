"""Many listeners of one instance leave, and then something happens to it."""

from abuse import AbuseCase, main, request_bytes
from steps import end, wait

LISTENERS = 300


class Streams(AbuseCase):
    def test_listeners_that_leave_before_the_instance_ends(self):
        """Each stream's memory was touched once more after its request was gone."""
        name = self.upload([wait("w", "end"), end()])
        instance = self.start(name)["id"]
        listeners = [self.dial() for _ in range(LISTENERS)]
        for listener in listeners:
            listener.sendall(request_bytes("GET", f"/v1/instances/{instance}/events"))
        for listener in listeners:
            self.assertIn(b"200 OK", listener.recv(4096))
        for listener in listeners:
            listener.close()
        self.assertEqual(self.post(f"/v1/instances/{instance}/signals/w").status, 204)
        self.assertEqual(self.ended(instance)["status"], "COMPLETED")


if __name__ == "__main__":
    main()
