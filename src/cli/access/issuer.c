/* cli/access/issuer.c — `pawl issuer`: providers whose tokens and logins count. */
#include "cli/access/actions.h"
#include "cli/client/listing.h"
#include "cli/output.h"

#define ISSUER_OPTIONS                                                                                     \
    OPTION_LABEL, OPTION_ISSUER_URL, OPTION_CLIENT_ID, OPTION_CLIENT_SECRET, OPTION_AUDIENCE,              \
        OPTION_JWKS_FILE, OPTION_USER_CLAIM, OPTION_TENANT_CLAIM, OPTION_GROUPS_CLAIM, OPTION_ROLES_CLAIM, \
        OPTION_REQUIRE_GROUP, OPTION_ROLE_NAMES

static const struct {
    enum option option;
    const char *member;
} members[] = {
    { OPTION_LABEL, "label" },
    { OPTION_ISSUER_URL, "issuer" },
    { OPTION_CLIENT_ID, "clientId" },
    { OPTION_CLIENT_SECRET, "clientSecretRef" },
    { OPTION_AUDIENCE, "audience" },
    { OPTION_JWKS_FILE, "jwksFile" },
    { OPTION_USER_CLAIM, "userClaim" },
    { OPTION_TENANT_CLAIM, "tenantClaim" },
    { OPTION_GROUPS_CLAIM, "groupsClaim" },
    { OPTION_ROLES_CLAIM, "rolesClaim" },
    { OPTION_REQUIRE_GROUP, "requireGroup" },
};

/* admin=pawl-admins twice, with two names, gives the role to both. */
static enum status add_role_name(struct door *door, str text, const struct json **roles, struct error *err)
{
    size_t equals = str_find(text, STR("="), 0);
    struct json_builder names;
    if (equals == SIZE_MAX || !equals || equals + 1 == text.n)
        return fail(err, ST_INVALID, "--map", "--map: \"%.*s\" is not ROLE=NAME", STR_ARG(text));
    str role = str_slice(text, 0, equals), name = str_slice(text, equals + 1, text.n);
    json_builder_init(&names, door->arena);
    json_open_array(&names);
    struct json_each each = json_each(json_get(*roles, role));
    while (json_next(&each)) json_add(&names, each.value);
    json_add_string(&names, name);
    json_close(&names);
    *roles = json_set(door->arena, *roles, role, json_built(&names));
    return ST_OK;
}

static enum status set_role_names(struct door *door, const struct json **object, struct error *err)
{
    const struct option_value *given = &door->options->value[OPTION_ROLE_NAMES];
    const struct json *roles = json_empty_object();
    for (size_t i = 0; i < given->list_count; i++) TRY(add_role_name(door, given->list[i], &roles, err));
    if (given->list_count) *object = json_set(door->arena, *object, STR("roles"), roles);
    return ST_OK;
}

static int add(struct door *door)
{
    str name = action_argument(door, 0);
    struct error err;
    const struct json *object =
        json_set(door->arena, json_empty_object(), STR("name"), json_of_string(door->arena, name));
    for (size_t i = 0; i < COUNT(members); i++)
        object = action_set_text(door, object, members[i].member, members[i].option);
    if (str_equal(option_text(door->options, OPTION_AUDIENCE), STR("any")))
        object = json_set(door->arena, object, STR("audience"), json_null());
    if (set_role_names(door, &object, &err) != ST_OK) return output_fail(&err);
    int code = door_create(door, ACCESS_ISSUER, object);
    return code ? code : action_say(door, "issuer %.*s added", STR_ARG(name));
}

/* Only a running engine asks providers. */
static int test(struct door *door)
{
    str name = action_argument(door, 0);
    if (door->store) {
        output_complain("a running engine asks the provider: leave --store away");
        return status_exit(ST_INVALID);
    }
    int code =
        client_post(&door->client, client_path(&door->client, "/api/issuers/{}/test", &name), STR_NONE, 0);
    return code ? code : action_show(door);
}

static int remove_one(struct door *door)
{
    str name = action_argument(door, 0);
    int code = door_remove(door, ACCESS_ISSUER, name, false);
    return code ? code : action_say(door, "issuer %.*s removed", STR_ARG(name));
}

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "name");
    ret_cells[1] = client_text(client, item, "issuer");
    ret_cells[2] = client_text(client, item, "audience");
    ret_cells[3] = client_text(client, item, "clientId");
}

static int list(struct door *door)
{
    static const char *const headings[] = { "NAME", "ISSUER", "AUDIENCE", "CLIENT", NULL };
    static const struct listing listing = { "issuers", headings, add_cells };
    int code = door_list(door, ACCESS_ISSUER, STR_NONE);
    return code ? code : listing_show(&door->client, &listing);
}

int verb_issuer(const struct options *options)
{
    static const struct verb_action actions[] = {
        { "add", 1, 1, "a NAME", add, { ISSUER_OPTIONS, OPTION_COUNT } },
        { "list", 0, 0, NULL, list, { OPTION_ROWS, OPTION_QUIET, OPTION_COUNT } },
        { "test", 1, 1, "a NAME", test, { OPTION_COUNT } },
        { "remove", 1, 1, "a NAME", remove_one, { OPTION_COUNT } },
    };
    return actions_run(options, actions, COUNT(actions));
}
