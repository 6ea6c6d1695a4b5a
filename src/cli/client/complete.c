/* cli/client/complete.c — `pawl complete`: completes a person's task. */
#include "cli/input.h"
#include "cli/client/instance.h"
#include "cli/output.h"

int verb_complete(const struct options *options)
{
    const struct json *body;
    struct client client;
    struct error err;
    if (input_variables_body(options, &body, &err) != ST_OK) return output_fail(&err);
    int code = client_open(&client, options);
    if (code) return code;
    return instance_command(
        &client, client_path(&client, "/v1/instances/{}/user-tasks/{}/complete", options->argument), body);
}
