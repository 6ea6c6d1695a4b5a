/* vault/scrub.c — remembers the secrets of a call in all their forms, and finds them in its results. */
#include "vault/scrub.h"

#include "base/array.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/escape.h"
#include "base/limits.h"
#include "json/json.h"
#include "vault/limits.h"

/* ---- remembering ---- */

/* Longer texts come first: a secret may be the beginning of another one. */
static void remember_text(struct scrub_used *used, str text)
{
    if (text.n < SCRUBBED_BYTES_MIN) return;
    for (size_t i = 0; i < used->count; i++)
        if (str_equal(used->value[i], text)) return;
    array_reserve_in(used->arena, used->value, used->count, used->cap);
    size_t at = used->count++;
    for (; at && used->value[at - 1].n < text.n; at--) used->value[at] = used->value[at - 1];
    used->value[at] = text;
}

static str percent_encoded(str text, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    escape_url(&out, text);
    return buf_str(&out);
}

static str percent_decoded(str text, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < text.n; i++) {
        bool coded = text.p[i] == '%' && i + 2 < text.n && ascii_hex(text.p[i + 1]) >= 0 &&
                     ascii_hex(text.p[i + 2]) >= 0;
        buf_add_char(&out,
                     coded ? (char)(ascii_hex(text.p[i + 1]) * 16 + ascii_hex(text.p[i + 2])) : text.p[i]);
        if (coded) i += 2;
    }
    return buf_str(&out);
}

/* As it stands, in a URL, in base64 (a login) and inside a text of JSON. */
static void remember_forms(struct scrub_used *used, str text)
{
    if (text.n < SCRUBBED_BYTES_MIN) return;
    remember_text(used, text);
    remember_text(used, percent_encoded(text, used->arena));
    remember_text(used, base64_encode(text, used->arena));
    struct buf form;
    buf_init(&form, used->arena);
    json_print_string(text, &form);
    remember_text(used, str_slice(buf_str(&form), 1, form.n - 1));
}

/* The password of scheme://user:password@host. */
static str uri_password(str text)
{
    size_t begin = str_find(text, STR("://"), 0);
    if (begin == SIZE_MAX) return STR_NONE;
    size_t end = begin + 3, at = SIZE_MAX;
    for (; end < text.n && !memchr("/?#", text.p[end], 3); end++)
        if (text.p[end] == '@') at = end;
    if (at == SIZE_MAX) return STR_NONE;
    size_t colon = str_find(text, STR(":"), begin + 3);
    return colon < at ? str_slice(text, colon + 1, at) : STR_NONE;
}

static bool names_password(str name)
{
    static const char *const words[] = { "pass", "secret", "token", "key" };
    char lower[64];
    size_t n = name.n < sizeof lower ? name.n : sizeof lower;
    for (size_t i = 0; i < n; i++) lower[i] = ascii_lower(name.p[i]);
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_find((str){ lower, n }, str_of(words[i]), 0) != SIZE_MAX) return true;
    return false;
}

/* The passwords inside of a connection, which an error may repeat alone. */
static void remember_passwords(struct scrub_used *used, str text)
{
    str password = uri_password(text);
    if (password.n) {
        remember_forms(used, password);
        remember_forms(used, percent_decoded(password, used->arena));
    }
    const struct json *object;
    if (text.p[0] != '{' || json_parse(text, NULL, used->arena, &object, NULL) != ST_OK) return;
    struct json_each each = json_each(object);
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING) && names_password(each.name))
            remember_forms(used, json_string(each.value));
}

static bool find_and_remember(void *context, int32_t tenant, str name, struct arena *arena, str *ret_value)
{
    struct scrub_used *used = context;
    if (!used->lookup.find(used->lookup.context, tenant, name, arena, ret_value)) return false;
    str value = arena_str(used->arena, *ret_value);
    remember_forms(used, value);
    if (value.n) remember_passwords(used, value);
    return true;
}

struct vault_lookup scrub_lookup(struct scrub_used *used)
{
    return (struct vault_lookup){ find_and_remember, used, used->lookup.tenant };
}

/* ---- scrubbing ---- */

static bool text_shows(const struct scrub_used *used, str text)
{
    for (size_t i = 0; i < used->count; i++)
        if (str_find(text, used->value[i], 0) != SIZE_MAX) return true;
    return false;
}

/* The length of the secret that begins there; 0: none. */
static size_t secret_at(const struct scrub_used *used, str text, size_t at)
{
    for (size_t i = 0; i < used->count; i++) {
        str value = used->value[i];
        if (text.p[at] == value.p[0] && value.n <= text.n - at && memcmp(text.p + at, value.p, value.n) == 0)
            return value.n;
    }
    return 0;
}

str scrub_text(const struct scrub_used *used, str text, struct arena *arena)
{
    if (!text_shows(used, text)) return text;
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < text.n;) {
        size_t n = secret_at(used, text, i);
        if (n) buf_add_str(&out, STR(RESOLVE_MASK));
        else buf_add_char(&out, text.p[i]);
        i += n ? n : 1;
    }
    return buf_str(&out);
}

static bool value_shows(const struct scrub_used *used, const struct json *value, uint32_t depth)
{
    if (json_is(value, JSON_STRING)) return text_shows(used, json_string(value));
    if (!json_count(value) || depth > JSON_DEPTH_MAX) return false;
    struct json_each each = json_each(value);
    while (json_next(&each))
        if (text_shows(used, each.name) || value_shows(used, each.value, depth + 1)) return true;
    return false;
}

/* Two names may become alike, so each that has changed gets a number at its end. */
static str clean_name(const struct scrub_used *used, const struct json *object, str name, size_t *changed,
                      struct arena *arena)
{
    if (!text_shows(used, name)) return name;
    str clean = scrub_text(used, name, arena), numbered;
    do numbered = arena_printf(arena, "%.*s (%zu)", STR_ARG(clean), ++*changed);
    while (json_get(object, numbered));
    return numbered;
}

static void add_scrubbed(const struct scrub_used *used, const struct json *value, uint32_t depth,
                         struct json_builder *builder, struct arena *arena)
{
    if (json_is(value, JSON_STRING)) {
        json_add_string(builder, scrub_text(used, json_string(value), arena));
        return;
    }
    if (!json_count(value) || depth > JSON_DEPTH_MAX) {
        json_add(builder, value);
        return;
    }
    bool object = json_is(value, JSON_OBJECT);
    size_t changed = 0;
    if (object) json_open_object(builder);
    else json_open_array(builder);
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        if (object) json_add_name(builder, clean_name(used, value, each.name, &changed, arena));
        add_scrubbed(used, each.value, depth + 1, builder, arena);
    }
    json_close(builder);
}

const struct json *scrub_json(const struct scrub_used *used, const struct json *value, struct arena *arena)
{
    if (!value || !used->count || !value_shows(used, value, 0)) return value;
    struct json_builder builder;
    json_builder_init(&builder, arena);
    add_scrubbed(used, value, 0, &builder, arena);
    return json_built(&builder);
}
