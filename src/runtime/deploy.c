/* runtime/deploy.c — a compiled definition becomes a version.
 *
 * The query thread has compiled the document and hashed its content; here it gets its number.
 * Content that some version of the id has already gives that version back.
 */
#include "runtime/runtime_int.h"

#include "dialect/dialect.h"
#include "runtime/call/call.h"
#include "runtime/definitions/definitions.h"
#include "runtime/entities/entities.h"
#include "runtime/transact/transact.h"

/* Equal content, not just an equal hash? */
static bool same_content(const struct definition_row *row, const struct call *call, struct arena *arena)
{
    const struct json_limits limits = { SIZE_MAX, JSON_DEPTH_MAX };
    const struct json *stored;
    if (json_parse(row->source, &limits, arena, &stored, NULL) != ST_OK) return false;
    struct buf known, sent;
    buf_init(&known, arena);
    buf_init(&sent, arena);
    dialect_print_content(stored, arena, &known);
    dialect_print_content(call->document_, arena, &sent);
    return str_equal(buf_str(&known), buf_str(&sent));
}

static void answer_row(struct call *call, const struct definition_row *row, bool is_new)
{
    struct answer_definitions *answer = &call->value.definitions;
    answer->row = arena_make(call->arena, struct definition_row);
    answer->count = 1;
    *answer->row = *row;
    answer->row->id = arena_str(call->arena, row->id);
    answer->row->title = arena_str(call->arena, row->title);
    answer->row->dialect = arena_str(call->arena, row->dialect);
    answer->row->author = arena_str(call->arena, row->author);
    answer->row->source = STR_NONE;
    answer->is_new = is_new;
}

/* A version that has this content already: any, or only the latest, if older ones are to be published again.
 */
static struct found find_known(struct turn *turn, const struct call *call, struct definition_row *ret_row,
                               struct error *err)
{
    struct store *store = turn->engine->store;
    str id = call->program_->id;
    if (!call->as.deploy.again)
        return store_find_content(store, call->ns, id, call->content_, &turn->arena, ret_row, err);
    TRY_FOUND(store_find_definition(store, call->ns, id, VERSION_LATEST, &turn->arena, ret_row, err));
    return found_of(ret_row->content == call->content_ ? ST_OK : ST_NOT_FOUND);
}

enum status deploy_call(struct turn *turn, struct call *call, struct error *err)
{
    struct definition_row row;
    bool is_there;
    /* Only now the id is known. A key may be narrowed to some definitions. */
    if (call->caller) TRY(caller_check_for(call->caller, MAY_DEFINITIONS_WRITE, call->program_->id, err));
    TRY(found_asked(find_known(turn, call, &row, err), &is_there));
    bool is_known = is_there && same_content(&row, call, &turn->arena);
    if (!is_known || call->as.deploy.import) TRY(room_check(turn->engine, CALL_DEPLOY, err));
    TRY(import_save(turn, call, err));
    const struct publication publication = { .ns = call->ns,
                                             .program = call->program_,
                                             .text = call->as.deploy.text,
                                             .content = call->content_,
                                             .author = call->as.deploy.author };
    if (!is_known) TRY(publish_version(turn, &publication, &row, err));
    answer_row(call, &row, !is_known);
    return ST_OK;
}
