/* access/permit/caller_codec.c — a caller as bytes, for a message to another node of the same store.
 *
 * The message proves that a node wrote it (api/forwarding/), so these bytes are believed. The other node
 * judges the caller again with its own table of routes.
 */
#include "access/permit/caller.h"

#include "access/limits.h"
#include "base/buf.h"
#include "base/read.h"

static void add_names(struct buf *out, const str *name, size_t count)
{
    buf_add_varint(out, count);
    for (size_t i = 0; i < count; i++) buf_add_text(out, name[i]);
}

static void add_grant(struct buf *out, const struct grant *grant)
{
    buf_add_varint(out, grant->role);
    buf_add_varint(out, (uint32_t)grant->tenant);
    buf_add_text(out, grant->source);
    buf_add_varint(out, grant->scope_count);
    for (size_t i = 0; i < grant->scope_count; i++) {
        buf_add_varint(out, grant->scope[i].permission);
        buf_add_text(out, grant->scope[i].pattern);
    }
}

void caller_encode(const struct caller *caller, struct buf *out)
{
    const struct principal *principal = caller->principal;
    buf_add_varint(out, principal->kind);
    buf_add_text(out, principal->name);
    buf_add_text(out, principal->id);
    buf_add_varint(out, (uint32_t)principal->home);
    buf_add_varint(out, principal->acts_for | principal->is_everybody << 1);
    buf_add_varint(out, (uint64_t)principal->expires_ms);
    buf_add_text(out, principal->claims);
    buf_add_text(out, principal->through);
    add_names(out, principal->group, principal->group_count);
    buf_add_varint(out, principal->grant_count);
    for (size_t i = 0; i < principal->grant_count; i++) add_grant(out, &principal->grant[i]);
    buf_add_varint(out, (uint32_t)caller->tenant);
    buf_add_text(out, caller->for_whom);
    add_names(out, caller->for_group, caller->for_group_count);
    buf_add_text(out, caller->address);
    buf_add_text(out, caller->request_id);
}

static size_t read_count(struct reader *text)
{
    uint64_t count = read_varint(text);
    if (count > CODEC_LISTS_MAX) text->bad = true;
    return text->bad ? 0 : (size_t)count;
}

static const str *read_names(struct reader *text, struct arena *arena, size_t *ret_count)
{
    *ret_count = read_count(text);
    str *name = arena_make_n(arena, str, *ret_count);
    for (size_t i = 0; i < *ret_count; i++) name[i] = arena_str(arena, read_text(text));
    return name;
}

static void read_grant(struct reader *text, struct arena *arena, struct grant *ret_grant)
{
    uint64_t role = read_varint(text);
    if (role >= ROLE_COUNT) text->bad = true;
    ret_grant->role = text->bad ? ROLE_VIEWER : (enum role)role;
    ret_grant->tenant = (int32_t)read_varint32(text);
    ret_grant->source = arena_str(arena, read_text(text));
    ret_grant->scope_count = read_count(text);
    struct access_scope *scope = arena_make_n(arena, struct access_scope, ret_grant->scope_count);
    for (size_t i = 0; i < ret_grant->scope_count; i++) {
        uint64_t permission = read_varint(text);
        if (permission >= PERMISSION_COUNT) text->bad = true;
        scope[i].permission = text->bad ? MAY_NONE : (enum permission)permission;
        scope[i].pattern = arena_str(arena, read_text(text));
    }
    ret_grant->scope = scope;
}

static void read_principal(struct reader *text, struct principal *principal)
{
    struct arena *arena = &principal->arena_;
    uint64_t kind = read_varint(text);
    if (kind >= PRINCIPAL_KIND_COUNT) text->bad = true;
    principal->kind = text->bad ? PRINCIPAL_NOBODY : (enum principal_kind)kind;
    principal->name = arena_str(arena, read_text(text));
    principal->id = arena_str(arena, read_text(text));
    principal->home = (int32_t)read_varint32(text);
    uint64_t flags = read_varint(text);
    principal->acts_for = flags & 1;
    principal->is_everybody = flags & 2;
    principal->expires_ms = (int64_t)read_varint(text);
    principal->claims = arena_str(arena, read_text(text));
    principal->through = arena_str(arena, read_text(text));
    principal->group = read_names(text, arena, &principal->group_count);
    principal->grant_count = read_count(text);
    struct grant *grant = arena_make_n(arena, struct grant, principal->grant_count);
    for (size_t i = 0; i < principal->grant_count; i++) read_grant(text, arena, &grant[i]);
    principal->grant = grant;
}

bool caller_decode(struct reader *text, struct caller *ret_caller)
{
    struct principal *principal = principal_new(PRINCIPAL_NOBODY);
    struct arena *arena = &principal->arena_;
    *ret_caller = (struct caller){ .principal = principal, .way = WAY_NODE };
    read_principal(text, principal);
    ret_caller->tenant = (int32_t)read_varint32(text);
    ret_caller->for_whom = arena_str(arena, read_text(text));
    ret_caller->for_group = read_names(text, arena, &ret_caller->for_group_count);
    ret_caller->address = arena_str(arena, read_text(text));
    ret_caller->request_id = arena_str(arena, read_text(text));
    if (ret_caller->tenant <= 0) text->bad = true;
    if (!text->bad) return true;
    principal_unref(principal);
    ret_caller->principal = NULL;
    return false;
}
