/* schema/format_uri.c — URIs, IRIs and templates of URIs. */
#include "schema/format_int.h"

#include "base/ascii.h"

/* ---- characters ---- */

/* Reads a character of a URI's part at `at`: one of its usual ones, one of `more`, or %XX. 0 if there is
 * none. */
static size_t uri_char(str text, size_t at, const char *more, bool wide)
{
    char c = text.p[at];
    if (ascii_is_alphanumeric(c) || (c && strchr("-._~!$&'()*+,;=", c)) || (c && strchr(more, c))) return 1;
    if (wide && (unsigned char)c >= 0x80) return 1;
    if (c != '%' || at + 2 >= text.n) return 0;
    return ascii_hex(text.p[at + 1]) >= 0 && ascii_hex(text.p[at + 2]) >= 0 ? 3 : 0;
}

static bool all_of(str text, const char *more, bool wide)
{
    for (size_t at = 0; at < text.n;) {
        size_t n = uri_char(text, at, more, wide);
        if (!n) return false;
        at += n;
    }
    return true;
}

static size_t find_any(str text, size_t from, const char *any)
{
    while (from < text.n && !(text.p[from] && strchr(any, text.p[from]))) from++;
    return from;
}

/* ---- parts ---- */

/* [v1.fe] without its brackets. */
static bool is_future_address(str text)
{
    if (text.n < 4 || (text.p[0] | 0x20) != 'v') return false;
    size_t dot = 1;
    while (dot < text.n && ascii_hex(text.p[dot]) >= 0) dot++;
    if (dot == 1 || dot + 1 >= text.n || text.p[dot] != '.') return false;
    return !memchr(text.p, '%', text.n) && all_of(str_slice(text, dot + 1, text.n), ":", false);
}

static bool is_authority(struct schema_run *run, str text, bool wide)
{
    size_t at = find_any(text, 0, "@");
    if (at < text.n) {
        if (!all_of(str_slice(text, 0, at), ":", wide)) return false;
        text = str_slice(text, at + 1, text.n);
    }
    size_t host = find_any(text, 0, ":");
    if (text.n && text.p[0] == '[') {
        size_t close = find_any(text, 0, "]");
        if (close == text.n) return false;
        str address = str_slice(text, 1, close);
        if (!schema_format_ipv6(run, address) && !is_future_address(address)) return false;
        host = close + 1;
        if (host < text.n && text.p[host] != ':') return false;
    } else if (!all_of(str_slice(text, 0, host), "", wide)) {
        return false;
    }
    for (size_t i = host + 1; i < text.n; i++)
        if (!ascii_is_digit(text.p[i])) return false;
    return true;
}

/* Behind the scheme: //authority, path, ?query, #fragment. */
static bool is_rest(struct schema_run *run, str text, bool wide)
{
    if (str_starts(text, STR("//"))) {
        size_t end = find_any(text, 2, "/?#");
        if (!is_authority(run, str_slice(text, 2, end), wide)) return false;
        text = str_slice(text, end, text.n);
    }
    size_t query = find_any(text, 0, "?#"), fragment = find_any(text, query, "#");
    return all_of(str_slice(text, 0, query), "/:@", wide) &&
           all_of(str_slice(text, query + 1, fragment), "/:@?", wide) &&
           all_of(str_slice(text, fragment + 1, text.n), "/:@?", wide);
}

static size_t scheme_bytes(str text)
{
    size_t n = 0;
    while (n < text.n && (ascii_is_alphanumeric(text.p[n]) || (text.p[n] && strchr("+-.", text.p[n])))) n++;
    return n && n < text.n && text.p[n] == ':' && ascii_is_letter(text.p[0]) ? n + 1 : 0;
}

static bool is_uri(struct schema_run *run, str text, bool wide)
{
    size_t scheme = scheme_bytes(text);
    return scheme && is_rest(run, str_slice(text, scheme, text.n), wide);
}

static bool is_reference(struct schema_run *run, str text, bool wide)
{
    if (scheme_bytes(text)) return is_uri(run, text, wide);
    /* A colon in the first segment would make a scheme of it. */
    size_t colon = find_any(text, 0, ":/?#");
    return (colon == text.n || text.p[colon] != ':') && is_rest(run, text, wide);
}

bool schema_format_uri(struct schema_run *run, str text) { return is_uri(run, text, false); }
bool schema_format_iri(struct schema_run *run, str text) { return is_uri(run, text, true); }
bool schema_format_uri_reference(struct schema_run *run, str text) { return is_reference(run, text, false); }
bool schema_format_iri_reference(struct schema_run *run, str text) { return is_reference(run, text, true); }

/* ---- templates ---- */

static bool is_encoded(str text, size_t at)
{
    return at + 2 < text.n && text.p[at] == '%' && ascii_hex(text.p[at + 1]) >= 0 &&
           ascii_hex(text.p[at + 2]) >= 0;
}

/* name, name* or name:1000 */
static bool is_variable(str text)
{
    size_t at = 0;
    bool dot = true; /* A dot stands only between characters. */
    while (at < text.n && text.p[at] != ':' && text.p[at] != '*') {
        if (text.p[at] == '.') {
            if (dot) return false;
            dot = true;
            at++;
            continue;
        }
        if (!ascii_is_alphanumeric(text.p[at]) && text.p[at] != '_' && !is_encoded(text, at)) return false;
        at += text.p[at] == '%' ? 3 : 1;
        dot = false;
    }
    if (dot) return false;
    if (at == text.n) return true;
    if (text.p[at] == '*') return at + 1 == text.n;
    str length = str_slice(text, at + 1, text.n);
    if (!length.n || length.n > 4 || length.p[0] == '0') return false;
    for (size_t i = 0; i < length.n; i++)
        if (!ascii_is_digit(length.p[i])) return false;
    return true;
}

static bool is_expression(str text)
{
    if (text.n && text.p[0] && strchr("+#./;?&", text.p[0])) text = str_slice(text, 1, text.n);
    for (;;) {
        size_t comma = find_any(text, 0, ",");
        if (!is_variable(str_slice(text, 0, comma))) return false;
        if (comma == text.n) return true;
        text = str_slice(text, comma + 1, text.n);
    }
}

bool schema_format_uri_template(struct schema_run *run, str text)
{
    (void)run;
    for (size_t at = 0; at < text.n;) {
        unsigned char c = (unsigned char)text.p[at];
        if (c == '{') {
            size_t close = find_any(text, at, "}");
            if (close == text.n || !is_expression(str_slice(text, at + 1, close))) return false;
            at = close + 1;
            continue;
        }
        if (c <= ' ' || c == 0x7f || strchr("\"<>\\^`|}", c)) return false;
        if (c == '%' && !is_encoded(text, at)) return false;
        at++;
    }
    return true;
}
