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
    return code ? code : instance_command(&client, "/v1/instances/{}/steps/{}/retry", body);
}
