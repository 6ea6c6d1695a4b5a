/* cli/client/where.c — reads the conditions of --where, and makes a filter of them. */
#include "cli/client/where.h"
#include "cli/suggest.h"

#include "base/ascii.h"
#include "base/datetime.h"
#include "base/utf8.h"

enum kind { KIND_TEXT, KIND_NUMBER, KIND_TIME, KIND_AGE };

enum { OF_INSTANCES = 1, OF_UNMATCHED = 2, OF_BOTH = OF_INSTANCES | OF_UNMATCHED };

/* A condition and the member of the filter that it becomes. */
static const struct form {
    const char *name, *operator, * field;
    enum kind kind;
    int of;
    bool list; /* May be given more than once. */
} forms[] = {
    { "definition", "=", "definitionId", KIND_TEXT, OF_INSTANCES },
    { "version", "=", "definitionVersion", KIND_NUMBER, OF_INSTANCES },
    { "status", "=", "status", KIND_TEXT, OF_INSTANCES },
    { "key", "^=", "businessKeyPrefix", KIND_TEXT, OF_INSTANCES },
    { "key", "=", "businessKey", KIND_TEXT, OF_INSTANCES },
    { "step", "=", "step", KIND_TEXT, OF_INSTANCES },
    { "id", "=", "ids", KIND_TEXT, OF_INSTANCES, .list = true },
    { "reason", "=", "reason", KIND_TEXT, OF_BOTH },
    { "reason", "~", "reasonContains", KIND_TEXT, OF_BOTH },
    { "source", "=", "source", KIND_TEXT, OF_UNMATCHED },
    { "type", "=", "type", KIND_TEXT, OF_UNMATCHED },
    { "number", "=", "numbers", KIND_NUMBER, OF_UNMATCHED, .list = true },
    { "started", ">=", "startedAfter", KIND_TIME, OF_INSTANCES },
    { "started", "<", "startedBefore", KIND_TIME, OF_INSTANCES },
    { "received", ">=", "receivedAfter", KIND_TIME, OF_UNMATCHED },
    { "received", "<", "receivedBefore", KIND_TIME, OF_UNMATCHED },
    { "age", ">", "startedBefore", KIND_AGE, OF_INSTANCES },
    { "age", "<", "startedAfter", KIND_AGE, OF_INSTANCES },
    { "age", ">", "receivedBefore", KIND_AGE, OF_UNMATCHED },
    { "age", "<", "receivedAfter", KIND_AGE, OF_UNMATCHED },
};

struct where {
    int of;
    int64_t now_ms;
    struct arena *arena;
    const struct json *filter;
    bool all;
};

/* ---- one condition ---- */

static enum status no_such_name(const struct where *where, str name, struct error *err)
{
    const char *names[COUNT(forms) + 1];
    struct buf known;
    size_t count = 0;
    buf_init(&known, where->arena);
    for (size_t i = 0; i < COUNT(forms); i++) {
        if (!(forms[i].of & where->of)) continue;
        if (count && strcmp(names[count - 1], forms[i].name) == 0) continue;
        if (count) buf_add_str(&known, STR(", "));
        buf_add_str(&known, str_of(forms[i].name));
        names[count++] = forms[i].name;
    }
    names[count] = NULL;
    const char *close = suggest_word(name, names);
    if (close)
        return fail(err, ST_INVALID, "--where", "--where: there is no \"%.*s\"; did you mean \"%s\"?",
                    STR_ARG(name), close);
    return fail(err, ST_INVALID, "--where", "--where: there is no \"%.*s\"; there are %.*s", STR_ARG(name),
                (int)known.n, known.p);
}

static enum status no_such_operator(const struct where *where, str name, str rest, struct error *err)
{
    struct buf known;
    buf_init(&known, where->arena);
    for (size_t i = 0; i < COUNT(forms); i++)
        if (forms[i].of & where->of && str_equal(str_of(forms[i].name), name))
            buf_printf(&known, "%s%s%s", known.n ? " or " : "", forms[i].name, forms[i].operator);
    return fail(err, ST_INVALID, "--where", "--where: \"%.*s%.*s\" is no condition; write %.*s…",
                STR_ARG(name), STR_ARG(rest), (int)known.n, known.p);
}

