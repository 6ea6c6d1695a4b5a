/* cli/access/grant.c — `pawl grant`: roles in tenants, for users, groups and keys. */
#include "cli/access/actions.h"
#include "cli/client/listing.h"
#include "cli/output.h"

static int add(struct door *door)
{
    const struct option_value *scopes = &door->options->value[OPTION_SCOPES];
    str who = action_argument(door, 0), role = action_argument(door, 1);
    const struct json *object =
        json_set(door->arena, json_empty_object(), STR("to"), json_of_string(door->arena, who));
    object = json_set(door->arena, object, STR("role"), json_of_string(door->arena, role));
    object = action_set_text(door, object, "tenant", OPTION_TENANT);
    if (scopes->list_count > 1) {
        output_complain("a grant has one --scope; make a grant for each");
        return status_exit(ST_INVALID);
    }
    object = action_set_text(door, object, "scope", OPTION_SCOPES);
    int code = door_create(door, ACCESS_GRANT, object);
    if (code) return code;
    str id = client_text(&door->client, door_answer(door), "id");
    str tenant = client_text(&door->client, door_answer(door), "tenant");
    return action_say(door, "grant %.*s added: %.*s is %.*s in %.*s", STR_ARG(id), STR_ARG(who),
                      STR_ARG(role), STR_ARG(tenant));
}

static int remove_one(struct door *door)
{
    str id = action_argument(door, 0);
    int code = door_remove(door, ACCESS_GRANT, id, false);
    return code ? code : action_say(door, "grant %.*s removed", STR_ARG(id));
}

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "id");
    ret_cells[1] = client_text(client, item, "to");
    ret_cells[2] = client_text(client, item, "role");
    ret_cells[3] = client_text(client, item, "tenant");
    ret_cells[4] = client_text(client, item, "scope");
}

static int list(struct door *door)
{
    static const char *const headings[] = { "ID", "TO", "ROLE", "TENANT", "SCOPE", NULL };
    static const struct listing listing = { "grants", headings, add_cells };
    int code = door_list(door, ACCESS_GRANT, action_argument(door, 0));
    return code ? code : listing_show(&door->client, &listing);
}

int verb_grant(const struct options *options)
{
    static const struct verb_action actions[] = {
        { "add",
          2,
          2,
          "WHO (user:NAME, group:NAME, key:ID) and a ROLE",
          add,
          { OPTION_SCOPES, OPTION_COUNT } },
        { "list", 0, 1, NULL, list, { OPTION_ROWS, OPTION_QUIET, OPTION_COUNT } },
        { "remove", 1, 1, "the ID of a grant", remove_one, { OPTION_COUNT } },
    };
    return actions_run(options, actions, COUNT(actions));
}
