/* dialect/template.c — finds texts that look like templates, and warns of them. */
#include "dialect/template.h"

static str between(str text, str open, str close)
{
    size_t from = str_find(text, open, 0);
    if (from == SIZE_MAX) return STR("");
    size_t to = str_find(text, close, from + open.n);
    return to == SIZE_MAX ? STR("") : str_slice(text, from, to + close.n);
}

str template_in(str text)
{
    str found = between(text, STR("${"), STR("}"));
    return found.n ? found : between(text, STR("{{"), STR("}}"));
}

bool template_has_login(str url)
{
    size_t from = str_find(url, STR("://"), 0);
    if (from == SIZE_MAX) return false;
    for (size_t i = from + 3; i < url.n; i++) {
        if (str_starts(str_slice(url, i, url.n), STR("{{"))) {
            size_t end = str_find(url, STR("}}"), i);
            if (end == SIZE_MAX) return false;
            i = end + 1;
        } else if (url.p[i] == '@') {
            return true;
        } else if (url.p[i] == '/' || url.p[i] == '?' || url.p[i] == '#') {
            return false;
        }
    }
    return false;
}

str template_quoted_in(str expression)
{
    for (size_t i = 0; i < expression.n; i++) {
        char quote = expression.p[i];
        if (quote != '\'' && quote != '"' && quote != '`') continue;
        size_t from = ++i;
        while (i < expression.n && expression.p[i] != quote)
            i += expression.p[i] == '\\' && quote != '`' ? 2 : 1;
        str found = template_in(str_slice(expression, from, i));
        if (found.n) return found;
    }
    return STR("");
}

void template_warn_text(struct problems *problems, str found, str pointer, const char *what, const char *hint)
{
    problem_warning(problems, PROBLEM_TEMPLATE_TEXT, pointer, hint,
                    "%s: %s is a part of the text, and nothing is put in its place", what,
                    problem_quote(problems->arena, found));
}

/* Finds the first template inside a value, and its pointer. Recursion goes as deep as documents can be. */
static str find(const struct json *value, struct arena *arena, str *ret_pointer)
{
    *ret_pointer = STR("");
    if (json_is(value, JSON_STRING)) return template_in(json_string(value));
    if (!json_is(value, JSON_OBJECT) && !json_is(value, JSON_ARRAY)) return STR("");
    struct json_each each = json_each(value);
    for (size_t i = 0; json_next(&each); i++) {
        str inside, found = find(each.value, arena, &inside);
        if (!found.n) continue;
        str step = json_is(value, JSON_ARRAY) ? problem_pointer_index(arena, STR(""), i)
                                              : problem_pointer(arena, STR(""), each.name);
        *ret_pointer = arena_printf(arena, "%.*s%.*s", STR_ARG(step), STR_ARG(inside));
        return found;
    }
    return STR("");
}

void template_warn(struct problems *problems, const struct json *value, str pointer, const char *what,
                   const char *hint)
{
    if (!problems_have_room(problems, true)) return;
    str inside, found = find(value, problems->arena, &inside);
    if (found.n)
        template_warn_text(problems, found,
                           arena_printf(problems->arena, "%.*s%.*s", STR_ARG(pointer), STR_ARG(inside)), what,
                           hint);
}
