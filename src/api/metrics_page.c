/* api/metrics_page.c — /metrics, in the text format of Prometheus.
 *
 * The engine's numbers come from the runtime. This file measures requests: one histogram for every
 * route, method and status that occurred.
 */
#include "api/access/access_int.h"
#include "api/answer_int.h"
#include "api/metrics_int.h"
#include "api/grpc/services_int.h"
#include "api/forwarding/forwarding_int.h"
#include "api/request_int.h"
#include "api/route_int.h"

#include "base/clock.h"
#include "base/must.h"
#include "compute/compute.h"
#include "telemetry/spans.h"
#include "runtime/arrivals/arrivals.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* The last request of a bucket that was a part of a trace. */
struct request_exemplar {
    char trace[TRACE_CHARS]; /* Hexadecimal digits; a NUL at the beginning: there is none. */
    int64_t took_us, at_ms;
};

struct series {
    const struct api_route *route; /* NULL: no such path. */
    const char *method;
    int http_status;
    struct histogram took;
    struct request_exemplar exemplar[HISTOGRAM_BUCKETS + 1];
};

struct call_series {
    const struct grpc_method *method; /* NULL: no such method. */
    enum grpc_status code;
    struct histogram took;
};

/* ---- requests ---- */

/* Only these become labels: a client must not be able to make new ones. The last is for all others. */
static const str methods[] = { STR_INIT("POST"),  STR_INIT("GET"),  STR_INIT("PUT"),     STR_INIT("DELETE"),
                               STR_INIT("PATCH"), STR_INIT("HEAD"), STR_INIT("OPTIONS"), STR_INIT("other") };

static size_t method_number(str method)
{
    size_t i = 0;
    while (i < COUNT(methods) - 1 && !str_equal(method, methods[i])) i++;
    return i;
}

/* The id of a W3C trace: 00-TRACE-SPAN-FLAGS. */
static void note_trace(struct request_exemplar *exemplar, str parent, int64_t took_us)
{
    enum { VERSION_CHARS = 3, SPAN_CHARS = 16, FLAGS_CHARS = 2 };
    struct clock clock = clock_system();
    bool right = parent.n == VERSION_CHARS + TRACE_CHARS + 1 + SPAN_CHARS + 1 + FLAGS_CHARS &&
                 str_starts(parent, STR("00-")) && parent.p[VERSION_CHARS + TRACE_CHARS] == '-';
    bool is_zero = true;
    for (size_t i = 0; right && i < TRACE_CHARS; i++) {
        char c = parent.p[VERSION_CHARS + i];
        right = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        is_zero &= c == '0';
    }
    if (!right || is_zero) return;
    memcpy(exemplar->trace, parent.p + VERSION_CHARS, TRACE_CHARS);
    exemplar->took_us = took_us > 0 ? took_us : 0;
    exemplar->at_ms = clock_now_ms(&clock);
}

void metrics_observe(struct api *api, const struct api_request *request, const struct http_request *http,
                     int64_t took_us)
{
    str method = http->method;
    int http_status = http->status;
    size_t number = method_number(method);
    uint64_t key =
        ((request ? request->route_number : 0) * COUNT(methods) + number) * 1000 + (uint64_t)http_status;
    struct series *series = map_get(&api->series, key);
    if (!series) {
        series = calloc(1, sizeof *series);
        must(series);
        series->route = request ? request->route : NULL;
        series->method = methods[number].p;
        series->http_status = http_status;
        map_put(&api->series, key, series);
    }
    metric_observe(&series->took, took_us);
    note_trace(&series->exemplar[metric_bucket(took_us)], http_header(http, STR("traceparent")), took_us);
}

/* Methods are rows of tables, so the bytes behind the first of a row's are nobody else's: codes find room
 * there. */
