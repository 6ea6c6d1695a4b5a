/* api/mcp/approve.c — a definition that agents find in every tenant: people approve something, or not.
 *
 * It is published when an agent of the tenant first asks, by the engine itself, if there is no definition of
 * this name. From then on it is a definition like any other: people may change it, or retire it.
 */
#include "api/mcp/mcp_int.h"

/* Global and hidden for the reason that openapi.c gives. */
__asm__(".section .rodata\n"
        ".global api_approve_begin, api_approve_end\n"
        ".hidden api_approve_begin\n"
        ".hidden api_approve_end\n"
        "api_approve_begin:\n"
        ".incbin \"src/api/mcp/approve.json\"\n"
        "api_approve_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char api_approve_begin[] __attribute__((visibility("hidden")));
extern const char api_approve_end[] __attribute__((visibility("hidden")));

struct approving {
    struct mcp_work *work;
    mcp_go_fn *go;
    struct call_origin origin;
};

static void go_on(const struct approving *approving)
{
    struct mcp_work *work = approving->work;
    struct error err;
    error_init(&err);
    if (approving->go(work, &err) != ST_OK) mcp_fail_with(work, &err);
}

static void note(const struct approving *approving)
{
    struct mcp_work *work = approving->work;
    map_put(&work->api->approvals, (uint64_t)work->message.request->caller.tenant, work->api);
}

static void published(struct call *call)
{
    const struct approving *approving = call->user;
    if (call->status == ST_OK) note(approving);
    go_on(approving);
}

static enum status submit(struct approving *approving, struct call *call)
{
    struct mcp_work *work = approving->work;
    call_for_tenant(call, work->message.request->caller.tenant);
    return runtime_submit(work->api->config.client, call);
}

static void found(struct call *call)
{
    struct approving *approving = call->user;
    const struct call_deploy asked = {
        .text = { api_approve_begin, (size_t)(api_approve_end - api_approve_begin) }, .format = SOURCE_JSON
    };
    if (call->status == ST_OK) note(approving);
    approving->origin.done = published;
    if (call->status == ST_NOT_FOUND && submit(approving, call_deploy(approving->origin, &asked)) == ST_OK)
        return;
    go_on(approving);
}

enum status mcp_with_approve(struct mcp_work *work, mcp_go_fn *go, struct error *err)
{
    const struct call_definition asked = { .id = STR("approve") };
    struct approving *approving = arena_make(work->arena, struct approving);
    *approving = (struct approving){ .work = work, .go = go, .origin = { work->arena, found, approving } };
    if (work->message.request->is_suspended) return go(work, err); /* It can only be read. */
    if (map_get(&work->api->approvals, (uint64_t)work->message.request->caller.tenant)) return go(work, err);
    return submit(approving, call_get_definition(approving->origin, &asked)) == ST_OK ? ST_OK : go(work, err);
}
