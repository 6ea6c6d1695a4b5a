/* cli/access/access.c — `pawl access`: access as a file, and why somebody may or may not do something. */
#include "base/text_map.h"
#include "cli/access/actions.h"
#include "cli/input.h"
#include "cli/client/listing.h"
#include "cli/output.h"

/* ---- apply: what changes ---- */

/* A file may have a hundred thousand items, so they are found by a map: kind and name, with a blank between
 * them, which no name has. */
static str place_of(struct door *door, str kind, str name)
{
    return arena_printf(door->arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(name));
}

static str place_of_record(struct door *door, const struct door_record *record)
{
    return place_of(door, str_of(access_kind_word(record->kind)), record->name);
}

static str place_of_item(struct door *door, const struct json *item)
{
    return place_of(door, json_text(item, STR("kind")), json_text(item, STR("name")));
}

static void add_value(struct buf *out, const struct json *value)
{
    struct buf text;
    buf_init(&text, NULL);
    if (value) json_print(value, &text);
    else buf_add_str(&text, STR("nothing"));
    output_add_safe(out, buf_str(&text), false);
    buf_done(&text);
}

static void add_member(struct buf *out, str name, const struct json *before, const struct json *after)
{
    buf_printf(out, "    %.*s: ", STR_ARG(name));
    add_value(out, before);
    buf_add_str(out, STR(" -> "));
    add_value(out, after);
    buf_add_char(out, '\n');
}

/* The members that differ. Hashes are in no view: a record that differs in nothing else has another one. */
static void add_members(struct buf *out, const struct json *before, const struct json *after)
{
    size_t start = out->n;
    struct json_each each = json_each(after);
    while (json_next(&each)) {
        const struct json *old = json_get(before, each.name);
        if (!old || !json_equal(old, each.value)) add_member(out, each.name, old, each.value);
    }
    each = json_each(before);
    while (json_next(&each))
        if (!json_get(after, each.name)) add_member(out, each.name, each.value, NULL);
    if (out->n == start) buf_add_str(out, STR("    another hash\n"));
}

/* A line for each item that changes: + added, ~ changed, - removed. */
static void add_item(struct buf *out, const struct json *item, const struct door_record *before)
{
    str outcome = json_text(item, STR("outcome"));
    if (str_equal(outcome, STR("same"))) return;
    bool is_changed = str_equal(outcome, STR("changed"));
    char sign = is_changed ? '~' : str_equal(outcome, STR("added")) ? '+' : '-';
    buf_printf(out, "%c %.*s ", sign, STR_ARG(json_text(item, STR("kind"))));
    output_add_safe(out, json_text(item, STR("name")), false);
    buf_add_char(out, '\n');
    if (is_changed && before) add_members(out, before->view, json_get(item, STR("record")));
}

static int print_difference(struct door *door, const struct json *items, struct door_record *before,
                            size_t count, bool dry_run)
{
    struct buf out;
    struct text_map records;
    size_t changes = 0;
    buf_init(&out, door->arena);
    text_map_init(&records);
    for (size_t i = 0; i < count; i++) text_map_put(&records, place_of_record(door, &before[i]), &before[i]);
    struct json_each each = json_each(items);
    while (json_next(&each)) {
        if (!str_equal(json_text(each.value, STR("outcome")), STR("same"))) changes++;
        add_item(&out, each.value, text_map_get(&records, place_of_item(door, each.value)));
    }
    text_map_done(&records);
    if (!changes) buf_add_str(&out, STR("nothing changes\n"));
    else if (dry_run) buf_printf(&out, "%zu change%s would be made\n", changes, changes == 1 ? "" : "s");
    else buf_printf(&out, "%zu change%s made\n", changes, changes == 1 ? "" : "s");
    return output_write(buf_str(&out));
}

/* ---- apply: what goes ---- */

/* The records that the file does not have. Removing a user or a key removes its grants, too, so grants go
 * first. The tenant `default` stays. */
