/* core/raise.c — errors look for a handler, outward.
 *
 *     the node's handlers ──► (region) the host's ──► … ──► the program's ──► undoing ──► the instance fails
 *
 * An unhandled error fails the outermost token. All tokens inside it are interrupted, events that were used
 * inside are mail again, and a retry begins that token's node anew. If the token's visit was complete and the
 * error is on its way out, the token is stuck instead (exit.c). Two things end the search early. A region of
 * a race (no region of its node is awaited) only loses it, and the error is raised at the host when all have
 * lost. An error in a detached region ends that region alone. So does one in a region per item, if the other
 * items go on (program_each) or the flow has gone on without it, and one in a region that undoes a visit.
 */

#include "core/core_int.h"

static void note_raise(struct step *step, uint32_t execution, const struct json *error)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_RAISE, .execution = execution, .error = error });
}

/* ---- handlers ---- */

static const struct program_handler *find_handler(struct step *step, const struct token *token,
                                                  const struct program_handler *handler, size_t count,
                                                  const struct locals *locals)
{
    for (size_t i = 0; i < count; i++) {
        bool holds = !handler[i].when;
        struct error err;
        if (!holds && expression_condition(step, handler[i].when, token, locals, &holds, &err) != ST_OK)
            holds = false; /* A condition that cannot be evaluated does not hold. */
        if (holds) return &handler[i];
    }
    return NULL;
}

static const struct json *error_of_failed(struct step *step, uint32_t execution, const struct error *err)
{
    return error_object(step, execution, error_name_of(step->program, err),
                        arena_str(step->arena, str_of(err->message)), NULL);
}

/* Puts the handler's members besides its data. */
static enum status put_output(struct step *step, const struct token *token,
                              const struct program_handler *handler, const struct locals *locals,
                              struct error *err)
{
    const struct json *carried;
    TRY(data_put_output(step, token, handler->output, handler->output_count, locals, err));
    if (!handler->carry) return ST_OK;
    TRY(expression_at(step, handler->carry, token, locals, &carried, err));
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_CARRY, .execution = token->execution, .carried = carried });
    return ST_OK;
}

/* False if the handler's own data cannot be made: *error is why. */
static bool take_handler(struct step *step, const struct token *token, const struct program_handler *handler,
                         const struct locals *locals, const struct json **error)
{
    const struct json *data = scope_data(step->instance, token->scope), *denied;
    struct error err;
    if (handler->data && expression_at(step, handler->data, token, locals, &data, &err) != ST_OK) {
        *error = error_of_failed(step, token->execution, &err);
        return false;
    }
    note_raise(step, token->execution, *error);
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
    if ((handler->output_count || handler->carry) &&
        put_output(step, token, handler, locals, &err) != ST_OK) {
        *error = error_of_failed(step, token->execution, &err);
        return false;
    }
    interrupt_token(step, token->execution, error_text(step, *error));
    step->running =
        token_enter_by(step, handler->way.target, handler->way.arrival, token->scope, token->execution);
    return true;
}

/* The error of the first region of this host that has failed, or NULL. */
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
    note_raise(step, execution, error);
    const struct json *first = first_error(step->instance, host);
    interrupt_inside(step, region, error_text(step, error));
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

/* {node, name, message} of an item that failed. */
static const struct json *item_error(struct step *step, uint32_t execution, const struct json *error)
{
    const struct token *token =
        instance_authored(step->program, step->instance, instance_find_token(step->instance, execution));
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("node"));
    json_add_string(&builder, token->node_name);
    json_add_name(&builder, STR("name"));
    json_add(&builder, json_get(error, STR("name")));
    json_add_name(&builder, STR("message"));
    json_add(&builder, json_get(error, STR("message")));
    json_close(&builder);
    return json_built(&builder);
}

/* True if the error ends the region and goes no further. */
static bool ends_region(struct step *step, const struct scope *region, uint32_t at, const struct json *error)
{
    uint32_t number = region->number;
    if (region->state == REGION_UNDO) {
        note_raise(step, at, error);
        undo_over(step, number, UNDO_FAILED, error_text(step, error));
        return true;
    }
    if (region->state == REGION_DETACHED) {
        note_raise(step, at, error);
        interrupt_region(step, number, error_text(step, error));
        return true;
    }
    const struct program_each *each = region_each(step, region->host);
    bool is_left = instance_find_token(step->instance, region->host)->state == TOKEN_REMAINDER;
    if (!each || (!each->goes_on && !is_left)) return false;
    const struct json *kept = item_error(step, at, error);
    note_raise(step, at, error);
    interrupt_inside(step, number, error_text(step, error));
    region_item_end(step, number, ITEM_FAILED, kept);
    return true;
}

