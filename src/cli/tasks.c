#include "cli/listing.h"

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "instanceId");
    ret_cells[1] = client_text(client, item, "stepId");
    ret_cells[2] = client_text(client, item, "name");
    ret_cells[3] = client_text(client, item, "jobType");
    ret_cells[4] = client_text(client, item, "definitionId");
    ret_cells[5] = client_text(client, item, "businessKey");
    ret_cells[6] = client_time(client, item, "createdAt");
}

int verb_tasks(const struct options *options)
{
    static const char *const headings[] = { "INSTANCE",   "STEP", "NAME",        "FORM",
                                            "DEFINITION", "KEY",  "SINCE (UTC)", NULL };
    static const struct listing listing = { "open tasks", headings, add_cells };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str path = STR("/v1/user-tasks");
    path = client_with(&client, path, "definitionId", option_text(options, OPTION_DEFINITION));
    path = client_with(&client, path, "instanceId", option_text(options, OPTION_INSTANCE));
    return listing_print(&client, path, &listing);
}