static enum status read_value(const struct where *where, const struct form *form, str text,
                              const struct json **ret_value, struct error *err)
{
    char time[DATETIME_CHARS + 1];
    struct error why;
    int64_t number;
    if (!text.n)
        return fail(err, ST_INVALID, "--where", "--where: %s%s needs a value", form->name, form->operator);
    switch (form->kind) {
    case KIND_NUMBER:
        if (!str_to_int64(text, &number))
            return fail(err, ST_INVALID, "--where", "--where: %s: \"%.*s\" is not a number", form->name,
                        STR_ARG(text));
        *ret_value = json_of_int(where->arena, number);
        return ST_OK;
    case KIND_TIME:
        if (!datetime_parse(text, &number))
            return fail(err, ST_INVALID, "--where",
                        "--where: %s: \"%.*s\" is not a time such as 2026-11-15T03:50:11Z", form->name,
                        STR_ARG(text));
        break;
    case KIND_AGE:
        if (options_duration(text, &number, &why) != ST_OK)
            return fail(err, ST_INVALID, "--where", "--where: %s: %s", form->name, why.message);
        datetime_print(where->now_ms - number, time);
        text = arena_str(where->arena, str_of(time));
        break;
    case KIND_TEXT: break;
    }
    *ret_value = json_of_string(where->arena, text);
    return ST_OK;
}

static enum status set_field(struct where *where, const struct form *form, const struct json *value,
                             struct error *err)
{
    const struct json *before = json_get(where->filter, str_of(form->field));
    if (before && !form->list)
        return fail(err, ST_INVALID, "--where", "--where: %s is given twice", form->name);
    if (form->list) {
        struct json_builder list;
        json_builder_init(&list, where->arena);
        json_open_array(&list);
        struct json_each each = json_each(before);
        while (json_next(&each)) json_add(&list, each.value);
        json_add(&list, value);
        json_close(&list);
        value = json_built(&list);
    }
    where->filter = json_set(where->arena, where->filter, str_of(form->field), value);
    return ST_OK;
}

static bool is_name(char c) { return ascii_is_letter(c) || c == '_' || c == '-'; }

static enum status read_condition(struct where *where, str name, str rest, struct error *err)
{
    bool known = false;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct form *form = &forms[i];
        if (!(form->of & where->of) || !str_equal(str_of(form->name), name)) continue;
        known = true;
        str operator= str_of(form->operator);
        if (!str_starts(rest, operator)) continue;
        const struct json *value;
        TRY(read_value(where, form, str_slice(rest, operator.n, rest.n), &value, err));
        return set_field(where, form, value, err);
    }
    return known ? no_such_operator(where, name, rest, err) : no_such_name(where, name, err);
}

/* ---- conditions between commas ---- */

/* The text of one condition, without the quotes that keep commas and spaces in it. */
static enum status cut_condition(struct where *where, str text, size_t *at, str *ret_text, struct error *err)
{
    struct buf out;
    char quote = 0;
    buf_init(&out, where->arena);
    for (; *at < text.n && (quote || text.p[*at] != ','); ++*at) {
        char c = text.p[*at];
        if (quote ? c == quote : c == '\'' || c == '"') quote = quote ? 0 : c;
        else buf_add_char(&out, c);
    }
    if (quote) return fail(err, ST_INVALID, "--where", "--where: a quote is not closed: %.*s", STR_ARG(text));
    ++*at;
    *ret_text = str_trim(buf_str(&out));
    return ST_OK;
}

static enum status read_conditions(struct where *where, str text, struct error *err)
{
    if (!utf8_is_valid(text)) return fail(err, ST_INVALID, "--where", "--where: not UTF-8");
    for (size_t at = 0; at <= text.n;) {
        str one;
        size_t end = 0;
        TRY(cut_condition(where, text, &at, &one, err));
        if (!one.n)
            return fail(err, ST_INVALID, "--where", "--where: a condition is empty; one is NAME=VALUE");
        while (end < one.n && is_name(one.p[end])) end++;
        str name = str_slice(one, 0, end), rest = str_slice(one, end, one.n);
        if (str_equal(one, STR("all"))) where->all = true;
        else TRY(read_condition(where, name, rest, err));
    }
    return ST_OK;
}

enum status where_read(const struct option_value *given, bool unmatched, int64_t now_ms, struct arena *arena,
                       const struct json **ret_filter, bool *ret_all, struct error *err)
{
    struct where where = { .of = unmatched ? OF_UNMATCHED : OF_INSTANCES,
                           .now_ms = now_ms,
                           .arena = arena,
                           .filter = json_empty_object() };
    for (size_t i = 0; i < given->list_count; i++) TRY(read_conditions(&where, given->list[i], err));
    if (where.all && json_count(where.filter))
        return fail(err, ST_INVALID, "--where", "--where: \"all\" stands alone");
    *ret_filter = where.filter;
    *ret_all = where.all;
    return ST_OK;
}
