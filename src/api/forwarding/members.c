/* api/forwarding/members.c — members of other nodes: they join our hub as their node's list of members says,
 * and what they are asked goes to their node. */
#include "api/forwarding/forwarding_int.h"

#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

/* A request that cannot be sent; the hub hears of it later, because it is just sending. */
struct forwarding_refused {
    struct uuid request;
    size_t bytes;
    struct forwarding_refused *next;
};

/* ---- asking ---- */

static void refuse(struct forwarding_member *member, const struct compute_request *request, size_t bytes)
{
    struct forwarding_refused *refused = malloc(sizeof *refused);
    struct api *api = member->node->forwarding->api;
    must(refused);
    *refused = (struct forwarding_refused){ request->id, bytes, member->refused };
    member->refused = refused;
    member->is_behind = member->node->forwarding->is_behind = true;
    if (api->config.wake) api->config.wake(api->config.wake_context);
}

static enum compute_sent send_request(void *context, const struct compute_request *request)
{
    struct forwarding_member *member = context;
    struct forwarding *forwarding = member->node->forwarding;
    int64_t left_ms = compute_left_ms(request);
    struct error err;
    struct buf text;
    buf_init(&text, NULL);
    buf_add_char(&text, 'q');
    buf_add(&text, member->id.byte, UUID_BYTES);
    buf_add(&text, request->id.byte, UUID_BYTES);
    buf_add_varint(&text, (uint64_t)request->kind);
    buf_add_varint(&text, (uint64_t)left_ms);
    buf_add_text(&text, request->name);
    buf_add_text(&text, request->entity);
    buf_add_text(&text, request->token);
    buf_add_text(&text, request->text);
    enum status status =
        node_messages_send(forwarding->node_messages, member->node->id, buf_str(&text), left_ms + 1, &err);
    size_t bytes = text.n;
    buf_done(&text);
    if (status == ST_OVERLOAD) {
        member->is_behind = forwarding->is_behind = true;
        return COMPUTE_LATER;
    }
    if (status != ST_OK) refuse(member, request, bytes);
    return COMPUTE_SENT;
}

static void drop_request(void *context, const struct compute_request *request)
{
    struct forwarding_member *member = context;
    struct buf text;
    buf_init(&text, NULL);
    buf_add_char(&text, 'd');
    buf_add(&text, request->id.byte, UUID_BYTES);
    forwarding_post(member->node->forwarding, member->node->id, buf_str(&text));
    buf_done(&text);
}

static void settle_refused(struct forwarding_member *member)
{
    while (member->refused) {
        struct forwarding_refused *refused = member->refused;
        char message[128];
        int n = snprintf(message, sizeof message,
                         "a request of %zu bytes cannot be sent to another node; the most is %d",
                         refused->bytes, NODE_MESSAGE_BYTES_MAX);
        compute_settle(member->member, &(struct compute_settled){ .request = refused->request,
                                                                  .outcome = COMPUTE_FAILED,
                                                                  .message = { message, (size_t)n } });
        member->refused = refused->next;
        free(refused);
    }
}

void forwarding_send_on(struct forwarding *forwarding)
{
    if (!forwarding->is_behind) return;
    bool has_room = node_messages_has_room(forwarding->node_messages);
    forwarding->is_behind = false;
    for (struct forwarding_node *node = forwarding->nodes; node; node = node->next)
        for (struct forwarding_member *member = node->first; member; member = member->next) {
            if (!member->is_behind) continue;
            settle_refused(member);
            member->is_behind = !has_room;
            forwarding->is_behind |= member->is_behind;
            if (has_room) compute_ready(member->member);
        }
}

/* ---- answers ---- */

static struct forwarding_member *find_member(const struct forwarding *forwarding, int64_t node_id, str id)
{
    const struct forwarding_node *node = forwarding_find_node(forwarding, node_id);
    struct forwarding_member *member = node ? node->first : NULL;
    while (member && memcmp(member->id.byte, id.p, UUID_BYTES) != 0) member = member->next;
    return member;
}

void forwarding_settle(struct forwarding *forwarding, int64_t node, struct reader *text)
{
    struct compute_settled settled;
    struct arena arena;
    struct error err;
    const struct json_limits limits = { SIZE_MAX, JSON_DEPTH_MAX };
    str member_id = read_bytes(text, UUID_BYTES), id = read_bytes(text, UUID_BYTES);
    uint64_t outcome = read_varint(text);
    settled.message = read_text(text);
    str value = read_text(text);
    if (text->bad || outcome >= COMPUTE_OUTCOME_COUNT) return;
    struct forwarding_member *member = find_member(forwarding, node, member_id);
    if (!member) return; /* Its requests were lost when it left. */
    memcpy(settled.request.byte, id.p, UUID_BYTES);
    settled.outcome = (enum compute_outcome)outcome;
    settled.value = NULL;
    arena_init(&arena, 0);
    bool has_value = settled.outcome == COMPUTE_ANSWERED || (settled.outcome == COMPUTE_FAILED && value.n);
    if (has_value && json_parse(value, &limits, &arena, &settled.value, &err) != ST_OK &&
        settled.outcome == COMPUTE_ANSWERED) {
        settled.outcome = COMPUTE_FAILED;
        settled.message = str_of(err.message);
    }
    compute_settle(member->member, &settled);
    arena_done(&arena);
}

