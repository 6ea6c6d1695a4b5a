/* cli/serve/serve_trace.c — reads the variables of OpenTelemetry, for spans and for metrics that are pushed.
 *
 * A variable for traces, such as OTEL_EXPORTER_OTLP_TRACES_HEADERS, wins over the one for everything. Values
 * that we cannot obey are refused. Variables with OTEL_ that are not here get a warning (environment.c).
 */
#include "cli/serve/serve_trace.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "cli/limits.h"
#include "cli/serve/address.h"

#include <stdlib.h>

#define OTLP(name) "OTEL_EXPORTER_OTLP_" name

const char *const serve_trace_variables[] = { "OTEL_SDK_DISABLED",
                                              "OTEL_SERVICE_NAME",
                                              "OTEL_RESOURCE_ATTRIBUTES",
                                              "OTEL_TRACES_EXPORTER",
                                              OTLP("ENDPOINT"),
                                              OTLP("TRACES_ENDPOINT"),
                                              OTLP("HEADERS"),
                                              OTLP("TRACES_HEADERS"),
                                              OTLP("PROTOCOL"),
                                              OTLP("TRACES_PROTOCOL"),
                                              OTLP("TIMEOUT"),
                                              OTLP("TRACES_TIMEOUT"),
                                              OTLP("COMPRESSION"),
                                              OTLP("TRACES_COMPRESSION"),
                                              OTLP("CERTIFICATE"),
                                              OTLP("TRACES_CERTIFICATE"),
                                              "OTEL_METRICS_EXPORTER",
                                              OTLP("METRICS_ENDPOINT"),
                                              OTLP("METRICS_HEADERS"),
                                              OTLP("METRICS_PROTOCOL"),
                                              OTLP("METRICS_TIMEOUT"),
                                              OTLP("METRICS_COMPRESSION"),
                                              OTLP("METRICS_CERTIFICATE"),
                                              "OTEL_BSP_SCHEDULE_DELAY",
                                              "OTEL_BSP_MAX_QUEUE_SIZE",
                                              "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
                                              NULL };

/* An empty variable is one that is not there, says the standard. */
static str variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? str_of(value) : STR_NONE;
}

struct found_variable {
    const char *name;
    str value;
};

/* The variables for one kind of messages. */
struct signal_variables {
    const char *exporter, *endpoint, *headers, *protocol, *timeout, *compression, *certificate;
};
static const struct signal_variables of_traces = { "OTEL_TRACES_EXPORTER",    OTLP("TRACES_ENDPOINT"),
                                                   OTLP("TRACES_HEADERS"),    OTLP("TRACES_PROTOCOL"),
                                                   OTLP("TRACES_TIMEOUT"),    OTLP("TRACES_COMPRESSION"),
                                                   OTLP("TRACES_CERTIFICATE") };
static const struct signal_variables of_metrics = { "OTEL_METRICS_EXPORTER",    OTLP("METRICS_ENDPOINT"),
                                                    OTLP("METRICS_HEADERS"),    OTLP("METRICS_PROTOCOL"),
                                                    OTLP("METRICS_TIMEOUT"),    OTLP("METRICS_COMPRESSION"),
                                                    OTLP("METRICS_CERTIFICATE") };

/* The variable of the kind wins over the general one. */
static struct found_variable of_kind(const char *special, const char *general)
{
    struct found_variable found = { special, variable(special) };
    if (!found.value.n) found = (struct found_variable){ general, variable(general) };
    return found;
}

static enum status refuse(const struct found_variable *found, const char *may_be, struct error *err)
{
    return fail(err, ST_INVALID, found->name, "%s: \"%.*s\" is not %s", found->name,
                STR_ARG(utf8_cut(found->value, 80)), may_be);
}

static enum status read_number(struct found_variable found, int64_t most, int64_t *number, struct error *err)
{
    int64_t value;
    if (!found.value.n) return ST_OK;
    if (!str_to_int64(found.value, &value) || value < 1 || value > most)
        return fail(err, ST_INVALID, found.name, "%s: \"%.*s\" is not a number from 1 to %lld", found.name,
                    STR_ARG(utf8_cut(found.value, 80)), (long long)most);
    *number = value;
    return ST_OK;
}

/* ---- lists: a=1,b=%20 ---- */

