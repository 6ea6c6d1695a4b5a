/* api/forwarding/member_list.c — which members a node has, as it tells the others. */
#include "api/forwarding/forwarding_int.h"

/* The first form has no tenants: the members of such a node are of `default`. */
enum { MEMBER_LIST_WITHOUT_TENANTS = 1, MEMBER_LIST_FORM };

static void write_member(struct buf *out, const struct compute_member_view *view)
{
    buf_add(out, view->id.byte, sizeof view->id.byte);
    buf_add_varint(out, (uint64_t)view->tenant);
    buf_add_varint(out, (uint64_t)view->joined_ms);
    buf_add_varint(out, view->under_way);
    buf_add_varint(out, (uint64_t)view->oldest_ms);
    buf_add_varint(out, view->answered);
    buf_add_varint(out, view->tag_count);
    for (size_t i = 0; i < view->tag_count; i++) buf_add_text(out, view->tag[i]);
}

void forwarding_write_member_list(const struct forwarding *forwarding, struct buf *out)
{
    struct arena arena;
    struct compute_member_view *view = NULL;
    arena_init(&arena, 0);
    size_t count = forwarding->compute ? compute_members(forwarding->compute, &arena, &view) : 0, own = 0;
    for (size_t i = 0; i < count; i++) own += !view[i].node;
    buf_add_char(out, MEMBER_LIST_FORM);
    buf_add_varint(out, own);
    for (size_t i = 0; i < count; i++)
        if (!view[i].node) write_member(out, &view[i]);
    arena_done(&arena);
}

static void read_member(struct reader *text, bool has_tenant, struct arena *arena,
                        struct forwarding_entry *ret_entry)
{
    str id = read_bytes(text, UUID_BYTES);
    if (id.n == UUID_BYTES) memcpy(ret_entry->id.byte, id.p, UUID_BYTES);
    ret_entry->tenant = has_tenant ? (int32_t)read_varint(text) : TENANT_DEFAULT;
    ret_entry->joined_ms = (int64_t)read_varint(text);
    ret_entry->load.under_way = read_varint(text);
    ret_entry->load.oldest_ms = (int64_t)read_varint(text);
    ret_entry->load.answered = read_varint(text);
    ret_entry->tag_count = read_varint(text);
    if (ret_entry->tag_count > COMPUTE_TAGS_MAX) text->bad = true;
    if (text->bad) return;
    ret_entry->tag = arena_make_n(arena, str, ret_entry->tag_count);
    for (size_t i = 0; i < ret_entry->tag_count; i++) ret_entry->tag[i] = read_text(text);
}

bool forwarding_read_member_list(str text, struct arena *arena, struct forwarding_entry **ret_entry,
                                 size_t *ret_count)
{
    struct reader reader = { text.p, text.p + text.n, false };
    str form = read_bytes(&reader, 1);
    uint64_t count = read_varint(&reader);
    if (reader.bad || form.p[0] < MEMBER_LIST_WITHOUT_TENANTS || form.p[0] > MEMBER_LIST_FORM ||
        count > COMPUTE_MEMBERS_MAX)
        return false;
    struct forwarding_entry *entry = arena_make_n(arena, struct forwarding_entry, count);
    for (uint64_t i = 0; i < count && !reader.bad; i++)
        read_member(&reader, form.p[0] == MEMBER_LIST_FORM, arena, &entry[i]);
    *ret_entry = entry;
    *ret_count = count;
    return !reader.bad && reader.p == reader.end;
}

struct forwarding_node *forwarding_find_node(const struct forwarding *forwarding, int64_t id)
{
    struct forwarding_node *node = forwarding->nodes;
    while (node && node->id != id) node = node->next;
    return node;
}
