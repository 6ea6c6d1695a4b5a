/* model/place.c — paths: how places of a model and of a value are written. */
#include "model/model_int.h"

#include "base/ascii.h"
#include "json/put.h"

#include <stdio.h>

static bool is_plain(char c)
{
    return ascii_is_digit(c) || ascii_is_letter(c) || c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

bool place_is_plain(str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!is_plain(name.p[i])) return false;
    return name.n > 0;
}

static bool is_escaped(char c) { return c == '\'' || c == '\\'; }

void place_print_name(struct buf *out, str name)
{
    if (place_is_plain(name)) {
        PUT(out, ".");
        buf_add_str(out, name);
        return;
    }
    PUT(out, "['");
    for (size_t i = 0; i < name.n; i++) {
        if (is_escaped(name.p[i])) PUT(out, "\\");
        buf_add_char(out, name.p[i]);
    }
    PUT(out, "']");
}

static size_t name_bytes(str name)
{
    if (place_is_plain(name)) return 1 + name.n;
    size_t bytes = 4 + name.n;
    for (size_t i = 0; i < name.n; i++) bytes += is_escaped(name.p[i]);
    return bytes;
}

struct model_place place_root(void) { return (struct model_place){ .up = NULL }; }

struct model_place place_field(const struct model_place *up, str name)
{
    return (struct model_place){ .up = up, .name = name, .depth = up->depth + 1 };
}

struct model_place place_element(const struct model_place *up, size_t index)
{
    return (struct model_place){ .up = up, .index = index, .element = true, .depth = up->depth + 1 };
}

size_t place_bytes(const struct model_place *place)
{
    size_t bytes = 1;
    for (; place->up; place = place->up) bytes += place->element ? sizeof "[*]" - 1 : name_bytes(place->name);
    return bytes;
}

static void print_step(struct buf *out, const struct model_place *place)
{
    if (!place->element) place_print_name(out, place->name);
    else if (place->index == PLACE_EACH) PUT(out, "[*]");
    else buf_printf(out, "[%zu]", place->index);
}

void place_print(struct buf *out, str root, const struct model_place *place)
{
    const struct model_place *chain[JSON_DEPTH_MAX + 1];
    size_t count = 0;
    for (; place->up; place = place->up) chain[count++] = place;
    buf_add_str(out, root);
    while (count) print_step(out, chain[--count]);
}
