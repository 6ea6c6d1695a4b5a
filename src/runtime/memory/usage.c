/* runtime/memory/usage.c — numbers of tenants, and checks against their quotas. */
#include "runtime/memory/usage.h"

#include "base/log.h"
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

enum { START = 1000, SECOND_MS = 1000 }; /* A start, in thousandths. */

void usage_init(struct usage *usage, usage_read_fn *read, void *context, struct metrics *metrics)
{
    *usage = (struct usage){ .read = read, .context = context, .metrics = metrics, .node_count = 1 };
    map_init(&usage->of_tenant);
}

void usage_done(struct usage *usage)
{
    size_t cursor = 0;
    for (struct tenant_usage *tenant; (tenant = map_next(&usage->of_tenant, &cursor)) != NULL;) free(tenant);
    map_done(&usage->of_tenant);
}

int64_t usage_share(const struct usage *usage, int64_t limit)
{
    return limit ? (limit + usage->node_count - 1) / usage->node_count : 0;
}

/* ---- reading ---- */

static struct tenant_usage *find(struct usage *usage, int32_t ns)
{
    must(ns > TENANT_ANY);
    if (usage->last && usage->last->ns == ns) return usage->last;
    struct tenant_usage *tenant = map_get(&usage->of_tenant, (uint64_t)ns);
    if (!tenant) {
        tenant = calloc(1, sizeof *tenant);
        must(tenant);
        tenant->ns = ns;
        map_put(&usage->of_tenant, (uint64_t)ns, tenant);
    }
    return usage->last = tenant;
}

static void publish(struct usage *usage, struct tenant_usage *tenant)
{
    unsigned alarms = 0;
    for (size_t i = 0; i < QUOTA_COUNT; i++) {
        int64_t used = usage_now(usage, tenant, (enum quota)i);
        if (tenant->limit[i] && used * 5 >= tenant->limit[i] * 4) alarms |= 1u << i;
        if (!tenant->metrics || tenant->metrics == &usage->metrics->other_tenants) continue;
        if (i != QUOTA_STREAMS) metric_set(&tenant->metrics->used[i], (uint64_t)(used > 0 ? used : 0));
        metric_set(&tenant->metrics->limit[i], (uint64_t)tenant->limit[i]);
    }
    int before = __builtin_popcount(tenant->alarms), after = __builtin_popcount(alarms);
    if (after != before)
        metric_add(&usage->metrics->tenant_alarms, (uint64_t)(int64_t)(after - before)); /* It wraps. */
    tenant->alarms = alarms;
}

/* Numbers that were read a moment ago are as good as new ones if the store cannot be read now. */
static enum status read(struct usage *usage, struct tenant_usage *tenant, struct error *err)
{
    must(!tenant->is_moved);
    TRY(usage->read(usage->context, tenant, err));
    tenant->is_known = true;
    tenant->epoch = usage->epoch;
    if (!tenant->credit_ms) {
        tenant->credit = usage_share(usage, tenant->limit[QUOTA_STARTS_PER_SECOND]) * START;
        tenant->credit_ms = usage->now_ms;
    }
    if (!tenant->metrics && tenant->name[0])
        tenant->metrics = metric_of_tenant(usage->metrics, tenant->ns, str_of(tenant->name));
    publish(usage, tenant);
    return ST_OK;
}

struct tenant_usage *usage_look_up(struct usage *usage, int32_t ns)
{
    struct tenant_usage *tenant = find(usage, ns);
    struct error err;
    if (!tenant->is_known && !tenant->is_moved && read(usage, tenant, &err) != ST_OK)
        log_write(LOG_WARN, "quotas of a tenant cannot be read yet", "reason", err.message, NULL);
    return tenant;
}

enum status usage_count(struct usage *usage, int32_t ns, struct tenant_usage **ret_tenant, struct error *err)
{
    struct tenant_usage *tenant = find(usage, ns);
    bool is_new =
        tenant->is_known && tenant->is_counted && tenant->is_limited && tenant->epoch == usage->epoch;
    *ret_tenant = tenant;
    if (is_new) return ST_OK;
    tenant->is_counted = true; /* Somebody asks for them. */
    enum status status = read(usage, tenant, err);
    if (!tenant->is_limited) tenant->is_counted = false; /* Its counters stand still from here on. */
    return status;
}

void usage_refresh(struct usage *usage, int32_t ns)
{
    if (ns <= TENANT_ANY) return; /* A call of the engine's own. */
    struct tenant_usage *tenant = usage_of(usage, ns);
    struct error err;
    if (tenant->epoch == usage->epoch) return;
    if (!tenant->is_limited || tenant->is_moved) tenant->epoch = usage->epoch;
    else if (read(usage, tenant, &err) != ST_OK)
        log_write(LOG_WARN, "usage of a tenant cannot be read yet", "reason", err.message, NULL);
}

void usage_forget(struct usage *usage, int32_t ns)
{
    size_t cursor = 0;
    for (struct tenant_usage *tenant; (tenant = map_next(&usage->of_tenant, &cursor)) != NULL;)
        if (ns == TENANT_ANY || tenant->ns == ns) tenant->is_known = false;
}

void usage_beat(struct usage *usage, int64_t node_count)
{
    usage->epoch++;
    usage->node_count = node_count > 0 ? node_count : 1;
}

