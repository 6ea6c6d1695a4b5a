/* json/changes.c — what differs between two values, for people to read. */
#include "json/changes.h"

#include "base/sort.h"
#include "base/utf8.h"
#include "json/limits.h"
#include "json/put.h"

struct changing {
    struct json_changes *changes;
    struct buf *out;
    struct buf path;
    size_t begin, count;
    struct arena *arena;
};

/* ---- one change ---- */

/* A value whose text would be long is told by its size: nobody reads it here. */
static void put_value(struct changing *changing, const char *name, const struct json *value)
{
    struct buf text;
    buf_init(&text, changing->arena);
    bool is_text = json_is(value, JSON_STRING);
    bool is_container = json_is(value, JSON_OBJECT) || json_is(value, JSON_ARRAY);
    if (is_container && json_bytes(value) > CHANGE_PRINTED_BYTES_MAX)
        buf_printf(&text, json_is(value, JSON_OBJECT) ? "{… %zu members}" : "[… %zu elements]",
                   json_count(value));
    else if (is_text) json_print_string(utf8_cut(json_string(value), CHANGE_VALUE_BYTES_MAX), &text);
    else json_print(value, &text);
    str all = buf_str(&text), shown = utf8_cut(all, CHANGE_VALUE_BYTES_MAX);
    bool is_cut = shown.n < all.n || (is_text && json_string(value).n > CHANGE_VALUE_BYTES_MAX);
    buf_printf(changing->out, ",\"%s\":", name);
    put_text(changing->out, arena_printf(changing->arena, "%.*s%s", STR_ARG(shown), is_cut ? "…" : ""));
}

/* True if there is room for one more. */
static bool begin_change(struct changing *changing, const char *word)
{
    struct json_changes *changes = changing->changes;
    size_t bytes = changing->out->n - changing->begin;
    changes->is_cut |= changing->count >= changes->count_max || bytes >= changes->bytes_max;
    if (changes->is_cut) return false;
    if (changing->count++) buf_add_char(changing->out, ',');
    PUT(changing->out, "{\"path\":");
    put_text(changing->out, utf8_cut(buf_str(&changing->path), CHANGE_PATH_BYTES_MAX));
    buf_printf(changing->out, ",\"change\":\"%s\"", word);
    return true;
}

/* NULL: the value is not there. */
static void put_change(struct changing *changing, const struct json *from, const struct json *to)
{
    if (!begin_change(changing, !from ? "added" : !to ? "removed" : "changed")) return;
    if (from) put_value(changing, "from", from);
    if (to) put_value(changing, "to", to);
    buf_add_char(changing->out, '}');
}

static void put_order(struct changing *changing)
{
    if (begin_change(changing, "order")) buf_add_char(changing->out, '}');
}

static void compare(struct changing *changing, const struct json *from, const struct json *to,
                    uint32_t depth);

/* One of them may be NULL. `path` has the place. */
static void compare_part(struct changing *changing, const struct json *from, const struct json *to,
                         uint32_t depth)
{
    if (from && to) compare(changing, from, to, depth + 1);
    else put_change(changing, from, to);
}

/* ---- objects ---- */

static size_t add_member(struct changing *changing, str name)
{
    size_t length = changing->path.n;
    if (length) buf_add_char(&changing->path, '.');
    buf_add_str(&changing->path, name);
    return length;
}

static void compare_objects(struct changing *changing, const struct json *from, const struct json *to,
                            uint32_t depth)
{
    str skipped = depth ? STR_NONE : changing->changes->skip;
    struct json_each each = json_each(from);
    while (json_next(&each)) {
        if (skipped.n && str_equal(each.name, skipped)) continue;
        size_t length = add_member(changing, each.name);
        compare_part(changing, each.value, json_get(to, each.name), depth);
        changing->path.n = length;
    }
    each = json_each(to);
    while (json_next(&each)) {
        if ((skipped.n && str_equal(each.name, skipped)) || json_get(from, each.name)) continue;
        size_t length = add_member(changing, each.name);
        put_change(changing, NULL, each.value);
        changing->path.n = length;
    }
}

/* ---- arrays whose elements have names ---- */

/* An element by its name. */
struct named_element {
    str name;
    const struct json *value;
    size_t index;
};

static int by_name(const void *a, const void *b, const void *context)
{
    const struct named_element *one = a, *other = b;
    (void)context;
    return str_compare(one->name, other->name);
}

/* The ways in which elements can have names. */
enum element_naming { NAMED_BY_ID, NAMED_BY_NAME, NAMED_BY_KEY, NAMED_BY_ENDS, NAMING_COUNT };

