/* api/access/person.c — the person that a request acts as.
 *
 * X-Actor, X-Groups, `by`, `author`, `completedBy` and `groups` are claims of a client. They count if the
 * principal may act for others (a portal's key), or if they name the principal itself. Groups come from the
 * principal, or from the record of the user that it acts for. An engine on loopback that asks nobody for a
 * credential believes all of them.
 */
#include "api/access/person_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/runtime.h"

static bool is_believed(const struct caller *caller)
{
    return !caller || !caller->principal || caller->principal->is_everybody;
}

/* ---- the name ---- */

enum status person_take(struct caller *caller, str said, struct error *err)
{
    if (is_believed(caller) || !said.n || str_equal(said, caller->principal->name)) return ST_OK;
    if (!caller->principal->acts_for)
        return fail(err, ST_FORBIDDEN, "X-Actor",
                    "\"%.*s\" cannot act as \"%.*s\": only keys with actsFor act for others",
                    STR_ARG(caller->principal->name), STR_ARG(said));
    caller->for_whom = said;
    return ST_OK;
}

str person_name(const struct caller *caller, str said)
{
    if (said.n || is_believed(caller)) return said;
    if (caller->for_whom.n) return caller->for_whom;
    return caller->principal->kind == PRINCIPAL_NOBODY ? STR_NONE : caller->principal->name;
}

bool person_is_another(const struct caller *caller)
{
    return !is_believed(caller) && caller->for_whom.n && !caller->for_group;
}

/* ---- the groups ---- */

static const struct json *join(struct arena *arena, const struct json *list, str names)
{
    struct json_builder joined;
    json_builder_init(&joined, arena);
    json_open_array(&joined);
    struct json_each each = json_each(list);
    while (list && json_next(&each)) json_add(&joined, each.value);
    while (names.n) {
        size_t end = str_find(names, STR(","), 0);
        str name = str_trim(str_slice(names, 0, end));
        if (name.n) json_add_string(&joined, name);
        names = end == SIZE_MAX ? STR_NONE : str_slice(names, end + 1, names.n);
    }
    json_close(&joined);
    return json_built(&joined);
}

static const struct json *list_of(struct arena *arena, const str *group, size_t count)
{
    struct json_builder list;
    json_builder_init(&list, arena);
    json_open_array(&list);
    for (size_t i = 0; i < count; i++) json_add_string(&list, group[i]);
    json_close(&list);
    return json_built(&list);
}

enum status person_take_groups(const struct caller *caller, str said, struct arena *arena,
                               const struct json **groups, struct error *err)
{
    if (is_believed(caller)) {
        if (said.n) *groups = join(arena, *groups, said);
        return ST_OK;
    }
    const struct json *named = join(arena, *groups, said);
    const struct principal *principal = caller->principal;
    struct json_each each = json_each(named);
    while (!caller->for_whom.n && json_next(&each))
        if (!principal_is_in(principal, json_string(each.value)))
            return fail(
                err, ST_FORBIDDEN, "groups",
                "\"%.*s\" is not in the group \"%.*s\"; groups come from the user, not from the request",
                STR_ARG(principal->name), STR_ARG(json_string(each.value)));
    *groups = list_of(arena, principal->group, caller->for_whom.n ? 0 : principal->group_count);
    return ST_OK;
}

/* ---- the groups of somebody else ---- */

/* In memory of its own; the call waits meanwhile. */
struct person_search {
    struct arena arena;
    struct api *api;
    struct call *call;
    const struct json **groups;
};

static void submit_found(struct call *found)
{
    struct person_search *search = found->user;
    struct call *call = search->call;
    struct principal *person = found->status == ST_OK ? found->value.resolve.principal : NULL;
    enum status status = found->status;
    if (person) *search->groups = list_of(call->arena, person->group, person->group_count);
    principal_unref(person);
    if (status == ST_OK) status = runtime_submit(search->api->config.client, call);
    struct arena arena = search->arena;
    arena_done(&arena);
    if (status == ST_OK) return;
    call->status = fail(&call->error, status, "", "%s", status_meaning(status));
    call->done(call);
}

enum status person_find_groups(struct api *api, struct call *call, const struct json **groups)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct person_search *search = arena_make(&arena, struct person_search);
    *search = (struct person_search){ .api = api, .call = call, .groups = groups };
    const struct call_resolve asked = {
        .kind = CREDENTIAL_NAME, .id = arena_printf(&arena, "user:%.*s", STR_ARG(call->caller->for_whom))
    };
    search->arena = arena;
    struct call *find = call_resolve((struct call_origin){ &search->arena, submit_found, search }, &asked);
    enum status status = runtime_submit(api->config.client, find);
    if (status == ST_OK) return ST_OK;
    arena = search->arena;
    arena_done(&arena);
    return status;
}
