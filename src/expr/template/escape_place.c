/* expr/template/escape_place.c — chooses what each placeholder of a text is escaped for, by the text around
 * it.
 *
 * The author's own text says which part of a URL a placeholder is in, and whether it is between quotes. A
 * value cannot change that for the placeholders behind it, because it is escaped; raw values and secrets
 * could, and are trusted not to. After a placeholder that begins a URL its host may go on, so the strictest
 * rule holds until the author's text goes on with a path.
 */
#include "expr/template/template_int.h"

#include "base/ascii.h"

struct text_escaper {
    struct template_parts *parts;
    enum template_kind kind;
    const struct template_roots *roots;
    struct arena *arena;
};

/* ---- one placeholder ---- */

static void tell(const struct text_escaper *escaper, const struct template_part *part,
                 enum template_notice notice)
{
    if (part->path) escaper->roots->notice(escaper->roots->context, notice, escaper->kind, part->path);
}

static void wrap(const struct text_escaper *escaper, struct template_part *part, enum escape escape)
{
    if (part->tree) part->tree = tree_escape(escape, part->tree, part->path->text, escaper->arena);
}

/* Escapes a placeholder unless its author asks for its value as it is. */
static void escape_or_tell(const struct text_escaper *escaper, struct template_part *part, enum escape escape)
{
    if (part->raw) tell(escaper, part, TEMPLATE_RAW);
    else wrap(escaper, part, escape);
}

/* The author's text at a place; empty if a placeholder is there, or nothing. */
static str text_at(const struct text_escaper *escaper, size_t index)
{
    if (index >= escaper->parts->count || escaper->parts->part[index].placeholder) return STR_NONE;
    return json_string(escaper->parts->part[index].tree->value);
}

/* ---- URLs ---- */

enum url_part { URL_BEGIN, URL_SCHEME, URL_HOST, URL_PATH, URL_QUERY };

static size_t find_any(str text, const char *characters)
{
    size_t at = 0;
    while (at < text.n && !memchr(characters, text.p[at], strlen(characters))) at++;
    return at;
}

/* The part in which a URL goes on behind the author's text. */
static enum url_part part_after(enum url_part part, str text)
{
    if (part <= URL_SCHEME) {
        size_t colon = str_find(text, STR("://"), 0);
        if (colon != SIZE_MAX) {
            part = URL_HOST;
            text = str_slice(text, colon + 3, text.n);
        } else if (str_trim(text).n) {
            part = URL_SCHEME;
        }
    }
    if (part < URL_PATH && find_any(text, "/?#") < text.n) part = URL_PATH;
    if (part == URL_PATH && find_any(text, "?#") < text.n) part = URL_QUERY;
    return part;
}

/* True if the placeholder is the end of the host: whatever the value says is the server that is called.
 * Behind a colon it is only the port. */
static bool ends_host(const struct text_escaper *escaper, size_t index)
{
    str before = index ? text_at(escaper, index - 1) : STR_NONE, after = text_at(escaper, index + 1);
    bool port = str_ends(before, STR(":")) && !str_ends(before, STR("://"));
    return !port && (!after.n || strchr("/?#:", after.p[0]));
}

/* The placeholder is the URL, or the beginning of one, or only its scheme. */
static enum url_part escape_beginning(const struct text_escaper *escaper, size_t index)
{
    struct template_part *part = &escaper->parts->part[index];
    if (str_starts(text_at(escaper, index + 1), STR("://"))) {
        escape_or_tell(escaper, part, ESCAPE_SCHEME);
        return URL_SCHEME;
    }
    tell(escaper, part, part->raw ? TEMPLATE_RAW : TEMPLATE_SERVER);
    return URL_HOST;
}

static void escape_in_url(const struct text_escaper *escaper, size_t index, enum url_part url)
{
    static const enum escape escapes[] = { [URL_SCHEME] = ESCAPE_SCHEME,
                                           [URL_HOST] = ESCAPE_HOST,
                                           [URL_PATH] = ESCAPE_PATH,
                                           [URL_QUERY] = ESCAPE_QUERY };
    struct template_part *part = &escaper->parts->part[index];
    if (url == URL_HOST && !part->raw && ends_host(escaper, index)) tell(escaper, part, TEMPLATE_SERVER);
    escape_or_tell(escaper, part, escapes[url]);
}

static void escape_url_text(const struct text_escaper *escaper)
{
    enum url_part url = URL_BEGIN;
    for (size_t i = 0; i < escaper->parts->count; i++) {
        if (!escaper->parts->part[i].placeholder) url = part_after(url, text_at(escaper, i));
        else if (url == URL_BEGIN) url = escape_beginning(escaper, i);
        else escape_in_url(escaper, i, url);
    }
}

/* ---- recipients ---- */

static bool is_quoted_after(bool quoted, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (quoted && text.p[i] == '\\') i++;
        else if (text.p[i] == '"') quoted = !quoted;
    }
    return quoted;
}

static void escape_recipients(const struct text_escaper *escaper)
{
    bool quoted = false, whole = escaper->parts->count == 1;
    for (size_t i = 0; i < escaper->parts->count; i++) {
        struct template_part *part = &escaper->parts->part[i];
        quoted = is_quoted_after(quoted, text_at(escaper, i));
        if (!part->placeholder) continue;
        if (part->raw) tell(escaper, part, TEMPLATE_RAW_IGNORED);
        wrap(escaper, part, whole ? ESCAPE_RECIPIENTS : quoted ? ESCAPE_QUOTED : ESCAPE_RECIPIENT);
    }
}

/* ---- all texts ---- */

static void escape_each(const struct text_escaper *escaper, enum escape escape)
{
    for (size_t i = 0; i < escaper->parts->count; i++)
        if (escaper->parts->part[i].placeholder) escape_or_tell(escaper, &escaper->parts->part[i], escape);
}

void template_escape(struct template_parts *parts, enum template_kind kind,
                     const struct template_roots *roots, struct arena *arena)
{
    const struct text_escaper escaper = { .parts = parts, .kind = kind, .roots = roots, .arena = arena };
    bool whole = parts->count == 1;
    switch (kind) {
    case TEMPLATE_PLAIN: break;
    case TEMPLATE_URL: escape_url_text(&escaper); break;
    case TEMPLATE_FORM:
        if (!whole) escape_each(&escaper, ESCAPE_QUERY);
        break;
    case TEMPLATE_HTML: escape_each(&escaper, ESCAPE_HTML); break;
    case TEMPLATE_MARKUP:
        if (!whole) escape_each(&escaper, ESCAPE_HTML);
        break;
    case TEMPLATE_RECIPIENTS: escape_recipients(&escaper); break;
    case TEMPLATE_REFERENCE:
        for (size_t i = 0; i < parts->count; i++) tell(&escaper, &parts->part[i], TEMPLATE_SERVER);
        break;
    }
}
