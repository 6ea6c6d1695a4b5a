/* runtime/removal.c — tenants that go with everything they have, a slice in every turn.
 *
 *     change_tenant.c: the tenant has no number any more, and a record says that it goes
 *           │              from this commit on no node begins anything in it (memory/usage.h)
 *           ▼
 *     files of the audit get the rows that they do not have yet
 *           ▼
 *     sessions of issuers ──► records among those of all tenants: schedules, secrets, keys, grants, …
 *           ──► instances: cancelled in one turn, purged in a later one ──► all other rows
 *           ──► the record says that it is gone; others may have the name
 *
 * Instances are cancelled first, because then jobs, timers and tasks leave the memory of every node as they
 * do when somebody cancels an instance. One that cannot be cancelled, because it is damaged or a unit has it,
 * is purged as it is.
 *
 * Only the first step remembers a place, in memory. All others remove what they find, so that a crash costs
 * nothing but the slice. One node does it, the one that leads.
 */
#include "runtime/runtime_int.h"

#include "base/array.h"
#include "base/log.h"
#include "base/must.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"
#include "store/removal.h"

/* The place of the round, in its backlog: sessions up to a key, or all of them. */
enum { SESSIONS_BEHIND = 's', SESSIONS_DONE = 't' };

/* ---- sessions ---- */

/* True: all of them were looked at in earlier turns. */
static bool has_passed_sessions(const struct backlog *backlog)
{
    return backlog->after.n && backlog->after.p[0] == SESSIONS_DONE;
}

static enum status end_sessions(struct turn *turn, struct backlog *backlog,
                                const struct access_removal *removal, size_t max, struct error *err)
{
    str place = buf_str(&backlog->after), last;
    TRY(access_removal_sessions(turn, removal, place.n ? str_slice(place, 1, place.n) : STR_NONE, max, &last,
                                err));
    struct buf next;
    buf_init(&next, &turn->arena);
    buf_add_char(&next, (char)(last.n ? SESSIONS_BEHIND : SESSIONS_DONE));
    buf_add_str(&next, last);
    backlog_move(backlog, buf_str(&next));
    return ST_OK;
}

/* ---- records among those of all tenants ---- */

static enum status remove_indexes(struct turn *turn, int32_t ns, size_t max, size_t *ret_count,
                                  struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_INDEXED,
                                          .prefix = tenant_qualify(ns, STR_NONE, &turn->arena),
                                          .max = max };
    struct record_row *row;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, ret_count, err));
    struct changeset changeset = { .record_remove = row, .record_remove_count = *ret_count };
    return *ret_count ? transact_rows(turn, &changeset, err) : ST_OK;
}

/* `*ret_count` 0: no such row is left. */
static enum status remove_shared(struct turn *turn, const struct access_removal *removal, size_t max,
                                 size_t *ret_count, struct error *err)
{
    static enum status (*const steps[])(struct turn *, int32_t, size_t, size_t *,
                                        struct error *) = { ticks_forget, overflow_forget, kept_forget,
                                                            locks_forget, secrets_forget,  remove_indexes };
    *ret_count = 0;
    for (size_t i = 0; i < COUNT(steps) && !*ret_count; i++)
        TRY(steps[i](turn, removal->ns, max, ret_count, err));
    return *ret_count ? ST_OK : access_removal_rows(turn, removal, max, ret_count, err);
}

/* ---- instances ---- */

/* ST_OK and not `*ret_cancelled`: it stays as it is, and can only be purged. */
static enum status cancel(struct turn *turn, const struct access_removal *removal, uint64_t id,
                          bool *ret_cancelled, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    struct transition *transition;
    struct command command = { .kind = COMMAND_CANCEL,
                               .now_ms = turn->now_ms,
                               .actor = STR("engine"),
                               .as.cancel = { .reason = STR("its tenant is removed") } };
    enum status status = found_needed(transact_load_in(turn, removal->ns, id, &instance, &definition, err));
    if (status == ST_OK) status = follow_command(turn, definition, instance, &command, &transition, err);
    *ret_cancelled = status == ST_OK;
    return transact_is_lost(turn, status) ? transact_failed(turn, err) : ST_OK;
}

