/* vault/resolve.c — finds the secrets that a call names, and puts them into its input. */
#include "vault/resolve.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "json/json.h"
#include "vault/limits.h"
#include "vault/vault.h"

#include <stdio.h>

/* ---- lookups ---- */

static bool find_in_vault(void *context, int32_t tenant, str name, struct arena *arena, str *ret_value)
{
    return context && vault_find(context, tenant, name, arena, ret_value);
}

struct vault_lookup vault_lookup_in(struct vault *vault, int32_t tenant)
{
    return (struct vault_lookup){ find_in_vault, vault, tenant };
}

static enum status look_up(const struct vault_lookup *lookup, str name, struct arena *arena, str *ret_value,
                           struct error *err)
{
    if (lookup->find(lookup->context, lookup->tenant ? lookup->tenant : TENANT_DEFAULT, name, arena,
                     ret_value))
        return ST_OK;
    return fail(err, ST_NOT_FOUND, "SECRET_NOT_FOUND", "the secret \"%.*s\" is not in the vault",
                STR_ARG(utf8_cut(name, SECRET_NAME_BYTES_MAX)));
}

enum status vault_reference(const struct vault_lookup *lookup, str ref, struct arena *arena, str *ret_text,
                            struct error *err)
{
    static const str scheme = STR_INIT("vault:");
    if (str_starts(ref, scheme)) ref = str_slice(ref, scheme.n, ref.n);
    return look_up(lookup, ref, arena, ret_text, err);
}

/* ---- places ---- */

/* A text of the input that has secrets in it. */
struct place {
    str *step; /* The names and indexes that lead to it. */
    size_t step_count;
    str text; /* With the secrets filled in. */
    bool filled;
};

static enum status fail_form(struct error *err)
{
    return fail(err, ST_INVALID, "SECRET_INVALID", "the list of secrets of this input is damaged");
}

static enum status read_steps(str pointer, struct arena *arena, struct place *place, struct error *err)
{
    if (!pointer.n || pointer.p[0] != '/') return fail_form(err);
    size_t count = 0;
    for (size_t i = 0; i < pointer.n; i++) count += pointer.p[i] == '/';
    if (count > JSON_DEPTH_MAX) return fail_form(err);
    place->step = arena_make_n(arena, str, count);
    place->step_count = count;
    size_t at = 1;
    for (size_t i = 0; i < count; i++) {
        size_t end = str_find(pointer, STR("/"), at);
        if (end == SIZE_MAX) end = pointer.n;
        struct buf step;
        buf_init(&step, arena);
        for (; at < end; at++) {
            bool escaped = pointer.p[at] == '~' && at + 1 < end;
            buf_add_char(&step, !escaped ? pointer.p[at] : pointer.p[++at] == '1' ? '/' : '~');
        }
        place->step[i] = buf_str(&step);
        at = end + 1;
    }
    return ST_OK;
}

static enum status fill_parts(const struct json *parts, const struct vault_lookup *lookup,
                              struct arena *arena, str *ret_text, struct error *err)
{
    struct buf text;
    buf_init(&text, arena);
    struct json_each each = json_each(parts);
    while (json_next(&each)) {
        const struct json *name = json_get(each.value, STR("secret"));
        str part;
        if (json_is(each.value, JSON_STRING)) part = json_string(each.value);
        else if (json_is(name, JSON_STRING)) TRY(look_up(lookup, json_string(name), arena, &part, err));
        else return fail_form(err);
        if (text.n + part.n > RESOLVED_TEXT_BYTES_MAX)
            return fail(err, ST_LIMIT, "SECRET_INVALID",
                        "a text with its secrets has more than %d bytes (RESOLVED_TEXT_BYTES_MAX)",
                        RESOLVED_TEXT_BYTES_MAX);
        buf_add_str(&text, part);
    }
    *ret_text = buf_str(&text);
    return ST_OK;
}

