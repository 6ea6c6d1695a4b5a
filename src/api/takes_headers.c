/* api/takes_headers.c — headers that mean something to the API: obeyed by the route, refused, or warned
 * about.
 *
 * Headers that every client and proxy sends pass (User-Agent, X-Forwarded-For, traceparent). One that the API
 * knows and the route does not read has no effect, and the answer says so. A write refuses a condition that
 * it does not read, because it would do what the client wanted to prevent; a lenient surface only warns. A
 * header that looks like one of ours with an error in its name is warned about.
 */
#include "api/access/person_int.h"
#include "api/request_int.h"

enum { NAME_SURE_BYTES = 10 }; /* A longer name is taken for another one if two letters differ. */

struct known_header {
    str name;
    unsigned part;      /* A bit of enum route_takes; 0: no route reads it. */
    bool is_condition;  /* A write that ignores it can do harm. */
    bool is_for_caches; /* A read that ignores it answers in full, which is right. */
    bool is_of_gate;    /* The gate reads it for every route. */
};

static const struct known_header known_headers[] = {
    { STR_INIT("X-Actor"), TAKES_ACTOR, false, false },
    { STR_INIT("X-Groups"), TAKES_GROUPS, false, false },
    { STR_INIT("Idempotency-Key"), TAKES_KEY, true, false },
    { STR_INIT("If-Match"), TAKES_MATCH, true, false },
    { STR_INIT("If-None-Match"), TAKES_NONE_MATCH, true, true },
    { STR_INIT("If-Unmodified-Since"), 0, true, false },
    { STR_INIT("If-Modified-Since"), 0, false, true },
    { STR_INIT("X-Tx-Token"), TAKES_TOKEN, true, false },
    { STR_INIT("Last-Event-ID"), TAKES_LAST_EVENT, false, false },
    { STR_INIT("Prefer"), 0, false, false },
    { STR_INIT("X-Pawl-Tenant"), 0, true, false, .is_of_gate = true },
};

static bool starts_like(str name, str beginning)
{
    return str_equal_ignoring_case(str_slice(name, 0, beginning.n), beginning);
}

/* Tells most headers of most requests apart by a letter or two. */
static bool may_be_ours(str name)
{
    enum { TO_LOWER = 'a' - 'A' };
    if (name.n < 3) return false;
    char first = name.p[0] | TO_LOWER, second = name.p[1] | TO_LOWER;
    if (first == 'c') return second == 'e' && name.p[2] == '-';
    if (first == 't') return second == 'x' && name.p[2] == '-';
    if (first == 'x') return name.p[1] == '-';
    return first == 'i' || first == 'l' || first == 'p';
}

static const struct known_header *find_known(str name)
{
    for (size_t i = 0; i < COUNT(known_headers); i++)
        if (name.n == known_headers[i].name.n && str_equal_ignoring_case(name, known_headers[i].name))
            return &known_headers[i];
    return NULL;
}

unsigned takes_header_part(str name)
{
    const struct known_header *known = find_known(name);
    if (known) return known->part;
    return starts_like(name, STR("ce-")) ? TAKES_CLOUD_EVENT : 0;
}

str takes_header(const struct api_request *request, enum route_takes part)
{
    if (!(request->route->takes & part)) return STR("");
    if (part == TAKES_ACTOR) return person_name(&request->caller, http_header(request->http, STR("X-Actor")));
    for (size_t i = 0; i < COUNT(known_headers); i++)
        if (known_headers[i].part == part) return http_header(request->http, known_headers[i].name);
    return STR("");
}

/* ---- headers that the route does not read ---- */

enum status takes_fail_token(const char *name, struct error *err)
{
    return fail(err, ST_INVALID, name,
                "this request cannot be a part of a processor's transaction; send it without %s", name);
}

static bool is_read(const struct api_request *request) { return !strcmp(request->route->method, "GET"); }

static enum status check_ignored(struct api_request *request, const struct known_header *known,
                                 struct error *err)
{
    const struct api_route *route = request->route;
    bool reads = is_read(request);
    if (known->is_of_gate) return ST_OK;
    if (known->part == TAKES_TOKEN && route->needs != MAY_OPEN) return takes_fail_token("X-Tx-Token", err);
    if (known->is_for_caches && reads) return ST_OK;
    if (known->is_condition && !reads && !request->surface->lenient)
        return fail(err, ST_INVALID, known->name.p, "%s %s does not obey %s; send it without", route->method,
                    route->pattern, known->name.p);
    request_warn(request, "the header %s has no effect; %s %s does not read it", known->name.p, route->method,
                 route->pattern);
    return ST_OK;
}

static enum status check_repeated(struct api_request *request, const struct known_header *known,
                                  struct error *err)
{
    if (!request->surface->lenient)
        return fail(err, ST_INVALID, known->name.p, "the header %s is there twice", known->name.p);
    request_warn(request, "the header %s is there twice; the first one counts", known->name.p);
    return ST_OK;
}

/* ---- headers with an error in their name ---- */

static bool is_like(str name, str known)
{
    return str_distance(name, known, true) <= (known.n > NAME_SURE_BYTES ? 2 : 1);
}

static void check_misspelt(struct api_request *request, str name)
{
    str meant = STR_NONE;
    for (size_t i = 0; i < COUNT(known_headers); i++)
        if (is_like(name, known_headers[i].name)) meant = known_headers[i].name;
    if (!meant.n && (starts_like(name, STR("X-Tx")) || starts_like(name, STR("Tx-"))))
        meant = STR("X-Tx-Token");
    if (!meant.n && !starts_like(name, STR("X-Pawl"))) return;
    request_warn(request, "the header %.*s is unknown and has no effect%s%.*s%s",
                 STR_ARG(members_shown_name(name, request->http->arena)), meant.n ? "; did you mean " : "",
                 STR_ARG(meant), meant.n ? "?" : "");
}

enum status takes_check_headers(struct api_request *request, struct error *err)
{
    unsigned seen = 0;
    bool has_event = false;
    for (size_t i = 0; i < request->http->header_count; i++) {
        const struct http_header *header = &request->http->header[i];
        if (!header->value.n || !may_be_ours(header->name)) continue;
        const struct known_header *known = find_known(header->name);
        unsigned part = takes_header_part(header->name), bit = known ? 1u << (known - known_headers) : 0;
        if (known && seen & bit) TRY(check_repeated(request, known, err));
        else if (known && !(request->route->takes & part)) TRY(check_ignored(request, known, err));
        else if (!known && !part) check_misspelt(request, header->name);
        has_event |= part == TAKES_CLOUD_EVENT;
        seen |= bit;
    }
    if (has_event && !(request->route->takes & TAKES_CLOUD_EVENT))
        request_warn(request, "headers that begin with ce- have no effect; %s %s does not read them",
                     request->route->method, request->route->pattern);
    return ST_OK;
}
