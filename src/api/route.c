/* api/route.c — finds a route by method and path, and says which parameters it takes. */
#include "api/route_int.h"

#include "base/must.h"

const char *const route_methods[] = { "DELETE", "GET", "HEAD", "PATCH", "POST", "PUT", NULL };

/* Whether the path has the pattern's form; a parameter takes one segment that is not empty. */
static bool fits(const char *pattern, str path, size_t at, str *param, size_t *ret_params)
{
    size_t params = 0;
    while (*pattern) {
        if (*pattern != '{') {
            if (at == path.n || path.p[at] != *pattern) return false;
            at++, pattern++;
            continue;
        }
        size_t begin = at;
        while (*pattern++ != '}') continue;
        bool takes_rest = pattern[-2] == '*';
        const char *slash = takes_rest || at == path.n ? NULL : memchr(path.p + at, '/', path.n - at);
        at = slash ? (size_t)(slash - path.p) : path.n;
        if (at == begin) return false;
        must(params < ROUTE_PARAMS_MAX);
        param[params++] = str_slice(path, begin, at);
    }
    *ret_params = params;
    return at == path.n;
}

static bool is_method(const struct api_route *route, str method)
{
    return strncmp(route->method, method.p, method.n) == 0 && !route->method[method.n];
}

/* A bit for each of route_methods that a route answers. */
static unsigned methods_of(const struct api_route *route)
{
    unsigned set = 0;
    for (unsigned i = 0; route_methods[i]; i++)
        if (strcmp(route->method, route_methods[i]) == 0) set |= 1u << i;
    must(set);
    return set;
}

static str print_methods(unsigned set, bool with_head, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    for (unsigned i = 0; route_methods[i]; i++) {
        if (!(set & 1u << i)) continue;
        buf_printf(&out, "%s%s", out.n ? ", " : "", route_methods[i]);
        if (with_head && strcmp(route_methods[i], "GET") == 0) buf_add_str(&out, STR(", HEAD"));
    }
    return buf_str(&out);
}

void route_find(const struct surface *const *surfaces, str method, str path, struct arena *arena,
                struct route_match *ret_match)
{
    unsigned others = 0;
    size_t number = 0, params;
    *ret_match = (struct route_match){ 0 };
    if (str_equal(method, STR("HEAD"))) method = STR("GET");
    for (; *surfaces; number += (*surfaces)->route_count, surfaces++) {
        const struct surface *surface = *surfaces;
        if (!str_starts(path, surface->prefix)) continue;
        for (size_t i = 0; i < surface->route_count; i++) {
            const struct api_route *route = &surface->route[i];
            if (!fits(route->pattern + surface->prefix.n, path, surface->prefix.n, ret_match->param, &params))
                continue;
            if (!is_method(route, method)) {
                others |= methods_of(route);
                continue;
            }
            for (size_t k = params; k < ROUTE_PARAMS_MAX; k++) ret_match->param[k] = STR_NONE;
            ret_match->surface = surface;
            ret_match->route = route;
            ret_match->number = number + i + 1;
            return;
        }
    }
    if (others) ret_match->allow = print_methods(others, true, arena);
}

str route_all_methods(const struct surface *const *surfaces, struct arena *arena)
{
    unsigned set = 0;
    for (; *surfaces; surfaces++)
        for (size_t i = 0; i < (*surfaces)->route_count; i++) set |= methods_of(&(*surfaces)->route[i]);
    return print_methods(set, false, arena);
}

/* ---- parameters of the query ---- */

static const struct {
    enum route_takes bit;
    str name;
} query_parts[] = {
    { TAKES_TIME, STR_INIT("pointInTime") },
    { TAKES_TRANSACTION, STR_INIT("transactionId") },
};

/* The next word of a list; false: there is none. A word that ends with * may be in a query several times. */
static bool next_word(str *rest, str *ret_word, bool *ret_repeats)
{
    size_t end = str_find(*rest, STR(" "), 0);
    str word = str_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? STR_NONE : str_slice(*rest, end + 1, rest->n);
    *ret_repeats = word.n && word.p[word.n - 1] == '*';
    *ret_word = str_slice(word, 0, word.n - *ret_repeats);
    return word.n > 0;
}

bool route_takes_query(const struct api_route *route, str name, bool *ret_repeats)
{
    str rest = route->query ? str_of(route->query) : STR_NONE, word;
    *ret_repeats = false;
    for (size_t i = 0; i < COUNT(query_parts); i++)
        if (route->takes & query_parts[i].bit && str_equal(name, query_parts[i].name)) return true;
    while (next_word(&rest, &word, ret_repeats))
        if (str_equal(name, word)) return true;
    return false;
}

str route_query_names(const struct api_route *route, struct arena *arena)
{
    str rest = route->query ? str_of(route->query) : STR_NONE, word;
    bool repeats;
    struct buf out;
    buf_init(&out, arena);
    while (next_word(&rest, &word, &repeats))
        buf_printf(&out, "%s%.*s", out.n ? ", " : "takes ", STR_ARG(word));
    for (size_t i = 0; i < COUNT(query_parts); i++)
        if (route->takes & query_parts[i].bit)
            buf_printf(&out, "%s%s", out.n ? ", " : "takes ", query_parts[i].name.p);
    if (!out.n) buf_add_str(&out, STR("takes no parameters in its query"));
    return buf_str(&out);
}

bool route_is_shared_part(str name)
{
    for (size_t i = 0; i < COUNT(query_parts); i++)
        if (str_equal(name, query_parts[i].name)) return true;
    return false;
}
