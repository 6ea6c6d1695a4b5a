/* tests/sim/checker_loop.c — what stands around tokens of flow graphs: items of loops, errors on their way
 * outward, and visits that are undone.
 *
 * An error goes to the error port of its node, else to the loop around it (which goes on, or fails in turn),
 * else everything that is complete and can be undone is undone, the latest first and once each, and the
 * instance fails.
 */
#include "record.h"

#include <inttypes.h>

/* ---- loops ---- */

static struct model_each *find_each(const struct model_instance *instance, uint32_t host)
{
    for (size_t i = 0; i < instance->eaches.count; i++)
        if (instance->eaches.item[i].host == host) return &instance->eaches.item[i];
    return NULL;
}

void graph_drop_loop(struct record *record, uint32_t host)
{
    struct model_each *each = find_each(record->instance, host);
    if (each) list_cut(&record->instance->eaches, each - record->instance->eaches.item);
}

bool graph_loop_is_over(const struct record *record, uint32_t host)
{
    const struct model_each *each = find_each(record->instance, host);
    return each && each->begun == json_count(each->items) && each->over == each->begun;
}

/* The list that a loop goes through. */
static const struct json *items_of(const struct record *record, const struct graph_node *loop)
{
    if (json_is(loop->items, JSON_ARRAY)) return loop->items;
    return json_get(record->instance->payload, STR("items"));
}

void graph_each_open(struct record *record, const struct entry *entry)
{
    struct model_token *host = record_token(record, entry->execution);
    if (!host) return;
    const struct graph_node *loop = graph_node_at(record, host->step);
    const struct json *items = loop->kind == GRAPH_LOOP ? items_of(record, loop) : NULL;
    if (!items || host->state != TOKEN_REGION || find_each(record->instance, host->execution) ||
        !json_equal(items, entry->items))
        bad(record, "\"%.*s\" goes through another list", STR_ARG(host->node));
    else
        *list_push(&record->checker->arena, &record->instance->eaches) =
            (struct model_each){ .host = host->execution,
                                 .items = json_copy(&record->checker->arena, entry->items),
                                 .window = loop->window };
}

/* An item begins, or a visit is about to be undone. */
void graph_region_open(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    struct model_token *host = record_token(record, entry->execution);
    if (!host || !record_number(record, entry->scope)) return;
    struct model_scope scope = { .number = entry->scope,
                                 .parent = entry->from,
                                 .fork = graph_node_of(record_graph(record), entry->node),
                                 .state = REGION_OPEN,
                                 .host = host->execution,
                                 .index = entry->value };
    struct model_each *each = find_each(instance, host->execution);
    if (host->state != TOKEN_REGION || host->scope != entry->from)
        bad(record, "a region was opened at \"%.*s\"", STR_ARG(host->node));
    else if (instance->undoing) scope.state = REGION_UNDO;
    else if (!each || entry->value != each->begun || each->begun == json_count(each->items))
        bad(record, "item %u of \"%.*s\" begins", entry->value, STR_ARG(host->node));
    else if (++each->begun - each->over > each->window)
        bad(record, "\"%.*s\" has more than %u items at a time", STR_ARG(host->node), each->window);
    *list_push(&record->checker->arena, &instance->scopes) = scope;
    record->opened = entry->scope;
}

bool graph_begins_region(struct record *record, const struct entry *entry, size_t node)
{
    const struct graph *graph = record_graph(record);
    const struct model_scope *scope = model_scope(record->instance, entry->scope);
    if (!scope || record->opened != entry->scope || entry->from != scope->host) return false;
    const struct model_token *host = model_token(record->instance, scope->host);
    record->opened = 0;
    if (scope->state == REGION_UNDO) return graph->nodes.item[scope->fork].undo == node;
    size_t body = graph_port(graph, host->step, STR("body"));
    return node == (body == GRAPH_NONE ? graph->end : graph->edges.item[body].to);
}

static bool is_inhabited(const struct model_instance *instance, uint32_t scope)
{
    for (size_t i = 0; i < instance->tokens.count; i++)
        if (instance->tokens.item[i].scope == scope) return true;
    for (size_t i = 0; i < instance->scopes.count; i++)
        if (instance->scopes.item[i].parent == scope) return true;
    return false;
}

static void close_scope(struct record *record, uint32_t number)
{
    struct model_instance *instance = record->instance;
    if (is_inhabited(instance, number)) bad(record, "region %u was closed with somebody in it", number);
    for (size_t i = instance->owed.count; i-- > 0;)
        if (instance->owed.item[i].scope == number) list_cut(&instance->owed, i);
    for (size_t i = 0; i < instance->scopes.count; i++)
        if (instance->scopes.item[i].number == number) {
            list_cut(&instance->scopes, i);
            return;
        }
    bad(record, "a region was closed that is not open");
}