static void find_removed(struct door *door, const struct json *items, const struct door_record *all,
                         size_t count, struct door_record **ret_removed, size_t *ret_count)
{
    static const enum access_kind order[] = { ACCESS_GRANT, ACCESS_KEY, ACCESS_USER, ACCESS_ISSUER,
                                              ACCESS_TENANT };
    struct door_record *removed = arena_make_n(door->arena, struct door_record, count);
    struct text_map staying;
    struct json_each each = json_each(items);
    size_t found = 0;
    text_map_init(&staying);
    while (json_next(&each)) text_map_put(&staying, place_of_item(door, each.value), door);
    for (size_t k = 0; k < COUNT(order); k++)
        for (size_t i = 0; i < count; i++) {
            bool is_default = all[i].kind == ACCESS_TENANT && str_equal(all[i].name, STR("default"));
            if (all[i].kind != order[k] || is_default) continue;
            if (!text_map_get(&staying, place_of_record(door, &all[i]))) removed[found++] = all[i];
        }
    text_map_done(&staying);
    *ret_removed = removed;
    *ret_count = found;
}

static int apply(struct door *door)
{
    bool dry_run = option_on(door->options, OPTION_DRY_RUN);
    str name = action_argument(door, 0);
    str place = arena_printf(door->arena, "@%.*s", STR_ARG(name));
    struct door_record *all, *removed = NULL;
    const struct json *file;
    struct error err;
    size_t count, removed_count = 0;
    if (input_json(place, "FILE", door->arena, &file, &err) != ST_OK) return output_fail(&err);
    int code = door_all(door, &all, &count);
    if (!code) code = door_apply(door, file, NULL, 0, true);
    if (code) return code;
    if (option_on(door->options, OPTION_PRUNE))
        find_removed(door, json_get(door_answer(door), STR("items")), all, count, &removed, &removed_count);
    /* A dry run without removals is what was just asked. */
    if (!dry_run || removed_count) code = door_apply(door, file, removed, removed_count, dry_run);
    if (code) return code;
    if (option_on(door->options, OPTION_JSON)) return client_print_json(&door->client);
    return print_difference(door, json_get(door_answer(door), STR("items")), all, count, dry_run);
}

static int export(struct door *door)
{
    const struct json *file;
    struct buf out;
    int code = door_export(door, option_on(door->options, OPTION_WITH_HASHES), &file);
    if (code) return code;
    buf_init(&out, door->arena);
    json_print_pretty(file, &out);
    buf_add_char(&out, '\n');
    return output_write(buf_str(&out));
}

/* ---- why ---- */

static bool needs_engine(const struct door *door)
{
    if (door->store) output_complain("this asks a running engine: leave --store away");
    return door->store != NULL;
}

static void add_grant(struct client *client, struct buf *out, const struct json *grant)
{
    str source = client_text(client, grant, "source"), role = client_text(client, grant, "role");
    str scopes = client_list(client, grant, "scopes"), why = client_text(client, grant, "why");
    buf_printf(out, "  %s ", json_flag(grant, STR("gives")) ? "yes" : "no ");
    output_add_safe(out, source, false);
    buf_printf(out, ": %.*s", STR_ARG(role));
    if (json_flag(grant, STR("everywhere"))) buf_add_str(out, STR(" in every tenant"));
    if (scopes.n) buf_add_str(out, STR(", only "));
    output_add_safe(out, scopes, false);
    if (why.n) buf_add_str(out, STR(" - "));
    output_add_safe(out, why, false);
    buf_add_char(out, '\n');
}

static int print_decision(struct door *door)
{
    struct client *client = &door->client;
    const struct json *decision = json_get(client->answer, STR("decision"));
    struct buf out;
    buf_init(&out, door->arena);
    buf_add_str(&out, json_flag(decision, STR("allowed")) ? STR("yes: ") : STR("no: "));
    output_add_safe(&out, client_text(client, decision, "reason"), false);
    buf_add_str(&out, STR("\nwho        "));
    output_add_safe(&out, client_text(client, decision, "principal"), false);
    buf_add_str(&out, STR("\ngroups     "));
    output_add_safe(&out, client_list(client, decision, "groups"), false);
    buf_add_str(&out, STR("\nneeds      "));
    output_add_safe(&out, client_text(client, decision, "permission"), false);
    buf_add_str(&out, STR("\nroles      "));
    output_add_safe(&out, client_list(client, decision, "roles"), false);
    buf_add_str(&out, STR("\ngrants\n"));
    struct json_each each = json_each(json_get(decision, STR("grants")));
    while (json_next(&each)) add_grant(client, &out, each.value);
    return output_write(buf_str(&out));
}

