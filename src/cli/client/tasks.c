/* cli/client/tasks.c — `pawl tasks`: lists people's open tasks. */
#include "cli/client/listing.h"

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "id");
    ret_cells[1] = client_text(client, item, "instanceId");
    ret_cells[2] = client_text(client, item, "nodeId");
    ret_cells[3] = client_text(client, item, "title");
    ret_cells[4] = client_text(client, item, "jobType");
    ret_cells[5] = client_text(client, item, "assignee");
    ret_cells[6] = client_time(client, item, "due");
    ret_cells[7] = client_text(client, item, "definitionId");
    ret_cells[8] = client_text(client, item, "businessKey");
    ret_cells[9] = client_time(client, item, "createdAt");
}

int verb_tasks(const struct options *options)
{
    static const char *const headings[] = { "TASK",      "INSTANCE",   "STEP", "NAME",        "FORM", "WITH",
                                            "DUE (UTC)", "DEFINITION", "KEY",  "SINCE (UTC)", NULL };
    static const struct listing listing = { "open tasks", headings, add_cells };
    static const struct {
        const char *name;
        enum option option;
    } filters[] = {
        { "definitionId", OPTION_DEFINITION }, { "instanceId", OPTION_INSTANCE },
        { "person", OPTION_PERSON },           { "assignee", OPTION_WITH },
        { "group", OPTION_FOR_GROUP },         { "dueBefore", OPTION_DUE_BEFORE },
    };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str path = STR("/api/tasks");
    for (size_t i = 0; i < COUNT(filters); i++)
        path = client_with(&client, path, filters[i].name, option_text(options, filters[i].option));
    if (option_on(options, OPTION_UNASSIGNED)) path = client_with(&client, path, "unassigned", STR("true"));
    return listing_print(&client, path, &listing);
}
