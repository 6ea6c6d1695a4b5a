/* core/undo.c — completed visits are undone before an instance fails.
 *
 *     an error that nothing handles ──► all tokens but one go ──► visits are undone ──► that token fails
 *
 * The node that undoes a visit runs in a region of its own. Its data is that of the regions in which the
 * visit was, with `self` {input, output} and `error`; other names are those of the instance. The token that
 * fails in the end hosts these regions. A region that fails is recorded, and the next visit is undone.
 *
 * Handlers that undo visits need not wait. So that many visits do not use up the budget of a command, the
 * rest is undone in the next one when half of it is spent.
 */

#include "core/core_int.h"

/* ---- remembering ---- */

/* The input of the visit: the payload of its job, which is closed by now. */
static const struct json *input_of(const struct step *step, const struct token *token)
{
    const struct job *job = &step->change.closed;
    if (step->given.execution == token->execution) return step->given.input;
    if (job->execution != token->execution) return NULL;
    return job->payload ? job->payload : step->instance->data;
}

/* The result of the visit: the last of its outputs that is put where the token is. */
static const struct json *output_of(const struct step *step, const struct token *token,
                                    const struct program_node *node)
{
    for (size_t i = node->output_count; i-- > 0;) {
        const struct program_value *output = &node->output[i];
        if (output->name.n && !output->to_instance)
            return json_get(scope_data(step->instance, token->scope), output->name);
    }
    return NULL;
}

/* The data of the regions around the token, in one object; NULL: it is in none. */
static const struct json *surroundings(struct step *step, uint32_t scope)
{
    const struct json *data = NULL;
    const struct scope *region;
    while ((region = scope_region(step->instance, scope)) != NULL) {
        if (json_is(region->data, JSON_OBJECT))
            data = data ? json_merge(region->data, data, step->arena) : region->data;
        scope = region->parent;
    }
    return data;
}

static void add_member(struct json_builder *builder, const char *name, const struct json *value)
{
    if (!value) return;
    json_add_name(builder, str_of(name));
    json_add(builder, value);
}

enum status undo_remember(struct step *step, const struct token *token, const struct program_node *node,
                          struct error *err)
{
    if (!step->program->has_undo_ || !program_is_undoable(node) || step->instance->undo.error) return ST_OK;
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    add_member(&builder, "input", performer_input_shown(input_of(step, token), step->arena));
    add_member(&builder, "output", output_of(step, token, node));
    add_member(&builder, "data", surroundings(step, token->scope));
    json_close(&builder);
    const struct json *visit = json_built(&builder);
    if (step->instance->undo_item_count >= UNDO_ITEMS_MAX ||
        step->instance->undo.bytes + json_bytes(visit) > UNDO_BYTES_MAX)
        return fail(err, ST_LIMIT, "",
                    "too much would have to be undone: at most %d visits and %d bytes are remembered "
                    "(UNDO_ITEMS_MAX, UNDO_BYTES_MAX)",
                    UNDO_ITEMS_MAX, UNDO_BYTES_MAX);
    if (json_depth(visit) > JSON_DEPTH_MAX)
        return fail(err, ST_LIMIT, "",
                    "what would have to be undone is nested deeper than %d levels (JSON_DEPTH_MAX)",
                    JSON_DEPTH_MAX);
    note_at(step,
            &(struct entry){
                .kind = ENTRY_KIND_UNDOABLE,
                .execution = token->execution,
                .number = note_number(step),
                .node = token->node_name,
                .visit = visit,
            },
            token->node);
    return ST_OK;
}

/* ---- undoing ---- */

/* `self` and `error`, with the surroundings of the visit. */
static const struct json *region_data(struct step *step, const struct undo_item *item)
{
    struct json_builder builder;
    const struct json *around = json_get(item->visit, STR("data"));
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("self"));
    json_open_object(&builder);
    json_add_name(&builder, STR("input"));
    json_add(&builder, json_get(item->visit, STR("input")));
    json_add_name(&builder, STR("output"));
    json_add(&builder, json_get(item->visit, STR("output")));
    json_close(&builder);
    json_add_name(&builder, STR("error"));
    json_add(&builder, step->instance->undo.error);
    json_close(&builder);
    const struct json *own = json_built(&builder);
    return around && json_count(around) ? json_merge(around, own, step->arena) : own;
}

