/* cli/client/locks.c — `pawl locks`: lists locks, with those who hold them, those who wait, and circles. */
#include "cli/output.h"
#include "cli/client/client.h"
#include "cli/table.h"

static void add_seats(struct client *client, const struct json *lock, const char *list, const char *what,
                      struct text_table *table)
{
    struct json_each each = json_each(json_get(lock, str_of(list)));
    for (size_t place = 1; json_next(&each); place++) {
        bool waits = strcmp(list, "waiters") == 0;
        str cells[TABLE_COLUMNS_MAX] = {
            client_text(client, lock, "name"),
            waits ? arena_printf(client->arena, "%s %zu", what, place) : str_of(what),
            client_time(client, each.value, waits ? "askedAt" : "heldSince"),
            client_text(client, each.value, "instanceId"),
            client_text(client, each.value, "definitionId"),
            client_text(client, each.value, "node"),
            client_text(client, each.value, "size"),
        };
        table_add(table, cells);
    }
}

static void add_part(struct client *client, const char *before, const struct json *of, const char *name,
                     struct buf *out)
{
    buf_add_str(out, str_of(before));
    output_add_safe(out, client_text(client, of, name), false);
}

/* For each lock that nobody gets: the runs that wait for each other, a line for each. */
static void add_circles(struct client *client, const struct json *locks, struct buf *out)
{
    struct json_each each = json_each(locks);
    while (json_next(&each)) {
        const struct json *circle = json_get(each.value, STR("circle"));
        struct json_each link = json_each(circle);
        if (!json_count(circle)) continue;
        add_part(client, "nobody gets ", each.value, "name", out);
        buf_add_str(out, STR(", because runs wait for each other in a circle:\n"));
        while (json_next(&link)) {
            add_part(client, "  ", link.value, "instanceId", out);
            add_part(client, " of ", link.value, "definitionId", out);
            add_part(client, " holds ", link.value, "holds", out);
            add_part(client, " and waits for ", link.value, "waitsFor", out);
            buf_add_char(out, '\n');
        }
    }
}

static int print(struct client *client)
{
    static const char *const headings[] = { "LOCK",       "STATE", "SINCE (UTC)", "INSTANCE",
                                            "DEFINITION", "STEP",  "SIZE",        NULL };
    struct text_table table;
    struct buf out;
    table_init(&table, client->arena, headings);
    struct json_each each = json_each(json_get(client->answer, STR("items")));
    while (json_next(&each)) {
        add_seats(client, each.value, "holders", "held", &table);
        add_seats(client, each.value, "waiters", "waits", &table);
    }
    buf_init(&out, client->arena);
    if (table.row_count) table_print(&table, output_colours(), &out);
    else buf_add_str(&out, STR("no locks\n"));
    add_circles(client, json_get(client->answer, STR("items")), &out);
    if (json_get(client->answer, STR("nextCursor")))
        buf_add_str(&out, STR("there are more: --rows shows longer pages, and a name shows one lock\n"));
    return output_write(buf_str(&out));
}

/* For --quiet. */
static int print_names(struct client *client)
{
    struct json_each each = json_each(json_get(client->answer, STR("items")));
    struct buf out;
    buf_init(&out, client->arena);
    while (json_next(&each)) {
        output_add_safe(&out, client_text(client, each.value, "name"), false);
        buf_add_char(&out, '\n');
    }
    return output_write(buf_str(&out));
}

int verb_locks(const struct options *options)
{
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str path = client_with(&client, STR("/api/locks"), "pageSize", option_text(options, OPTION_ROWS));
    if (options->argument_count) path = client_with(&client, path, "name", options->argument[0]);
    code = client_get(&client, path);
    if (!code && option_on(options, OPTION_JSON)) code = client_print_json(&client);
    else if (!code) code = option_on(options, OPTION_QUIET) ? print_names(&client) : print(&client);
    client_close(&client);
    return code;
}