void metrics_observe_call(struct api *api, const struct grpc_call *call, int64_t took_us)
{
    _Static_assert(sizeof(struct grpc_method) > GRPC_STATUS_COUNT, "each method and code has a key");
    uint64_t key = (uint64_t)(uintptr_t)call->method + (uint64_t)call->code;
    struct call_series *series = map_get(&api->calls, key);
    if (!series) {
        series = calloc(1, sizeof *series);
        must(series);
        series->method = call->method;
        series->code = call->code;
        map_put(&api->calls, key, series);
    }
    metric_observe(&series->took, took_us);
}

void metrics_done(struct api *api)
{
    size_t cursor = 0;
    for (struct series *series; (series = map_next(&api->series, &cursor));) free(series);
    map_done(&api->series);
    cursor = 0;
    for (struct call_series *series; (series = map_next(&api->calls, &cursor));) free(series);
    map_done(&api->calls);
}

/* ---- the text ---- */

static void put_number(struct buf *out, const char *name, const char *type, const char *help, double value)
{
    metrics_put_head(out, name, type, help);
    buf_printf(out, "%s %.17g\n", name, value);
    const char *old = metrics_old_name(name);
    if (old) put_number(out, old, type, help, value);
}

/* `labels` is empty or ends with a comma; `unit` is how much of the stored number is 1. `exemplar` has one
 * for each bucket; NULL: none are told. */
static void put_histogram(struct buf *out, const char *name, const char *labels, double unit,
                          const struct histogram *histogram, const struct request_exemplar *exemplar)
{
    uint64_t count = 0;
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        count += metric_get(&histogram->bucket[i]);
        buf_printf(out, "%s_bucket{%sle=\"", name, labels);
        if (i < HISTOGRAM_BUCKETS) buf_printf(out, "%g", (double)metric_bounds_us[i] / unit);
        else buf_add_str(out, STR("+Inf"));
        buf_printf(out, "\"} %llu", (unsigned long long)count);
        if (exemplar && exemplar[i].trace[0])
            metrics_put_exemplar(out, (str){ exemplar[i].trace, TRACE_CHARS },
                                 (double)exemplar[i].took_us / unit, exemplar[i].at_ms);
        buf_add_char(out, '\n');
    }
    int bare = (int)strlen(labels);
    if (bare) bare--;
    const char *open = bare ? "{" : "", *close = bare ? "}" : "";
    buf_printf(out, "%s_sum%s%.*s%s %.9g\n", name, open, bare, labels, close,
               (double)metric_get(&histogram->sum_us) / unit);
    buf_printf(out, "%s_count%s%.*s%s %llu\n", name, open, bare, labels, close, (unsigned long long)count);
}

static void put_engine_histogram(struct buf *out, const char *name, const char *help,
                                 const struct histogram *histogram)
{
    metrics_put_head(out, name, "histogram", help);
    put_histogram(out, name, "", str_ends(str_of(name), STR("_seconds")) ? 1e6 : 1, histogram, NULL);
    const char *old = metrics_old_name(name);
    if (old) put_engine_histogram(out, old, help, histogram);
}

