"""Calls of gRPC with a client that others wrote (grpcio): health, reflection, refusals, slow and frozen clients.

Messages are bytes here, so no code has to be generated: a field is a key, a length and its bytes.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import grpc

import harness
import test_http2

ENGINE = "/workflow.v1.WorkflowEngine/"
HEALTH, REFLECTION = "/grpc.health.v1.Health/", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
SERVING, NOT_SERVING, SERVICE_UNKNOWN = b"\x08\x01", b"\x08\x02", b"\x08\x03"


def field(number, value):
    """A field of bytes that are shorter than 128."""
    return bytes([number << 3 | 2, len(value)]) + value


def fields(message):
    """(number, bytes) of each field; numbers as integers."""
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = message[at], at + 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    at, found = 0, []
    while at < len(message):
        key = varint()
        value = varint()
        if key & 7 == 2:
            value, at = message[at:at + value], at + value
        found.append((key >> 3, value))
    return found


def of(message, number):
    return [value for found, value in fields(message) if found == number]


def grpc_port(server):
    return int(re.search(r"gRPC on [^,]*:(\d+)", server.banner)[1])


class Grpc(harness.Case):
    arguments = ("--grpc", "127.0.0.1:0")

    def setUp(self):
        super().setUp()
        self.channel = self.dial(grpc_port(self.server))

    def dial(self, port, **options):
        channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1), *options.items()])
        self.addCleanup(channel.close)
        return channel

    def unary(self, method, message=b"", channel=None, **more):
        return (channel or self.channel).unary_unary(method)(message, timeout=harness.PATIENCE, **more)

    def fails(self, code, call):
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return caught.exception

    def reflect(self, *messages, version="v1", **more):
        method = REFLECTION.replace("v1", version)
        return list(self.channel.stream_stream(method)(iter(messages), timeout=harness.PATIENCE, **more))


class Health(Grpc):
    def test_check(self):
        self.assertEqual(self.unary(HEALTH + "Check"), SERVING)
        self.assertEqual(self.unary(HEALTH + "Check", field(1, b"grpc.health.v1.Health")), SERVING)
        self.fails(grpc.StatusCode.NOT_FOUND, lambda: self.unary(HEALTH + "Check", field(1, b"no.Such")))
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, lambda: self.unary(HEALTH + "Check", b"\x0a\x05x"))
        self.assertEqual(self.unary(HEALTH + "Check", channel=self.dial(self.server.port)), SERVING)  # The other port, too.
        self.until(lambda: self.metric('grpc_requests_duration_seconds_count{method="/grpc.health.v1.Health/Check",code="OK"}'))

    def test_watch(self):
        watch = self.channel.unary_stream(HEALTH + "Watch")
        call = watch(b"", timeout=harness.PATIENCE)
        self.assertEqual(next(call), SERVING)
        unknown = watch(field(1, b"no.Such"), timeout=harness.PATIENCE)
        self.assertEqual(next(unknown), SERVICE_UNKNOWN)
        call.cancel()
        unknown.cancel()
        self.until(lambda: (self.metric('grpc_requests_duration_seconds_count{method="/grpc.health.v1.Health/Watch",code="CANCELLED"}') or 0)
                   >= 2)
        self.fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: list(watch(b"", timeout=0.05)))

    def test_unknown_methods(self):
        for path in ("/grpc.health.v1.Health/Nothing", "/no.Such/Method", "/x"):
            self.fails(grpc.StatusCode.UNIMPLEMENTED, lambda path=path: self.unary(path))

    def test_compression_is_refused(self):
        self.fails(grpc.StatusCode.UNIMPLEMENTED,
                   lambda: self.unary(HEALTH + "Check", field(1, b"x" * 100), compression=grpc.Compression.Gzip))
        self.assertEqual(self.unary(HEALTH + "Check"), SERVING)

    def test_large_messages(self):
        error = self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: self.unary(ENGINE + "StartInstance", bytes(5 << 20)))
        self.assertIn("message_bytes_max", error.details())
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, lambda: self.unary(ENGINE + "StartInstance", bytes(4 << 20)))

    def test_a_question_after_health_is_short(self):
        """It needs no secret, so it may not take memory from others."""
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, lambda: self.unary(HEALTH + "Check", bytes(4 << 10)))
        error = self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: self.unary(HEALTH + "Check", bytes((4 << 10) + 1)))
        self.assertIn("4096", error.details())

    def test_stopping_is_told(self):
        server = harness.Server(self.arguments)
        self.addCleanup(server.kill)
        call = self.dial(grpc_port(server)).unary_stream(HEALTH + "Watch")(b"", timeout=harness.PATIENCE)
        self.assertEqual(next(call), SERVING)
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(next(call), NOT_SERVING)
        self.fails(grpc.StatusCode.UNAVAILABLE, lambda: next(call))
        self.assertEqual(server.process.wait(harness.PATIENCE), 0)


class Reflection(Grpc):
    def test_services_are_listed(self):
        for version in ("v1", "v1alpha"):
            answer, = self.reflect(field(7, b"*"), version=version)
            names = [of(service, 1)[0] for service in of(of(answer, 6)[0], 1)]
            self.assertIn(b"grpc.health.v1.Health", names)
            self.assertIn(b"grpc.reflection.%s.ServerReflection" % version.encode(), names)

    def test_files_are_found(self):
        symbols = (b"grpc.health.v1.Health", b"grpc.health.v1.Health.Check", b"grpc.health.v1.HealthCheckResponse",
                   b"grpc.health.v1.HealthCheckResponse.ServingStatus")
        by_symbol = [of(answer, 4) for answer in self.reflect(*[field(4, symbol) for symbol in symbols])]
        self.assertEqual(by_symbol, [by_symbol[0]] * len(symbols))
        descriptor = of(by_symbol[0][0], 1)[0]
        name = of(descriptor, 1)[0]
        self.assertEqual(of(descriptor, 2), [b"grpc.health.v1"])
        answer, = self.reflect(field(3, name))
        self.assertEqual(of(answer, 4), by_symbol[0])

    def test_imports_come_along(self):
        answer, = self.reflect(field(4, b"workflow.v1.WorkflowEngine"))
        files = of(of(answer, 4)[0], 1)
        names = {of(file, 1)[0] for file in files}
        self.assertIn(b"google/protobuf/struct.proto", names)
        self.assertEqual(set(of(files[0], 3)) - names, set())

    def test_what_is_not_there(self):
        for message in (field(3, b"no.proto"), field(4, b"no.Such"), field(4, b"grpc.health.v1"), field(4, b""), field(6, b"x")):
            answer, = self.reflect(message)
            self.assertEqual(of(of(answer, 7)[0], 1), [grpc.StatusCode.NOT_FOUND.value[0]], message)
        answer, = self.reflect(b"")
        self.assertEqual(of(of(answer, 7)[0], 1), [grpc.StatusCode.INVALID_ARGUMENT.value[0]])
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, lambda: self.reflect(b"\xff"))


class Secret(Grpc):
    secret = tempfile.NamedTemporaryFile("w", suffix=".token")
    secret.write("s3cret\n")
    secret.flush()
    arguments = ("--grpc", "127.0.0.1:0", "--auth-token-file", secret.name)

    def test_the_secret_is_asked_for(self):
        self.assertEqual(self.unary(HEALTH + "Check"), SERVING)  # As /readyz.
        ask = [field(7, b"")]
        for metadata in ((), (("authorization", "Bearer wrong"),), (("authorization", "s3cret"),)):
            self.fails(grpc.StatusCode.UNAUTHENTICATED, lambda metadata=metadata: self.reflect(*ask, metadata=metadata))
        self.assertEqual(len(self.reflect(*ask, metadata=(("authorization", "Bearer s3cret"),))), 1)


class Encrypted(test_http2.Encrypted):
    """Beside HTTP/1.1 and HTTP/2, on the same port."""

    def test_alpn_chooses(self):
        with open(self.certificate, "rb") as file:
            credentials = grpc.ssl_channel_credentials(file.read())
        for address in (self.url[len("https://"):], f"127.0.0.1:{grpc_port(self)}"):
            with grpc.secure_channel(address, credentials) as channel:
                self.assertEqual(channel.unary_unary(HEALTH + "Check")(b"", timeout=harness.PATIENCE), SERVING)

    test_many_at_once = None


FROZEN = """
import sys, grpc
channel = grpc.insecure_channel(sys.argv[1])
calls = [channel.unary_stream("/grpc.health.v1.Health/Watch")(b"") for _ in range(20)]
for call in calls: next(call)
print("watching", flush=True)
sys.stdin.read()
"""


class Slow(Grpc):
    def test_a_slow_reader_holds_nobody(self):
        """Answers that nobody takes end the call, and no other one in the same connection."""
        many = self.channel.stream_stream(REFLECTION)(
            (field(4, b"workflow.v1.WorkflowEngine") for _ in range(2000)), timeout=harness.PATIENCE)
        for _ in range(20):
            self.assertEqual(self.unary(HEALTH + "Check"), SERVING)
        self.until(lambda: many.code() is not None if many.done() else False)
        self.assertEqual(many.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertEqual(self.unary(HEALTH + "Check"), SERVING)

    def test_a_frozen_client_holds_nobody(self):
        client = subprocess.Popen([sys.executable, "-c", FROZEN, f"127.0.0.1:{grpc_port(self.server)}"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.stdin.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        self.assertEqual(client.stdout.readline(), b"watching\n")
        os.kill(client.pid, signal.SIGSTOP)
        for _ in range(20):
            self.assertEqual(self.unary(HEALTH + "Check"), SERVING)


if __name__ == "__main__":
    del test_http2  # Its cases run by themselves.
    harness.main()
