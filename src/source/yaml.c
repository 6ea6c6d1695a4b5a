/* source/yaml.c — YAML text → tree, with libyaml for the syntax.
 *
 * libyaml gives events; this file makes nodes with places of them. It refuses what YAML has and JSON has not:
 * names that are not scalars, repeated names, tags outside the core schema, a second document, aliases inside
 * their own anchor.
 *
 * Bounds, so that no small text becomes a large document or a long wait:
 *
 *  (1) A container opens at most JSON_DEPTH_MAX deep, also where an alias repeats it.
 *  (2) The text has at most YAML_NODES_MAX nodes.
 *  (3) Nodes that aliases repeat are counted before they are copied, and added up over the document:
 *      at most YAML_COPIED_NODES_MAX nodes and YAML_COPIED_BYTES_MAX bytes.
 *  (4) At most YAML_TAGS_MAX lines begin with %TAG: libyaml compares each with all before it.
 *
 * Merge keys (<<) belong to YAML 1.1 and are refused: taken as a name they would be a trap.
 */
#include "source/source_int.h"

#include "base/map.h"
#include "base/must.h"
#include "base/text_map.h"
#include "base/utf8.h"

#include <yaml.h>

_Static_assert((int)YAML_NODES_MAX < (int)JSON_MEMBERS_MAX, "no container needs a limit of its own");

/* A place in the text. libyaml counts characters from the start; its lines end at more
 * characters than those of editors, so lines and columns are counted here. */
struct cursor {
    size_t index;
    const char *p;
    uint32_t line, column;
};

struct frame {
    struct source_tree *node;
    struct source_tree **end; /* The link that the next child sets. */
    bool value_due;           /* In an object: a name has come. */
};

struct yaml_reading {
    yaml_parser_t parser;
    str text; /* Without a byte order mark. */
    struct arena *arena;
    struct error *err;
    struct cursor cursor;
    struct text_map anchors;
    struct source_tree *root;
    bool has_document;
    struct frame open[JSON_DEPTH_MAX];
    uint32_t depth;
    size_t node_count;
    size_t copied_nodes, copied_bytes;
};

/* ---- places and complaints ---- */

static void step(struct cursor *cursor, const char *end)
{
    bool newline = *cursor->p == '\n';
    do cursor->p++;
    while (cursor->p < end && !utf8_begins(*cursor->p));
    cursor->index++;
    cursor->line += newline;
    cursor->column = newline ? 1 : cursor->column + 1;
}

static struct cursor text_start(str text) { return (struct cursor){ .p = text.p, .line = 1, .column = 1 }; }

/* Marks nearly always come in order; the odd one is counted from the start. */
static const struct cursor *go_to(struct yaml_reading *reading, yaml_mark_t mark)
{
    const char *end = reading->text.p + reading->text.n;
    if (mark.index < reading->cursor.index) reading->cursor = text_start(reading->text);
    while (reading->cursor.index < mark.index && reading->cursor.p < end) step(&reading->cursor, end);
    return &reading->cursor;
}

static enum status refuse_at(struct yaml_reading *reading, yaml_mark_t mark, enum status status,
                             const char *complaint)
{
    const struct cursor *at = go_to(reading, mark);
    return fail_at(reading->err, status, at->line, at->column, "%s", complaint);
}

static enum status refuse_syntax(struct yaml_reading *reading)
{
    const yaml_parser_t *parser = &reading->parser;
    must(parser->error != YAML_MEMORY_ERROR);
    if (parser->error == YAML_READER_ERROR) {
        struct cursor at = text_start(reading->text);
        const char *end = reading->text.p + reading->text.n;
        size_t offset = parser->problem_offset < reading->text.n ? parser->problem_offset : reading->text.n;
        while (at.p < reading->text.p + offset) step(&at, end);
        return fail_at(reading->err, ST_INVALID, at.line, at.column, "%s", parser->problem);
    }
    uint32_t from = parser->context ? go_to(reading, parser->context_mark)->line : 0;
    const struct cursor *at = go_to(reading, parser->problem_mark);
    if (from && from != at->line)
        return fail_at(reading->err, ST_INVALID, at->line, at->column, "%s %s (from line %u)",
                       parser->problem, parser->context, from);
    return fail_at(reading->err, ST_INVALID, at->line, at->column, "%s%s%s", parser->problem,
                   parser->context ? " " : "", parser->context ? parser->context : "");
}

