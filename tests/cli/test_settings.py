"""Settings of `pawl serve`: each one has an effect, and one that does not exist is refused or warned about.

The tables name for each option and each limit the test that shows its effect, as file:function or file:class. A new
setting that is in no table fails here, and so does one whose test does not name it any more.
"""

import pathlib
import re
import unittest

from program import ROOT, Case, needs_file

OPTIONS = {
    "listen": "cli/program.py:Serving",
    "grpc": "api/test_grpc.py:Grpc",
    "data": "cli/test_settings.py:test_how_long_instances_are_kept",
    "store": "cli/test_online.py:test_a_store_in_memory_forgets",
    "auth-token-file": "api/test_auth.py:Tokens",
    "users": "api/test_access.py:FirstAdmin",
    "access-file": "api/test_access.py:Networks",
    "trust-network": "api/test_access.py:Networks",
    "trust-certificate": "api/test_certificates.py:Certificates",
    "tls-client-ca": "api/test_certificates.py:Certificates",
    "proxy": "api/test_access.py:Networks",
    "public-url": "api/test_access.py:Networks",
    "host": "api/test_http.py:Origins",
    "cors-origin": "api/test_http.py:Origins",
    "context-path": "api/test_entities.py:Settings",
    "compute-wait": "api/test_members.py:Replaced",
    "log-file": "api/test_reload.py:Reload",
    "hooks-at-root": "api/test_hooks.py:test_hooks_at_the_root",
    "mcp": "api/test_mcp.py:Agent",
    "secrets-key": "api/test_secrets.py:Files",
    "secret": "cli/test_secrets.py:test_given_secrets_win_in_a_fixed_order",
    "files": "abuse/test_stop.py:test_a_broker_whose_certificates_are_a_pipe",
    "smtp": "api/test_email.py:Engine",
    "tls-cert": "api/test_http2.py:Encrypted",
    "tls-key": "api/test_http2.py:Encrypted",
    "retention": "cli/test_settings.py:test_how_long_instances_are_kept",
    "retention-failed": "cli/test_settings.py:test_how_long_instances_are_kept",
    "audit-file": "api/test_access_audit.py:AuditRows",
    "retention-audit": "cli/test_settings.py:test_how_long_instances_are_kept",
    "lease": "api/test_jobs.py:DefaultLease",
    "limit": "api/test_limits.py:limits",
    "log-level": "cli/test_settings.py:test_how_much_is_logged",
    "log-format": "api/test_logs.py:Forms",
    "allow-private-calls": "api/test_email.py:Engine",
    "otlp": "api/test_trace_export.py:Exporting",
    "trace-sample": "api/test_trace_export.py:Exporting",
    "trace-url": "api/test_metrics_push.py:test_a_run_leads_to_its_trace",
    "metrics-push": "api/test_metrics_push.py:Pushing",
    "metrics-push-every": "api/test_metrics_push.py:Pushing",
    "demo": "cli/test_online.py:Demo",
    "config": "cli/test_online.py:test_a_configuration_file_is_read",
}

