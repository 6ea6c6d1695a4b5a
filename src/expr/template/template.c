/* expr/template/template.c — strings with placeholders.
 *
 *     string      = *( text / "\{{" / placeholder )
 *     placeholder = "{{" path *( "|" filter ) "}}" / "{{{" path *( "|" filter ) "}}}"
 *     path        = name *( "." name / "[" ( integer / quoted ) "]" )
 *     filter      = "json" / "default" "(" JSON ")"
 *
 * White space may stand between the parts of a placeholder, and not inside of a path. A name begins with a
 * letter, "_", "$" or a character beyond ASCII, and goes on with these, digits and "-". Quoted names are JSON
 * strings, or stand between single quotes without escapes.
 */
#include "expr/template/template_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

struct template_reader {
    str text;
    size_t at;
    str pointer;
    const struct template_roots *roots;
    struct arena *arena;
    struct error *err;
    struct buf parts; /* struct template_part */
    bool secrets;
};

/* ---- errors and characters ---- */

__attribute__((format(printf, 3, 4), cold)) static enum status complain(struct template_reader *reader,
                                                                        size_t at, const char *format, ...)
{
    char message[ERROR_MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    struct utf8_place place = utf8_place(reader->text, at);
    const char *where = arena_str(reader->arena, reader->pointer).p;
    if (place.line > 1)
        return fail(reader->err, ST_INVALID, where, "%s (line %u, character %u)", message, place.line,
                    place.column);
    return fail(reader->err, ST_INVALID, where, "%s (character %u)", message, place.column);
}

static bool at_text(const struct template_reader *reader, str text)
{
    return str_starts(str_slice(reader->text, reader->at, reader->text.n), text);
}

static char peek(const struct template_reader *reader)
{
    return reader->at < reader->text.n ? reader->text.p[reader->at] : '\0';
}

static void skip_blanks(struct template_reader *reader)
{
    while (reader->at < reader->text.n && ascii_is_space(reader->text.p[reader->at])) reader->at++;
}

static bool begins_name(char c)
{
    return ascii_is_letter(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool goes_on(char c) { return begins_name(c) || ascii_is_digit(c) || c == '-'; }

/* ---- paths ---- */

static enum status read_name(struct template_reader *reader, str *ret_name)
{
    size_t from = reader->at;
    if (!begins_name(peek(reader))) {
        const char *hint = ascii_is_digit(peek(reader)) ? "; an item of a list is [0]" : "";
        return complain(reader, from, "a name is missing here%s", hint);
    }
    while (goes_on(peek(reader))) reader->at++;
    *ret_name = str_slice(reader->text, from, reader->at);
    return ST_OK;
}

static enum status read_json(struct template_reader *reader, const struct json **ret_value)
{
    size_t rest = 0;
    struct error inner;
    const struct json_limits limits = { .rest = &rest };
    str text = str_slice(reader->text, reader->at, reader->text.n);
    if (json_parse(text, &limits, reader->arena, ret_value, &inner) != ST_OK)
        return complain(reader, reader->at, "this is not JSON: %s", inner.message);
    reader->at += rest;
    return ST_OK;
}

static enum status read_quoted(struct template_reader *reader, str *ret_name)
{
    size_t from = reader->at;
    if (peek(reader) == '\'') {
        size_t end = str_find(reader->text, STR("'"), from + 1);
        if (end == SIZE_MAX) return complain(reader, from, "the quote is never closed");
        *ret_name = str_slice(reader->text, from + 1, end);
        reader->at = end + 1;
        return ST_OK;
    }
    const struct json *value;
    TRY(read_json(reader, &value));
    *ret_name = json_string(value);
    return ST_OK;
}

static enum status read_index(struct template_reader *reader, int64_t *ret_index)
{
    size_t from = reader->at;
    if (peek(reader) == '-') reader->at++;
    while (ascii_is_digit(peek(reader))) reader->at++;
    const struct json *number = json_number_parse(str_slice(reader->text, from, reader->at), reader->arena);
    if (!number || !json_int64(number, ret_index))
        return complain(reader, from, "[ ] takes a whole number or a name in quotes");
    return ST_OK;
}

static enum status read_bracket(struct template_reader *reader, struct tree_step *ret_step)
{
    size_t open = reader->at++;
    skip_blanks(reader);
    char c = peek(reader);
    ret_step->kind = c == '"' || c == '\'' ? STEP_NAME : STEP_INDEX;
    if (ret_step->kind == STEP_NAME) TRY(read_quoted(reader, &ret_step->name));
    else TRY(read_index(reader, &ret_step->index));
    skip_blanks(reader);
    if (peek(reader) != ']') return complain(reader, open, "\"[\" is never closed");
    reader->at++;
    return ST_OK;
}

static enum status read_steps(struct template_reader *reader, struct tree_step ret_step[TEMPLATE_STEPS_MAX],
                              size_t *ret_count)
{
    size_t count = 0, from = reader->at;
    ret_step[0].kind = STEP_NAME;
    TRY(read_name(reader, &ret_step[0].name));
    for (count = 1; peek(reader) == '.' || peek(reader) == '['; count++) {
        if (count == TEMPLATE_STEPS_MAX)
            return complain(reader, from, "the path has more than %d steps", TEMPLATE_STEPS_MAX);
        if (peek(reader) == '[') {
            TRY(read_bracket(reader, &ret_step[count]));
            continue;
        }
        reader->at++;
        TRY(read_name(reader, &ret_step[count].name));
        ret_step[count].kind = str_equal(ret_step[count].name, STR("length")) ? STEP_LENGTH : STEP_NAME;
    }
    *ret_count = count;
    return ST_OK;
}

/* A copy, for whoever escapes the placeholder. */
static const struct template_path *keep_path(const struct template_path *path, struct arena *arena)
{
    struct template_path *kept = arena_make(arena, struct template_path);
    str *name = arena_make_n(arena, str, path->count);
    memcpy(name, path->name, path->count * sizeof *name);
    *kept = *path;
    kept->name = name;
    return kept;
}

/* Reads a path. The tree is NULL for a secret. */
static enum status read_path(struct template_reader *reader, struct template_part *ret_part)
{
    size_t from = reader->at, count = 0, names = 0;
    struct tree_step step[TEMPLATE_STEPS_MAX];
    str name[TEMPLATE_STEPS_MAX];
    TRY(read_steps(reader, step, &count));
    for (; names < count && step[names].kind != STEP_INDEX; names++) name[names] = step[names].name;
    const struct template_path path = {
        .name = name,
        .count = names,
        .text = str_slice(reader->text, from, reader->at),
        .pointer = reader->pointer,
    };
    struct template_root root = { .used = 1 };
    TRY(reader->roots->find(reader->roots->context, &path, &root, reader->err));
    must(root.used >= 1 && root.used <= names);
    if (root.secret) {
        if (!reader->roots->secrets_member.n) return complain(reader, from, "a secret cannot be read here");
        if (root.used < count) return complain(reader, from, "a secret is a text and has no members");
        *ret_part = (struct template_part){ .secret = arena_str(reader->arena, root.name) };
        return ST_OK;
    }
    *ret_part =
        (struct template_part){ .tree = tree_literal(json_null(), reader->arena),
                                .path = reader->roots->kind ? keep_path(&path, reader->arena) : NULL };
    if (!root.name.n) return ST_OK;
    /* A member of the root is a step before the others; it takes the place of a name that is used. */
    size_t first = root.used;
    if (root.member.n) step[--first] = (struct tree_step){ .kind = STEP_NAME, .name = root.member };
    ret_part->tree = tree_steps(tree_variable_or_null(root.name, reader->arena), step + first, count - first,
                                reader->arena);
    ret_part->tree->text = arena_str(reader->arena, path.text);
    return ST_OK;
}

/* ---- placeholders ---- */

static enum status read_filter(struct template_reader *reader, struct expr_tree **tree)
{
    size_t from = reader->at;
    str name;
    TRY(read_name(reader, &name));
    skip_blanks(reader);
    if (str_equal(name, STR("json"))) {
        *tree = tree_as_json(*tree, reader->arena);
        return ST_OK;
    }
    if (!str_equal(name, STR("default"))) {
        str shown = utf8_cut(name, SHOWN_BYTES_MAX);
        return complain(reader, from, "there is no filter \"%.*s\"; there are default(…) and json",
                        STR_ARG(shown));
    }
    if (peek(reader) != '(') return complain(reader, from, "default needs a JSON value in parentheses");
    reader->at++;
    skip_blanks(reader);
    const struct json *value;
    TRY(read_json(reader, &value));
    skip_blanks(reader);
    if (peek(reader) != ')') return complain(reader, from, "the \"(\" of default is never closed");
    reader->at++;
    *tree = tree_coalesce(*tree, tree_literal(value, reader->arena), reader->arena);
    return ST_OK;
}

static enum status read_filters(struct template_reader *reader, struct template_part *part)
{
    skip_blanks(reader);
    while (peek(reader) == '|') {
        if (!part->tree) return complain(reader, reader->at, "a secret takes no filter");
        reader->at++;
        skip_blanks(reader);
        TRY(read_filter(reader, &part->tree));
        skip_blanks(reader);
    }
    return ST_OK;
}

static enum status read_placeholder(struct template_reader *reader)
{
    size_t from = reader->at;
    bool raw = at_text(reader, STR("{{{"));
    str open = raw ? STR("{{{") : STR("{{"), close = raw ? STR("}}}") : STR("}}");
    struct template_part part;
    reader->at += open.n;
    skip_blanks(reader);
    if (at_text(reader, STR("}}"))) return complain(reader, from, "the placeholder is empty");
    if (reader->at == reader->text.n) return complain(reader, from, "\"%s\" is never closed", open.p);
    TRY(read_path(reader, &part));
    TRY(read_filters(reader, &part));
    if (!at_text(reader, close)) {
        if (reader->at == reader->text.n) return complain(reader, from, "\"%s\" is never closed", open.p);
        return complain(reader, reader->at, "\"%s\" or a filter is missing here", close.p);
    }
    reader->at += close.n;
    if (reader->parts.n / sizeof part >= TEMPLATE_PARTS_MAX)
        return fail(reader->err, ST_LIMIT, "", "a text has more than %d placeholders (TEMPLATE_PARTS_MAX)",
                    TEMPLATE_PARTS_MAX / 2);
    part.placeholder = true;
    part.raw = raw;
    reader->secrets |= !part.tree;
    buf_add(&reader->parts, &part, sizeof part);
    return ST_OK;
}

/* ---- strings ---- */

static void add_text(struct template_reader *reader, struct buf *text)
{
    if (!text->n) return;
    const struct template_part part = {
        .tree = tree_literal(json_of_string(reader->arena, buf_str(text)), reader->arena),
    };
    buf_add(&reader->parts, &part, sizeof part);
    text->n = 0;
}

enum status template_split(str text, str pointer, const struct template_roots *roots, struct arena *arena,
                           struct template_parts *ret_parts, struct error *err)
{
    struct template_reader reader = {
        .text = text,
        .pointer = pointer,
        .roots = roots,
        .arena = arena,
        .err = err,
    };
    struct buf plain;
    buf_init(&reader.parts, arena);
    buf_init(&plain, arena);
    while (reader.at < text.n) {
        size_t open = str_find(text, STR("{{"), reader.at);
        bool literal = open != SIZE_MAX && open > reader.at && text.p[open - 1] == '\\';
        buf_add_str(&plain, str_slice(text, reader.at, open == SIZE_MAX ? text.n : open - literal));
        reader.at = open == SIZE_MAX ? text.n : open;
        if (literal) {
            buf_add_str(&plain, STR("{{"));
            reader.at = open + 2;
        } else if (open != SIZE_MAX) {
            add_text(&reader, &plain);
            TRY(read_placeholder(&reader));
        }
    }
    add_text(&reader, &plain);
    if (!reader.parts.n) {
        const struct template_part empty = { .tree = tree_literal(json_of_string(arena, STR("")), arena) };
        buf_add(&reader.parts, &empty, sizeof empty);
    }
    *ret_parts = (struct template_parts){
        .part = (struct template_part *)(void *)reader.parts.p,
        .count = reader.parts.n / sizeof(struct template_part),
        .secrets = reader.secrets,
    };
    return ST_OK;
}

struct expr_tree *template_joined(const struct template_parts *parts, struct arena *arena)
{
    struct expr_tree **tree = arena_make_n(arena, struct expr_tree *, parts->count);
    for (size_t i = 0; i < parts->count; i++) {
        tree[i] = parts->part[i].tree;
        if (!tree[i]) tree[i] = tree_literal(json_of_string(arena, STR("***")), arena);
    }
    return parts->count == 1 ? tree[0] : tree_text(tree, parts->count, arena);
}
