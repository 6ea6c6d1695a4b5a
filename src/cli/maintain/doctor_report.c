/* cli/maintain/doctor_report.c — what `pawl doctor` has found, for people and for programs. */
#include "cli/maintain/doctor_int.h"
#include "cli/output.h"

static const char *const words[] = { [FINE] = "ok", [DOUBTFUL] = "warning", [WRONG] = "wrong" };

void doctor_report(struct diagnosis *diagnosis, enum doctor_finding finding, const char *thing, str found,
                   const char *advice)
{
    struct buf *lines = &diagnosis->lines;
    diagnosis->count[finding]++;
    buf_printf(lines, "%-9s%-13s", words[finding], thing);
    output_add_safe(lines, found, false);
    buf_add_char(lines, '\n');
    if (advice) buf_printf(lines, "%22s→ %s\n", "", advice);

    json_open_object(&diagnosis->list);
    json_add_name(&diagnosis->list, STR("check"));
    json_add_string(&diagnosis->list, str_of(thing));
    json_add_name(&diagnosis->list, STR("finding"));
    json_add_string(&diagnosis->list, str_of(words[finding]));
    json_add_name(&diagnosis->list, STR("found"));
    json_add_string(&diagnosis->list, found);
    if (advice) {
        json_add_name(&diagnosis->list, STR("advice"));
        json_add_string(&diagnosis->list, str_of(advice));
    }
    json_close(&diagnosis->list);
}
