/* core/data.c — the data of an instance or a region changes, within its limits. */

#include "core/core_int.h"

/* Equal values count once where the start of a run puts its payload in several places. Elsewhere jobs carry
 * all the data, and have to fit the messages of their workers. */
static enum status data_fits(const struct step *step, const struct json *data, int64_t bytes_max,
                             struct error *err)
{
    size_t bytes = json_bytes(data), once = bytes;
    if (bytes <= (size_t)bytes_max) return ST_OK;
    if (step->program->rules->start_data) once = json_bytes_once(data, SHARED_BYTES_MIN);
    if (once > (size_t)bytes_max)
        return fail(err, ST_LIMIT, "",
                    "variables would take %zu bytes; the most is %lld (variables_bytes_max)", once,
                    (long long)bytes_max);
    if (bytes / VARIABLES_COPIES_MAX < (size_t)bytes_max) return ST_OK;
    return fail(err, ST_LIMIT, "",
                "variables with equal values in many places would take %zu bytes; the most is %d "
                "(VARIABLES_COPIES_MAX) times %lld (variables_bytes_max)",
                bytes, VARIABLES_COPIES_MAX, (long long)bytes_max);
}

/* Merges, or refuses what would be too large, or nested too deep to be read again from the store. */
static enum status data_within_limits(struct step *step, uint32_t scope, const struct json *data,
                                      const struct json *more, enum data_merge merge,
                                      const struct json **ret_data, struct error *err)
{
    /* A region may hold the data more than once, at several stages. */
    int64_t bytes_max = step->limits->variables_bytes_max * (scope ? REGION_STAGES_MAX : 1);
    if (json_depth(more) > JSON_DEPTH_MAX)
        return fail(err, ST_LIMIT, "", "variables would be nested deeper than %d levels (JSON_DEPTH_MAX)",
                    JSON_DEPTH_MAX);
    if (!merge_fits(data, more, merge))
        return fail(err, ST_INVALID, "filter", "%s cannot be merged into %s", json_kind_name(json_kind(more)),
                    json_kind_name(json_kind(data)));
    data = merge_result(data, more, merge, step->arena);
    *ret_data = data;
    return data_fits(step, data, bytes_max, err);
}

enum status data_put(struct step *step, uint32_t scope, uint32_t execution, const struct json *value,
                     enum data_merge merge, struct error *err)
{
    const struct json *before = scope_data(step->instance, scope), *data;
    if (merge == MERGE_REPLACE && value == before) return ST_OK;
    TRY(data_within_limits(step, scope, before, value, merge, &data, err));
    const struct entry entry = {
        .kind = ENTRY_KIND_SCOPE_DATA,
        .scope = scope,
        .execution = execution,
        .merge = merge,
        .data = value,
    };
    note_data(step, &entry, data);
    return ST_OK;
}

void data_warn_of_filter(struct step *step, uint32_t execution)
{
    if (!step->missed) return;
    const struct token *token = instance_find_token(step->instance, execution);
    if (!token) { /* Before the first token. */
        step->missed = NULL;
        return;
    }
    token = instance_authored(step->program, step->instance, token);
    struct buf text;
    buf_init(&text, step->arena);
    buf_add_str(&text, STR("a filter selected nothing, and the data was left as it is: "));
    jsonpath_print(step->missed, &text);
    step->missed = NULL;
    note(step, &(struct entry){
                   .kind = ENTRY_KIND_WARN, .execution = token->execution, .warning = buf_str(&text) });
}

static enum status output_value(struct step *step, const struct token *token,
                                const struct program_value *value, const struct locals *locals,
                                const struct json **ret_value, struct error *err)
{
    *ret_value = value->literal;
    return value->expr ? expression_at(step, value->expr, token, locals, ret_value, err) : ST_OK;
}

static bool is_put_alike(const struct program_value *a, const struct program_value *b)
{
    return a->append == b->append && a->to_instance == b->to_instance && a->by_member == b->by_member;
}

static enum data_merge merge_of(const struct program_value *value)
{
    return value->append ? MERGE_APPEND : value->by_member ? MERGE_MEMBERS : MERGE_SHALLOW;
}

enum status data_put_output(struct step *step, const struct token *token, const struct program_value *value,
                            size_t count, const struct locals *locals, struct error *err)
{
    if (!count) return ST_OK;
    const struct json **result = arena_alloc(step->arena, count * sizeof *result);
    for (size_t i = 0; i < count; i++) TRY(output_value(step, token, &value[i], locals, &result[i], err));
    data_warn_of_filter(step, token->execution);
    /* In runs of one way to put: all of it, merged, appended, by member; in the region or in the instance. */
    for (size_t i = 0; i < count;) {
        uint32_t scope = value[i].to_instance ? 0 : token->scope;
        if (!value[i].name.n) {
            TRY(data_put(step, scope, token->execution, result[i++], MERGE_REPLACE, err));
            continue;
        }
        const struct program_value *first = &value[i];
        struct json_builder builder;
        json_builder_init(&builder, step->arena);
        json_open_object(&builder);
        for (; i < count && value[i].name.n && is_put_alike(&value[i], first); i++) {
            json_add_name(&builder, value[i].name);
            json_add(&builder, result[i]);
        }
        json_close(&builder);
        TRY(data_put(step, scope, token->execution, json_built(&builder), merge_of(first), err));
    }
    return ST_OK;
}

enum status data_take(struct step *step, uint32_t execution, const struct json *more, enum data_merge merge,
                      struct error *err)
{
    if (!more || json_count(more) == 0) return ST_OK;
    const struct json *data;
    TRY(data_within_limits(step, 0, step->instance->data, more, merge, &data, err));
    const struct entry entry = {
        .kind = ENTRY_KIND_DATA,
        .execution = execution,
        .merge = merge,
        .data = more,
    };
    note_data(step, &entry, data);
    return ST_OK;
}
