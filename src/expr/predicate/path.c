/* expr/predicate/path.c — the paths of conditions on entities.
 *
 *     path    = [ "$" ] *( "." name / bracket )      a path without "$" may begin with a name
 *     bracket = "[" ( "*" / integer / quoted ) "]"
 *
 * A name may have any character that nothing else uses; between quotes it may have all of them.
 */
#include "expr/predicate/predicate_int.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "json/text.h"

#include <stdarg.h>
#include <stdio.h>

enum { INDEX_DIGITS = 9 }; /* More elements than any array has. */

struct path_reader {
    str text;
    size_t at;
    struct buf steps;
    struct arena *arena;
    struct error *err;
};

__attribute__((format(printf, 2, 3), cold)) static enum status complain(struct path_reader *reader,
                                                                        const char *format, ...)
{
    char message[ERROR_MESSAGE_BYTES / 2];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    str shown = utf8_cut(reader->text, SHOWN_BYTES_MAX);
    return fail(reader->err, ST_INVALID, "", "the path \"%.*s\": %s", STR_ARG(shown), message);
}

static bool is_at(const struct path_reader *reader, char c)
{
    return reader->at < reader->text.n && reader->text.p[reader->at] == c;
}

/* ---- names and indices ---- */

/* An index as everybody writes it: no sign, no zeros before it. */
static bool read_index(str digits, int64_t *ret_index)
{
    if (!digits.n || digits.n > INDEX_DIGITS || (digits.p[0] == '0' && digits.n > 1)) return false;
    for (size_t i = 0; i < digits.n; i++)
        if (!ascii_is_digit(digits.p[i])) return false;
    return str_to_int64(digits, ret_index);
}

static bool needs_quotes(char c) { return memchr("*?\\]'\"", c, 6) != NULL; }

static enum status read_name(struct path_reader *reader, struct predicate_step *ret_step)
{
    size_t from = reader->at;
    while (reader->at < reader->text.n && !is_at(reader, '.') && !is_at(reader, '[')) {
        if (needs_quotes(reader->text.p[reader->at]))
            return complain(reader, "%s",
                            is_at(reader, '*') ? "* stands for all elements of an array only as [*]"
                                               : "a name with this character needs brackets and quotes: "
                                                 "['name']");
        reader->at++;
    }
    str name = str_slice(reader->text, from, reader->at);
    if (!name.n) return complain(reader, "a name is missing behind the dot");
    if (str_equal(name, STR("#"))) return complain(reader, "all elements of an array are [*], not #");
    *ret_step = (struct predicate_step){ .kind = PREDICATE_NAME, .name = arena_str(reader->arena, name) };
    if (read_index(name, &ret_step->index)) ret_step->kind = PREDICATE_NUMBER;
    return ST_OK;
}

static enum status read_quoted(struct path_reader *reader, struct predicate_step *ret_step)
{
    const char *p = reader->text.p + reader->at + 1, *end = reader->text.p + reader->text.n;
    char quote = p[-1];
    struct buf name;
    buf_init(&name, reader->arena);
    buf_reserve(&name, 1);
    while (p < end && *p != quote) {
        char bytes[4] = { *p };
        size_t count = 1;
        const char *wrong = NULL;
        if (*p == '\\' && end - p > 1 && p[1] == quote) {
            bytes[0] = quote;
            p += 2;
        } else if (*p == '\\') {
            wrong = text_escape(&p, end, bytes, &count);
        } else {
            p++;
        }
        if (wrong) return complain(reader, "%s", wrong);
        buf_add(&name, bytes, count);
    }
    if (p == end) return complain(reader, "the quote is never closed");
    reader->at = (size_t)(p + 1 - reader->text.p);
    *ret_step = (struct predicate_step){ .kind = PREDICATE_NAME, .name = buf_str(&name) };
    return ST_OK;
}

/* ---- brackets ---- */

static enum status read_number(struct path_reader *reader, struct predicate_step *ret_step)
{
    bool negative = is_at(reader, '-');
    size_t from = reader->at += negative;
    while (reader->at < reader->text.n && ascii_is_digit(reader->text.p[reader->at])) reader->at++;
    str digits = str_slice(reader->text, from, reader->at);
    *ret_step = (struct predicate_step){ .kind = PREDICATE_INDEX };
    if (!read_index(digits, &ret_step->index) || (negative && ret_step->index == 0))
        return complain(reader, "[ ] takes *, a whole number of at most %d digits or a name in quotes",
                        INDEX_DIGITS);
    if (negative) ret_step->index = -ret_step->index;
    return ST_OK;
}

