/* program/arrival.c — a trigger of a document becomes terms, and its normal form. */
#include "program/arrival.h"

#include "base/duration.h"
#include "expr/template/template.h"
#include "program/limits.h"
#include "program/topic.h"
#include "schedule/cron.h"
#include "schedule/zone.h"
#include "schema/schema.h"

/* ---- words ---- */

const char *arrival_type_word(enum arrival_type type)
{
    static const char *const words[] = {
#define XX(NAME, word, older) word,
        ARRIVAL_TYPE_MAP(XX)
#undef XX
    };
    return words[type];
}

static const char *const policies[] = {
#define XX(NAME, word, meaning) word,
    ARRIVAL_POLICY_MAP(XX)
#undef XX
};
static const char *const auths[] = {
#define XX(NAME, word) word,
    ARRIVAL_AUTH_MAP(XX)
#undef XX
};
static const char *const formats[] = {
#define XX(NAME, word) word,
    ARRIVAL_FORMAT_MAP(XX)
#undef XX
};

const char *arrival_policy_word(enum arrival_policy policy) { return policies[policy]; }

bool arrival_type_of(str word, enum arrival_type *ret_type)
{
    static const struct {
        const char *word;
        enum arrival_type type;
    } known[] = {
#define XX(NAME, word, older) { word, ARRIVAL_##NAME }, { older, ARRIVAL_##NAME },
        ARRIVAL_TYPE_MAP(XX)
#undef XX
            { "trigger_manual", ARRIVAL_MANUAL },
        { "trigger_webhook", ARRIVAL_HTTP },
        { "trigger_http", ARRIVAL_HTTP },
        { "webhook", ARRIVAL_HTTP },
        { "trigger_mqtt", ARRIVAL_MQTT },
        { "trigger_cron", ARRIVAL_CRON },
        { "schedule", ARRIVAL_CRON },
        { "scheduled", ARRIVAL_CRON },
        { "interval", ARRIVAL_CRON },
        { "trigger_poll", ARRIVAL_POLL },
        { "polling", ARRIVAL_POLL },
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        if (!str_equal_ignoring_case(word, str_of(known[i].word))) continue;
        *ret_type = known[i].type;
        return true;
    }
    return false;
}

/* ---- fields ---- */

/* One trigger as it is read. */
struct terms_reading {
    const struct json *trigger;
    str pointer;
    struct arena *arena;
    struct problems *problems;
    struct json_builder *config;
};

/* A member by its name or its second name (NULL: none); null counts as absent. */
static const struct json *field(const struct terms_reading *reading, const char *name, const char *second)
{
    const struct json *value = json_get(reading->trigger, str_of(name));
    if (!value && second) value = json_get(reading->trigger, str_of(second));
    return json_is(value, JSON_NULL) ? NULL : value;
}

static str pointer_of(const struct terms_reading *reading, const char *name)
{
    return problem_pointer(reading->arena, reading->pointer, str_of(name));
}

/* The same for a member with two names: the one that the author used. */
static str pointer_of_either(const struct terms_reading *reading, const char *name, const char *second)
{
    return pointer_of(
        reading, json_get(reading->trigger, str_of(name)) || !field(reading, second, NULL) ? name : second);
}

static void warn_of_idle(const struct terms_reading *reading, const char *name, const char *why)
{
    if (field(reading, name, NULL))
        problem_warning(reading->problems, PROBLEM_IGNORED, pointer_of(reading, name), NULL,
                        "%s has no effect: %s", name, why);
}

static void warn_of_second(const struct terms_reading *reading, const char *name, const char *second)
{
    const struct json *first = field(reading, name, NULL), *other = field(reading, second, NULL);
    if (first && other && !json_equal(first, other))
        warn_of_idle(reading, second,
                     arena_printf(reading->arena, "it means the same as %s, which comes first", name).p);
}

static void keep(const struct terms_reading *reading, const char *name, const struct json *value)
{
    if (!value) return;
    json_add_name(reading->config, str_of(name));
    json_add(reading->config, value);
}

