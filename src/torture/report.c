/* torture/report.c — the report of a test: for people, and as JSON. */
#include "torture/torture.h"

#include "base/utf8.h"

#include <string.h>

static const struct {
    const char *word, *what;
} kinds[] = {
#define XX(NAME, word_, what_) [CYCLE_##NAME] = { #word_, what_ },
    CYCLE_MAP(XX)
#undef XX
};

static double ms(int64_t us) { return (double)us / 1e3; }

static int64_t restart_mean_us(const struct torture_report *report)
{
    return report->restarts ? report->restart_total_us / (int64_t)report->restarts : 0;
}

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

void torture_print(const struct torture_report *report, struct buf *out)
{
    size_t shown =
        report->finding_count < TORTURE_FINDINGS_MAX ? report->finding_count : TORTURE_FINDINGS_MAX;
    buf_printf(out, "disk      fdatasync takes %.2f ms (p50), %.2f ms (p99) over %zu syncs\n",
               ms(report->disk.p50_us), ms(report->disk.p99_us), report->disk.syncs);
    if (report->disk.warning[0]) buf_printf(out, "          warning: %s\n", report->disk.warning);
    buf_printf(out, "cycles   ");
    for (size_t i = 0; i < CYCLE_KIND_COUNT; i++)
        buf_printf(out, " %zu × %s%s", report->cycles[i], kinds[i].what,
                   i + 1 < CYCLE_KIND_COUNT ? "," : "\n");
    buf_printf(
        out, "          %zu kill%s, %zu power cut%s, %zu request%s refused for want of space, %zu store%s\n",
        report->kills, plural(report->kills), report->power_cuts, plural(report->power_cuts),
        report->refused_full, plural(report->refused_full), report->stores, plural(report->stores));
    buf_printf(out, "load      %zu requests acknowledged, %zu cut off, %zu of them repeated with their key\n",
               report->acknowledged, report->cut_off, report->repeated);
    buf_printf(out, "restarts  %zu, %.0f ms each, %.0f ms at most\n", report->restarts,
               ms(restart_mean_us(report)), ms(report->restart_max_us));
    buf_printf(out, "verified  %zu looks at an instance, %zu deep checks of the store\n", report->verified,
               report->checks);
    buf_printf(out, "findings  %zu in %.1f s, seed %llu%s\n", report->finding_count,
               (double)report->took_ms / 1e3, (unsigned long long)report->seed,
               report->interrupted ? ", stopped early" : "");
    for (size_t i = 0; i < shown; i++) buf_printf(out, "  %s\n", report->finding[i]);
    if (shown < report->finding_count) buf_printf(out, "  and %zu more\n", report->finding_count - shown);
    if (report->kept) buf_printf(out, "the stores they were found in are kept in %s\n", report->directory);
}

static void add_number(struct json_builder *builder, const char *name, int64_t value)
{
    json_add_name(builder, str_of(name));
    json_add_int(builder, value);
}

static void add_ms(struct json_builder *builder, const char *name, int64_t us)
{
    json_add_name(builder, str_of(name));
    json_add_double(builder, ms(us));
}

static void add_disk(struct json_builder *builder, const struct disk_measure *disk)
{
    json_add_name(builder, STR("disk"));
    json_open_object(builder);
    add_number(builder, "syncs", (int64_t)disk->syncs);
    add_ms(builder, "syncP50Ms", disk->p50_us);
    add_ms(builder, "syncP99Ms", disk->p99_us);
    json_add_name(builder, STR("warning"));
    if (disk->warning[0]) json_add_string(builder, str_of(disk->warning));
    else json_add_null(builder);
    json_close(builder);
}

static void add_findings(struct json_builder *builder, const struct torture_report *report)
{
    json_add_name(builder, STR("findings"));
    json_open_array(builder);
    for (size_t i = 0; i < report->finding_count && i < TORTURE_FINDINGS_MAX; i++) {
        str text = str_of(report->finding[i]);
        json_add_string(builder, utf8_is_valid(text) ? text : STR("a finding that is not UTF-8"));
    }
    json_close(builder);
}

const struct json *torture_json(const struct torture_report *report, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    add_number(&builder, "seed", (int64_t)report->seed);
    add_number(&builder, "tookMs", report->took_ms);
    add_disk(&builder, &report->disk);
    json_add_name(&builder, STR("cycles"));
    json_open_object(&builder);
    for (size_t i = 0; i < CYCLE_KIND_COUNT; i++)
        add_number(&builder, kinds[i].word, (int64_t)report->cycles[i]);
    json_close(&builder);
    add_number(&builder, "stores", (int64_t)report->stores);
    add_number(&builder, "kills", (int64_t)report->kills);
    add_number(&builder, "powerCuts", (int64_t)report->power_cuts);
    add_number(&builder, "refusedFull", (int64_t)report->refused_full);
    add_number(&builder, "acknowledged", (int64_t)report->acknowledged);
    add_number(&builder, "cutOff", (int64_t)report->cut_off);
    add_number(&builder, "repeated", (int64_t)report->repeated);
    add_number(&builder, "instancesVerified", (int64_t)report->verified);
    add_number(&builder, "storeChecks", (int64_t)report->checks);
    add_number(&builder, "restarts", (int64_t)report->restarts);
    add_ms(&builder, "restartMeanMs", restart_mean_us(report));
    add_ms(&builder, "restartMaxMs", report->restart_max_us);
    json_add_name(&builder, STR("interrupted"));
    json_add_bool(&builder, report->interrupted);
    add_number(&builder, "findingCount", (int64_t)report->finding_count);
    add_findings(&builder, report);
    json_close(&builder);
    return json_built(&builder);
}
