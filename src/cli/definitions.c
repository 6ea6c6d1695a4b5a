/* cli/definitions.c — `pawl definitions`: lists definitions. */
#include "cli/listing.h"

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "id");
    ret_cells[1] = client_text(client, item, "version");
    ret_cells[2] = client_time(client, item, "uploadedAt");
    ret_cells[3] = client_text(client, item, "uploadedBy");
    ret_cells[4] = client_text(client, item, "name");
}

int verb_definitions(const struct options *options)
{
    static const char *const headings[] = { "DEFINITION", "VERSION", "PUBLISHED (UTC)", "BY", "NAME", NULL };
    static const struct listing listing = { "definitions", headings, add_cells };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str path = STR("/v1/definitions");
    if (options->argument_count) path = client_with(&client, path, "keyword", options->argument[0]);
    return listing_print(&client, path, &listing);
}