static bool decode(str text, struct arena *arena, str *ret_text)
{
    char *p = arena_alloc(arena, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '%') {
            p[n++] = text.p[i];
            continue;
        }
        int high = i + 2 < text.n ? ascii_hex(text.p[i + 1]) : -1,
            low = high < 0 ? -1 : ascii_hex(text.p[i + 2]);
        if (low < 0) return false;
        p[n++] = (char)(high << 4 | low);
        i += 2;
    }
    p[n] = '\0';
    *ret_text = (str){ p, n };
    return true;
}

struct list_item {
    str key, value;
};

static enum status read_list(struct found_variable found, struct arena *arena, struct list_item **ret_item,
                             size_t *ret_count, struct error *err)
{
    str rest = found.value;
    size_t count = 0, most = 1;
    for (size_t i = 0; i < rest.n; i++) most += rest.p[i] == ',';
    struct list_item *item = arena_make_n(arena, struct list_item, most);
    while (rest.n) {
        size_t comma = str_find(rest, STR(","), 0);
        str one = str_trim(str_slice(rest, 0, comma == SIZE_MAX ? rest.n : comma));
        size_t equals = str_find(one, STR("="), 0);
        rest = comma == SIZE_MAX ? STR_NONE : str_slice(rest, comma + 1, rest.n);
        if (!one.n) continue;
        bool good = equals != SIZE_MAX && equals > 0;
        good = good && decode(str_trim(str_slice(one, equals + 1, one.n)), arena, &item[count].value);
        good = good && utf8_is_valid(item[count].value) && utf8_is_valid(one);
        for (size_t i = 0; good && i < item[count].value.n; i++)
            good = (unsigned char)item[count].value.p[i] >= ' ';
        /* The value may be a secret, so it is not shown. */
        if (!good)
            return fail(err, ST_INVALID, found.name, "%s: item %zu is not NAME=VALUE, percent-encoded",
                        found.name, count + 1);
        item[count++].key = arena_str(arena, str_trim(str_slice(one, 0, equals)));
    }
    *ret_item = item;
    *ret_count = count;
    return ST_OK;
}

static enum status read_headers(const struct signal_variables *of, struct arena *arena,
                                struct exporter_config *exporter, struct error *err)
{
    struct list_item *item;
    TRY(read_list(of_kind(of->headers, OTLP("HEADERS")), arena, &item, &exporter->header_count, err));
    const char **header = arena_make_n(arena, const char *, exporter->header_count);
    for (size_t i = 0; i < exporter->header_count; i++)
        header[i] = arena_printf(arena, "%.*s: %.*s", STR_ARG(item[i].key), STR_ARG(item[i].value)).p;
    exporter->header = header;
    return ST_OK;
}

/* ---- who we are ---- */

/* OTEL_SERVICE_NAME wins over service.name of OTEL_RESOURCE_ATTRIBUTES. */
static enum status read_resource(struct arena *arena, struct telemetry_resource *resource, struct error *err)
{
    struct list_item *item;
    size_t count, n = 0;
    str service = variable("OTEL_SERVICE_NAME");
    const struct found_variable found = { "OTEL_RESOURCE_ATTRIBUTES", variable("OTEL_RESOURCE_ATTRIBUTES") };
    if (!utf8_is_valid(service))
        return fail(err, ST_INVALID, "OTEL_SERVICE_NAME", "OTEL_SERVICE_NAME is not UTF-8");
    TRY(read_list(found, arena, &item, &count, err));
    struct telemetry_attribute *attribute = arena_make_n(arena, struct telemetry_attribute, count + 1);
    for (size_t i = 0; !service.n && i < count; i++)
        if (str_equal(item[i].key, STR("service.name"))) service = item[i].value;
    attribute[n++] = (struct telemetry_attribute){ "service.name",
                                                   service.n ? arena_str(arena, service) : STR("pawl"), 0 };
    for (size_t i = 0; i < count; i++)
        if (!str_equal(item[i].key, STR("service.name")))
            attribute[n++] = (struct telemetry_attribute){ item[i].key.p, item[i].value, 0 };
    *resource = (struct telemetry_resource){ attribute, n, STR(PAWL_VERSION) };
    return ST_OK;
}

/* ---- where to, and how ---- */

