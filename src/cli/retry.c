#include "cli/input.h"
#include "cli/instance.h"
#include "cli/output.h"

int verb_retry(const struct options *options)
{
    const struct json *body;
    struct client client;
    struct error err;
    if (input_variables_body(options, &body, &err) != ST_OK) return output_fail(&err);
    int code = client_open(&client, options);
    if (code) return code;
    const char *pattern = options->argument_count > 1 ? "/v1/instances/{}/steps/{}/retry" : "/v1/instances/{}/retry";
    str path = client_path(&client, pattern, options->argument);
    if (option_on(options, OPTION_ALONE)) path = client_with(&client, path, "alone", STR("true"));
    return instance_command(&client, path, body);
}
