/* core/executions.c — the visits of an instance, told by its history.
 *
 * A row for every ENTER, except at joins: all branches that arrive there in one scope share
 * the row of the first. Whether a visit is an arrival shows only when it parks, so rows are
 * made first, hidden if need be, and counted last.
 *
 * The story of an instance can be far larger than the instance: every change of its data makes another copy.
 * So data is told only as long as the arena is within its budget. From there on visits come without
 * (`omitted`). Nothing of a history is borrowed, because a reader of a long history frees it piece by piece.
 */

#include "core/acts_int.h"
#include "core/change_int.h"

#include "base/array.h"
#include "base/text_map.h"
#include "core/tale.h"

struct row {
    struct execution execution;
    struct job_attempt *tried; /* A ring of ATTEMPTS_SHOWN_MAX, or one. */
    size_t tried_total;
    uint32_t node; /* NODE_NONE: not known. */
    uint32_t scope;
    enum token_state parked; /* TOKEN_READY: it did not park. */
    bool hidden;
    const struct json **changed; /* Where the data is that it changed last; NULL: it changed none. */
};

/* A scope as far as the story needs it. */
struct told_scope {
    uint32_t number, parent;
    uint32_t host;           /* The visit that opened it; 0: a fork's. */
    str region;              /* Its name; empty: a fork's, or no program to tell. */
    const struct json *data; /* Its own; NULL: its parent's. */
    bool detached;           /* It goes on when the instance has ended. */
};

struct tale {
    const struct program *program;
    struct arena *arena;
    struct row *row; /* Ascending by execution. */
    size_t count, cap;
    const struct json *data; /* The root's at this point of the story. */
    struct told_job {
        uint32_t number;
        size_t row;  /* The visit that shows its attempt. */
        size_t slot; /* Its index among all attempts of that visit. */
    } * job;         /* Open ones, ascending by number. */
    size_t job_count, job_cap;
    str actor;                /* The actor of the command at hand; borrowed. */
    struct told_scope *scope; /* Ascending by number; those that were closed stay. */
    size_t scope_count, scope_cap;
    int64_t at_ms;
    struct {
        str node; /* Empty: no token has left a join since the last visit began. */
        uint32_t scope;
    } opening;  /* The join that opens: a row for all tokens that it uses. */
    bool omits; /* The budget is used up. */
    bool error; /* The instance's error was told, and not yet that it failed. */
    struct acts acts;
    str stopped_by;     /* The actor of the command that stopped it. */
    int64_t stopped_ms; /* The instance has failed or was cancelled then, which stops every visit; 0: no. */
    bool cancelled;
};

const char *execution_status_word(enum execution_status status)
{
    switch (status) {
    case EXECUTION_RUNNING: return "RUNNING";
    case EXECUTION_COMPLETED: return "COMPLETED";
    case EXECUTION_FAILED: return "FAILED";
    }
    must(!"an execution status");
    return "";
}

/* A value of the history, to be kept. NULL if there is none, or no room for any. */
static const struct json *kept(struct tale *tale, const struct json *value)
{
    return value && !tale->omits ? json_copy(tale->arena, value) : NULL;
}

