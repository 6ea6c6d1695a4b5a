/* source/xml.c — XML text → JSON document, with expat for the syntax.
 *
 * expat calls handlers; they make a tree of elements in the arena. When the outermost element has ended, the
 * tree is written as a value. A handler that refuses something stops the parser and writes the error itself.
 */
#include "source/xml.h"

#include "base/hash.h"
#include "base/must.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "source/limits.h"

#include <expat.h>

struct xml_attribute {
    str name, value;
    struct xml_attribute *next;
};

struct xml_element {
    str name;
    struct buf text; /* Beside the elements in it, all together. */
    bool cdata;
    struct xml_attribute *attribute;
    struct xml_element *first, *last; /* Elements in it. */
    size_t count;
    struct xml_element *next; /* In the same element. */
    struct xml_element *same; /* The next one of the same name, if there is one. */
    bool repeats;             /* An earlier one has the same name. */
};

struct xml_reading {
    XML_Parser parser;
    str text;
    struct arena *arena;
    struct error *err;
    enum status status;
    struct xml_element *open[XML_DEPTH_MAX];
    size_t depth;
    struct xml_element *root;
    size_t node_count;
};

/* ---- complaints ---- */

/* Newer versions of libexpat want their function for 64 bits, which older ones lack. No text needs it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static struct utf8_place place_of(const struct xml_reading *reading)
{
    XML_Index index = XML_GetCurrentByteIndex(reading->parser);
    size_t at = index < 0 ? 0 : (size_t)index;
    return utf8_place(reading->text, at < reading->text.n ? at : reading->text.n);
}
#pragma GCC diagnostic pop

static void refuse(struct xml_reading *reading, enum status status, const char *complaint)
{
    if (reading->status != ST_OK) return;
    struct utf8_place at = place_of(reading);
    reading->status = fail_at(reading->err, status, at.line, at.column, "%s", complaint);
    XML_StopParser(reading->parser, XML_FALSE);
}

/* ---- handlers ---- */

static bool count_node(struct xml_reading *reading)
{
    if (++reading->node_count <= XML_NODES_MAX) return true;
    refuse(reading, ST_LIMIT, "the document has too many elements and attributes (XML_NODES_MAX)");
    return false;
}

static void add_attributes(struct xml_reading *reading, struct xml_element *element, const XML_Char **pairs)
{
    struct xml_attribute **end = &element->attribute;
    for (; *pairs; pairs += 2) {
        str name = str_of(pairs[0]);
        if (str_equal(name, STR("xmlns")) || str_starts(name, STR("xmlns:"))) continue;
        if (!count_node(reading)) return;
        struct xml_attribute *attribute = arena_make(reading->arena, struct xml_attribute);
        attribute->name = arena_printf(reading->arena, "@%s", pairs[0]);
        attribute->value = arena_str(reading->arena, str_of(pairs[1]));
        *end = attribute;
        end = &attribute->next;
    }
}

static void on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct xml_reading *reading = context;
    if (reading->status != ST_OK || !count_node(reading)) return;
    if (reading->depth == XML_DEPTH_MAX) {
        refuse(reading, ST_LIMIT, "too many elements inside each other (XML_DEPTH_MAX)");
        return;
    }
    struct xml_element *element = arena_make(reading->arena, struct xml_element);
    element->name = arena_str(reading->arena, str_of(name));
    buf_init(&element->text, reading->arena);
    add_attributes(reading, element, attributes);
    if (reading->depth) {
        struct xml_element *parent = reading->open[reading->depth - 1];
        if (parent->last) parent->last->next = element;
        else parent->first = element;
        parent->last = element;
        parent->count++;
    } else {
        reading->root = element;
    }
    reading->open[reading->depth++] = element;
}

struct named_child {
    uint64_t hash; /* A hash of its name: to look at each name again and again would miss the processor's
                    * cache. */
    struct xml_element *element;
};

/* Any order will do that puts equal names beside each other. */
static int compare_names(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct named_child *left = a, *right = b;
    if (left->hash != right->hash) return left->hash < right->hash ? -1 : 1;
    return str_compare(left->element->name, right->element->name);
}

/* Links elements of one name, in their order. */
static void link_repeats(struct xml_reading *reading, struct xml_element *parent)
{
    if (parent->count < 2) return;
    struct named_child *child = arena_make_n(reading->arena, struct named_child, 2 * parent->count);
    size_t count = 0;
    for (struct xml_element *at = parent->first; at; at = at->next)
        child[count++] = (struct named_child){ hash_bytes(at->name), at };
    sort_stable(child, child + count, count, sizeof *child, compare_names, NULL);
    for (size_t i = 1; i < count; i++) {
        if (child[i - 1].hash != child[i].hash) continue;
        if (!str_equal(child[i - 1].element->name, child[i].element->name)) continue;
        child[i - 1].element->same = child[i].element;
        child[i].element->repeats = true;
    }
}

