/* schema/uri.c — references against a base, as RFC 3986 resolves them (5.2). */
#include "schema/schema_int.h"

#include "base/ascii.h"

struct uri_parts {
    str scheme;    /* With its ':', or empty. */
    str authority; /* With its "//", or empty. */
    str path;
    str query;    /* With its '?', or empty. */
    str fragment; /* With its '#', or empty. */
};

static size_t find_first(str text, size_t from, const char *any)
{
    while (from < text.n && !(text.p[from] && strchr(any, text.p[from]))) from++;
    return from;
}

static size_t scheme_bytes(str text)
{
    if (!text.n || !ascii_is_letter(text.p[0])) return 0;
    size_t n = 1;
    while (n < text.n && (ascii_is_alphanumeric(text.p[n]) || strchr("+-.", text.p[n])) && text.p[n]) n++;
    return n < text.n && text.p[n] == ':' ? n + 1 : 0;
}

static struct uri_parts split(str text)
{
    struct uri_parts parts;
    size_t at = scheme_bytes(text);
    parts.scheme = str_slice(text, 0, at);
    size_t path = at;
    if (str_starts(str_slice(text, at, text.n), STR("//"))) path = find_first(text, at + 2, "/?#");
    parts.authority = str_slice(text, at, path);
    size_t query = find_first(text, path, "?#");
    parts.path = str_slice(text, path, query);
    size_t fragment = find_first(text, query, "#");
    parts.query = str_slice(text, query, fragment);
    parts.fragment = str_slice(text, fragment, text.n);
    return parts;
}

/* Takes the last segment away, with the slash before it. */
static void drop_segment(struct buf *path)
{
    while (path->n && path->p[path->n - 1] != '/') path->n--;
    if (path->n) path->n--;
}

/* 5.2.4 */
static str without_dots(str path, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    while (path.n) {
        size_t slash = path.p[0] == '/';
        size_t end = find_first(path, slash, "/");
        str segment = str_slice(path, slash, end);
        bool last = end == path.n;
        if (str_equal(segment, STR(".")) || str_equal(segment, STR(".."))) {
            if (segment.n == 2) drop_segment(&out);
            if (last && slash) buf_add_char(&out, '/');
        } else {
            buf_add_str(&out, str_slice(path, 0, end));
        }
        path = str_slice(path, end, path.n);
    }
    return buf_str(&out);
}

/* 5.2.3 */
static str merge(const struct uri_parts *base, str path, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    if (base->authority.n && !base->path.n) {
        buf_add_char(&out, '/');
    } else {
        size_t n = base->path.n;
        while (n && base->path.p[n - 1] != '/') n--;
        buf_add(&out, base->path.p, n);
    }
    buf_add_str(&out, path);
    return without_dots(buf_str(&out), arena);
}

str schema_uri_resolve(str base, str reference, struct arena *arena)
{
    struct uri_parts from = split(base), to = split(reference);
    if (to.scheme.n) {
        to.path = without_dots(to.path, arena);
    } else {
        to.scheme = from.scheme;
        if (to.authority.n) {
            to.path = without_dots(to.path, arena);
        } else {
            to.authority = from.authority;
            if (!to.path.n) {
                to.path = from.path;
                if (!to.query.n) to.query = from.query;
            } else if (to.path.p[0] == '/') {
                to.path = without_dots(to.path, arena);
            } else {
                to.path = merge(&from, to.path, arena);
            }
        }
    }
    struct buf out;
    buf_init(&out, arena);
    const str part[] = { to.scheme, to.authority, to.path, to.query, to.fragment };
    for (size_t i = 0; i < COUNT(part); i++) buf_add_str(&out, part[i]);
    return buf_str(&out);
}

str schema_uri_split(str uri, str *ret_fragment)
{
    size_t at = find_first(uri, 0, "#");
    *ret_fragment = str_slice(uri, at + 1, uri.n);
    return str_slice(uri, 0, at);
}

bool schema_uri_decode(str text, struct arena *arena, str *ret_text)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '%') {
            buf_add_char(&out, text.p[i]);
            continue;
        }
        if (i + 2 >= text.n || ascii_hex(text.p[i + 1]) < 0 || ascii_hex(text.p[i + 2]) < 0) return false;
        buf_add_char(&out, (char)(ascii_hex(text.p[i + 1]) * 16 + ascii_hex(text.p[i + 2])));
        i += 2;
    }
    *ret_text = buf_str(&out);
    return true;
}
