/* runtime/definitions/forms.c — the form by which people start a definition, for those who may.
 *
 * On the query thread. Somebody who may not use a form learns nothing about it: a form that is not there, one
 * that is for others and one of another tenant get the same answer.
 */
#include "dialect/dialect.h"
#include "json/json.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/definitions/design.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"
#include "schema/limits.h"
#include "schema/schema.h"

/* The trigger whose form is asked for; NULL: the definition starts without one. ST_NOT_FOUND: it is not for
 * people. */
static enum status find_trigger(const struct definition *definition, str name,
                                const struct program_arrival **ret_arrival, struct error *err)
{
    if (dialect_has_entities(definition->program->dialect))
        return fail(err, ST_NOT_FOUND, "form", "entities are not started by a form");
    TRY(arrive_find_trigger(definition, name, ret_arrival, err));
    if (*ret_arrival && (*ret_arrival)->terms.type != ARRIVAL_MANUAL)
        return fail(err, ST_NOT_FOUND, "form", "the trigger is not for people");
    return ST_OK;
}

/* The reason stays here. */
static enum status hide(const struct call *call, struct error *err)
{
    const struct principal *principal = call->caller ? call->caller->principal : NULL;
    if (principal && principal->kind == PRINCIPAL_NOBODY && !principal->is_everybody)
        return fail(err, ST_UNAUTHORIZED, "", "this form is for people who are signed in");
    return fail(err, ST_NOT_FOUND, "form", "there is no form here, or it is not for you");
}

/* The schemas that count, the trigger's first. A definition whose start has fields gets one of those. */
static enum status find_schemas(const struct program *program, const struct program_arrival *arrival,
                                struct arena *arena, const struct schema *ret_schema[2], struct error *err)
{
    ret_schema[0] = arrival ? arrival->terms.input_schema : NULL;
    ret_schema[1] = program->rules->input_schema;
    if (ret_schema[0] || ret_schema[1] || !program->inputs.count) return ST_OK;
    return schema_compile(summaries_schema_of_fields(&program->inputs, arena), arena, &ret_schema[1], err);
}

/* Bounds, types and formats are short. Lists and objects are only in the message, which is cut. */
static const struct json *keep_value(const struct json *value, struct arena *arena)
{
    bool is_short = value && !json_is(value, JSON_ARRAY) && !json_is(value, JSON_OBJECT) &&
                    json_bytes(value) <= SCHEMA_MESSAGE_BYTES_MAX;
    return is_short ? json_copy(arena, value) : NULL;
}

/* Parts of a problem are the schema's, which may be gone before the answer is written. */
static const struct schema_problem *keep_problems(const struct schema_problem *problem, size_t count,
                                                  struct arena *arena)
{
    struct schema_problem *kept = arena_make_n(arena, struct schema_problem, count);
    for (size_t i = 0; i < count; i++)
        kept[i] = (struct schema_problem){ .where = arena_str(arena, problem[i].where),
                                           .keyword = arena_str(arena, problem[i].keyword),
                                           .message = arena_str(arena, problem[i].message),
                                           .value = keep_value(problem[i].value, arena) };
    return kept;
}

static enum status check_fields(struct call *call, const struct schema *const schema[2], int64_t fuel,
                                struct error *err)
{
    struct answer_form *answer = &call->value.form;
    answer->payload = schema_coerce(schema, 2, call->as.form.fields, call->arena);
    for (size_t i = 0; i < 2 && !answer->problem_count; i++)
        if (schema[i])
            TRY(schema_check(schema[i], answer->payload, &fuel, call->arena, &answer->problem,
                             &answer->problem_count, err));
    answer->problem = keep_problems(answer->problem, answer->problem_count, call->arena);
    return ST_OK;
}

/* The program may be gone when the answer is written: everything is copied. */
static void describe(struct call *call, const struct definition_row *row,
                     const struct program_arrival *arrival, const struct json *document,
                     const struct schema *const schema[2])
{
    struct answer_form *answer = &call->value.form;
    const struct schema *shown = schema[0] ? schema[0] : schema[1];
    const struct json *about = json_get(document, STR("description"));
    const struct json *manual = arrival ? json_get(arrival->config, STR("manual")) : NULL;
    *answer = (struct answer_form){ .title = row->title.n ? row->title : row->id,
                                    .about = json_is(about, JSON_STRING) ? json_string(about) : STR_NONE,
                                    .button = arena_str(call->arena, json_text(manual, STR("buttonLabel"))),
                                    .is_open = arrival && arrival->terms.open_form };
    if (shown) answer->schema = json_copy(call->arena, schema_document(shown));
}

static enum status answer_form(struct query *query, struct call *call, const struct definition_row *row,
                               const struct definition *definition, const struct program_arrival *arrival,
                               struct error *err)
{
    const struct schema *schema[2] = { NULL, NULL };
    const struct json *document;
    TRY(json_parse(row->source, NULL, call->arena, &document, err));
    TRY(find_schemas(definition->program, arrival, call->arena, schema, err));
    describe(call, row, arrival, document, schema);
    return call->as.form.fields ? check_fields(call, schema, query->limits.fuel_max, err) : ST_OK;
}

enum status forms_get(struct query *query, struct call *call, struct error *err)
{
    const struct call_form *asked = &call->as.form;
    struct definition_row row;
    struct definition *definition;
    const struct program_arrival *arrival = NULL;
    struct error why;
    bool is_there;
    call->value.form = (struct answer_form){ .is_open = false };
    TRY(found_asked(
        reader_definition(query->reader, call->ns, asked->definition_id, 0, call->arena, &row, err),
        &is_there));
    if (!is_there) return hide(call, err);
    TRY(found_needed(catalogue_get(&query->catalogue, row.number, &definition, err)));
    if (find_trigger(definition, asked->trigger, &arrival, &why) != ST_OK) return hide(call, err);
    if (arrive_check_form(call, definition, arrival, &why) != ST_OK) return hide(call, err);
    return answer_form(query, call, &row, definition, arrival, err);
}