static void put_engine(struct buf *out, const struct metrics *metrics)
{
#define XX(name, exported, help) \
    put_number(out, exported, "counter", help, (double)metric_get(&metrics->name));
    COUNTER_MAP(XX)
#undef XX
#define XX(name, exported, help) put_number(out, exported, "gauge", help, (double)metric_get(&metrics->name));
    GAUGE_MAP(XX)
#undef XX
    for (int i = 0; i < PERFORMER_COUNT; i++) {
        const char *name = performer_metric((enum performer)i);
        if (*name)
            put_number(out, name, "counter", performer_metric_help((enum performer)i),
                       (double)metric_get(&metrics->jobs_taken[i]));
    }
#define XX(name, exported, help) put_engine_histogram(out, exported, help, &metrics->name);
    HISTOGRAM_MAP(XX)
#undef XX
    metrics_put_head(out, "pawl_jobs_ended_total", "counter", "Jobs that ended, by performer and outcome.");
    for (int i = 0; i < PERFORMER_COUNT; i++) {
        const char *word = performer_word((enum performer)i);
        buf_printf(out, "pawl_jobs_ended_total{performer=\"%s\",outcome=\"done\"} %llu\n", word,
                   (unsigned long long)metric_get(&metrics->jobs_done[i]));
        buf_printf(out, "pawl_jobs_ended_total{performer=\"%s\",outcome=\"failed\"} %llu\n", word,
                   (unsigned long long)metric_get(&metrics->jobs_failed[i]));
    }
    metrics_put_head(out, "workflow_instances_completed_total", "counter", "Instances that ended, by how.");
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++)
        if (instance_status_ended((enum instance_status)i))
            buf_printf(out, "workflow_instances_completed_total{outcome=\"%s\"} %llu\n",
                       instance_status_word((enum instance_status)i),
                       (unsigned long long)metric_get(&metrics->instances_ended[i]));
    metrics_put_head(out, "pawl_arrivals_total", "counter", "Arrivals at triggers, by what became of them.");
    for (int i = 0; i < OUTCOME_COUNT; i++)
        buf_printf(out, "pawl_arrivals_total{outcome=\"%s\"} %llu\n",
                   arrive_outcome_word((enum arrival_outcome)i),
                   (unsigned long long)metric_get(&metrics->arrivals[i]));
    metrics_put_head(out, "pawl_purged_instances_total", "counter",
                     "Ended instances removed after their time, by status.");
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++)
        if (instance_status_ended((enum instance_status)i))
            buf_printf(out, "pawl_purged_instances_total{status=\"%s\"} %llu\n",
                       instance_status_word((enum instance_status)i),
                       (unsigned long long)metric_get(&metrics->instances_purged[i]));
    metrics_put_head(out, "workflow_steps_executed_total", "counter", "Steps entered, by type.");
    size_t types = atomic_load_explicit(&metrics->type_count, memory_order_acquire);
    for (size_t i = 0; i < types; i++)
        buf_printf(out, "workflow_steps_executed_total{step_type=\"%s\"} %llu\n", metrics->type[i].word,
                   (unsigned long long)metric_get(&metrics->type[i].count));
}

/* ---- tenants ---- */

enum quota_series { SERIES_USED, SERIES_LIMIT, SERIES_ALARM };

/* Names of tenants need no escapes in a label. */
static void put_quotas(struct buf *out, const struct api *api, const struct tenant_metrics *tenant,
                       const char *name, enum quota_series series)
{
    int32_t ns = atomic_load_explicit(&tenant->ns, memory_order_relaxed);
    for (int i = 0; i < QUOTA_COUNT; i++) {
        uint64_t limit = metric_get(&tenant->limit[i]), used = metric_get(&tenant->used[i]);
        if (i == QUOTA_STREAMS) used = access_stream_count(api, ns);
        if (!limit) continue;
        uint64_t value = series == SERIES_USED    ? used
                         : series == SERIES_LIMIT ? limit
                                                  : used * 5 >= limit * 4;
        buf_printf(out, "%s{tenant=\"%s\",limit=\"%s\"} %llu\n", name, tenant->name,
                   quota_word((enum quota)i), (unsigned long long)value);
    }
}

/* A tenant sees its own, and the default tenant all: no tenant learns of another one here. */
static bool is_shown(const struct metrics_scope *scope, const struct tenant_metrics *tenant)
{
    int32_t ns = atomic_load_explicit(&tenant->ns, memory_order_relaxed);
    return scope->tenant <= TENANT_DEFAULT || scope->tenant == ns;
}

