/* runtime/transact/locks.c — the rows of named locks: written with the instances, and read for people. */
#include "runtime/transact/locks_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/locks_circle.h"

/* ---- rows of an instance ---- */

/* The value is for people. */
static str value_of(const struct definition *definition, const struct instance *instance,
                    const struct lock *lock, struct arena *arena)
{
    const struct token *token = instance_find_token(instance, lock->execution);
    must(token && lock->size); /* Only somebody who stands at the step holds its lock or waits for it. */
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("definition"));
    json_add_string(&builder, definition->id);
    json_add_name(&builder, STR("node"));
    json_add_string(&builder, token->node_name);
    json_add_name(&builder, STR("created"));
    json_add_int(&builder, instance->created_ms);
    json_add_name(&builder, STR("asked"));
    json_add_int(&builder, lock->asked_ms);
    json_add_name(&builder, STR("granted"));
    json_add_int(&builder, lock->granted_ms);
    json_add_name(&builder, STR("size"));
    json_add_int(&builder, lock->size);
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

static struct record_row row_of(const struct definition *definition, const struct instance *instance,
                                const struct lock *lock, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, locks_prefix(lock->is_held ? LOCK_HOLDER : LOCK_WAITER,
                                   tenant_key(definition->ns, lock->name, arena), arena));
    if (!lock->is_held) {
        buf_add_char(&key, (char)(10 - definition->program->priority));
        locks_add_number(&key, (uint64_t)lock->asked_ms);
    }
    locks_add_number(&key, instance->id);
    locks_add_number(&key, lock->number);
    return (struct record_row){ .ns = NAMESPACE_DEFAULT,
                                .kind = RECORD_LOCK,
                                .key = buf_str(&key),
                                .value = value_of(definition, instance, lock, arena) };
}

/* A failed instance keeps what it holds, and does not wait. */
static bool has_row(const struct instance *instance, const struct lock *lock)
{
    return lock->is_held || reaches(instance, lock->execution);
}

static struct record_row *rows_of(struct turn *turn, const struct definition *definition,
                                  const struct instance *instance, size_t *ret_count)
{
    size_t count = instance ? instance->lock_count : 0;
    struct record_row *row = arena_make_n(&turn->arena, struct record_row, count);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++)
        if (has_row(instance, &instance->lock[i]))
            row[(*ret_count)++] = row_of(definition, instance, &instance->lock[i], &turn->arena);
    return row;
}

static bool is_among(const struct record_row *row, size_t count, const struct record_row *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(row[i].key, wanted->key) && str_equal(row[i].value, wanted->value)) return true;
    return false;
}

/* A name is looked at when somebody asks for it or gives it up, but not when a waiter was granted. */
static bool is_granted(const struct instance *now, const struct record_row *gone)
{
    str qualified;
    uint64_t instance = 0;
    uint32_t number = 0;
    must(locks_read_key(gone->key, &qualified, &instance, &number));
    const struct lock *lock = gone->key.p[0] == LOCK_WAITER ? instance_find_lock(now, number) : NULL;
    return lock && lock->is_held;
}

struct row_list {
    struct record_row *row;
    size_t count;
};

static void add_due(struct turn *turn, struct row_list *put, const struct record_row *changed)
{
    str qualified;
    uint64_t instance;
    uint32_t number;
    must(locks_read_key(changed->key, &qualified, &instance, &number));
    struct record_row due = locks_due(qualified, &turn->arena);
    turn->engine->transact.backlog[BACKLOG_LOCK].due = true;
    if (!is_among(put->row, put->count, &due)) put->row[put->count++] = due;
}

static struct record_row *joined(struct arena *arena, const struct record_row *a, size_t a_count,
                                 const struct record_row *b, size_t b_count)
{
    struct record_row *row = arena_make_n(arena, struct record_row, a_count + b_count);
    if (a_count) memcpy(row, a, a_count * sizeof *a);
    if (b_count) memcpy(row + a_count, b, b_count * sizeof *b);
    return row;
}

void locks_change(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    const struct instance *written = loaded->written, *now = loaded->now;
    if (!(written && written->lock_count) && !now->lock_count) return;
    size_t before_count, after_count;
    struct record_row *before = rows_of(turn, loaded->written_as, written, &before_count),
                      *after = rows_of(turn, loaded->definition, now, &after_count);
    struct row_list put = { arena_make_n(&turn->arena, struct record_row, 2 * (before_count + after_count)),
                            0 },
                    removed = { arena_make_n(&turn->arena, struct record_row, before_count), 0 };
    for (size_t i = 0; i < before_count; i++) {
        if (is_among(after, after_count, &before[i])) continue;
        removed.row[removed.count++] = before[i];
        if (!is_granted(now, &before[i])) add_due(turn, &put, &before[i]);
    }
    for (size_t i = 0; i < after_count; i++) {
        if (is_among(before, before_count, &after[i])) continue;
        put.row[put.count++] = after[i];
        if (after[i].key.p[0] == LOCK_WAITER) add_due(turn, &put, &after[i]);
    }
    effects->marked = joined(&turn->arena, effects->marked, effects->marked_count, put.row, put.count);
    effects->marked_count += put.count;
    effects->unmarked =
        joined(&turn->arena, effects->unmarked, effects->unmarked_count, removed.row, removed.count);
    effects->unmarked_count += removed.count;
    must(put.count <= 2 * (before_count + after_count) && removed.count <= before_count);
}

