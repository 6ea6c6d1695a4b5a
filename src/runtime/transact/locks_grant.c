/* runtime/transact/locks_grant.c — the backlog that grants locks to those who wait for them, and refuses them
 * to those at the end of a line that is too long. */
#include "runtime/transact/locks_int.h"

#include "base/log.h"
#include "base/must.h"
#include "json/json.h"
#include "runtime/memory/memory.h"

/* One name, while it is looked at. */
struct granting {
    struct backlog_run *run;
    str qualified;
    str after;      /* The waiters up to this key have been looked at. */
    size_t granted; /* In this transaction: their rows say so only at its end. */
    size_t left;    /* Rows that were looked at and wait no more, those that were granted included. */
};

/* Are there at least so many rows of holders? */
static enum status has_holders(const struct granting *granting, size_t least, bool *ret_has,
                               struct error *err)
{
    struct turn *turn = granting->run->turn;
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_LOCK,
                                          .prefix =
                                              locks_prefix(LOCK_HOLDER, granting->qualified, &turn->arena),
                                          .skip = least ? least - 1 : 0,
                                          .max = 1 };
    struct record_row *row;
    size_t count = 1;
    if (least) TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    *ret_has = count > 0;
    return ST_OK;
}

static enum status next_waiter(struct granting *granting, struct record_row *ret_row, bool *ret_there,
                               struct error *err)
{
    struct turn *turn = granting->run->turn;
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_LOCK,
                                          .prefix =
                                              locks_prefix(LOCK_WAITER, granting->qualified, &turn->arena),
                                          .after = granting->after,
                                          .max = 1 };
    struct record_row *row;
    size_t count;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    *ret_there = count > 0;
    if (count) *ret_row = *row;
    if (count) granting->after = row->key;
    return ST_OK;
}

/* An instance that cannot be read is in nobody's way. */
static enum status forget(struct turn *turn, const struct record_row *row, const struct error *why,
                          struct error *err)
{
    struct changeset changeset = { .record_remove = row, .record_remove_count = 1 };
    if (why)
        log_write(LOG_ERROR, "an instance that waits for a lock cannot be read", "reason", why->message,
                  NULL);
    return transact_rows(turn, &changeset, err);
}

/* The instance that waits, as it is now; `*ret_lock` is NULL if it waits no more, which the end of the turn
 * writes. */
static enum status find_waiter(struct turn *turn, const struct record_row *row,
                               const struct instance **ret_instance, struct definition **ret_definition,
                               const struct lock **ret_lock, struct error *err)
{
    str qualified;
    uint64_t id;
    uint32_t number;
    *ret_lock = NULL;
    if (!locks_read_key(row->key, &qualified, &id, &number)) return forget(turn, row, NULL, err);
    enum status status = found_needed(transact_load(turn, id, ret_instance, ret_definition, err));
    if (status == ST_NOT_FOUND) return forget(turn, row, NULL, err);
    if (status != ST_OK) {
        struct error why = *err;
        return transact_is_lost(turn, status) ? status : forget(turn, row, &why, err);
    }
    const struct lock *lock = instance_find_lock(*ret_instance, number);
    if (lock && !lock->is_held && reaches(*ret_instance, lock->execution)) *ret_lock = lock;
    return ST_OK;
}

/* Grants the lock, or refuses it with that reason. */
static enum status answer(struct granting *granting, struct definition *definition,
                          const struct instance *instance, const struct lock *lock, str refusal,
                          struct error *err)
{
    struct turn *turn = granting->run->turn;
    struct transition *transition = NULL;
    const struct command command =
        command_grant(turn->now_ms, STR("engine"), NULL,
                      (struct command_timer){ .number = lock->number, .refusal = refusal });
    enum status status = follow_command(turn, definition, instance, &command, &transition, err);
    if (status != ST_OK && transact_is_lost(turn, status)) return status;
    if (status != ST_OK) log_write(LOG_ERROR, "a lock cannot be granted", "reason", err->message, NULL);
    bool is_granted = status == ST_OK && transition && !refusal.n;
    granting->granted += is_granted;
    granting->left += is_granted;
    return ST_OK;
}

/* Grants as many as there is room for. `*ret_more`: others may follow in another turn. */
static enum status grant_all(struct granting *granting, bool *ret_more, struct error *err)
{
    struct turn *turn = granting->run->turn;
    for (*ret_more = false;;) {
        const struct instance *instance;
        struct definition *definition;
        const struct lock *lock;
        struct record_row row;
        bool is_there, is_full;
        *ret_more =
            granting->granted >= LOCK_GRANTS_PER_TURN_MAX || (granting->after.n && slice_is_over(turn));
        if (*ret_more) return ST_OK;
        TRY(next_waiter(granting, &row, &is_there, err));
        if (!is_there) return ST_OK;
        TRY(find_waiter(turn, &row, &instance, &definition, &lock, err));
        granting->left += !lock;
        if (!lock) continue;
        must(lock->size > 0);
        is_full = granting->granted >= lock->size;
        if (!is_full) TRY(has_holders(granting, lock->size - granting->granted, &is_full, err));
        if (is_full) return ST_OK; /* The first one is not overtaken. */
        TRY(answer(granting, definition, instance, lock, STR_NONE, err));
    }
}

/* Refuses the lock to those at the end of the line who are too many. `*ret_more`: others may follow in
 * another turn. */