static void put_tenants(struct buf *out, const struct metrics_scope *scope)
{
    static const struct {
        const char *name, *help;
    } series[] = {
        [SERIES_USED] = { "pawl_tenant_quota_used", "How much of a quota a tenant uses." },
        [SERIES_LIMIT] = { "pawl_tenant_quota_limit", "Quotas of tenants." },
        [SERIES_ALARM] = { "pawl_tenant_quota_alarm", "1 while four fifths or more of a quota are used." },
    };
    const struct metrics *metrics = runtime_metrics(scope->api->config.runtime);
    size_t count = atomic_load_explicit(&metrics->tenant_count, memory_order_acquire);
    metrics_put_head(out, "pawl_tenant_instances_started_total", "counter", "Instances started, by tenant.");
    for (size_t i = 0; i < count; i++)
        if (is_shown(scope, &metrics->tenant[i]))
            buf_printf(out, "pawl_tenant_instances_started_total{tenant=\"%s\"} %llu\n",
                       metrics->tenant[i].name, (unsigned long long)metric_get(&metrics->tenant[i].started));
    uint64_t others = metric_get(&metrics->other_tenants.started);
    if (others && scope->tenant <= TENANT_DEFAULT) /* No name of a tenant has this sign. */
        buf_printf(out, "pawl_tenant_instances_started_total{tenant=\"*\"} %llu\n",
                   (unsigned long long)others);
    for (size_t k = 0; k < COUNT(series); k++) {
        metrics_put_head(out, series[k].name, "gauge", series[k].help);
        for (size_t i = 0; i < count; i++)
            if (is_shown(scope, &metrics->tenant[i]))
                put_quotas(out, scope->api, &metrics->tenant[i], series[k].name, (enum quota_series)k);
    }
}

static void put_refusals(struct buf *out, const struct metrics *metrics)
{
    metrics_put_head(out, "pawl_tenant_refusals_total", "counter",
                     "Requests refused by a quota of a tenant.");
    for (int i = 0; i < QUOTA_COUNT; i++)
        buf_printf(out, "pawl_tenant_refusals_total{limit=\"%s\"} %llu\n", quota_word((enum quota)i),
                   (unsigned long long)metric_get(&metrics->tenant_refusals[i]));
}

static void put_requests(struct buf *out, const struct metrics_scope *scope)
{
    const struct api *api = scope->api;
    const char *name = "http_requests_duration_seconds";
    metrics_put_head(out, name, "histogram", "Time from a request's head to its answer, by route.");
    size_t cursor = 0;
    for (const struct series *series; (series = map_next(&api->series, &cursor));) {
        char labels[256];
        snprintf(labels, sizeof labels, "method=\"%s\",path=\"%s\",status=\"%d\",", series->method,
                 series->route ? series->route->pattern : "unknown", series->http_status);
        put_histogram(out, name, labels, 1e6, &series->took, scope->has_exemplars ? series->exemplar : NULL);
    }
}

static void put_calls(struct buf *out, const struct api *api)
{
    const char *name = "grpc_requests_duration_seconds";
    if (!api->calls.count) return;
    metrics_put_head(out, name, "histogram", "Time from a call's head to its status, by method.");
    size_t cursor = 0;
    for (const struct call_series *series; (series = map_next(&api->calls, &cursor));) {
        char labels[256];
        const struct grpc_method *method = series->method;
        str service = method ? method->service : STR("unknown"),
            word = method ? method->name : STR("unknown");
        snprintf(labels, sizeof labels, "method=\"/%.*s/%.*s\",code=\"%s\",", STR_ARG(service), STR_ARG(word),
                 grpc_status_word(series->code));
        put_histogram(out, name, labels, 1e6, &series->took, NULL);
    }
}

static double resident_bytes(void)
{
    unsigned long all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return 0;
    if (fscanf(file, "%lu %lu", &all, &resident) != 2) resident = 0;
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static void put_process(struct buf *out, const struct api *api)
{
    struct rusage usage = { 0 };
    getrusage(RUSAGE_SELF, &usage);
    double cpu = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                 ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) / 1e6;
    put_number(out, "process_cpu_seconds_total", "counter", "Processor time, user and system.", cpu);
    put_number(out, "process_resident_memory_bytes", "gauge", "Memory in use.", resident_bytes());
    put_number(out, "process_start_time_seconds", "gauge", "When the process began, in seconds since 1970.",
               (double)api->started_ms / 1000);
    metrics_put_head(out, "pawl_build_info", "gauge", "The program's version.");
    buf_printf(out, "pawl_build_info{version=\"%s\"} 1\n", api->config.version);
}

