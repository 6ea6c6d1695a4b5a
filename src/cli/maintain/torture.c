/* cli/maintain/torture.c — `pawl torture`: tests this machine and its disk.
 *
 * Exit code: 0 nothing was found, 1 something was, 2 or 4 it could not begin.
 */
#include "torture/torture.h"

#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXIT_FOUND = 1 };

struct view {
    struct progress progress;
    char what[120];
};

static void show(void *context, const struct torture_report *report, int64_t done_ms)
{
    struct view *view = context;
    size_t cycles = 0;
    for (size_t i = 0; i < CYCLE_KIND_COUNT; i++) cycles += report->cycles[i];
    snprintf(view->what, sizeof view->what, "seconds, %zu cycles, %zu acknowledged, %zu findings", cycles,
             report->acknowledged, report->finding_count);
    progress_show(&view->progress, (size_t)done_ms / 1000);
}

static enum status read_minutes(const struct options *options, int64_t *ret_ms, struct error *err)
{
    const char *text = option_path(options, OPTION_MINUTES);
    char *end;
    double minutes = text ? strtod(text, &end) : NAN;
    if (!text || *end || !(minutes >= 0 && minutes <= TORTURE_MINUTES_MAX))
        return fail(err, ST_INVALID, "--minutes",
                    "--minutes: \"%s\" is not a number of minutes such as 10 or 0.5", text ? text : "");
    *ret_ms = (int64_t)(minutes * 60000);
    return ST_OK;
}

/* The engines of the test: `pawl serve` in a copy of this process. */
static int serve(int argc, char *const *argv)
{
    struct options options;
    struct error err;
    struct arena arena;
    arena_init(&arena, 0);
    int code =
        options_parse(VERB_SERVE, argc - 2, argv + 2, &options_of_process, &arena, &options, &err) == ST_OK
            ? verb_serve(&options)
            : output_fail(&err);
    arena_done(&arena);
    return code;
}

int verb_torture(const struct options *options)
{
    struct torture_report *report = arena_make(options->arena, struct torture_report);
    struct view view = { .what = "seconds" };
    struct torture_config config = { .directory = option_path(options, OPTION_TORTURE_DIRECTORY),
                                     .seed = (uint64_t)option_number(options, OPTION_SEED),
                                     .serve = serve,
                                     .progress = show,
                                     .context = &view };
    struct error err;
    struct buf out;
    if (read_minutes(options, &config.duration_ms, &err) != ST_OK) return output_fail(&err);
    if (!config.directory) {
        fail(&err, ST_INVALID, "--dir", "--dir DIR is missing: a directory of its own on the disk to test");
        return output_fail(&err);
    }
    progress_begin(&view.progress, view.what, (size_t)config.duration_ms / 1000);
    if (torture_run(&config, report, &err) != ST_OK) return output_fail(&err);
    progress_clear(&view.progress);

    buf_init(&out, options->arena);
    if (option_on(options, OPTION_JSON)) {
        json_print_pretty(torture_json(report, options->arena), &out);
        buf_add_char(&out, '\n');
    } else {
        torture_print(report, &out);
    }
    int code = output_write(buf_str(&out));
    return report->finding_count ? EXIT_FOUND : code;
}