/* ---- nodes ---- */

static enum status new_node(struct yaml_reading *reading, enum source_kind kind, yaml_mark_t mark,
                            struct source_tree **ret_node)
{
    if (++reading->node_count > YAML_NODES_MAX)
        return refuse_at(reading, mark, ST_LIMIT, "the document has too many nodes (YAML_NODES_MAX)");
    const struct cursor *at = go_to(reading, mark);
    struct source_tree *node = arena_make(reading->arena, struct source_tree);
    *node = (struct source_tree){ .kind = kind, .line = at->line, .column = at->column, .nodes = 1 };
    *ret_node = node;
    return ST_OK;
}

static struct frame *innermost(struct yaml_reading *reading)
{
    return reading->depth ? &reading->open[reading->depth - 1] : NULL;
}

static bool name_is_due(struct yaml_reading *reading)
{
    const struct frame *frame = innermost(reading);
    return frame && frame->node->kind == SOURCE_OBJECT && !frame->value_due;
}

/* Puts the node where it belongs. */
static void attach(struct yaml_reading *reading, struct source_tree *node)
{
    struct frame *frame = innermost(reading);
    if (!frame) {
        reading->root = node;
        return;
    }
    *frame->end = node;
    frame->end = &node->next;
    if (frame->node->kind == SOURCE_OBJECT) frame->value_due = !frame->value_due;
}

/* Adds what a complete node weighs to what holds it. */
static void weigh(struct yaml_reading *reading, const struct source_tree *node)
{
    struct frame *frame = innermost(reading);
    if (!frame) return;
    struct source_tree *holder = frame->node;
    holder->nodes += node->nodes;
    holder->bytes += node->bytes;
    if (holder->height < node->height + 1) holder->height = node->height + 1;
}

/* A later anchor of the same name takes its place. */
static void remember(struct yaml_reading *reading, const yaml_char_t *anchor, struct source_tree *node)
{
    if (!anchor) return;
    str name = arena_str(reading->arena, str_of((const char *)anchor));
    text_map_put(&reading->anchors, name, node);
}

/* ---- scalars ---- */

static enum status check_name(struct yaml_reading *reading, const yaml_event_t *event, str text)
{
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !event->data.scalar.tag;
    if (plain && str_equal(text, STR("<<")))
        return refuse_at(
            reading, event->start_mark, ST_INVALID,
            "merge keys (<<) are not read: repeat the whole value with an alias, or write its members "
            "here");
    return ST_OK;
}

static enum status take_scalar(struct yaml_reading *reading, const yaml_event_t *event)
{
    str text = { (const char *)event->data.scalar.value, event->data.scalar.length };
    const char *tag_text = (const char *)event->data.scalar.tag;
    enum scalar_tag tag = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? SCALAR_NONE : SCALAR_STRING;
    if (tag_text && !scalar_tag_of(tag_text, &tag))
        return refuse_at(reading, event->start_mark, ST_INVALID,
                         "a value has a tag that is none of !!str !!int !!float !!bool !!null");
    if (name_is_due(reading)) {
        TRY(check_name(reading, event, text));
        tag = SCALAR_STRING;
    }
    struct source_tree *node;
    struct error why;
    TRY(new_node(reading, SOURCE_SCALAR, event->start_mark, &node));
    if (scalar_value(text, tag, reading->arena, &node->value, &why) != ST_OK)
        return refuse_at(reading, event->start_mark, why.status, why.message);
    node->bytes = json_bytes(node->value);
    remember(reading, event->data.scalar.anchor, node);
    attach(reading, node);
    weigh(reading, node);
    return ST_OK;
}