/* A base gets the path; a URL of the kind's own has one. */
static enum status take_url(str url, const char *name, const char *path, struct arena *arena,
                            struct exporter_config *exporter, struct error *err)
{
    bool right = str_starts(url, STR("http://")) || str_starts(url, STR("https://"));
    for (size_t i = 0; i < url.n; i++) right = right && (unsigned char)url.p[i] > ' ';
    if (!right)
        return fail(err, ST_INVALID, name, "%s: \"%.*s\" is not a URL such as http://localhost:4318", name,
                    STR_ARG(utf8_cut(url, 80)));
    while (*path && url.p[url.n - 1] == '/') url.n--;
    exporter->url = arena_printf(arena, "%.*s%s", STR_ARG(url), path).p;
    return ST_OK;
}

static enum status read_url(const struct options *options, struct serve_trace *settings, struct error *err)
{
    str special = variable(of_traces.endpoint), base = option_text(options, OPTION_OTLP);
    if (special.n) TRY(take_url(special, of_traces.endpoint, "", options->arena, &settings->exporter, err));
    else if (base.n) TRY(take_url(base, "--otlp", "/v1/traces", options->arena, &settings->exporter, err));
    settings->exports = special.n || base.n;
    return ST_OK;
}

/* on: to where spans go, or to where the standard variable says. */
static enum status read_push_url(const struct options *options, struct serve_trace *settings,
                                 struct error *err)
{
    str asked = option_text(options, OPTION_METRICS_PUSH), base = option_text(options, OPTION_OTLP);
    str special = variable(of_metrics.endpoint);
    struct exporter_config *pushing = &settings->pushing;
    settings->pushes = asked.n && !str_equal(asked, STR("off"));
    if (!settings->pushes) return ST_OK;
    if (!str_equal(asked, STR("on")))
        return take_url(asked, "--metrics-push", "/v1/metrics", options->arena, pushing, err);
    if (special.n) return take_url(special, of_metrics.endpoint, "", options->arena, pushing, err);
    if (base.n) return take_url(base, "--otlp", "/v1/metrics", options->arena, pushing, err);
    return fail(err, ST_INVALID, "--metrics-push",
                "--metrics-push on needs a collector: --otlp URL, or --metrics-push URL");
}

static enum status read_form(const struct signal_variables *of, struct arena *arena,
                             struct exporter_config *exporter, struct error *err)
{
    struct found_variable protocol = of_kind(of->protocol, OTLP("PROTOCOL"));
    struct found_variable packed = of_kind(of->compression, OTLP("COMPRESSION"));
    str authorities = of_kind(of->certificate, OTLP("CERTIFICATE")).value;
    exporter->is_json = str_equal(protocol.value, STR("http/json"));
    if (protocol.value.n && !exporter->is_json && !str_equal(protocol.value, STR("http/protobuf")))
        return refuse(&protocol, "http/protobuf or http/json", err);
    bool gzip = str_equal(packed.value, STR("gzip")), none = str_equal(packed.value, STR("none"));
    if (packed.value.n && !gzip && !none) return refuse(&packed, "gzip or none", err);
    /* Compressing takes a third of the exporter's time, and saves nothing within a machine. */
    exporter->is_plain = none || (!gzip && exporter->url && address_url_is_loopback(str_of(exporter->url)));
    if (authorities.n) exporter->authorities = arena_str(arena, authorities).p;
    return ST_OK;
}

static struct found_variable named(const char *name)
{
    return (struct found_variable){ name, variable(name) };
}

static enum status read_timeout(const struct signal_variables *of, struct exporter_config *exporter,
                                struct error *err)
{
    exporter->timeout_ms = 10 * 1000;
    return read_number(of_kind(of->timeout, OTLP("TIMEOUT")), OTEL_MS_MAX, &exporter->timeout_ms, err);
}

static enum status read_bounds(struct exporter_config *exporter, struct error *err)
{
    enum { RUNS = 65536, BATCH = 512, MILLION = 1 << 20 };
    int64_t delay_ms = 5 * 1000, runs = RUNS, batch = BATCH;
    TRY(read_number(named("OTEL_BSP_SCHEDULE_DELAY"), OTEL_MS_MAX, &delay_ms, err));
    TRY(read_number(named("OTEL_BSP_MAX_QUEUE_SIZE"), MILLION, &runs, err));
    TRY(read_number(named("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"), MILLION, &batch, err));
    exporter->delay_ms = delay_ms;
    exporter->runs_max = (size_t)runs;
    exporter->batch_max = (size_t)batch;
    return ST_OK;
}

