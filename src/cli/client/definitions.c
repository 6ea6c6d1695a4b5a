/* cli/client/definitions.c — `pawl definitions`: lists definitions, or the versions of one. */
#include "cli/client/listing.h"

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "id");
    ret_cells[1] = client_text(client, item, "version");
    ret_cells[2] = client_time(client, item, "uploadedAt");
    ret_cells[3] = client_text(client, item, "uploadedBy");
    ret_cells[4] = json_get(item, STR("deleting"))    ? STR("deleting")
                   : json_get(item, STR("retiredAt")) ? STR("retired")
                                                      : STR_NONE;
    ret_cells[5] = client_text(client, item, "name");
}

static void add_version(struct client *client, const struct json *item, str *ret_cells)
{
    str restores = client_text(client, item, "restores");
    bool is_latest =
        str_equal(client_text(client, item, "version"), client_text(client, client->answer, "latestVersion"));
    ret_cells[0] = client_text(client, item, "version");
    ret_cells[1] = client_time(client, item, "publishedAt");
    ret_cells[2] = client_text(client, item, "publishedBy");
    ret_cells[3] = client_text(client, item, "revision");
    ret_cells[4] = json_get(item, STR("deleting"))    ? STR("deleting")
                   : json_get(item, STR("retiredAt")) ? STR("retired")
                   : is_latest                        ? STR("latest")
                                                      : STR_NONE;
    ret_cells[5] = restores.n ? arena_printf(client->arena, "version %.*s", STR_ARG(restores)) : STR_NONE;
    ret_cells[6] = client_text(client, item, "name");
}

int verb_definitions(const struct options *options)
{
    static const char *const headings[] = { "DEFINITION", "VERSION", "PUBLISHED (UTC)", "BY", "STATE",
                                            "NAME",       NULL };
    static const char *const version_headings[] = { "VERSION", "PUBLISHED (UTC)", "BY",   "FROM",
                                                    "STATE",   "RESTORES",        "NAME", NULL };
    static const struct listing listing = { "definitions", headings, add_cells };
    static const struct listing versions = { "versions", version_headings, add_version };
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    if (!options->argument_count) return listing_print(&client, STR("/v1/definitions"), &listing);
    /* An id is one, even if other definitions have it in their names. */
    if (client_look(&client, client_path(&client, "/v1/definitions/{}", options->argument)))
        return listing_print(&client, client_path(&client, "/api/workflows/{}/versions", options->argument),
                             &versions);
    return listing_print(
        &client, client_with(&client, STR("/v1/definitions"), "keyword", options->argument[0]), &listing);
}
