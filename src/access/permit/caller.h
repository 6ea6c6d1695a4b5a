/* access/permit/caller.h — on whose behalf a call runs: principal, tenant, and the way in.
 *
 * The gate makes one for each request (api/gate.c), each call carries it (runtime/call/call.h), and a message
 * to another node takes it along. A call without a caller is the engine's own.
 */
#ifndef ACCESS_CALLER_H
#define ACCESS_CALLER_H

#include "access/permit/principal.h"

/* Stored as numbers in blocks of the audit: ways are added at the end. */
/* clang-format off */
#define WAY_IN_MAP(XX) XX(REST, "rest") XX(GRPC, "grpc") XX(UI, "ui") XX(CLI, "cli") XX(SCHEDULE, "schedule") XX(MCP, "mcp") XX(HOOK, "hook") XX(NODE, "node")
/* clang-format on */
enum way_in {
#define XX(NAME, word) WAY_##NAME,
    WAY_IN_MAP(XX)
#undef XX
        WAY_COUNT
};
const char *way_in_word(enum way_in way);
bool way_in_find(str word, enum way_in *ret_way);

struct caller {
    struct principal *principal; /* Counted by whoever made the caller. */
    int32_t tenant;
    enum permission needs; /* The permission of the route, which the gate has found. */
    bool may_all;          /* The principal has it for every object of the tenant: no object is asked for. */
    enum way_in way;
    str for_whom;         /* The person it acts for; empty: itself. */
    const str *for_group; /* The groups of that person. */
    size_t for_group_count;
    str address;    /* The client's, without its port. */
    str request_id; /* X-Request-Id; empty: the client sent none. */
    str tool;       /* The tool that an agent has called; empty: none. Other nodes are not told. */
};

/* The person that history and tasks name: for_whom, or the principal. Empty: nobody is known. */
str caller_person(const struct caller *caller);
/* Is that person in the group? */
bool caller_is_in(const struct caller *caller, str group);
/* ST_OK, ST_FORBIDDEN: the object of the caller's own permission. A caller that is NULL may everything. */
enum status caller_check(const struct caller *caller, str object, struct error *err);
enum status caller_check_for(const struct caller *caller, enum permission permission, str object,
                             struct error *err);

/* A caller as bytes, for another node (caller_codec.c). Decoding makes a principal that the taker drops.
 * False: the bytes are none. */
struct buf;
struct reader;
void caller_encode(const struct caller *caller, struct buf *out);
bool caller_decode(struct reader *text, struct caller *ret_caller);

#endif
