#include "cli/input.h"
#include "cli/instance.h"
#include "cli/output.h"

int verb_signal(const struct options *options)
{
    const struct json *variables;
    struct client client;
    struct error err;
    if (input_variables(options, &variables, &err) != ST_OK) return output_fail(&err);
    int code = client_open(&client, options);
    return code ? code : instance_command(&client, "/v1/instances/{}/signals/{}", variables);
}
