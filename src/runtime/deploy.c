/* runtime/deploy.c — a compiled definition becomes a version.
 *
 * The query thread has compiled the document and hashed its content; here it gets its number.
 * Content that some version of the id has already gives that version back.
 */
#include "runtime/engine_int.h"

#include "base/utf8.h"

#include "dialect/dialect.h"

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
    answer->row->source = STR_NONE;
    answer->is_new = is_new;
}

/* A row for each pair of source and type that the program takes events of. */
static struct trigger_row *trigger_rows(struct turn *turn, const struct program *program, int32_t ns,
                                        size_t *ret_count)
{
    struct trigger_row *row = arena_make_n(&turn->arena, struct trigger_row, program->trigger_count);
    size_t count = 0;
    for (size_t i = 0; i < program->trigger_count; i++) {
        const struct program_trigger *trigger = &program->trigger[i];
        size_t known = 0;
        while (known < count &&
               !(str_equal(row[known].source, trigger->source) && str_equal(row[known].type, trigger->type)))
            known++;
        if (known == count)
            row[count++] =
                (struct trigger_row){ ns, trigger->source, trigger->type, turn->engine->next_definition };
    }
    *ret_count = count;
    return row;
}

/* A version that has this content already: any, or only the latest, if older ones are to be published again.
 */
static enum status find_known(struct turn *turn, const struct call *call, struct definition_row *ret_row,
                              struct error *err)
{
    struct store *store = turn->engine->store;
    str id = call->program_->id;
    if (!call->as.deploy.again)
        return store_find_content(store, call->ns, id, call->content_, &turn->arena, ret_row, err);
    TRY(store_find_definition(store, call->ns, id, VERSION_LATEST, &turn->arena, ret_row, err));
    return ret_row->content == call->content_ ? ST_OK : ST_NOT_FOUND;
}

enum status deploy_call(struct turn *turn, struct call *call, struct error *err)
{
    struct program *program = call->program_;
    struct definition_row row;
    enum status status = find_known(turn, call, &row, err);
    if (status == ST_OK && same_content(&row, call, &turn->arena)) {
        answer_row(call, &row, false);
        return ST_OK;
    }
    if (status != ST_OK && status != ST_NOT_FOUND) return status;

    TRY(room_check(turn->engine, CALL_DEPLOY, err));
    int32_t version = 1;
    status = store_find_definition(turn->engine->store, call->ns, program->id, VERSION_NEWEST, &turn->arena,
                                   &row, err);
    if (status == ST_OK) version = row.version + 1;
    else if (status != ST_NOT_FOUND) return status;

    row = (struct definition_row){ .number = turn->engine->next_definition,
                                   .ns = call->ns,
                                   .id = program->id,
                                   .version = version,
                                   .rank = program->rank,
                                   .priority = program->priority,
                                   .dialect = program->dialect,
                                   .title = utf8_cut(program->title, TITLE_BYTES_MAX),
                                   .source = call->as.deploy.text,
                                   .content = call->content_,
                                   .created_ms = turn->now_ms };
    struct changeset changeset = { .definition = &row };
    changeset.trigger_add = trigger_rows(turn, program, call->ns, &changeset.trigger_add_count);
    TRY(transact_rows(turn, &changeset, err));
    turn->deployed = true;
    TRY(doors_deploy(turn, &row, program, err));
    TRY(ticks_deploy(turn, &row, program, err));
    turn->engine->next_definition++;
    catalogue_forget_latest(&turn->engine->catalogue, program->id);
    turn->engine->pending_due = true;
    metric_add(&turn->engine->metrics->definitions_uploaded, 1);
    answer_row(call, &row, true);
    return ST_OK;
}
