/* scenario/report.c — results for people, for programs and for test servers. */
#include "scenario/scenario_int.h"

#include "base/utf8.h"

/* Adds text from elsewhere; characters that could steer a terminal become '?'. */
static void add_safe(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool c1 = c == 0xc2 && i + 1 < text.n && (unsigned char)text.p[i + 1] >= 0x80 &&
                  (unsigned char)text.p[i + 1] < 0xa0;
        buf_add_char(out, c < 0x20 || c == 0x7f || c1 ? '?' : (char)c);
        i += c1;
    }
}

static void add_cut(struct buf *out, str text)
{
    str shown = utf8_cut(text, VALUE_BYTES_MAX);
    add_safe(out, shown);
    if (shown.n < text.n) buf_add_str(out, STR("…"));
}

/* ---- records ---- */

static void add_padded(struct buf *out, str text, size_t width)
{
    add_safe(out, text);
    for (size_t n = utf8_count(text); n < width; n++) buf_add_char(out, ' ');
}

static str time_text(int64_t ms, struct arena *arena)
{
    return arena_printf(arena, "+%02lld:%02lld:%02lld.%03lld", (long long)(ms / 3600000),
                        (long long)(ms / 60000 % 60), (long long)(ms / 1000 % 60), (long long)(ms % 1000));
}

void report_records(const struct record *first, const char *indent, struct buf *out)
{
    size_t time_width = 0, word_width = 0, instance_width = 0;
    struct arena arena;
    arena_init(&arena, 0);
    for (const struct record *record = first; record; record = record->next) {
        size_t time = time_text(record->at_ms, &arena).n, instance = utf8_count(record->instance);
        if (time > time_width) time_width = time;
        if (record->word.n > word_width) word_width = record->word.n;
        if (instance > instance_width) instance_width = instance;
    }
    for (const struct record *record = first; record; record = record->next) {
        buf_add_str(out, str_of(indent));
        add_padded(out, time_text(record->at_ms, &arena), time_width + 2);
        add_padded(out, record->word, word_width + 2);
        add_padded(out, record->instance, instance_width ? instance_width + 2 : 0);
        add_safe(out, record->text);
        while (out->n && out->p[out->n - 1] == ' ') out->n--;
        buf_add_char(out, '\n');
    }
    arena_done(&arena);
}

/* ---- one case ---- */

void report_init(struct report *report, struct arena *arena)
{
    *report = (struct report){ 0 };
    buf_init(&report->text, arena);
    buf_init(&report->junit, arena);
    json_builder_init(&report->json, arena);
    json_open_array(&report->json);
}

static void add_verdict(struct report *report, bool passed)
{
    const char *colour = passed ? "\033[32m" : "\033[31m";
    if (report->colours) buf_add_str(&report->text, str_of(colour));
    buf_add_str(&report->text, passed ? STR("ok  ") : STR("FAIL"));
    if (report->colours) buf_add_str(&report->text, STR("\033[0m"));
}

static void add_differences(const struct scenario_result *result, const char *indent, struct buf *out)
{
    if (result->problem.n) {
        buf_add_str(out, str_of(indent));
        add_cut(out, result->problem);
        buf_add_char(out, '\n');
    }
    for (const struct difference *difference = result->difference; difference;
         difference = difference->next) {
        buf_add_str(out, str_of(indent));
        add_cut(out, difference->where);
        buf_printf(out, "\n%s  expected  ", indent);
        add_cut(out, difference->expected);
        buf_printf(out, "\n%s  but got   ", indent);
        add_cut(out, difference->actual);
        buf_add_char(out, '\n');
    }
}

static void add_headline(struct report *report, const struct suite *suite, size_t index, bool passed)
{
    add_verdict(report, passed);
    buf_add_char(&report->text, ' ');
    add_safe(&report->text, suite->file);
    buf_add_str(&report->text, STR(": "));
    add_safe(&report->text, scenario_name(suite, index));
}

/* ---- for programs ---- */

static void add_member(struct json_builder *out, const char *name, str text)
{
    json_add_name(out, str_of(name));
    json_add_string(out, utf8_is_valid(text) ? text : STR("?"));
}

static void add_object(struct report *report, const struct suite *suite, size_t index,
                       const struct scenario_result *result, const struct exploration *exploration)
{
    struct json_builder *out = &report->json;
    json_open_object(out);
    add_member(out, "file", suite->file);
    add_member(out, "name", scenario_name(suite, index));
    json_add_name(out, STR("passed"));
    json_add_bool(out, result->passed);
    if (exploration) {
        json_add_name(out, STR("runs"));
        json_add_int(out, (int64_t)exploration->run_count);
        json_add_name(out, STR("paths"));
        json_add_int(out, (int64_t)exploration->path_count);
        if (!result->passed)
            add_member(out, "seed",
                       arena_printf(out->cells.arena, "%llu", (unsigned long long)exploration->seed));
    }
    if (result->problem.n) add_member(out, "problem", result->problem);
    json_add_name(out, STR("differences"));
    json_open_array(out);
    for (const struct difference *difference = result->difference; difference;
         difference = difference->next) {
        json_open_object(out);
        add_member(out, "where", difference->where);
        add_member(out, "expected", difference->expected);
        add_member(out, "actual", difference->actual);
        json_close(out);
    }
    json_close(out);
    json_add_name(out, STR("records"));
    json_open_array(out);
    for (const struct record *record = result->passed && !report->verbose ? NULL : result->record; record;
         record = record->next) {
        json_open_object(out);
        json_add_name(out, STR("atMs"));
        json_add_int(out, record->at_ms);
        add_member(out, "what", str_trim(record->word));
        add_member(out, "instance", record->instance);
        add_member(out, "text", record->text);
        json_close(out);
    }
    json_close(out);
    json_close(out);
}

