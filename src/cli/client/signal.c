/* cli/client/signal.c — `pawl signal`: sends a signal to an instance, by its id or key, or to many. */
#include "cli/client/bulk.h"
#include "cli/input.h"
#include "cli/client/instance.h"
#include "cli/output.h"

/* Finds the newest instance with that key: the one that was signalled, or one that came after it. */
static int show_by_key(struct client *client, str definition, str key)
{
    str path = client_with(client, STR("/v1/instances?pageSize=1"), "definitionId", definition);
    int code = client_get(client, client_with(client, path, "businessKey", key));
    const struct json *items = code ? NULL : json_get(client->answer, STR("items"));
    return code || !json_count(items) ? code
                                      : instance_show(client, client_text(client, json_item(items, 0), "id"));
}

static int signal_by_key(struct client *client, const struct json *variables)
{
    const struct options *options = client->options;
    str definition = option_text(options, OPTION_SIGNAL_DEFINITION), key = option_text(options, OPTION_KEY);
    str path =
        client_path(client, "/v1/definitions/{}/signals/{}", (str[]){ definition, options->argument[0] });
    path = client_with(client, path, "businessKey", key);
    if (option_on(options, OPTION_EARLY)) path = client_with(client, path, "early", STR("true"));
    int code = instance_post(client, path, variables);
    if (!code) code = show_by_key(client, definition, key);
    client_close(client);
    return code;
}

static int send_to_many(const struct options *options, const struct json *variables)
{
    str step = option_text(options, OPTION_STEP);
    const struct json *body = json_empty_object();
    if (!step.n) {
        output_complain("signal --where needs --step: the step that waits for the signal");
        return status_exit(ST_INVALID);
    }
    body = json_set(options->arena, body, STR("step"), json_of_string(options->arena, step));
    if (variables) body = json_set(options->arena, body, STR("variables"), variables);
    return bulk_run(options, "signal", body);
}

int verb_signal(const struct options *options)
{
    const struct json *variables;
    struct client client;
    struct error err;
    bool by_key = option_text(options, OPTION_SIGNAL_DEFINITION).n && option_text(options, OPTION_KEY).n;
    if (!bulk_wanted(options) && by_key != (options->argument_count == 1)) {
        output_complain("name the instance by its id, or by --definition and --key, or many with --where");
        return status_exit(ST_INVALID);
    }
    int code = bulk_check_arguments(options, by_key ? 1 : 2, "INSTANCE STEP");
    if (code) return code;
    if (input_variables(options, &variables, &err) != ST_OK) return output_fail(&err);
    if (bulk_wanted(options)) return send_to_many(options, variables);
    code = client_open(&client, options);
    if (code) return code;
    if (by_key) return signal_by_key(&client, variables);
    str path = client_path(&client, "/v1/instances/{}/signals/{}", options->argument);
    if (option_on(options, OPTION_EARLY)) path = client_with(&client, path, "early", STR("true"));
    return instance_command(&client, path, variables);
}