enum status locks_forget_instance(struct turn *turn, const struct definition *definition,
                                  const struct instance *instance, struct error *err)
{
    size_t count;
    struct record_row *row = rows_of(turn, definition, instance, &count);
    struct row_list due = { arena_make_n(&turn->arena, struct record_row, count), 0 };
    for (size_t i = 0; i < count; i++) add_due(turn, &due, &row[i]);
    struct changeset changeset = { .record_remove = row,
                                   .record_remove_count = count,
                                   .record_put = due.row,
                                   .record_put_count = due.count };
    return count ? transact_rows(turn, &changeset, err) : ST_OK;
}

/* All instances of the tenant are gone, and what is left are names to look at. */
enum status locks_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err)
{
    static const char tags[] = { LOCK_DUE, LOCK_HOLDER, LOCK_WAITER };
    *ret_count = 0;
    for (size_t i = 0; i < COUNT(tags) && !*ret_count; i++) {
        struct buf prefix;
        struct record_row *row;
        buf_init(&prefix, &turn->arena);
        buf_add_char(&prefix, tags[i]);
        buf_add_str(&prefix, tenant_qualify(ns, STR_NONE, &turn->arena));
        const struct record_filter filter = {
            .ns = NAMESPACE_DEFAULT, .kind = RECORD_LOCK, .prefix = buf_str(&prefix), .max = max
        };
        TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, ret_count, err));
        struct changeset changeset = { .record_remove = row, .record_remove_count = *ret_count };
        if (*ret_count) TRY(transact_rows(turn, &changeset, err));
    }
    return ST_OK;
}

/* ---- for people ---- */

static void read_seats(const struct record_row *row, size_t count, struct arena *arena,
                       struct lock_seats *ret_seats)
{
    ret_seats->more = count > LOCK_SEATS_MAX;
    if (count > LOCK_SEATS_MAX) count = LOCK_SEATS_MAX;
    ret_seats->seat = arena_make_n(arena, struct lock_seat, count);
    for (size_t i = 0; i < count; i++)
        ret_seats->count += locks_read_seat(&row[i], arena, &ret_seats->seat[ret_seats->count]);
    must(ret_seats->count <= LOCK_SEATS_MAX);
}

static struct record_filter seats_of(char tag, str qualified, struct arena *arena)
{
    return (struct record_filter){ .ns = NAMESPACE_DEFAULT,
                                   .kind = RECORD_LOCK,
                                   .prefix = locks_prefix(tag, qualified, arena),
                                   .max = LOCK_SEATS_MAX + 1 };
}

/* May the caller learn which run that is? Otherwise it learns only that there is one. */
static bool may_name(const struct call *call, const struct lock_seat *seat)
{
    const struct sight sight = sight_of(call);
    return sight.all || sight_has(&sight, sight_object(call, seat->definition_id));
}

static void say_holders(const struct call *call, const struct lock_seats *holders, struct buf *out)
{
    size_t named = 0;
    for (size_t i = 0; i < holders->count && named < LOCK_HOLDERS_SAID_MAX; i++) {
        char id[ID_CHARS + 1];
        if (!may_name(call, &holders->seat[i])) continue;
        id_print(holders->seat[i].id, id);
        buf_printf(out, "%s %s (\"%.*s\" of %.*s)", named++ ? "," : "; held by instance", id,
                   STR_ARG(holders->seat[i].node), STR_ARG(holders->seat[i].definition_id));
    }
    if (holders->count > named || holders->more)
        buf_add_str(out, named ? STR(" and others") : STR("; held by others"));
}

static void say_circle(const struct call *call, const struct lock_circle *circle, struct buf *out)
{
    size_t named = 0;
    if (!circle->count) return;
    buf_add_str(out, STR("; they wait for each other in a circle, and none of them can go on"));
    for (size_t i = 0; i < circle->count && named < LOCK_HOLDERS_SAID_MAX; i++) {
        const struct circle_link *link = &circle->link[i];
        char id[ID_CHARS + 1];
        if (!may_name(call, &link->seat)) continue;
        id_print(link->seat.id, id);
        buf_printf(out, "%s instance %s holds \"%.*s\" and waits for \"%.*s\"", named++ ? "," : ":", id,
                   STR_ARG(link->holds), STR_ARG(link->waits));
    }
    if (named && circle->count > named) buf_printf(out, ", and %zu others", circle->count - named);
}