static struct row *find_row(const struct tale *tale, uint32_t execution)
{
    size_t low = 0, high = tale->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t number = tale->row[middle].execution.number;
        if (number == execution) return &tale->row[middle];
        if (number < execution) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

static struct told_scope *find_scope(const struct tale *tale, uint32_t number)
{
    for (size_t i = tale->scope_count; number && i-- > 0;)
        if (tale->scope[i].number == number) return &tale->scope[i];
    return NULL;
}

/* Where the data that a scope sees is kept. */
static const struct json **data_of(struct tale *tale, uint32_t number)
{
    struct told_scope *scope;
    while ((scope = find_scope(tale, number)) != NULL) {
        if (scope->data) return &scope->data;
        number = scope->parent;
    }
    return &tale->data;
}

static str region_of(const struct tale *tale, uint32_t number)
{
    const struct told_scope *scope;
    while ((scope = find_scope(tale, number)) != NULL) {
        if (scope->region.n) return scope->region;
        number = scope->parent;
    }
    return STR_NONE;
}

static bool tell_scope(struct tale *tale, const struct entry *entry)
{
    if (entry->around >= entry->scope) return false; /* The one around it is older: there is no circle. */
    if (tale->scope_count == tale->scope_cap) {
        tale->scope_cap = tale->scope_cap ? tale->scope_cap * 2 : 8;
        struct told_scope *more = arena_alloc(tale->arena, tale->scope_cap * sizeof *more);
        if (tale->scope_count) memcpy(more, tale->scope, tale->scope_count * sizeof *more);
        tale->scope = more;
    }
    str region = STR_NONE;
    uint32_t node = tale->program ? program_find(tale->program, entry->node) : NODE_NONE;
    if (entry->kind == ENTRY_KIND_REGION_OPEN && node != NODE_NONE) {
        const struct program_node *opener = &tale->program->node[node];
        bool undoes = program_is_undoable(opener) && opener->kind != NODE_SCOPE;
        bool each = opener->kind == NODE_SCOPE && opener->as.scope.each;
        uint32_t index = each ? 0 : entry->index;
        if (!undoes && (opener->kind != NODE_SCOPE || index >= opener->as.scope.region_count)) return false;
        if (!undoes) region = opener->as.scope.region[index].name;
    }
    tale->scope[tale->scope_count++] = (struct told_scope){
        .number = entry->scope,
        .parent = entry->around,
        .host = entry->kind == ENTRY_KIND_REGION_OPEN ? entry->host : 0,
        .region = region,
        .data = entry->kind == ENTRY_KIND_REGION_OPEN ? kept(tale, entry->data) : NULL,
    };
    return true;
}

static bool tell_enter(struct tale *tale, const struct entry *entry)
{
    if (tale->count && tale->row[tale->count - 1].execution.number >= entry->execution) return false;
    if (tale->count == tale->cap) {
        tale->cap = tale->cap ? tale->cap * 2 : 32;
        struct row *more = arena_alloc(tale->arena, tale->cap * sizeof *more);
        if (tale->count) memcpy(more, tale->row, tale->count * sizeof *more);
        tale->row = more;
    }
    uint32_t node = tale->program ? program_find(tale->program, entry->node) : NODE_NONE;
    tale->row[tale->count++] = (struct row){
        .execution = {
            .number = entry->execution,
            .node_name = arena_str(tale->arena, entry->node),
            .scope = entry->scope,
            .region = region_of(tale, entry->scope),
            .inner = node != NODE_NONE && tale->program->node[node].inner,
            .title = node == NODE_NONE ? STR_NONE : tale->program->node[node].title,
            .type = node == NODE_NONE ? STR_NONE : tale->program->node[node].type,
            .status = EXECUTION_RUNNING,
            .started_ms = tale->at_ms,
            .input = tale->omits ? NULL : *data_of(tale, entry->scope),
            .omitted = tale->omits,
            .from = entry->from,
        },
        .node = node,
        .scope = entry->scope,
        .parked = TOKEN_READY,
    };
    return true;
}

static void tell_park(struct tale *tale, struct row *row, enum token_state state)
{
    row->parked = state;
    if (state != TOKEN_JOIN) return;
    /* A scope's number is older than any visit in it: nothing before that is of interest. */
    for (struct row *other = &tale->row[tale->count];
         other-- > tale->row && other->execution.number > row->scope;)
        if (other != row && other->parked == TOKEN_JOIN && other->scope == row->scope &&
            other->execution.status == EXECUTION_RUNNING && !other->hidden &&
            str_equal(other->execution.node_name, row->execution.node_name)) {
            row->hidden = true;
            return;
        }
}

/* A join that counts edges may have tokens left over, for the next time it opens: of those that it uses then,
 * the first is shown. A token that it absorbs is not shown at all. */
static void tell_join(struct tale *tale, struct row *row)
{
    if (row->node == NODE_NONE) return;
    const struct program_node *node = &tale->program->node[row->node];
    if (node->kind != NODE_JOIN || node->as.join.mode == JOIN_OF_FORK) return;
    bool opens = tale->opening.scope == row->scope && str_equal(tale->opening.node, node->name);
    row->hidden = row->parked != TOKEN_JOIN || opens;
    tale->opening.node = node->name;
    tale->opening.scope = row->scope;
}

/* The visit that the author knows: this one, or that of the host around it. */
static struct row *authored_row(const struct tale *tale, struct row *row)
{
    while (row && row->execution.inner) {
        const struct told_scope *scope = find_scope(tale, row->scope);
        while (scope && !scope->host) scope = find_scope(tale, scope->parent);
        struct row *host = scope ? find_row(tale, scope->host) : NULL;
        if (!host || host >= row) break; /* A host is older than what is in it. */
        row = host;
    }
    return row;
}

/* Names who ended a visit that waited. A visit that did not wait ended by itself. */
static void tell_who(struct tale *tale, struct row *row)
{
    if (row->parked == TOKEN_READY || row->parked == TOKEN_JOIN || !tale->actor.n) return;
    str by = arena_str(tale->arena, tale->actor);
    row->execution.by = by;
    struct row *shown = authored_row(tale, row);
    if (shown) shown->execution.by = by;
}

static void tell_end(struct tale *tale, struct row *row, enum execution_status status, str failure)
{
    struct execution *execution = &row->execution;
    execution->status = status;
    execution->ended_ms = tale->at_ms;
    execution->failure = arena_str(tale->arena, failure);
    execution->omitted |= tale->omits;
    tell_who(tale, row);
    if (status != EXECUTION_COMPLETED || tale->omits) return;
    if (tale->program && tale->program->visits_show_data) execution->output = *data_of(tale, row->scope);
    if (execution->output) return;
    if (row->parked == TOKEN_JOB) execution->output = json_empty_object();
    if (row->parked == TOKEN_SIGNAL || row->parked == TOKEN_PERSON) execution->output = tale->data;
}

/* Notes what a visit made of the data at `place`. Changes of one place add up. A visit that ends a region
 * tells what it made of the data around it, which is the last place. */
static void tell_change(struct tale *tale, struct row *row, const struct json **place,
                        const struct json *before, const struct json *value)
{
    struct execution *execution = &row->execution;
    if (row->changed != place) {
        execution->before = before;
        execution->put = value;
    } else if (json_is(execution->put, JSON_OBJECT) && json_is(value, JSON_OBJECT)) {
        execution->put = merge_result(execution->put, value, MERGE_SHALLOW, tale->arena);
    }
    row->changed = place;
    execution->after = *place;
}

static bool tell_data(struct tale *tale, const struct entry *entry)
{
    struct row *row = entry->execution ? find_row(tale, entry->execution) : NULL;
    if (tale->omits) {
        if (row) row->execution.omitted = true;
        return row || !entry->execution;
    }
    if (entry->merge > MERGE_DEEP || !merge_fits(tale->data, entry->data, (enum data_merge)entry->merge))
        return false;
    const struct json *added = kept(tale, entry->data), *before = tale->data;
    tale->data = merge_result(tale->data, added, (enum data_merge)entry->merge, tale->arena);
    if (row) tell_change(tale, row, &tale->data, before, added);
    if (row) row->execution.output = row->parked == TOKEN_JOB ? added : tale->data;
    return row || !entry->execution;
}

static bool tell_scope_data(struct tale *tale, const struct entry *entry)
{
    if (tale->omits) return true;
    const struct json **data = data_of(tale, entry->scope);
    if (entry->merge > MERGE_MEMBERS || !merge_fits(*data, entry->data, (enum data_merge)entry->merge))
        return false;
    const struct json *added = kept(tale, entry->data), *before = *data;
    struct row *row = entry->execution ? find_row(tale, entry->execution) : NULL;
    *data = merge_result(before, added, (enum data_merge)entry->merge, tale->arena);
    if (row) tell_change(tale, row, data, before, added);
    return true;
}

static bool tell_data_cut(struct tale *tale, const struct entry *entry)
{
    if (tale->omits) return true;
    if (!json_is(tale->data, JSON_OBJECT) || !merge_is_names(entry->names)) return false;
    tale->data = merge_without(tale->data, entry->names, tale->arena);
    return true;
}

/* The first token that has arrived at a join is shown for all of them. If it is taken away, the next one is.
 */
static void tell_interrupt(struct tale *tale, struct row *row, str why)
{
    bool shown = row->parked == TOKEN_JOIN && !row->hidden;
    tell_end(tale, row, EXECUTION_FAILED, why);
    for (struct row *next = row + 1; shown && next < tale->row + tale->count; next++)
        if (next->hidden && next->scope == row->scope && next->execution.status == EXECUTION_RUNNING &&
            str_equal(next->execution.node_name, row->execution.node_name)) {
            next->hidden = false;
            return;
        }
}

/* ---- attempts ---- */

const char *execution_outcome_word(enum attempt_outcome outcome)
{
    switch (outcome) {
    case ATTEMPT_OPEN: return "open";
    case ATTEMPT_COMPLETED: return "completed";
    case ATTEMPT_FAILED: return "failed";
    case ATTEMPT_CANCELLED: return "cancelled";
    }
    must(!"an outcome");
    return "";
}

/* Most visits have one attempt: room for all that are shown comes with the second. */
static void grow_tried(struct tale *tale, struct row *row)
{
    if (row->tried_total > 1) return;
    struct job_attempt *more =
        arena_make_n(tale->arena, struct job_attempt, row->tried_total ? ATTEMPTS_SHOWN_MAX : 1);
    if (row->tried_total) more[0] = row->tried[0];
    row->tried = more;
}

static bool tell_job_open(struct tale *tale, const struct entry *entry)
{
    struct row *row = authored_row(tale, find_row(tale, entry->execution));
    if (!row) return false;
    if (tale->job_count && tale->job[tale->job_count - 1].number >= entry->job) return false;
    grow_tried(tale, row);
    row->tried[row->tried_total % ATTEMPTS_SHOWN_MAX] = (struct job_attempt){
        .job = entry->job,
        .number = entry->attempt,
        .type = arena_str(tale->arena, entry->job_type),
        .opened_ms = tale->at_ms,
        .available_ms = entry->available_ms,
    };
    if (tale->job_count == tale->job_cap) {
        tale->job_cap = tale->job_cap ? tale->job_cap * 2 : 8;
        struct told_job *more = arena_alloc(tale->arena, tale->job_cap * sizeof *more);
        if (tale->job_count) memcpy(more, tale->job, tale->job_count * sizeof *more);
        tale->job = more;
    }
    tale->job[tale->job_count++] =
        (struct told_job){ entry->job, (size_t)(row - tale->row), row->tried_total++ };
    return true;
}

/* The input that the job was given, if it is not the data. */
static bool tell_job_input(struct tale *tale, const struct entry *entry)
{
    size_t i = number_index(tale->job, tale->job_count, sizeof *tale->job, entry->job);
    if (i == SIZE_MAX) return true; /* A job whose opening an older history does not tell. */
    if (!tale->omits && entry->payload)
        tale->row[tale->job[i].row].execution.sent =
            json_copy(tale->arena, performer_input_shown(entry->payload, tale->arena));
    return true;
}

static bool tell_job_close(struct tale *tale, const struct entry *entry)
{
    static const enum attempt_outcome outcomes[] = {
        [JOB_DONE] = ATTEMPT_COMPLETED,
        [JOB_FAILED] = ATTEMPT_FAILED,
        [JOB_CANCELLED] = ATTEMPT_CANCELLED,
    };
    size_t i = number_index(tale->job, tale->job_count, sizeof *tale->job, entry->job);
    if (i == SIZE_MAX || entry->verdict >= COUNT(outcomes)) return false;
    const struct told_job job = tale->job[i];
    struct row *row = &tale->row[job.row];
    memmove(&tale->job[i], &tale->job[i + 1], (--tale->job_count - i) * sizeof *tale->job);
    if (job.slot + ATTEMPTS_SHOWN_MAX < row->tried_total) return true; /* It is shown no longer. */
    struct job_attempt *attempt = &row->tried[job.slot % ATTEMPTS_SHOWN_MAX];
    attempt->outcome = outcomes[entry->verdict];
    attempt->ended_ms = tale->at_ms;
    if (!tale->omits) attempt->error = arena_str(tale->arena, entry->reason);
    if (attempt->outcome != ATTEMPT_CANCELLED) attempt->actor = arena_str(tale->arena, tale->actor);
    return true;
}

/* A visit in a test is told as if its token had waited, and so is that of the author's node around it. */
static bool tell_simulate(struct tale *tale, const struct entry *entry)
{
    struct row *row = find_row(tale, entry->execution);
    if (!row || entry->state >= TOKEN_STATE_COUNT) return false;
    row->parked = (enum token_state)entry->state;
    struct row *shown = authored_row(tale, row);
    row->execution.simulated = shown->execution.simulated = true;
    if (!tale->omits && entry->payload)
        shown->execution.sent = json_copy(tale->arena, performer_input_shown(entry->payload, tale->arena));
    return true;
}

/* The ring, from its oldest on. */
static void show_attempts(const struct row *row, struct arena *arena, struct execution *execution)
{
    size_t total = row->tried_total, count = total < ATTEMPTS_SHOWN_MAX ? total : ATTEMPTS_SHOWN_MAX;
    struct job_attempt *tried = arena_make_n(arena, struct job_attempt, count);
    for (size_t i = 0; i < count; i++) tried[i] = row->tried[(total - count + i) % ATTEMPTS_SHOWN_MAX];
    execution->tried = tried;
    execution->tried_count = count;
    execution->tried_total = total;
}

/* ---- the instance's end ---- */

static void tell_status(struct tale *tale, enum instance_status status)
{
    bool stops = status == INSTANCE_FAILED || status == INSTANCE_CANCELLED;
    tale->error = false;
    tale->cancelled = status == INSTANCE_CANCELLED;
    if (!stops) tale->stopped_ms = 0; /* A retry lets all of it go on. */
    else if (!tale->stopped_ms) {
        tale->stopped_ms = tale->at_ms;
        tale->stopped_by = arena_str(tale->arena, tale->actor);
    }
}

static void tell_region_end(struct tale *tale, const struct entry *entry)
{
    struct told_scope *scope = find_scope(tale, entry->scope);
    if (scope) scope->detached = entry->state == REGION_DETACHED;
}

static bool is_detached(const struct tale *tale, uint32_t number)
{
    const struct told_scope *scope;
    while ((scope = find_scope(tale, number)) != NULL) {
        if (scope->detached) return true;
        number = scope->parent;
    }
    return false;
}

/* No visit of an instance that failed or was cancelled is still running, but for those that nobody waits for.
 */
static void stop_visit(const struct tale *tale, const struct row *row, struct execution *execution)
{
    if (!tale->stopped_ms || execution->status != EXECUTION_RUNNING) return;
    if (!tale->cancelled && is_detached(tale, row->scope)) return;
    execution->status = EXECUTION_FAILED;
    execution->ended_ms = tale->stopped_ms;
    if (tale->cancelled) execution->by = tale->stopped_by;
    execution->failure =
        tale->cancelled ? STR("the instance was cancelled") : STR("stopped, because the instance failed");
}

/* ---- the story ---- */

/* False if the entry is about a visit that no token entered. */
static bool tell(struct tale *tale, const struct entry *entry)
{
    struct row *row = NULL;
    switch (entry->kind) {
    case ENTRY_KIND_ENTER: tale->opening.node = STR_NONE; return tell_enter(tale, entry);
    case ENTRY_KIND_DATA: return tell_data(tale, entry);
    case ENTRY_KIND_SCOPE_DATA: return tell_scope_data(tale, entry);
    case ENTRY_KIND_DATA_CUT: return tell_data_cut(tale, entry);
    case ENTRY_KIND_JOB_OPEN: return tell_job_open(tale, entry);
    case ENTRY_KIND_JOB_INPUT: return tell_job_input(tale, entry);
    case ENTRY_KIND_JOB_CLOSE: return tell_job_close(tale, entry);
    case ENTRY_KIND_SIMULATE: return tell_simulate(tale, entry);
    case ENTRY_KIND_SCOPE_OPEN:
    case ENTRY_KIND_REGION_OPEN: return tell_scope(tale, entry);
    case ENTRY_KIND_ERROR: tale->error = true; return true;
    case ENTRY_KIND_STATUS: tell_status(tale, (enum instance_status)entry->status); return true;
    case ENTRY_KIND_REGION_END: tell_region_end(tale, entry); return true;
    case ENTRY_KIND_PARK:
    case ENTRY_KIND_LEAVE:
    case ENTRY_KIND_REST:
    case ENTRY_KIND_INTERRUPT:
    case ENTRY_KIND_WARN:
    case ENTRY_KIND_STALL:
    case ENTRY_KIND_RAISE:
    case ENTRY_KIND_FAIL: row = find_row(tale, entry->execution); break;
    default: return true;
    }
    if (!row) return false;
    row->execution.raised |= entry->kind == ENTRY_KIND_RAISE || entry->kind == ENTRY_KIND_FAIL;
    if (entry->kind == ENTRY_KIND_RAISE) return true;
    /* A visit whose way out failed is complete, unless that raised an error; the reason is told either way.
     */
    bool complete = entry->kind == ENTRY_KIND_LEAVE || entry->kind == ENTRY_KIND_REST ||
                    (entry->kind == ENTRY_KIND_STALL && !tale->error);
    if (entry->kind == ENTRY_KIND_LEAVE && (row->parked == TOKEN_JOIN || row->parked == TOKEN_READY))
        tell_join(tale, row);
    if (entry->kind == ENTRY_KIND_PARK) tell_park(tale, row, (enum token_state)entry->state);
    else if (entry->kind == ENTRY_KIND_WARN) row->execution.warning = arena_str(tale->arena, entry->warning);
    else if (entry->kind == ENTRY_KIND_INTERRUPT) tell_interrupt(tale, row, entry->reason);
    else tell_end(tale, row, complete ? EXECUTION_COMPLETED : EXECUTION_FAILED, entry->reason);
    return true;
}

/* Numbers the visits to each node, in a hash table of the latest row per name. */
static size_t count_attempts(struct tale *tale, struct execution *execution)
{
    size_t slots = 16;
    while (slots < tale->count * 2) slots *= 2;
    uint32_t *latest = arena_make_n(tale->arena, uint32_t, slots); /* Index + 1 in `execution`. */
    size_t count = 0;
    for (size_t i = 0; i < tale->count; i++) {
        if (tale->row[i].hidden) continue;
        struct execution *now = &execution[count++];
        *now = tale->row[i].execution;
        stop_visit(tale, &tale->row[i], now);
        if (tale->row[i].tried_total) show_attempts(&tale->row[i], tale->arena, now);
        size_t slot = text_map_hash(now->node_name) & (slots - 1);
        while (latest[slot] && !str_equal(execution[latest[slot] - 1].node_name, now->node_name))
            slot = (slot + 1) & (slots - 1);
        now->attempt = latest[slot] ? execution[latest[slot] - 1].attempt + 1 : 1;
        latest[slot] = (uint32_t)count;
    }
    return count;
}

struct tale *core_tale_new(const struct program *program, struct arena *arena)
{
    struct tale *tale = arena_make(arena, struct tale);
    *tale = (struct tale){
        .program = program, .arena = arena, .data = json_empty_object(), .acts = { .arena = arena }
    };
    return tale;
}

/* Where the command happened: at the visit that its first entry about one names. */
static str acted_node(const struct tale *tale, const struct history *history)
{
    bool is_about_all = history->command == COMMAND_START || history->command == COMMAND_CANCEL;
    for (size_t e = 0; e < history->entry_count && !is_about_all; e++) {
        const struct entry *entry = &history->entry[e];
        bool has_visit = entry_slots(entry->kind) & ENTRY_EXECUTION;
        struct row *row = has_visit ? authored_row(tale, find_row(tale, entry->execution)) : NULL;
        if (row) return row->execution.node_name;
    }
    return STR_NONE;
}

struct tale_acts core_tale_acts(const struct tale *tale)
{
    return (struct tale_acts){ .act = tale->acts.act, .count = tale->acts.count, .total = tale->acts.total };
}

enum status core_tell(struct tale *tale, const struct history *history, struct error *err)
{
    tale->at_ms = history->at_ms;
    tale->actor = history->actor;
    for (size_t e = 0; e < history->entry_count; e++) {
        tale->omits = tale->omits || arena_over(tale->arena);
        if (!tell(tale, &history->entry[e]))
            return fail(err, ST_INTERNAL, "", "the history is damaged: entry %zu of revision %u", e,
                        history->revision);
    }
    acts_tell(&tale->acts, history, acted_node(tale, history), tale->omits);
    return ST_OK;
}

void core_tale_end(struct tale *tale, struct execution **ret_execution, size_t *ret_count)
{
    struct execution *execution = arena_make_n(tale->arena, struct execution, tale->count);
    *ret_count = count_attempts(tale, execution);
    *ret_execution = execution;
}

/* ---- ways ---- */

/* The visit to a node that an author knows from which a token came, past inner nodes; NULL: none. */
static const struct row *origin(const struct tale *tale, const struct row *row)
{
    while (row && row->execution.from) {
        const struct row *from = find_row(tale, row->execution.from);
        if (!from || from >= row) return NULL; /* Visits are older than those that follow them. */
        if (!from->execution.inner) return from;
        row = from;
    }
    return NULL;
}

/* The slot of a way in a hash table of indices + 1, or the free one where it belongs. */
static size_t find_way(const uint32_t *slot, size_t slots, const struct tale_way *way, str from, str to)
{
    size_t at = (text_map_hash(from) * 31 + text_map_hash(to)) & (slots - 1);
    while (slot[at] && !(str_equal(way[slot[at] - 1].from, from) && str_equal(way[slot[at] - 1].to, to)))
        at = (at + 1) & (slots - 1);
    return at;
}

size_t core_tale_ways(const struct tale *tale, struct arena *arena, struct tale_way **ret_way)
{
    struct tale_way *way = NULL;
    size_t count = 0, cap = 0, slots = 16;
    while (slots < tale->count * 2) slots *= 2;
    uint32_t *slot = arena_make_n(arena, uint32_t, slots);
    for (size_t i = 0; i < tale->count; i++) {
        const struct row *row = &tale->row[i], *from = row->execution.inner ? NULL : origin(tale, row);
        if (!from) continue;
        str from_name = from->execution.node_name, name = row->execution.node_name;
        size_t at = find_way(slot, slots, way, from_name, name);
        if (!slot[at]) {
            array_reserve_in(arena, way, count, cap);
            way[count++] = (struct tale_way){ arena_str(arena, from_name), arena_str(arena, name), 0 };
            slot[at] = (uint32_t)count;
        }
        way[slot[at] - 1].count++;
    }
    *ret_way = way;
    return count;
}

enum status core_executions(const struct program *program, const struct history *history, size_t count,
                            struct arena *arena, struct execution **ret_execution, size_t *ret_count,
                            struct error *err)
{
    struct tale *tale = core_tale_new(program, arena);
    for (size_t i = 0; i < count; i++) TRY(core_tell(tale, &history[i], err));
    core_tale_end(tale, ret_execution, ret_count);
    return ST_OK;
}
