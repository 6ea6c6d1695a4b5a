/* json/diff.c — what changed, and applying it.
 *
 * Changes come in the order of the old value's members, then the new ones. A patch relies
 * on that: it goes through the value and through the changes side by side, so its cost is
 * that of one copy, however many changes there are.
 *
 * Replacing keeps a member's place and adding appends, so a patched object has the old
 * order. Where the new value has its members in another order and something else changed
 * too, the object is replaced as a whole.
 */
#include "json/json_int.h"

/* ---- diff ---- */

/* True if the members both have are in the same order, and the new ones at the end. */
static bool keeps_order(const struct json *from, const struct json *to)
{
    struct json_each old = json_each(from), new = json_each(to);
    while (json_next(&old)) {
        if (!json_get(to, old.name)) continue;
        if (!json_next(&new) || !str_equal(old.name, new.name)) return false;
    }
    while (json_next(&new))
        if (json_get(from, new.name)) return false;
    return true;
}

static void add_change(struct json_builder *builder, const struct buf *pointer, const struct json *value)
{
    json_open_array(builder);
    json_add_string(builder, buf_str(pointer));
    if (value) json_add(builder, value);
    json_close(builder);
}

/* The values differ. */
static void add_changes(struct json_builder *builder, struct buf *pointer, const struct json *from,
                        const struct json *to)
{
    if (!json_is(from, JSON_OBJECT) || !json_is(to, JSON_OBJECT) || !keeps_order(from, to)) {
        add_change(builder, pointer, to);
        return;
    }
    size_t length = pointer->n;
    struct json_each each = json_each(from);
    while (json_next(&each)) {
        const struct json *other = json_get(to, each.name);
        if (other && json_equal(each.value, other)) continue;
        json_pointer_add(pointer, each.name);
        if (other) add_changes(builder, pointer, each.value, other);
        else add_change(builder, pointer, NULL);
        pointer->n = length;
    }
    each = json_each(to);
    while (json_next(&each)) {
        if (json_get(from, each.name)) continue;
        json_pointer_add(pointer, each.name);
        add_change(builder, pointer, each.value);
        pointer->n = length;
    }
}

const struct json *json_diff(const struct json *from, const struct json *to, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    if (!json_equal(from, to)) {
        struct buf pointer;
        buf_init(&pointer, arena);
        add_changes(&builder, &pointer, from, to);
    }
    json_close(&builder);
    return json_built(&builder);
}

/* ---- patch ---- */

struct patch_change {
    str rest; /* The pointer, less the tokens that led to where we are. */
    str pointer;
    const struct json *value; /* NULL: remove. */
};

struct patcher {
    struct buf cells;
    struct error *err;
};

static enum status misfit(struct patcher *patcher, const struct patch_change *change, const char *complaint)
{
    char where[ERROR_WHERE_BYTES];
    size_t n = change->pointer.n < sizeof where ? change->pointer.n : sizeof where - 1;
    if (n) memcpy(where, change->pointer.p, n);
    where[n] = '\0';
    return fail(patcher->err, ST_INVALID, where, "%s", complaint);
}

/* Counts the changes, from the first on, that are inside the same member. */
static size_t count_group(const struct patch_change *change, size_t count, str token)
{
    size_t n = 1;
    for (; n < count; n++) {
        str rest = change[n].rest;
        if (!rest.n || !str_equal(pointer_take_token(&rest), token)) break;
    }
    return n;
}

static enum status patch_value(struct patcher *patcher, const struct json *value, struct patch_change *change,
                               size_t count);

/* Writes the member as the group of changes wants it. */
static enum status patch_member(struct patcher *patcher, const struct json_each *member,
                                struct patch_change *group, size_t count, size_t *members)
{
    for (size_t i = 0; i < count; i++) pointer_take_token(&group[i].rest);
    if (count == 1 && !group->rest.n && !group->value) return ST_OK;
    cells_add_string(&patcher->cells, member->name);
    (*members)++;
    return patch_value(patcher, member->value, group, count);
}

