/* api/members.c — finds members of a request that its list of members does not have. */
#include "api/members_int.h"

#include "api/limits.h"
#include "base/buf.h"
#include "dialect/entity/entity.h"
#include "dialect/nearest.h"
#include "json/json.h"

/* Where a value is, from the inside out. */
struct member_place {
    const struct member_place *around;
    str name;
    size_t index; /* The place of an item, which has no name. */
};

struct member_check {
    struct arena *arena;
    member_unknown_fn *tell;
    void *context;
    bool is_over;
};

/* ---- lists of names ---- */

bool members_next(str *rest, str *ret_name, str *ret_inner)
{
    size_t end = 0, depth = 0, close;
    *rest = str_trim(*rest);
    while (end < rest->n && rest->p[end] != ' ' && rest->p[end] != '(') end++;
    *ret_name = str_slice(*rest, 0, end);
    *ret_inner = STR_NONE;
    if (end < rest->n && rest->p[end] == '(') {
        for (close = end; close < rest->n; close++) {
            if (rest->p[close] == '(') depth++;
            if (rest->p[close] == ')' && !--depth) break;
        }
        *ret_inner = str_slice(*rest, end + 1, close);
        end = close + 1;
    }
    *rest = str_slice(*rest, end, rest->n);
    return ret_name->n > 0;
}

/* The end of the name or of the list in parentheses that begins here. */
static size_t skip(str names, size_t at)
{
    size_t depth = 0;
    for (; at < names.n; at++) {
        char c = names.p[at];
        if (c > ')') continue; /* A letter of a name. */
        if (c == ' ' && !depth) break;
        depth += c == '(';
        depth -= c == ')';
    }
    return at;
}

/* True if the name begins here. */
static bool is_at(str names, size_t at, str name)
{
    size_t end = at + name.n;
    return name.n && end <= names.n && names.p[at] == name.p[0] && !memcmp(names.p + at, name.p, name.n) &&
           (end == names.n || names.p[end] == ' ' || names.p[end] == '(');
}

/* The list behind a name that ends here, and the beginning of the next name. */
static str inner_at(str names, size_t end, size_t *ret_next)
{
    size_t close = end < names.n && names.p[end] == '(' ? skip(names, end) : end;
    *ret_next = close + 1;
    return close > end ? (str){ names.p + end + 1, close - end - 2 } : STR_NONE;
}

/* Looks from *next on, then from the beginning: most clients send members in one order. Every item of a batch
 * comes here for each of its members, so that nothing is read twice. */
static bool find(str names, str name, size_t *next, str *ret_inner)
{
    size_t at = *next < names.n ? *next : 0, first = at;
    do {
        if (is_at(names, at, name)) {
            *ret_inner = inner_at(names, at + name.n, next);
            return true;
        }
        size_t end = skip(names, at);
        at = end + 1 < names.n ? end + 1 : 0;
    } while (at != first);
    return false;
}

/* ---- members that are unknown ---- */

str members_shown_name(str name, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < name.n && i < WARNING_NAME_BYTES_MAX; i++)
        buf_add_char(&out, name.p[i] > ' ' && name.p[i] < 127 && name.p[i] != '"' ? name.p[i] : '?');
    return buf_str(&out);
}

/* The outer ones have names that we know, but conditions can nest as deep as documents. */
static void put_place(struct buf *out, const struct member_place *place, struct arena *arena)
{
    if (place->around) put_place(out, place->around, arena);
    if (place->name.p)
        buf_printf(out, "%s%.*s", out->n ? "." : "", STR_ARG(members_shown_name(place->name, arena)));
    else buf_printf(out, "[%zu]", place->index);
}

static void tell(struct member_check *check, const struct member_place *place, struct nearest *nearest,
                 const struct buf *known)
{
    struct buf out;
    buf_init(&out, check->arena);
    put_place(&out, place, check->arena);
    buf_add_char(&out, '\0');
    const char *hint = nearest_hint(nearest, check->arena);
    const struct member_unknown unknown = { out.p, hint ? hint : known->p };
    check->is_over = !check->tell(check->context, &unknown);
}

static void offer(struct nearest *nearest, struct buf *known, str name)
{
    nearest_offer(nearest, name);
    buf_printf(known, "%s%.*s", known->n ? ", " : "known are ", STR_ARG(name));
}

static void tell_names(struct member_check *check, const struct member_place *place, str names)
{
    struct nearest nearest;
    struct buf known;
    str name, inner;
    nearest_init(&nearest, place->name);
    buf_init(&known, check->arena);
    while (members_next(&names, &name, &inner)) offer(&nearest, &known, name);
    buf_add_char(&known, '\0');
    tell(check, place, &nearest, &known);
}

static void tell_fields(struct member_check *check, const struct member_place *place,
                        const char *const *fields)
{
    struct nearest nearest;
    struct buf known;
    nearest_init(&nearest, place->name);
    buf_init(&known, check->arena);
    for (; *fields; fields++) offer(&nearest, &known, str_of(*fields));
    buf_add_char(&known, '\0');
    tell(check, place, &nearest, &known);
}

/* ---- values ---- */

static void check_value(struct member_check *check, const struct json *value, str names,
                        const struct member_place *place);

static bool is_among(const char *const *fields, str name)
{
    for (; *fields; fields++)
        if (str_equal(str_of(*fields), name)) return true;
    return false;
}

/* The engine refuses a condition of an unknown type. */
static void check_condition(struct member_check *check, const struct json *condition,
                            const struct member_place *around)
{
    const struct json *type = json_get(condition, STR("type"));
    const char *const *fields =
        json_is(type, JSON_STRING) ? entity_condition_fields(json_string(type)) : NULL;
    if (!fields) return;
    struct json_each each = json_each(condition);
    while (!check->is_over && json_next(&each)) {
        const struct member_place place = { around, each.name, 0 };
        if (!is_among(fields, each.name)) tell_fields(check, &place, fields);
        else if (str_equal(each.name, STR("conditions")))
            check_value(check, each.value, STR("CONDITION"), &place);
    }
}

static void check_object(struct member_check *check, const struct json *object, str names,
                         const struct member_place *around)
{
    struct json_each each = json_each(object);
    size_t next = 0;
    str inner;
    if (str_equal(names, STR("CONDITION"))) {
        check_condition(check, object, around);
        return;
    }
    while (!check->is_over && json_next(&each)) {
        bool is_known = find(names, each.name, &next, &inner);
        if (is_known && !inner.n) continue;
        const struct member_place place = { around, each.name, 0 };
        if (is_known) check_value(check, each.value, inner, &place);
        else tell_names(check, &place, names);
    }
}

/* Recursion goes as deep as the list of names, and in conditions as deep as documents can be. */
static void check_value(struct member_check *check, const struct json *value, str names,
                        const struct member_place *place)
{
    if (json_is(value, JSON_OBJECT)) check_object(check, value, names, place);
    if (!json_is(value, JSON_ARRAY)) return;
    struct json_each each = json_each(value);
    for (size_t i = 0; !check->is_over && json_next(&each); i++) {
        const struct member_place item = { place, STR_NONE, i };
        if (json_is(each.value, JSON_OBJECT)) check_object(check, each.value, names, &item);
    }
}

void members_check(const struct json *value, const char *names, struct arena *arena, member_unknown_fn *fn,
                   void *context)
{
    struct member_check check = { .arena = arena, .tell = fn, .context = context };
    check_value(&check, value, str_of(names), NULL);
}