enum status removal_purge(struct turn *turn, const uint64_t *id, size_t count, struct error *err)
{
    const struct purge purge = { .before_ms = INT64_MIN,
                                 .failed_before_ms = INT64_MIN,
                                 .keys_before_ms = INT64_MIN,
                                 .instance = id,
                                 .instance_count = count,
                                 .history_max = PURGED_HISTORY_MAX };
    struct purged purged;
    for (size_t i = 0; i < count; i++) {
        transact_unload(turn, id[i]);
        TRY(index_record_forget(turn, id[i], err));
    }
    TRY(store_purge(turn->engine->store, &purge, count, &purged, err));
    turn->wrote = true;
    return ST_OK;
}

/* Commands of this very turn have changed some of them: these come in the next one. */
static enum status end_instances(struct turn *turn, const struct access_removal *removal,
                                 const struct tenant_removal *found, struct error *err)
{
    uint64_t *gone = arena_make_n(&turn->arena, uint64_t, found->instance_count);
    size_t count = 0;
    for (size_t i = 0; i < found->instance_count && !(i && slice_is_over(turn)); i++) {
        const struct removal_instance *instance = &found->instance[i];
        const struct loaded *loaded = map_get(&turn->loaded_of, instance->id);
        bool cancelled = false;
        if (loaded && loaded->changed) continue;
        if (!instance_status_ended(instance->status))
            TRY(cancel(turn, removal, instance->id, &cancelled, err));
        if (!cancelled) gone[count++] = instance->id;
    }
    return count ? removal_purge(turn, gone, count, err) : ST_OK;
}

/* ---- the audit ---- */

/* Has each file that follows the audit the rows of the tenant? The nodes append theirs a moment after they
 * have committed; this one knows of its own file. */
static bool is_followed_to_end(const struct turn *turn, const struct access_removal *removal)
{
    const struct access *access = &turn->engine->access;
    if (turn->engine->nodes.count > 1 && turn->now_ms < removal->began_ms + REMOVAL_FOLLOWED_MS) return false;
    return !access->directory ||
           directory_is_audited_to_end(access->directory, (struct audited_chain){ removal->ns, access->node },
                                       removal->name);
}

/* ---- a slice ---- */

static void finish(struct turn *turn, struct backlog *backlog, const struct access_removal *removal)
{
    backlog_move(backlog, STR_NONE);
    usage_forget(&turn->engine->memory.usage, removal->ns);
    log_write(LOG_INFO, "a tenant was removed with everything it had", "tenant",
              arena_printf(&turn->arena, "%.*s", STR_ARG(removal->name)).p, NULL);
}

static enum status go_on(struct turn *turn, struct backlog *backlog, size_t max, struct error *err)
{
    struct access_removal removal;
    struct tenant_removal found;
    bool there;
    size_t count;
    TRY(access_removal_first(turn, &removal, &there, err));
    backlog->due = backlog->did = there;
    if (!there) return ST_OK;
    if (!is_followed_to_end(turn, &removal)) {
        backlog_hold(backlog, turn->now_ms);
        return ST_OK;
    }
    if (!has_passed_sessions(backlog)) return end_sessions(turn, backlog, &removal, max, err);
    TRY(remove_shared(turn, &removal, max, &count, err));
    if (count) return ST_OK;
    TRY(store_remove_tenant(turn->engine->store, removal.ns, max, &turn->arena, &found, err));
    turn->wrote |= found.removed > 0;
    if (found.instance_count) return end_instances(turn, &removal, &found, err);
    if (!found.is_over) return ST_OK;
    TRY(access_removal_end(turn, &removal, err));
    finish(turn, backlog, &removal);
    return ST_OK;
}

void removal_go_on(struct turn *turn)
{
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_REMOVAL];
    struct error err;
    size_t max = backlog_begin(backlog, PURGED_PER_TURN_MAX);
    enum status status = transact_begin(turn, &err);
    if (status == ST_OK) status = go_on(turn, backlog, max, &err);
    if (status == ST_OK) return;
    if (transact_is_lost(turn, status)) transact_failed(turn, &err);
    else {
        log_write(LOG_ERROR, "the removal of a tenant cannot go on", "reason", err.message, NULL);
        backlog_hold(backlog, turn->now_ms);
    }
}
