/* runtime/transact/quotas.c — quotas of tenants: is there room for more, and what does a write add?
 *
 * Calls and arrivals that begin something new are refused. Instances that others start, as children or by
 * chaining, count and are never refused: a family that has begun may come to its end. Retries, answers and
 * results of jobs are never refused either.
 */
#include "runtime/transact/transact_int.h"

#include "runtime/memory/memory.h"

enum status quota_check_start(struct turn *turn, int32_t ns, struct error *err)
{
    struct usage *usage = &turn->engine->memory.usage;
    struct tenant_usage *tenant = usage_of(usage, ns);
    if (!tenant->is_limited) return ST_OK;
    TRY(usage_check(usage, tenant, QUOTA_ACTIVE_INSTANCES, 1, err));
    return usage_check_start(usage, tenant, err);
}

enum status quota_check_bytes(struct turn *turn, int32_t ns, struct error *err)
{
    if (ns == TENANT_ANY) return ST_OK; /* A record of the engine's own. */
    struct usage *usage = &turn->engine->memory.usage;
    const struct tenant_usage *tenant = usage_of(usage, ns);
    return tenant->is_limited ? usage_check(usage, tenant, QUOTA_STORED_BYTES, 1, err) : ST_OK;
}

enum status quota_check_definition(struct turn *turn, int32_t ns, bool is_new, int64_t more_schedules,
                                   struct error *err)
{
    struct usage *usage = &turn->engine->memory.usage;
    struct tenant_usage *tenant = usage_of(usage, ns);
    if (!tenant->is_limited) return ST_OK;
    usage_set(usage, tenant, QUOTA_SCHEDULES, (int64_t)schedules_count(&turn->engine->memory.schedules, ns));
    TRY(quota_check_bytes(turn, ns, err));
    if (is_new) TRY(usage_check(usage, tenant, QUOTA_DEFINITIONS, 1, err));
    return more_schedules > 0 ? usage_check(usage, tenant, QUOTA_SCHEDULES, more_schedules, err) : ST_OK;
}

/* A row that is written later has no status yet, and its history counts with the row's tenant. */
void quota_note_write(struct turn *turn, int32_t ns, const struct changeset *changeset)
{
    struct usage *usage = &turn->engine->memory.usage;
    const struct instance_row *after = changeset->instance, *before = changeset->before;
    if (changeset->insert) usage_add(usage, ns, QUOTA_STARTS_PER_SECOND, 1);
    if (!usage_of(usage, ns)->is_limited) return;
    usage_add(usage, ns, QUOTA_STORED_BYTES,
              (int64_t)changeset->history.n + (changeset->insert ? (int64_t)after->state.n : 0));
    if (changeset->row_later) return;
    int64_t living = !instance_status_ended(after->status) -
                     (before && !changeset->insert && !instance_status_ended(before->status));
    if (living) usage_add(usage, ns, QUOTA_ACTIVE_INSTANCES, living);
}
