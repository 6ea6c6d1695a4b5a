/* cli/input.c — reads files, JSON values and variables from arguments. */
#include "cli/input.h"

#include "base/utf8.h"
#include "cli/limits.h"
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static enum status read_all(int fd, const char *path, size_t bytes_max, struct arena *arena, str *ret_text,
                            struct error *err)
{
    struct buf bytes;
    buf_init(&bytes, arena);
    for (;;) {
        enum { PIECE_BYTES = 64 << 10 };
        ssize_t n = read(fd, buf_reserve(&bytes, PIECE_BYTES), PIECE_BYTES);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(err, ST_INVALID, path, "%s: %s", path, strerror(errno));
        if (n == 0) break;
        bytes.n += (size_t)n;
        if (bytes.n > bytes_max)
            return fail(err, ST_LIMIT, path, "%s: larger than %zu bytes", path, bytes_max);
    }
    *ret_text = buf_str(&bytes);
    return ST_OK;
}

enum status input_read_file(const char *path, size_t bytes_max, struct arena *arena, str *ret_text,
                            struct error *err)
{
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", bytes_max, arena, ret_text, err);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(err, errno == ENOENT ? ST_NOT_FOUND : ST_INVALID, path, "%s: %s", path, strerror(errno));
    enum status status = read_all(fd, path, bytes_max, arena, ret_text, err);
    close(fd);
    return status;
}

enum status input_json(str text, const char *where, struct arena *arena, const struct json **ret_value,
                       struct error *err)
{
    const struct source_limits limits = { .bytes_max = INPUT_BYTES_MAX };
    enum source_format format = SOURCE_JSON;
    struct source source;
    struct error why;

    if (text.n > 1 && text.p[0] == '@') {
        where = arena_str(arena, str_slice(text, 1, text.n)).p;
        format = source_format_of(str_of(where));
        TRY(input_read_file(where, INPUT_BYTES_MAX, arena, &text, err));
    }
    if (source_parse(text, format, &limits, arena, &source, &why) != ST_OK)
        return fail(err, ST_INVALID, where, "%s: not %s: line %u, column %u: %s", where,
                    source.yaml ? "YAML" : "JSON", why.line, why.column, why.message);
    *ret_value = source.document;
    return ST_OK;
}

static enum status set_variable(str assignment, const char *where, struct arena *arena,
                                const struct json **variables, struct error *err)
{
    const struct json_limits limits = { .bytes_max = INPUT_BYTES_MAX, .depth_max = JSON_DEPTH_MAX };
    size_t equals = str_find(assignment, STR("="), 0);
    if (equals == SIZE_MAX || equals == 0)
        return fail(err, ST_INVALID, where, "%s: \"%.*s\" is not NAME=VALUE", where, STR_ARG(assignment));
    if (!utf8_is_valid(assignment)) return fail(err, ST_INVALID, where, "%s: the value is not UTF-8", where);

    str name = str_slice(assignment, 0, equals);
    str text = str_slice(assignment, equals + 1, assignment.n);
    const struct json *value;
    if (json_parse(text, &limits, arena, &value, NULL) != ST_OK) value = json_of_string(arena, text);
    *variables = json_set(arena, *variables, name, value);
    return ST_OK;
}

enum status input_variables(const struct options *options, const struct json **ret_variables,
                            struct error *err)
{
    const struct option_value *assignments = &options->value[OPTION_VARIABLE];
    const struct json *variables = NULL;

    if (options->value[OPTION_INPUT].given) {
        TRY(input_json(option_text(options, OPTION_INPUT), "--input", options->arena, &variables, err));
        if (!json_is(variables, JSON_OBJECT))
            return fail(err, ST_INVALID, "--input", "--input: variables are a JSON object, not %s",
                        json_kind_name(json_kind(variables)));
    } else if (assignments->list_count) {
        variables = json_empty_object();
    }
    for (size_t i = 0; i < assignments->list_count; i++)
        TRY(set_variable(assignments->list[i], "--var", options->arena, &variables, err));
    *ret_variables = variables;
    return ST_OK;
}

enum status input_assignments(const struct option_value *assignments, const char *where, struct arena *arena,
                              const struct json **ret_object, struct error *err)
{
    const struct json *object = json_empty_object();
    for (size_t i = 0; i < assignments->list_count; i++)
        TRY(set_variable(assignments->list[i], where, arena, &object, err));
    *ret_object = object;
    return ST_OK;
}

enum status input_variables_body(const struct options *options, const struct json **ret_body,
                                 struct error *err)
{
    const struct json *variables;
    TRY(input_variables(options, &variables, err));
    *ret_body = variables ? json_set(options->arena, json_empty_object(), STR("variables"), variables) : NULL;
    return ST_OK;
}
