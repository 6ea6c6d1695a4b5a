"""Metrics that the engine pushes to a collector of OpenTelemetry. docs/operations.md says how."""

import gzip
import re

import steps
from collector import attributes, message_of
from exporting import ExportingCase
from functions import HANG_UP, Reply
from harness import main

from google.protobuf import json_format

PATH = "/v1/metrics"
SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def points_of(call):
    """{name: (kind, points)} of a message; the points as dicts of OTLP's JSON form."""
    assert call.headers["Content-Type"] == "application/x-protobuf"
    body = gzip.decompress(call.body) if call.headers.get("Content-Encoding") == "gzip" else call.body
    resource, = json_format.MessageToDict(message_of("ExportMetricsServiceRequest", body), use_integers_for_enums=True)["resourceMetrics"]
    scope, = resource["scopeMetrics"]
    assert scope["scope"]["name"] == "pawl"
    found = {}
    for metric in scope["metrics"]:
        kind, = {"sum", "gauge", "histogram"} & set(metric)
        assert metric["name"] not in found, "a metric comes once"
        assert kind == "gauge" or metric[kind]["aggregationTemporality"] == 2
        assert kind != "sum" or metric[kind]["isMonotonic"]
        found[metric["name"]] = (kind, metric[kind]["dataPoints"])
    return found, attributes(resource["resource"]["attributes"])


def families_of(page):
    """{name: (type, number of series)} of a page in the format of Prometheus."""
    types, series = {}, {}
    for line in page.splitlines():
        if line.startswith("# TYPE "):
            types[line.split()[2]] = line.split()[3]
        elif not line.startswith("#"):
            name, labels, _ = SAMPLE.match(line).groups()
            family = name if name in types else re.sub("_(bucket|sum|count)$", "", name)
            series.setdefault(family, set()).add(frozenset(pair for pair in LABEL.findall(labels or "") if pair[0] != "le"))
    return {name: (types[name], len(found)) for name, found in series.items()}


