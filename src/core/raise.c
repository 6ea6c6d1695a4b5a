/* core/raise.c — errors look for a handler, outward.
 *
 *     the node's handlers ──► (region) the host's ──► … ──► the instance fails
 *
 * What a state has begun counts for nothing when it fails: unhandled, the error fails the outermost
 * token, all inside it is interrupted, events that were used inside are mail again, and a retry begins that
 * state anew. If that token was done already, and on its way out, it is stuck instead (exit.c). Two things
 * end the search early. A region of a race (no region of its node is awaited) just loses it, and the error is
 * the host's when all have lost. A detached region is nobody's business.
 */

#include "core/core_int.h"

str error_name_of(const struct program *program, const struct error *err)
{
    if (strcmp(err->where, "filter") == 0) return program->error_names.filter;
    return err->status == ST_LIMIT ? program->error_names.limit : program->error_names.expression;
}

static const struct program_node *visible_node(const struct step *step, uint32_t execution)
{
    return core_authored_node(step->program, step->instance, instance_find_token(step->instance, execution));
}

static void add_text(struct json_builder *builder, const char *name, str text)
{
    json_add_name(builder, str_of(name));
    json_add_string(builder, text);
}

const struct json *error_object(struct step *step, uint32_t execution, str name, str message,
                                const struct json *data)
{
    const struct program_node *node = token_node(step, instance_find_token(step->instance, execution));
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    add_text(&builder, "name", name);
    add_text(&builder, "message", reason_cut(message));
    add_text(&builder, "state", visible_node(step, execution)->title);
    if (node->kind == NODE_TASK && node->as.task.function.n)
        add_text(&builder, "function", node->as.task.function);
    /* One level deeper it could not be read again. */
    if (data && json_depth(data) < JSON_DEPTH_MAX) {
        json_add_name(&builder, STR("data"));
        json_add(&builder, data);
    }
    json_close(&builder);
    return json_built(&builder);
}

static void note_json(struct step *step, enum entry_kind kind, uint32_t execution, const struct json *json)
{
    note(step, &(struct entry){ .kind = kind, .execution = execution, .json = json }, NODE_NONE);
}

str error_text(struct step *step, const struct json *error)
{
    str name = json_string(json_get(error, STR("name"))),
        message = json_string(json_get(error, STR("message")));
    if (!message.n) return name;
    return arena_printf(step->arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(message));
}

static void fail_instance(struct step *step, uint32_t execution, const struct json *error)
{
    uint32_t outermost = outermost_token(step->instance, execution);
    const struct job *job = instance_job_of(step->instance, outermost);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
    note_json(step, ENTRY_KIND_ERROR, 0, error);
    if (step->leaving.execution == outermost) token_stall(step, outermost, error_text(step, error));
    else token_fail(step, outermost, error_text(step, error));
}

/* ---- guards ---- */

static str target_title(const struct step *step, uint32_t target)
{
    const struct program_node *node = &step->program->node[target];
    return node->inner ? STR("the end") : node->title;
}

bool guard_holds(struct step *step, const struct token *token, const struct program_edge *edge,
                 const struct json *data, const struct json **ret_error)
{
    if (!edge->guard) return true;
    const struct json *value = NULL;
    struct error err = { 0 };
    enum status status = expression_value(step, edge->guard, data, &value, &err);
    if (status == ST_OK && json_is(value, JSON_BOOL) && json_bool(value)) return true;

    str from = visible_node(step, token->execution)->title, to = target_title(step, edge->target);
    str text = expr_text(edge->guard);
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    add_text(&builder, "from", from);
    add_text(&builder, "to", to);
    add_text(&builder, "expression", text);
    json_add_name(&builder, STR("operands"));
    json_add(&builder, expr_operands(edge->guard, data, step->limits->fuel_max, step->arena));
    if (status != ST_OK) add_text(&builder, "failure", str_of(err.message));
    json_close(&builder);
    str message = arena_printf(step->arena, "the transition from \"%.*s\" to \"%.*s\" is not allowed: %.*s",
                               STR_ARG(from), STR_ARG(to), STR_ARG(text));
    *ret_error =
        error_object(step, token->execution, step->program->error_names.guard, message, json_built(&builder));
    return false;
}

void token_halt(struct step *step, uint32_t execution, const struct json *error)
{
    for (uint32_t scope = instance_find_token(step->instance, execution)->scope; scope;) {
        const struct scope *around = instance_find_scope(step->instance, scope);
        if (around->state == REGION_DETACHED) {
            note_json(step, ENTRY_KIND_RAISE, execution, error);
            region_cancel(step, scope, error_text(step, error));
            return;
        }
        scope = around->parent;
    }
    fail_instance(step, execution, error);
}

/* ---- handlers ---- */