static enum status refuse_rest(struct granting *granting, bool *ret_more, struct error *err)
{
    struct turn *turn = granting->run->turn;
    int64_t max = turn->engine->limits.lock_waiters_max;
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_LOCK,
                                          .prefix =
                                              locks_prefix(LOCK_WAITER, granting->qualified, &turn->arena),
                                          .skip = (size_t)max + granting->left,
                                          .max = LOCK_GRANTS_PER_TURN_MAX };
    struct record_row *row;
    size_t count;
    int32_t tenant;
    str name = tenant_name(granting->qualified, &tenant),
        why =
            arena_printf(&turn->arena, "%lld wait for the lock \"%.*s\", and more may not (lock_waiters_max)",
                         (long long)max, STR_ARG(name));
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    *ret_more = count == filter.max;
    for (size_t i = 0; i < count; i++) {
        const struct instance *instance;
        struct definition *definition;
        const struct lock *lock;
        if (i && slice_is_over(turn)) {
            *ret_more = true;
            return ST_OK;
        }
        TRY(find_waiter(turn, &row[i], &instance, &definition, &lock, err));
        if (lock) TRY(answer(granting, definition, instance, lock, why, err));
    }
    return ST_OK;
}

static enum status look_at(struct granting *granting, bool *ret_more, struct error *err)
{
    TRY(grant_all(granting, ret_more, err));
    return *ret_more ? ST_OK : refuse_rest(granting, ret_more, err);
}

static enum status do_name(struct backlog_run *run, const struct backlog_row *row,
                           enum backlog_outcome *ret_outcome, struct error *err)
{
    const struct record_row *record = row->of;
    struct turn *turn = run->turn;
    struct granting granting = { .run = run };
    struct changeset changeset = { .record_remove = record, .record_remove_count = 1 };
    struct record_row due;
    uint64_t instance;
    uint32_t number;
    bool more = false, is_due = record->key.n && record->key.p[0] == LOCK_DUE;
    if (!is_due) *ret_outcome = BACKLOG_KEPT;
    if (locks_read_key(record->key, &granting.qualified, &instance, &number))
        TRY(look_at(&granting, &more, err));
    if (more && is_due) *ret_outcome = BACKLOG_KEPT;
    if (more) {
        due = locks_due(granting.qualified, &turn->arena);
        changeset = (struct changeset){ .record_put = &due, .record_put_count = 1 };
        turn->engine->transact.backlog[BACKLOG_LOCK].due = true;
    }
    return is_due || more ? transact_rows(turn, &changeset, err) : ST_OK;
}

static enum status read_tag(struct turn *turn, char tag, str after, size_t max, struct record_row **ret_row,
                            size_t *ret_count, struct error *err)
{
    const struct record_filter filter = {
        .ns = NAMESPACE_DEFAULT, .kind = RECORD_LOCK, .prefix = { &tag, 1 }, .after = after, .max = max
    };
    return store_records(turn->engine->store, &filter, &turn->arena, ret_row, ret_count, err);
}

/* When the engine has begun it looks once at all names with waiters, by the first waiter of each. */
static enum status read_first_waiters(struct backlog_run *run, str after, size_t max,
                                      struct record_row *ret_row, size_t *ret_count, struct error *err)
{
    struct turn *turn = run->turn;
    for (*ret_count = 0; *ret_count < max; ++*ret_count) {
        struct record_row *row;
        size_t count;
        str qualified;
        uint64_t instance;
        uint32_t number;
        TRY(read_tag(turn, LOCK_WAITER, after, 1, &row, &count, err));
        if (!count) break;
        ret_row[*ret_count] = *row;
        if (!locks_read_key(row->key, &qualified, &instance, &number))
            qualified = str_slice(row->key, 1, row->key.n);
        after = arena_printf(&turn->arena, "%.*s\xff",
                             STR_ARG(locks_prefix(LOCK_WAITER, qualified, &turn->arena)));
        ret_row[*ret_count].value = after;
    }
    turn->engine->transact.locks.is_scanned = *ret_count < max;
    return ST_OK;
}

static enum status read_names(struct backlog_run *run, str after, size_t max, struct backlog_row **ret_row,
                              size_t *ret_count, struct error *err)
{
    struct turn *turn = run->turn;
    struct record_row *record = NULL;
    size_t count = 0;
    bool scans = after.n && after.p[0] == LOCK_WAITER;
    if (!scans) TRY(read_tag(turn, LOCK_DUE, after, max, &record, &count, err));
    bool looks_on = !count && !turn->engine->transact.locks.is_scanned;
    if (looks_on) {
        record = arena_make_n(&turn->arena, struct record_row, max);
        TRY(read_first_waiters(run, scans ? after : STR_NONE, max, record, &count, err));
    }
    struct backlog_row *row = arena_make_n(&turn->arena, struct backlog_row, count);
    for (size_t i = 0; i < count; i++)
        row[i] = (struct backlog_row){ .key = record[i].key,
                                       .place = looks_on ? record[i].value : record[i].key,
                                       .of = &record[i] };
    run->has_all = count < max && turn->engine->transact.locks.is_scanned;
    *ret_row = row;
    *ret_count = count;
    return ST_OK;
}

void locks_go_on(struct turn *turn)
{
    static const struct backlog_user user = {
        .max = LOCK_NAMES_PER_TURN_MAX,
        .unread = "a lock cannot be looked at",
        .read = read_names,
        .row = do_name,
    };
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_LOCK];
    backlog_run(turn, backlog, &user, NULL);
    /* Another node may have died before it looked. */
    backlog->left |= turn->engine->nodes.shared;
}

size_t locks_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter)
{
    static const char due = LOCK_DUE;
    (void)engine, (void)arena;
    *ret_filter =
        (struct record_filter){ .ns = NAMESPACE_DEFAULT, .kind = RECORD_LOCK, .prefix = { &due, 1 } };
    return 1;
}
