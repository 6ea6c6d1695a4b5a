/* source/source.c — tells JSON from YAML, reads both, gives problems their places, and compiles. */
#include "source/source_int.h"
#include "source/zones.h"

enum source_format source_format_of(str file)
{
    return str_ends(file, STR(".yaml")) || str_ends(file, STR(".yml")) ? SOURCE_YAML : SOURCE_ANY;
}

/* ---- reading ---- */

/* A byte order mark changes nothing here: JSON refuses it itself. */
static bool looks_like_json(str text)
{
    size_t at = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;
    while (at < text.n && memchr(" \t\r\n", text.p[at], 4)) at++;
    return at == text.n || memchr("{[\"", text.p[at], 3);
}

/* Does the first line that says anything begin a document, a list or an object of YAML? Only asked
 * of a text that has no such object: which of the two languages is its author's problem in? */
static bool looks_like_yaml(str text)
{
    size_t from = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;
    while (from < text.n) {
        size_t end = str_find(text, STR("\n"), from);
        if (end == SIZE_MAX) end = text.n;
        str line = str_trim(str_slice(text, from, end));
        from = end + 1;
        if (!line.n || line.p[0] == '#') continue;
        return str_starts(line, STR("---")) || str_starts(line, STR("- ")) || str_starts(line, STR("%")) ||
               str_ends(line, STR(":")) || str_find(line, STR(": "), 0) != SIZE_MAX;
    }
    return false;
}

static enum status parse_json(str text, const struct source_limits *limits, struct arena *arena,
                              struct source *ret_source, struct error *err)
{
    size_t rest;
    const struct json_limits json_limits = { .bytes_max = limits ? limits->bytes_max : 0,
                                             .depth_max = JSON_DEPTH_MAX,
                                             .rest = limits && limits->rest_allowed ? &rest : NULL };
    ret_source->yaml = false;
    TRY(json_parse(text, &json_limits, arena, &ret_source->document, err));
    ret_source->text_ = text;
    ret_source->tree_ = NULL;
    return ST_OK;
}

static enum status parse_yaml(str text, const struct source_limits *limits, struct arena *arena,
                              struct source *ret_source, bool *ret_mapping, struct error *err)
{
    const struct source_tree *tree;
    ret_source->yaml = true;
    TRY(yaml_read(text, limits ? limits->bytes_max : 0, arena, &tree, ret_mapping, err));
    ret_source->document = source_tree_json(tree, arena);
    ret_source->text_ = text;
    ret_source->tree_ = tree;
    return ST_OK;
}

enum status source_parse(str text, enum source_format format, const struct source_limits *limits,
                         struct arena *arena, struct source *ret_source, struct error *err)
{
    bool mapping;
    if (format == SOURCE_YAML) return parse_yaml(text, limits, arena, ret_source, &mapping, err);
    if (format == SOURCE_ANY && !looks_like_json(text)) {
        enum status status = parse_yaml(text, limits, arena, ret_source, &mapping, err);
        /* One word is YAML too. An author who wrote neither an object nor a line that begins one meant JSON,
         * or nothing that we read. */
        if (mapping || looks_like_yaml(text)) return status;
    }
    return parse_json(text, limits, arena, ret_source, err);
}

/* ---- places ---- */

bool source_locate(const struct source *source, str pointer, uint32_t *ret_line, uint32_t *ret_column)
{
    if (source->yaml) return source_tree_locate(source->tree_, pointer, ret_line, ret_column);
    if (pointer.n && pointer.p[0] != '/') return false;
    while (!json_locate(source->text_, pointer, ret_line, ret_column)) {
        if (!pointer.n) return false;
        do pointer.n--;
        while (pointer.n && pointer.p[pointer.n] != '/');
    }
    return true;
}

/* ---- compiling ---- */

static void report(const struct error *err, struct problems *problems)
{
    enum problem_code code = err->status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_SYNTAX;
    const char *format = problems_format(problems);
    size_t before = problems->count;
    if (err->line)
        problem_error(problems, code, STR(""), NULL, "%s: %s at line %u column %u", format, err->message,
                      err->line, err->column);
    else problem_error(problems, code, STR(""), NULL, "%s: %s", format, err->message);
    if (problems->count == before) return; /* There were so many that it was only counted. */
    problems->problem[before].line = err->line;
    problems->problem[before].column = err->column;
}

static void place(const struct source *source, struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        struct problem *problem = &problems->problem[i];
        if (!problem->line) source_locate(source, problem->pointer, &problem->line, &problem->column);
    }
}

void source_place_problems(str text, enum source_format format, struct problems *problems)
{
    const struct source_limits limits = { .rest_allowed = true };
    struct source source;
    bool any = false;
    for (size_t i = 0; i < problems->count; i++) any |= !problems->problem[i].line;
    if (any && source_parse(text, format, &limits, problems->arena, &source, NULL) == ST_OK)
        place(&source, problems);
}

static bool zone_exists(str name) { return source_zone_find(name) != NULL; }

struct program *source_compile(str text, enum source_format format, size_t bytes_max,
                               struct problems *problems, const struct json **ret_document)
{
    /* Clients exist that send something behind the document, and were always understood. */
    const struct source_limits limits = { .bytes_max = bytes_max, .rest_allowed = true };
    struct source source;
    struct error err = { 0 };
    if (ret_document) *ret_document = NULL;
    enum status status = source_parse(text, format, &limits, problems->arena, &source, &err);
    problems->yaml = source.yaml;
    if (status != ST_OK) {
        report(&err, problems);
        return NULL;
    }
    if (!problems->zone_exists) problems->zone_exists = zone_exists;
    struct program *program = dialect_compile(source.document, problems, ret_document);
    place(&source, problems);
    return program;
}