/* ---- lists of members ---- */

static void drop_member(struct forwarding_member *member)
{
    compute_leave(member->member);
    while (member->refused) {
        struct forwarding_refused *refused = member->refused;
        member->refused = refused->next;
        free(refused);
    }
    free(member);
}

/* NULL: there are as many members as may be. */
static struct forwarding_member *join(struct forwarding_node *node, const struct forwarding_entry *entry)
{
    struct forwarding_member *member = calloc(1, sizeof *member);
    struct error err;
    must(member);
    member->node = node;
    member->id = entry->id;
    member->is_new = true;
    const struct compute_joining joining = { .id = entry->id,
                                             .tenant = entry->tenant,
                                             .tag = entry->tag,
                                             .tag_count = entry->tag_count,
                                             .node = node->id,
                                             .joined_ms = entry->joined_ms,
                                             .send = send_request,
                                             .drop = drop_request,
                                             .context = member };
    if (compute_join(node->forwarding->compute, &joining, &member->member, &err) == ST_OK) return member;
    free(member);
    return NULL;
}

static void drop_until(struct forwarding_member **old, const struct forwarding_member *kept)
{
    while (*old != kept) {
        struct forwarding_member *gone = *old;
        *old = gone->next;
        drop_member(gone);
    }
}

/* Members that are in both lists are in the same order, so each step here skips the ones that have left. */
static struct forwarding_member *find_after(struct forwarding_member *from,
                                            const struct forwarding_entry *entry)
{
    while (from && !uuid_equal(from->id, entry->id)) from = from->next;
    return from;
}

/* Members that are new take requests at the end, when those that have left are gone. */
static void take_member_list(struct forwarding_node *node, const struct forwarding_entry *entry, size_t count)
{
    struct forwarding_member *old = node->first, **end = &node->first;
    for (size_t i = 0; i < count; i++) {
        struct forwarding_member *member = find_after(old, &entry[i]);
        if (member) {
            drop_until(&old, member);
            old = member->next;
        } else {
            member = join(node, &entry[i]);
        }
        if (!member) continue;
        compute_set_load(member->member, &entry[i].load);
        *end = member;
        end = &member->next;
    }
    *end = NULL;
    drop_until(&old, NULL);
    for (struct forwarding_member *at = node->first; at; at = at->next) {
        if (at->is_new) compute_ready(at->member);
        at->is_new = false;
    }
}

static struct forwarding_node *add_node(struct forwarding *forwarding, int64_t id)
{
    struct forwarding_node *node = calloc(1, sizeof *node);
    must(node);
    *node = (struct forwarding_node){ .forwarding = forwarding, .id = id, .next = forwarding->nodes };
    forwarding->nodes = node;
    return node;
}

static void drop_node(struct forwarding *forwarding, struct forwarding_node **place)
{
    struct forwarding_node *node = *place;
    *place = node->next;
    while (node->first) {
        struct forwarding_member *member = node->first;
        node->first = member->next;
        drop_member(member);
    }
    forwarding_drop_asked(forwarding, node->id);
    forwarding_lose_calls(forwarding, node->id);
    free(node);
}

void forwarding_drop_nodes(struct forwarding *forwarding)
{
    while (forwarding->nodes) drop_node(forwarding, &forwarding->nodes);
}

static void hear_member_list(struct forwarding *forwarding, const struct node_message_notice *notice,
                             struct arena *arena)
{
    struct forwarding_entry *entry;
    size_t count;
    struct forwarding_node *node = forwarding_find_node(forwarding, notice->node);
    if (!node) node = add_node(forwarding, notice->node);
    node->is_seen = true;
    /* A node of another version may tell what we do not understand. */
    if (notice->is_new && forwarding->compute &&
        forwarding_read_member_list(notice->text, arena, &entry, &count))
        take_member_list(node, entry, count);
}

void forwarding_hear_member_lists(struct forwarding *forwarding)
{
    struct node_message_notice *notice;
    struct arena arena;
    size_t count;
    arena_init(&arena, 0);
    if (node_messages_heard(forwarding->node_messages, &arena, &notice, &count)) {
        for (struct forwarding_node *node = forwarding->nodes; node; node = node->next) node->is_seen = false;
        for (size_t i = 0; i < count; i++) hear_member_list(forwarding, &notice[i], &arena);
        for (struct forwarding_node **place = &forwarding->nodes; *place;) {
            if ((*place)->is_seen) place = &(*place)->next;
            else drop_node(forwarding, place);
        }
    }
    arena_done(&arena);
}
