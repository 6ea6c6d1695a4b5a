/* api/metrics_open.c — the page of /metrics in the text format of OpenMetrics 1.0.
 *
 * The page is written in the older format first, because one list of metrics is enough. The formats differ in
 * this: a family of counters has the name without _total; a number that only identifies something is of type
 * info; bounds of buckets have a point; buckets may have exemplars; and the text has an end.
 */
#include "api/metrics_int.h"

#include "base/ascii.h"
#include "net/weighted.h"

/* ---- which format ---- */

bool metrics_wants_open(const struct http_request *request)
{
    str accept = http_header(request, STR("Accept"));
    struct weighted_item range;
    int open = 0, plain = 0;
    while (weighted_next(&accept, &range)) {
        bool has_version = str_find(range.parameters, STR("version="), 0) != SIZE_MAX;
        bool is_ours = !has_version || str_find(range.parameters, STR("version=1.0.0"), 0) != SIZE_MAX;
        if (str_equal(range.name, STR("application/openmetrics-text")) && is_ours && range.weight > open)
            open = range.weight;
        if (str_equal(range.name, STR("text/plain")) && range.weight > plain) plain = range.weight;
    }
    return open > 0 && open >= plain;
}

/* ---- the text ---- */

/* "# HELP name text" and the "# TYPE name type" behind it. */
struct open_family {
    str name, help, type;
};

static str cut_ending(str name, const char *ending)
{
    return str_ends(name, str_of(ending)) ? str_slice(name, 0, name.n - strlen(ending)) : STR_NONE;
}

static void put_help(struct buf *out, str help)
{
    for (size_t i = 0; i < help.n; i++) {
        if (help.p[i] == '"') buf_add_char(out, '\\');
        buf_add_char(out, help.p[i]);
    }
}

static void put_head(struct buf *out, const struct open_family *family)
{
    bool is_counter = str_equal(family->type, STR("counter")),
         is_gauge = str_equal(family->type, STR("gauge"));
    str name = family->name, type = family->type;
    str total = is_counter ? cut_ending(name, "_total") : STR_NONE;
    str info = is_gauge ? cut_ending(name, "_info") : STR_NONE;
    if (is_counter && !total.n) type = STR("unknown"); /* A name of an earlier version. */
    if (info.n) type = STR("info");
    if (total.n || info.n) name = total.n ? total : info;
    buf_printf(out, "# TYPE %.*s %.*s\n# HELP %.*s ", STR_ARG(name), STR_ARG(type), STR_ARG(name));
    put_help(out, family->help);
    buf_add_char(out, '\n');
}

static void read_head(struct buf *out, str line, struct open_family *family)
{
    bool is_help = str_starts(line, STR("# HELP "));
    str rest = str_slice(line, sizeof "# HELP " - 1, line.n);
    size_t blank = str_find(rest, STR(" "), 0);
    if (blank == SIZE_MAX) blank = rest.n;
    str word = str_slice(rest, blank + 1, rest.n);
    if (is_help) {
        *family = (struct open_family){ .name = str_slice(rest, 0, blank), .help = word };
        return;
    }
    family->type = word;
    put_head(out, family);
}

/* `le="1"` becomes `le="1.0"`. It is the last label of a bucket. */
static void put_bucket(struct buf *out, str line)
{
    size_t from = str_find(line, STR("le=\""), 0), end;
    for (size_t next = from; next != SIZE_MAX; next = str_find(line, STR("le=\""), next + 1)) from = next;
    if (from == SIZE_MAX) from = line.n;
    end = str_find(line, STR("\"}"), from);
    if (end == SIZE_MAX) end = line.n;
    bool is_whole = true;
    for (size_t i = from + 4; i < end; i++) is_whole &= ascii_is_digit(line.p[i]);
    buf_add_str(out, str_slice(line, 0, end));
    if (is_whole && end < line.n) buf_add_str(out, STR(".0"));
    buf_add_str(out, str_slice(line, end, line.n));
    buf_add_char(out, '\n');
}

void metrics_put_open(struct buf *out, str page)
{
    struct open_family family = { 0 };
    while (page.n) {
        size_t end = str_find(page, STR("\n"), 0);
        if (end == SIZE_MAX) end = page.n;
        str line = str_slice(page, 0, end);
        page = str_slice(page, end + 1, page.n);
        if (str_starts(line, STR("# "))) {
            read_head(out, line, &family);
        } else if (str_equal(family.type, STR("histogram")) &&
                   str_find(line, STR("_bucket{"), 0) != SIZE_MAX) {
            put_bucket(out, line);
        } else if (line.n) {
            buf_add_str(out, line);
            buf_add_char(out, '\n');
        }
    }
    buf_add_str(out, STR("# EOF\n"));
}