void graph_scope_close(struct record *record, const struct entry *entry)
{
    close_scope(record, entry->scope);
}

void graph_item_end(struct record *record, const struct entry *entry)
{
    const struct model_scope *scope = model_scope(record->instance, entry->scope);
    struct model_each *each = scope ? find_each(record->instance, scope->host) : NULL;
    if (!each) {
        bad(record, "an item is over that did not begin");
        return;
    }
    if (entry->value == ITEM_FAILED) {
        graph_guess_error(record, ERROR_TO_ITEM, entry->scope);
        if (record->error.is != ERROR_TO_ITEM || record->error.scope != entry->scope)
            bad(record, "item %u failed", scope->index);
        record->error.is = ERROR_NONE;
    }
    each->over++;
    close_scope(record, entry->scope);
}

/* As many items are under way as may be. */
void graph_check_loops(struct record *record)
{
    const struct model_instance *instance = record->instance;
    for (size_t i = 0; i < instance->eaches.count; i++) {
        const struct model_each *each = &instance->eaches.item[i];
        size_t open = each->begun - each->over, left = json_count(each->items) - each->begun;
        bool yields = model_timers_of(instance, each->host) > 0;
        if ((left && open < each->window && !yields) || (!left && !open))
            bad(record, "a loop has %zu items under way and %zu to go", open, left);
    }
    if (instance->undoing && !instance->scopes.count && !model_timers_of(instance, instance->undo_host))
        bad(record, "nothing is being undone");
    for (size_t i = 0; i < instance->scopes.count; i++) {
        const struct model_scope *scope = &instance->scopes.item[i];
        if (!is_inhabited(instance, scope->number)) bad(record, "region %u is open and empty", scope->number);
        if (!model_token(instance, scope->host)) bad(record, "region %u has no host", scope->number);
    }
}

/* ---- errors ---- */

static bool can_undo(const struct record *record)
{
    const struct model_instance *instance = record->instance;
    if (!record_graph(record)->compensates || instance->undoing) return false;
    return instance->undos.count > 0;
}

static struct graph_error way_of_error(const struct record *record, uint32_t execution, bool modelled)
{
    const struct model_token *level = model_token(record->instance, execution);
    struct graph_error error = { .origin = execution };
    for (;;) {
        error.execution = level->execution;
        if (graph_port(record_graph(record), level->step, STR("error")) != GRAPH_NONE) {
            error.is = ERROR_TO_PORT;
            return error;
        }
        const struct model_scope *scope = model_scope(record->instance, level->scope);
        if (!scope) {
            error.is = !modelled && can_undo(record) ? ERROR_TO_UNDO : ERROR_FAILS;
            return error;
        }
        error.scope = scope->number;
        if (scope->state == REGION_UNDO) {
            error.is = ERROR_OF_UNDO;
            return error;
        }
        level = model_token(record->instance, scope->host);
        if (graph_node_at(record, level->step)->goes_on) {
            error.is = ERROR_TO_ITEM;
            return error;
        }
    }
}

void graph_begin_error(struct record *record, uint32_t execution, bool modelled)
{
    if (record->error.is != ERROR_NONE) bad(record, "an error has no consequences");
    record->error = way_of_error(record, execution, modelled);
}

/* Is it what the error must lead to, as seen from an entry that names an execution or a scope? */
static bool leads_to(const struct graph_error *error, enum error_way is, uint32_t number)
{
    if (is == ERROR_NONE) /* A RAISE: names who handles it, or whose it is. */
        return error->is == ERROR_TO_PORT ? error->execution == number : error->origin == number;
    return error->is == is &&
           (is == ERROR_TO_ITEM || is == ERROR_OF_UNDO ? error->scope : error->execution) == number;
}

/* Errors that no report brings: a list that is none, an end that fails, a deadlock. */
static void note_error(struct record *record, uint32_t execution, bool modelled)
{
    *list_push(&record->checker->arena, &record->errors) = way_of_error(record, execution, modelled);
}

void graph_note_errors(struct record *record)
{
    const struct model_instance *instance = record->instance;
    if (record->errors_noted) return;
    record->errors_noted = true;
    record->errors.count = 0;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        const struct graph_node *node = graph_node_at(record, token->step);
        bool no_list = node->kind == GRAPH_LOOP && !json_is(items_of(record, node), JSON_ARRAY);
        bool fails = node->kind == GRAPH_FINISH && node->fails;
        if (token->state == TOKEN_READY && (no_list || fails)) note_error(record, token->execution, fails);
    }
    graph_each_stuck(record, note_error);
}

