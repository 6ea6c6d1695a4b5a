#include "cli/listing.h"

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    str definition = client_text(client, item, "definitionId");
    str version = client_text(client, item, "definitionVersion");
    ret_cells[0] = client_text(client, item, "id");
    ret_cells[1] = client_text(client, item, "status");
    ret_cells[2] = arena_printf(client->arena, "%.*s v%.*s", STR_ARG(definition), STR_ARG(version));
    ret_cells[3] = client_time(client, item, "startedAt");
    ret_cells[4] = client_text(client, item, "businessKey");
    ret_cells[5] = client_list(client, item, "currentStepIds");
}

int verb_ps(const struct options *options)
{
    static const char *const headings[] = { "INSTANCE", "STATUS", "DEFINITION", "STARTED (UTC)", "KEY", "AT", NULL };
    static const struct listing listing = { "instances", headings, add_cells };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str path = STR("/v1/instances");
    path = client_with(&client, path, "definitionId", option_text(options, OPTION_DEFINITION));
    path = client_with(&client, path, "status", option_text(options, OPTION_STATUS));
    path = client_with(&client, path, "businessKey", option_text(options, OPTION_KEY));
    return listing_print(&client, path, &listing);
}