static void put_brokers(struct buf *out, const struct api *api, struct arena *arena)
{
    static const struct {
        const char *name, *type, *help;
        size_t member; /* The offset in struct api_broker; 0: whether it is connected. */
    } series[] = {
        { "pawl_mqtt_connected", "gauge", "1 while there is a connection to the broker.", 0 },
        { "pawl_mqtt_connects_total", "counter", "Connections that the broker accepted.",
          offsetof(struct api_broker, connects) },
        { "pawl_mqtt_messages_total", "counter", "Messages that the broker sent.",
          offsetof(struct api_broker, messages) },
        { "pawl_mqtt_duplicates_total", "counter", "Of these, sent again and dropped.",
          offsetof(struct api_broker, duplicates) },
        { "pawl_mqtt_too_large_total", "counter", "Of these, too large and dropped.",
          offsetof(struct api_broker, too_large) },
    };
    struct api_broker *broker = NULL;
    size_t count = api->config.brokers ? api->config.brokers(api->config.brokers_context, arena, &broker) : 0;
    for (size_t i = 0; count && i < COUNT(series); i++) {
        metrics_put_head(out, series[i].name, series[i].type, series[i].help);
        for (size_t k = 0; k < count; k++) {
            buf_printf(out, "%s{broker=\"", series[i].name);
            int32_t tenant;
            metrics_put_label(out, tenant_name(broker[k].reference, &tenant));
            if (tenant != TENANT_DEFAULT) buf_printf(out, "\",tenant=\"#%d", tenant); /* Its number. */
            uint64_t value = series[i].member
                                 ? *(const uint64_t *)((const char *)&broker[k] + series[i].member)
                                 : broker[k].connected;
            buf_printf(out, "\"} %llu\n", (unsigned long long)value);
        }
    }
}

static void put_network(struct buf *out, const struct api *api)
{
    if (!api->config.loop) return;
    const struct net_load load = net_loop_load(api->config.loop);
    put_number(out, "pawl_network_stalls_total", "counter",
               "Times that all clients waited for more than 50 ms, because the network's thread was busy.",
               (double)load.stalls);
    put_number(out, "pawl_network_longest_round_seconds", "gauge",
               "The longest time that the network's thread was busy at a stretch.",
               (double)load.longest_us / 1e6);
    if (!api->server) return;
    const struct http_holdings holdings = http_server_holdings(api->server);
    put_number(out, "pawl_connections", "gauge", "Open connections of clients.",
               (double)http_server_connections(api->server));
    put_number(out, "pawl_stranger_connections", "gauge", "Those of clients that have not shown the secret.",
               (double)holdings.stranger_connections);
    put_number(out, "pawl_requests_bytes", "gauge", "Memory of requests of known clients.",
               (double)holdings.known_bytes);
    put_number(out, "pawl_strangers_bytes", "gauge",
               "Memory that clients hold which have not shown the secret.", (double)holdings.stranger_bytes);
}