static void undo_item(struct step *step, const struct undo_item *asked)
{
    const struct undo_item item = *asked; /* The array may move. */
    const struct token host = *instance_find_token(step->instance, step->instance->undo.host);
    uint32_t scope = note_number(step);
    note_at(step,
            &(struct entry){
                .kind = ENTRY_KIND_REGION_OPEN,
                .scope = scope,
                .host = host.execution,
                .around = host.scope,
                .node = item.node_name,
                .data = region_data(step, &item),
            },
            item.node);
    note(step, &(struct entry){ .kind = ENTRY_KIND_UNDO_STATE,
                                .number = item.number,
                                .scope = scope,
                                .undo_state = UNDO_RUNNING });
    token_enter(step, step->program->node[item.node].undo, scope, host.execution);
}

/* The latest visit in that state, or NULL. */
static const struct undo_item *latest(const struct instance *instance, enum undo_state state)
{
    for (size_t i = instance->undo_item_count; i-- > 0;)
        if (instance->undo_item[i].state == state) return &instance->undo_item[i];
    return NULL;
}

/* One visit. If all are undone at once, the next one follows when nothing is ready: undo_rest(). */
static void undo_next(struct step *step)
{
    const struct instance *instance = step->instance;
    bool at_once = step->program->rules->undoes_all_at_once, busy = latest(instance, UNDO_RUNNING) != NULL;
    const struct undo_item *item = latest(instance, UNDO_POSSIBLE);
    if (item) {
        if (busy && (!at_once || instance->token_count >= TOKENS_MAX)) return;
        if (budget_is_half_spent(step)) timer_yield(step, instance->undo.host);
        else undo_item(step, item);
        return;
    }
    if (busy) return;
    note(step, &(struct entry){ .kind = ENTRY_KIND_ERROR, .error = instance->undo.error });
    token_fail_code(step, instance->undo.host, instance->failure_code,
                    error_text(step, instance->undo.error));
}

/* True if the scope is around the token. */
static bool is_around(const struct instance *instance, uint32_t scope, const struct token *token)
{
    for (uint32_t at = token->scope; at; at = scope_find(instance, at)->parent)
        if (at == scope) return true;
    return false;
}

/* All tokens go but the host and what is detached. */
static void interrupt_others(struct step *step, const struct token *host, str why)
{
    const struct instance *instance = step->instance;
    interrupt_regions_of(step, host->execution, why);
    for (size_t i = instance->token_count; i-- > 0;) {
        if (i >= instance->token_count || instance->token[i].execution == host->execution) continue;
        if (!instance_is_detached(instance, instance->token[i].execution))
            interrupt_token(step, instance->token[i].execution, why);
    }
    for (size_t i = instance->scope_count; i-- > 0;)
        if (instance->scope[i].state == REGION_NONE && !is_around(instance, instance->scope[i].number, host))
            note_scope_close(step, instance->scope[i].number);
}

bool undo_begin(struct step *step, uint32_t execution, const struct json *error)
{
    if (!latest(step->instance, UNDO_POSSIBLE)) return false;
    const struct token host = *instance_find_token(step->instance, execution);
    const struct job *job = instance_job_of(step->instance, execution);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
    timer_close_all(step, execution);
    interrupt_others(step, &host, error_text(step, error));
    note_code(step, error_code(step, error)); /* The end of the undoing needs it. */
    note(step, &(struct entry){ .kind = ENTRY_KIND_UNDO, .host = execution, .error = error });
    token_park(step, execution, TOKEN_REGION);
    undo_next(step);
    return true;
}

void undo_over(struct step *step, uint32_t scope, enum undo_state state, str why)
{
    const struct instance *instance = step->instance;
    size_t i = instance->undo_item_count;
    while (i-- > 0 && instance->undo_item[i].scope != scope) continue;
    must(i < instance->undo_item_count);
    interrupt_inside(step, scope, why);
    note(step, &(struct entry){ .kind = ENTRY_KIND_UNDO_STATE,
                                .number = instance->undo_item[i].number,
                                .undo_state = state });
    note_scope_close(step, scope);
    undo_next(step);
}

bool undo_rest(struct step *step)
{
    const struct instance *instance = step->instance;
    const struct undo_item *item = latest(instance, UNDO_POSSIBLE);
    if (!item || instance_status_ended(instance->status) || timer_yields(instance, instance->undo.host))
        return false;
    uint32_t number = item->number;
    undo_next(step);
    item = latest(instance, UNDO_POSSIBLE);
    return !item || item->number != number;
}
