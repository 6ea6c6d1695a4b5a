/* cli/client/resend.c — `pawl resend`: sends events again that nobody took. */
#include "cli/client/bulk.h"
#include "cli/client/event.h"

int verb_resend(const struct options *options)
{
    int code = bulk_check_arguments(options, 1, "NUMBER");
    if (code) return code;
    return bulk_wanted(options) ? bulk_run(options, "resend", NULL)
                                : event_resend(options, options->argument[0]);
}
