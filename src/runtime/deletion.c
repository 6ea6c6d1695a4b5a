/* runtime/deletion.c — a definition goes with all its versions, and its id is free.
 *
 *     no runs are left ──► everything goes in the transaction of the call
 *     ended runs are left, and the caller lets them go
 *           │              the latest version is retired and leaving, and a record says so:
 *           │              from this commit on no node starts or publishes anything with the id
 *           ▼
 *     ended runs, some in each turn ──► records whose number is open (keys of arrivals, what is kept)
 *           ──► in one transaction the rest of these, trigger and tool routes, schedules, the draft,
 *               all versions and the record
 *
 * No step remembers a place: each removes what it finds, so that a crash costs nothing but the slice. One
 * node does it, the one that leads. Runs that live are never touched: one that somebody retries meanwhile
 * makes the deletion wait for its end.
 *
 * On a shared store another node may commit a start while this one deletes. So the definition is retired in a
 * transaction before: a start that is committed later fails by the generation of the definitions, and one
 * that was committed earlier is seen by the next look.
 */
#include "runtime/runtime_int.h"

#include "base/array.h"
#include "base/ascii.h"
#include "base/log.h"
#include "base/must.h"
#include "program/program.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/call/call.h"
#include "runtime/call/sight.h"
#include "runtime/definitions/definitions.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"
#include "source/source.h"

/* ---- definitions that start this one, on the query thread ---- */

/* The end of an id, from its last sign that is no letter and no digit. A document that names the id has it,
 * however its dialect writes the rest. */
static str last_word(str id)
{
    size_t from = id.n;
    while (from && ascii_is_alphanumeric(id.p[from - 1])) from--;
    return str_slice(id, from, id.n);
}

static bool starts(const struct definition_row *row, str id, struct arena *arena)
{
    struct problems problems;
    struct program_link *link;
    if (str_find(row->source, last_word(id), 0) == SIZE_MAX) return false;
    problems_init(&problems, arena);
    problems.errors_only = true;
    problems.stored_id = row->id;
    struct program *program = source_compile(row->source, SOURCE_JSON, SIZE_MAX, &problems, NULL);
    if (!program) return false;
    size_t count = program_links(program, arena, &link), i = 0;
    while (i < count && !str_equal(link[i].definition, id)) i++;
    bool found = i < count;
    program_unref(program);
    return found;
}

/* A definition that the caller may not see has no name here. */
static void note_needer(struct call *call, const struct definition_row *row)
{
    struct call_deletion *asked = &call->as.deletion;
    const struct sight sight = sight_of(call);
    if (asked->needed_count_ == DELETION_NEEDERS_MAX) return;
    asked->needed_by_[asked->needed_count_++] = sight_has(&sight, row->id)
                                                    ? arena_str(call->arena, row->id)
                                                    : STR("a definition that you may not see");
}

static enum status fail_needed(const struct call *call, struct error *err)
{
    const struct call_deletion *asked = &call->as.deletion;
    struct buf names;
    buf_init(&names, call->arena);
    for (size_t i = 0; i < asked->needed_count_; i++)
        buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(asked->needed_by_[i]));
    return fail_code(
        err, ST_CONFLICT, "DEFINITION_NEEDED",
        "definition \"%.*s\" is started by definitions in use: %.*s; change or retire them first",
        STR_ARG(asked->id), STR_ARG(buf_str(&names)));
}

/* The row has no source. Whether the definition starts the one that is deleted, or has gone meanwhile. */
static enum status look_at(struct query *query, struct call *call, const struct definition_row *row,
                           struct error *err)
{
    const struct call_deletion *asked = &call->as.deletion;
    struct definition_row whole;
    struct arena scratch;
    bool is_there;
    if (row->retired_ms || str_equal(row->id, asked->id)) return ST_OK;
    arena_init(&scratch, 0);
    enum status status = found_asked(
        reader_definition(query->reader, call->ns, row->id, VERSION_LATEST, &scratch, &whole, err),
        &is_there);
    if (status == ST_OK && is_there && starts(&whole, asked->id, &scratch)) note_needer(call, row);
    arena_done(&scratch);
    return status;
}

enum status deletion_find_needers(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct call_deletion *asked = &call->as.deletion;
    struct definition_row *row;
    struct arena scratch;
    size_t count;
    arena_init(&scratch, 0);
    enum status status = reader_definitions_after(query->reader, call->ns, asked->after_,
                                                  DELETION_LOOKED_AT_ONCE, &scratch, &row, &count, err);
    for (size_t i = 0; status == ST_OK && i < count; i++) status = look_at(query, call, &row[i], err);
    if (status == ST_OK && count) asked->after_ = arena_str(call->arena, row[count - 1].id);
    *ret_more = status == ST_OK && count == DELETION_LOOKED_AT_ONCE;
    arena_done(&scratch);
    if (status != ST_OK) return status;
    return !*ret_more && asked->needed_count_ ? fail_needed(call, err) : ST_OK;
}

