/* runtime/definitions/summaries.c — definitions as a whole: what runs, what failed, what their authors should
 * look at.
 *
 * On the query thread. A list is made in parts, each of a few definitions: the first look at a version
 * compiles it.
 */
#include "base/must.h"
#include "dialect/dialect.h"
#include "json/json.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/call/sight.h"
#include "runtime/definitions/design.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* ---- one definition ---- */

static int64_t failed_in(const struct store_counts *counts)
{
    return counts->phase[store_phase(INSTANCE_FAILED, false)] +
           counts->phase[store_phase(INSTANCE_FAILED, true)];
}

/* The latest failure among the newest instances that have failed. */
static enum status find_failure(struct query *query, struct summary_view *view, struct arena *arena,
                                struct error *err)
{
    struct instance_filter filter = { .ns = view->row.ns,
                                      .definition_id = view->row.id,
                                      .status = INSTANCE_FAILED,
                                      .max = SUMMARY_FAILURES_MAX };
    struct instance_row *row;
    struct failure_row *failure;
    size_t count, latest = 0;
    if (!failed_in(&view->counts)) return ST_OK;
    reader_bound(query->reader, 1); /* States are not needed. */
    TRY(reader_instances(query->reader, &filter, arena, &row, &count, NULL, err));
    reader_bound(query->reader, 0);
    if (!count) return ST_OK;
    for (size_t i = 1; i < count; i++)
        if (row[i].ended_ms > row[latest].ended_ms) latest = i;
    struct selection_filter selection = { .ns = view->row.ns,
                                          .definition_id = view->row.id,
                                          .after_definition = row[latest].definition,
                                          .after = row[latest].id - 1,
                                          .upto = row[latest].id,
                                          .max = 1 };
    TRY(reader_failures(query->reader, &selection, arena, &failure, &count, err));
    if (!count || failure->instance != row[latest].id) return ST_OK;
    view->has_failure = true;
    view->failure = *failure;
    view->failure_code = view_failure_code(query->reader, failure->instance, failure->reason, arena);
    return ST_OK;
}

static enum status has_draft(struct query *query, struct summary_view *view, struct error *err)
{
    struct record_row row;
    struct arena scratch;
    arena_init(&scratch, 0);
    enum status status = found_asked(
        reader_find_record(query->reader, view->row.ns, RECORD_DRAFT, view->row.id, &scratch, &row, err),
        &view->has_draft);
    arena_done(&scratch);
    return status;
}

/* The row's version is the latest. */
static enum status summarise(struct query *query, const struct definition_row *row, const struct facts *facts,
                             struct arena *arena, struct summary_view *ret_view, struct error *err)
{
    *ret_view = (struct summary_view){ .row = *row,
                                       .warnings = facts->warnings,
                                       .first_warning = arena_str(arena, facts->first_warning),
                                       .first_warning_code = facts->first_warning_code,
                                       .triggers = facts->triggers };
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_add(&builder, facts->tags);
    ret_view->tags = json_built(&builder);
    const struct find_filter filter = { .ns = row->ns, .definition_id = row->id };
    TRY(reader_counts(query->reader, &filter, &ret_view->counts, err));
    TRY(find_failure(query, ret_view, arena, err));
    return has_draft(query, ret_view, err);
}

/* ---- the list ---- */

static bool is_asked(const struct call_summaries *asked, const struct definition_row *row)
{
    return (!asked->dialect.n || str_equal(asked->dialect, row->dialect)) &&
           store_definition_matches(row, asked->keyword);
}

/* One row of the list. `*ret_compiled`: it took a while. */
static enum status look_at(struct query *query, struct call *call, const struct definition_row *row,
                           bool *ret_compiled, struct error *err)
{
    must(call->value.summaries.count < call->as.summaries.max);
    struct answer_summaries *answer = &call->value.summaries;
    const struct facts *facts;
    *ret_compiled = !facts_peek(&query->facts, row->number);
    TRY(found_needed(facts_get(&query->facts, query->reader, row->number, &facts, err)));
    if (call->as.summaries.with_warnings && !facts->warnings) return ST_OK;
    return summarise(query, row, facts, call->arena, &answer->view[answer->count++], err);
}

/* The row without its source, in the answer's memory. */
static struct definition_row kept_row(const struct definition_row *row, struct arena *arena)
{
    struct definition_row kept = *row;
    kept.id = arena_str(arena, row->id);
    kept.title = arena_str(arena, row->title);
    kept.dialect = arena_str(arena, row->dialect);
    kept.author = arena_str(arena, row->author);
    kept.revision = arena_str(arena, row->revision);
    kept.source = STR_NONE;
    return kept;
}

enum status summaries_list(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    const struct call_summaries *asked = &call->as.summaries;
    struct answer_summaries *answer = &call->value.summaries;
    const struct sight sight = sight_of(call);
    struct definition_row *row;
    size_t count = 0, i = 0;
    struct arena rows;
    if (!answer->view) {
        answer->view = arena_make_n(call->arena, struct summary_view, asked->max);
        answer->next = asked->after;
    }
    arena_init(&rows, 0);
    enum status status = reader_definitions_after(query->reader, call->ns, answer->next, SUMMARIES_AT_ONCE,
                                                  &rows, &row, &count, err);
    bool compiled = false;
    for (; status == ST_OK && i < count && answer->count < asked->max && !compiled; i++) {
        if (!sight_has(&sight, row[i].id) || !is_asked(asked, &row[i])) continue;
        const struct definition_row found = kept_row(&row[i], call->arena);
        status = look_at(query, call, &found, &compiled, err);
    }
    must(i <= count && answer->count <= asked->max);
    answer->looked_at += i;
    if (i) answer->next = arena_str(call->arena, row[i - 1].id);
    bool is_last = status == ST_OK && i == count && count < SUMMARIES_AT_ONCE;
    bool is_full = answer->count == asked->max || answer->looked_at >= SUMMARIES_LOOKED_AT_MAX;
    if (is_last) answer->next = STR_NONE;
    *ret_more = status == ST_OK && !is_last && !is_full;
    arena_done(&rows);
    return status;
}

