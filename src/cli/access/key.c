/* cli/access/key.c — `pawl key`: keys of programs. A new key is printed once, and nowhere else. */
#include "base/datetime.h"
#include "cli/access/actions.h"
#include "cli/access/prompt.h"
#include "cli/client/listing.h"
#include "cli/output.h"

/* The key alone goes to standard output, so that a script can take it. */
static int print_key(struct door *door, const char *what)
{
    const struct json *answer = door_answer(door);
    str key = json_text(answer, STR("key")), id = client_text(&door->client, answer, "id");
    int code;
    if (option_on(door->options, OPTION_JSON)) code = client_print_json(&door->client);
    else {
        str line = arena_printf(door->arena, "%.*s\n", STR_ARG(key));
        code = output_write(line);
        prompt_wipe(line);
        output_complain("key %.*s %s; it is shown this once", STR_ARG(id), what);
    }
    prompt_wipe(key);
    prompt_wipe(door->client.text);
    return code;
}

static enum status set_expiry(const struct door *door, const struct json **object, struct error *err)
{
    str text = option_text(door->options, OPTION_EXPIRES);
    char time[DATETIME_CHARS + 1];
    int64_t ms;
    if (!text.n) return ST_OK;
    TRY(action_time(text, 1, "--expires", &ms, err));
    datetime_print(ms, time);
    *object = json_set(door->arena, *object, STR("expiresAt"), json_of_string(door->arena, str_of(time)));
    return ST_OK;
}

static int add(struct door *door)
{
    struct error err;
    const struct json *object = json_set(door->arena, json_empty_object(), STR("name"),
                                         json_of_string(door->arena, action_argument(door, 0)));
    object = action_set_list(door, object, "roles", OPTION_ROLES);
    object = action_set_list(door, object, "scopes", OPTION_SCOPES);
    object = action_set_text(door, object, "note", OPTION_NOTE);
    if (option_on(door->options, OPTION_ACTS_FOR))
        object = json_set(door->arena, object, STR("actsFor"), json_of_bool(true));
    if (!door->options->value[OPTION_ROLES].list_count) {
        output_complain("a key without a role may do nothing: give it one with --role");
        return status_exit(ST_INVALID);
    }
    if (set_expiry(door, &object, &err) != ST_OK) return output_fail(&err);
    int code = door_create(door, ACCESS_KEY, object);
    return code ? code : print_key(door, "made");
}

static int rotate(struct door *door)
{
    int code = door_rotate(door, action_argument(door, 0));
    return code ? code : print_key(door, "has a new secret, and the old one counts for 24 hours");
}

static int revoke(struct door *door)
{
    str id = action_argument(door, 0);
    const struct json *object =
        json_set(door->arena, json_empty_object(), STR("state"), json_of_string(door->arena, STR("revoked")));
    int code = door_change(door, ACCESS_KEY, id, object);
    return code ? code : action_say(door, "key %.*s revoked", STR_ARG(id));
}

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "id");
    ret_cells[1] = client_text(client, item, "name");
    ret_cells[2] = client_text(client, item, "tenant");
    ret_cells[3] = client_text(client, item, "state");
    ret_cells[4] = client_list(client, item, "roles");
    ret_cells[5] = client_list(client, item, "scopes");
    ret_cells[6] = client_time(client, item, "expiresAt");
    ret_cells[7] = client_time(client, item, "lastUsed");
}

static int list(struct door *door)
{
    static const char *const headings[] = { "ID",     "NAME",    "TENANT",    "STATE", "ROLES",
                                            "SCOPES", "EXPIRES", "LAST USED", NULL };
    static const struct listing listing = { "keys", headings, add_cells };
    int code = door_list(door, ACCESS_KEY, STR_NONE);
    return code ? code : listing_show(&door->client, &listing);
}

int verb_key(const struct options *options)
{
    static const struct verb_action actions[] = {
        { "add",
          1,
          1,
          "a NAME",
          add,
          { OPTION_ROLES, OPTION_SCOPES, OPTION_EXPIRES, OPTION_ACTS_FOR, OPTION_NOTE, OPTION_COUNT } },
        { "list", 0, 0, NULL, list, { OPTION_ROWS, OPTION_QUIET, OPTION_COUNT } },
        { "rotate", 1, 1, "the ID of a key", rotate, { OPTION_COUNT } },
        { "revoke", 1, 1, "the ID of a key", revoke, { OPTION_COUNT } },
    };
    return actions_run(options, actions, COUNT(actions));
}
