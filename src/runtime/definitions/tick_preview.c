/* runtime/definitions/tick_preview.c — when a schedule fires next, in UTC and as clocks show it somewhere. */
#include "base/datetime.h"
#include "dialect/dialect.h"
#include "json/put.h"
#include "program/arrival.h"
#include "runtime/definitions/design.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"
#include "schedule/slot.h"
#include "source/zones.h"

/* ---- the schedule ---- */

static enum status terms_of_trigger(struct query *query, struct call *call, struct arrival_terms *ret_terms,
                                    struct error *err)
{
    const struct call_ticks *asked = &call->as.ticks;
    struct definition_row row;
    struct definition *definition;
    TRY(found_needed(design_row(query, call, asked->definition_id, 0, &row, err)));
    TRY(found_needed(catalogue_get(&query->catalogue, row.number, &definition, err)));
    uint32_t found = program_find_arrival(definition->program, asked->trigger);
    if (found == ARRIVAL_NONE)
        return fail(err, ST_NOT_FOUND, "trigger", "definition \"%.*s\" has no trigger \"%.*s\"",
                    STR_ARG(asked->definition_id), STR_ARG(asked->trigger));
    *ret_terms = definition->program->rules->arrival[found].terms;
    return ST_OK;
}

static bool zone_is_known(str name) { return source_zone_find(name) != NULL; }

static enum status terms_of_config(struct call *call, struct arrival_terms *ret_terms, struct error *err)
{
    struct problems problems;
    const struct json *normal;
    problems_init(&problems, call->arena);
    problems.zone_exists = zone_is_known;
    arrival_read(call->as.ticks.config, ARRIVAL_CRON, STR(""), call->arena, ret_terms, &normal, &problems);
    if (!problems.error_count) return ST_OK;
    return fail(err, ST_INVALID, "config", "%.*s", STR_ARG(problems.problem[0].message));
}

static enum status schedule_of(const struct arrival_terms *terms, int64_t now_ms,
                               struct schedule *ret_schedule, struct error *err)
{
    if (terms->type != ARRIVAL_CRON && terms->type != ARRIVAL_POLL)
        return fail(err, ST_INVALID, "trigger", "the trigger has no schedule");
    *ret_schedule = (struct schedule){ .interval_ms = terms->interval_ms, .anchor_ms = now_ms };
    if (terms->interval_ms) return ST_OK;
    TRY(cron_parse(terms->cron, &ret_schedule->cron, err));
    ret_schedule->zone = source_zone_find(terms->zone.n ? terms->zone : STR("UTC"));
    if (ret_schedule->zone) return ST_OK;
    return fail(err, ST_INVALID, "zone", "this machine has no time zone \"%.*s\"", STR_ARG(terms->zone));
}

/* ---- the answer ---- */

/* "2026-11-16T09:00:00+01:00" */
static void put_local(struct buf *out, const struct zone *zone, int64_t ms)
{
    char text[DATETIME_CHARS + 1];
    int32_t offset = zone_offset_s(zone, ms / 1000), minutes = (offset < 0 ? -offset : offset) / 60;
    datetime_print_seconds(ms + offset * INT64_C(1000), text);
    str local = str_of(text);
    buf_printf(out, "\"%.*s%c%02d:%02d\"", (int)(local.n - 1), local.p, offset < 0 ? '-' : '+', minutes / 60,
               minutes % 60);
}

enum status tick_preview_call(struct query *query, struct call *call, struct error *err)
{
    const struct call_ticks *asked = &call->as.ticks;
    struct arrival_terms terms;
    struct schedule schedule;
    struct buf out;
    int64_t at_ms = query->clock.now_ms ? clock_now_ms(&query->clock) : 0;
    TRY(asked->config ? terms_of_config(call, &terms, err) : terms_of_trigger(query, call, &terms, err));
    TRY(schedule_of(&terms, at_ms, &schedule, err));
    str name = asked->zone.n ? asked->zone : terms.zone.n && !terms.interval_ms ? terms.zone : STR("UTC");
    const struct zone *zone = source_zone_find(name);
    if (!zone) return fail(err, ST_INVALID, "zone", "this machine has no time zone \"%.*s\"", STR_ARG(name));
    buf_init(&out, call->arena);
    PUT(&out, "{\"zone\":");
    put_text(&out, name);
    PUT(&out, ",\"items\":[");
    for (size_t i = 0; i < asked->count && slot_next(&schedule, at_ms, &at_ms); i++) {
        if (i) buf_add_char(&out, ',');
        PUT(&out, "{\"at\":");
        put_time(&out, at_ms);
        PUT(&out, ",\"local\":");
        put_local(&out, zone, at_ms);
        buf_add_char(&out, '}');
    }
    PUT(&out, "]}");
    call->value.design.text = buf_str(&out);
    return ST_OK;
}
