/* cli/client/rollback.c — `pawl rollback`, `retire` and `delete`: which version new instances run, if any. */
#include "cli/client/client.h"
#include "cli/output.h"

static int print_restored(struct client *client)
{
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    const struct json *answer = client->answer;
    str version = client_text(client, answer, "version"), restores = client_text(client, answer, "restores");
    struct buf out;
    buf_init(&out, client->arena);
    output_add_safe(&out, client_text(client, answer, "definitionId"), false);
    if (str_equal(client_text(client, answer, "isNew"), STR("true")))
        buf_printf(&out, ": version %.*s restores version %.*s\n", STR_ARG(version), STR_ARG(restores));
    else buf_printf(&out, ": version %.*s is the latest and has this text already\n", STR_ARG(version));
    return output_write(buf_str(&out));
}

int verb_rollback(const struct options *options)
{
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    const str names[] = { options->argument[0],
                          options->argument_count > 1 ? options->argument[1] : STR("previous") };
    str path = client_path(&client, "/api/definitions/{}/versions/{}/restore", names);
    code = client_post(&client, client_with(&client, path, "revision", option_text(options, OPTION_REVISION)),
                       STR_NONE, 0);
    if (!code) code = print_restored(&client);
    client_close(&client);
    return code;
}

static int print_retired(struct client *client)
{
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    str at = client_time(client, client->answer, "retiredAt");
    struct buf out;
    buf_init(&out, client->arena);
    output_add_safe(&out, client_text(client, client->answer, "definitionId"), false);
    buf_printf(&out, ": retired since %.*s (UTC); nothing of it starts\n", STR_ARG(at));
    return output_write(buf_str(&out));
}

int verb_retire(const struct options *options)
{
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    code = client_post(&client, client_path(&client, "/api/definitions/{}/retire", options->argument),
                       STR_NONE, 0);
    if (!code) code = print_retired(&client);
    client_close(&client);
    return code;
}

static int print_deleted(struct client *client)
{
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    bool goes_on = str_equal(client_text(client, client->answer, "state"), STR("deleting"));
    struct buf out;
    buf_init(&out, client->arena);
    output_add_safe(&out, client_text(client, client->answer, "definitionId"), false);
    buf_printf(&out, goes_on ? ": is being deleted; nothing of it starts\n" : ": deleted\n");
    return output_write(buf_str(&out));
}

int verb_delete(const struct options *options)
{
    struct client client;
    int code = client_open(&client, options);
    if (code) return code;
    str path = client_path(&client, "/api/definitions/{}", options->argument);
    str with = option_on(options, OPTION_WITH_ENDED) ? STR("ended") : STR_NONE;
    code = client_delete(&client, client_with(&client, path, "with", with));
    if (!code) code = print_deleted(&client);
    client_close(&client);
    return code;
}
