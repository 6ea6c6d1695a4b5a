/* dialect/fix/fixing.c — builds the JSON Patch of one fix, operation by operation. */
#include "dialect/fix/fixing.h"

#include "base/utf8.h"
#include "dialect/limits.h"

#include <stdarg.h>
#include <stdio.h>

void fixing_init(struct fixing *fixing, const struct json *document, const struct problem *problem,
                 struct arena *arena)
{
    *fixing = (struct fixing){ .arena = arena, .document = document, .problem = problem };
    json_builder_init(&fixing->patch_, arena);
    json_open_array(&fixing->patch_);
}

const struct json *fixing_done(struct fixing *fixing)
{
    struct json_builder builder;
    json_close(&fixing->patch_);
    if (!fixing->operations || !fixing->label.n) return NULL;
    json_builder_init(&builder, fixing->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("label"));
    json_add_string(&builder, fixing->label);
    json_add_name(&builder, STR("patch"));
    json_add(&builder, json_built(&fixing->patch_));
    json_close(&builder);
    return json_built(&builder);
}

void fixing_label(struct fixing *fixing, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    size_t bytes = n > 0 ? (size_t)n : 0;
    char *text = arena_make_n(fixing->arena, char, bytes + 1);
    vsnprintf(text, bytes + 1, format, again);
    va_end(again);
    fixing->label = utf8_cut((str){ text, bytes }, FIXING_LABEL_BYTES);
}

/* ---- operations ---- */

static void begin(struct fixing *fixing, const char *op, str path)
{
    fixing->operations++;
    json_open_object(&fixing->patch_);
    json_add_name(&fixing->patch_, STR("op"));
    json_add_string(&fixing->patch_, str_of(op));
    json_add_name(&fixing->patch_, STR("path"));
    json_add_string(&fixing->patch_, path);
}

static void end_with(struct fixing *fixing, const char *name, const struct json *value)
{
    json_add_name(&fixing->patch_, str_of(name));
    json_add(&fixing->patch_, value);
    json_close(&fixing->patch_);
}

void fixing_add(struct fixing *fixing, str path, const struct json *value)
{
    begin(fixing, "add", path);
    end_with(fixing, "value", value);
}

void fixing_replace(struct fixing *fixing, str path, const struct json *value)
{
    begin(fixing, "replace", path);
    end_with(fixing, "value", value);
}

void fixing_remove(struct fixing *fixing, str path)
{
    begin(fixing, "remove", path);
    json_close(&fixing->patch_);
}

void fixing_move(struct fixing *fixing, str from, str path)
{
    begin(fixing, "move", path);
    end_with(fixing, "from", json_of_string(fixing->arena, from));
}

void fixing_set_text(struct fixing *fixing, str object, const char *name, str text)
{
    fixing_add(fixing, problem_pointer(fixing->arena, object, str_of(name)),
               json_of_string(fixing->arena, text));
}

/* ---- looking at the document ---- */

str fixing_meant(const struct fixing *fixing)
{
    str begins = STR("did you mean \""), hint = fixing->problem->hint;
    const struct json *quoted;
    struct error err;
    if (!str_starts(hint, begins) || !str_ends(hint, STR("\"?"))) return STR_NONE;
    str text = str_slice(hint, begins.n - 1, hint.n - 1);
    if (json_parse(text, NULL, fixing->arena, &quoted, &err) != ST_OK || !json_is(quoted, JSON_STRING))
        return STR_NONE;
    return json_string(quoted);
}

str fixing_parent(str pointer)
{
    size_t n = pointer.n;
    while (n && pointer.p[n - 1] != '/') n--;
    return str_slice(pointer, 0, n ? n - 1 : 0);
}

str fixing_last(str pointer, struct arena *arena)
{
    str parent = fixing_parent(pointer);
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = parent.n + 1; i < pointer.n; i++) {
        bool escaped = pointer.p[i] == '~' && i + 1 < pointer.n;
        if (escaped) buf_add_char(&out, pointer.p[++i] == '1' ? '/' : '~');
        else buf_add_char(&out, pointer.p[i]);
    }
    return buf_str(&out);
}

static bool has_id(const struct json *list, str id)
{
    struct json_each each = json_each(json_is(list, JSON_ARRAY) ? list : json_empty_array());
    while (json_next(&each))
        if (str_equal(json_text(each.value, STR("id")), id)) return true;
    return false;
}

str fixing_fresh_id(const struct json *list, const char *base, struct arena *arena)
{
    str id = str_of(base);
    for (size_t i = 2; has_id(list, id); i++) id = arena_printf(arena, "%s_%zu", base, i);
    return id;
}

const struct json *fixing_object(struct arena *arena, const char *const *pair)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; pair[i]; i += 2) {
        json_add_name(&builder, str_of(pair[i]));
        json_add_string(&builder, str_of(pair[i + 1]));
    }
    json_close(&builder);
    return json_built(&builder);
}
