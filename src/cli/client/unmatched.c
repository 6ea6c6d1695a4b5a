/* cli/client/unmatched.c — `pawl unmatched`: lists events that nobody took. */
#include "cli/client/listing.h"

#include "cli/output.h"

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    const struct json *event = json_get(item, STR("event"));
    ret_cells[0] = client_text(client, item, "number");
    ret_cells[1] = client_time(client, item, "receivedAt");
    ret_cells[2] = client_text(client, event, "type");
    ret_cells[3] = client_text(client, event, "source");
    ret_cells[4] = client_text(client, event, "id");
    ret_cells[5] = client_text(client, item, "reason");
}

static void add_waiting_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "definitionId");
    ret_cells[1] = client_time(client, item, "receivedAt");
    ret_cells[2] = client_time(client, item, "expiresAt");
    ret_cells[3] = client_text(client, item, "type");
    ret_cells[4] = client_text(client, item, "source");
    ret_cells[5] = client_text(client, item, "id");
}

/* Events that wait for an instance of a definition come behind those that nobody took. */
static int print_waiting(struct client *client)
{
    static const char *const headings[] = { "WAITS FOR", "RECEIVED (UTC)", "EXPIRES (UTC)",
                                            "TYPE",      "SOURCE",         "EVENT",
                                            NULL };
    const struct json *list = json_get(client->answer, STR("waiting"));
    bool plain = !option_on(client->options, OPTION_JSON) && !option_on(client->options, OPTION_QUIET);
    if (!plain || !list || !json_count(list)) return 0;
    struct text_table table;
    struct buf out;
    str cells[TABLE_COLUMNS_MAX];
    table_init(&table, client->arena, headings);
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        add_waiting_cells(client, each.value, cells);
        table_add(&table, cells);
    }
    buf_init(&out, client->arena);
    buf_add_char(&out, '\n');
    table_print(&table, output_colours(), &out);
    if (json_get(client->answer, STR("waitingMore")))
        buf_printf(&out, "%zu events that wait; there are more\n", table.row_count);
    return output_write(buf_str(&out));
}

int verb_unmatched(const struct options *options)
{
    static const char *const headings[] = { "NUMBER", "RECEIVED (UTC)", "TYPE", "SOURCE",
                                            "EVENT",  "REASON",         NULL };
    static const struct listing listing = { "unmatched events", headings, add_cells };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str path = client_with(&client, STR("/v1/events/unmatched"), "pageSize",
                           option_text(client.options, OPTION_ROWS));
    code = client_get(&client, path);
    if (!code) code = listing_show(&client, &listing);
    if (!code) code = print_waiting(&client);
    client_close(&client);
    return code;
}