/* ---- one, with its versions and how it is started ---- */

static enum status read_versions(struct query *query, struct call *call, struct summary_view *view,
                                 struct error *err)
{
    struct definition_row newest;
    struct arena scratch;
    TRY(found_needed(
        reader_definition(query->reader, call->ns, view->row.id, VERSION_NEWEST, call->arena, &newest, err)));
    view->version = arena_make_n(call->arena, struct definition_row, SUMMARY_VERSIONS_MAX);
    for (int32_t version = newest.version; version > 0 && view->version_count < SUMMARY_VERSIONS_MAX;
         version--) {
        struct definition_row row;
        arena_init(&scratch, 0);
        enum status status = found_needed(
            reader_definition(query->reader, call->ns, view->row.id, version, &scratch, &row, err));
        if (status == ST_OK) view->version[view->version_count++] = kept_row(&row, call->arena);
        arena_done(&scratch);
        if (status != ST_OK) return status;
    }
    return ST_OK;
}

const struct json *summaries_schema_of_fields(const struct program_fields *fields, struct arena *arena)
{
    static const char *const types[] = { [FIELD_STRING] = "string",
                                         [FIELD_NUMBER] = "number",
                                         [FIELD_INTEGER] = "integer",
                                         [FIELD_BOOLEAN] = "boolean",
                                         [FIELD_ANY] = NULL };
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("type"));
    json_add_string(&builder, STR("object"));
    json_add_name(&builder, STR("properties"));
    json_open_object(&builder);
    for (size_t i = 0; i < fields->count; i++) {
        json_add_name(&builder, fields->field[i].name);
        json_open_object(&builder);
        if (types[fields->field[i].type]) {
            json_add_name(&builder, STR("type"));
            json_add_string(&builder, str_of(types[fields->field[i].type]));
        }
        json_close(&builder);
    }
    json_close(&builder);
    json_add_name(&builder, STR("required"));
    json_open_array(&builder);
    for (size_t i = 0; i < fields->count; i++)
        if (fields->field[i].required) json_add_string(&builder, fields->field[i].name);
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

/* The schema of the trigger that people use, of the document, or of the fields that a start must have; NULL:
 * none. */
static const struct json *input_schema(const struct program *program, const struct json *document,
                                       struct arena *arena)
{
    for (size_t i = 0; i < program->rules->arrival_count; i++) {
        const struct json *manual = json_get(program->rules->arrival[i].config, STR("manual"));
        const struct json *schema = json_get(manual, STR("inputSchema"));
        if (json_is(schema, JSON_OBJECT)) return schema;
    }
    const struct json *own = json_get(document, STR("inputSchema"));
    if (json_is(own, JSON_OBJECT)) return own;
    own = json_get(json_get(document, STR("settings")), STR("inputSchema"));
    if (json_is(own, JSON_OBJECT)) return own;
    return program->inputs.count ? summaries_schema_of_fields(&program->inputs, arena) : NULL;
}

/* The program may be gone when the answer is written: everything is copied. */
static enum status describe_start(struct query *query, struct call *call, struct summary_view *view,
                                  struct error *err)
{
    struct definition *definition;
    const struct json *document;
    TRY(json_parse(view->row.source, NULL, call->arena, &document, err));
    TRY(found_needed(catalogue_get(&query->catalogue, view->row.number, &definition, err)));
    const struct program *program = definition->program;
    const struct json *schema = input_schema(program, document, call->arena);
    if (schema) {
        struct json_builder builder;
        json_builder_init(&builder, call->arena);
        json_add(&builder, schema);
        view->input_schema = json_built(&builder);
    }
    view->is_startable = !dialect_has_entities(program->dialect);
    view->may_start = view->is_startable && arrive_may_start(call, definition);
    view->start = arena_make_n(call->arena, struct summary_start, program->rules->arrival_count);
    for (size_t i = 0; view->is_startable && i < program->rules->arrival_count; i++) {
        const struct program_arrival *arrival = &program->rules->arrival[i];
        view->start[view->start_count++] =
            (struct summary_start){ .trigger = arena_str(call->arena, arrival->name),
                                    .label =
                                        arena_str(call->arena, program_label_of_arrival(program, arrival)),
                                    .type = arrival->terms.type };
    }
    return ST_OK;
}

enum status summaries_get(struct query *query, struct call *call, struct error *err)
{
    struct answer_summaries *answer = &call->value.summaries;
    struct definition_row row;
    const struct facts *facts;
    TRY(found_needed(design_row(query, call, call->as.definition.id, 0, &row, err)));
    TRY(found_needed(facts_get(&query->facts, query->reader, row.number, &facts, err)));
    answer->view = arena_make(call->arena, struct summary_view);
    answer->count = 1;
    TRY(summarise(query, &row, facts, call->arena, answer->view, err));
    TRY(read_versions(query, call, answer->view, err));
    return describe_start(query, call, answer->view, err);
}
