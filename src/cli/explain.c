#include "base/clock.h"
#include "cli/document.h"
#include "cli/input.h"
#include "cli/output.h"

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

int verb_explain(const struct options *options)
{
    bool expression = options->value[OPTION_EXPRESSION].given;
    if (expression && !options->argument_count) return explain_expression(options);
    if (!expression && options->argument_count) {
        if (!options->value[OPTION_EXPRESSION_DATA].given)
            return explain_file(options->argument[0].p, options->arena);
        output_complain("--data belongs to --expr");
    } else {
        output_complain("explain needs either a file or --expr");
    }
    return status_exit(ST_INVALID);
}
