/* cli/client/retry.c — `pawl retry`: starts the failed step of an instance again, or of many. */
#include "cli/client/bulk.h"
#include "cli/input.h"
#include "cli/client/instance.h"
#include "cli/output.h"

int verb_retry(const struct options *options)
{
    const struct json *body;
    struct client client;
    struct error err;
    str step = option_text(options, OPTION_STEP);
    int code = bulk_check_arguments(options, 1, "INSTANCE");
    if (code) return code;
    if (input_variables_body(options, &body, &err) != ST_OK) return output_fail(&err);
    if (bulk_wanted(options)) {
        if (!body) body = json_empty_object();
        if (step.n) body = json_set(options->arena, body, STR("step"), json_of_string(options->arena, step));
        return bulk_run(options, "retry", body);
    }
    code = client_open(&client, options);
    if (code) return code;
    const char *pattern =
        options->argument_count > 1 ? "/v1/instances/{}/steps/{}/retry" : "/v1/instances/{}/retry";
    str path = client_path(&client, pattern, options->argument);
    if (option_on(options, OPTION_ALONE)) path = client_with(&client, path, "alone", STR("true"));
    return instance_command(&client, path, body);
}