LIMITS = {
    "body_bytes_max": "api/test_limits.py:Lowered",
    "entity_body_bytes_max": "api/test_limits.py:Entities",
    "hook_body_bytes_max": "api/test_limits.py:Webhooks",
    "requests_bytes_max": "abuse/test_bodies.py:test_bodies_that_do_not_end_have_a_bound",
    "strangers_bytes_max": "unit/net/test_peers.c:narrow",
    "answer_bytes_max": "api/test_entity_reads.py:LargePages",
    "answers_bytes_max": "abuse/test_answers.py:test_clients_that_do_not_read",
    "header_bytes_max": "unit/net/test_server_limits.c:heads_and_bodies_have_limits",
    "header_count_max": "api/test_limits.py:Lowered",
    "connections_max": "api/test_http.py:Crowded",
    "header_timeout_ms": "abuse/test_strangers.py:TimeOuts",
    "body_timeout_ms": "unit/net/test_server_limits.c:slow_senders_are_dropped",
    "idle_timeout_ms": "unit/net/test_server_limits.c:idle_connections_are_closed_silently",
    "write_timeout_ms": "unit/net/test_server_limits.c:who_never_reads_an_answer_is_closed",
    "pipeline_max": "unit/net/test_server.c:more_requests_than_may_be_in_flight_wait",
    "streams_max": "unit/net/test_http2.c:streams_have_a_limit",
    "message_bytes_max": "api/test_grpc.py:test_large_messages",
    "member_keep_alive_ms": "api/test_members.py:Silence",
    "member_silence_ms": "api/test_members.py:Silence",
    "queue_calls_max": "api/test_limits.py:Overload",
    "long_reads_max": "unit/runtime/test_search.c:only_so_many_long_reads_are_under_way",
    "batch_calls_max": "api/test_limits.py:Alone",
    "variables_bytes_max": "api/test_limits.py:Lowered",
    "turn_fuel_max": "unit/runtime/test_arrive.c:triggers_are_listed_in_as_many_turns_as_it_takes",
    "turn_bytes_max": "unit/runtime/test_turns.c:the_memory_of_a_turn_divides_a_batch",
    "state_visits_max": "api/test_entities.py:Settings",
    "share_calls_max": "unit/runtime/test_turns.c:too_many_calls_for_one_definition_are_refused",
    "visits_max": "api/test_limits.py:Lowered",
    "step_bytes_max": "unit/core/test_nodes.c:a_command_that_needs_too_much_memory_is_stopped",
    "fuel_max": "unit/core/test_nodes.c:an_expression_that_burns_its_fuel_fails_the_step",
    "command_fuel_max": "unit/core/test_nodes.c:the_expressions_of_a_command_share_one_budget",
    "handled_errors_max": "unit/core/test_regions.c:a_handler_that_leads_back_to_the_error_is_stopped",
    "mailbox_events_max": "cli/test_workflows.py:test_a_full_mailbox_is_for_later",
    "mailbox_bytes_max": "unit/core/test_stuck.c:an_event_is_refused_when_the_bytes_are_used_up",
    "lock_waiters_max": "api/test_locks.py:Short",
    "event_instances_max": "unit/runtime/test_events.c:too_many_instances_are_none",
    "family_depth_max": "unit/runtime/test_children.c:a_family_may_be_only_so_deep",
    "family_starts_max": "unit/runtime/test_children.c:a_family_may_start_only_so_many_in_a_day",
    "strict_paths": "unit/core/test_regions.c:a_filter_that_selects_nothing_is_a_warning_or_an_error",
    "wait_seconds_max": "api/test_limits.py:Lowered",
    "lease_seconds_max": "api/test_limits.py:Lowered",
    "jobs_per_poll_max": "api/test_limits.py:Lowered",
    "polls_bytes_max": "unit/runtime/test_queues.c:polls_that_wait_have_a_budget",
    "batch_items_max": "api/test_limits.py:Lowered",
    "page_size_max": "api/test_limits.py:Lowered",
    "cache_bytes_max": "unit/runtime/test_bulk.c:an_instance_that_cannot_be_read_does_not_keep_the_others",
    "programs_bytes_max": "unit/runtime/test_catalogue.c:the_threads_share_the_room_for_programs",
    "bulk_instances_max": "unit/runtime/test_bulk.c:only_so_many_go_on_and_are_kept",
    "bulk_turn_max": "abuse/test_bulk.py:Crowd",
    "bulks_running_max": "unit/runtime/test_bulk.c:only_so_many_go_on_and_are_kept",
    "bulks_kept_max": "unit/runtime/test_bulk.c:only_so_many_go_on_and_are_kept",
    "arrivals_kept_max": "unit/runtime/test_arrive.c:only_the_newest_records_are_kept",
    "secrets_max": "unit/runtime/test_secrets.c:there_is_a_most_of_secrets",
    "idempotency_hours": "unit/runtime/test_events.c:an_event_is_forgotten_after_its_time",
}


def body_of(place):
    """The text of a function or class of a test file; empty if there is none."""
    file, name = place.split(":")
    text = (pathlib.Path(ROOT) / "tests" / file).read_text(encoding="utf-8")
    if file.endswith(".c"):
        found = re.search(rf"^static [^\n;]*\b{name}\([^;]*?\)\s*\{{.*?^\}}|^static [^\n;]*\b{name}\([^;]*?\) \{{[^\n]*\}}$", text, re.M | re.S)
        return found[0] if found else ""
    found = re.search(rf"^( *)(?:def|class) {name}\b.*?(?=^\1(?:def|class|@)|^\S|\Z)", text, re.M | re.S)
    return found[0] if found else ""