/* ---- aliases ---- */

static enum status take_alias(struct yaml_reading *reading, const yaml_event_t *event)
{
    struct source_tree *anchored =
        text_map_get(&reading->anchors, str_of((const char *)event->data.alias.anchor));
    if (!anchored)
        return refuse_at(reading, event->start_mark, ST_INVALID, "an alias without an anchor before it");
    if (anchored->open)
        return refuse_at(reading, event->start_mark, ST_INVALID, "an alias inside of what it repeats");
    if (name_is_due(reading))
        return refuse_at(reading, event->start_mark, ST_INVALID, "an alias cannot be a name");
    reading->copied_nodes += anchored->nodes;
    reading->copied_bytes += anchored->bytes;
    if (reading->copied_nodes > YAML_COPIED_NODES_MAX || reading->copied_bytes > YAML_COPIED_BYTES_MAX)
        return refuse_at(reading, event->start_mark, ST_LIMIT,
                         "aliases repeat too much (YAML_COPIED_NODES_MAX, YAML_COPIED_BYTES_MAX)");
    if (reading->depth + anchored->height > JSON_DEPTH_MAX)
        return refuse_at(reading, event->start_mark, ST_LIMIT,
                         "what the alias repeats is nested too deep here (JSON_DEPTH_MAX)");

    struct source_tree *node;
    TRY(new_node(reading, SOURCE_ALIAS, event->start_mark, &node));
    node->first = anchored;
    node->height = anchored->height;
    node->nodes = anchored->nodes;
    node->bytes = anchored->bytes;
    attach(reading, node);
    weigh(reading, node);
    return ST_OK;
}

/* ---- containers ---- */

static enum status open_container(struct yaml_reading *reading, const yaml_event_t *event)
{
    enum { CONTAINER_BYTES = 16 };
    bool object = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *tag = object ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    const yaml_char_t *anchor = object ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    if (tag && strcmp((const char *)tag, "!") != 0 &&
        strcmp((const char *)tag, object ? YAML_MAP_TAG : YAML_SEQ_TAG) != 0)
        return refuse_at(reading, event->start_mark, ST_INVALID,
                         object ? "a mapping has a tag that is not !!map"
                                : "a sequence has a tag that is not !!seq");
    if (name_is_due(reading))
        return refuse_at(reading, event->start_mark, ST_INVALID,
                         "a name is a scalar, not a mapping or a sequence");
    if (reading->depth == JSON_DEPTH_MAX) {
        const struct cursor *at = go_to(reading, event->start_mark);
        return fail_at(reading->err, ST_LIMIT, at->line, at->column, "nested deeper than %d (JSON_DEPTH_MAX)",
                       JSON_DEPTH_MAX);
    }
    struct source_tree *node;
    TRY(new_node(reading, object ? SOURCE_OBJECT : SOURCE_ARRAY, event->start_mark, &node));
    node->open = true;
    node->height = 1;
    node->bytes = CONTAINER_BYTES;
    remember(reading, anchor, node);
    attach(reading, node);
    reading->open[reading->depth++] = (struct frame){ .node = node, .end = &node->first };
    return ST_OK;
}

static enum status close_container(struct yaml_reading *reading)
{
    struct source_tree *node = reading->open[--reading->depth].node;
    const struct source_tree *first, *second;
    node->open = false;
    if (node->kind == SOURCE_OBJECT && source_tree_find_repeat(node, reading->arena, &first, &second))
        return fail_at(reading->err, ST_INVALID, second->line, second->column,
                       "duplicate name %s, first at line %u column %u",
                       problem_quote(reading->arena, json_string(second->value)), first->line, first->column);
    weigh(reading, node);
    return ST_OK;
}