/* A text, kept in the normal form under `kept`. Empty if it is not given. */
static str read_text(const struct terms_reading *reading, const char *name, const char *second,
                     const char *kept)
{
    const struct json *value = field(reading, name, second);
    if (!value) return STR_NONE;
    if (!json_is(value, JSON_STRING)) {
        problem_error(reading->problems, PROBLEM_WRONG_TYPE, pointer_of(reading, name), NULL,
                      "%s is a text, and this is %s", name, json_kind_name(json_kind(value)));
        return STR_NONE;
    }
    keep(reading, kept, value);
    return arena_str(reading->arena, json_string(value));
}

/* One of the words, in any case; the first one if it is not given. */
static int read_word(const struct terms_reading *reading, const char *name, const char *const *word,
                     size_t count, enum problem_code code)
{
    const struct json *value = field(reading, name, NULL);
    if (!value) return 0;
    for (size_t i = 0; json_is(value, JSON_STRING) && i < count; i++)
        if (str_equal_ignoring_case(json_string(value), str_of(word[i]))) return (int)i;
    struct buf list;
    buf_init(&list, reading->arena);
    for (size_t i = 0; i < count; i++) buf_printf(&list, "%s%s", i ? ", " : "", word[i]);
    problem_error(reading->problems, code, pointer_of(reading, name), NULL, "%s is one of %.*s", name,
                  STR_ARG(buf_str(&list)));
    return 0;
}

static void keep_word(const struct terms_reading *reading, const char *name, const char *word)
{
    json_add_name(reading->config, str_of(name));
    json_add_string(reading->config, str_of(word));
}

static int64_t read_number(const struct terms_reading *reading, const char *name, int64_t least, int64_t most,
                           int64_t otherwise)
{
    const struct json *value = field(reading, name, NULL);
    int64_t number;
    if (!value) return otherwise;
    if (json_is(value, JSON_NUMBER) && json_int64(value, &number) && number >= least && number <= most)
        return number;
    problem_error(reading->problems, PROBLEM_BAD_VALUE, pointer_of(reading, name), NULL,
                  "%s is a whole number from %lld to %lld", name, (long long)least, (long long)most);
    return otherwise;
}

/* true or false; false if it is not given. Kept in the normal form under `kept`. */
static bool read_flag(const struct terms_reading *reading, const char *name, const char *kept)
{
    const struct json *value = field(reading, name, NULL);
    if (value && !json_is(value, JSON_BOOL))
        problem_error(reading->problems, PROBLEM_WRONG_TYPE, pointer_of(reading, name), NULL,
                      "%s is true or false, and this is %s", name, json_kind_name(json_kind(value)));
    keep(reading, kept, value);
    return json_is(value, JSON_BOOL) && json_bool(value);
}

/* ---- keys ---- */

static bool read_level(str text, uint32_t *ret_level)
{
    int64_t level;
    if (!str_starts(text, STR("$topic[")) || !str_ends(text, STR("]"))) return false;
    if (!str_to_int64(str_slice(text, 7, text.n - 1), &level) || level < 0 || level > TOPIC_BYTES_MAX)
        return false;
    *ret_level = (uint32_t)level;
    return true;
}

/* "/pattern/flags": where the pattern ends, or 0 if it is no such text. */
static size_t pattern_end(str text)
{
    size_t end = text.n;
    while (end > 1 && text.p[end - 1] >= 'a' && text.p[end - 1] <= 'z') end--;
    return text.n > 2 && text.p[0] == '/' && end > 2 && text.p[end - 1] == '/' ? end - 1 : 0;
}

static bool read_flags(str flags, uint32_t *ret_options)
{
    *ret_options = 0;
    for (size_t i = 0; i < flags.n; i++) {
        switch (flags.p[i]) {
        case 'i': *ret_options |= REGEX_IGNORE_CASE; break;
        case 'm': *ret_options |= REGEX_MULTILINE; break;
        case 's': *ret_options |= REGEX_DOT_ALL; break;
        case 'x': *ret_options |= REGEX_EXTENDED; break;
        case 'g':
        case 'u': break; /* One match is looked for, and texts are UTF-8. */
        default: return false;
        }
    }
    return true;
}

static void read_pattern(str text, size_t end, str pointer, struct arena *arena, struct arrival_key *key,
                         struct problems *problems)
{
    char message[REGEX_MESSAGE_BYTES] = "a flag is one of i, m, s, x";
    uint32_t options;
    key->kind = ARRIVAL_KEY_REGEX;
    if (read_flags(str_slice(text, end + 1, text.n), &options))
        key->regex = regex_compile(str_slice(text, 1, end), options, arena, message);
    if (!key->regex) problem_error(problems, PROBLEM_BAD_EXPRESSION, pointer, NULL, "%s", message);
}