static int ask_why(struct door *door, str who)
{
    struct client *client = &door->client;
    str path = client_with(client, STR("/api/access/explain"), "principal", who);
    path = client_with(client, path, "method", action_argument(door, 1));
    path = client_with(client, path, "path", action_argument(door, 2));
    return client_get(client, path);
}

/* People know their keys by name, and the engine by id. `*ret_who` stays as it is if it is an id already,
 * and if no key has the name: the engine's answer says so then. */
static int find_key(struct door *door, str name, str *ret_who)
{
    const struct json *found = NULL;
    for (str cursor = STR_NONE;;) {
        str path = client_with(&door->client, STR("/api/keys"), "pageSize", STR("200"));
        int code = client_get(&door->client, client_with(&door->client, path, "cursor", cursor));
        if (code) return code;
        struct json_each each = json_each(json_get(door_answer(door), STR("items")));
        while (json_next(&each)) {
            if (str_equal(json_text(each.value, STR("id")), name)) return 0;
            if (!str_equal(json_text(each.value, STR("name")), name)) continue;
            if (found) {
                output_complain("keys %.*s and %.*s have the name %.*s: give one of the ids",
                                STR_ARG(json_text(found, STR("id"))),
                                STR_ARG(json_text(each.value, STR("id"))), STR_ARG(name));
                return status_exit(ST_CONFLICT);
            }
            found = each.value;
        }
        cursor = json_text(door_answer(door), STR("nextCursor"));
        if (!cursor.n) break;
    }
    if (found) *ret_who = arena_printf(door->arena, "key:%.*s", STR_ARG(json_text(found, STR("id"))));
    return 0;
}

/* A word without a kind is a user; if there is none, it is the name of a key. */
static int explain(struct door *door)
{
    struct client *client = &door->client;
    if (needs_engine(door)) return status_exit(ST_INVALID);
    str given = action_argument(door, 0), who = given;
    bool is_key = str_starts(given, STR("key:")), is_word = str_find(given, STR(":"), 0) == SIZE_MAX;
    int code = is_key ? find_key(door, str_slice(given, 4, given.n), &who) : 0;
    if (!code) code = ask_why(door, who);
    const struct json *decision = code ? NULL : json_get(client->answer, STR("decision"));
    if (is_word && str_equal(client_text(client, decision, "reason"), STR("no such user"))) {
        code = find_key(door, given, &who);
        if (!code) code = ask_why(door, who);
    }
    if (code || option_on(door->options, OPTION_JSON)) return code ? code : client_print_json(client);
    return print_decision(door);
}

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_time(client, item, "at");
    ret_cells[1] = client_text(client, item, "address");
    ret_cells[2] = client_text(client, item, "principal");
    ret_cells[3] = client_text(client, item, "asked");
    ret_cells[4] = client_text(client, item, "why");
}

static int refusals(struct door *door)
{
    static const char *const headings[] = { "AT (UTC)", "ADDRESS", "WHO", "ASKED", "WHY", NULL };
    static const struct listing listing = { "refusals", headings, add_cells };
    if (needs_engine(door)) return status_exit(ST_INVALID);
    int code = client_get(&door->client, STR("/api/access/refusals"));
    return code ? code : listing_show(&door->client, &listing);
}

int verb_access(const struct options *options)
{
    static const struct verb_action actions[] = {
        { "apply", 1, 1, "a FILE", apply, { OPTION_DRY_RUN, OPTION_PRUNE, OPTION_COUNT } },
        { "export", 0, 0, NULL, export, { OPTION_WITH_HASHES, OPTION_COUNT } },
        { "explain", 3, 3, "WHO, a METHOD and a PATH", explain, { OPTION_COUNT } },
        { "refusals", 0, 0, NULL, refusals, { OPTION_COUNT } },
    };
    return actions_run(options, actions, COUNT(actions));
}
