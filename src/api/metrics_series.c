/* api/metrics_series.c — runs by definition and jobs by type, in the text format of Prometheus.
 *
 * The labels are bounded: definitions and job types beyond them are counted together, as "other".
 */
#include "api/metrics_int.h"

#include "base/tenant.h"
#include "core/trace.h"

/* ---- labels ---- */

/* {tenant="acme",definition="order" — the brace stays open. Names of tenants need no escapes. */
static void put_labels(struct buf *out, const struct metrics_scope *scope, int32_t ns, const char *label,
                       str value)
{
    const struct metrics *metrics = runtime_metrics(scope->api->config.runtime);
    const struct tenant_metrics *tenant = metric_find_tenant(metrics, ns);
    if (tenant) buf_printf(out, "{tenant=\"%s\",%s=\"", tenant->name, label);
    else if (ns == TENANT_DEFAULT) buf_printf(out, "{tenant=\"default\",%s=\"", label);
    else if (ns == TENANT_ANY) buf_printf(out, "{tenant=\"*\",%s=\"", label);
    else buf_printf(out, "{tenant=\"#%d\",%s=\"", ns, label); /* /metrics names no more tenants. */
    metrics_put_label(out, value);
    buf_add_char(out, '"');
}

static bool is_shown(const struct metrics_scope *scope, int32_t ns)
{
    return scope->tenant <= TENANT_DEFAULT || scope->tenant == ns;
}

static void put_exemplar(struct buf *out, const struct run_exemplar *exemplar, struct arena *arena)
{
    uint64_t instance;
    int64_t created_ms, ended_ms;
    if (!metric_find_run(exemplar, &instance, &created_ms, &ended_ms)) return;
    int64_t took_ms = ended_ms > created_ms ? ended_ms - created_ms : 0;
    metrics_put_exemplar(out, trace_id(instance, created_ms, arena), (double)took_ms / 1e3, ended_ms);
}

/* `exemplar` has one for each bucket; NULL: none are told. */
static void put_durations(struct buf *out, const char *name, str labels, const struct durations *durations,
                          const struct run_exemplar *exemplar, struct arena *arena)
{
    uint64_t count = 0;
    for (size_t i = 0; i <= DURATION_BUCKETS; i++) {
        count += metric_get(&durations->bucket[i]);
        buf_printf(out, "%s_bucket%.*s,le=\"", name, STR_ARG(labels));
        if (i < DURATION_BUCKETS) buf_printf(out, "%g", (double)metric_duration_bounds_ms[i] / 1e3);
        else buf_add_str(out, STR("+Inf"));
        buf_printf(out, "\"} %llu", (unsigned long long)count);
        if (exemplar) put_exemplar(out, &exemplar[i], arena);
        buf_add_char(out, '\n');
    }
    buf_printf(out, "%s_sum%.*s} %.9g\n", name, STR_ARG(labels),
               (double)metric_get(&durations->sum_ms) / 1e3);
    buf_printf(out, "%s_count%.*s} %llu\n", name, STR_ARG(labels), (unsigned long long)count);
}

/* ---- runs ---- */

enum run_number { RUN_STARTED, RUN_ENDED, RUN_TOOK };

static const struct {
    const char *name, *type, *help;
} run_numbers[] = {
    [RUN_STARTED] = { "pawl_definition_started_total", "counter", "Runs started, by definition." },
    [RUN_ENDED] = { "pawl_definition_ended_total", "counter", "Runs that ended, by definition and how." },
    [RUN_TOOK] = { "pawl_definition_duration_seconds", "histogram",
                   "Time from the start of a run to its end, by definition." },
};

static void put_run_number(struct buf *out, const struct metrics_scope *scope, enum run_number number,
                           str labels, const struct definition_metrics *runs)
{
    const char *name = run_numbers[number].name;
    if (number == RUN_TOOK)
        put_durations(out, name, labels, &runs->took, scope->has_exemplars ? runs->exemplar : NULL,
                      scope->arena);
    if (number == RUN_STARTED)
        buf_printf(out, "%s%.*s} %llu\n", name, STR_ARG(labels),
                   (unsigned long long)metric_get(&runs->started));
    for (int i = 0; number == RUN_ENDED && i < INSTANCE_STATUS_COUNT; i++)
        if (instance_status_ended((enum instance_status)i))
            buf_printf(out, "%s%.*s,outcome=\"%s\"} %llu\n", name, STR_ARG(labels),
                       instance_status_word((enum instance_status)i),
                       (unsigned long long)metric_get(&runs->ended[i]));
}