void arrival_read_key(const struct json *value, enum arrival_type type, str pointer, struct arena *arena,
                      struct arrival_key *ret_key, struct problems *problems)
{
    struct error err;
    *ret_key = (struct arrival_key){ .kind = ARRIVAL_KEY_NONE };
    if (!value || json_is(value, JSON_NULL)) return;
    if (!json_is(value, JSON_STRING)) {
        problem_error(problems, PROBLEM_WRONG_TYPE, pointer, NULL,
                      "the key of an arrival is a text: a JSONPath, $topic[n], /regex/ or a constant");
        return;
    }
    str text = arena_str(arena, json_string(value));
    size_t end = pattern_end(text);
    ret_key->text = text;
    if (!text.n) return;
    if (read_level(text, &ret_key->level)) {
        ret_key->kind = ARRIVAL_KEY_TOPIC;
        if (type != ARRIVAL_MQTT)
            problem_error(problems, PROBLEM_BAD_EXPRESSION, pointer, NULL,
                          "only messages have a topic, and this trigger is of type %s",
                          arrival_type_word(type));
    } else if (text.p[0] == '$') {
        ret_key->kind = ARRIVAL_KEY_PATH;
        if (jsonpath_compile(text, JSONPATH_STRICT, arena, &ret_key->path, &err) != ST_OK)
            problem_error(problems, PROBLEM_BAD_PATH, pointer, NULL, "%s", err.message);
    } else if (end) {
        read_pattern(text, end, pointer, arena, ret_key, problems);
    } else {
        ret_key->kind = ARRIVAL_KEY_CONSTANT;
    }
}

static void read_key(const struct terms_reading *reading, const char *name, const char *kept,
                     enum arrival_type type, struct arrival_key *ret_key)
{
    const struct json *value = field(reading, name, NULL);
    arrival_read_key(value, type, pointer_of(reading, name), reading->arena, ret_key, reading->problems);
    keep(reading, kept, value);
}

/* A filter sees the arrival's value: all its names are members of it, or `trigger` and `body`. */
static enum status find_root(void *context, const struct template_path *path, struct template_root *ret_root,
                             struct error *err)
{
    (void)context;
    (void)err;
    *ret_root = (struct template_root){ .name = path->name[0], .used = 1 };
    return ST_OK;
}

/* A text in the language of expressions, or a condition as an object. */
static void read_filter(const struct terms_reading *reading, struct arrival_terms *terms)
{
    const struct json *value = field(reading, "filter", "filterExpression");
    const struct template_roots roots = { .find = find_root };
    struct error err;
    if (!value) return;
    keep(reading, "filter", value);
    warn_of_second(reading, "filter", "filterExpression");
    if (!json_is(value, JSON_STRING) && !json_is(value, JSON_OBJECT)) {
        problem_error(reading->problems, PROBLEM_WRONG_TYPE, pointer_of(reading, "filter"), NULL,
                      "a filter is an expression, as a text, or a condition, as an object");
        return;
    }
    enum status status = json_is(value, JSON_STRING)
                             ? expr_compile(json_string(value), reading->arena, &terms->filter, &err)
                             : expr_structured(value, true, &roots, reading->arena, &terms->filter, &err);
    if (status != ST_OK)
        problem_error(reading->problems, PROBLEM_BAD_EXPRESSION, pointer_of(reading, "filter"), NULL, "%s",
                      err.message);
}

/* ---- by type ---- */

static const char *path_mistake(str path)
{
    if (!path.n) return "a webhook needs a path";
    if (path.p[0] != '/') return "a path begins with /";
    if (path.n > ARRIVAL_PATH_BYTES_MAX) return "the path is too long";
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];
        if (c <= ' ' || c == 0x7f || c == '?' || c == '#') return "a path has no spaces, no ? and no #";
    }
    if (str_find(path, STR("//"), 0) != SIZE_MAX) return "a path has no empty part";
    if (path.n > 1 && path.p[path.n - 1] == '/') return "a path does not end with /";
    if (str_find(path, STR("/../"), 0) != SIZE_MAX || str_find(path, STR("/./"), 0) != SIZE_MAX ||
        str_ends(path, STR("/..")) || str_ends(path, STR("/.")))
        return "a path has no part that is . or ..";
    return NULL;
}

