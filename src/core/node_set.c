/* core/node_set.c — computes data by assignments, in order.
 *
 * Each expression sees the results before it. They are merged into the variables only for
 * an expression that needs one of them (program/values.c): with large variables and many
 * assignments, merging before each would cost more than everything else.
 */

#include "core/core_int.h"

struct assignments {
    const struct program_value *value;
    const struct json **result;
    size_t count;      /* Results so far. */
    size_t seen_count; /* Results merged into `data` so far. */
    const struct json *data;
};

static const struct json *results_object(const struct assignments *done, size_t from, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = from; i < done->count; i++) {
        json_add_name(&builder, done->value[i].name);
        json_add(&builder, done->result[i]);
    }
    json_close(&builder);
    return json_built(&builder);
}

static void show_results(struct assignments *done, struct arena *arena)
{
    if (done->value[done->count].sees <= done->seen_count) return;
    done->data = json_merge(done->data, results_object(done, done->seen_count, arena), arena);
    done->seen_count = done->count;
}

void node_set_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    struct error err;
    struct assignments done = {
        .value = node->as.set.value,
        .result = arena_alloc(step->arena, node->as.set.count * sizeof(struct json *)),
        .data = step->instance->data,
    };
    for (; done.count < node->as.set.count; done.count++) {
        const struct program_value *value = &done.value[done.count];
        const struct json *result = value->literal;
        if (value->expr) {
            show_results(&done, step->arena);
            if (expression_value(step, value->expr, done.data, &result, &err) != ST_OK) {
                token_fail_code(step, token->execution, reason_code_word(REASON_EXPRESSION),
                                arena_printf(step->arena, "%.*s \"%.*s\": expression eval: %s",
                                             STR_ARG(node->as.set.word), STR_ARG(value->name), err.message));
                return;
            }
        }
        done.result[done.count] = result;
    }
    if (!done.count) {
        exit_node(step, token->execution);
        return;
    }
    const struct json *results = results_object(&done, 0, step->arena);
    if (data_take(step, token->execution, results, MERGE_SHALLOW, &err) != ST_OK)
        token_fail(step, token->execution, arena_str(step->arena, str_of(err.message)));
    else exit_node(step, token->execution);
}