static void put_runs_of(struct buf *out, const struct metrics_scope *scope, enum run_number number,
                        int32_t ns, str id, const struct definition_metrics *runs)
{
    if (!is_shown(scope, ns)) return;
    struct buf labels;
    buf_init(&labels, scope->arena);
    put_labels(&labels, scope, ns, "definition", id);
    put_run_number(out, scope, number, buf_str(&labels), runs);
}

void metrics_put_runs(struct buf *out, const struct metrics_scope *scope)
{
    const struct metrics *metrics = runtime_metrics(scope->api->config.runtime);
    size_t count = atomic_load_explicit(&metrics->definition_count, memory_order_acquire);
    for (int number = 0; number <= RUN_TOOK; number++) {
        metrics_put_head(out, run_numbers[number].name, run_numbers[number].type, run_numbers[number].help);
        for (size_t i = 0; i < count; i++) {
            int32_t ns;
            str id = tenant_name(metrics->definition[i]->key, &ns);
            put_runs_of(out, scope, (enum run_number)number, ns, id, metrics->definition[i]);
        }
        if (metric_get(&metrics->other_definitions.started))
            put_runs_of(out, scope, (enum run_number)number, TENANT_ANY, METRIC_OTHER,
                        &metrics->other_definitions);
    }
}

/* ---- jobs ---- */

enum job_number { JOBS_READY, JOBS_OFFERED, JOBS_LEASED, JOBS_OLDEST, JOBS_POLLED, JOBS_DONE, JOBS_FAILED };

static const struct {
    const char *name, *type, *help;
} job_numbers[] = {
    [JOBS_READY] = { "pawl_job_type_ready", "gauge", "Jobs that wait for a worker at this node, by type." },
    [JOBS_OFFERED] = { "pawl_job_type_offered", "gauge",
                       "Jobs in the database that wait for a worker of any node; every node shows the "
                       "same." },
    [JOBS_LEASED] = { "pawl_job_type_leased", "gauge", "Jobs that workers hold, by type." },
    [JOBS_OLDEST] = { "pawl_job_type_oldest_seconds", "gauge",
                      "For how long the oldest job of the type has waited for a worker." },
    [JOBS_POLLED] = { "pawl_job_type_polled_timestamp_seconds", "gauge",
                      "When a worker last asked this node for jobs of the type; 0: not in the last hour." },
    [JOBS_DONE] = { "pawl_job_type_done_total", "counter", "Jobs that workers have done, by type." },
    [JOBS_FAILED] = { "pawl_job_type_failed_total", "counter", "Failed attempts of workers, by type." },
};

static double job_number(const struct job_series *series, enum job_number number, int64_t now_ms)
{
    switch (number) {
    case JOBS_READY: return (double)series->ready;
    case JOBS_OFFERED: return (double)series->offered;
    case JOBS_LEASED: return (double)series->leased;
    case JOBS_OLDEST: return series->oldest_ms ? (double)(now_ms - series->oldest_ms) / 1e3 : 0;
    case JOBS_POLLED: return (double)series->polled_ms / 1e3;
    case JOBS_DONE: return (double)series->done;
    case JOBS_FAILED: return (double)series->failed;
    }
    return 0;
}

void metrics_put_jobs(struct buf *out, const struct metrics_scope *scope, const struct call *jobs)
{
    if (!jobs || jobs->status != ST_OK) return;
    const struct answer_job_series *answer = &jobs->value.job_series;
    const char *took = "pawl_job_type_duration_seconds";
    struct clock clock = clock_system();
    int64_t now_ms = clock_now_ms(&clock);
    for (size_t number = 0; number < COUNT(job_numbers); number++) {
        metrics_put_head(out, job_numbers[number].name, job_numbers[number].type, job_numbers[number].help);
        for (size_t i = 0; i < answer->count; i++) {
            buf_add_str(out, str_of(job_numbers[number].name));
            put_labels(out, scope, answer->series[i].ns, "type", answer->series[i].type);
            buf_printf(out, "} %.17g\n", job_number(&answer->series[i], (enum job_number)number, now_ms));
        }
    }
    metrics_put_head(out, took, "histogram", "Time from the hand-out of a job to its result, by type.");
    for (size_t i = 0; i < answer->count; i++) {
        struct buf labels;
        buf_init(&labels, scope->arena);
        put_labels(&labels, scope, answer->series[i].ns, "type", answer->series[i].type);
        if (answer->series[i].took)
            put_durations(out, took, buf_str(&labels), answer->series[i].took, NULL, scope->arena);
    }
}
