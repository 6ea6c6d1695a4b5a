/* cli/access/user.c — `pawl user`: people with their roles, groups and passwords. */
#include "access/limits.h"
#include "cli/access/actions.h"
#include "cli/access/credentials.h"
#include "cli/access/prompt.h"
#include "cli/client/listing.h"
#include "cli/output.h"

#include <unistd.h>

/* ---- roles in another tenant ---- */

/* Roles of a user count in `default`. In another tenant they are grants, because a user has one record. */
static bool is_elsewhere(const struct door *door)
{
    str tenant = option_text(door->options, OPTION_TENANT);
    return tenant.n && !str_equal(tenant, STR("default"));
}

static int grant_role(struct door *door, str name, str role, str tenant)
{
    const struct {
        const char *member;
        str text;
    } parts[] = { { "to", arena_printf(door->arena, "user:%.*s", STR_ARG(name)) },
                  { "role", role },
                  { "tenant", tenant } };
    const struct json *grant = json_empty_object();
    for (size_t i = 0; i < COUNT(parts); i++)
        grant =
            json_set(door->arena, grant, str_of(parts[i].member), json_of_string(door->arena, parts[i].text));
    return door_create(door, ACCESS_GRANT, grant);
}

/* The tenant in which a role is granted; empty: it is in the user's record. An admin of no tenant in
 * particular is one of all: users, issuers and tenants are theirs only, and the first admin needs them. */
static str tenant_of_grant(const struct door *door, str role)
{
    str tenant = option_text(door->options, OPTION_TENANT);
    if (is_elsewhere(door)) return tenant;
    return !tenant.n && str_equal(role, STR("admin")) ? STR("*") : STR_NONE;
}

/* Makes the grants of each --role. `ret_id` has room for all of them. */
static int grant_roles(struct door *door, str name, str *ret_id, size_t *ret_count)
{
    const struct option_value *roles = &door->options->value[OPTION_ROLES];
    int code = 0;
    *ret_count = 0;
    for (size_t i = 0; i < roles->list_count && !code; i++) {
        str tenant = tenant_of_grant(door, roles->list[i]);
        if (!tenant.n) continue;
        code = grant_role(door, name, roles->list[i], tenant);
        if (!code) ret_id[(*ret_count)++] = json_text(door_answer(door), STR("id"));
    }
    return code;
}

/* Grants come before the user: with the first user the engine asks for a login, which nobody has yet. They go
 * again if the user cannot be made. */
static int create(struct door *door, str name, const struct json *user)
{
    str *id = arena_make_n(door->arena, str, door->options->value[OPTION_ROLES].list_count + 1);
    size_t count = 0;
    int code = grant_roles(door, name, id, &count);
    if (!code) code = door_create(door, ACCESS_USER, user);
    for (size_t i = 0; code && i < count; i++) door_remove(door, ACCESS_GRANT, id[i], false);
    return code;
}

/* ---- passwords ---- */

static int ask_password(struct door *door, const char *what, bool twice, str *ret_password)
{
    struct error err;
    enum status status = prompt_secret(what, twice, PASSWORD_BYTES_MAX, door->arena, ret_password, &err);
    return status == ST_OK ? 0 : output_fail(&err);
}

/* People who change their own password prove with the old one that it is them. */
static bool is_own(const struct door *door, str name)
{
    struct credentials login;
    if (door->store || str_trim(option_text(door->options, OPTION_TOKEN)).n) return false;
    return credentials_find(door->client.server, door->arena, &login, NULL) == ST_OK &&
           str_equal(login.user, name);
}

/* Without a terminal, the old one is the first line and the new one is the second. */
static int ask_both(struct door *door, str *ret_old, str *ret_new)
{
    int code = ask_password(door, isatty(STDIN_FILENO) ? "old password" : "password", false, ret_old);
    if (code) return code;
    if (isatty(STDIN_FILENO)) return ask_password(door, "new password", true, ret_new);
    size_t line = str_find(*ret_old, STR("\n"), 0);
    *ret_new = line == SIZE_MAX ? STR_NONE : prompt_line(str_slice(*ret_old, line + 1, ret_old->n));
    *ret_old = prompt_line(str_slice(*ret_old, 0, line));
    if (ret_new->n) return 0;
    output_complain("your own password needs the old one and the new one, each on a line");
    return status_exit(ST_INVALID);
}

