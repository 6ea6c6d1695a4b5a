/* core/executions.c — the visits of an instance, told by its history.
 *
 * A row for every ENTER, except at joins: all branches that arrive there in one scope share
 * the row of the first. Whether a visit is an arrival shows only when it parks, so rows are
 * made first, hidden if need be, and counted last.
 */

#include "core/core_int.h"

#include "base/hash.h"

struct row {
    struct execution execution;
    uint32_t scope;
    enum token_state parked; /* TOKEN_READY: it did not park. */
    bool hidden;
};

/* A scope as far as the story needs it. */
struct told_scope {
    uint32_t number, parent;
    str region;              /* Its name; empty: a fork's, or no program to tell. */
    const struct json *data; /* Its own; NULL: its parent's. */
};

struct telling {
    const struct program *program;
    struct arena *arena;
    struct row *row; /* Ascending by execution. */
    size_t count, cap;
    const struct json *data; /* The root's at this point of the story. */
    struct told_scope *scope; /* Ascending by number; those that were closed stay. */
    size_t scope_count, scope_cap;
    int64_t at_ms;
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

static struct row *find_row(const struct telling *telling, uint32_t execution)
{
    size_t low = 0, high = telling->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t number = telling->row[middle].execution.number;
        if (number == execution) return &telling->row[middle];
        if (number < execution)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static struct told_scope *find_scope(const struct telling *telling, uint32_t number)
{
    for (size_t i = telling->scope_count; number && i-- > 0;)
        if (telling->scope[i].number == number) return &telling->scope[i];
    return NULL;
}

/* Where the data that a scope sees is kept. */
static const struct json **data_of(struct telling *telling, uint32_t number)
{
    struct told_scope *scope;
    while ((scope = find_scope(telling, number)) != NULL) {
        if (scope->data) return &scope->data;
        number = scope->parent;
    }
    return &telling->data;
}

static str region_of(const struct telling *telling, uint32_t number)
{
    const struct told_scope *scope;
    while ((scope = find_scope(telling, number)) != NULL) {
        if (scope->region.n) return scope->region;
        number = scope->parent;
    }
    return STR_NONE;
}

static bool tell_scope(struct telling *telling, const struct entry *entry)
{
    if (entry->from >= entry->scope) return false; /* The one around it is older: there is no circle. */
    if (telling->scope_count == telling->scope_cap) {
        telling->scope_cap = telling->scope_cap ? telling->scope_cap * 2 : 8;
        struct told_scope *more = arena_alloc(telling->arena, telling->scope_cap * sizeof *more);
        if (telling->scope_count) memcpy(more, telling->scope, telling->scope_count * sizeof *more);
        telling->scope = more;
    }
    str region = STR_NONE;
    uint32_t node = telling->program ? program_find(telling->program, entry->node) : NODE_NONE;
    if (entry->kind == ENTRY_KIND_REGION_OPEN && node != NODE_NONE) {
        const struct program_node *opener = &telling->program->node[node];
        if (opener->kind != NODE_SCOPE || entry->value >= opener->as.scope.region_count) return false;
        region = opener->as.scope.region[entry->value].name;
    }
    telling->scope[telling->scope_count++] = (struct told_scope){
        .number = entry->scope,
        .parent = entry->from,
        .region = region,
        .data = entry->kind == ENTRY_KIND_REGION_OPEN ? entry->json : NULL,
    };
    return true;
}

static bool tell_enter(struct telling *telling, const struct entry *entry)
{
    if (telling->count && telling->row[telling->count - 1].execution.number >= entry->execution) return false;
    if (telling->count == telling->cap) {
        telling->cap = telling->cap ? telling->cap * 2 : 32;
        struct row *more = arena_alloc(telling->arena, telling->cap * sizeof *more);
        if (telling->count) memcpy(more, telling->row, telling->count * sizeof *more);
        telling->row = more;
    }
    uint32_t node = telling->program ? program_find(telling->program, entry->node) : NODE_NONE;
    telling->row[telling->count++] = (struct row){
        .execution = {
            .number = entry->execution,
            .node_name = entry->node,
            .scope = entry->scope,
            .region = region_of(telling, entry->scope),
            .inner = node != NODE_NONE && telling->program->node[node].inner,
            .title = node == NODE_NONE ? STR_NONE : telling->program->node[node].title,
            .type = node == NODE_NONE ? STR_NONE : telling->program->node[node].type,
            .status = EXECUTION_RUNNING,
            .started_ms = telling->at_ms,
            .input = *data_of(telling, entry->scope),
            .from = entry->from,
        },
        .scope = entry->scope,
        .parked = TOKEN_READY,
    };
    return true;
}

static void tell_park(struct telling *telling, struct row *row, enum token_state state)
{
    row->parked = state;
    if (state != TOKEN_JOIN) return;
    /* A scope's number is older than any visit in it: nothing before that is of interest. */
    for (struct row *other = row; other-- > telling->row && other->execution.number > row->scope;)
        if (other->parked == TOKEN_JOIN && other->scope == row->scope &&
            other->execution.status == EXECUTION_RUNNING && !other->hidden &&
            str_equal(other->execution.node_name, row->execution.node_name)) {
            row->hidden = true;
            return;
        }
}

static void tell_end(struct telling *telling, struct row *row, enum execution_status status, str failure)
{
    struct execution *execution = &row->execution;
    execution->status = status;
    execution->ended_ms = telling->at_ms;
    execution->failure = failure;
    if (status != EXECUTION_COMPLETED) return;
    if (telling->program && telling->program->any_data) execution->output = *data_of(telling, row->scope);
    if (execution->output) return;
    if (row->parked == TOKEN_JOB) execution->output = json_empty_object();
    if (row->parked == TOKEN_SIGNAL || row->parked == TOKEN_PERSON) execution->output = telling->data;
}

static bool tell_data(struct telling *telling, const struct entry *entry)
{
    if (entry->value > MERGE_DEEP || !data_mergeable(telling->data, entry->json, (enum data_merge)entry->value))
        return false;
    telling->data = data_merged(telling->data, entry->json, (enum data_merge)entry->value, telling->arena);
    struct row *row = entry->execution ? find_row(telling, entry->execution) : NULL;
    if (row) row->execution.output = row->parked == TOKEN_JOB ? entry->json : telling->data;
    return row || !entry->execution;
}

static bool tell_scope_data(struct telling *telling, const struct entry *entry)
{
    const struct json **data = data_of(telling, entry->scope);
    if (entry->value > MERGE_APPEND || !data_mergeable(*data, entry->json, (enum data_merge)entry->value)) return false;
    *data = data_merged(*data, entry->json, (enum data_merge)entry->value, telling->arena);
    return true;
}

/* False if the entry speaks of a visit that nobody entered. */
static bool tell(struct telling *telling, const struct entry *entry)
{
    struct row *row = NULL;
    switch (entry->kind) {
    case ENTRY_KIND_ENTER: return tell_enter(telling, entry);
    case ENTRY_KIND_DATA: return tell_data(telling, entry);
    case ENTRY_KIND_SCOPE_DATA: return tell_scope_data(telling, entry);
    case ENTRY_KIND_SCOPE_OPEN:
    case ENTRY_KIND_REGION_OPEN: return tell_scope(telling, entry);
    case ENTRY_KIND_PARK:
    case ENTRY_KIND_LEAVE:
    case ENTRY_KIND_REST:
    case ENTRY_KIND_INTERRUPT:
    case ENTRY_KIND_WARN:
    case ENTRY_KIND_FAIL: row = find_row(telling, entry->execution); break;
    default: return true;
    }
    if (!row) return false;
    if (entry->kind == ENTRY_KIND_PARK)
        tell_park(telling, row, (enum token_state)entry->value);
    else if (entry->kind == ENTRY_KIND_WARN)
        row->execution.warning = entry->text;
    else if (entry->kind == ENTRY_KIND_LEAVE || entry->kind == ENTRY_KIND_REST)
        tell_end(telling, row, EXECUTION_COMPLETED, STR_NONE);
    else
        tell_end(telling, row, EXECUTION_FAILED, entry->text);
    return true;
}

/* Numbers the visits to each node, in a hash table of the latest row per name. */
static size_t count_attempts(struct telling *telling, struct execution *execution)
{
    size_t slots = 16;
    while (slots < telling->count * 2) slots *= 2;
    uint32_t *latest = arena_make_n(telling->arena, uint32_t, slots); /* Index + 1 in `execution`. */
    size_t count = 0;
    for (size_t i = 0; i < telling->count; i++) {
        if (telling->row[i].hidden) continue;
        struct execution *now = &execution[count++];
        *now = telling->row[i].execution;
        size_t slot = hash_bytes(now->node_name) & (slots - 1);
        while (latest[slot] && !str_equal(execution[latest[slot] - 1].node_name, now->node_name))
            slot = (slot + 1) & (slots - 1);
        now->attempt = latest[slot] ? execution[latest[slot] - 1].attempt + 1 : 1;
        latest[slot] = (uint32_t)count;
    }
    return count;
}

enum status core_executions(const struct program *program, const struct history *history, size_t count,
                            struct arena *arena, struct execution **ret_execution, size_t *ret_count,
                            struct error *err)
{
    struct telling telling = { .program = program, .arena = arena, .data = json_empty_object() };
    for (size_t i = 0; i < count; i++) {
        telling.at_ms = history[i].at_ms;
        for (size_t e = 0; e < history[i].entry_count; e++)
            if (!tell(&telling, &history[i].entry[e]))
                return fail(err, ST_INTERNAL, "", "the history is damaged: entry %zu of revision %u", e,
                            history[i].revision);
    }
    struct execution *execution = arena_make_n(arena, struct execution, telling.count);
    *ret_count = count_attempts(&telling, execution);
    *ret_execution = execution;
    return ST_OK;
}
