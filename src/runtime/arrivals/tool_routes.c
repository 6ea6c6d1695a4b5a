/* runtime/arrivals/tool_routes.c — tools of the latest versions, by which agents start runs.
 *
 *     'a' name NUL              → [definition, description]   found and listed by agents
 *     'A' definition NUL        → [name]                      what its next version takes away
 *
 * A name belongs to one definition of a tenant. A definition that is retired, or has another name by now,
 * does not keep it.
 */
#include "runtime/arrivals/arrivals_int.h"

#include "dialect/tool.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum { BY_NAME = 'a', OF_DEFINITION = 'A', TOOLS_PAGE = 100 };

static str key_of(struct arena *arena, char kind, str text)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_char(&key, kind);
    buf_add_str(&key, text);
    buf_add_char(&key, '\0');
    return buf_str(&key);
}

static struct record_row row_of(int32_t ns, char kind, str text, str first, str second, struct arena *arena)
{
    struct json_builder value;
    json_builder_init(&value, arena);
    json_open_array(&value);
    json_add_string(&value, first);
    json_add_string(&value, second);
    json_close(&value);
    return (struct record_row){ .ns = ns,
                                .kind = RECORD_ROUTE,
                                .key = key_of(arena, kind, text),
                                .value = json_encoded(json_built(&value)) };
}

