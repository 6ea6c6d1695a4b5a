/* cli/unmatched.c — `pawl unmatched`: lists events that nobody took. */
#include "cli/listing.h"

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

int verb_unmatched(const struct options *options)
{
    static const char *const headings[] = { "NUMBER", "RECEIVED (UTC)", "TYPE", "SOURCE",
                                            "EVENT",  "REASON",         NULL };
    static const struct listing listing = { "unmatched events", headings, add_cells };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    return listing_print(&client, STR("/v1/events/unmatched"), &listing);
}
