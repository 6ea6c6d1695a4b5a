/* expr/op_escape.c — values that go into a URL, into HTML or among recipients of e-mail.
 *
 * A value comes from outside, and its author is not the author of the text around it. A value stays inside of
 * its place: it is encoded, or refused where no encoding helps. Filters run before, and nothing is encoded
 * twice.
 */
#include "expr/operations_int.h"

#include "base/escape.h"
#include "base/utf8.h"

/* One value on its way. */
struct escaping {
    struct vm *vm;
    str what; /* The author's text for it. */
};

static enum status refuse(const struct escaping *escaping, const char *why)
{
    str shown = utf8_cut(escaping->what, SHOWN_BYTES_MAX);
    return vm_fail(escaping->vm, ST_INVALID, "\"%.*s\" %s", STR_ARG(shown), why);
}

/* ---- addresses of e-mail ---- */

/* A value with several addresses in it would add recipients that the author of the text never meant. A quote
 * that stays open would hide the author's own commas. */
static enum status check_one_address(const struct escaping *escaping, str text)
{
    bool quoted = false;
    TRY(vm_spend_scan(escaping->vm, text.n));
    for (size_t i = 0; i < text.n; i++) {
        if (quoted && text.p[i] == '\\') i++;
        else if (text.p[i] == '"') quoted = !quoted;
        else if (!quoted && (text.p[i] == ',' || text.p[i] == ';'))
            return refuse(escaping, "is more than one address of e-mail: several must be a list of texts");
    }
    return quoted ? refuse(escaping, "is no address of e-mail: its quote is never closed") : ST_OK;
}

static enum status check_addresses(const struct escaping *escaping, const struct json *list)
{
    struct json_each each = json_each(list);
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING)) TRY(check_one_address(escaping, json_string(each.value)));
    return ST_OK;
}

static void add_quoted(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"' || text.p[i] == '\\') buf_add_char(out, '\\');
        buf_add_char(out, text.p[i]);
    }
}

/* ---- all places ---- */

static enum status add_escaped(const struct escaping *escaping, enum escape escape, str text, struct buf *out)
{
    switch (escape) {
    case ESCAPE_PATH:
        if (escape_is_dots(text))
            return refuse(escaping, "is . or .., which leads to another path of the URL");
        escape_url(out, text);
        return ST_OK;
    case ESCAPE_QUERY: escape_url(out, text); return ST_OK;
    case ESCAPE_HTML: escape_html(out, text); return ST_OK;
    case ESCAPE_QUOTED: add_quoted(out, text); return ST_OK;
    case ESCAPE_SCHEME:
        if (!escape_is_scheme(text)) return refuse(escaping, "is no scheme of a URL, such as https");
        break;
    case ESCAPE_HOST:
        if (!escape_is_host(text)) return refuse(escaping, "has characters that no host of a URL has");
        break;
    case ESCAPE_RECIPIENT:
    case ESCAPE_RECIPIENTS: TRY(check_one_address(escaping, text)); break;
    }
    buf_add_str(out, text);
    return ST_OK;
}

enum status op_escape(struct vm *vm, enum escape escape, const struct json *value, const struct json *what,
                      const struct json **ret_value)
{
    const struct escaping escaping = { .vm = vm, .what = json_string(what) };
    bool list = json_is(value, JSON_ARRAY), whole = escape == ESCAPE_RECIPIENTS;
    *ret_value = value;
    if (json_is(value, JSON_NULL)) return ST_OK;
    if (whole && list) return check_addresses(&escaping, value);
    if (whole && !json_is(value, JSON_STRING)) return ST_OK; /* The performer names the mistake. */
    if (list && escape == ESCAPE_RECIPIENT)
        return refuse(&escaping, "is a list: a list of addresses must be the whole text");
    struct buf text, out;
    TRY(vm_spend_copy(vm, json_bytes(value)));
    buf_init(&text, vm->arena);
    op_add_text(&text, value);
    TRY(vm_spend_copy(vm, text.n * ESCAPE_GROWTH_MAX));
    buf_init(&out, vm->arena);
    TRY(add_escaped(&escaping, escape, buf_str(&text), &out));
    *ret_value = json_of_string(vm->arena, buf_str(&out));
    return ST_OK;
}
