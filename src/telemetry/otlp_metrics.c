/* telemetry/otlp_metrics.c — a page of /metrics as a message of OTLP. The field numbers are those of
 * opentelemetry/proto/metrics/v1/metrics.proto.
 *
 * The page is the one source of all numbers, so a collector gets what a scraper gets. Families come one after
 * the other, and all lines of a series of a histogram behind each other: buckets, sum, count.
 */
#include "telemetry/limits.h"
#include "telemetry/wire_int.h"

#include <stdlib.h>
#include <string.h>

enum { CUMULATIVE = 2 };
enum family_type { FAMILY_GAUGE, FAMILY_SUM, FAMILY_HISTOGRAM };

/* One line: name{labels} value. */
struct metric_line {
    str name, labels, value;
};

struct metrics_message {
    int64_t start_ms, now_ms;
    size_t count; /* Points. */
    struct buf metrics;

    /* The family that is being read. */
    str name, help;
    enum family_type type;
    struct buf points; /* Each as field 1. */

    /* The series of a histogram that is being read. */
    struct buf bounds, buckets, scratch;
    char le[METRIC_NUMBER_BYTES_MAX];
    uint64_t before; /* The count of the bucket before: those of a page include it. */
    double sum;
};

/* ---- numbers ---- */

static double number_of(str text)
{
    char digits[METRIC_NUMBER_BYTES_MAX];
    if (text.n >= sizeof digits) return 0;
    memcpy(digits, text.p, text.n);
    digits[text.n] = '\0';
    return strtod(digits, NULL);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- labels ---- */

/* Takes name="value" from the beginning; false: there is none. The value is unescaped into `scratch`. */
static bool next_label(str *rest, struct buf *scratch, str *ret_name, str *ret_value)
{
    size_t equals = str_find(*rest, STR("=\""), 0), i;
    if (equals == SIZE_MAX) return false;
    *ret_name = str_slice(*rest, 0, equals);
    scratch->n = 0;
    for (i = equals + 2; i < rest->n && rest->p[i] != '"'; i++) {
        char c = rest->p[i];
        if (c == '\\' && i + 1 < rest->n) c = rest->p[++i] == 'n' ? '\n' : rest->p[i];
        buf_add_char(scratch, c);
    }
    *ret_value = buf_str(scratch);
    if (!ret_value->p) *ret_value = STR("");
    while (i < rest->n && (rest->p[i] == '"' || rest->p[i] == ',')) i++;
    *rest = str_slice(*rest, i, rest->n);
    return true;
}

/* All labels but `le`, which is given back: empty if there is none. */
static str put_labels(struct metrics_message *message, struct buf *out, uint32_t field, str labels)
{
    str name, value, le = STR_NONE, rest = labels;
    char key[METRIC_LABEL_BYTES_MAX];
    while (next_label(&rest, &message->scratch, &name, &value)) {
        if (str_equal(name, STR("le"))) {
            size_t n = value.n < sizeof message->le ? value.n : 0;
            memcpy(message->le, value.p, n);
            le = (str){ message->le, n };
            continue;
        }
        if (name.n >= sizeof key) continue;
        memcpy(key, name.p, name.n);
        key[name.n] = '\0';
        wire_put_attribute(out, field, &(struct telemetry_attribute){ key, value, 0 });
    }
    return le;
}

/* ---- points ---- */

/* NumberDataPoint { 2: start, 3: time, 4: double, 7: attributes } */
static void add_number(struct metrics_message *message, const struct metric_line *line)
{
    struct buf point;
    buf_init(&point, NULL);
    if (message->type == FAMILY_SUM) wire_put_time(&point, 2, message->start_ms);
    wire_put_time(&point, 3, message->now_ms);
    wire_put_double(&point, 4, number_of(line->value));
    put_labels(message, &point, 7, line->labels);
    wire_put_bytes(&message->points, 1, buf_str(&point));
    message->count++;
    buf_done(&point);
}

/* The last bucket, +Inf, has no bound. */
static void add_bucket(struct metrics_message *message, const struct metric_line *line)
{
    struct buf nowhere;
    buf_init(&nowhere, NULL);
    str le = put_labels(message, &nowhere, 7, line->labels);
    buf_done(&nowhere);
    uint64_t count = (uint64_t)number_of(line->value);
    wire_put_eight(&message->buckets, count - message->before);
    message->before = count;
    if (!str_equal(le, STR("+Inf"))) wire_put_eight(&message->bounds, bits_of(number_of(le)));
}

/* HistogramDataPoint { 2: start, 3: time, 4: count, 5: sum, 6: buckets, 7: bounds, 9: attributes } */
static void end_histogram(struct metrics_message *message, const struct metric_line *line)
{
    struct buf point;
    buf_init(&point, NULL);
    wire_put_time(&point, 2, message->start_ms);
    wire_put_time(&point, 3, message->now_ms);
    /* A zero is not written. */
    if (number_of(line->value) > 0) wire_put_fixed64(&point, 4, (uint64_t)number_of(line->value));
    wire_put_double(&point, 5, message->sum);
    wire_put_bytes(&point, 6, buf_str(&message->buckets));
    if (message->bounds.n) wire_put_bytes(&point, 7, buf_str(&message->bounds));
    put_labels(message, &point, 9, line->labels);
    wire_put_bytes(&message->points, 1, buf_str(&point));
    message->count++;
    buf_done(&point);
    message->buckets.n = message->bounds.n = 0;
    message->before = 0;
    message->sum = 0;
}

/* ---- families ---- */

/* Metric { 1: name, 2: description, 3: unit, 5: gauge, 7: sum, 9: histogram } */
static void end_family(struct metrics_message *message)
{
    static const uint32_t fields[] = { [FAMILY_GAUGE] = 5, [FAMILY_SUM] = 7, [FAMILY_HISTOGRAM] = 9 };
    struct buf metric;
    if (!message->points.n) return;
    buf_init(&metric, NULL);
    wire_put_bytes(&metric, 1, message->name);
    if (message->help.n) wire_put_bytes(&metric, 2, message->help);
    if (str_find(message->name, STR("_seconds"), 0) != SIZE_MAX) wire_put_bytes(&metric, 3, STR("s"));
    if (str_find(message->name, STR("_bytes"), 0) != SIZE_MAX) wire_put_bytes(&metric, 3, STR("By"));
    if (message->type != FAMILY_GAUGE) wire_put_varint(&message->points, 2, CUMULATIVE);
    if (message->type == FAMILY_SUM) wire_put_varint(&message->points, 3, true);
    wire_put_bytes(&metric, fields[message->type], buf_str(&message->points));
    wire_put_bytes(&message->metrics, 2, buf_str(&metric));
    buf_done(&metric);
    message->points.n = 0;
}

/* "# HELP name text", "# TYPE name type" */
static void read_head(struct metrics_message *message, str line)
{
    bool is_help = str_starts(line, STR("# HELP ")), is_type = str_starts(line, STR("# TYPE "));
    str rest = str_slice(line, sizeof "# HELP " - 1, line.n);
    size_t blank = str_find(rest, STR(" "), 0);
    if ((!is_help && !is_type) || blank == SIZE_MAX) return;
    str word = str_slice(rest, blank + 1, rest.n);
    if (is_help) {
        end_family(message);
        message->name = str_slice(rest, 0, blank);
        message->help = word;
    }
    if (is_type)
        message->type = str_equal(word, STR("counter"))     ? FAMILY_SUM
                        : str_equal(word, STR("histogram")) ? FAMILY_HISTOGRAM
                                                            : FAMILY_GAUGE;
}

/* Labels may have blanks and braces in quotes, so the end is looked for from behind. */
static void read_sample(struct metrics_message *message, str line)
{
    struct metric_line read = { .labels = STR("") };
    size_t blank = line.n, brace = str_find(line, STR("{"), 0);
    while (blank && line.p[blank - 1] != ' ') blank--;
    if (!blank) return;
    read.value = str_slice(line, blank, line.n);
    read.name = str_slice(line, 0, blank - 1);
    if (brace < blank) {
        read.name = str_slice(line, 0, brace);
        read.labels = str_slice(line, brace + 1, blank - 2);
    }
    if (message->type != FAMILY_HISTOGRAM) add_number(message, &read);
    else if (str_ends(read.name, STR("_bucket"))) add_bucket(message, &read);
    else if (str_ends(read.name, STR("_sum"))) message->sum = number_of(read.value);
    else end_histogram(message, &read);
}

size_t otlp_metrics_encode(str page, const struct telemetry_resource *resource, int64_t start_ms,
                           int64_t now_ms, struct buf *out)
{
    struct metrics_message message = { .start_ms = start_ms, .now_ms = now_ms };
    struct buf *const bufs[] = { &message.metrics, &message.points, &message.bounds, &message.buckets,
                                 &message.scratch };
    for (size_t i = 0; i < COUNT(bufs); i++) buf_init(bufs[i], NULL);
    while (page.n) {
        size_t end = str_find(page, STR("\n"), 0);
        if (end == SIZE_MAX) end = page.n;
        str line = str_slice(page, 0, end);
        page = str_slice(page, end + 1, page.n);
        if (line.n && line.p[0] == '#') read_head(&message, line);
        else if (line.n) read_sample(&message, line);
    }
    end_family(&message);
    wire_put_message(out, resource, buf_str(&message.metrics));
    for (size_t i = 0; i < COUNT(bufs); i++) buf_done(bufs[i]);
    return message.count;
}
