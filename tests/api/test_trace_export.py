"""Spans that the engine sends by itself. Numbers are those of the requirements in docs/traces.md."""

import steps
from collector import spans_of
from exporting import ExportingCase
from functions import HANG_UP, Reply
from harness import PATIENCE, Client, Server, main


class Exporting(ExportingCase):
    def counted(self, name):
        return int(self.metric(f"pawl_trace_{name}_total"))

    def encodings(self):
        return {call.headers["Content-Encoding"] for call in self.collector.calls}

    # ---- what is sent ----

    def check_whole_run(self, type, **environment):
        self.serve(**environment)
        name = self.upload([steps.wait("w", "end"), steps.end()])
        run = self.start(name)["id"]
        self.assertEqual([span["name"] for span in self.spans([f"start {name}", "wait w"])], [f"start {name}", "wait w"])  # T26: while it goes on
        self.post(f"/v1/instances/{run}/signals/w", {})
        self.assertEqual(self.spans([f"end {name}"]), self.asked(run))
        self.assertEqual({call.headers["Content-Type"] for call in self.collector.to("/v1/traces")}, {type})
        self.assertTrue(all(call.method == "POST" for call in self.collector.calls))

    def test_protocol_buffers(self):
        """T23, T24, T26"""
        self.check_whole_run("application/x-protobuf")
        self.assertEqual(self.encodings(), {None})
        self.until(lambda: self.counted("spans") == len(self.collector.spans()))  # The collector has them before it answers.
        self.assertEqual(self.counted("messages"), len(self.collector.calls))

    def test_json(self):
        """T23, T24"""
        self.collector.answer("/v1/traces", Reply(200, {"partialSuccess": {}}))
        self.check_whole_run("application/json", OTEL_EXPORTER_OTLP_PROTOCOL="http/json", OTEL_EXPORTER_OTLP_COMPRESSION="gzip")
        self.assertEqual(self.encodings(), {"gzip"})

    def test_messages_to_other_machines_are_compressed(self):
        """T24"""
        self.collector.url = self.collector.url.replace("127.0.0.1", "0.0.0.0")  # It leads here, but is no loopback address.
        self.check_whole_run("application/x-protobuf")
        self.assertEqual(self.encodings(), {"gzip"})
        self.server.kill()
        self.serve(OTEL_EXPORTER_OTLP_COMPRESSION="none")
        self.run_once()
        self.until(lambda: None in self.encodings())

    def test_names_and_headers(self):
        """T25"""
        self.serve(OTEL_SERVICE_NAME="shop", OTEL_RESOURCE_ATTRIBUTES="deployment.environment=p%20q,service.name=other,a\"b=1", OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20x,x-a=b")
        run, name = self.run_once()
        span = self.spans([f"end {name}"])[0]
        self.assertEqual(span["resource"], {"service.name": "shop", "deployment.environment": "p q", "a\"b": "1"})
        self.assertEqual({(call.headers["Authorization"], call.headers["x-a"]) for call in self.collector.calls}, {("Bearer x", "b")})
        self.assertEqual(self.asked(run)[0]["resource"], span["resource"])

    def test_many_spans_go_out_in_messages_of_a_size(self):
        """T36"""
        self.serve(OTEL_BSP_MAX_EXPORT_BATCH_SIZE="7")
        names = [self.run_once()[1] for _ in range(9)]
        self.spans([f"end {name}" for name in names])
        sizes = [sum(len(scope["spans"]) for resource in message["resourceSpans"] for scope in resource["scopeSpans"]) for message in self.collector.messages()]
        self.assertLessEqual(max(sizes), 7)
        self.assertEqual(sum(sizes), 27)

    def test_tests_are_not_exported(self):
        """T34"""
        self.serve()
        name = self.upload([steps.end()])
        answer = self.post(f"/v1/definitions/{name}/instances", {"isTest": True})
        self.assertEqual(answer.status, 201, answer)
        _, other = self.run_once()
        self.assertEqual({span["attributes"]["workflow.name"] for span in self.spans([f"end {other}"])}, {other})

    # ---- which runs ----

    def test_failed_runs_are_exported_as_a_whole(self):
        """T27, T28"""
        self.serve("--trace-sample", "failed")
        kind = self.fresh("kind")
        name = self.upload([steps.wait("w", "a"), steps.service("a", "end", kind), steps.end()])
        well, fails = self.start(name)["id"], self.start(name)["id"]
        for run in (well, fails):
            self.post(f"/v1/instances/{run}/signals/w", {})
        for job in (self.take(kind, maxJobs=1), self.take(kind, maxJobs=1)):
            if job["instanceId"] == well:
                self.complete(job)
            else:
                self.fail_job(job)
        first = self.spans([f"end {name}"])
        self.assertEqual(first, self.asked(fails))
        self.post(f"/v1/instances/{fails}/retry", {})
        self.complete(self.take(kind))
        self.until(lambda: self.collector.spans() == self.asked(fails))

    def test_a_part(self):
        """T26"""
        self.serve("--trace-sample", "20%")
        runs = [self.run_once() for _ in range(60)]
        self.server.stop()
        taken = {span["trace"] for span in self.collector.spans()}
        self.assertGreater(len(taken), 0)
        self.assertLess(len(taken), 40)
        for trace in taken:  # Each as a whole.
            self.assertEqual(len([span for span in self.collector.spans() if span["trace"] == trace]), 3)
        self.assertEqual(len(runs), 60)

    def test_nothing_is_exported_without_a_collector(self):
        server = Server((), environment={"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": self.collector.url})
        self.addCleanup(server.kill)
        client = Client(server)
        self.assertNotIn("pawl_trace_", client.get("/metrics").body.decode())
        client.close()
        server.stop()
        self.assertEqual(self.collector.calls, [])

    # ---- restarts ----

    def test_a_restart_goes_on_where_it_was(self):
        """T30"""
        self.serve()
        name = self.upload([steps.wait("w", "end"), steps.end()])
        run = self.start(name)["id"]
        before = self.spans(["wait w"])
        self.server.kill()
        self.serve()
        self.post(f"/v1/instances/{run}/signals/w", {})
        spans = self.spans([f"end {name}"])
        self.assertEqual(spans, self.asked(run))
        self.assertEqual(spans[:len(before)], before)

    def test_what_is_left_goes_out_at_the_end(self):
        """T35"""
        self.serve(OTEL_BSP_SCHEDULE_DELAY="3600000")
        _, name = self.run_once()
        self.assertEqual(self.collector.calls, [])
        self.server.stop()
        self.assertIn(f"end {name}", [span["name"] for span in self.collector.spans()])

    # ---- collectors that do not do what they should ----

    def check_later(self, *answers, **environment):
        """The collector answers so at first, and takes the same message in the end, once."""
        self.collector.answer("/v1/traces", *answers, Reply(200, b"", "application/x-protobuf"))
        self.serve(**environment)
        run, name = self.run_once()
        self.collector.wait("/v1/traces", len(answers) + 1)
        self.until(lambda: self.counted("spans") == 3)
        self.assertEqual(self.counted("failures"), len(answers))
        bodies = {call.body for call in self.collector.calls}
        self.assertEqual(len(bodies), 1)
        self.assertIn("a collector does not take spans; they are sent later", self.server.log())
        self.assertIn("a collector takes spans again", self.server.log())
        spans = self.collector.spans()
        self.assertEqual(self.asked(run), spans[:3])

    def test_a_collector_that_is_busy(self):
        """T31"""
        self.check_later(Reply(429, "slow down", headers={"Retry-After": "1"}))

    def test_a_collector_that_hangs_up(self):
        """T31"""
        self.check_later(HANG_UP)

    def test_a_collector_that_hangs(self):
        """T31, T32, T35: the engine works on, and the spans of all that happened meanwhile come later."""
        self.collector.hold("/v1/traces")
        self.serve(OTEL_EXPORTER_OTLP_TIMEOUT="300")
        names = [self.run_once()[1]]
        self.collector.wait("/v1/traces", 1)
        for _ in range(20):
            names.append(self.run_once()[1])
        self.until(lambda: self.counted("failures") >= 1)
        self.assertEqual(self.counted("runs_dropped"), 0)
        self.collector.release("/v1/traces")
        self.spans([f"end {name}" for name in names])

    def test_a_collector_that_hangs_at_the_end(self):
        """T35"""
        self.collector.hold("/v1/traces")
        self.serve(OTEL_EXPORTER_OTLP_TIMEOUT="3600000")
        self.run_once()
        self.collector.wait("/v1/traces", 1)
        self.server.stop()

    def test_a_collector_that_refuses(self):
        """T31"""
        self.collector.answer("/v1/traces", Reply(400, "no\nway"))
        self.serve()
        self.run_once()
        self.until(lambda: self.counted("spans_refused") == 3)
        self.assertEqual((self.counted("spans"), len(self.collector.calls)), (0, 1))
        self.assertRegex(self.server.log(), "a collector has refused spans.*it answered 400: no way")

    def test_a_collector_that_takes_some(self):
        """T31"""
        self.collector.answer("/v1/traces", Reply(200, bytes([0x0a, 0x04, 0x08, 0x02, 0x12, 0x00]), "application/x-protobuf"))
        self.serve()
        self.run_once()
        self.until(lambda: self.counted("spans_refused") == 2)
        self.assertEqual(self.counted("spans"), 1)

    def test_a_collector_that_talks_rubbish(self):
        """T31"""
        self.collector.answer("/v1/traces", Reply(200, b"\xff" * 1000, "text/plain"))
        self.serve()
        self.run_once()
        self.until(lambda: self.counted("spans") == 3)
        self.assertIn("the answer of a collector cannot be read", self.server.log())

    def test_no_room(self):
        """T33"""
        self.collector.hold("/v1/traces")
        self.serve(OTEL_BSP_MAX_QUEUE_SIZE="4")
        self.run_once()
        self.collector.wait("/v1/traces", 1)
        for _ in range(20):
            self.run_once()
        self.until(lambda: self.counted("runs_dropped") > 0)
        self.assertLessEqual(self.counted("runs_dropped"), 20)

    def test_what_is_sent_and_what_is_dropped_is_all(self):
        """T33, T37: the engine works on while a collector hangs, and each run is exported or counted."""
        count = 150
        self.collector.hold("/v1/traces")
        self.serve(OTEL_BSP_MAX_QUEUE_SIZE="16", OTEL_EXPORTER_OTLP_TIMEOUT="3600000")
        name = self.upload([steps.end()])
        self.start(name, wait=PATIENCE)
        self.collector.wait("/v1/traces", 1)
        for _ in range(count):
            self.assertEqual(self.start(name, wait=PATIENCE)["status"], "COMPLETED")
        self.until(lambda: self.counted("runs_dropped") > 0)
        self.collector.release("/v1/traces")
        self.until(lambda: sum(span["name"] == f"end {name}" for span in self.collector.spans()) + self.counted("runs_dropped") == count + 1)
        self.assertGreaterEqual(sum(span["name"] == f"end {name}" for span in self.collector.spans()), 16)
        self.start(name, wait=PATIENCE)  # It goes on.
        self.until(lambda: sum(span["name"] == f"end {name}" for span in self.collector.spans()) + self.counted("runs_dropped") == count + 2)

    # ---- settings ----

    def test_wrong_settings(self):
        """T25, T27"""
        self.check_refused("--otlp", "--otlp", "collector:4318")
        self.check_refused("OTEL_EXPORTER_OTLP_PROTOCOL.*grpc", OTEL_EXPORTER_OTLP_PROTOCOL="grpc")
        self.check_refused("OTEL_EXPORTER_OTLP_COMPRESSION", OTEL_EXPORTER_OTLP_COMPRESSION="zstd")
        self.check_refused("OTEL_EXPORTER_OTLP_TIMEOUT", OTEL_EXPORTER_OTLP_TIMEOUT="soon")
        self.check_refused("OTEL_EXPORTER_OTLP_HEADERS: item 2", OTEL_EXPORTER_OTLP_HEADERS="a=b,c")
        self.check_refused("OTEL_EXPORTER_OTLP_HEADERS: item 1", OTEL_EXPORTER_OTLP_HEADERS="a=b%0d%0aX: y")
        self.check_refused("OTEL_BSP_MAX_QUEUE_SIZE", OTEL_BSP_MAX_QUEUE_SIZE="1048577")
        self.check_refused("OTEL_SDK_DISABLED", OTEL_SDK_DISABLED="perhaps")
        self.check_refused("OTEL_TRACES_EXPORTER", OTEL_TRACES_EXPORTER="zipkin")
        self.check_refused("--trace-sample", "--trace-sample", "often")

    def test_variables_without_effect_are_told(self):
        """T25"""
        self.serve(OTEL_TRACES_SAMPLER="always_on")
        self.assertRegex(self.server.log(), "a variable of the environment is no setting, and has no effect.*OTEL_TRACES_SAMPLER")
        self.assertNotIn("OTEL_BSP_SCHEDULE_DELAY", self.server.log())


if __name__ == "__main__":
    main()