bool arrival_path_is_reserved(str path)
{
    static const str words[] = { STR_INIT("api"),          STR_INIT("v1"),        STR_INIT("t"),
                                 STR_INIT("forms"),        STR_INIT("forms.css"), STR_INIT("login"),
                                 STR_INIT("oauth"),        STR_INIT("mcp"),       STR_INIT("docs"),
                                 STR_INIT("ui"),           STR_INIT("metrics"),   STR_INIT("healthz"),
                                 STR_INIT("livez"),        STR_INIT("readyz"),    STR_INIT("schemas"),
                                 STR_INIT("openapi.json"), STR_INIT("hooks"),     STR_INIT(".well-known"),
                                 STR_INIT("llms.txt") };
    str first = str_slice(path, 1, str_find(path, STR("/"), 1));
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_equal_ignoring_case(first, words[i])) return true;
    return false;
}

static void read_http(const struct terms_reading *reading, struct arrival_terms *terms)
{
    static const char *const methods[] = { "POST", "GET", "PUT", "DELETE" };
    static const char *const modes[] = { "AckOnArrival", "RespondOnComplete" };
    terms->path = read_text(reading, "path", NULL, "path");
    const char *mistake = path_mistake(terms->path);
    if (mistake)
        problem_error(reading->problems, PROBLEM_INVALID_PATH, pointer_of(reading, "path"), NULL, "%s",
                      mistake);
    /* A warning, because documents of earlier versions have to be readable; nobody can publish it. */
    if (!mistake && arrival_path_is_reserved(terms->path))
        problem_warning(reading->problems, PROBLEM_INVALID_PATH, pointer_of(reading, "path"), NULL,
                        "the engine's own routes begin like this, so the webhook is not served");
    int method = read_word(reading, "method", methods, COUNT(methods), PROBLEM_BAD_VALUE);
    terms->method = str_of(methods[method]);
    keep_word(reading, "method", methods[method]);
    terms->auth = (enum arrival_auth)read_word(reading, "authType", auths, COUNT(auths), PROBLEM_BAD_VALUE);
    keep_word(reading, "authType", auths[terms->auth]);
    terms->secret = read_text(reading, "secretRef", NULL, "secretRef");
    if (terms->auth != ARRIVAL_AUTH_NONE && !terms->secret.n)
        problem_error(reading->problems, PROBLEM_REQUIRED, pointer_of(reading, "secretRef"), NULL,
                      "authType %s needs a secretRef, the name of a secret", auths[terms->auth]);
    if (terms->auth == ARRIVAL_AUTH_NONE)
        warn_of_idle(reading, "secretRef", "authType is None, so nobody proves who it is");
    terms->answers_when_done =
        read_word(reading, "responseMode", modes, COUNT(modes), PROBLEM_BAD_VALUE) == 1;
    keep_word(reading, "responseMode", modes[terms->answers_when_done]);
    terms->success_code = (int32_t)read_number(reading, "successCode", 200, 299, 0);
    keep(reading, "successCode", field(reading, "successCode", NULL));
    terms->opaque = read_flag(reading, "opaqueResponses", "opaque");
    if (!terms->opaque) return;
    warn_of_idle(reading, "successCode", "the answer is opaque");
    if (terms->answers_when_done) warn_of_idle(reading, "responseMode", "the answer is opaque");
}