/* ---- what is left of it ---- */

struct left_runs {
    int64_t living;
    size_t ended; /* Counted up to DELETION_RUNS_COUNTED_MAX. */
    bool waiting; /* Starts wait, of chains or of arrivals. */
};

static enum status find_left(struct turn *turn, int32_t ns, str id, struct left_runs *ret_left,
                             struct error *err)
{
    struct store *store = turn->engine->store;
    struct ended_instance *ended;
    struct pending_row pending;
    size_t count;
    *ret_left = (struct left_runs){ .living = 0 };
    TRY(store_count_living(store, ns, id, &ret_left->living, err));
    TRY(store_ended(store, ns, id, DELETION_RUNS_COUNTED_MAX, &turn->arena, &ended, &ret_left->ended, err));
    TRY(store_pending(store, ns, id, NULL, &turn->arena, &pending, 1, &count, err));
    TRY(overflow_waits(turn, ns, id, &ret_left->waiting, err));
    ret_left->waiting |= count > 0;
    return ST_OK;
}

static enum status refuse_runs(str id, const struct left_runs *left, struct error *err)
{
    if (left->living)
        return fail_code(
            err, ST_CONFLICT, "RUNS_LEFT",
            "definition \"%.*s\" has living runs (%lld): retire it and wait for their end, cancel "
            "them or migrate them",
            STR_ARG(id), (long long)left->living);
    if (left->ended)
        return fail_code(err, ST_CONFLICT, "RUNS_LEFT",
                         "definition \"%.*s\" has ended runs (%s%zu): with=ended (--with-ended) deletes them "
                         "with their histories",
                         STR_ARG(id), left->ended == DELETION_RUNS_COUNTED_MAX ? "at least " : "",
                         left->ended);
    return fail_code(err, ST_CONFLICT, "RUNS_LEFT",
                     "starts wait for definition \"%.*s\": with=ended (--with-ended) deletes them",
                     STR_ARG(id));
}

/* The workflow of a model goes after it. */
static enum status check_model(struct turn *turn, int32_t ns, str id, struct error *err)
{
    struct record_row row;
    bool is_there;
    TRY(found_asked(store_find_record(turn->engine->store, ns, RECORD_MODEL, id, &turn->arena, &row, err),
                    &is_there));
    if (!is_there) return ST_OK;
    return fail_code(err, ST_CONFLICT, "DEFINITION_NEEDED",
                     "definition \"%.*s\" is the workflow of a model; delete the model first", STR_ARG(id));
}

/* ---- a slice ---- */

enum deletion_fate {
    DELETION_GONE,
    DELETION_GOES_ON, /* In the next turn. */
    DELETION_WAITS,   /* Until runs have ended. */
};

/* One that failed while other branches had jobs open is cancelled first, so that these leave the memory of
 * every node. One that cannot be cancelled is purged as it is. */
static enum status cancel_failed(struct turn *turn, int32_t ns, uint64_t id, bool *ret_cancelled,
                                 struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    struct transition *transition;
    struct command command = { .kind = COMMAND_CANCEL,
                               .now_ms = turn->now_ms,
                               .actor = STR("engine"),
                               .as.cancel = { .reason = STR("its definition is deleted"),
                                              .failed_too = true } };
    enum status status = found_needed(transact_load_in(turn, ns, id, &instance, &definition, err));
    if (status == ST_OK) status = follow_command(turn, definition, instance, &command, &transition, err);
    *ret_cancelled = status == ST_OK;
    return transact_is_lost(turn, status) ? transact_failed(turn, err) : ST_OK;
}

/* Commands of this very turn have changed some of them: these come in the next one. */
static enum status remove_ended(struct turn *turn, int32_t ns, const struct ended_instance *ended,
                                size_t ended_count, struct error *err)
{
    uint64_t *gone = arena_make_n(&turn->arena, uint64_t, ended_count);
    size_t count = 0;
    for (size_t i = 0; i < ended_count && !(i && slice_is_over(turn)); i++) {
        const struct loaded *loaded = map_get(&turn->loaded_of, ended[i].id);
        bool cancelled = false;
        must(instance_status_ended(ended[i].status));
        if (loaded && loaded->changed) continue;
        if (ended[i].has_jobs && ended[i].status == INSTANCE_FAILED)
            TRY(cancel_failed(turn, ns, ended[i].id, &cancelled, err));
        if (!cancelled) gone[count++] = ended[i].id;
    }
    return count ? removal_purge(turn, gone, count, err) : ST_OK;
}

