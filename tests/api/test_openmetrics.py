"""/metrics as OpenMetrics, with exemplars; and as plain text, which stays what it was."""

import re

import steps
from harness import PATIENCE, Case, main, needs_one_node

OPEN = "application/openmetrics-text; version=1.0.0"
PROMETHEUS = f"{OPEN};q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
LABELS = r'\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:,|(?=\})))*\}'
NUMBER = r'[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Inf)'
SAMPLE = re.compile(rf'([a-zA-Z_:][\w:]*)({LABELS})? ({NUMBER})(?: # ({LABELS}) ({NUMBER}) ({NUMBER}))?')
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count"), "info": ("_info",), "unknown": ("",)}
TRACE = "0af7651916cd43dd8448eb211c80319c"


def parse(text):
    """Checks the page by the rules of the format. Exemplars: {(family, labels): (trace, value, time)}."""
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""] and lines.count("# EOF") == 1, lines[-3:]
    families, samples, exemplars, current = {}, set(), {}, None
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            _, _, current, type = line.split(" ")
            assert current not in families, f"{current} comes twice"
            families[current] = type
            counts = {}
        elif line.startswith("# HELP "):
            assert line.split(" ")[2] == current, line
            assert re.fullmatch(r'(?:[^"\\]|\\["\\n])*', line.split(" ", 3)[3]), line
        else:
            found = SAMPLE.fullmatch(line)
            assert found, line
            name, labels, value, exemplar, exact, at = found.groups()
            type = families[current]
            assert name in {current + suffix for suffix in SUFFIXES[type]}, (name, current, type)
            assert (name, labels) not in samples, line
            samples.add((name, labels))
            if name.endswith("_bucket"):
                le = re.search(r'le="([^"]*)"', labels).group(1)
                assert le == "+Inf" or "." in le or "e" in le, line
                series, bound = re.sub(r',?le="[^"]*"', "", labels), float(le)
                below, count = counts.get(series, (float("-inf"), 0))
                assert bound > below and float(value) >= count, line
                counts[series] = (bound, float(value))
                if exemplar:
                    assert below < float(exact) <= bound and float(value) > count, line
                    exemplars[current, series] = (re.fullmatch(r'\{trace_id="([0-9a-f]{32})"\}', exemplar).group(1), float(exact), float(at))
            else:
                assert not exemplar, line
    return families, samples, exemplars


class OpenMetrics(Case):
    def page(self, accept=None):
        answer = self.get("/metrics", {"Accept": accept} if accept else None)
        self.assertEqual(answer.status, 200)
        return answer.headers["Content-Type"], answer.body.decode()

    @needs_one_node
    def test_a_page_is_valid_and_has_the_traces_of_runs(self):
        name = self.upload([steps.end()])
        run = self.start(name, wait=PATIENCE)["id"]
        self.get(f"/v1/instances/{run}", {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"})
        type, text = self.page(PROMETHEUS)
        self.assertEqual(type, "application/openmetrics-text; version=1.0.0; charset=utf-8")
        families, samples, exemplars = parse(text)
        self.assertEqual((families["pawl_definition_started"], families["pawl_build"], families["http_requests_duration_seconds"]), ("counter", "info", "histogram"))
        found = {labels: exemplar for (family, labels), exemplar in exemplars.items() if family == "pawl_definition_duration_seconds" and f'"{name}"' in labels}
        (trace, took, at), = found.values()
        shown = self.get(f"/api/instances/{run}").json
        spans = self.get(f"/api/runs/{run}/trace").json["resourceSpans"][0]["scopeSpans"][0]["spans"]
        self.assertEqual({trace}, {span["traceId"] for span in spans})
        self.assertAlmostEqual(took, shown["tookMs"] / 1000)
        self.assertIn(TRACE, [trace for (family, _), (trace, _, _) in exemplars.items() if family == "http_requests_duration_seconds"])

    @needs_one_node
    def test_plain_text_stays_what_it_was(self):
        self.start(self.upload([steps.end()]), wait=PATIENCE)
        for accept in (None, "text/plain", "*/*", f"{OPEN};q=0.3,text/plain;q=0.4", f"{OPEN};q=0", "application/openmetrics-text; version=0.0.1"):
            type, text = self.page(accept)
            self.assertEqual(type, "text/plain; version=0.0.4; charset=utf-8", accept)
            self.assertNotIn("# EOF", text)
            self.assertNotIn("trace_id", text)
            self.assertEqual(text[:7], "# HELP ")
        plain = {line.rsplit(" ", 1)[0] for line in text.splitlines() if not line.startswith("#")}
        _, samples, _ = parse(self.page("application/openmetrics-text")[1])
        opened = {re.sub(r'le="(\d+)\.0"', r'le="\1"', name + (labels or "")) for name, labels in samples}
        self.assertEqual({line for line in opened ^ plain if "/metrics" not in line}, set(), "Both have the same series.")


if __name__ == "__main__":
    main()