static void read_mqtt(const struct terms_reading *reading, struct arrival_terms *terms)
{
    terms->broker = read_text(reading, "brokerRef", NULL, "brokerRef");
    if (!terms->broker.n)
        problem_error(reading->problems, PROBLEM_REQUIRED, pointer_of(reading, "brokerRef"), NULL,
                      "an MQTT trigger needs a brokerRef, the name of a secret");
    terms->topic = read_text(reading, "topic", NULL, "topic");
    if (!field(reading, "topic", NULL)) {
        terms->topic = STR("#");
        keep_word(reading, "topic", "#");
    }
    const char *mistake = topic_filter_check(terms->topic);
    if (mistake)
        problem_error(reading->problems, PROBLEM_BAD_VALUE, pointer_of(reading, "topic"), NULL,
                      "the topic filter %s", mistake);
    terms->qos = (uint8_t)read_number(reading, "qos", 0, 2, 1);
    if (terms->qos == 2)
        problem_warning(reading->problems, PROBLEM_IGNORED, pointer_of(reading, "qos"),
                        "write 1, and give the trigger a deduplicationKey",
                        "qos 2 is subscribed as 1: a message may come twice, and none is lost");
    json_add_name(reading->config, STR("qos"));
    json_add_int(reading->config, terms->qos);
    terms->format =
        (enum arrival_format)read_word(reading, "payloadFormat", formats, COUNT(formats), PROBLEM_BAD_VALUE);
    keep_word(reading, "payloadFormat", formats[terms->format]);
    terms->schema = read_text(reading, "schemaRef", NULL, "schemaRef");
    if (terms->format != ARRIVAL_FORMAT_PROTOBUF) {
        warn_of_idle(reading, "schemaRef", "payloadFormat is not Protobuf");
        return;
    }
    if (!terms->schema.n)
        problem_error(reading->problems, PROBLEM_REQUIRED, pointer_of(reading, "schemaRef"), NULL,
                      "payloadFormat Protobuf needs a schemaRef");
    else if (str_find(terms->schema, STR("#"), 0) + 1 >= terms->schema.n)
        problem_error(reading->problems, PROBLEM_BAD_VALUE, pointer_of(reading, "schemaRef"), NULL,
                      "a schemaRef names a secret with a FileDescriptorSet, and after # a message: "
                      "vault:telemetry#acme.Reading");
}

/* A number of units as milliseconds. */
static int64_t read_interval(const struct terms_reading *reading, const char *value, const char *unit,
                             int64_t otherwise)
{
    static const char *const units[] = { "Minutes", "Seconds", "Hours", "Days" };
    static const int64_t unit_ms[] = { MINUTE_MS, SECOND_MS, HOUR_MS, DAY_MS };
    int64_t count = read_number(reading, value, 1, ARRIVAL_INTERVAL_UNITS_MAX, otherwise);
    int word = read_word(reading, unit, units, COUNT(units), PROBLEM_BAD_VALUE);
    json_add_name(reading->config, STR("interval_ms"));
    json_add_int(reading->config, count * unit_ms[word]);
    return count * unit_ms[word];
}

static void read_zone(const struct terms_reading *reading, struct arrival_terms *terms)
{
    terms->zone = read_text(reading, "timeZone", "timezone", "zone");
    if (!terms->zone.n) {
        terms->zone = STR("UTC");
        return;
    }
    bool (*exists)(str name) = reading->problems->zone_exists;
    if (!(exists ? exists : zone_name_is_sound)(terms->zone))
        problem_error(reading->problems, PROBLEM_INVALID_TIME_ZONE,
                      pointer_of_either(reading, "timeZone", "timezone"),
                      "name a zone of the IANA database, like Europe/Berlin or UTC", "%s is not a time zone",
                      problem_quote(reading->arena, terms->zone));
}

static void read_cron(const struct terms_reading *reading, struct arrival_terms *terms)
{
    static const char *const modes[] = { "Interval", "Cron" };
    static const char *const misfires[] = { "Discard", "FireImmediately" };
    static const char *const idle[] = { "cronExpression", "cron", "intervalValue", "intervalUnit" };
    struct cron cron;
    struct error err;
    terms->cron = read_text(reading, "cronExpression", "cron", "cron");
    bool by_cron = field(reading, "scheduleMode", NULL)
                       ? read_word(reading, "scheduleMode", modes, COUNT(modes), PROBLEM_BAD_VALUE) == 1
                       : field(reading, "cronExpression", "cron") != NULL;
    keep_word(reading, "mode", modes[by_cron]);
    if (by_cron && cron_parse(terms->cron, &cron, &err) != ST_OK)
        problem_error(reading->problems, PROBLEM_INVALID_CRON,
                      pointer_of_either(reading, "cronExpression", "cron"), NULL, "%s", err.message);
    read_zone(reading, terms);
    if (!by_cron) terms->interval_ms = read_interval(reading, "intervalValue", "intervalUnit", 15);
    for (size_t i = by_cron ? 2 : 0; i < (by_cron ? 4 : 2); i++)
        warn_of_idle(reading, idle[i], by_cron ? "the schedule is a cron text" : "it runs by intervals");
    warn_of_second(reading, "cronExpression", "cron");
    warn_of_second(reading, "timeZone", "timezone");
    terms->fires_missed =
        read_word(reading, "misfirePolicy", misfires, COUNT(misfires), PROBLEM_BAD_VALUE) == 1;
    keep_word(reading, "misfire", misfires[terms->fires_missed]);
}