static str name_of(const struct json *element, enum element_naming naming, struct arena *arena)
{
    static const char *const members[] = { "id", "name", "key" };
    if (!json_is(element, JSON_OBJECT)) return STR_NONE;
    if (naming != NAMED_BY_ENDS) return json_text(element, str_of(members[naming]));
    str from = json_text(element, STR("from")), to = json_text(element, STR("to"));
    return from.n && to.n ? arena_printf(arena, "%.*s to %.*s", STR_ARG(from), STR_ARG(to)) : STR_NONE;
}

/* The elements in order of their names; NULL: one has none, or two have the same. */
static struct named_element *named_of(const struct json *array, enum element_naming naming,
                                      struct arena *arena)
{
    size_t count = json_count(array);
    struct named_element *named = arena_make_n(arena, struct named_element, count + 1);
    struct named_element *scratch = arena_make_n(arena, struct named_element, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct json *element = json_item(array, i);
        named[i] = (struct named_element){ name_of(element, naming, arena), element, i };
        if (!named[i].name.n) return NULL;
    }
    sort_stable(named, scratch, count, sizeof *named, by_name, NULL);
    for (size_t i = 1; i < count; i++)
        if (str_equal(named[i - 1].name, named[i].name)) return NULL;
    return named;
}

static const struct named_element *find_named(const struct named_element *named, size_t count, str name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_compare(named[middle].name, name);
        if (!order) return &named[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

static size_t add_element(struct changing *changing, str name)
{
    size_t length = changing->path.n;
    buf_printf(&changing->path, "[%.*s]", STR_ARG(name));
    return length;
}

static void compare_named(struct changing *changing, const struct json *from, const struct named_element *old,
                          const struct json *to, const struct named_element *new, enum element_naming naming,
                          uint32_t depth)
{
    size_t old_count = json_count(from), new_count = json_count(to), last = 0;
    bool is_moved = false;
    for (size_t i = 0; i < old_count; i++) {
        str name = name_of(json_item(from, i), naming, changing->arena);
        const struct named_element *other = find_named(new, new_count, name);
        size_t length = add_element(changing, name);
        compare_part(changing, json_item(from, i), other ? other->value : NULL, depth);
        changing->path.n = length;
        if (!other) continue;
        is_moved |= other->index < last;
        last = other->index;
    }
    for (size_t i = 0; i < new_count; i++) {
        str name = name_of(json_item(to, i), naming, changing->arena);
        if (find_named(old, old_count, name)) continue;
        size_t length = add_element(changing, name);
        put_change(changing, NULL, json_item(to, i));
        changing->path.n = length;
    }
    if (is_moved) put_order(changing);
}

/* ---- other arrays ---- */

/* Equal elements at both ends are left out, so that one element more is one change. */
static void compare_by_index(struct changing *changing, const struct json *from, const struct json *to,
                             uint32_t depth)
{
    size_t a = json_count(from), b = json_count(to), head = 0;
    while (head < a && head < b && json_equal(json_item(from, head), json_item(to, head))) head++;
    while (a > head && b > head && json_equal(json_item(from, a - 1), json_item(to, b - 1))) a--, b--;
    for (size_t i = head; i < a || i < b; i++) {
        size_t length = add_element(changing, arena_printf(changing->arena, "%zu", i));
        compare_part(changing, i < a ? json_item(from, i) : NULL, i < b ? json_item(to, i) : NULL, depth);
        changing->path.n = length;
    }
}

static void compare_arrays(struct changing *changing, const struct json *from, const struct json *to,
                           uint32_t depth)
{
    for (enum element_naming naming = 0; naming < NAMING_COUNT; naming++) {
        const struct named_element *old = named_of(from, naming, changing->arena);
        const struct named_element *new = old ? named_of(to, naming, changing->arena) : NULL;
        if (!new) continue;
        compare_named(changing, from, old, to, new, naming, depth);
        return;
    }
    compare_by_index(changing, from, to, depth);
}

/* ---- values ---- */

static void compare(struct changing *changing, const struct json *from, const struct json *to, uint32_t depth)
{
    if (changing->changes->is_cut || json_equal(from, to)) return;
    bool objects = json_is(from, JSON_OBJECT) && json_is(to, JSON_OBJECT);
    bool arrays = json_is(from, JSON_ARRAY) && json_is(to, JSON_ARRAY);
    if (objects) compare_objects(changing, from, to, depth);
    else if (arrays) compare_arrays(changing, from, to, depth);
    else put_change(changing, from, to);
}

void changes_tell(struct json_changes *changes, const struct json *from, const struct json *to,
                  struct arena *arena)
{
    struct changing changing = { .changes = changes, .out = changes->out, .arena = arena };
    changes->is_cut = false;
    changing.begin = changes->out->n;
    buf_init(&changing.path, arena);
    buf_add_char(changes->out, '[');
    compare(&changing, from, to, 0);
    buf_add_char(changes->out, ']');
}