static void put_compute(struct buf *out, const struct api *api)
{
    if (!api->config.compute) return;
    const struct compute_stats stats = compute_stats(api->config.compute);
    put_number(out, "pawl_compute_members", "gauge", "Calculation nodes that are connected.",
               (double)stats.members);
    put_number(out, "pawl_compute_requests", "gauge",
               "Requests that calculation nodes have not answered yet.", (double)stats.under_way);
    put_number(out, "pawl_compute_requests_waiting", "gauge", "Requests that wait for a calculation node.",
               (double)stats.waiting);
    put_number(out, "pawl_compute_events_skipped_total", "counter",
               "Events of calculation nodes that were malformed or unknown.",
               (double)api->member_events_skipped);
    metrics_put_head(out, "pawl_compute_dispatches_total", "counter",
                     "Requests to calculation nodes, by what became of them.");
    for (int i = 0; i < COMPUTE_OUTCOME_COUNT; i++)
        buf_printf(out, "pawl_compute_dispatches_total{outcome=\"%s\"} %llu\n",
                   compute_outcome_word((enum compute_outcome)i), (unsigned long long)stats.outcome[i]);
    metrics_put_head(out, "pawl_compute_answers_ignored_total", "counter",
                     "Answers of calculation nodes that changed nothing.");
    for (int i = COMPUTE_IGNORED_NOT + 1; i < COMPUTE_IGNORED_COUNT; i++)
        buf_printf(out, "pawl_compute_answers_ignored_total{why=\"%s\"} %llu\n",
                   compute_ignored_word((enum compute_ignored)i), (unsigned long long)stats.ignored[i]);
}

static void put_node_message_counts(struct buf *out, const char *name, const struct forwarding_stats *stats)
{
    const struct {
        const char *what;
        uint64_t count;
    } counts[] = { { "sent", stats->node_messages.sent },
                   { "taken", stats->node_messages.taken },
                   { "answered", stats->answered },
                   { "refused", stats->node_messages.refused },
                   { "expired", stats->node_messages.expired },
                   { "doubted", stats->node_messages.doubted } };
    metrics_put_head(out, name, "counter",
                     "Messages to and from other nodes of the store, by what became of them.");
    for (size_t i = 0; i < COUNT(counts); i++)
        buf_printf(out, "%s{what=\"%s\"} %llu\n", name, counts[i].what, (unsigned long long)counts[i].count);
    const char *old = metrics_old_name(name);
    if (old) put_node_message_counts(out, old, stats);
}

static void put_node_messages(struct buf *out, const struct api *api)
{
    if (!api->forwarding) return;
    const struct forwarding_stats stats = forwarding_stats(api->forwarding);
    put_node_message_counts(out, "pawl_node_messages_total", &stats);
    put_number(out, "pawl_node_messages_waiting", "gauge", "Messages to other nodes that are not sent yet.",
               (double)stats.node_messages.waiting);
    put_number(out, "pawl_forwarded_calls", "gauge",
               "Requests with the token of another node's transaction that wait for its answer.",
               (double)stats.calls);
    if (api->config.compute)
        put_number(out, "pawl_compute_members_remote", "gauge",
                   "Calculation nodes that are connected to other nodes of the store.",
                   (double)compute_stats(api->config.compute).remote);
}

static void put_store(struct buf *out, const struct store_statistics *statistics)
{
    put_number(out, "pawl_definitions", "gauge", "Definition versions stored.",
               (double)statistics->definitions);
    put_number(out, "pawl_timers", "gauge", "Timers that wait.", (double)statistics->timers);
    put_number(out, "pawl_user_tasks", "gauge", "Open tasks of people.", (double)statistics->tasks);
    put_number(out, "pawl_pending_starts", "gauge",
               "Chained instances that wait for their definition or for room.", (double)statistics->pending);
    put_number(out, "pawl_jobs_offered", "gauge",
               "Jobs in the database that wait for a worker of any node; every node shows the same.",
               (double)statistics->offered);
    put_number(out, "pawl_store_bytes", "gauge", "Size of the store's file.", (double)statistics->file_bytes);
    metrics_put_head(out, "pawl_instances", "gauge", "Instances stored, by status.");
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++)
        buf_printf(out, "pawl_instances{status=\"%s\"} %lld\n", instance_status_word((enum instance_status)i),
                   (long long)statistics->instances_by_status[i]);
}

