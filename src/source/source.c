#include "source/source_int.h"

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
        /* One word is YAML too. Who wrote no object meant JSON, or neither. */
        if (mapping) return status;
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
        do
            pointer.n--;
        while (pointer.n && pointer.p[pointer.n] != '/');
    }
    return true;
}

/* ---- compiling ---- */

static void report(const struct error *err, bool yaml, struct problems *problems)
{
    enum problem_code code = err->status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_SYNTAX;
    const char *format = yaml ? "yaml" : "json";
    size_t before = problems->count;
    if (err->line)
        problem_error(problems, code, STR(""), NULL, "%s: %s at line %u column %u", format, err->message, err->line,
                      err->column);
    else
        problem_error(problems, code, STR(""), NULL, "%s: %s", format, err->message);
    if (problems->count == before) return; /* There were so many that it was only counted. */
    problems->problem[before].line = err->line;
    problems->problem[before].column = err->column;
}

struct program *source_compile(str text, enum source_format format, size_t bytes_max, struct problems *problems,
                               const struct json **ret_document)
{
    /* Clients exist that send something behind the document, and were always understood. */
    const struct source_limits limits = { .bytes_max = bytes_max, .rest_allowed = true };
    struct source source;
    struct error err = { 0 };
    if (ret_document) *ret_document = NULL;
    if (source_parse(text, format, &limits, problems->arena, &source, &err) != ST_OK) {
        report(&err, source.yaml, problems);
        return NULL;
    }
    struct program *program = dialect_compile(source.document, problems, ret_document);
    for (size_t i = 0; i < problems->count; i++) {
        struct problem *problem = &problems->problem[i];
        if (!problem->line) source_locate(&source, problem->pointer, &problem->line, &problem->column);
    }
    return program;
}
