/* cli/client/jobs.c — `pawl jobs`: lists jobs. */
#include "cli/client/listing.h"

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "id");
    ret_cells[1] = client_text(client, item, "status");
    ret_cells[2] = client_text(client, item, "jobType");
    ret_cells[3] = client_text(client, item, "stepId");
    ret_cells[4] = client_text(client, item, "retriesRemaining");
    ret_cells[5] = client_text(client, item, "workerId");
    ret_cells[6] = client_text(client, item, "instanceId");
}

int verb_jobs(const struct options *options)
{
    static const char *const headings[] = { "JOB",     "STATUS", "TYPE",     "STEP",
                                            "RETRIES", "WORKER", "INSTANCE", NULL };
    static const struct listing listing = { "open jobs", headings, add_cells };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str path = STR("/v1/jobs");
    path = client_with(&client, path, "jobType", option_text(options, OPTION_JOB_TYPE));
    path = client_with(&client, path, "instanceId", option_text(options, OPTION_INSTANCE));
    return listing_print(&client, path, &listing);
}
