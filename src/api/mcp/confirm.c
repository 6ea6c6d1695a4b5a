/* api/mcp/confirm.c — tools that change much are called twice: once to look, once to confirm.
 *
 * The word stands for the tool, its arguments, the tenant and all that must not change in between. It is no
 * secret and no right: a call with it needs the same permissions. Any node can check it, also after a
 * restart.
 */
#include "api/mcp/mcp_int.h"

#include "base/hash.h"

static str word_of(struct mcp_work *work, const struct json *summary)
{
    struct buf text;
    buf_init(&text, work->arena);
    buf_add_text(&text, str_of(work->tool->name));
    buf_add_varint(&text, (uint64_t)work->message.request->caller.tenant);
    json_print_canonical(json_without(work->arena, work->arguments, STR("confirm")), &text);
    json_print_canonical(summary, &text);
    return arena_printf(work->arena, "%016llx", (unsigned long long)hash_bytes(buf_str(&text)));
}

static const struct json *outcome(struct mcp_work *work, bool dry_run, str word, const struct json *answer)
{
    struct json_builder result;
    json_builder_init(&result, work->arena);
    json_open_object(&result);
    json_add_name(&result, STR("dryRun"));
    json_add_bool(&result, dry_run);
    if (word.n) json_add_text(&result, STR("confirm"), word);
    json_add_name(&result, STR("result"));
    json_add(&result, answer ? answer : json_empty_object());
    json_close(&result);
    return json_built(&result);
}

void mcp_confirm(struct mcp_work *work, const struct json *summary, bool *ret_go)
{
    str word = word_of(work, summary), given = mcp_text(work, "confirm");
    *ret_go = given.n && str_equal(word, given);
    if (*ret_go) return;
    if (!given.n) mcp_finish(work, outcome(work, true, word, work->answer));
    else
        mcp_fail_tool(work,
                      STR("nothing was done: confirm does not fit. What the call would do has changed since "
                          "the dry run, or its arguments have. Call it again without confirm and look"),
                      outcome(work, true, STR_NONE, work->answer));
}

const struct json *mcp_done(struct mcp_work *work, const struct json *answer)
{
    return outcome(work, false, STR_NONE, answer);
}