/* Records whose keys begin with the id: there may be many. */
static enum status remove_keyed(struct turn *turn, int32_t ns, str id, size_t max, size_t *ret_count,
                                struct error *err)
{
    static const enum record_kind kinds[] = { RECORD_SEEN, RECORD_PAUSED, RECORD_ACTIVE, RECORD_TALLY };
    *ret_count = 0;
    for (size_t i = 0; i < COUNT(kinds) && *ret_count < max; i++) {
        const struct record_filter filter = { .ns = ns,
                                              .kind = kinds[i],
                                              .prefix = index_record_prefix(id, &turn->arena),
                                              .max = max - *ret_count };
        struct record_row *row;
        size_t count;
        TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
        struct changeset changeset = { .record_remove = row, .record_remove_count = count };
        if (count) TRY(transact_rows(turn, &changeset, err));
        *ret_count += count;
    }
    return ST_OK;
}

/* `*ret_is_over` false: there may be more of them. */
static enum status remove_names(struct turn *turn, int32_t ns, str id, size_t max, bool *ret_is_over,
                                struct error *err)
{
    size_t keyed, queued = 0, kept = 0;
    TRY(remove_keyed(turn, ns, id, max, &keyed, err));
    if (keyed < max) TRY(overflow_end(turn, ns, id, max - keyed, &queued, err));
    if (keyed + queued < max) TRY(kept_end(turn, ns, id, max - keyed - queued, &kept, err));
    *ret_is_over = !queued && keyed + kept < max;
    return ST_OK;
}

static void tell_gone(struct turn *turn, int32_t ns, str id, int64_t schedules)
{
    struct memory *memory = &turn->engine->memory;
    catalogue_forget_latest(&memory->catalogue, ns, id);
    usage_add(&memory->usage, ns, QUOTA_SCHEDULES, -schedules);
    usage_add(&memory->usage, ns, QUOTA_DEFINITIONS, -1);
    live_note(&memory->live, ns, LIVE_DEFINITIONS, id);
    live_note(&memory->live, ns, LIVE_TRIGGERS, id);
    live_note(&memory->live, ns, LIVE_DRAFTS, id);
}

static enum status remove_last(struct turn *turn, int32_t ns, str id, struct error *err)
{
    str key = tenant_key(ns, id, &turn->arena);
    int64_t schedules = (int64_t)schedules_count_of(&turn->engine->memory.schedules, key);
    struct definition_row latest;
    const struct record_row gone[] = {
        { .ns = ns, .kind = RECORD_DRAFT, .key = id },
        { .ns = ns, .kind = RECORD_BUILT, .key = id },
        { .ns = NAMESPACE_DEFAULT, .kind = RECORD_DELETION, .key = key },
    };
    TRY(found_needed(
        store_find_definition(turn->engine->store, ns, id, VERSION_LATEST, &turn->arena, &latest, err)));
    turn->deployed = true;
    TRY(trigger_routes_forget(turn, &latest, err));
    TRY(tool_routes_forget(turn, &latest, err));
    TRY(ticks_deploy(turn, &latest, NULL, err));
    struct changeset changeset = { .definition_remove = &latest,
                                   .record_remove = gone,
                                   .record_remove_count = COUNT(gone) };
    TRY(transact_rows(turn, &changeset, err));
    tell_gone(turn, ns, id, schedules);
    return ST_OK;
}

/* Removes runs, or, when none is left, all the rest. */
static enum status step(struct turn *turn, int32_t ns, str id, size_t max, enum deletion_fate *ret_fate,
                        struct error *err)
{
    struct ended_instance *ended;
    size_t count;
    int64_t living;
    bool is_over;
    *ret_fate = DELETION_GOES_ON;
    TRY(store_ended(turn->engine->store, ns, id, max, &turn->arena, &ended, &count, err));
    if (count) return remove_ended(turn, ns, ended, count, err);
    TRY(store_count_living(turn->engine->store, ns, id, &living, err));
    if (living || turn->engine->transact.units.count) {
        *ret_fate = DELETION_WAITS;
        return ST_OK;
    }
    TRY(remove_names(turn, ns, id, max, &is_over, err));
    if (!is_over) return ST_OK;
    *ret_fate = DELETION_GONE;
    return remove_last(turn, ns, id, err);
}

/* ---- the call ---- */

