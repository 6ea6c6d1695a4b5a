/* telemetry/sampling.c — the rules of --trace-sample. */
#include "telemetry/sampling.h"

#include "base/duration.h"
#include "core/trace.h"

/* "12.5" before the sign: at most four digits behind the point. */
static bool read_percent(str text, double *ret_part)
{
    double value = 0, unit = 1;
    bool behind = false, any = false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '.' && !behind) behind = true;
        else if (c >= '0' && c <= '9') {
            any = true;
            if (behind) unit /= 10;
            value = behind ? value + (c - '0') * unit : value * 10 + (c - '0');
        } else return false;
        if (value > 100 || unit < 0.00009) return false;
    }
    *ret_part = value / 100;
    return any;
}

static enum status read_rule(str rule, struct sampling *sampling, struct error *err)
{
    static const str slow = STR_INIT("slow>");
    if (str_equal(rule, STR("failed"))) sampling->failed = true;
    else if (rule.n && rule.p[rule.n - 1] == '%' &&
             read_percent(str_slice(rule, 0, rule.n - 1), &sampling->part)) {
    } else if (str_starts(rule, slow)) {
        struct error why;
        str duration = str_slice(rule, slow.n, rule.n);
        if (duration_parse_any(duration, &sampling->slow_ms, &why) != ST_OK || sampling->slow_ms <= 0)
            return fail(err, ST_INVALID, "--trace-sample",
                        "--trace-sample: \"%.*s\" is not a duration such as 1h", STR_ARG(duration));
    } else
        return fail(err, ST_INVALID, "--trace-sample",
                    "--trace-sample: \"%.*s\" is none of failed, slow>DURATION and a part such as 1%%",
                    STR_ARG(rule));
    return ST_OK;
}

enum status sampling_parse(str text, struct sampling *ret_sampling, struct error *err)
{
    struct sampling sampling = { .part = 0 };
    for (bool more = true; more;) {
        size_t comma = str_find(text, STR(","), 0);
        more = comma != SIZE_MAX;
        TRY(read_rule(str_trim(str_slice(text, 0, more ? comma : text.n)), &sampling, err));
        if (more) text = str_slice(text, comma + 1, text.n);
    }
    *ret_sampling = sampling;
    return ST_OK;
}

bool sampling_draws(const struct sampling *sampling, uint64_t instance, int64_t created_ms)
{
    return sampling->part >= 1 || (sampling->part > 0 && trace_lot(instance, created_ms) < sampling->part);
}

/* Does a rule fit the run, as it is known at its end of this number? */
static bool fits(const struct sampling *sampling, const struct run_spans *run, size_t number)
{
    if (sampling->slow_ms && run->end[number].ended_ms - run->run.created_ms > sampling->slow_ms) return true;
    for (size_t i = 0; sampling->failed && i <= number; i++)
        if (run->end[i].status == INSTANCE_FAILED) return true;
    return false;
}

bool sampling_takes(const struct sampling *sampling, const struct run_spans *run, const struct span *span,
                    uint32_t first, uint32_t last)
{
    bool here = span->revision >= first && span->revision <= last;
    if (sampling_draws(sampling, run->run.instance, run->run.created_ms)) return here;
    /* The first end behind the span that a rule fits takes it. */
    for (size_t i = 0; i < run->end_count; i++) {
        uint32_t revision = run->end[i].revision;
        if (revision >= span->revision && fits(sampling, run, i))
            return revision >= first && revision <= last;
    }
    /* Detached regions may go on behind the end of the run. */
    return here && run->has_ended && run->end_count &&
           run->end[run->end_count - 1].revision < span->revision && fits(sampling, run, run->end_count - 1);
}
