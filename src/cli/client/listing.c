/* cli/client/listing.c — prints a page of a list: as a table, as ids or as JSON. */
#include "cli/client/listing.h"

#include "cli/output.h"

/* For --quiet: prints the first cell of each row, which other verbs take as an argument. */
static int print_ids(struct client *client, const struct listing *listing)
{
    str cells[TABLE_COLUMNS_MAX];
    struct json_each each = json_each(json_get(client->answer, STR("items")));
    struct buf out;
    buf_init(&out, client->arena);
    while (json_next(&each)) {
        listing->row(client, each.value, cells);
        output_add_safe(&out, cells[0], false);
        buf_add_char(&out, '\n');
    }
    return output_write(buf_str(&out));
}

int listing_show(struct client *client, const struct listing *listing)
{
    struct text_table table;
    struct buf out;
    str cells[TABLE_COLUMNS_MAX];
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    if (option_on(client->options, OPTION_QUIET)) return print_ids(client, listing);
    table_init(&table, client->arena, listing->headings);
    struct json_each each = json_each(json_get(client->answer, STR("items")));
    while (json_next(&each)) {
        listing->row(client, each.value, cells);
        table_add(&table, cells);
    }
    buf_init(&out, client->arena);
    if (table.row_count) table_print(&table, output_colours(), &out);
    else buf_printf(&out, "no %s\n", listing->what);
    int64_t total = 0;
    json_int64(json_get(client->answer, STR("total")), &total);
    if (total > (int64_t)table.row_count)
        buf_printf(&out, "%zu of %lld %s\n", table.row_count, (long long)total, listing->what);
    else if (!total && json_get(client->answer, STR("nextCursor")))
        buf_printf(&out, "%zu %s; there are more\n", table.row_count, listing->what);
    return output_write(buf_str(&out));
}

int listing_print(struct client *client, str path, const struct listing *listing)
{
    path = client_with(client, path, "pageSize", option_text(client->options, OPTION_ROWS));
    int code = client_get(client, path);
    if (!code) code = listing_show(client, listing);
    client_close(client);
    return code;
}