static enum status begin(struct turn *turn, struct definition_row *row, struct error *err)
{
    const struct record_row record = { .ns = NAMESPACE_DEFAULT,
                                       .kind = RECORD_DELETION,
                                       .key = tenant_key(row->ns, row->id, &turn->arena) };
    struct changeset changeset = { .record_put = &record, .record_put_count = 1 };
    if (!row->retired_ms) row->retired_ms = turn->now_ms;
    row->is_leaving = true;
    TRY(retire_latest(turn, row, err));
    TRY(transact_rows(turn, &changeset, err));
    turn->engine->transact.backlog[BACKLOG_DELETION].due = true;
    return ST_OK;
}

/* May all of it go now? Another node, or a unit that waits, may be about to start it. */
static bool is_quiet(const struct turn *turn, const struct definition_row *row, const struct left_runs *left)
{
    const struct engine *engine = turn->engine;
    return !left->ended && !engine->transact.units.count && (!engine->nodes.shared || row->retired_ms);
}

static enum status delete_now_or_later(struct turn *turn, struct definition_row *row,
                                       const struct left_runs *left, struct error *err)
{
    enum deletion_fate fate = DELETION_GOES_ON;
    enum status status = ST_OK;
    must(!left->living);
    if (is_quiet(turn, row, left)) status = step(turn, row->ns, row->id, PURGED_PER_TURN_MAX, &fate, err);
    if (status == ST_OK && fate != DELETION_GONE) status = begin(turn, row, err);
    return status == ST_OK ? ST_OK : transact_failed(turn, err);
}

enum status deletion_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_deletion *asked = &call->as.deletion;
    struct answer_definitions *answer = &call->value.definitions;
    struct definition_row row;
    struct left_runs left;
    bool is_there;
    TRY(found_asked(store_find_definition(turn->engine->store, call->ns, asked->id, VERSION_LATEST,
                                          call->arena, &row, err),
                    &is_there));
    if (!is_there)
        return fail(err, ST_NOT_FOUND, "definition", "definition \"%.*s\" not found", STR_ARG(asked->id));
    *answer = (struct answer_definitions){ .count = 1, .is_new = !row.is_leaving, .latest = row.version };
    problems_init(&answer->problems, call->arena);
    if (answer->is_new) {
        TRY(check_model(turn, call->ns, asked->id, err));
        TRY(find_left(turn, call->ns, asked->id, &left, err));
        if (left.living || (!asked->with_ended && (left.ended || left.waiting)))
            return refuse_runs(asked->id, &left, err);
        TRY(delete_now_or_later(turn, &row, &left, err));
    }
    answer->row = arena_make(call->arena, struct definition_row);
    *answer->row = row;
    answer->row->source = STR_NONE;
    return ST_OK;
}

/* ---- later turns ---- */

size_t deletion_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter)
{
    (void)engine, (void)arena;
    *ret_filter = (struct record_filter){ .ns = NAMESPACE_DEFAULT, .kind = RECORD_DELETION, .max = 1 };
    return 1;
}

/* The round passes definitions that have to wait. At its end maintenance makes it due again. */
static enum status go_on(struct turn *turn, struct backlog *backlog, size_t max, struct error *err)
{
    struct record_filter filter;
    struct record_row *row;
    enum deletion_fate fate;
    size_t count;
    int32_t ns;
    deletion_filters(turn->engine, &turn->arena, &filter);
    filter.after = arena_str(&turn->arena, buf_str(&backlog->after));
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    backlog->due = backlog->did = count > 0;
    if (!count) {
        backlog->left = filter.after.n > 0;
        backlog_move(backlog, STR_NONE);
        return ST_OK;
    }
    str id = tenant_name(row->key, &ns);
    TRY(step(turn, ns, id, max, &fate, err));
    if (fate == DELETION_WAITS) backlog_move(backlog, row->key);
    if (fate == DELETION_GONE)
        log_write(LOG_INFO, "a definition was deleted with its runs", "definition",
                  arena_printf(&turn->arena, "%.*s", STR_ARG(id)).p, NULL);
    return ST_OK;
}

void deletion_go_on(struct turn *turn)
{
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_DELETION];
    struct error err;
    size_t max = backlog_begin(backlog, PURGED_PER_TURN_MAX);
    enum status status = transact_begin(turn, &err);
    if (status == ST_OK) status = go_on(turn, backlog, max, &err);
    if (status == ST_OK) return;
    /* A part of the slice may be written. */
    transact_failed(turn, &err);
    log_write(LOG_ERROR, "the deletion of a definition cannot go on", "reason", err.message, NULL);
}
