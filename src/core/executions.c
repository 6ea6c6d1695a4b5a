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
#include "core/trail.h"

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

struct trail {
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
    uint32_t revision; /* The number of the command at hand. */
    struct {
        str node; /* Empty: no token has left a join since the last visit began. */
        uint32_t scope;
    } opening;  /* The join that opens: a row for all tokens that it uses. */
    bool omits; /* The budget is used up. */
    struct {
        uint32_t first, last; /* The visits whose data is told. */
        struct arena *past;   /* Two arenas for the data before them; NULL: it is in the trail's own. */
        int at;               /* The one in use. */
        size_t used;          /* Bytes of the trail's arena that others use. */
    } window;
    bool error; /* The instance's error was told, and not yet that it failed. */
    struct acts acts;
    str stopped_by; /* The actor of the command that stopped it. */
    uint32_t stopped_revision;
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

/* ---- the window ---- */

static struct arena *data_arena(const struct trail *trail)
{
    return trail->window.past ? &trail->window.past[trail->window.at] : trail->arena;
}

/* Is the data of this visit told? */
static bool shows(const struct trail *trail, uint32_t execution)
{
    return !trail->omits && execution >= trail->window.first && execution <= trail->window.last;
}

/* Copies the data as it is at this point of the story. */
static void copy_data(struct trail *trail, struct arena *to)
{
    trail->data = json_copy(to, trail->data);
    for (size_t i = 0; i < trail->scope_count; i++)
        if (trail->scope[i].data) trail->scope[i].data = json_copy(to, trail->scope[i].data);
}

/* Before the window only the newest data counts: when there is much, the rest of it goes. */
static void forget_past(struct trail *trail)
{
    struct arena *full = data_arena(trail);
    if (!trail->window.past || full->used < full->budget) return;
    trail->window.at = !trail->window.at;
    copy_data(trail, data_arena(trail));
    data_arena(trail)->budget = data_arena(trail)->used + PAST_BYTES_MAX;
    arena_reset(full);
}

/* The first visit of the window begins. From here on data stays, and the budget counts. */
static void open_window(struct trail *trail)
{
    trail->arena->budget += trail->arena->used - trail->window.used;
    copy_data(trail, trail->arena);
    trail->window.past = NULL;
}

void core_trail_window(struct trail *trail, uint32_t first, uint32_t last, struct arena past[2])
{
    must(!trail->count && first <= last);
    trail->window.first = first;
    trail->window.last = last;
    trail->window.past = past;
    trail->window.used = trail->arena->used;
    past[0].budget = past[1].budget = PAST_BYTES_MAX;
}

void core_trail_without_data(struct trail *trail)
{
    must(!trail->count);
    trail->omits = true;
}

/* A value of the history, to be kept. NULL if there is none, or no room for any. */
static const struct json *kept(struct trail *trail, const struct json *value)
{
    return value && !trail->omits ? json_copy(data_arena(trail), value) : NULL;
}

static struct row *find_row(const struct trail *trail, uint32_t execution)
{
    size_t low = 0, high = trail->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t number = trail->row[middle].execution.number;
        if (number == execution) return &trail->row[middle];
        if (number < execution) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

static struct told_scope *find_scope(const struct trail *trail, uint32_t number)
{
    size_t i =
        number ? number_index(trail->scope, trail->scope_count, sizeof *trail->scope, number) : SIZE_MAX;
    return i == SIZE_MAX ? NULL : &trail->scope[i];
}

/* Where the data that a scope sees is kept. */
static const struct json **data_of(struct trail *trail, uint32_t number)
{
    struct told_scope *scope;
    while ((scope = find_scope(trail, number)) != NULL) {
        if (scope->data) return &scope->data;
        number = scope->parent;
    }
    return &trail->data;
}

static str region_of(const struct trail *trail, uint32_t number)
{
    const struct told_scope *scope;
    while ((scope = find_scope(trail, number)) != NULL) {
        if (scope->region.n) return scope->region;
        number = scope->parent;
    }
    return STR_NONE;
}

static bool tell_scope(struct trail *trail, const struct entry *entry)
{
    if (entry->around >= entry->scope) return false; /* The one around it is older: there is no circle. */
    if (trail->scope_count && trail->scope[trail->scope_count - 1].number >= entry->scope) return false;
    if (trail->scope_count == trail->scope_cap) {
        trail->scope_cap = trail->scope_cap ? trail->scope_cap * 2 : 8;
        struct told_scope *more = arena_alloc(trail->arena, trail->scope_cap * sizeof *more);
        if (trail->scope_count) memcpy(more, trail->scope, trail->scope_count * sizeof *more);
        trail->scope = more;
    }
    str region = STR_NONE;
    uint32_t node = trail->program ? program_find(trail->program, entry->node) : NODE_NONE;
    if (entry->kind == ENTRY_KIND_REGION_OPEN && node != NODE_NONE) {
        const struct program_node *opener = &trail->program->node[node];
        bool undoes = program_is_undoable(opener) && opener->kind != NODE_SCOPE;
        bool each = opener->kind == NODE_SCOPE && opener->as.scope.each;
        uint32_t index = each ? 0 : entry->index;
        /* The node of an earlier version may have been another one: the program is the latest. */
        bool opens = opener->kind == NODE_SCOPE && index < opener->as.scope.region_count;
        if (!undoes && opens) region = opener->as.scope.region[index].name;
    }
    trail->scope[trail->scope_count++] = (struct told_scope){
        .number = entry->scope,
        .parent = entry->around,
        .host = entry->kind == ENTRY_KIND_REGION_OPEN ? entry->host : 0,
        .region = region,
        .data = entry->kind == ENTRY_KIND_REGION_OPEN ? kept(trail, entry->data) : NULL,
    };
    return true;
}

static void name_visit(const struct trail *trail, struct row *row, str name)
{
    uint32_t node = trail->program ? program_find(trail->program, name) : NODE_NONE;
    const struct program_node *known = node == NODE_NONE ? NULL : &trail->program->node[node];
    row->node = node;
    row->execution.node_name = name;
    row->execution.inner = known && known->inner;
    row->execution.title = known ? known->title : STR_NONE;
    row->execution.type = known ? known->type : STR_NONE;
}

/* Visits that are under way go on at the nodes of the new version. */
static bool tell_migrate(struct trail *trail, const struct entry *entry)
{
    for (size_t i = 0; i < trail->count; i++) {
        struct row *row = &trail->row[i];
        const struct json *name = json_get(entry->renamed, row->execution.node_name);
        if (row->execution.status == EXECUTION_RUNNING && json_is(name, JSON_STRING))
            name_visit(trail, row, arena_str(trail->arena, json_string(name)));
    }
    return true;
}

static bool tell_enter(struct trail *trail, const struct entry *entry)
{
    if (trail->count && trail->row[trail->count - 1].execution.number >= entry->execution) return false;
    if (trail->window.past && entry->execution >= trail->window.first) open_window(trail);
    if (trail->count == trail->cap) {
        trail->cap = trail->cap ? trail->cap * 2 : 32;
        struct row *more = arena_alloc(trail->arena, trail->cap * sizeof *more);
        if (trail->count) memcpy(more, trail->row, trail->count * sizeof *more);
        trail->row = more;
    }
    struct row *row = &trail->row[trail->count++];
    *row = (struct row){
        .execution = {
            .number = entry->execution,
            .scope = entry->scope,
            .region = region_of(trail, entry->scope),
            .status = EXECUTION_RUNNING,
            .started_ms = trail->at_ms,
            .input = shows(trail, entry->execution) ? *data_of(trail, entry->scope) : NULL,
            .omitted = trail->omits,
            .from = entry->from,
        },
        .scope = entry->scope,
        .parked = TOKEN_READY,
    };
    name_visit(trail, row, arena_str(trail->arena, entry->node));
    return true;
}

static void tell_park(struct trail *trail, struct row *row, enum token_state state)
{
    row->parked = row->execution.waited = state;
    row->execution.waited_ms = trail->at_ms;
    row->execution.waited_revision = trail->revision;
    if (state != TOKEN_JOIN) return;
    /* A scope's number is older than any visit in it: nothing before that is of interest. */
    for (struct row *other = &trail->row[trail->count];
         other-- > trail->row && other->execution.number > row->scope;)
        if (other != row && other->parked == TOKEN_JOIN && other->scope == row->scope &&
            other->execution.status == EXECUTION_RUNNING && !other->hidden &&
            str_equal(other->execution.node_name, row->execution.node_name)) {
            row->hidden = true;
            return;
        }
}

/* A join that counts edges may have tokens left over, for the next time it opens: of those that it uses then,
 * the first is shown. A token that it absorbs is not shown at all. */
static void tell_join(struct trail *trail, struct row *row)
{
    if (row->node == NODE_NONE) return;
    const struct program_node *node = &trail->program->node[row->node];
    if (node->kind != NODE_JOIN || node->as.join.mode == JOIN_OF_FORK) return;
    bool opens = trail->opening.scope == row->scope && str_equal(trail->opening.node, node->name);
    row->hidden = row->parked != TOKEN_JOIN || opens;
    trail->opening.node = node->name;
    trail->opening.scope = row->scope;
}

/* The visit that the author knows: this one, or that of the host around it. */
static struct row *authored_row(const struct trail *trail, struct row *row)
{
    while (row && row->execution.inner) {
        const struct told_scope *scope = find_scope(trail, row->scope);
        while (scope && !scope->host) scope = find_scope(trail, scope->parent);
        struct row *host = scope ? find_row(trail, scope->host) : NULL;
        if (!host || host >= row) break; /* A host is older than what is in it. */
        row = host;
    }
    return row;
}

/* Names who ended a visit that waited. A visit that did not wait ended by itself. */
static void tell_who(struct trail *trail, struct row *row)
{
    if (row->parked == TOKEN_READY || row->parked == TOKEN_JOIN || !trail->actor.n) return;
    str by = arena_str(trail->arena, trail->actor);
    row->execution.by = by;
    struct row *shown = authored_row(trail, row);
    if (shown) shown->execution.by = by;
}

static void tell_end(struct trail *trail, struct row *row, enum execution_status status, str failure)
{
    struct execution *execution = &row->execution;
    execution->status = status;
    execution->ended_ms = trail->at_ms;
    execution->ended_revision = trail->revision;
    execution->failure = arena_str(trail->arena, failure);
    execution->omitted |= trail->omits;
    tell_who(trail, row);
    if (status != EXECUTION_COMPLETED || !shows(trail, execution->number)) return;
    if (trail->program && trail->program->visits_show_data) execution->output = *data_of(trail, row->scope);
    if (execution->output) return;
    if (row->parked == TOKEN_JOB) execution->output = json_empty_object();
    if (row->parked == TOKEN_SIGNAL || row->parked == TOKEN_PERSON) execution->output = trail->data;
}

/* Notes what a visit made of the data at `place`. Changes of one place add up. A visit that ends a region
 * tells what it made of the data around it, which is the last place. */
static void tell_change(struct trail *trail, struct row *row, const struct json **place,
                        const struct json *before, const struct json *value)
{
    struct execution *execution = &row->execution;
    if (!shows(trail, execution->number)) return;
    if (row->changed != place) {
        execution->before = before;
        execution->put = value;
    } else if (json_is(execution->put, JSON_OBJECT) && json_is(value, JSON_OBJECT)) {
        execution->put = merge_result(execution->put, value, MERGE_SHALLOW, trail->arena);
    }
    row->changed = place;
    execution->after = *place;
}

static bool tell_data(struct trail *trail, const struct entry *entry)
{
    struct row *row = entry->execution ? find_row(trail, entry->execution) : NULL;
    if (trail->omits) {
        if (row) row->execution.omitted = true;
        return row || !entry->execution;
    }
    if (entry->merge > MERGE_DEEP || !merge_fits(trail->data, entry->data, (enum data_merge)entry->merge))
        return false;
    const struct json *added = kept(trail, entry->data), *before = trail->data;
    trail->data = merge_result(trail->data, added, (enum data_merge)entry->merge, data_arena(trail));
    if (row) tell_change(trail, row, &trail->data, before, added);
    if (row && shows(trail, entry->execution))
        row->execution.output = row->parked == TOKEN_JOB ? added : trail->data;
    return row || !entry->execution;
}

static bool tell_scope_data(struct trail *trail, const struct entry *entry)
{
    if (trail->omits) return true;
    const struct json **data = data_of(trail, entry->scope);
    if (entry->merge > MERGE_MEMBERS || !merge_fits(*data, entry->data, (enum data_merge)entry->merge))
        return false;
    const struct json *added = kept(trail, entry->data), *before = *data;
    struct row *row = entry->execution ? find_row(trail, entry->execution) : NULL;
    *data = merge_result(before, added, (enum data_merge)entry->merge, data_arena(trail));
    if (row) tell_change(trail, row, data, before, added);
    return true;
}

static bool tell_data_cut(struct trail *trail, const struct entry *entry)
{
    if (trail->omits) return true;
    if (!json_is(trail->data, JSON_OBJECT) || !merge_is_names(entry->names)) return false;
    trail->data = merge_without(trail->data, entry->names, data_arena(trail));
    return true;
}

/* The first token that has arrived at a join is shown for all of them. If it is taken away, another one is,
 * of any number: a token that a repair has put there can have a smaller one and come later. */
static void tell_interrupt(struct trail *trail, struct row *row, str why)
{
    bool shown = row->parked == TOKEN_JOIN && !row->hidden;
    tell_end(trail, row, EXECUTION_FAILED, why);
    for (struct row *next = trail->row; shown && next < trail->row + trail->count; next++)
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
static void grow_tried(struct trail *trail, struct row *row)
{
    if (row->tried_total > 1) return;
    struct job_attempt *more =
        arena_make_n(trail->arena, struct job_attempt, row->tried_total ? ATTEMPTS_SHOWN_MAX : 1);
    if (row->tried_total) more[0] = row->tried[0];
    row->tried = more;
}

static bool tell_job_open(struct trail *trail, const struct entry *entry)
{
    struct row *row = authored_row(trail, find_row(trail, entry->execution));
    if (!row) return false;
    if (trail->job_count && trail->job[trail->job_count - 1].number >= entry->job) return false;
    grow_tried(trail, row);
    row->tried[row->tried_total % ATTEMPTS_SHOWN_MAX] = (struct job_attempt){
        .job = entry->job,
        .number = entry->attempt,
        .type = arena_str(trail->arena, entry->job_type),
        .opened_ms = trail->at_ms,
        .available_ms = entry->available_ms,
    };
    if (trail->job_count == trail->job_cap) {
        trail->job_cap = trail->job_cap ? trail->job_cap * 2 : 8;
        struct told_job *more = arena_alloc(trail->arena, trail->job_cap * sizeof *more);
        if (trail->job_count) memcpy(more, trail->job, trail->job_count * sizeof *more);
        trail->job = more;
    }
    trail->job[trail->job_count++] =
        (struct told_job){ entry->job, (size_t)(row - trail->row), row->tried_total++ };
    return true;
}

/* The input that the job was given, if it is not the data. */
static bool tell_job_input(struct trail *trail, const struct entry *entry)
{
    size_t i = number_index(trail->job, trail->job_count, sizeof *trail->job, entry->job);
    if (i == SIZE_MAX) return true; /* A job whose opening an older history does not tell. */
    struct execution *visit = &trail->row[trail->job[i].row].execution;
    if (shows(trail, visit->number) && entry->payload)
        visit->sent = json_copy(trail->arena, performer_input_shown(entry->payload, trail->arena));
    return true;
}

static bool tell_job_close(struct trail *trail, const struct entry *entry)
{
    static const enum attempt_outcome outcomes[] = {
        [JOB_DONE] = ATTEMPT_COMPLETED,
        [JOB_FAILED] = ATTEMPT_FAILED,
        [JOB_CANCELLED] = ATTEMPT_CANCELLED,
    };
    size_t i = number_index(trail->job, trail->job_count, sizeof *trail->job, entry->job);
    if (i == SIZE_MAX || entry->verdict >= COUNT(outcomes)) return false;
    const struct told_job job = trail->job[i];
    struct row *row = &trail->row[job.row];
    memmove(&trail->job[i], &trail->job[i + 1], (--trail->job_count - i) * sizeof *trail->job);
    if (job.slot + ATTEMPTS_SHOWN_MAX < row->tried_total) return true; /* It is shown no longer. */
    struct job_attempt *attempt = &row->tried[job.slot % ATTEMPTS_SHOWN_MAX];
    attempt->outcome = outcomes[entry->verdict];
    attempt->ended_ms = trail->at_ms;
    attempt->ended_revision = trail->revision;
    if (shows(trail, row->execution.number)) attempt->error = arena_str(trail->arena, entry->reason);
    if (attempt->outcome != ATTEMPT_CANCELLED) attempt->actor = arena_str(trail->arena, trail->actor);
    return true;
}

/* A visit in a test is told as if its token had waited, and so is that of the author's node around it. */
static bool tell_simulate(struct trail *trail, const struct entry *entry)
{
    struct row *row = find_row(trail, entry->execution);
    if (!row || entry->state >= TOKEN_STATE_COUNT) return false;
    row->parked = (enum token_state)entry->state;
    struct row *shown = authored_row(trail, row);
    row->execution.simulated = shown->execution.simulated = true;
    if (shows(trail, shown->execution.number) && entry->payload)
        shown->execution.sent = json_copy(trail->arena, performer_input_shown(entry->payload, trail->arena));
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

static void tell_status(struct trail *trail, enum instance_status status)
{
    bool stops = status == INSTANCE_FAILED || status == INSTANCE_CANCELLED;
    trail->error = false;
    trail->cancelled = status == INSTANCE_CANCELLED;
    if (!stops) trail->stopped_ms = 0; /* A retry lets all of it go on. */
    else if (!trail->stopped_ms) {
        trail->stopped_ms = trail->at_ms;
        trail->stopped_revision = trail->revision;
        trail->stopped_by = arena_str(trail->arena, trail->actor);
    }
}

static void tell_region_end(struct trail *trail, const struct entry *entry)
{
    struct told_scope *scope = find_scope(trail, entry->scope);
    if (scope) scope->detached = entry->state == REGION_DETACHED;
}

/* Before the window nobody asks for its data again. */
static void tell_scope_close(struct trail *trail, const struct entry *entry)
{
    struct told_scope *scope = trail->window.past ? find_scope(trail, entry->scope) : NULL;
    if (scope) scope->data = NULL;
}

static bool is_detached(const struct trail *trail, uint32_t number)
{
    const struct told_scope *scope;
    while ((scope = find_scope(trail, number)) != NULL) {
        if (scope->detached) return true;
        number = scope->parent;
    }
    return false;
}

/* No visit of an instance that failed or was cancelled is still running, but for those that nobody waits for.
 */
static void stop_visit(const struct trail *trail, const struct row *row, struct execution *execution)
{
    if (!trail->stopped_ms || execution->status != EXECUTION_RUNNING) return;
    if (!trail->cancelled && is_detached(trail, row->scope)) return;
    execution->status = EXECUTION_FAILED;
    execution->ended_ms = trail->stopped_ms;
    if (trail->cancelled) {
        execution->by = trail->stopped_by;
        execution->ended_revision = trail->stopped_revision;
    }
    execution->failure =
        trail->cancelled ? STR("the instance was cancelled") : STR("stopped, because the instance failed");
}

/* ---- the story ---- */

/* False if the entry is about a visit that no token entered. */
static bool tell(struct trail *trail, const struct entry *entry)
{
    struct row *row = NULL;
    switch (entry->kind) {
    case ENTRY_KIND_ENTER: trail->opening.node = STR_NONE; return tell_enter(trail, entry);
    case ENTRY_KIND_DATA: return tell_data(trail, entry);
    case ENTRY_KIND_SCOPE_DATA: return tell_scope_data(trail, entry);
    case ENTRY_KIND_DATA_CUT: return tell_data_cut(trail, entry);
    case ENTRY_KIND_JOB_OPEN: return tell_job_open(trail, entry);
    case ENTRY_KIND_JOB_INPUT: return tell_job_input(trail, entry);
    case ENTRY_KIND_JOB_CLOSE: return tell_job_close(trail, entry);
    case ENTRY_KIND_SIMULATE: return tell_simulate(trail, entry);
    case ENTRY_KIND_SCOPE_OPEN:
    case ENTRY_KIND_REGION_OPEN: return tell_scope(trail, entry);
    case ENTRY_KIND_ERROR: trail->error = true; return true;
    case ENTRY_KIND_STATUS: tell_status(trail, (enum instance_status)entry->status); return true;
    case ENTRY_KIND_REGION_END: tell_region_end(trail, entry); return true;
    case ENTRY_KIND_SCOPE_CLOSE: tell_scope_close(trail, entry); return true;
    case ENTRY_KIND_MIGRATE: return tell_migrate(trail, entry);
    case ENTRY_KIND_PARK:
    case ENTRY_KIND_LEAVE:
    case ENTRY_KIND_REST:
    case ENTRY_KIND_INTERRUPT:
    case ENTRY_KIND_WARN:
    case ENTRY_KIND_STALL:
    case ENTRY_KIND_RAISE:
    case ENTRY_KIND_FAIL: row = find_row(trail, entry->execution); break;
    default: return true;
    }
    if (!row) return false;
    row->execution.raised |= entry->kind == ENTRY_KIND_RAISE || entry->kind == ENTRY_KIND_FAIL;
    if (entry->kind == ENTRY_KIND_RAISE) return true;
    /* A visit whose way out failed is complete, unless that raised an error; the reason is told either way.
     */
    bool complete = entry->kind == ENTRY_KIND_LEAVE || entry->kind == ENTRY_KIND_REST ||
                    (entry->kind == ENTRY_KIND_STALL && !trail->error);
    if (entry->kind == ENTRY_KIND_LEAVE && (row->parked == TOKEN_JOIN || row->parked == TOKEN_READY))
        tell_join(trail, row);
    if (entry->kind == ENTRY_KIND_PARK) tell_park(trail, row, (enum token_state)entry->state);
    else if (entry->kind == ENTRY_KIND_WARN) row->execution.warning = arena_str(trail->arena, entry->warning);
    else if (entry->kind == ENTRY_KIND_INTERRUPT) tell_interrupt(trail, row, entry->reason);
    else tell_end(trail, row, complete ? EXECUTION_COMPLETED : EXECUTION_FAILED, entry->reason);
    return true;
}

/* The visits around a visit, as far as its author knows them. */
static void tell_place(const struct trail *trail, struct row *row, struct execution *execution)
{
    struct row *shown = authored_row(trail, row);
    const struct told_scope *scope = find_scope(trail, shown->scope);
    while (scope && !scope->host) scope = find_scope(trail, scope->parent);
    struct row *host = scope ? authored_row(trail, find_row(trail, scope->host)) : NULL;
    execution->shown = shown->execution.number;
    execution->host = host && host < shown ? host->execution.number : 0;
}

/* Numbers the visits to each node, in a hash table of the latest row per name. */
static size_t count_attempts(struct trail *trail, struct execution *execution)
{
    size_t slots = 16;
    while (slots < trail->count * 2) slots *= 2;
    uint32_t *latest = arena_make_n(trail->arena, uint32_t, slots); /* Index + 1 in `execution`. */
    size_t count = 0;
    for (size_t i = 0; i < trail->count; i++) {
        if (trail->row[i].hidden) continue;
        struct execution *now = &execution[count++];
        *now = trail->row[i].execution;
        stop_visit(trail, &trail->row[i], now);
        tell_place(trail, &trail->row[i], now);
        if (trail->row[i].tried_total) show_attempts(&trail->row[i], trail->arena, now);
        size_t slot = text_map_hash(now->node_name) & (slots - 1);
        while (latest[slot] && !str_equal(execution[latest[slot] - 1].node_name, now->node_name))
            slot = (slot + 1) & (slots - 1);
        now->attempt = latest[slot] ? execution[latest[slot] - 1].attempt + 1 : 1;
        latest[slot] = (uint32_t)count;
    }
    return count;
}

struct trail *core_trail_new(const struct program *program, struct arena *arena)
{
    struct trail *trail = arena_make(arena, struct trail);
    *trail = (struct trail){ .program = program,
                             .arena = arena,
                             .data = json_empty_object(),
                             .window.last = UINT32_MAX,
                             .acts = { .arena = arena } };
    return trail;
}

/* Where the command happened: at the visit that its first entry about one names. */
static str acted_node(const struct trail *trail, const struct history *history)
{
    bool is_about_all = history->command == COMMAND_START || history->command == COMMAND_CANCEL ||
                        history->command == COMMAND_MIGRATE;
    for (size_t e = 0; e < history->entry_count && !is_about_all; e++) {
        const struct entry *entry = &history->entry[e];
        bool has_visit = entry_slots(entry->kind) & ENTRY_EXECUTION;
        struct row *row = has_visit ? authored_row(trail, find_row(trail, entry->execution)) : NULL;
        if (row) return row->execution.node_name;
    }
    return STR_NONE;
}

struct trail_acts core_trail_acts(const struct trail *trail)
{
    return (
        struct trail_acts){ .act = trail->acts.act, .count = trail->acts.count, .total = trail->acts.total };
}

enum status core_tell(struct trail *trail, const struct history *history, struct error *err)
{
    trail->at_ms = history->at_ms;
    trail->revision = history->revision;
    trail->actor = history->actor;
    for (size_t e = 0; e < history->entry_count; e++) {
        trail->omits = trail->omits || (!trail->window.past && arena_over(trail->arena));
        if (!tell(trail, &history->entry[e]))
            return fail(err, ST_INTERNAL, "", "the history is damaged: entry %zu of revision %u", e,
                        history->revision);
    }
    acts_tell(&trail->acts, history, acted_node(trail, history), trail->omits);
    forget_past(trail);
    return ST_OK;
}

void core_trail_end(struct trail *trail, struct execution **ret_execution, size_t *ret_count)
{
    struct execution *execution = arena_make_n(trail->arena, struct execution, trail->count);
    *ret_count = count_attempts(trail, execution);
    *ret_execution = execution;
}

/* ---- ways ---- */

/* The visit to a node that an author knows from which a token came, past inner nodes; NULL: none. */
static const struct row *origin(const struct trail *trail, const struct row *row)
{
    while (row && row->execution.from) {
        const struct row *from = find_row(trail, row->execution.from);
        if (!from || from >= row) return NULL; /* Visits are older than those that follow them. */
        if (!from->execution.inner) return from;
        row = from;
    }
    return NULL;
}

/* The slot of a way in a hash table of indices + 1, or the free one where it belongs. */
static size_t find_way(const uint32_t *slot, size_t slots, const struct trail_way *way, str from, str to)
{
    size_t at = (text_map_hash(from) * 31 + text_map_hash(to)) & (slots - 1);
    while (slot[at] && !(str_equal(way[slot[at] - 1].from, from) && str_equal(way[slot[at] - 1].to, to)))
        at = (at + 1) & (slots - 1);
    return at;
}

size_t core_trail_ways(const struct trail *trail, struct arena *arena, struct trail_way **ret_way)
{
    struct trail_way *way = NULL;
    size_t count = 0, cap = 0, slots = 16;
    while (slots < trail->count * 2) slots *= 2;
    uint32_t *slot = arena_make_n(arena, uint32_t, slots);
    for (size_t i = 0; i < trail->count; i++) {
        const struct row *row = &trail->row[i], *from = row->execution.inner ? NULL : origin(trail, row);
        if (!from) continue;
        str from_name = from->execution.node_name, name = row->execution.node_name;
        size_t at = find_way(slot, slots, way, from_name, name);
        if (!slot[at]) {
            array_reserve_in(arena, way, count, cap);
            way[count++] = (struct trail_way){ arena_str(arena, from_name), arena_str(arena, name), 0 };
            slot[at] = (uint32_t)count;
        }
        way[slot[at] - 1].count++;
    }
    *ret_way = way;
    return count;
}

bool core_is_late(const struct execution *visit)
{
    return visit->status == EXECUTION_FAILED && str_equal(visit->failure, CORE_LATE);
}

enum status core_executions(const struct program *program, const struct history *history, size_t count,
                            struct arena *arena, struct execution **ret_execution, size_t *ret_count,
                            struct error *err)
{
    struct trail *trail = core_trail_new(program, arena);
    for (size_t i = 0; i < count; i++) TRY(core_tell(trail, &history[i], err));
    core_trail_end(trail, ret_execution, ret_count);
    return ST_OK;
}
