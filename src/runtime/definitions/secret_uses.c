/* runtime/definitions/secret_uses.c — a definition is published by somebody who may use its secrets.
 *
 * A definition can read every secret that it names, and send it anywhere. So the permission `secrets:use` is
 * asked for each name. A document that computes the name of a connection can use all of them. The audit's row
 * of the publication has the names.
 */
#include "runtime/definitions/definitions_int.h"

#include "dialect/secrets.h"
#include "json/put.h"

static enum status refuse(const struct caller *caller, const struct secret_use *use, struct error *err)
{
    struct buf place;
    buf_init(&place, NULL);
    put_text(&place, use->place);
    enum status status =
        principal_refuse(caller->principal, MAY_SECRETS_USE, use->name.n ? use->name : STR("*"), err);
    fail_detail(err, "place", buf_str(&place));
    buf_done(&place);
    return status;
}

enum status secret_uses_check(struct call *call, struct error *err)
{
    struct call_deploy *asked = &call->as.deploy;
    const struct caller *caller = call->caller;
    struct secret_use *use;
    size_t count = dialect_secrets(call->program_, call->document_, call->arena, &use);
    asked->secret_use = use;
    asked->secret_use_count = count;
    if (!caller || principal_may_all(caller->principal, caller->tenant, MAY_SECRETS_USE)) return ST_OK;
    for (size_t i = 0; i < count; i++)
        if (!use[i].name.n || !principal_may(caller->principal, caller->tenant, MAY_SECRETS_USE, use[i].name))
            return refuse(caller, &use[i], err);
    return ST_OK;
}
