/* runtime/transact/backlog.c — rounds over rows that wait, some rows in every turn. */
#include "runtime/transact/transact_int.h"

#include "base/log.h"
#include "base/must.h"

enum { HOLD_MS = 1000 }; /* The pause after a failed transaction. */

static void set(struct buf *buf, str bytes)
{
    buf->n = 0;
    buf_add_str(buf, bytes);
}

/* ---- all kinds ---- */

void backlog_init(struct backlog *backlog)
{
    *backlog = (struct backlog){ .due = false };
    buf_init(&backlog->after, NULL);
    buf_init(&backlog->next, NULL);
    buf_init(&backlog->blamed, NULL);
}

void backlog_done(struct backlog *backlog)
{
    buf_done(&backlog->after);
    buf_done(&backlog->next);
    buf_done(&backlog->blamed);
}

void backlog_wake(struct engine *engine, enum backlog_name first, enum backlog_name last)
{
    for (enum backlog_name name = first; name <= last; name++) engine->transact.backlog[name].due = true;
}

size_t backlog_begin(struct backlog *backlog, size_t max)
{
    backlog->took_part = true;
    backlog->did = false;
    backlog->max = max;
    return backlog->slice && backlog->slice < max ? backlog->slice : max;
}

void backlog_pass(struct backlog *backlog, str place)
{
    set(&backlog->after, place);
    set(&backlog->next, place);
}

void backlog_move(struct backlog *backlog, str place) { set(&backlog->next, place); }

void backlog_hold(struct backlog *backlog, int64_t now_ms) { backlog->hold_ms = now_ms + HOLD_MS; }

/* The shorter a transaction, the fewer conflicts. */
static void halve(struct backlog *backlog)
{
    size_t tried = backlog->slice ? backlog->slice : backlog->max;
    backlog->slice = tried > 1 ? tried / 2 : 1;
}

void backlog_end(const struct turn *turn, struct backlog *backlog, bool waits, bool committed)
{
    if (!backlog->took_part) return;
    backlog->took_part = false;
    if (committed) {
        set(&backlog->after, buf_str(&backlog->next));
        if (backlog->did) backlog->slice = 2 * backlog->slice < backlog->max ? 2 * backlog->slice : 0;
        return;
    }
    bool again = turn->failed == ST_AGAIN;
    set(&backlog->next, buf_str(&backlog->after));
    if (again && backlog->did) halve(backlog);
    if (!again) backlog_hold(backlog, turn->now_ms);
    backlog->due = !(again && waits);
    backlog->left |= again && waits;
}

/* ---- rows of the store ---- */

bool backlog_take(struct backlog_run *run, str key)
{
    bool is_blamed = run->backlog->blamed.n && str_equal(key, buf_str(&run->backlog->blamed));
    run->stops =
        run->taken && (run->is_alone || is_blamed || run->taken >= run->max || slice_is_over(run->turn));
    if (run->stops) return false;
    run->is_alone = is_blamed;
    run->key = key;
    run->taken++;
    run->backlog->did = true;
    return true;
}

static void log_passed(const struct backlog_run *run, const struct backlog_row *row, const struct error *err)
{
    char id[ID_CHARS + 1];
    id_print((struct id){ .instance = row->instance }, id);
    log_write(LOG_ERROR, run->user->unread, row->instance ? "instance" : "definition",
              row->instance ? id : arena_printf(&run->turn->arena, "%.*s", STR_ARG(row->name)).p, "reason",
              err->message, NULL);
}

/* The store has failed, perhaps only for this row. */
static void blame(struct backlog_run *run, const struct backlog_row *row, const struct error *err)
{
    struct backlog *backlog = run->backlog;
    if (!run->is_alone) {
        set(&backlog->blamed, run->key);
        return;
    }
    log_passed(run, row, err);
    backlog->blamed.n = 0;
    backlog_pass(backlog, row->place);
}

static void note_outcome(struct backlog_run *run, const struct backlog_row *row, enum backlog_outcome outcome)
{
    struct backlog *backlog = run->backlog;
    if (run->is_alone) backlog->blamed.n = 0; /* It can be read after all. */
    backlog->blocked = outcome == BACKLOG_LEFT ? backlog->blocked + 1 : 0;
    backlog->left |= outcome == BACKLOG_LEFT;
    run->stays |= outcome != BACKLOG_DONE;
    run->passed = row->place;
}