str locks_explain(struct turn *turn, const struct call *call, int32_t ns, const struct instance *instance,
                  const struct lock *lock)
{
    struct arena *arena = call->arena;
    str qualified = tenant_key(ns, lock->name, &turn->arena);
    const struct record_filter held = seats_of(LOCK_HOLDER, qualified, &turn->arena),
                               waits = seats_of(LOCK_WAITER, qualified, &turn->arena);
    struct lock_seats holders = { 0 }, waiters = { 0 };
    struct record_row *row;
    size_t count, place = 0;
    struct error err;
    struct buf out;
    buf_init(&out, arena);
    if (store_records(turn->engine->store, &held, &turn->arena, &row, &count, &err) != ST_OK) return STR_NONE;
    read_seats(row, count, arena, &holders);
    if (store_records(turn->engine->store, &waits, &turn->arena, &row, &count, &err) != ST_OK)
        return STR_NONE;
    read_seats(row, count, arena, &waiters);
    say_holders(call, &holders, &out);
    for (size_t i = 0; i < count && !place; i++) {
        str name;
        uint64_t id;
        uint32_t number;
        if (locks_read_key(row[i].key, &name, &id, &number) && id == instance->id && number == lock->number)
            place = i + 1;
    }
    if (place)
        buf_printf(&out, "; place %zu of %s%zu", place, waiters.more ? "more than " : "", waiters.count);
    const struct circle_source source = locks_source_turn(turn);
    struct lock_circle circle;
    size_t runs_left = CIRCLE_RUNS_SAID_MAX;
    if (locks_circle(&source, qualified, &runs_left, &turn->arena, &circle, &err) == ST_OK)
        say_circle(call, &circle, &out);
    return buf_str(&out);
}

/* The qualified name of the next lock with rows of that kind, or empty. */
static enum status next_name(struct store_reader *reader, char tag, str prefix, str after,
                             struct arena *arena, str *ret_qualified, struct error *err)
{
    struct buf from, first;
    struct record_row *row;
    size_t count;
    uint64_t instance;
    uint32_t number;
    buf_init(&from, arena);
    buf_init(&first, arena);
    buf_add_char(&from, tag);
    buf_add_str(&from, prefix);
    buf_add_char(&first, tag);
    buf_add_str(&first, after);
    struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                    .kind = RECORD_LOCK,
                                    .prefix = buf_str(&from),
                                    .after = buf_str(&first),
                                    .max = 1 };
    *ret_qualified = STR_NONE;
    TRY(reader_records(reader, &filter, arena, &row, &count, err));
    if (count && !locks_read_key(row->key, ret_qualified, &instance, &number))
        return fail(err, ST_INTERNAL, "lock", "the key of a lock cannot be read");
    return ST_OK;
}

enum status locks_next(struct store_reader *reader, int32_t ns, str after, str only, size_t *runs_left,
                       struct arena *arena, struct lock_view **ret_view, struct error *err)
{
    static const char plain[] = { TENANT_MARK + 1 };
    str prefix = ns == TENANT_DEFAULT ? STR_NONE : tenant_qualify(ns, STR_NONE, arena), a, b;
    str behind = after.n    ? arena_printf(arena, "%.*s%c\xff", STR_ARG(tenant_key(ns, after, arena)), '\0')
                 : prefix.n ? prefix
                            : (str){ plain, sizeof plain };
    struct record_row *row;
    size_t count;
    int32_t tenant;
    *ret_view = NULL;
    if (only.n) {
        a = tenant_key(ns, only, arena);
    } else {
        TRY(next_name(reader, LOCK_HOLDER, prefix, behind, arena, &a, err));
        TRY(next_name(reader, LOCK_WAITER, prefix, behind, arena, &b, err));
        if (!a.n || (b.n && str_compare(b, a) < 0)) a = b;
    }
    if (!a.n) return ST_OK;
    struct lock_view *view = arena_make(arena, struct lock_view);
    *view = (struct lock_view){ .name = arena_str(arena, tenant_name(a, &tenant)) };
    const struct record_filter held = seats_of(LOCK_HOLDER, a, arena),
                               waits = seats_of(LOCK_WAITER, a, arena);
    TRY(reader_records(reader, &held, arena, &row, &count, err));
    read_seats(row, count, arena, &view->holders);
    TRY(reader_records(reader, &waits, arena, &row, &count, err));
    read_seats(row, count, arena, &view->waiters);
    const struct circle_source source = locks_source_reader(reader);
    if (view->holders.count && view->waiters.count)
        TRY(locks_circle(&source, a, runs_left, arena, &view->circle, err));
    if (view->holders.count || view->waiters.count || !only.n) *ret_view = view;
    return ST_OK;
}
