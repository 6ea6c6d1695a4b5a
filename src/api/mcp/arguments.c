/* api/mcp/arguments.c — the arguments of a tool as parts of requests. */
#include "api/mcp/mcp_int.h"

#include "base/escape.h"

/* The next name of a list with blanks between them. */
static bool next_name(str *names, str *ret_name)
{
    size_t end = str_find(*names, STR(" "), 0);
    *ret_name = str_slice(*names, 0, end);
    *names = end == SIZE_MAX ? STR_NONE : str_slice(*names, end + 1, names->n);
    return ret_name->n > 0;
}

str mcp_text(const struct mcp_work *work, const char *name)
{
    return json_text(work->arguments, str_of(name));
}

str mcp_path(struct mcp_work *work, const char *pattern, str segment)
{
    struct buf out;
    str whole = str_of(pattern);
    size_t at = str_find(whole, STR("{}"), 0);
    buf_init(&out, work->arena);
    buf_add_str(&out, str_slice(whole, 0, at));
    escape_url(&out, segment);
    buf_add_str(&out, str_slice(whole, at + 2, whole.n));
    return buf_str(&out);
}

static void add_value(struct mcp_work *work, struct buf *out, const struct json *value)
{
    struct buf text;
    if (json_is(value, JSON_STRING)) {
        escape_url(out, json_string(value));
        return;
    }
    buf_init(&text, work->arena);
    json_print(value, &text);
    escape_url(out, buf_str(&text));
}

static void add_parameter(struct mcp_work *work, struct buf *out, str name, const struct json *value)
{
    buf_add_char(out, str_find(buf_str(out), STR("?"), 0) == SIZE_MAX ? '?' : '&');
    buf_add_str(out, name);
    buf_add_char(out, '=');
    if (!json_is(value, JSON_ARRAY)) {
        add_value(work, out, value);
        return;
    }
    for (size_t i = 0; i < json_count(value); i++) {
        if (i) buf_add_char(out, ',');
        add_value(work, out, json_item(value, i));
    }
}

str mcp_query(struct mcp_work *work, str path, const char *names)
{
    struct buf out;
    str rest = str_of(names), name;
    buf_init(&out, work->arena);
    buf_add_str(&out, path);
    while (next_name(&rest, &name)) {
        const struct json *value = json_get(work->arguments, name);
        if (value && !json_is(value, JSON_NULL)) add_parameter(work, &out, name, value);
    }
    return buf_str(&out);
}

const struct json *mcp_pick(struct mcp_work *work, const char *names)
{
    struct json_builder object;
    str rest = str_of(names), name;
    json_builder_init(&object, work->arena);
    json_open_object(&object);
    while (next_name(&rest, &name)) {
        const struct json *value = json_get(work->arguments, name);
        if (!value) continue;
        json_add_name(&object, name);
        json_add(&object, value);
    }
    json_close(&object);
    return json_built(&object);
}

const struct json *mcp_with(struct mcp_work *work, const struct json *object, const char *name,
                            const struct json *value)
{
    return value ? json_set(work->arena, object, str_of(name), value) : object;
}