class Pushing(ExportingCase):
    def setUp(self):
        super().setUp()
        self.collector.answer(PATH, Reply(200, b"", "application/x-protobuf"))

    def push(self, *arguments, **environment):
        self.serve("--metrics-push", "on", "--metrics-push-every", "PT0.1S", *arguments, **environment)

    def pushed(self, name):
        return int(self.metric(f"pawl_metrics_push_{name}_total"))

    def test_a_collector_gets_what_a_scraper_gets(self):
        self.push(OTEL_SERVICE_NAME="shop", OTEL_EXPORTER_OTLP_HEADERS="x-a=b")
        self.run_once()
        odd = 'odd"\\ type'
        self.start(self.upload([steps.service("s", "end", odd), steps.end()]))
        self.until(lambda: any("pawl_metrics_push_points_total" in points_of(call)[0] and "http_requests_duration_seconds" in points_of(call)[0] for call in self.collector.to(PATH)[-1:]))
        before = len(self.collector.to(PATH))
        page = families_of(self.get("/metrics").body.decode())
        self.collector.wait(PATH, before + 2)
        call = self.collector.to(PATH)[before + 1]
        metrics, resource = points_of(call)
        self.assertEqual((resource["service.name"], call.headers["x-a"]), ("shop", "b"))
        kinds = {"counter": "sum", "gauge": "gauge", "histogram": "histogram"}
        self.assertEqual({name: kind for name, (kind, _) in metrics.items()}, {name: kinds[type] for name, (type, _) in page.items()})
        for name, (_, count) in page.items():
            if name != "http_requests_duration_seconds":  # The scrape itself is a new series.
                self.assertEqual(len(metrics[name][1]), count, name)
        self.assertIn(odd, [attributes(point["attributes"])["type"] for point in metrics["pawl_job_type_ready"][1]])
        took, = (point for point in metrics["pawl_definition_duration_seconds"][1] if point.get("count"))
        self.assertEqual((took["count"], sum(map(int, took["bucketCounts"])), len(took["bucketCounts"])), ("1", 1, len(took["explicitBounds"]) + 1))
        self.assertLess(int(took["startTimeUnixNano"]), int(took["timeUnixNano"]))
        self.until(lambda: self.pushed("messages") >= 2)
        self.assertGreater(self.pushed("points"), 100)

    def test_only_messages_to_other_machines_are_compressed(self):
        for url, encoding in ((self.collector.url, None), (self.collector.url.replace("127.0.0.1", "0.0.0.0"), "gzip")):  # It leads here, but is no loopback address.
            self.collector.url = url
            before = len(self.collector.to(PATH))
            self.push()
            self.collector.wait(PATH, before + 1)
            self.assertEqual(self.collector.to(PATH)[-1].headers["Content-Encoding"], encoding)
            self.server.kill()

    def check_later(self, *answers):
        self.collector.answer(PATH, *answers, Reply(200, b"", "application/x-protobuf"))
        self.push()
        self.until(lambda: self.pushed("messages") >= 1)
        self.assertGreaterEqual(self.pushed("failures"), len(answers))
        self.assertIn("a collector does not take metrics; newer ones are sent later", self.server.log())
        self.assertIn("a collector takes metrics again", self.server.log())

    def test_a_collector_that_is_busy(self):
        self.check_later(Reply(429, "slow down", headers={"Retry-After": "1"}))

    def test_a_collector_that_hangs_up(self):
        self.check_later(HANG_UP)

    def test_a_collector_that_hangs_costs_nothing(self):
        self.collector.hold(PATH)
        self.push(OTEL_EXPORTER_OTLP_METRICS_TIMEOUT="3600000")
        self.collector.wait(PATH, 1)
        self.run_once()
        self.until(lambda: self.pushed("dropped") >= 2)
        self.assertEqual((len(self.collector.to(PATH)), self.pushed("messages")), (1, 0), "One is on its way, one waits, the others are forgotten.")
        self.server.stop()  # It does not wait for the collector.

    def test_a_collector_that_refuses_or_talks_rubbish(self):
        self.collector.answer(PATH, Reply(400, "no\nway"), Reply(200, b"\xff" * 1000, "text/plain"), Reply(200, bytes([0x0a, 0x04, 0x08, 0x02, 0x12, 0x00]), "application/x-protobuf"), Reply(200, b""))
        self.push()
        self.until(lambda: self.pushed("messages") >= 3)
        self.assertEqual(self.pushed("failures"), 1)
        self.assertGreater(self.pushed("refused"), 100)
        self.assertRegex(self.server.log(), "a collector has refused metrics.*it answered 400: no way")
        self.assertIn("the answer of a collector cannot be read", self.server.log())

    def test_it_is_off_unless_it_is_asked_for(self):
        self.serve()
        self.run_once()
        self.assertNotIn("pawl_metrics_push", self.get("/metrics").body.decode())

    def test_wrong_settings(self):
        self.check_refused("--metrics-push on needs a collector", "--metrics-push", "on")
        self.check_refused("--metrics-push", "--metrics-push", "collector:4318")
        self.check_refused("--metrics-push-every is from", "--metrics-push", "http://c:1", "--metrics-push-every", "2d")
        self.check_refused("--metrics-push-every goes with --metrics-push", "--metrics-push-every", "5s")
        self.check_refused("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "--metrics-push", "http://c:1", OTEL_EXPORTER_OTLP_METRICS_PROTOCOL="http/json")
        self.check_refused("OTEL_METRICS_EXPORTER", "--metrics-push", "http://c:1", OTEL_METRICS_EXPORTER="prometheus")
        self.check_refused("--trace-url", "--trace-url", "https://tempo.example/t")
        self.check_refused("--trace-url", "--trace-url", "javascript:{trace}")

    def test_a_run_leads_to_its_trace(self):
        self.serve("--trace-url", "https://tempo.example/t/{trace}?from=pawl")
        run, _ = self.run_once()
        trace, = {span["trace"] for span in self.asked(run)}
        self.assertEqual(self.get(f"/api/instances/{run}").json["traceUrl"], f"https://tempo.example/t/{trace}?from=pawl")


if __name__ == "__main__":
    main()