void backlog_give_back(struct backlog_run *run)
{
    must(run->taken);
    run->taken--;
}

/* False: the transaction is lost. */
static bool do_row(struct backlog_run *run, const struct backlog_row *row)
{
    struct turn *turn = run->turn;
    struct error err;
    enum backlog_outcome outcome = BACKLOG_DONE;
    if (row->key.n && !backlog_take(run, row->key)) return true;
    enum status status = run->user->row(run, row, &outcome, &err);
    bool writes = turn->failed != ST_OK;
    if (status == ST_OK && !writes) {
        if (!run->stops) note_outcome(run, row, outcome);
        return true;
    }
    if (status == ST_OK) err = turn->failure;
    if (err.status == ST_STORE && (!writes || run->user->blames_writes)) blame(run, row, &err);
    transact_failed(turn, &err);
    return false;
}

/* Rows that are gone need no place, and the next turn begins with the first row: it may be a new one. */
static void end_run(struct backlog_run *run)
{
    struct backlog *backlog = run->backlog;
    if (run->has_all && !run->stops) {
        backlog->next.n = backlog->blocked = 0;
        return;
    }
    if (run->passed.n && (run->stays || backlog->after.n)) set(&backlog->next, run->passed);
    bool pauses = run->user->blocked_max && backlog->blocked >= run->user->blocked_max;
    if (pauses) backlog->blocked = 0;
    backlog->left |= pauses;
    backlog->due |= !pauses;
}

void backlog_run(struct turn *turn, struct backlog *backlog, const struct backlog_user *user, void *context)
{
    struct backlog_run run = { .turn = turn,
                               .backlog = backlog,
                               .user = user,
                               .context = context,
                               .max = backlog_begin(backlog, user->max) };
    struct backlog_row *row;
    struct error err;
    size_t count = 0;
    enum status status = transact_begin(turn, &err);
    if (status == ST_OK) status = user->read(&run, buf_str(&backlog->after), run.max, &row, &count, &err);
    if (status != ST_OK) {
        transact_failed(turn, &err);
        return;
    }
    backlog->due = false;
    /* Rows that the round has passed come again in another one. */
    backlog->left = backlog->after.n && !user->passes_for_good;
    for (size_t i = 0; i < count && !run.stops; i++)
        if (!do_row(&run, &row[i])) return;
    end_run(&run);
}

/* ---- rows of the kind `pending` ---- */

/* The place of a row in a round. Places are compared as bytes, so there is no padding. */
struct row_place {
    int64_t created_ms;
    uint64_t parent, number;
};

static str place_of(const struct pending_row *row, struct arena *arena)
{
    struct row_place *place = arena_make(arena, struct row_place);
    *place = (struct row_place){ row->created_ms, row->parent, row->number };
    return (str){ (const char *)place, sizeof *place };
}

struct pending_row backlog_row_at(str place)
{
    struct row_place at = { 0 };
    must(!place.n || place.n == sizeof at);
    if (place.n) memcpy(&at, place.p, sizeof at);
    return (struct pending_row){ .created_ms = at.created_ms,
                                 .parent = at.parent,
                                 .number = (uint32_t)at.number };
}

struct backlog_row *backlog_rows_of(const struct pending_row *row, size_t count, struct arena *arena)
{
    struct backlog_row *ret = arena_make_n(arena, struct backlog_row, count);
    for (size_t i = 0; i < count; i++) {
        str place = place_of(&row[i], arena);
        ret[i] =
            (struct backlog_row){ .key = place, .place = place, .instance = row[i].parent, .of = &row[i] };
    }
    return ret;
}

enum status backlog_read_records(struct backlog_run *run, enum record_kind kind, str after, size_t max,
                                 uint64_t below, struct backlog_row **ret_row, size_t *ret_count,
                                 struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = kind, .after = after, .max = max };
    struct record_row *record;
    size_t count, i = 0;
    TRY(store_records(run->turn->engine->store, &filter, &run->turn->arena, &record, &count, err));
    struct backlog_row *row = arena_make_n(&run->turn->arena, struct backlog_row, count);
    for (; i < count && index_record_instance_of(record[i].key) < below; i++)
        row[i] = (struct backlog_row){ .key = record[i].key,
                                       .place = record[i].key,
                                       .instance = index_record_instance_of(record[i].key),
                                       .of = &record[i] };
    run->has_all = i < max;
    *ret_row = row;
    *ret_count = i;
    return ST_OK;
}