/* The token, unescaped, as a name at the end of the cells. */
static void add_token(struct patcher *patcher, str token)
{
    struct buf *cells = &patcher->cells;
    char *out = (char *)(cells_room(cells, 2 + token.n / 4) + 1);
    size_t n = 0;
    for (int byte; (byte = pointer_token_byte(&token)) >= 0;) out[n++] = (char)byte;
    memset(out + n, 0, (4 - n % 4) % 4);
    *cell_at_offset(cells, cells->n) = head_of(TAG_STRING, n);
    cells->n += (1 + cells_for(n)) * 4;
}

/* The changes that met no member: each must add one. */
static enum status add_new_members(struct patcher *patcher, struct patch_change *change, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        str token = pointer_take_token(&change[i].rest);
        if (change[i].rest.n || !change[i].value)
            return misfit(patcher, &change[i], "changes what is not there, or comes out of order");
        add_token(patcher, token);
        cells_add_value(&patcher->cells, change[i].value);
    }
    return ST_OK;
}

static enum status patch_object(struct patcher *patcher, const struct json *object,
                                struct patch_change *change, size_t count)
{
    size_t offset = cells_open(&patcher->cells, TAG_OBJECT), members = 0, done = 0;
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        str token = STR_NONE;
        if (done < count) {
            str rest = change[done].rest;
            token = pointer_take_token(&rest);
        }
        if (done == count || !pointer_token_equals(token, each.name)) {
            cells_add_string(&patcher->cells, each.name);
            cells_add_value(&patcher->cells, each.value);
            members++;
            continue;
        }
        size_t group = count_group(change + done, count - done, token);
        TRY(patch_member(patcher, &each, change + done, group, &members));
        done += group;
    }
    TRY(add_new_members(patcher, change + done, count - done));
    members += count - done;
    cells_close(&patcher->cells, offset, TAG_OBJECT, members);
    if (cells_find_repeat(cell_at_offset(&patcher->cells, offset)) != SIZE_MAX)
        return misfit(patcher, &change[count - 1], "adds what is already there, or comes out of order");
    return ST_OK;
}

/* There is at least one change. */
static enum status patch_value(struct patcher *patcher, const struct json *value, struct patch_change *change,
                               size_t count)
{
    if (!change->rest.n) {
        if (count > 1) return misfit(patcher, &change[1], "changes what was replaced");
        cells_add_value(&patcher->cells, change->value);
        return ST_OK;
    }
    for (size_t i = 0; i < count; i++)
        if (!change[i].rest.n) return misfit(patcher, &change[i], "replaces what was changed");
    if (!json_is(value, JSON_OBJECT)) return misfit(patcher, change, "leads into what is no object");
    return patch_object(patcher, value, change, count);
}

static enum status read_changes(const struct json *diff, struct patch_change *ret_changes, struct error *err)
{
    struct json_each each = json_each(diff);
    while (json_next(&each)) {
        size_t parts = json_count(each.value);
        const struct json *pointer = json_item(each.value, 0);
        if (parts < 1 || parts > 2 || !json_is(pointer, JSON_STRING))
            return fail(err, ST_INVALID, NULL, "a change is [pointer] or [pointer, value]");
        str text = json_string(pointer);
        if (text.n && text.p[0] != '/')
            return fail(err, ST_INVALID, NULL, "a change's pointer starts with '/'");
        if (!text.n && parts == 1) return fail(err, ST_INVALID, NULL, "the whole value cannot be removed");
        *ret_changes++ = (struct patch_change){ text, text, json_item(each.value, 1) };
    }
    return ST_OK;
}

enum status json_patch(const struct json *value, const struct json *diff, struct arena *arena,
                       const struct json **ret_value, struct error *err)
{
    if (!json_is(diff, JSON_ARRAY)) return fail(err, ST_INVALID, NULL, "changes are an array");
    size_t count = json_count(diff);
    if (!count) {
        *ret_value = json_copy(arena, value);
        return ST_OK;
    }
    struct patch_change *changes = arena_make_n(arena, struct patch_change, count);
    TRY(read_changes(diff, changes, err));
    struct patcher patcher = { .err = err };
    buf_init(&patcher.cells, arena);
    buf_reserve(&patcher.cells, json_bytes(value) + json_bytes(diff));
    TRY(patch_value(&patcher, value, changes, count));
    *ret_value = value_at(cell_at_offset(&patcher.cells, 0));
    return ST_OK;
}