/* Sources of the format that the engine cannot ask. True: it is one, which is reported. */
static bool is_unknown_source(const struct terms_reading *reading)
{
    static const char *const known[] = { "S3Bucket", "GoogleSheet" };
    const struct json *source = field(reading, "sourceType", NULL);
    for (size_t i = 0; json_is(source, JSON_STRING) && i < COUNT(known); i++) {
        if (!str_equal_ignoring_case(json_string(source), str_of(known[i]))) continue;
        problem_error(reading->problems, PROBLEM_UNSUPPORTED, pointer_of(reading, "sourceType"),
                      "let a RestApi answer with the rows, or a SqlDatabase", "the engine cannot poll a %s",
                      known[i]);
        return true;
    }
    return false;
}

static void read_poll(const struct terms_reading *reading, struct arrival_terms *terms)
{
    static const char *const sources[] = { "SqlDatabase", "RestApi" };
    str connection = read_text(reading, "connectionRef", NULL, "connectionRef");
    str url = read_text(reading, "url", NULL, "url");
    int source = is_unknown_source(reading)
                     ? 0
                     : read_word(reading, "sourceType", sources, COUNT(sources), PROBLEM_BAD_VALUE);
    if (!field(reading, "sourceType", NULL) && url.n) source = 1;
    keep_word(reading, "sourceType", sources[source]);
    if (!source) warn_of_idle(reading, "url", "a SqlDatabase is reached by its connectionRef");
    read_text(reading, "query", NULL, "query");
    if (!connection.n && !url.n)
        problem_error(reading->problems, PROBLEM_REQUIRED, pointer_of(reading, "connectionRef"), NULL,
                      "polling needs a connectionRef, the name of a secret, or a url");
    terms->interval_ms = read_interval(reading, "pollingInterval", "pollingUnit", 5);
}

static void read_schema(const struct terms_reading *reading, struct arrival_terms *terms)
{
    const struct json *document = field(reading, "inputSchema", NULL);
    struct error err = { 0 };
    keep(reading, "inputSchema", document);
    if (!document || schema_compile(document, reading->arena, &terms->input_schema, &err) == ST_OK) return;
    if (reading->problems->errors_only) { /* It was published before this was looked at. */
        terms->schema_flaw =
            arena_printf(reading->arena, "%s%s%s", err.where, err.where[0] ? ": " : "", err.message);
        return;
    }
    problem_error(
        reading->problems, PROBLEM_BAD_SCHEMA,
        arena_printf(reading->arena, "%.*s%s", STR_ARG(pointer_of(reading, "inputSchema")), err.where), NULL,
        "inputSchema is no JSON Schema: %s", err.message);
}

/* A name, or a list of names; kept as a list. Older engines took anything here, so something else is kept,
 * and lets nobody in. */
static void read_roles(const struct terms_reading *reading)
{
    const struct json *roles = field(reading, "requiredRoles", NULL);
    bool is_one = json_is(roles, JSON_STRING), good = !roles || is_one || json_is(roles, JSON_ARRAY);
    for (size_t i = 0; good && roles && !is_one && i < json_count(roles); i++)
        good = json_is(json_item(roles, i), JSON_STRING);
    if (!good)
        problem_warning(
            reading->problems, PROBLEM_BAD_VALUE, pointer_of(reading, "requiredRoles"), NULL,
            "requiredRoles is no list of names of roles and groups: only admins start it by hand");
    if (!roles) return;
    json_add_name(reading->config, STR("requiredRoles"));
    if (is_one) json_open_array(reading->config);
    json_add(reading->config, roles);
    if (is_one) json_close(reading->config);
}

