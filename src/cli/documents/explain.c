/* cli/documents/explain.c — `pawl explain`: a definition, an expression or a path, in words. */
#include "base/clock.h"
#include "cli/documents/document.h"
#include "cli/input.h"
#include "cli/output.h"
#include "jsonpath/jsonpath.h"

static int explain_file(const char *file, struct arena *arena)
{
    struct document document;
    struct buf out;
    int code = document_open(&document, file, arena);
    if (code) return code;
    buf_init(&out, arena);
    program_print(document.program, &out);
    document_done(&document);
    return output_write(buf_str(&out));
}

static int complain_at(str text, const struct error *err, struct arena *arena)
{
    struct buf caret;
    buf_init(&caret, arena);
    if (err->line) expr_print_caret(text, err, &caret);
    output_complain("%s", err->message);
    output_write_error(buf_str(&caret));
    return status_exit(err->status);
}

static int explain_expression(const struct options *options)
{
    struct arena *arena = options->arena;
    str text = option_text(options, OPTION_EXPRESSION);
    const struct clock clock = clock_system();
    struct expr_env env = { .data = json_empty_object(), .now_ms = clock_now_ms(&clock) };
    int64_t fuel = limits_default().fuel_max;
    const struct expr *expr;
    const struct json *value;
    struct error err;
    struct buf out;

    if (expr_compile(text, arena, &expr, &err) != ST_OK) return complain_at(text, &err, arena);
    buf_init(&out, arena);
    expr_print(expr, &out);
    if (!options->value[OPTION_EXPRESSION_DATA].given) return output_write(buf_str(&out));

    if (input_json(option_text(options, OPTION_EXPRESSION_DATA), "--data", arena, &env.data, &err) != ST_OK)
        return output_fail(&err);
    if (!json_is(env.data, JSON_OBJECT)) {
        output_complain("--data: variables are a JSON object");
        return status_exit(ST_INVALID);
    }
    enum status status = expr_eval(expr, &env, &fuel, arena, &value, &err);
    if (status == ST_OK) {
        buf_add_str(&out, STR("= "));
        json_print(value, &out);
        buf_add_char(&out, '\n');
    }
    int code = output_write(buf_str(&out));
    return status == ST_OK ? code : complain_at(text, &err, arena);
}

static int select_nodes(const struct options *options, str text, const struct jsonpath *path, struct buf *out)
{
    struct arena *arena = options->arena;
    str document = arena_printf(arena, "@%s", option_path(options, OPTION_PATH_DOCUMENT));
    int64_t fuel = limits_default().fuel_max;
    const struct json *root;
    const struct json *const *node;
    size_t count;
    struct error err;

    if (input_json(document, "--on", arena, &root, &err) != ST_OK) return output_fail(&err);
    if (jsonpath_select(path, root, &fuel, arena, &node, &count, &err) != ST_OK)
        return complain_at(text, &err, arena);
    buf_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_add_char(out, ',');
        json_print(node[i], out);
    }
    buf_add_str(out, STR("]\n"));
    return 0;
}

static int explain_path(const struct options *options)
{
    struct arena *arena = options->arena;
    str text = option_text(options, OPTION_PATH);
    enum jsonpath_mode mode = option_on(options, OPTION_LENIENT) ? JSONPATH_LENIENT : JSONPATH_STRICT;
    const struct jsonpath *path;
    struct error err;
    struct buf out;

    if (jsonpath_compile(text, mode, arena, &path, &err) != ST_OK) return complain_at(text, &err, arena);
    buf_init(&out, arena);
    if (options->value[OPTION_PATH_DOCUMENT].given) {
        int code = select_nodes(options, text, path, &out);
        if (code) return code;
    } else {
        jsonpath_print(path, &out);
        buf_add_char(&out, '\n');
    }
    return output_write(buf_str(&out));
}

/* The complaint about an option that needs another one, or NULL. */
static const char *find_stray(const struct options *options)
{
    bool path = options->value[OPTION_PATH].given;
    if (options->value[OPTION_EXPRESSION_DATA].given && !options->value[OPTION_EXPRESSION].given)
        return "--data belongs to --expr";
    if (options->value[OPTION_PATH_DOCUMENT].given && !path) return "--on belongs to --path";
    return option_on(options, OPTION_LENIENT) && !path ? "--lenient belongs to --path" : NULL;
}

int verb_explain(const struct options *options)
{
    bool expression = options->value[OPTION_EXPRESSION].given;
    bool path = options->value[OPTION_PATH].given;
    const char *complaint = find_stray(options);
    if (!complaint && expression + path + (options->argument_count > 0) != 1)
        complaint = "explain needs a file, --expr or --path, and only one of them";
    if (complaint) {
        output_complain("%s", complaint);
        return status_exit(ST_INVALID);
    }
    if (expression) return explain_expression(options);
    return path ? explain_path(options) : explain_file(options->argument[0].p, options->arena);
}
