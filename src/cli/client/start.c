/* cli/client/start.c — `pawl start`: starts an instance. */
#include "cli/input.h"

#include "base/utf8.h"
#include "cli/client/instance.h"
#include "cli/output.h"
#include "cli/client/words.h"

static str request_body(const struct options *options, const struct json *variables)
{
    struct json_builder builder;
    struct buf text;
    json_builder_init(&builder, options->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("definitionId"));
    json_add_string(&builder, options->argument[0]);
    if (option_number(options, OPTION_DEFINITION_VERSION)) {
        json_add_name(&builder, STR("definitionVersion"));
        json_add_int(&builder, option_number(options, OPTION_DEFINITION_VERSION));
    }
    if (variables) {
        json_add_name(&builder, STR("variables"));
        json_add(&builder, variables);
    }
    if (options->value[OPTION_KEY].given) {
        json_add_name(&builder, STR("businessKey"));
        json_add_string(&builder, option_text(options, OPTION_KEY));
    }
    if (option_on(options, OPTION_TEST)) {
        json_add_name(&builder, STR("isTest"));
        json_add_bool(&builder, true);
    }
    json_close(&builder);
    buf_init(&text, options->arena);
    json_print(json_built(&builder), &text);
    return buf_str(&text);
}

/* 1 if the instance that was waited for has failed. The reason goes to the standard error if the output does
 * not show it. */
static int failed_code(struct client *client, const struct options *options)
{
    if (!words_ended(client, client->answer, INSTANCE_FAILED)) return 0;
    str reason = client_text(client, client->answer, "failureReason");
    if (option_on(options, OPTION_QUIET) || option_on(options, OPTION_JSON))
        output_complain("the instance failed: %.*s", STR_ARG(reason));
    return status_exit(ST_INTERNAL);
}

/* A start that waits for a place has no instance yet. */
static void put_started(struct client *client, const struct options *options, struct buf *out)
{
    str outcome = client_text(client, client->answer, "outcome");
    if (str_equal(outcome, STR("queued")))
        buf_printf(out, "the start waits for a place: as many instances of %.*s live as may live\n",
                   STR_ARG(options->argument[0]));
    else if (option_on(options, OPTION_QUIET))
        buf_printf(out, "%.*s\n", STR_ARG(client_text(client, client->answer, "id")));
    else instance_print(client, client->answer, out);
    if (str_equal(outcome, STR("updated")))
        output_complain("a living instance has the key: it has taken the start (onMatch)");
}

int verb_start(const struct options *options)
{
    const struct json *variables;
    struct client client;
    struct error err;
    struct buf out;

    if (!utf8_is_valid(options->argument[0]) || !utf8_is_valid(option_text(options, OPTION_KEY))) {
        output_complain("the definition's id and the key must be UTF-8");
        return status_exit(ST_INVALID);
    }
    if (input_variables(options, &variables, &err) != ST_OK) return output_fail(&err);
    int code = client_open(&client, options);
    if (code) return code;

    int64_t wait_seconds = option_number(options, OPTION_WAIT);
    str path = STR("/v1/instances");
    if (wait_seconds)
        path =
            client_with(&client, path, "wait", arena_printf(options->arena, "%lld", (long long)wait_seconds));
    code = client_post(&client, path, request_body(options, variables), wait_seconds);
    if (!code && option_on(options, OPTION_JSON)) {
        code = client_print_json(&client);
    } else if (!code) {
        buf_init(&out, options->arena);
        put_started(&client, options, &out);
        code = output_write(buf_str(&out));
    }
    if (!code && wait_seconds) code = failed_code(&client, options);
    client_close(&client);
    return code;
}
