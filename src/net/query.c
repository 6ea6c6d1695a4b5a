/* net/query.c — headers by name, parameters of the query, percent decoding. */
#include "net/parse_int.h"

#include "base/ascii.h"

void http_set_headers(struct http_request *request, const struct http_header *header, size_t count)
{
    request->header = header;
    request->header_count = count;
    request->header_bits_ = 0;
    for (size_t i = 0; i < count; i++) request->header_bits_ |= http_name_bit(header[i].name);
}

str http_find_header(const struct http_request *request, str name)
{
    for (size_t i = 0; i < request->header_count; i++) {
        const struct http_header *header = &request->header[i];
        if (header->name.n == name.n && str_equal_ignoring_case(header->name, name)) return header->value;
    }
    return (str){ "", 0 };
}

/* Returns the character at *at and moves *at behind it; -1 if malformed. */
static int decode_one(str text, size_t *at, bool form)
{
    char c = text.p[(*at)++];
    if (c == '+' && form) return ' ';
    if (c != '%') return (uint8_t)c;
    if (text.n - *at < 2) return -1;
    int high = ascii_hex(text.p[*at]), low = ascii_hex(text.p[*at + 1]);
    if (high < 0 || low < 0) return -1;
    *at += 2;
    return high * 16 + low;
}

static bool is_plain(str text, bool form)
{
    return !text.n || (!memchr(text.p, '%', text.n) && !(form && memchr(text.p, '+', text.n)));
}

bool http_decode(str text, bool form, struct arena *arena, str *ret_text)
{
    if (is_plain(text, form)) {
        *ret_text = arena_str(arena, text);
        return true;
    }
    char *out = arena_alloc(arena, text.n + 1);
    size_t n = 0;
    for (size_t at = 0; at < text.n;) {
        int c = decode_one(text, &at, form);
        if (c < 0) return false;
        out[n++] = (char)c;
    }
    out[n] = '\0';
    *ret_text = (str){ out, n };
    return true;
}

/* Whether the encoded text stands for `plain`. */
static bool decodes_to(str text, str plain)
{
    size_t n = 0;
    for (size_t at = 0; at < text.n; n++) {
        int c = decode_one(text, &at, true);
        if (c < 0 || n == plain.n || (char)c != plain.p[n]) return false;
    }
    return n == plain.n;
}

bool http_query(const struct http_request *request, str name, str *ret_value)
{
    str rest = request->query;
    while (rest.n) {
        const char *end = memchr(rest.p, '&', rest.n);
        str pair = { rest.p, end ? (size_t)(end - rest.p) : rest.n };
        const char *mark = pair.n ? memchr(pair.p, '=', pair.n) : NULL;
        size_t name_bytes = mark ? (size_t)(mark - pair.p) : pair.n;
        if (pair.n && decodes_to((str){ pair.p, name_bytes }, name))
            return http_decode(str_slice(pair, name_bytes + 1, pair.n), true, request->arena, ret_value);
        rest = str_slice(rest, pair.n + 1, rest.n);
    }
    return false;
}