/* ---- tenants that are gone ---- */

str usage_removal_key(enum removal_state state, int32_t ns, struct arena *arena)
{
    return arena_printf(arena, "%c%010d", (char)state, ns);
}

enum status usage_check_there(struct usage *usage, int32_t ns, struct error *err)
{
    if (ns <= TENANT_DEFAULT || !usage_of(usage, ns)->is_removed) return ST_OK;
    return fail(err, ST_NOT_FOUND, "tenant", "there is no tenant of this name");
}

/* ---- checking ---- */

enum status usage_refuse(const char *tenant, enum quota quota, int64_t limit, struct error *err)
{
    char word[64];
    snprintf(word, sizeof word, "\"%s\"", quota_word(quota));
    fail_code(err, ST_OVERLOAD, "tenant-limit", "the tenant %s has reached its quota %s (%lld)", tenant,
              quota_word(quota), (long long)limit);
    fail_detail(err, "limit", str_of(word));
    return ST_OVERLOAD;
}

enum status usage_check(const struct usage *usage, const struct tenant_usage *tenant, enum quota quota,
                        int64_t more, struct error *err)
{
    int64_t limit = tenant->limit[quota];
    if (!limit || tenant->used[quota] + tenant->added[quota] + more <= limit) return ST_OK;
    metric_add(&usage->metrics->tenant_refusals[quota], 1);
    return usage_refuse(tenant->name, quota, limit, err);
}

/* The credit grows by the quota in a second, and never beyond that. */
static int64_t credit_now(const struct usage *usage, const struct tenant_usage *tenant)
{
    int64_t rate = usage_share(usage, tenant->limit[QUOTA_STARTS_PER_SECOND]);
    int64_t passed_ms = usage->now_ms - tenant->credit_ms;
    if (passed_ms >= SECOND_MS) return rate * START;
    if (passed_ms < 0) return tenant->credit;
    int64_t credit = tenant->credit + passed_ms * rate * START / SECOND_MS;
    return credit < rate * START ? credit : rate * START;
}

enum status usage_check_start(struct usage *usage, struct tenant_usage *tenant, struct error *err)
{
    int64_t limit = tenant->limit[QUOTA_STARTS_PER_SECOND];
    if (!limit) return ST_OK;
    if (tenant->credit_ms > usage->now_ms) tenant->credit_ms = usage->now_ms; /* The clock was set back. */
    if (credit_now(usage, tenant) - tenant->added[QUOTA_STARTS_PER_SECOND] * START >= START) return ST_OK;
    metric_add(&usage->metrics->tenant_refusals[QUOTA_STARTS_PER_SECOND], 1);
    return usage_refuse(tenant->name, QUOTA_STARTS_PER_SECOND, limit, err);
}

/* ---- counting ---- */

void usage_add(struct usage *usage, int32_t ns, enum quota quota, int64_t delta)
{
    struct tenant_usage *tenant = usage_of(usage, ns);
    if (!tenant->is_limited && quota != QUOTA_STARTS_PER_SECOND) return;
    tenant->added[quota] += delta;
    if (tenant->is_moved) return;
    tenant->is_moved = true;
    tenant->next_moved = usage->first_moved;
    usage->first_moved = tenant;
}

/* Starts of the second that runs, and of the one before. */
static void count_starts(struct usage *usage, struct tenant_usage *tenant, int64_t starts)
{
    int64_t second = usage->now_ms / SECOND_MS, *used = &tenant->used[QUOTA_STARTS_PER_SECOND];
    if (second != tenant->second) {
        tenant->starts_before = second == tenant->second + 1 ? *used : 0;
        tenant->second = second;
        *used = 0;
    }
    *used += starts;
    tenant->credit = credit_now(usage, tenant) - starts * START;
    tenant->credit_ms = usage->now_ms;
    if (tenant->metrics) metric_add(&tenant->metrics->started, (uint64_t)starts);
}

static void settle(struct usage *usage, struct tenant_usage *tenant)
{
    for (size_t i = 0; i < QUOTA_COUNT; i++) {
        if (!tenant->added[i]) continue;
        if (i == QUOTA_STARTS_PER_SECOND) count_starts(usage, tenant, tenant->added[i]);
        else tenant->used[i] += tenant->added[i];
    }
    if (tenant->is_limited) publish(usage, tenant);
}

void usage_end(struct usage *usage, bool committed)
{
    for (struct tenant_usage *tenant; (tenant = usage->first_moved) != NULL;) {
        usage->first_moved = tenant->next_moved;
        if (committed) settle(usage, tenant);
        memset(tenant->added, 0, sizeof tenant->added);
        tenant->is_moved = false;
        tenant->next_moved = NULL;
    }
}

void usage_set(struct usage *usage, struct tenant_usage *tenant, enum quota quota, int64_t used)
{
    tenant->used[quota] = used;
    if (tenant->is_known) publish(usage, tenant);
}

int64_t usage_now(const struct usage *usage, const struct tenant_usage *tenant, enum quota quota)
{
    if (quota != QUOTA_STARTS_PER_SECOND) return tenant->used[quota];
    int64_t second = usage->now_ms / SECOND_MS, used = tenant->used[quota];
    if (second == tenant->second) return used > tenant->starts_before ? used : tenant->starts_before;
    return second == tenant->second + 1 ? used : 0;
}
