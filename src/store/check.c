/* store/check.c — verifies that a store is consistent.
 *
 *     rows agree with each other        the back end's integrity()
 *     a row agrees with its state       check_row
 *     state and index rows agree        check_timers, check_tasks, check_subscriptions,
 *                                       check_children, check_failures: both ways
 *     numbers of entities add up        check_states, check_tallies
 *     a bulk's counts add up            check_bulks
 *     history is complete               check_history: revisions 1, 2, 3, … up to the state's
 *     history replays to the state      check_replay, if deep
 *
 * A failed instance keeps its timers and tasks in its state, and their index rows may be gone or not. Only
 * timers and tasks that a retry can still reach must have rows.
 *
 * The program tells whether an instance takes events. Without the program (not deep), only an instance that
 * has a correlation key is known to take events.
 *
 * A store that is open to read shows one moment, so an engine may write to it meanwhile. A store that is open
 * to write must not be written to during the check.
 */
#include "store/check_int.h"

#include "base/buf.h"
#include "base/id.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { CHECK_PAGE_ROWS = 100, CHECK_SENTENCE_BYTES = 1200 };

struct store_checking {
    struct store *store;
    struct store_reader *reader;
    store_compile_fn *compile; /* NULL unless deep. */
    store_found_fn *found;
    void *context;
    struct map programs; /* Definition's number → struct program, or &no_program. */
    struct map heard;    /* Definition's number → its program, once its triggers were looked up. */
    struct arena page;   /* A page of rows. */
    struct arena item;   /* Memory of one item, reset after it. */
    struct check_ahead ahead;
    int32_t ns; /* The tenant that is looked at. */
    int64_t instances;
};

/* Stands for a definition that does not compile, so that this is reported once. */
static struct program no_program;