static void read_manual(const struct terms_reading *reading, struct arrival_terms *terms)
{
    read_text(reading, "buttonLabel", NULL, "buttonLabel");
    read_schema(reading, terms);
    read_roles(reading);
    terms->open_form = read_flag(reading, "openForm", "openForm");
    const struct json *roles = field(reading, "requiredRoles", NULL);
    if (terms->open_form && roles && !(json_is(roles, JSON_ARRAY) && !json_count(roles)))
        warn_of_idle(reading, "openForm", "requiredRoles says who may start it");
}

static void read_type(const struct terms_reading *reading, struct arrival_terms *terms)
{
    json_add_name(reading->config, str_of(arrival_type_word(terms->type)));
    json_open_object(reading->config);
    switch (terms->type) {
    case ARRIVAL_HTTP: read_http(reading, terms); break;
    case ARRIVAL_MQTT: read_mqtt(reading, terms); break;
    case ARRIVAL_CRON: read_cron(reading, terms); break;
    case ARRIVAL_POLL: read_poll(reading, terms); break;
    case ARRIVAL_MANUAL: read_manual(reading, terms); break;
    case ARRIVAL_TYPE_COUNT: break;
    }
    json_close(reading->config);
}

void arrival_warn_of_idle_key(const struct arrival_terms *terms, str pointer, struct problems *problems)
{
    if (terms->policy != ARRIVAL_ALWAYS_CREATE || terms->key.kind == ARRIVAL_KEY_NONE) return;
    problem_warning(problems, PROBLEM_IGNORED,
                    problem_pointer(problems->arena, pointer, STR("correlationExpression")),
                    "choose another onMatch, or leave it out",
                    "correlationExpression has no effect: onMatch is AlwaysCreate");
}

/* Only requests, messages and rows that update instances are kept: a tick is about its moment. */
static void read_life(const struct terms_reading *reading, struct arrival_terms *terms)
{
    const struct json *value = field(reading, "timeToLive", NULL);
    struct error err;
    terms->life_ms = -1;
    if (!value) return;
    if (terms->policy != ARRIVAL_MAP_OR_DISCARD || terms->type == ARRIVAL_CRON ||
        terms->type == ARRIVAL_MANUAL) {
        warn_of_idle(reading, "timeToLive",
                     "only requests, messages and rows with onMatch MapOrDiscard are kept");
        return;
    }
    if (!json_is(value, JSON_STRING) ||
        duration_parse_any(json_string(value), &terms->life_ms, &err) != ST_OK || terms->life_ms < 0 ||
        terms->life_ms > EARLY_MS_MAX) {
        problem_error(
            reading->problems, PROBLEM_INVALID_DURATION, pointer_of(reading, "timeToLive"), NULL,
            "timeToLive is a duration such as 10m, of at most one day (EARLY_MS_MAX); 0 keeps nothing");
        terms->life_ms = -1;
    }
    keep(reading, "timeToLive", value);
}

void arrival_read(const struct json *trigger, enum arrival_type type, str pointer, struct arena *arena,
                  struct arrival_terms *ret_terms, const struct json **ret_config, struct problems *problems)
{
    struct json_builder config;
    const struct terms_reading reading = { trigger, pointer, arena, problems, &config };
    *ret_terms = (struct arrival_terms){ .type = type };
    json_builder_init(&config, arena);
    json_open_object(&config);
    keep_word(&reading, "type", arrival_type_word(type));
    ret_terms->policy = field(&reading, "onMatch", NULL)
                            ? (enum arrival_policy)read_word(&reading, "onMatch", policies, COUNT(policies),
                                                             PROBLEM_INVALID_ON_MATCH)
                        : type == ARRIVAL_CRON ? ARRIVAL_ALWAYS_CREATE
                                               : ARRIVAL_MAP_OR_CREATE;
    keep_word(&reading, "onMatch", policies[ret_terms->policy]);
    read_key(&reading, "correlationExpression", "correlation", type, &ret_terms->key);
    arrival_warn_of_idle_key(ret_terms, pointer, problems);
    read_filter(&reading, ret_terms);
    read_life(&reading, ret_terms);
    read_key(&reading, "deduplicationKey", "deduplicationKey", type, &ret_terms->seen);
    read_type(&reading, ret_terms);
    json_close(&config);
    *ret_config = json_built(&config);
}
