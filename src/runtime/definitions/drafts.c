/* runtime/definitions/drafts.c — documents that are not published.
 *
 * A draft is a record under the id of the definition that it will be. Its revision counts up with every
 * change, so that somebody who saves can tell that another person has saved in between. A draft may be any
 * JSON value: it is looked at only when it is validated or published.
 */
#include "runtime/definitions/drafts.h"

#include "base/must.h"
#include "base/utf8.h"
#include "runtime/call/sight.h"
#include "runtime/definitions/definitions_int.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* The name by which people know the document: flows and models have one, or none yet. */
static str name_of(const struct json *document)
{
    if (!document || !json_is(document, JSON_OBJECT)) return STR_NONE;
    str name = json_text(document, STR("name"));
    return utf8_cut(name.n ? name : json_text(document, STR("entityName")), TITLE_BYTES_MAX);
}

bool draft_decode(const struct record_row *row, struct arena *arena, struct draft_view *ret_view)
{
    const struct json *value = json_decode(row->value, arena);
    if (!value || !json_is(value, JSON_OBJECT)) return false;
    *ret_view = (struct draft_view){
        .id = row->key,
        .revision = (uint32_t)json_integer(value, STR("revision")),
        .updated_ms = json_integer(value, STR("updated")),
        .author = json_text(value, STR("author")),
        .document = json_get(value, STR("document")),
        .name = name_of(json_get(value, STR("document"))),
    };
    return ret_view->document != NULL;
}

static str encode(const struct draft_view *view, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("revision"));
    json_add_int(&builder, view->revision);
    json_add_name(&builder, STR("updated"));
    json_add_int(&builder, view->updated_ms);
    json_add_name(&builder, STR("author"));
    json_add_string(&builder, view->author);
    json_add_name(&builder, STR("document"));
    json_add(&builder, view->document);
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

static enum status fail_damaged(str id, struct error *err)
{
    return fail(err, ST_STORE, "draft", "the stored draft of \"%.*s\" is damaged", STR_ARG(id));
}

/* The draft as it is, if it is the one that the call is about. `*ret_known` is false if there is none. */
static enum status find_asked(struct turn *turn, const struct call_draft *asked, int32_t ns,
                              struct draft_view *ret_view, bool *ret_known, struct error *err)
{
    struct record_row row;
    bool is_there;
    TRY(found_asked(
        store_find_record(turn->engine->store, ns, RECORD_DRAFT, asked->id, &turn->arena, &row, err),
        &is_there));
    *ret_known = is_there;
    *ret_view = (struct draft_view){ 0 };
    if (*ret_known && !draft_decode(&row, &turn->arena, ret_view)) return fail_damaged(asked->id, err);
    if (*ret_known && asked->only_new)
        return fail_code(err, ST_STALE, "DRAFT_EXISTS", "there is a draft of \"%.*s\" already",
                         STR_ARG(asked->id));
    if (asked->if_revision && asked->if_revision != ret_view->revision)
        return fail_code(err, ST_STALE, "DRAFT_CHANGED",
                         *ret_known ? "the draft was changed by somebody else: it has revision %u, not %u"
                                    : "the draft is gone: it has revision %u, not %u",
                         ret_view->revision, asked->if_revision);
    return ST_OK;
}

enum status draft_save_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_draft *asked = &call->as.draft;
    struct draft_view before;
    bool known;
    TRY(retire_check_leaving(turn, call->ns, asked->id, err));
    TRY(find_asked(turn, asked, call->ns, &before, &known, err));
    struct draft_view *view = arena_make(call->arena, struct draft_view);
    *view = (struct draft_view){ .id = asked->id,
                                 .revision = before.revision + 1,
                                 .updated_ms = turn->now_ms,
                                 .author = asked->author,
                                 .document = asked->document };
    must(!asked->if_revision || view->revision == asked->if_revision + 1);
    must(!(known && asked->only_new));
    struct record_row row = {
        .ns = call->ns, .kind = RECORD_DRAFT, .key = asked->id, .value = encode(view, &turn->arena)
    };
    TRY(transact_rows(turn, &(struct changeset){ .record_put = &row, .record_put_count = 1 }, err));
    live_note(&turn->engine->memory.live, call->ns, LIVE_DRAFTS, asked->id);
    view->document = NULL;
    call->value.drafts = (struct answer_drafts){ .view = view, .count = 1 };
    return ST_OK;
}

enum status draft_remove_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_draft *asked = &call->as.draft;
    struct draft_view before;
    bool known;
    TRY(find_asked(turn, asked, call->ns, &before, &known, err));
    if (!known) return fail(err, ST_NOT_FOUND, "draft", "there is no draft of \"%.*s\"", STR_ARG(asked->id));
    struct record_row row = { .ns = call->ns, .kind = RECORD_DRAFT, .key = asked->id };
    live_note(&turn->engine->memory.live, call->ns, LIVE_DRAFTS, asked->id);
    return transact_rows(turn, &(struct changeset){ .record_remove = &row, .record_remove_count = 1 }, err);
}

enum status draft_get(struct store_reader *reader, struct call *call, struct error *err)
{
    str id = call->as.draft.id;
    struct draft_view *view = arena_make(call->arena, struct draft_view);
    struct record_row row;
    bool is_there;
    TRY(found_asked(reader_find_record(reader, call->ns, RECORD_DRAFT, id, call->arena, &row, err),
                    &is_there));
    if (!is_there) return fail(err, ST_NOT_FOUND, "draft", "there is no draft of \"%.*s\"", STR_ARG(id));
    if (!draft_decode(&row, call->arena, view)) return fail_damaged(id, err);
    call->value.drafts = (struct answer_drafts){ .view = view, .count = 1 };
    return ST_OK;
}

/* Drafts that the caller may not see are left out, so a page may take several reads. */
enum status draft_list(struct store_reader *reader, struct call *call, struct error *err)
{
    const struct call_drafts *asked = &call->as.drafts;
    struct answer_drafts *answer = &call->value.drafts;
    const struct sight sight = sight_of(call);
    struct record_filter filter = { .ns = call->ns, .kind = RECORD_DRAFT, .after = asked->after };
    struct record_row *row;
    size_t count;
    answer->view = arena_make_n(call->arena, struct draft_view, asked->max);
    do {
        filter.max = asked->max - answer->count;
        TRY(reader_records(reader, &filter, call->arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            if (!sight_has(&sight, row[i].key)) continue;
            struct draft_view *view = &answer->view[answer->count++];
            if (!draft_decode(&row[i], call->arena, view)) return fail_damaged(row[i].key, err);
            view->document = NULL;
        }
        if (count) filter.after = row[count - 1].key;
    } while (count && count == filter.max && answer->count < asked->max);
    answer->more = answer->count == asked->max;
    return ST_OK;
}