static int password(struct door *door)
{
    str name = action_argument(door, 0), old = STR_NONE, new = STR_NONE;
    int code =
        is_own(door, name) ? ask_both(door, &old, &new) : ask_password(door, "new password", true, &new);
    if (!code) code = door_password(door, name, old, new);
    prompt_wipe(old);
    prompt_wipe(new);
    return code ? code : action_say(door, "password of %.*s set", STR_ARG(name));
}

/* ---- users ---- */

static const struct json *from_options(const struct door *door, const struct json *object)
{
    object = action_set_text(door, object, "displayName", OPTION_DISPLAY_NAME);
    object = action_set_text(door, object, "email", OPTION_EMAIL);
    object = action_set_list(door, object, "groups", OPTION_USER_GROUPS);
    object = action_set_text(door, object, "state", OPTION_USER_STATE);
    return is_elsewhere(door) ? object : action_set_list(door, object, "roles", OPTION_ROLES);
}

static const char *hint_of(const struct door *door, bool has_password)
{
    bool has_roles = door->options->value[OPTION_ROLES].list_count > 0;
    if (!has_password) return "; without a password nobody can sign in: \"pawl user password\" sets one";
    return has_roles ? "" : "; without a role they may do nothing: see --role";
}

static int add(struct door *door)
{
    str name = action_argument(door, 0), secret = STR_NONE;
    bool has_password = option_on(door->options, OPTION_PASSWORD);
    const struct json *object =
        json_set(door->arena, json_empty_object(), STR("name"), json_of_string(door->arena, name));
    object = from_options(door, object);
    int code = has_password ? ask_password(door, "password", true, &secret) : 0;
    if (!code && has_password)
        object = json_set(door->arena, object, STR("password"), json_of_string(door->arena, secret));
    if (!code) code = create(door, name, object);
    prompt_wipe(secret);
    return code ? code : action_say(door, "user %.*s added%s", STR_ARG(name), hint_of(door, has_password));
}

static int set(struct door *door)
{
    str name = action_argument(door, 0);
    const struct json *object = from_options(door, json_empty_object());
    if (is_elsewhere(door) && door->options->value[OPTION_ROLES].given) {
        output_complain("roles in another tenant than default are grants: see \"pawl help grant\"");
        return status_exit(ST_INVALID);
    }
    if (!json_count(object)) {
        output_complain("user set needs something to set: --role, --group, --name, --email or --state");
        return status_exit(ST_INVALID);
    }
    int code = door_change(door, ACCESS_USER, name, object);
    return code ? code : action_say(door, "user %.*s changed", STR_ARG(name));
}

static int show(struct door *door)
{
    int code = door_get(door, ACCESS_USER, action_argument(door, 0));
    return code ? code : action_show(door);
}

static int remove_one(struct door *door)
{
    str name = action_argument(door, 0);
    int code = door_remove(door, ACCESS_USER, name, false);
    return code ? code : action_say(door, "user %.*s removed", STR_ARG(name));
}

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "name");
    ret_cells[1] = client_text(client, item, "state");
    ret_cells[2] = client_list(client, item, "roles");
    ret_cells[3] = client_list(client, item, "groups");
    ret_cells[4] = client_text(client, item, "displayName");
    ret_cells[5] = client_time(client, item, "lastUsed");
}

static int list(struct door *door)
{
    static const char *const headings[] = { "NAME",   "STATE",        "ROLES IN DEFAULT",
                                            "GROUPS", "DISPLAY NAME", "LAST USED",
                                            NULL };
    static const struct listing listing = { "users", headings, add_cells };
    int code = door_list(door, ACCESS_USER, STR_NONE);
    return code ? code : listing_show(&door->client, &listing);
}

int verb_user(const struct options *options)
{
    static const struct verb_action actions[] = {
        { "add",
          1,
          1,
          "a NAME",
          add,
          { OPTION_ROLES, OPTION_USER_GROUPS, OPTION_DISPLAY_NAME, OPTION_EMAIL, OPTION_PASSWORD,
            OPTION_COUNT } },
        { "list", 0, 0, NULL, list, { OPTION_ROWS, OPTION_QUIET, OPTION_COUNT } },
        { "show", 1, 1, "a NAME", show, { OPTION_COUNT } },
        { "set",
          1,
          1,
          "a NAME",
          set,
          { OPTION_ROLES, OPTION_USER_GROUPS, OPTION_DISPLAY_NAME, OPTION_EMAIL, OPTION_USER_STATE,
            OPTION_COUNT } },
        { "password", 1, 1, "a NAME", password, { OPTION_COUNT } },
        { "remove", 1, 1, "a NAME", remove_one, { OPTION_COUNT } },
    };
    return actions_run(options, actions, COUNT(actions));
}
