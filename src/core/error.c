/* core/error.c — error values: {name, message, state, function, data}. */

#include "core/core_int.h"

str error_name_of(const struct program *program, const struct error *err)
{
    if (strcmp(err->where, "filter") == 0) return program->error_names.filter;
    return err->status == ST_LIMIT ? program->error_names.limit : program->error_names.expression;
}

/* The node that the author knows. */
static const struct program_node *authored(const struct step *step, uint32_t execution)
{
    const struct token *token = instance_find_token(step->instance, execution);
    return &step->program->node[instance_authored(step->program, step->instance, token)->node];
}

static str title_of(const struct step *step, uint32_t execution) { return authored(step, execution)->title; }

const struct json *error_object(struct step *step, uint32_t execution, str name, str message,
                                const struct json *data)
{
    const struct program_node *node = token_node(step, instance_find_token(step->instance, execution));
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("name"), name);
    json_add_text(&builder, STR("message"), reason_cut(message));
    json_add_text(&builder, STR("state"), title_of(step, execution));
    str member = step->program->error_names.node_member;
    if (member.n) {
        json_add_name(&builder, member);
        json_add_string(&builder, authored(step, execution)->name);
    }
    str function = node->kind == NODE_TASK ? performer_function(node->as.task.config) : STR_NONE;
    if (function.n) json_add_text(&builder, STR("function"), function);
    /* One level deeper it could not be read again. */
    if (data && json_depth(data) < JSON_DEPTH_MAX) {
        json_add_name(&builder, STR("data"));
        json_add(&builder, data);
    }
    json_close(&builder);
    return json_built(&builder);
}

str error_text(struct step *step, const struct json *error)
{
    str name = json_text(error, STR("name")), message = json_text(error, STR("message"));
    if (!message.n) return name;
    return arena_printf(step->arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(message));
}

void error_set_code(struct step *step, const struct json *error, str code)
{
    if (!code.n) return;
    step->coded.error = error;
    step->coded.code = code;
}

str error_code(const struct step *step, const struct json *error)
{
    return error && step->coded.error == error ? step->coded.code : STR_NONE;
}

static str target_title(const struct step *step, uint32_t target)
{
    const struct program_node *node = &step->program->node[target];
    return node->inner ? STR("the end") : node->title;
}

const struct json *error_of_guard(struct step *step, uint32_t execution, const struct program_edge *edge,
                                  const struct json *data, const char *failure)
{
    str from = title_of(step, execution), to = target_title(step, edge->target);
    str text = expr_text(edge->guard);
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("from"), from);
    json_add_text(&builder, STR("to"), to);
    json_add_text(&builder, STR("expression"), text);
    json_add_name(&builder, STR("operands"));
    json_add(&builder, expr_operands(edge->guard, data, step->limits->fuel_max, step->arena));
    if (failure) json_add_text(&builder, STR("failure"), str_of(failure));
    json_close(&builder);
    str message = arena_printf(step->arena, "the transition from \"%.*s\" to \"%.*s\" is not allowed: %.*s",
                               STR_ARG(from), STR_ARG(to), STR_ARG(text));
    return error_object(step, execution, step->program->error_names.guard, message, json_built(&builder));
}
