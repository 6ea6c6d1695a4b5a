/* cli/ps.c — `pawl ps`: lists instances, or failures grouped by reason. */
#include "cli/bulk.h"
#include "cli/listing.h"
#include "cli/output.h"

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

static void add_failed_cells(struct client *client, const struct json *item, str *ret_cells)
{
    add_cells(client, item, ret_cells);
    ret_cells[6] = client_text(client, item, "failureReason");
}

/* Lists failed instances grouped by reason. */
static int print_reasons(struct client *client)
{
    struct buf out;
    int code = client_get(client, client_with(client, STR("/v1/instances/reasons"), "definitionId",
                                              option_text(client->options, OPTION_DEFINITION)));
    if (code) return code;
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    buf_init(&out, client->arena);
    bulk_print_groups(client, &out);
    if (json_get(client->answer, STR("cut")))
        buf_add_str(&out, STR("… only the newest failures are counted\n"));
    buf_printf(&out, "%.*s FAILED instances\n", STR_ARG(client_text(client, client->answer, "total")));
    return output_write(buf_str(&out));
}

int verb_ps(const struct options *options)
{
    static const char *const headings[] = { "INSTANCE", "STATUS", "DEFINITION", "STARTED (UTC)",
                                            "KEY",      "AT",     NULL };
    static const char *const failed_headings[] = { "INSTANCE", "STATUS", "DEFINITION", "STARTED (UTC)",
                                                   "KEY",      "AT",     "REASON",     NULL };
    static const struct listing listing = { "instances", headings, add_cells };
    static const struct listing failed = { "instances", failed_headings, add_failed_cells };
    str status = option_text(options, OPTION_STATUS);
    bool only_failed = str_equal(status, STR("FAILED"));
    struct client client;
    if (options->value[OPTION_GROUP].given && !only_failed) {
        output_complain("--group reason goes with --status FAILED: only these have reasons");
        return status_exit(ST_INVALID);
    }
    int code = client_open(&client, options);
    if (code) return code;
    if (options->value[OPTION_GROUP].given) {
        code = print_reasons(&client);
        client_close(&client);
        return code;
    }
    str path = STR("/v1/instances");
    path = client_with(&client, path, "definitionId", option_text(options, OPTION_DEFINITION));
    path = client_with(&client, path, "status", status);
    path = client_with(&client, path, "businessKey", option_text(options, OPTION_KEY));
    return listing_print(&client, path, only_failed ? &failed : &listing);
}