/* "true" in any case turns it off; what is neither true nor false is refused. */
static enum status read_off(const struct signal_variables *of, bool *ret_off, struct error *err)
{
    struct found_variable disabled = named("OTEL_SDK_DISABLED"), kind = named(of->exporter);
    *ret_off = str_equal_ignoring_case(disabled.value, STR("true")) || str_equal(kind.value, STR("none"));
    if (disabled.value.n && !str_equal_ignoring_case(disabled.value, STR("true")) &&
        !str_equal_ignoring_case(disabled.value, STR("false")))
        return refuse(&disabled, "true or false", err);
    if (kind.value.n && !str_equal(kind.value, STR("none")) && !str_equal(kind.value, STR("otlp")))
        return refuse(&kind, "otlp or none", err);
    return ST_OK;
}

/* A page of a run links to it, so it must be one that a browser may open. */
static enum status read_page(const struct options *options, struct serve_trace *settings, struct error *err)
{
    str url = option_text(options, OPTION_TRACE_URL);
    bool right = str_starts(url, STR("http://")) || str_starts(url, STR("https://"));
    size_t place = str_find(url, STR("{trace}"), 0);
    for (size_t i = 0; i < url.n; i++) right = right && (unsigned char)url.p[i] > ' ';
    right = right && utf8_is_valid(url) && url.n <= TRACE_URL_BYTES_MAX && place != SIZE_MAX &&
            str_find(url, STR("{trace}"), place + 1) == SIZE_MAX;
    if (url.n && !right)
        return fail(err, ST_INVALID, "--trace-url",
                    "--trace-url: \"%.*s\" is not a URL of at most %d bytes with one {trace} in it, such as "
                    "https://tempo.example/t/{trace}",
                    STR_ARG(utf8_cut(url, 80)), TRACE_URL_BYTES_MAX);
    settings->url = url;
    return ST_OK;
}

/* Messages with metrics have one form only. */
static enum status read_push(const struct options *options, struct serve_trace *settings, struct error *err)
{
    struct exporter_config *pushing = &settings->pushing;
    bool off;
    TRY(read_push_url(options, settings, err));
    if (!settings->pushes && options->value[OPTION_METRICS_PUSH_EVERY].given)
        return fail(err, ST_INVALID, "--metrics-push-every", "--metrics-push-every goes with --metrics-push");
    if (!settings->pushes) return ST_OK;
    TRY(read_headers(&of_metrics, options->arena, pushing, err));
    TRY(read_form(&of_metrics, options->arena, pushing, err));
    TRY(read_timeout(&of_metrics, pushing, err));
    TRY(read_off(&of_metrics, &off, err));
    if (pushing->is_json)
        return fail(err, ST_INVALID, of_metrics.protocol,
                    "metrics are pushed as http/protobuf: set %s to it, if other messages are JSON",
                    of_metrics.protocol);
    settings->push_every_ms = option_number(options, OPTION_METRICS_PUSH_EVERY);
    if (settings->push_every_ms < PUSH_EVERY_MS_MIN || settings->push_every_ms > PUSH_EVERY_MS_MAX)
        return fail(err, ST_INVALID, "--metrics-push-every", "--metrics-push-every is from 100 ms to a day");
    settings->pushes = !off;
    return ST_OK;
}

enum status serve_trace_read(const struct options *options, struct serve_trace *settings, struct error *err)
{
    bool off;
    *settings = (struct serve_trace){ .exporter.resource = &settings->resource,
                                      .pushing.resource = &settings->resource };
    TRY(read_resource(options->arena, &settings->resource, err));
    TRY(read_url(options, settings, err));
    TRY(read_headers(&of_traces, options->arena, &settings->exporter, err));
    TRY(read_form(&of_traces, options->arena, &settings->exporter, err));
    TRY(read_timeout(&of_traces, &settings->exporter, err));
    TRY(read_bounds(&settings->exporter, err));
    TRY(sampling_parse(option_text(options, OPTION_TRACE_SAMPLE), &settings->exporter.sampling, err));
    TRY(read_off(&of_traces, &off, err));
    settings->exports = settings->exports && !off;
    TRY(read_page(options, settings, err));
    return read_push(options, settings, err);
}