static void put_telemetry(struct buf *out, const struct telemetry_counters *counters)
{
    if (!counters) return;
#define XX(name, metric, help)                      \
    metrics_put_head(out, metric, "counter", help); \
    buf_printf(out, metric " %llu\n", (unsigned long long)atomic_load(&counters->name));
    TELEMETRY_COUNTER_MAP(XX)
#undef XX
}

static void put_push(struct buf *out, const struct push_counters *counters)
{
    if (!counters) return;
#define XX(name, metric, help)                      \
    metrics_put_head(out, metric, "counter", help); \
    buf_printf(out, metric " %llu\n", (unsigned long long)atomic_load(&counters->name));
    PUSH_COUNTER_MAP(XX)
#undef XX
}

/* These numbers tell of all tenants together. */
static void put_whole_engine(struct buf *out, const struct metrics_scope *scope,
                             const struct store_statistics *statistics)
{
    put_refusals(out, runtime_metrics(scope->api->config.runtime));
    put_engine(out, runtime_metrics(scope->api->config.runtime));
    put_requests(out, scope);
    put_calls(out, scope->api);
    put_process(out, scope->api);
    put_brokers(out, scope->api, scope->arena);
    put_network(out, scope->api);
    put_compute(out, scope->api);
    put_node_messages(out, scope->api);
    put_telemetry(out, scope->api->config.telemetry_counters);
    put_push(out, scope->api->config.push_counters);
    if (statistics) put_store(out, statistics);
}

void metrics_put_page(struct buf *out, const struct metrics_scope *scope,
                      const struct store_statistics *statistics, const struct call *jobs)
{
    put_tenants(out, scope);
    metrics_put_runs(out, scope);
    metrics_put_jobs(out, scope, jobs);
    if (scope->tenant <= TENANT_DEFAULT) put_whole_engine(out, scope, statistics);
}

/* A page whose parts come one after the other: from the store, then from the engine. */
struct metrics_page {
    struct api_request *request;
    const struct store_statistics *statistics; /* NULL: the store did not answer. */
};

static void answer_page(const struct metrics_page *page, const struct call *jobs)
{
    struct api_request *request = page->request;
    bool is_open = metrics_wants_open(request->http);
    const struct metrics_scope scope = { request->api, request->http->arena, request->caller.tenant,
                                         is_open };
    struct buf out, open;
    buf_init(&out, scope.arena);
    metrics_put_page(&out, &scope, page->statistics, jobs);
    if (!is_open) {
        answer_typed(request, 200, STR("text/plain; version=0.0.4; charset=utf-8"), STR_NONE, buf_str(&out));
        return;
    }
    buf_init(&open, scope.arena);
    metrics_put_open(&open, buf_str(&out));
    answer_typed(request, 200, STR("application/openmetrics-text; version=1.0.0; charset=utf-8"), STR_NONE,
                 buf_str(&open));
}

static void got_jobs(struct call *call)
{
    struct metrics_page *page = call->user;
    page->request->call = NULL;
    answer_page(page, call);
}

static void ask_for_jobs(struct metrics_page *page)
{
    struct api_request *request = page->request;
    struct error err;
    struct call *call =
        call_job_series((struct call_origin){ request->http->arena, got_jobs, page, &request->caller },
                        &(struct call_nothing){ 0 });
    if (request_submit(request, call, NULL, &err) != ST_OK) answer_page(page, NULL);
}

static void counted(struct call *call)
{
    struct metrics_page *page = call->user;
    page->request->call = NULL;
    if (call->status == ST_OK) page->statistics = &call->value.statistics;
    ask_for_jobs(page);
}

enum status metrics_get(struct api_request *request, struct error *err)
{
    struct metrics_page *page = arena_make(request->http->arena, struct metrics_page);
    *page = (struct metrics_page){ .request = request };
    struct call *call =
        call_statistics((struct call_origin){ request->http->arena, counted, page, &request->caller },
                        &(struct call_nothing){ 0 });
    if (request_submit(request, call, NULL, err) != ST_OK) ask_for_jobs(page);
    return ST_OK;
}