/* True if an error raised at this node, which nothing handles, undoes completed visits. */
static bool undoes(const struct step *step, const struct program_node *node)
{
    if (!step->program->has_undo_ || step->instance->undo.error) return false;
    if (node->undoes != UNDOING_AS_PROGRAM) return node->undoes == UNDOING_ALWAYS;
    return step->program->rules->undoes;
}

/* Nothing around the token handles the error: the program does, or it fails the instance. */
static void raise_outside(struct step *step, uint32_t at, uint32_t outermost,
                          const struct program_node *raised_at, const struct json *error, bool modelled)
{
    const struct program_rules *rules = step->program->rules;
    if (!modelled && rules->handler_count) {
        const struct token token = *instance_find_token(step->instance, outermost);
        struct locals locals = { .count = 0 };
        locals_add(&locals, STR("error"), error);
        const struct program_handler *handler =
            find_handler(step, &token, rules->handler, rules->handler_count, &locals);
        if (handler && take_handler(step, &token, handler, &locals, &error)) {
            note(step, &(struct entry){ .kind = ENTRY_KIND_RESCUE, .execution = outermost });
            return;
        }
    }
    if (!modelled && undoes(step, raised_at) && undo_begin(step, outermost, error)) return;
    token_fail_unhandled(step, at, error);
}

static void raise_outward(struct step *step, uint32_t execution, const struct json *error, bool modelled)
{
    if (handled_too_often(step, execution, error)) return;
    uint32_t at = execution; /* The token that raised it, as long as it stands. */
    const struct program_node *raised_at = token_node(step, instance_find_token(step->instance, execution));
    for (uint32_t level = execution;;) {
        const struct token token = *instance_find_token(step->instance, level);
        const struct program_node *node = token_node(step, &token);
        struct locals locals = { .count = 0 };
        locals_add(&locals, STR("error"), error);
        region_add_frame(step, &token, &locals);
        const struct program_handler *handler =
            find_handler(step, &token, node->handler, node->handler_count, &locals);
        if (handler && take_handler(step, &token, handler, &locals, &error)) return;

        const struct scope *region = scope_region(step->instance, token.scope);
        if (!region) {
            raise_outside(step, at, level, raised_at, error, modelled);
            return;
        }
        if (ends_region(step, region, at, error)) return;
        uint32_t number = region->number, host = region->host;
        if (!region_is_awaited(token_node(step, instance_find_token(step->instance, host)))) {
            error = lose_race(step, number, host, at, error);
            if (!error) return;
            at = host;
        }
        level = host;
    }
}

void raise_json(struct step *step, uint32_t execution, const struct json *error)
{
    raise_outward(step, execution, error, false);
}

void raise_modelled(struct step *step, uint32_t execution, const struct json *error)
{
    raise_outward(step, execution, error, true);
}

static void close_job_of(struct step *step, uint32_t execution)
{
    const struct job *job = instance_job_of(step->instance, execution);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
}

void raise_error(struct step *step, uint32_t execution, str name, str message, const struct json *data)
{
    if (!step->program->named_errors) {
        close_job_of(step, execution);
        token_fail(step, execution, message);
        return;
    }
    raise_json(step, execution, error_object(step, execution, name, message, data));
}

void raise_error_code(struct step *step, uint32_t execution, str name, str code, str message)
{
    if (!step->program->named_errors) {
        close_job_of(step, execution);
        token_fail_code(step, execution, code, message);
        return;
    }
    const struct json *error = error_object(step, execution, name, message, NULL);
    error_set_code(step, error, code);
    raise_json(step, execution, error);
}

void raise_failed(struct step *step, uint32_t execution, const struct error *err)
{
    raise_error(step, execution, error_name_of(step->program, err),
                arena_str(step->arena, str_of(err->message)), NULL);
}