static void skip_blanks(struct path_reader *reader)
{
    const char *p = reader->text.p;
    reader->at = (size_t)(text_skip_space(p + reader->at, p + reader->text.n) - p);
}

static enum status read_bracket(struct path_reader *reader, struct predicate_step *ret_step)
{
    reader->at++;
    skip_blanks(reader);
    if (is_at(reader, '?') || is_at(reader, '(')) return complain(reader, "filters are not supported");
    if (is_at(reader, ':')) return complain(reader, "slices are not supported");
    if (is_at(reader, '*')) {
        *ret_step = (struct predicate_step){ .kind = PREDICATE_ALL };
        reader->at++;
    } else if (is_at(reader, '\'') || is_at(reader, '"')) {
        TRY(read_quoted(reader, ret_step));
    } else {
        TRY(read_number(reader, ret_step));
    }
    skip_blanks(reader);
    if (is_at(reader, ':')) return complain(reader, "slices are not supported");
    if (is_at(reader, ',')) return complain(reader, "lists of names or indices are not supported");
    if (!is_at(reader, ']')) return complain(reader, "a ] is missing");
    reader->at++;
    return ST_OK;
}

/* ---- the doors ---- */

static enum status read_step(struct path_reader *reader, struct predicate_step *ret_step)
{
    bool dot = is_at(reader, '.');
    reader->at += dot;
    if (dot && is_at(reader, '.')) return complain(reader, ".. (a name at any depth) is not supported");
    if (is_at(reader, '[')) return read_bracket(reader, ret_step);
    if (!dot && reader->at > 0) return complain(reader, "a dot or [ is missing before a name");
    return read_name(reader, ret_step);
}

enum status predicate_path_parse(str text, struct arena *arena, struct predicate_path *ret_path,
                                 struct error *err)
{
    struct path_reader reader = { .text = text, .arena = arena, .err = err };
    if (!text.n) return fail(err, ST_INVALID, "", "the path is empty");
    if (text.n > PATH_BYTES_MAX)
        return fail(err, ST_LIMIT, "", "the path has %zu bytes; the most is %d (PATH_BYTES_MAX)", text.n,
                    PATH_BYTES_MAX);
    buf_init(&reader.steps, arena);
    reader.at = is_at(&reader, '$');
    while (reader.at < text.n) {
        struct predicate_step step;
        TRY(read_step(&reader, &step));
        buf_add(&reader.steps, &step, sizeof step);
    }
    size_t count = reader.steps.n / sizeof(struct predicate_step);
    if (count > PATH_SEGMENTS_MAX)
        return fail(err, ST_LIMIT, "", "the path has %zu steps; the most is %d (PATH_SEGMENTS_MAX)", count,
                    PATH_SEGMENTS_MAX);
    *ret_path = (struct predicate_path){ (const struct predicate_step *)(void *)reader.steps.p, count };
    return ST_OK;
}

static bool is_plain(str name)
{
    int64_t index;
    if (!name.n || str_equal(name, STR("#")) || read_index(name, &index)) return false;
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] <= ' ' || name.p[i] == '.' || name.p[i] == '[' ||
            needs_quotes(name.p[i]))
            return false;
    return true;
}

/* As a JSON string, but between single quotes. */
static void print_quoted(str name, struct buf *out)
{
    buf_add_str(out, STR("['"));
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if ((unsigned char)c < ' ') {
            buf_printf(out, "\\u%04x", (unsigned)c);
            continue;
        }
        if (c == '\'' || c == '\\') buf_add_char(out, '\\');
        buf_add_char(out, c);
    }
    buf_add_str(out, STR("']"));
}

void predicate_path_print(const struct predicate_path *path, struct buf *out)
{
    buf_add_char(out, '$');
    for (size_t i = 0; i < path->count; i++) {
        const struct predicate_step *step = &path->step[i];
        switch (step->kind) {
        case PREDICATE_ALL: buf_add_str(out, STR("[*]")); continue;
        case PREDICATE_INDEX: buf_printf(out, "[%lld]", (long long)step->index); continue;
        case PREDICATE_NAME:
            if (is_plain(step->name)) break;
            print_quoted(step->name, out);
            continue;
        case PREDICATE_NUMBER: break;
        }
        buf_add_char(out, '.');
        buf_add_str(out, step->name);
    }
}