/* A text of a record; empty if the record is damaged. */
static str text_of(const struct record_row *row, size_t index, struct arena *arena)
{
    const struct json *value = json_item(json_decode(row->value, arena), index);
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

/* The text of a record; empty: there is none. */
static enum status find_text(struct turn *turn, int32_t ns, char kind, str text, str *ret_text,
                             struct error *err)
{
    struct record_row row;
    bool is_there;
    TRY(found_asked(store_find_record(turn->engine->store, ns, RECORD_ROUTE, key_of(&turn->arena, kind, text),
                                      &turn->arena, &row, err),
                    &is_there));
    *ret_text = is_there ? text_of(&row, 0, &turn->arena) : STR_NONE;
    return ST_OK;
}

/* Most documents have no tool, and need not be read. */
static bool find_tool(const struct definition_row *row, struct arena *arena, struct tool *ret_tool)
{
    const struct json *document;
    if (str_find(row->source, STR("\"mcp\""), 0) == SIZE_MAX) return false;
    return json_parse(row->source, NULL, arena, &document, NULL) == ST_OK && tool_of(document, ret_tool);
}

/* Does another definition have the name, and is it in use? */
static enum status is_kept(struct turn *turn, int32_t ns, str definition, str name, bool *ret_is,
                           struct error *err)
{
    struct definition_row row;
    bool is_there;
    str own;
    *ret_is = false;
    TRY(find_text(turn, ns, OF_DEFINITION, definition, &own, err));
    if (!str_equal(own, name)) return ST_OK;
    TRY(found_asked(
        store_find_definition(turn->engine->store, ns, definition, VERSION_LATEST, &turn->arena, &row, err),
        &is_there));
    *ret_is = is_there && !row.retired_ms;
    return ST_OK;
}

enum status tool_routes_check(struct turn *turn, const struct definition_row *row, struct error *err)
{
    struct tool tool;
    str other;
    bool kept;
    if (!find_tool(row, &turn->arena, &tool)) return ST_OK;
    TRY(find_text(turn, row->ns, BY_NAME, tool.name, &other, err));
    if (!other.n || str_equal(other, row->id)) return ST_OK;
    TRY(is_kept(turn, row->ns, other, tool.name, &kept, err));
    if (!kept) return ST_OK;
    return fail_code(err, ST_CONFLICT, "TOOL_TAKEN",
                     "/mcp/tool: \"%.*s\" is already the tool of definition \"%.*s\"", STR_ARG(tool.name),
                     STR_ARG(other));
}

enum status tool_routes_deploy(struct turn *turn, const struct definition_row *row, struct error *err)
{
    struct arena *arena = &turn->arena;
    struct tool tool = { 0 };
    struct definition_row latest;
    str before, owner = STR_NONE;
    bool has = find_tool(row, arena, &tool);
    TRY(find_text(turn, row->ns, OF_DEFINITION, row->id, &before, err));
    if (!has && !before.n) return ST_OK;
    TRY(found_needed(
        store_find_definition(turn->engine->store, row->ns, row->id, VERSION_LATEST, arena, &latest, err)));
    if (latest.number != row->number) return ST_OK;
    if (before.n) TRY(find_text(turn, row->ns, BY_NAME, before, &owner, err));
    const struct record_row put[] = {
        row_of(row->ns, BY_NAME, tool.name, row->id, tool.description, arena),
        row_of(row->ns, OF_DEFINITION, row->id, tool.name, STR_NONE, arena),
    };
    struct record_row gone[2];
    struct changeset changeset = { .record_put = put,
                                   .record_put_count = has ? 2 : 0,
                                   .record_remove = gone };
    size_t count = 0;
    if (!has) gone[count++] = put[1];
    if (str_equal(owner, row->id) && !str_equal(before, tool.name))
        gone[count++] = row_of(row->ns, BY_NAME, before, row->id, STR_NONE, arena);
    changeset.record_remove_count = count;
    return transact_rows(turn, &changeset, err);
}

enum status tool_routes_forget(struct turn *turn, const struct definition_row *row, struct error *err)
{
    struct arena *arena = &turn->arena;
    str name, owner;
    TRY(find_text(turn, row->ns, OF_DEFINITION, row->id, &name, err));
    if (!name.n) return ST_OK;
    TRY(find_text(turn, row->ns, BY_NAME, name, &owner, err));
    const struct record_row gone[] = { row_of(row->ns, OF_DEFINITION, row->id, name, STR_NONE, arena),
                                       row_of(row->ns, BY_NAME, name, row->id, STR_NONE, arena) };
    struct changeset changeset = { .record_remove = gone,
                                   .record_remove_count = str_equal(owner, row->id) ? 2 : 1 };
    return transact_rows(turn, &changeset, err);
}

/* A page, in order of names. A definition that has lost its name, or is retired, is left out. */
void tool_routes_list(struct turn *turn, struct call *call)
{
    const struct sight sight = sight_of(call);
    struct call_triggers *asked = &call->as.triggers;
    struct arena *arena = &turn->arena;
    size_t max = asked->max && asked->max < TOOLS_PAGE ? asked->max : TOOLS_PAGE, count;
    const struct record_filter filter = { .ns = call->ns,
                                          .kind = RECORD_ROUTE,
                                          .prefix = asked->keyword.n ? key_of(arena, BY_NAME, asked->keyword)
                                                                     : (str){ (const char[]){ BY_NAME }, 1 },
                                          .after = asked->after.n ? key_of(arena, BY_NAME, asked->after)
                                                                  : STR_NONE,
                                          .max = max };
    struct record_row *row;
    struct answer_triggers *answer = &call->value.triggers;
    call->status = store_records(turn->engine->store, &filter, arena, &row, &count, &call->error);
    if (call->status != ST_OK) return;
    *answer =
        (struct answer_triggers){ arena_make_n(call->arena, struct trigger_view, count), 0, count == max };
    for (size_t i = 0; i < count; i++) {
        str name = str_slice(row[i].key, 1, row[i].key.n - 1), definition = text_of(&row[i], 0, arena);
        bool kept;
        asked->after = arena_str(call->arena, name);
        if (!definition.n || !sight_has(&sight, definition)) continue;
        call->status = is_kept(turn, call->ns, definition, name, &kept, &call->error);
        if (call->status != ST_OK) return;
        if (!kept) continue;
        answer->view[answer->count++] =
            (struct trigger_view){ .ns = call->ns,
                                   .definition_id = arena_str(call->arena, definition),
                                   .trigger = arena_str(call->arena, name),
                                   .label = arena_str(call->arena, text_of(&row[i], 1, arena)) };
    }
}