static const struct program_handler *find_handler(struct step *step, const struct token *token,
                                                  const struct program_node *node,
                                                  const struct locals *locals)
{
    for (size_t i = 0; i < node->handler_count; i++) {
        bool holds = !node->handler[i].when;
        struct error err;
        if (!holds &&
            condition_in_scope(step, node->handler[i].when, token->scope, locals, &holds, &err) != ST_OK)
            holds = false; /* A condition that cannot be evaluated is none that holds. */
        if (holds) return &node->handler[i];
    }
    return NULL;
}

/* False if the handler's own data cannot be made: *error is why. */
static bool take_handler(struct step *step, const struct token *token, const struct program_handler *handler,
                         const struct locals *locals, const struct json **error)
{
    const struct json *data = scope_data(step->instance, token->scope), *denied;
    struct error err;
    if (handler->data &&
        expression_in_scope(step, handler->data, token->scope, locals, &data, &err) != ST_OK) {
        *error = error_object(step, token->execution, error_name_of(step->program, &err),
                              arena_str(step->arena, str_of(err.message)), NULL);
        return false;
    }
    note_json(step, ENTRY_KIND_RAISE, token->execution, *error);
    if (!guard_holds(step, token, &handler->way, data, &denied)) {
        token_halt(step, token->execution, denied);
        return true;
    }
    if (data_put(step, token->scope, token->execution, data, MERGE_REPLACE, &err) != ST_OK) {
        token_halt(step, token->execution,
                   error_object(step, token->execution, step->program->error_names.limit,
                                arena_str(step->arena, str_of(err.message)), NULL));
        return true;
    }
    token_interrupt(step, token->execution, error_text(step, *error));
    step->running = token_enter(step, handler->way.target, token->scope, token->execution);
    return true;
}

/* Another region of this host that has failed: its error is the first there was. */
static const struct json *first_error(const struct instance *instance, uint32_t host)
{
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].host == host && instance->scope[i].state == REGION_FAILED)
            return instance->scope[i].data;
    return NULL;
}

static bool race_goes_on(const struct instance *instance, uint32_t host)
{
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].host == host && instance->scope[i].state == REGION_OPEN) return true;
    return false;
}

/* The region of a race has failed. Returns the error of the host, if it was the last. */
static const struct json *lose_race(struct step *step, uint32_t region, uint32_t host, uint32_t execution,
                                    const struct json *error)
{
    note_json(step, ENTRY_KIND_RAISE, execution, error);
    const struct json *first = first_error(step->instance, host);
    region_clear(step, region, error_text(step, error));
    region_end(step, region, REGION_FAILED, first ? first : error);
    return race_goes_on(step->instance, host) ? NULL : first ? first : error;
}

/* A handler that leads back to what failed would go on for ever. */
static bool handled_too_often(struct step *step, uint32_t execution, const struct json *error)
{
    if (step->instance->handled_count < step->limits->handled_errors_max) return false;
    str message = arena_printf(step->arena, "%u errors were handled, the most allowed; the last was %.*s",
                               step->instance->handled_count, STR_ARG(error_text(step, error)));
    token_halt(step, execution,
               error_object(step, execution, json_string(json_get(error, STR("name"))), message, NULL));
    return true;
}

void token_raise_json(struct step *step, uint32_t execution, const struct json *error)
{
    if (handled_too_often(step, execution, error)) return;
    uint32_t at = execution; /* Who raised it, as long as that stands. */
    for (uint32_t level = execution;;) {
        const struct token token = *instance_find_token(step->instance, level);
        const struct program_node *node = token_node(step, &token);
        struct locals locals = { .count = 0 };
        locals_add(&locals, STR("error"), error);
        locals_add_frame(step, &token, &locals);
        const struct program_handler *handler = find_handler(step, &token, node, &locals);
        if (handler && take_handler(step, &token, handler, &locals, &error)) return;

        const struct scope *region = scope_region(step->instance, token.scope);
        if (!region) break;
        uint32_t number = region->number, host = region->host;
        if (region->state == REGION_DETACHED) {
            note_json(step, ENTRY_KIND_RAISE, at, error);
            region_cancel(step, number, error_text(step, error));
            return;
        }
        if (!scope_node_awaits(token_node(step, instance_find_token(step->instance, host)))) {
            error = lose_race(step, number, host, at, error);
            if (!error) return;
            at = host;
        }
        level = host;
    }
    fail_instance(step, at, error);
}

void token_raise(struct step *step, uint32_t execution, str name, str message, const struct json *data)
{
    if (!name.n) {
        const struct job *job = instance_job_of(step->instance, execution);
        if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
        token_fail(step, execution, message);
        return;
    }
    token_raise_json(step, execution, error_object(step, execution, name, message, data));
}

void token_raise_failed(struct step *step, uint32_t execution, const struct error *err)
{
    token_raise(step, execution, error_name_of(step->program, err),
                arena_str(step->arena, str_of(err->message)), NULL);
}