void graph_guess_error(struct record *record, enum error_way is, uint32_t number)
{
    if (record->error.is != ERROR_NONE) return;
    graph_note_errors(record);
    for (size_t i = 0; i < record->errors.count; i++) {
        if (!leads_to(&record->errors.item[i], is, number)) continue;
        record->error = record->errors.item[i];
        return;
    }
}

void graph_raise(struct record *record, const struct entry *entry)
{
    graph_guess_error(record, ERROR_NONE, entry->execution);
    if (record->error.is == ERROR_NONE) bad(record, "an error comes from nowhere");
    else if (!leads_to(&record->error, ERROR_NONE, entry->execution))
        bad(record, "the error of visit %u goes to visit %u", record->error.origin, entry->execution);
}

void graph_fail(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    struct model_instance *instance = record->instance;
    if (!token) return;
    bool budget = str_find(entry->text, STR("stopped after"), 0) != SIZE_MAX;
    if (budget && instance->undoing) bad(record, "undoing has used up the budget of a command");
    if (!budget && instance->undoing && token->execution == instance->undo_host) {
        for (size_t i = 0; i < instance->undos.count; i++)
            if (instance->undos.item[i].state != UNDO_DONE && instance->undos.item[i].state != UNDO_FAILED)
                bad(record, "visit %u was not undone", instance->undos.item[i].execution);
    } else if (!budget) {
        graph_guess_error(record, ERROR_FAILS, entry->execution);
        if (!leads_to(&record->error, ERROR_FAILS, entry->execution))
            bad(record, "\"%.*s\" failed without a reason: %.*s", STR_ARG(token->node), STR_ARG(entry->text));
    }
    record->error.is = ERROR_NONE;
    record->again_at = 0;
    record->stopped |= budget;
    token->state = TOKEN_FAILED;
    lock_drop(record, token->execution);
    record->failed = true;
}

/* ---- undoing ---- */

static struct model_undo *find_undo(const struct model_instance *instance, uint32_t number)
{
    for (size_t i = 0; i < instance->undos.count; i++)
        if (instance->undos.item[i].number == number) return &instance->undos.item[i];
    return NULL;
}

void graph_undoable(struct record *record, const struct entry *entry)
{
    const struct model_token *token = record_token(record, entry->execution);
    if (!token || !record_number(record, entry->number)) return;
    if (record->remembered || !str_equal(token->node, entry->node))
        bad(record, "what undoes \"%.*s\" is remembered", STR_ARG(entry->node));
    record->remembered = entry->execution;
    *list_push(&record->checker->arena, &record->instance->undos) =
        (struct model_undo){ .number = entry->number, .execution = entry->execution, .node = token->step };
}

void graph_undo(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    graph_guess_error(record, ERROR_TO_UNDO, entry->execution);
    if (!leads_to(&record->error, ERROR_TO_UNDO, entry->execution))
        bad(record, "visits are undone, and nothing failed");
    if (instance->tokens.count != 1) bad(record, "visits are undone while others go on");
    record->error.is = ERROR_NONE;
    record->undo_began = instance->undoing = true;
    instance->undo_host = entry->execution;
    graph_drop_loop(record, entry->execution);
}

/* The latest visit first, one at a time, each once. */
void graph_undo_state(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    struct model_undo *undo = find_undo(instance, entry->number);
    struct model_scope *scope = entry->scope ? model_scope(instance, entry->scope) : NULL;
    if (!undo || !instance->undoing) {
        bad(record, "a visit is undone that was not remembered");
        return;
    }
    if (entry->value == UNDO_RUNNING) {
        for (size_t i = 0; i < instance->undos.count; i++) {
            const struct model_undo *other = &instance->undos.item[i];
            if (other->state == UNDO_RUNNING && !record_graph(record)->at_once)
                bad(record, "visit %u is undone while visit %u is", undo->execution, other->execution);
            if (other > undo && other->state == UNDO_POSSIBLE)
                bad(record, "visit %u is undone before visit %u", undo->execution, other->execution);
        }
        if (undo->state != UNDO_POSSIBLE || !scope || scope->state != REGION_UNDO ||
            scope->fork != undo->node)
            bad(record, "visit %u is undone again, or by another node", undo->execution);
        undo->scope = entry->scope;
    } else {
        if (undo->state != UNDO_RUNNING) bad(record, "visit %u was undone twice", undo->execution);
        if ((entry->value == UNDO_FAILED) !=
            (record->error.is == ERROR_OF_UNDO && record->error.scope == undo->scope))
            bad(record, "visit %u could %sbe undone", undo->execution,
                entry->value == UNDO_FAILED ? "not " : "");
        record->error.is = ERROR_NONE;
        if (is_inhabited(instance, undo->scope))
            bad(record, "visit %u is still being undone", undo->execution);
    }
    undo->state = (enum undo_state)entry->value;
}