static enum status read_places(const struct json *list, const struct vault_lookup *lookup,
                               struct arena *arena, struct place **ret_place, struct error *err)
{
    if (!json_is(list, JSON_ARRAY)) return fail_form(err);
    struct place *place = arena_make_n(arena, struct place, json_count(list)), *next = place;
    struct json_each each = json_each(list);
    for (; json_next(&each); next++) {
        const struct json *at = json_get(each.value, STR("at"));
        const struct json *parts = json_get(each.value, STR("parts"));
        if (!json_is(at, JSON_STRING) || !json_is(parts, JSON_ARRAY)) return fail_form(err);
        TRY(read_steps(json_string(at), arena, next, err));
        TRY(fill_parts(parts, lookup, arena, &next->text, err));
    }
    *ret_place = place;
    return ST_OK;
}

/* ---- filling in ---- */

struct filling {
    struct json_builder builder;
    struct arena *arena;
};

/* The places below the child with that name or, in an array, that index. */
static size_t places_below(const struct filling *filling, struct place *const *places, size_t count,
                           size_t depth, str name, struct place ***ret_below)
{
    size_t found = 0;
    *ret_below = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!str_equal(places[i]->step[depth], name)) continue;
        if (!*ret_below) *ret_below = arena_make_n(filling->arena, struct place *, count);
        (*ret_below)[found++] = places[i];
    }
    return found;
}

static bool ends_here(struct place *const *places, size_t count, size_t depth)
{
    for (size_t i = 0; i < count; i++)
        if (places[i]->step_count == depth) return true;
    return false;
}

/* Copies a value, with texts in their places. False if a place is not that of a text. */
static bool fill_value(struct filling *filling, const struct json *value, struct place *const *places,
                       size_t count, size_t depth)
{
    struct json_builder *builder = &filling->builder;
    if (ends_here(places, count, depth)) {
        places[0]->filled = count == 1 && json_is(value, JSON_STRING) && utf8_is_valid(places[0]->text);
        if (places[0]->filled) json_add_string(builder, places[0]->text);
        return places[0]->filled;
    }
    bool object = json_is(value, JSON_OBJECT);
    if (!object && !json_is(value, JSON_ARRAY)) return false;
    if (object) json_open_object(builder);
    else json_open_array(builder);
    struct json_each each = json_each(value);
    for (size_t index = 0; json_next(&each); index++) {
        if (!depth && str_equal(each.name, STR(RESOLVE_MEMBER))) continue;
        char digits[24];
        str name =
            object ? each.name : (str){ digits, (size_t)snprintf(digits, sizeof digits, "%zu", index) };
        struct place **below;
        size_t below_count = places_below(filling, places, count, depth, name, &below);
        if (object) json_add_name(builder, each.name);
        if (!below_count) json_add(builder, each.value);
        else if (!fill_value(filling, each.value, below, below_count, depth + 1)) return false;
    }
    json_close(builder);
    return true;
}

enum status vault_resolve(const struct json *input, const struct vault_lookup *lookup, struct arena *arena,
                          const struct json **ret_resolved, struct error *err)
{
    const struct json *list = input ? json_get(input, STR(RESOLVE_MEMBER)) : NULL;
    if (!list) {
        *ret_resolved = input;
        return ST_OK;
    }
    struct place *place = NULL;
    TRY(read_places(list, lookup, arena, &place, err));
    size_t count = json_count(list);
    struct place **all = arena_make_n(arena, struct place *, count);
    for (size_t i = 0; i < count; i++) all[i] = &place[i];
    struct filling filling = { .arena = arena };
    json_builder_init(&filling.builder, arena);
    if (!fill_value(&filling, input, all, count, 0)) return fail_form(err);
    for (size_t i = 0; i < count; i++)
        if (!place[i].filled) return fail_form(err);
    *ret_resolved = json_built(&filling.builder);
    return ST_OK;
}
