/* api/missing.c — what a published document needs and lacks: asked with the upload, told with its answer. */
#include "api/missing_int.h"

#include "api/api_int.h"
#include "compute/compute.h"
#include "json/put.h"
#include "runtime/runtime.h"

void missing_ask(struct api_request *request, struct call_deploy *asked)
{
    const struct api_config *config = &request->api->config;
    struct arena *arena = request->http->arena;
    struct call_around *around = arena_make(arena, struct call_around);
    struct compute_member_view *view = NULL;
    size_t count = config->compute ? compute_members(config->compute, arena, &view) : 0;
    struct around_member *member = arena_make_n(arena, struct around_member, count);
    around->has_mail = config->has_mail;
    around->member = member;
    for (size_t i = 0; i < count; i++) {
        if (view[i].tenant != request->caller.tenant) continue;
        str *tag = arena_make_n(arena, str, view[i].tag_count);
        for (size_t k = 0; k < view[i].tag_count; k++) tag[k] = arena_str(arena, view[i].tag[k]);
        member[around->member_count++] = (struct around_member){ tag, view[i].tag_count };
    }
    asked->around = around;
}

static void put_one(struct buf *out, const struct call *call, const struct missing_view *missing)
{
    bool is_near = missing->kind == MISSING_WORKER && call->value.definitions.others_may_have;
    PUT(out, "{\"code\":");
    put_text(out, str_of(missing_word(missing->kind)));
    PUT(out, ",\"name\":");
    put_text(out, missing->name);
    PUT(out, ",\"pointer\":");
    put_text(out, missing->place);
    PUT(out, ",\"message\":");
    put_text(out, missing_sentence(missing, is_near ? " at this node" : "", call->arena));
    buf_add_char(out, '}');
}

void missing_put(const struct call *call, struct buf *out)
{
    const struct answer_definitions *answer = &call->value.definitions;
    if (!answer->missing_count) return;
    PUT(out, ",\"missing\":[");
    for (size_t i = 0; i < answer->missing_count; i++) {
        if (i) buf_add_char(out, ',');
        put_one(out, call, &answer->missing[i]);
    }
    buf_add_char(out, ']');
}
