/* api/forwarding/asked.c — requests of other nodes to members that are connected to us. */
#include "api/forwarding/forwarding_int.h"

#include "base/must.h"

#include <stdlib.h>

struct forwarding_asked {
    struct compute_request request;
    struct forwarding *forwarding;
    int64_t node;
    struct uuid member;
    struct arena arena; /* Has the texts, and this. */
    bool is_dropped;    /* Nobody wants to hear of it. */
    struct forwarding_asked *before, *after;
};

static uint64_t key_of(struct uuid id)
{
    uint64_t key;
    memcpy(&key, id.byte, sizeof key);
    return key;
}

/* ---- the outcome ---- */

static void write_outcome(struct buf *out, const struct forwarding_asked *asked, enum compute_outcome outcome,
                          str message, str value)
{
    buf_add_char(out, 'a');
    buf_add(out, asked->member.byte, UUID_BYTES);
    buf_add(out, asked->request.id.byte, UUID_BYTES);
    buf_add_varint(out, (uint64_t)outcome);
    buf_add_text(out, message);
    buf_add_text(out, value);
}

static void tell_outcome(struct forwarding_asked *asked)
{
    const struct compute_request *request = &asked->request;
    struct buf text, value;
    buf_init(&text, NULL);
    buf_init(&value, NULL);
    bool is_answered = request->outcome == COMPUTE_ANSWERED;
    if ((is_answered || request->outcome == COMPUTE_FAILED) && request->value)
        json_print(request->value, &value);
    bool is_large = value.n > NODE_MESSAGE_BYTES_MAX - FORWARDING_HEAD_BYTES;
    if (is_large && is_answered)
        write_outcome(
            &text, asked, COMPUTE_FAILED,
            arena_printf(&asked->arena, "the answer of %zu bytes cannot be sent to another node", value.n),
            STR_NONE);
    else
        write_outcome(&text, asked, request->outcome, request->message,
                      is_large ? STR_NONE : buf_str(&value));
    forwarding_post(asked->forwarding, asked->node, buf_str(&text));
    asked->forwarding->answered++;
    buf_done(&value);
    buf_done(&text);
}

static void done(struct compute_request *request)
{
    struct forwarding_asked *asked = request->taker;
    struct forwarding *forwarding = asked->forwarding;
    if (!asked->is_dropped) tell_outcome(asked);
    if (asked->before) asked->before->after = asked->after;
    else forwarding->first_asked = asked->after;
    if (asked->after) asked->after->before = asked->before;
    if (map_get(&forwarding->asked, key_of(request->id)) == asked)
        map_take(&forwarding->asked, key_of(request->id));
    struct arena arena = asked->arena;
    arena_done(&arena);
}

/* ---- the request ---- */

static bool read_request(struct reader *text, struct forwarding_asked *asked)
{
    struct compute_request *request = &asked->request;
    str member = read_bytes(text, UUID_BYTES), id = read_bytes(text, UUID_BYTES);
    uint64_t kind = read_varint(text);
    request->timeout_ms = (int64_t)read_varint(text);
    request->name = arena_str(&asked->arena, read_text(text));
    request->entity = arena_str(&asked->arena, read_text(text));
    request->token = arena_str(&asked->arena, read_text(text));
    request->tenant = (int32_t)read_varint32(text);
    request->originator.type = arena_str(&asked->arena, read_text(text));
    request->originator.id = arena_str(&asked->arena, read_text(text));
    request->originator.claims = arena_str(&asked->arena, read_text(text));
    request->text = arena_str(&asked->arena, read_text(text));
    if (text->bad || kind > COMPUTE_FUNCTION) return false;
    memcpy(asked->member.byte, member.p, UUID_BYTES);
    memcpy(request->id.byte, id.p, UUID_BYTES);
    request->kind = (enum compute_kind)kind;
    return true;
}

void forwarding_ask_here(struct forwarding *forwarding, int64_t node, struct reader *text)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct forwarding_asked *asked = arena_make(&arena, struct forwarding_asked);
    *asked = (struct forwarding_asked){ .forwarding = forwarding, .node = node, .arena = arena };
    asked->request.done = done;
    asked->request.taker = asked;
    if (!forwarding->compute || !read_request(text, asked)) {
        arena = asked->arena;
        arena_done(&arena);
        return;
    }
    asked->after = forwarding->first_asked;
    if (asked->after) asked->after->before = asked;
    forwarding->first_asked = asked;
    if (!map_get(&forwarding->asked, key_of(asked->request.id)))
        map_put(&forwarding->asked, key_of(asked->request.id), asked);
    if (compute_room(forwarding->compute)) {
        compute_ask_member(forwarding->compute, &asked->request, asked->member);
        return;
    }
    asked->request.outcome = COMPUTE_NO_MEMBER; /* It goes to another member, or is told that all are busy. */
    done(&asked->request);
}

void forwarding_forget_asked(struct forwarding *forwarding, int64_t node, struct reader *text)
{
    struct uuid id;
    str bytes = read_bytes(text, UUID_BYTES);
    if (text->bad) return;
    memcpy(id.byte, bytes.p, UUID_BYTES);
    struct forwarding_asked *asked = map_get(&forwarding->asked, key_of(id));
    if (!asked || asked->node != node || !uuid_equal(asked->request.id, id)) return;
    asked->is_dropped = true;
    compute_cancel(&asked->request);
}

void forwarding_drop_asked(struct forwarding *forwarding, int64_t node)
{
    for (struct forwarding_asked *at = forwarding->first_asked, *next; at; at = next) {
        next = at->after;
        if (node && at->node != node) continue;
        at->is_dropped = true;
        compute_cancel(&at->request);
    }
}