/* ---- the document ---- */

static enum status take(struct yaml_reading *reading, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (reading->has_document)
            return refuse_at(reading, event->start_mark, ST_INVALID,
                             "a second document starts here; there can be only one");
        reading->has_document = true;
        return ST_OK;
    case YAML_STREAM_END_EVENT:
        if (reading->has_document) return ST_OK;
        return refuse_at(reading, event->start_mark, ST_INVALID, "there is no document");
    case YAML_ALIAS_EVENT: return take_alias(reading, event);
    case YAML_SCALAR_EVENT: return take_scalar(reading, event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: return open_container(reading, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close_container(reading);
    default: return ST_OK;
    }
}

static enum status read_events(struct yaml_reading *reading)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reading->parser, &event)) return refuse_syntax(reading);
        enum status status = take(reading, &event);
        bool end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (status != ST_OK || end) return status;
    }
}

/* The reason why a character is refused, or NULL. For libyaml, which follows YAML 1.1 here, lines end
 * at U+0085, U+2028 and U+2029 too; texts in quotes would come out changed. */
static const char *find_fault(str character)
{
    static const str line_ends[] = { STR_INIT("\xc2\x85"), STR_INIT("\xe2\x80\xa8"),
                                     STR_INIT("\xe2\x80\xa9") };
    if (!utf8_is_valid(character)) return "not UTF-8";
    if (character.p[0] == '\0') return "NUL characters are not allowed";
    for (size_t i = 0; i < COUNT(line_ends); i++)
        if (str_equal(character, line_ends[i])) return "U+0085, U+2028 and U+2029 must be escaped";
    return NULL;
}

/* libyaml would take other encodings, and tells no place where bytes are wrong. */
static enum status check_characters(str text, struct error *err)
{
    const char *end = text.p + text.n;
    struct cursor at = text_start(text);
    size_t directives = 0;
    while (at.p < end) {
        struct cursor next = at;
        step(&next, end);
        if (at.column == 1 && str_starts((str){ at.p, (size_t)(end - at.p) }, STR("%TAG")) &&
            ++directives > YAML_TAGS_MAX)
            return fail_at(err, ST_LIMIT, at.line, at.column, "more %%TAG directives than %d (YAML_TAGS_MAX)",
                           YAML_TAGS_MAX);
        bool plain = next.p - at.p == 1 && *at.p && (unsigned char)*at.p < 0x80;
        const char *fault = plain ? NULL : find_fault((str){ at.p, (size_t)(next.p - at.p) });
        if (fault) return fail_at(err, ST_INVALID, at.line, at.column, "%s", fault);
        at = next;
    }
    return ST_OK;
}

enum status yaml_read(str text, size_t bytes_max, struct arena *arena, const struct source_tree **ret_tree,
                      bool *ret_mapping, struct error *err)
{
    *ret_mapping = false;
    if (!bytes_max || bytes_max > YAML_BYTES_MAX) bytes_max = YAML_BYTES_MAX;
    if (text.n > bytes_max)
        return fail(err, ST_LIMIT, NULL, "%zu bytes of YAML; the most is %zu (body_bytes_max)", text.n,
                    bytes_max);
    if (str_starts(text, STR("\xef\xbb\xbf"))) text = str_slice(text, 3, text.n);
    TRY(check_characters(text, err));

    struct yaml_reading reading = { .text = text, .arena = arena, .err = err, .cursor = text_start(text) };
    must(yaml_parser_initialize(&reading.parser));
    yaml_parser_set_encoding(&reading.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reading.parser, (const unsigned char *)text.p, text.n);
    text_map_init(&reading.anchors);
    enum status status = read_events(&reading);
    text_map_done(&reading.anchors);
    yaml_parser_delete(&reading.parser);
    *ret_mapping = reading.root && reading.root->kind == SOURCE_OBJECT;
    if (status == ST_OK) *ret_tree = reading.root;
    return status;
}
