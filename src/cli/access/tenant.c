/* cli/access/tenant.c — `pawl tenant`: namespaces with definitions and instances of their own. */
#include "access/limits.h"
#include "cli/access/actions.h"
#include "cli/access/prompt.h"
#include "cli/client/listing.h"
#include "cli/output.h"

#include <stdio.h>
#include <unistd.h>

static enum status set_quota(struct door *door, str text, const struct json **quotas, struct error *err)
{
    size_t equals = str_find(text, STR("="), 0);
    int64_t number;
    if (equals == SIZE_MAX || !equals || !str_to_int64(str_slice(text, equals + 1, text.n), &number) ||
        number < 0)
        return fail(err, ST_INVALID, "--quota", "--quota: \"%.*s\" is not NAME=N", STR_ARG(text));
    *quotas = json_set(door->arena, *quotas, str_slice(text, 0, equals), json_of_int(door->arena, number));
    return ST_OK;
}

static enum status from_options(struct door *door, const struct json *quotas, const struct json **object,
                                struct error *err)
{
    const struct option_value *given = &door->options->value[OPTION_QUOTAS];
    *object = action_set_text(door, *object, "label", OPTION_LABEL);
    *object = action_set_text(door, *object, "state", OPTION_TENANT_STATE);
    for (size_t i = 0; i < given->list_count; i++) TRY(set_quota(door, given->list[i], &quotas, err));
    if (given->list_count) *object = json_set(door->arena, *object, STR("quotas"), quotas);
    return ST_OK;
}

static int add(struct door *door)
{
    str name = action_argument(door, 0);
    struct error err;
    const struct json *object =
        json_set(door->arena, json_empty_object(), STR("name"), json_of_string(door->arena, name));
    if (from_options(door, json_empty_object(), &object, &err) != ST_OK) return output_fail(&err);
    int code = door_create(door, ACCESS_TENANT, object);
    return code ? code : action_say(door, "tenant %.*s added", STR_ARG(name));
}

/* A quota that is not named stays as it is. */
static int set(struct door *door)
{
    str name = action_argument(door, 0);
    const struct json *object = json_empty_object(), *quotas = json_empty_object();
    struct error err;
    int code = door_get(door, ACCESS_TENANT, name);
    if (code) return code;
    if (json_is(json_get(door_answer(door), STR("quotas")), JSON_OBJECT))
        quotas = json_get(door_answer(door), STR("quotas"));
    if (from_options(door, quotas, &object, &err) != ST_OK) return output_fail(&err);
    if (!json_count(object)) {
        output_complain("tenant set needs something to set: --label, --state or --quota");
        return status_exit(ST_INVALID);
    }
    code = door_change(door, ACCESS_TENANT, name, object);
    return code ? code : action_say(door, "tenant %.*s changed", STR_ARG(name));
}

static int show(struct door *door)
{
    int code = door_get(door, ACCESS_TENANT, action_argument(door, 0));
    return code ? code : action_show(door);
}

/* The name once more: given, or typed at the terminal. */
static bool is_confirmed(struct door *door, str name)
{
    char line[ACCESS_NAME_BYTES_MAX + 2];
    str given = option_text(door->options, OPTION_CONFIRM);
    if (given.n || !isatty(STDIN_FILENO)) return str_equal(given, name);
    fprintf(stderr,
            "This removes the tenant with all definitions, instances and histories in it.\nIts name: ");
    return fgets(line, sizeof line, stdin) && str_equal(prompt_line(str_of(line)), name);
}

static int remove_one(struct door *door)
{
    str name = action_argument(door, 0);
    bool everything = option_on(door->options, OPTION_WITH_EVERYTHING);
    if (everything && !is_confirmed(door, name)) {
        output_complain("this removes the tenant with all definitions, instances and histories in it; to do "
                        "it, add --confirm %.*s",
                        STR_ARG(name));
        return status_exit(ST_INVALID);
    }
    int code = door_remove(door, ACCESS_TENANT, name, everything);
    if (code) return code;
    return action_say(
        door, everything ? "tenant %.*s is being removed with everything in it" : "tenant %.*s removed",
        STR_ARG(name));
}

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "name");
    ret_cells[1] = client_text(client, item, "state");
    ret_cells[2] = client_text(client, item, "label");
    ret_cells[3] = client_text(client, item, "quotas");
    ret_cells[4] = client_text(client, item, "usage");
}

static int list(struct door *door)
{
    static const char *const headings[] = { "NAME", "STATE", "LABEL", "QUOTAS", "USAGE", NULL };
    static const struct listing listing = { "tenants", headings, add_cells };
    int code = door_list(door, ACCESS_TENANT, STR_NONE);
    return code ? code : listing_show(&door->client, &listing);
}

int verb_tenant(const struct options *options)
{
    static const struct verb_action actions[] = {
        { "add", 1, 1, "a NAME", add, { OPTION_LABEL, OPTION_QUOTAS, OPTION_COUNT } },
        { "list", 0, 0, NULL, list, { OPTION_ROWS, OPTION_QUIET, OPTION_COUNT } },
        { "show", 1, 1, "a NAME", show, { OPTION_COUNT } },
        { "set", 1, 1, "a NAME", set, { OPTION_LABEL, OPTION_TENANT_STATE, OPTION_QUOTAS, OPTION_COUNT } },
        { "remove", 1, 1, "a NAME", remove_one, { OPTION_WITH_EVERYTHING, OPTION_CONFIRM, OPTION_COUNT } },
    };
    return actions_run(options, actions, COUNT(actions));
}