class Shown(Case):
    """Every setting that `pawl serve --help` lists is in a table."""

    def setUp(self):
        super().setUp()
        self.help = self.run_pawl("serve", "--help").out

    def check(self, table, listed, mention):
        self.assertEqual(set(table), set(listed))
        for name, place in table.items():
            with self.subTest(name):
                self.assertRegex(body_of(place), mention(name), place)

    def test_options(self):
        options = self.help.split("\nLimits\n")[0]
        self.check(OPTIONS, re.findall(r"^  (?:-\w, |    )--([\w-]+)", options, re.M), lambda name: rf"--{name}\b(?!-)")

    def test_limits(self):
        limits = self.help.split("\nLimits\n")[1].split("\n\n")[0]
        self.check(LIMITS, re.findall(r"^  ([a-z_]+) ", limits, re.M), lambda name: rf"\b{name}\b")


class Effects(Case):
    @needs_file
    def test_how_long_instances_are_kept(self):
        """An engine that starts looks at once for what is too old."""
        ended = '{"id": "%s", "name": "n", "steps": [{"id": "t", "name": "t", "type": "TRANSFORMATION", "transformations": {"a": "${%s}"}, "nextStep": "e"}, {"id": "e", "name": "e", "type": "END"}]}'
        files = [self.file("good.json", ended % ("good", "1 + 1")), self.file("bad.json", ended % ("bad", "1 / 0"))]
        serving = self.serve()
        self.run_pawl("deploy", *files, PAWL_SERVER=serving.url)
        for name in ("good", "bad"):
            self.run_pawl("start", name, PAWL_SERVER=serving.url)
        kept = {("good", "bad"): ("--retention", "1h", "--retention-failed", "1h"), ("bad",): ("--retention", "1s"), (): ("--retention-failed", "1s", "--retention-audit", "1s")}
        for left, settings in kept.items():
            serving.stop()
            serving = self.serve("--data", serving.data, *settings)
            self.until_left(serving, left)
            rows = self.run_pawl("audit", PAWL_SERVER=serving.url).out
            self.assertEqual("definition.deploy" in rows, left != (), rows)

    def until_left(self, serving, left):
        listed = None
        for _ in range(10000):
            listed = self.run_pawl("ps", "--json", PAWL_SERVER=serving.url).out
            if all((f'"{name}"' in listed) == (name in left) for name in ("good", "bad")):
                return
        self.fail(f"{left} were to be left: {listed}")

    def test_how_much_is_logged(self):
        for level, logged in (("debug", True), ("info", False)):
            serving = self.serve("--log-level", level, "--store", "memory")
            for _ in range(2):  # A line may come after the answer, and comes before the next one.
                self.run_pawl("ps", PAWL_SERVER=serving.url)
            self.assertEqual('"event":"request"' in serving.log(), logged, level)


class Unknown(Case):
    def refused(self, *arguments, **settings):
        return self.run_pawl("serve", "--listen", "127.0.0.1:0", "--store", "memory", *arguments, code=2, **settings).err

    def test_options_keys_and_limits_are_refused(self):
        self.assertIn("unknown option --retension", self.refused("--retension", "1d"))
        self.assertIn('no limit "body_bytes"', self.refused("--limit", "body_bytes=1"))
        self.assertIn('no limit "body_bytes"', self.refused(PAWL_LIMITS="body_bytes=1"))
        self.assertIn('unknown key "retension"; did you mean retention?', self.refused("--config", self.file("pawl.conf", "retension = 1d\n")))

    def test_variables_are_warned_about(self):
        log = self.serve(PAWL_RETENSION="30d", PAWL_SERVICE_HOST="10.0.0.1", PAWL_PORT_8080_TCP="x", PAWL_SECRET_API_KEY="y").log()
        lines = [line for line in log.splitlines() if "is no setting" in line and "PAWL_TEST_" not in line]
        self.assertEqual(len(lines), 1, log)
        self.assertIn('"variable":"PAWL_RETENSION","meant":"PAWL_RETENTION"', lines[0])


if __name__ == "__main__":
    unittest.main()