const struct json *report_json(struct report *report)
{
    json_close(&report->json);
    return json_built(&report->json);
}

/* ---- for test servers ---- */

static void add_xml(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '<') buf_add_str(out, STR("&lt;"));
        else if (c == '>') buf_add_str(out, STR("&gt;"));
        else if (c == '&') buf_add_str(out, STR("&amp;"));
        else if (c == '"') buf_add_str(out, STR("&quot;"));
        else if (c < 0x20 && c != '\n') buf_add_char(out, '?');
        else buf_add_char(out, (char)c);
    }
}

static void add_testcase(struct report *report, const struct suite *suite, size_t index,
                         const struct scenario_result *result, int64_t took_us)
{
    struct buf *out = &report->junit;
    buf_add_str(out, STR("  <testcase classname=\""));
    add_xml(out, suite->file);
    buf_add_str(out, STR("\" name=\""));
    add_xml(out, scenario_name(suite, index));
    buf_printf(out, "\" time=\"%.6f\"", (double)took_us / 1e6);
    if (result->passed) {
        buf_add_str(out, STR("/>\n"));
        return;
    }
    struct buf text;
    buf_init(&text, NULL);
    add_differences(result, "", &text);
    buf_add_str(out, STR(">\n    <failure message=\""));
    add_xml(out, result->problem.n    ? result->problem
                 : result->difference ? result->difference->where
                                      : STR("failed"));
    buf_add_str(out, STR("\">"));
    report_records(result->record, "", &text);
    add_xml(out, buf_str(&text));
    buf_add_str(out, STR("</failure>\n  </testcase>\n"));
    buf_done(&text);
}

void report_junit(const struct report *report, struct buf *out)
{
    buf_printf(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"pawl\" tests=\"%zu\" "
               "failures=\"%zu\">\n",
               report->passed + report->failed, report->failed);
    buf_add_str(out, buf_str(&report->junit));
    buf_add_str(out, STR("</testsuite>\n"));
}

/* ---- all three ---- */

static void add_everywhere(struct report *report, const struct suite *suite, size_t index,
                           const struct scenario_result *result, const struct exploration *exploration,
                           int64_t took_us)
{
    report->passed += result->passed;
    report->failed += !result->passed;
    if (!result->passed) add_differences(result, "  ", &report->text);
    if (!result->passed || report->verbose) report_records(result->record, "  ", &report->text);
    add_object(report, suite, index, result, exploration);
    add_testcase(report, suite, index, result, took_us);
}

void report_add(struct report *report, const struct suite *suite, size_t index,
                const struct scenario_result *result, int64_t took_us)
{
    if (!result->passed || report->verbose) {
        add_headline(report, suite, index, result->passed);
        buf_add_char(&report->text, '\n');
    }
    add_everywhere(report, suite, index, result, NULL, took_us);
}

/* A word for the shell: in quotes if it needs them. */
static void add_quoted(struct buf *out, str text)
{
    buf_add_char(out, '\'');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\'') buf_add_str(out, STR("'\\''"));
        else buf_add_char(out, text.p[i]);
    }
    buf_add_char(out, '\'');
}

void report_add_exploration(struct report *report, const struct suite *suite, size_t index,
                            const struct exploration *exploration, int64_t took_us)
{
    const struct scenario_result *result = &exploration->result;
    if (!exploration->run_count) return;
    if (!result->passed || report->verbose) {
        add_headline(report, suite, index, result->passed);
        buf_printf(&report->text, ": %zu varied run%s, %zu different path%s\n", exploration->run_count,
                   exploration->run_count == 1 ? "" : "s", exploration->path_count,
                   exploration->path_count == 1 ? "" : "s");
    }
    if (!result->passed) {
        struct buf safe;
        buf_init(&safe, NULL);
        buf_printf(&report->text,
                   "  the shortest failing run departs from the case %zu times (of %zu)\n  again: pawl test ",
                   exploration->shrunk_count, exploration->choice_count);
        add_quoted(&safe, suite->file);
        buf_add_str(&safe, STR(" -k "));
        add_quoted(&safe, scenario_name(suite, index));
        add_safe(&report->text, buf_str(&safe));
        buf_printf(&report->text, " --explore 1 --seed %llu\n", (unsigned long long)exploration->seed);
        buf_done(&safe);
    }
    add_everywhere(report, suite, index, result, exploration, took_us);
}