static void on_end(void *context, const XML_Char *name)
{
    struct xml_reading *reading = context;
    (void)name;
    if (reading->status != ST_OK) return;
    must(reading->depth);
    link_repeats(reading, reading->open[--reading->depth]);
}

static void on_text(void *context, const XML_Char *text, int length)
{
    struct xml_reading *reading = context;
    if (reading->status == ST_OK && reading->depth)
        buf_add(&reading->open[reading->depth - 1]->text, text, (size_t)length);
}

static void on_cdata(void *context)
{
    struct xml_reading *reading = context;
    if (reading->status == ST_OK && reading->depth) reading->open[reading->depth - 1]->cdata = true;
}

static void on_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                       int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    refuse(context, ST_INVALID, "a document type declaration is not allowed");
}

/* ---- writing ---- */

static void write_text(struct json_builder *builder, str text, bool string, struct arena *arena)
{
    if (!text.n) string = true;
    const struct json *number = string ? NULL : json_number_parse(text, arena);
    if (number) json_add(builder, number);
    else if (!string && str_equal(text, STR("true"))) json_add_bool(builder, true);
    else if (!string && str_equal(text, STR("false"))) json_add_bool(builder, false);
    else json_add_string(builder, text.n ? text : STR(""));
}

static void write_element(struct json_builder *builder, const struct xml_element *element,
                          struct arena *arena)
{
    str text = str_trim(buf_str(&element->text));
    if (!element->attribute && !element->first) {
        write_text(builder, text, element->cdata, arena);
        return;
    }
    json_open_object(builder);
    for (const struct xml_attribute *at = element->attribute; at; at = at->next) {
        json_add_name(builder, at->name);
        write_text(builder, str_trim(at->value), false, arena);
    }
    for (const struct xml_element *at = element->first; at; at = at->next) {
        if (at->repeats) continue;
        json_add_name(builder, at->name);
        if (at->same) json_open_array(builder);
        for (const struct xml_element *each = at; each; each = each->same)
            write_element(builder, each, arena);
        if (at->same) json_close(builder);
    }
    if (text.n) {
        json_add_name(builder, STR("#text"));
        write_text(builder, text, element->cdata, arena);
    }
    json_close(builder);
}

static const struct json *document_of(const struct xml_element *root, struct arena *arena)
{
    if (!root->attribute && !root->first && !str_trim(buf_str(&root->text)).n) return json_empty_object();
    struct json_builder builder;
    json_builder_init(&builder, arena);
    write_element(&builder, root, arena);
    return json_built(&builder);
}

/* ---- the door ---- */

static void run(struct xml_reading *reading)
{
    XML_SetUserData(reading->parser, reading);
    XML_SetElementHandler(reading->parser, on_start, on_end);
    XML_SetCharacterDataHandler(reading->parser, on_text);
    XML_SetStartCdataSectionHandler(reading->parser, on_cdata);
    XML_SetStartDoctypeDeclHandler(reading->parser, on_doctype);
    if (XML_Parse(reading->parser, reading->text.p, (int)reading->text.n, XML_TRUE) != XML_STATUS_ERROR)
        return;
    enum XML_Error error = XML_GetErrorCode(reading->parser);
    must(error != XML_ERROR_NO_MEMORY);
    refuse(reading, ST_INVALID, XML_ErrorString(error));
}

enum status xml_parse(str text, size_t bytes_max, struct arena *arena, const struct json **ret_value,
                      struct error *err)
{
    if (!bytes_max || bytes_max > XML_BYTES_MAX) bytes_max = XML_BYTES_MAX;
    if (text.n > bytes_max)
        return fail(err, ST_LIMIT, "", "the document has %zu bytes; the most is %zu (body_bytes_max)", text.n,
                    bytes_max);
    /* expat would take UTF-16 for what it is. */
    if (!utf8_is_valid(text) || (text.n && memchr(text.p, '\0', text.n)))
        return fail(err, ST_INVALID, "", "the text is not UTF-8");
    struct xml_reading *reading = arena_make(arena, struct xml_reading);
    *reading =
        (struct xml_reading){ .parser = XML_ParserCreate("UTF-8"), .text = text, .arena = arena, .err = err };
    must(reading->parser);
    run(reading);
    XML_ParserFree(reading->parser);
    if (reading->status != ST_OK) return reading->status;
    *ret_value = document_of(reading->root, arena);
    return ST_OK;
}
