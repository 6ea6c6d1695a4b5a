/* access/token/form.c — reads and writes application/x-www-form-urlencoded. */
#include "access/token/form.h"

#include "access/limits.h"
#include "base/ascii.h"
#include "base/escape.h"
#include "base/utf8.h"

/* The byte of %XX at an index, or -1. */
static int byte_at(str text, size_t at)
{
    if (text.n - at < 3) return -1;
    int high = ascii_hex(text.p[at + 1]), low = ascii_hex(text.p[at + 2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

bool form_decode(str text, struct arena *arena, str *ret_text)
{
    char *decoded = arena_alloc(arena, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        int byte = text.p[i] == '%' ? byte_at(text, i) : text.p[i] == '+' ? ' ' : (unsigned char)text.p[i];
        if (byte <= 0) return false;
        if (text.p[i] == '%') i += 2;
        decoded[n++] = (char)byte;
    }
    decoded[n] = '\0';
    *ret_text = (str){ decoded, n };
    return utf8_is_valid(*ret_text);
}

/* Which of the names it is; `count`: none of them. */
static size_t index_of(str field, const str *name, size_t count)
{
    size_t i = 0;
    while (i < count && !str_equal(name[i], field)) i++;
    return i;
}

static bool read_field(str pair, const str *name, size_t count, struct arena *arena, str *values)
{
    str field, value;
    size_t equals = str_find(pair, STR("="), 0);
    if (!form_decode(str_slice(pair, 0, equals), arena, &field)) return false;
    if (!form_decode(equals == SIZE_MAX ? STR_NONE : str_slice(pair, equals + 1, pair.n), arena, &value))
        return false;
    size_t index = index_of(field, name, count);
    if (index == count) return true;
    if (values[index].p) return false;
    values[index] = value;
    return true;
}

bool form_read(str form, const str *name, size_t count, struct arena *arena, str *ret_value)
{
    if (form.n > FORM_BYTES_MAX) return false;
    for (size_t i = 0; i < count; i++) ret_value[i] = STR_NONE;
    for (str rest = form; rest.n;) {
        str pair = str_slice(rest, 0, str_find(rest, STR("&"), 0));
        rest = str_slice(rest, pair.n + 1, rest.n);
        if (pair.n && !read_field(pair, name, count, arena, ret_value)) return false;
    }
    return true;
}

void form_add(struct buf *form, str name, str value)
{
    if (form->n) buf_add_char(form, '&');
    escape_url(form, name);
    buf_add_char(form, '=');
    escape_url(form, value);
}
