/* runtime/deploy.c — a compiled definition becomes a version.
 *
 * The query thread has compiled the document and hashed its content; here it gets its number.
 *
 *     the latest version has this content    no new version: the answer is the latest
 *     … and the definition is retired        a new version that restores the latest: it is in use again
 *     an older version has this content      a new version that restores the older one, and is the latest
 *     no version has it                      a new version. Its document may say that it is older than the
 *                                            latest (Serverless Workflow): that stays, and the answer says so
 *
 * apply.c does this for several documents in one transaction.
 */
#include "runtime/runtime_int.h"

#include "base/must.h"
#include "dialect/dialect.h"
#include "runtime/access/access.h"
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

bool deploy_has_content(const struct definition_row *row, const struct call *call, struct arena *arena)
{
    return row->content == call->content_ && same_content(row, call, arena);
}

static void answer_row(struct call *call, const struct definition_row *row, bool is_new, int32_t latest)
{
    struct answer_definitions *answer = &call->value.definitions;
    answer->row = arena_make(call->arena, struct definition_row);
    answer->count = 1;
    *answer->row = *row;
    answer->row->id = arena_str(call->arena, row->id);
    answer->row->title = arena_str(call->arena, row->title);
    answer->row->dialect = arena_str(call->arena, row->dialect);
    answer->row->author = arena_str(call->arena, row->author);
    answer->row->revision = arena_str(call->arena, row->revision);
    answer->row->source = STR_NONE;
    answer->is_new = is_new;
    answer->latest = latest;
}

/* How the content that was sent stands to the versions that are there. */
struct publishing {
    bool has_latest, is_latest; /* There are versions; the latest has the content and is in use. */
    struct definition_row latest;
    int32_t restores; /* The newest version that has the content, if a new one is to be made; 0: none. */
};

static enum status find_restored(struct turn *turn, const struct call *call, struct publishing *publishing,
                                 struct error *err)
{
    struct definition_row row;
    bool is_there;
    if (call->as.deploy.restores) {
        publishing->restores = call->as.deploy.restores;
        return ST_OK;
    }
    TRY(found_asked(store_find_content(turn->engine->store, call->ns, call->program_->id, call->content_,
                                       &turn->arena, &row, err),
                    &is_there));
    if (is_there && same_content(&row, call, &turn->arena)) publishing->restores = row.version;
    return ST_OK;
}

static enum status find_publishing(struct turn *turn, const struct call *call,
                                   struct publishing *ret_publishing, struct error *err)
{
    struct definition_row *latest = &ret_publishing->latest;
    *ret_publishing = (struct publishing){ .restores = 0 };
    TRY(found_asked(store_find_definition(turn->engine->store, call->ns, call->program_->id, VERSION_LATEST,
                                          &turn->arena, latest, err),
                    &ret_publishing->has_latest));
    if (!ret_publishing->has_latest) return ST_OK;
    if (!deploy_has_content(latest, call, &turn->arena))
        return find_restored(turn, call, ret_publishing, err);
    ret_publishing->is_latest = !latest->retired_ms;
    if (latest->retired_ms) ret_publishing->restores = latest->version;
    return ST_OK;
}

enum status deploy_call(struct turn *turn, struct call *call, struct error *err)
{
    struct definition_row row;
    struct publishing publishing;
    /* Only now the id is known. A key may be narrowed to some definitions. */
    if (call->caller) TRY(caller_check_for(call->caller, MAY_DEFINITIONS_WRITE, call->program_->id, err));
    missing_leave_out_workers(turn, call);
    TRY(find_publishing(turn, call, &publishing, err));
    if (!publishing.is_latest || call->as.deploy.import) TRY(room_check(turn->engine, CALL_DEPLOY, err));
    TRY(import_save(turn, call, publishing.is_latest, err));
    if (publishing.is_latest) {
        answer_row(call, &publishing.latest, false, publishing.latest.version);
        return ST_OK;
    }
    const struct publication publication = { .ns = call->ns,
                                             .program = call->program_,
                                             .text = call->as.deploy.text,
                                             .content = call->content_,
                                             .author = call->as.deploy.author,
                                             .revision = call->as.deploy.revision,
                                             .restores = publishing.restores };
    TRY(publish_version(turn, &publication, &row, err));
    bool is_latest = !publishing.has_latest || row.rank >= publishing.latest.rank;
    answer_row(call, &row, true, is_latest ? row.version : publishing.latest.version);
    return ST_OK;
}