__attribute__((format(printf, 2, 3))) static void report(struct store_checking *check, const char *format,
                                                         ...)
{
    char sentence[CHECK_SENTENCE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    check->found(check->context, sentence);
}

/* ---- the row and its state ---- */

static bool has_reachable_job(const struct instance *state)
{
    for (size_t i = 0; i < state->job_count; i++)
        if (instance_reaches(state, state->job[i].execution)) return true;
    return false;
}

static void check_row(struct store_checking *check, const struct instance_row *row,
                      const struct instance *state)
{
    const struct {
        bool same;
        const char *what;
    } facts[] = {
        { row->id == state->id, "id" },
        { row->definition == state->definition, "definition" },
        { row->status == state->status, "status" },
        { row->created_ms == state->created_ms, "creation time" },
        /* The row of an instance with a retention of its own does not say when it ended. */
        { !row->ended_ms || (row->ended_ms == state->ended_ms && !instance_lingers(state)), "end time" },
        { str_equal(row->business_key, state->business_key), "business key" },
        { row->has_jobs == has_reachable_job(state), "open jobs" },
    };
    for (size_t i = 0; i < COUNT(facts); i++)
        if (!facts[i].same)
            report(check, "instance %" PRIu64 ": row and state differ in the %s", row->id, facts[i].what);
}

/* ---- index rows that a state asks for ---- */

/* The key right before (due, instance, number). */
static struct timer_row timer_before(const struct timer_row *row)
{
    if (row->number > 0) return (struct timer_row){ row->due_ms, row->instance, row->number - 1 };
    return (struct timer_row){ row->due_ms, row->instance - 1, UINT32_MAX };
}

static enum status check_own_timers(struct store_checking *check, const struct instance *state,
                                    struct error *err)
{
    for (size_t i = 0; i < state->timer_count; i++) {
        if (!instance_reaches(state, state->timer[i].execution)) continue;
        struct timer_row wanted = { state->timer[i].due_ms, state->id, state->timer[i].number };
        struct timer_row after = timer_before(&wanted), found;
        size_t count;
        TRY(store_timers(check->store, &after, wanted.due_ms, &found, 1, &count, err));
        if (count == 0 || found.instance != wanted.instance || found.number != wanted.number)
            report(check, "instance %" PRIu64 ": its timer %" PRIu32 " has no row and would never fire",
                   state->id, wanted.number);
    }
    return ST_OK;
}

static enum status check_own_tasks(struct store_checking *check, int32_t ns, const struct instance *state,
                                   struct error *err)
{
    struct task_filter filter = { .ns = ns, .instance = state->id, .max = 1 };
    for (size_t i = 0; i < state->token_count; i++) {
        const struct token *token = &state->token[i];
        if (token->state != TOKEN_PERSON || !instance_reaches(state, token->execution)) continue;
        struct task_row *row;
        size_t count;
        filter.after_instance = state->id;
        filter.after_execution = token->execution - 1;
        TRY(reader_tasks(check->reader, &filter, &check->item, &row, &count, NULL, err));
        if (count == 0 || row->execution != token->execution)
            report(check, "instance %" PRIu64 ": the open task at \"%.*s\" is in no list", state->id,
                   STR_ARG(token->node_name));
        else if (!str_equal(row->details, token->task ? json_encoded(token->task) : STR_NONE))
            report(check, "instance %" PRIu64 ": the task at \"%.*s\" is listed with other details",
                   state->id, STR_ARG(token->node_name));
    }
    return ST_OK;
}

/* ---- programs ---- */

/* The program of a definition's version, or NULL if it is missing or does not compile. */
static struct program *program_of(struct store_checking *check, int64_t number)
{
    struct program *program = map_get(&check->programs, (uint64_t)number);
    if (!program) {
        struct definition_row row;
        struct error err;
        struct found found = reader_definition_by_number(check->reader, number, &check->item, &row, &err);
        if (found_is(found) == FOUND) program = check->compile(row.source, &check->item);
        if (found_is(found) == NOT_NOW) {
            report(check, "definition %" PRId64 " cannot be read: %s", number, err.message);
            program = &no_program;
        }
        if (!program) {
            report(check, "definition %" PRId64 " does not compile: its instances cannot be replayed",
                   number);
            program = &no_program;
        }
        map_put(&check->programs, (uint64_t)number, program);
    }
    return program == &no_program ? NULL : program;
}

static void drop_programs(struct store_checking *check)
{
    size_t cursor = 0;
    for (struct program *program; (program = map_next(&check->programs, &cursor));)
        if (program != &no_program) program_unref(program);
    map_done(&check->programs);
}

/* ---- events and children ---- */

/* Checks, once for each version with subscribers, that its events can find it. */
static enum status check_triggers(struct store_checking *check, const struct instance_row *row,
                                  struct program *program, struct error *err)
{
    if (map_put(&check->heard, (uint64_t)row->definition, program)) return ST_OK;
    for (size_t i = 0; i < program->trigger_count; i++) {
        const struct program_trigger *trigger = &program->trigger[i];
        struct triggered found;
        size_t count;
        TRY(store_triggered(check->store, row->ns, trigger->source, trigger->type, row->definition - 1,
                            &found, 1, &count, err));
        if (count == 0 || found.definition != row->definition)
            report(check, "definition %" PRId64 ": its trigger \"%.*s\" has no row and would hear nothing",
                   row->definition, STR_ARG(trigger->name));
    }
    return ST_OK;
}

static enum status check_own_subscription(struct store_checking *check, const struct instance_row *row,
                                          const struct instance *state, struct error *err)
{
    if (instance_status_ended(state->status) || state->is_test) return ST_OK;
    struct program *program = check->compile ? program_of(check, row->definition) : NULL;
    if (program ? !program->trigger_count : !state->correlation.n) return ST_OK;
    uint64_t found;
    size_t count;
    TRY(store_subscribers(check->store, row->definition, state->correlation, row->id - 1, &found, 1, &count,
                          err));
    if (count == 0 || found != row->id) {
        report(check, "instance %" PRIu64 ": it has no subscription and would get no events", row->id);
        return ST_OK;
    }
    return program ? check_triggers(check, row, program, err) : ST_OK;
}

/* A purge of the parent removes this row; the child stays. */
static enum status check_own_birth(struct store_checking *check, const struct instance *state,
                                   struct error *err)
{
    struct child_row child;
    struct instance_row parent;
    if (!state->parent) return ST_OK;
    bool is_there;
    TRY(found_asked(store_find_child(check->store, state->parent, state->parent_job, &child, err),
                    &is_there));
    if (is_there && child.instance == state->id) return ST_OK;
    TRY(found_asked(reader_instance(check->reader, TENANT_ANY, state->parent, &check->item, &parent, err),
                    &is_there));
    if (is_there)
        report(check, "instance %" PRIu64 ": its parent %" PRIu64 " has no row of it", state->id,
               state->parent);
    return ST_OK;
}

/* The state of an instance, or NULL if it is gone or damaged. check_row reports a damaged state. */
static const struct instance *state_of(struct store_checking *check, uint64_t id, const char *what)
{
    struct instance_row row;
    const struct instance *state;
    arena_reset(&check->item);
    struct error err;
    switch (found_is(check_instance_of(&check->ahead, check->reader, id, &check->item, &row, &err))) {
    case FOUND: break;
    case NOT_THERE:
        report(check, "a %s belongs to instance %" PRIu64 ", which is not there", what, id);
        return NULL;
    case NOT_NOW:
        report(check, "a %s belongs to instance %" PRIu64 ", which cannot be read: %s", what, id,
               err.message);
        return NULL;
    }
    return core_decode(row.state, NULL, &check->item, &state, NULL) == ST_OK ? state : NULL;
}

/* ---- failures ---- */

/* Without its row a failed instance is in no list by reason, and no bulk finds it. */
static enum status check_own_failure(struct store_checking *check, const struct instance_row *row,
                                     const struct instance *state, struct error *err)
{
    if (state->status != INSTANCE_FAILED) return ST_OK;
    struct selection_filter filter = {
        .ns = row->ns, .after_definition = row->definition, .after = row->id - 1, .upto = row->id, .max = 1
    };
    struct failure_row *found;
    size_t count;
    TRY(reader_failures(check->reader, &filter, &check->item, &found, &count, err));
    if (count == 0 || found->instance != row->id || found->definition != row->definition)
        report(check, "instance %" PRIu64 ": it has failed, and has no row that says why", row->id);
    else if (!str_equal(found->reason, state->failure))
        report(check, "instance %" PRIu64 ": it has failed for another reason than its row says", row->id);
    return ST_OK;
}

/* Reads the instances of a page of rows ahead: their ids lie `stride` bytes apart. */
static enum status look_ahead(struct store_checking *check, const uint64_t *id, size_t stride, size_t count,
                              struct error *err)
{
    uint64_t ids[2 * CHECK_PAGE_ROWS];
    must(count <= COUNT(ids));
    for (size_t i = 0; i < count; i++) memcpy(&ids[i], (const char *)id + i * stride, sizeof ids[i]);
    return check_ahead_instances(&check->ahead, check->reader, ids, count, err);
}

static enum status check_failures(struct store_checking *check, struct error *err)
{
    struct selection_filter filter = { .ns = check->ns, .upto = INT64_MAX, .max = CHECK_PAGE_ROWS };
    for (;;) {
        struct failure_row *row;
        size_t count;
        arena_reset(&check->page);
        TRY(reader_failures(check->reader, &filter, &check->page, &row, &count, err));
        if (count == 0) return ST_OK;
        TRY(look_ahead(check, &row->instance, sizeof *row, count, err));
        for (size_t i = 0; i < count; i++) {
            const struct instance *state = state_of(check, row[i].instance, "reason to have failed");
            if (state && state->status != INSTANCE_FAILED)
                report(check, "instance %" PRIu64 ": a row says why it failed, but it is %s", row[i].instance,
                       instance_status_word(state->status));
        }
        filter.after_definition = row[count - 1].definition;
        filter.after = row[count - 1].instance;
    }
}

/* ---- bulks ---- */

static void check_bulk(struct store_checking *check, const struct bulk_row *row)
{
    if (row->done != row->succeeded + row->skipped + row->refused || row->done > row->found)
        report(check, "bulk %" PRId64 ": its counts do not add up", row->number);
    else if (!row->ended_ms && row->done == row->found)
        report(check, "bulk %" PRId64 ": it is done and goes on", row->number);
}

/* Retention may have removed parts of bulks that ended. */
static enum status check_bulk_request(struct store_checking *check, const struct bulk_row *row,
                                      struct error *err)
{
    struct bulk_part_row *part;
    size_t count;
    if (row->ended_ms) return ST_OK;
    TRY(reader_bulk_parts(check->reader, row->number, BULK_PART_REQUEST, 0, 1, &check->item, &part, &count,
                          err));
    if (!count) report(check, "bulk %" PRId64 ": nobody knows what was asked for", row->number);
    TRY(reader_bulk_parts(check->reader, row->number, BULK_PART_SELECTION, 0, 1, &check->item, &part, &count,
                          err));
    if (!count) report(check, "bulk %" PRId64 ": nobody knows for which instances it is", row->number);
    return ST_OK;
}

static enum status check_bulks(struct store_checking *check, struct error *err)
{
    for (int64_t before = 0;;) {
        struct bulk_row *row;
        size_t count;
        arena_reset(&check->page);
        TRY(reader_bulks(check->reader, check->ns, before, CHECK_PAGE_ROWS, &check->page, &row, &count, err));
        if (count == 0) return ST_OK;
        for (size_t i = 0; i < count; i++) {
            arena_reset(&check->item);
            check_bulk(check, &row[i]);
            TRY(check_bulk_request(check, &row[i], err));
        }
        before = row[count - 1].number;
    }
}

/* ---- history ---- */

/* An instance that has gone from version to version was at nodes that its last one may lack. */
static bool has_moved(const struct program *program, const struct history *history, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (history[i].command == COMMAND_MIGRATE) return true;
    return program->rules->moves;
}

static void check_replay(struct store_checking *check, const struct instance_row *row,
                         const struct history *history, size_t count)
{
    struct program *program = program_of(check, row->definition);
    if (!program) return;
    const struct created created = { row->id, row->definition, row->business_key };
    const struct instance *state = NULL;
    struct error err;
    const struct program *names = has_moved(program, history, count) ? NULL : program;
    for (size_t i = 0; i < count; i++)
        if (core_replay(names, state, &created, &history[i], &check->item, &state, &err) != ST_OK) {
            report(check, "instance %" PRIu64 ": revision %zu does not follow from the one before: %s",
                   row->id, i + 1, err.message);
            return;
        }
    if (!state) return;
    struct buf bytes;
    buf_init(&bytes, &check->item);
    core_encode(state, &bytes);
    if (!str_equal(buf_str(&bytes), row->state))
        report(check, "instance %" PRIu64 ": its history leads to another state than the stored one",
               row->id);
    if (core_decode(row->state, program, &check->item, &state, &err) != ST_OK ||
        core_verify(program, state, &err) != ST_OK)
        report(check, "instance %" PRIu64 ": %s", row->id, err.message);
}

static enum status check_history(struct store_checking *check, const struct instance_row *row,
                                 const struct instance *state, struct error *err)
{
    str *blob;
    size_t count;
    enum status status =
        check_history_of(&check->ahead, check->reader, row->id, &check->item, &blob, &count, err);
    if (status == ST_STORE) {
        report(check, "%s", err->message);
        return ST_OK;
    }
    if (status != ST_OK) return status;
    struct history *history = arena_make_n(&check->item, struct history, count);
    for (size_t i = 0; i < count; i++) {
        struct error why;
        if (history_decode(blob[i], &check->item, &history[i], &why) != ST_OK) {
            report(check, "instance %" PRIu64 ": history row %zu is damaged: %s", row->id, i + 1,
                   why.message);
            return ST_OK;
        }
        if (history[i].revision != i + 1) {
            report(check, "instance %" PRIu64 ": history row %zu says revision %" PRIu32, row->id, i + 1,
                   history[i].revision);
            return ST_OK;
        }
    }
    if (state && state->revision != count)
        report(check, "instance %" PRIu64 ": at revision %" PRIu32 " with %zu history rows", row->id,
               state->revision, count);
    if (check->compile) check_replay(check, row, history, count);
    return ST_OK;
}

/* ---- passes ---- */

static enum status check_instance(struct store_checking *check, const struct instance_row *row,
                                  struct error *err)
{
    const struct instance *state = NULL;
    struct error why;
    if (core_decode(row->state, NULL, &check->item, &state, &why) != ST_OK) {
        state = NULL;
        char id[ID_CHARS + 1];
        id_print((struct id){ .ms = row->created_ms, .instance = row->id }, id);
        report(check, "instance %" PRIu64 ": its state is damaged: %s. Its public id is %s", row->id,
               why.message, id);
    }
    if (state) {
        check_row(check, row, state);
        TRY(check_own_timers(check, state, err));
        TRY(check_own_tasks(check, row->ns, state, err));
        TRY(check_own_subscription(check, row, state, err));
        TRY(check_own_birth(check, state, err));
        TRY(check_own_failure(check, row, state, err));
    }
    return check_history(check, row, state, err);
}

static enum status check_instances(struct store_checking *check, struct error *err)
{
    struct instance_filter filter = { .ns = check->ns, .status = -1, .max = CHECK_PAGE_ROWS };
    for (;;) {
        struct instance_row *row;
        size_t count;
        arena_reset(&check->page);
        TRY(reader_instances(check->reader, &filter, &check->page, &row, &count, NULL, err));
        if (count == 0) return ST_OK;
        TRY(check_ahead_histories(&check->ahead, check->reader, row, count, err));
        for (size_t i = 0; i < count; i++) {
            check->instances++;
            arena_reset(&check->item);
            TRY(check_instance(check, &row[i], err));
        }
        filter.before = row[count - 1].id;
    }
}

static bool has_timer(const struct instance *state, const struct timer_row *row)
{
    for (size_t i = 0; i < state->timer_count; i++)
        if (state->timer[i].number == row->number && state->timer[i].due_ms == row->due_ms) return true;
    return false;
}

static enum status check_timers(struct store_checking *check, struct error *err)
{
    struct timer_row row[CHECK_PAGE_ROWS], after;
    size_t count;
    for (const struct timer_row *cursor = NULL;; cursor = &after) {
        TRY(store_timers(check->store, cursor, INT64_MAX, row, CHECK_PAGE_ROWS, &count, err));
        if (count == 0) return ST_OK;
        TRY(look_ahead(check, &row->instance, sizeof *row, count, err));
        for (size_t i = 0; i < count; i++) {
            const struct instance *state = state_of(check, row[i].instance, "timer");
            if (state && !has_timer(state, &row[i]))
                report(check, "timer %" PRIu32 " is not in the state of instance %" PRIu64, row[i].number,
                       row[i].instance);
        }
        after = row[count - 1];
    }
}

static enum status check_tasks(struct store_checking *check, struct error *err)
{
    struct task_filter filter = { .ns = check->ns, .max = CHECK_PAGE_ROWS };
    for (;;) {
        struct task_row *row;
        size_t count;
        arena_reset(&check->page);
        TRY(reader_tasks(check->reader, &filter, &check->page, &row, &count, NULL, err));
        if (count == 0) return ST_OK;
        TRY(look_ahead(check, &row->instance, sizeof *row, count, err));
        for (size_t i = 0; i < count; i++) {
            const struct instance *state = state_of(check, row[i].instance, "task");
            if (!state) continue;
            const struct token *token = instance_find_token(state, row[i].execution);
            if (!token || token->state != TOKEN_PERSON)
                report(check, "the task at \"%.*s\" is not open in the state of instance %" PRIu64,
                       STR_ARG(row[i].node), row[i].instance);
        }
        filter.after_instance = row[count - 1].instance;
        filter.after_execution = row[count - 1].execution;
    }
}

static void check_subscription(struct store_checking *check, const struct subscription_row *row)
{
    const struct instance *state = state_of(check, row->instance, "subscription");
    if (!state) return;
    struct program *program = check->compile ? program_of(check, state->definition) : NULL;
    const char *why = !instance_takes_mail(state)                        ? "which has ended"
                      : row->definition != state->definition             ? "which is of another definition"
                      : !str_equal(row->correlation, state->correlation) ? "which has another correlation key"
                      : program && !program->trigger_count               ? "which takes no events"
                                                                         : NULL;
    if (why) report(check, "a subscription belongs to instance %" PRIu64 ", %s", row->instance, why);
}

static enum status check_subscriptions(struct store_checking *check, struct error *err)
{
    struct subscription_row row[CHECK_PAGE_ROWS], after;
    size_t count;
    for (const struct subscription_row *cursor = NULL;; cursor = &after) {
        TRY(check->store->ops->subscriptions(check->store, cursor, &check->page, row, CHECK_PAGE_ROWS, &count,
                                             err));
        if (count == 0) return ST_OK;
        TRY(look_ahead(check, &row->instance, sizeof *row, count, err));
        for (size_t i = 0; i < count; i++) check_subscription(check, &row[i]);
        after = row[count - 1];
        after.correlation = arena_str(&check->item, after.correlation);
        arena_reset(&check->page);
    }
}

static void check_child(struct store_checking *check, const struct child_row *row)
{
    struct instance_row child;
    const struct instance *state;
    if (!state_of(check, row->parent, "child's row")) return;
    struct error err;
    switch (found_is(
        check_instance_of(&check->ahead, check->reader, row->instance, &check->item, &child, &err))) {
    case FOUND: break;
    case NOT_THERE: return; /* A child that was purged leaves its row. */
    case NOT_NOW:
        report(check, "instance %" PRIu64 ", a child, cannot be read: %s", row->instance, err.message);
        return;
    }
    if (core_decode(child.state, NULL, &check->item, &state, NULL) != ST_OK) return;
    if (row->chained) {
        if (state->chained_from != row->parent)
            report(check, "instance %" PRIu64 " was not chained from instance %" PRIu64 " as its row says",
                   row->instance, row->parent);
        return;
    }
    if (state->parent != row->parent || state->parent_job != row->number ||
        state->parent_waits != row->awaited)
        report(check,
               "instance %" PRIu64 " is no child of job %" PRIu32 " of instance %" PRIu64 " as its row says",
               row->instance, row->number, row->parent);
}

static enum status check_children(struct store_checking *check, struct error *err)
{
    struct child_row row[CHECK_PAGE_ROWS], after;
    uint64_t ids[2 * CHECK_PAGE_ROWS];
    size_t count;
    for (const struct child_row *cursor = NULL;; cursor = &after) {
        TRY(check->store->ops->children(check->store, cursor, row, CHECK_PAGE_ROWS, &count, err));
        if (count == 0) return ST_OK;
        for (size_t i = 0; i < count; i++) ids[2 * i] = row[i].parent, ids[2 * i + 1] = row[i].instance;
        TRY(look_ahead(check, ids, sizeof *ids, 2 * count, err));
        for (size_t i = 0; i < count; i++) check_child(check, &row[i]);
        after = row[count - 1];
    }
}

/* ---- tallies ---- */

enum { CHECK_ID_BYTES = 8 }; /* The instance at the end of the key of a STATE record. */

static enum status check_tally(struct store_checking *check, str key, int64_t count, struct error *err)
{
    struct record_row row;
    int64_t said = 0;
    bool is_there;
    TRY(found_asked(reader_find_record(check->reader, check->ns, RECORD_TALLY, key, &check->item, &row, err),
                    &is_there));
    if (is_there && !str_to_int64(row.value, &said)) said = -1;
    const char *state = memchr(key.p, '\0', key.n);
    if (said != count && state)
        report(check, "the entities of \"%s\" in state \"%s\" are %" PRId64 ", not %" PRId64 " as is counted",
               key.p, state + 1, count, said);
    arena_reset(&check->item);
    return ST_OK;
}

/* The numbers of entities by state agree with the records by state. */
static enum status check_states(struct store_checking *check, struct error *err)
{
    struct record_filter filter = { .ns = check->ns, .kind = RECORD_STATE, .max = CHECK_PAGE_ROWS };
    struct arena own; /* Memory of the key that is counted. */
    str counted = STR_NONE;
    int64_t count = 0;
    size_t found = 1;
    enum status status = ST_OK;
    arena_init(&own, 0);
    while (found && status == ST_OK) {
        struct record_row *row;
        arena_reset(&check->page);
        status = reader_records(check->reader, &filter, &check->page, &row, &found, err);
        for (size_t i = 0; status == ST_OK && i < found; i++) {
            str key = row[i].key.n > CHECK_ID_BYTES ? str_slice(row[i].key, 0, row[i].key.n - CHECK_ID_BYTES)
                                                    : row[i].key;
            if (count && !str_equal(key, counted)) {
                status = check_tally(check, counted, count, err);
                count = 0;
            }
            if (!count++) {
                arena_reset(&own);
                counted = arena_str(&own, key);
            }
        }
        if (status == ST_OK && found) filter.after = arena_str(&check->item, row[found - 1].key);
    }
    if (status == ST_OK && count) status = check_tally(check, counted, count, err);
    arena_done(&own);
    return status;
}

/* No number is left of a state that has no entities. */
static enum status check_tallies(struct store_checking *check, struct error *err)
{
    struct record_filter filter = { .ns = check->ns, .kind = RECORD_TALLY, .max = CHECK_PAGE_ROWS };
    for (;;) {
        struct record_row *row, *any;
        size_t count, any_count;
        arena_reset(&check->page);
        TRY(reader_records(check->reader, &filter, &check->page, &row, &count, err));
        if (!count) return ST_OK;
        for (size_t i = 0; i < count; i++) {
            const struct record_filter states = {
                .ns = check->ns, .kind = RECORD_STATE, .prefix = row[i].key, .max = 1
            };
            TRY(reader_records(check->reader, &states, &check->page, &any, &any_count, err));
            if (!any_count) TRY(check_tally(check, row[i].key, 0, err));
        }
        arena_reset(&check->item);
        filter.after = arena_str(&check->item, row[count - 1].key);
    }
}

/* All that a tenant has in rows of its own. */
static enum status check_tenant(struct store_checking *check, struct error *err)
{
    TRY(check_instances(check, err));
    TRY(check_tasks(check, err));
    TRY(check_failures(check, err));
    TRY(check_states(check, err));
    TRY(check_tallies(check, err));
    return check_bulks(check, err);
}

static enum status check_all(struct store_checking *check, struct error *err)
{
    TRY(check->store->ops->integrity(check->store, check->found, check->context, err));
    TRY(reader_next_tenant(check->reader, TENANT_ANY, &check->ns, err));
    while (check->ns) {
        TRY(check_tenant(check, err));
        TRY(reader_next_tenant(check->reader, check->ns, &check->ns, err));
    }
    TRY(check_timers(check, err));
    arena_reset(&check->page);
    TRY(check_subscriptions(check, err));
    return check_children(check, err);
}

enum status store_check(struct store *store, bool deep, store_compile_fn *compile, store_found_fn *found,
                        void *context, int64_t *ret_instances, struct error *err)
{
    struct store_checking check = {
        .store = store, .compile = deep ? compile : NULL, .found = found, .context = context
    };
    TRY(store_reader_open(store, &check.reader, err));
    map_init(&check.programs);
    map_init(&check.heard);
    arena_init(&check.page, 0);
    arena_init(&check.item, 0);
    check_ahead_init(&check.ahead);
    struct error own; /* The message is needed even if the caller passes no error. */
    enum status status = check_all(&check, err ? err : &own);
    map_done(&check.heard);
    drop_programs(&check);
    check_ahead_done(&check.ahead);
    arena_done(&check.item);
    arena_done(&check.page);
    store_reader_close(check.reader);
    if (status == ST_OK) *ret_instances = check.instances;
    return status;
}
