/* schema/compile.c — a document becomes nodes, resources and resolved references. */
#include "schema/schema_int.h"

/* ---- drafts ---- */

static const char draft_07[] = "http://json-schema.org/draft-07/schema";
static const char draft_2020_12[] = "https://json-schema.org/draft/2020-12/schema";
static const char vocabulary_prefix[] = "https://json-schema.org/draft/2020-12/vocab/";

enum {
    VOCABULARIES_DEFAULT = VOCABULARY_CORE | VOCABULARY_APPLICATOR | VOCABULARY_UNEVALUATED |
                           VOCABULARY_VALIDATION | VOCABULARY_META_DATA | VOCABULARY_FORMAT |
                           VOCABULARY_CONTENT
};

static uint32_t vocabulary_of(str uri)
{
    static const struct {
        str name;
        uint32_t bits;
    } names[] = {
        { STR_INIT("core"), VOCABULARY_CORE },
        { STR_INIT("applicator"), VOCABULARY_APPLICATOR },
        { STR_INIT("unevaluated"), VOCABULARY_UNEVALUATED },
        { STR_INIT("validation"), VOCABULARY_VALIDATION },
        { STR_INIT("meta-data"), VOCABULARY_META_DATA },
        { STR_INIT("format-annotation"), VOCABULARY_FORMAT },
        { STR_INIT("format-assertion"), VOCABULARY_FORMAT | VOCABULARY_ASSERTION },
        { STR_INIT("content"), VOCABULARY_CONTENT },
    };
    if (!str_starts(uri, str_of(vocabulary_prefix))) return 0;
    str name = str_slice(uri, sizeof vocabulary_prefix - 1, uri.n);
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_equal(names[i].name, name)) return names[i].bits;
    return 0;
}

static const struct json *find_source(const struct schema_reader *reader, str uri)
{
    const struct schema_options *options = reader->options;
    for (size_t i = 0; i < options->source_count; i++) {
        str fragment;
        if (str_equal(schema_uri_split(options->source[i].uri, &fragment), uri))
            return options->source[i].document;
    }
    return NULL;
}

/* Reads the vocabularies of a meta-schema of somebody's own. */
static enum status read_vocabularies(const struct schema_node *node, const struct json *metaschema,
                                     struct schema_resource *resource, struct error *err)
{
    const struct json *list = json_get(metaschema, STR("$vocabulary"));
    if (!json_is(list, JSON_OBJECT)) return ST_OK;
    resource->vocabularies = VOCABULARY_CORE;
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        uint32_t bits = vocabulary_of(each.name);
        if (!bits && json_is(each.value, JSON_BOOL) && json_bool(each.value))
            return schema_refuse(node, STR("$schema"), ST_INVALID, err,
                                 "its meta-schema requires the vocabulary %.*s, which is not known here",
                                 STR_ARG(each.name));
        resource->vocabularies |= bits;
    }
    return ST_OK;
}

static enum status read_draft(struct schema_reader *reader, const struct schema_node *node,
                              struct schema_resource *resource, struct error *err)
{
    const struct json *schema = json_get(node->value, STR("$schema"));
    if (!schema) return ST_OK;
    if (!json_is(schema, JSON_STRING))
        return schema_refuse(node, STR("$schema"), ST_INVALID, err, "must be a string");
    str fragment, uri = schema_uri_split(json_string(schema), &fragment);
    resource->vocabularies = VOCABULARIES_DEFAULT;
    if (str_equal(uri, str_of(draft_07)) || str_equal(uri, STR("https://json-schema.org/draft-07/schema"))) {
        resource->draft = SCHEMA_DRAFT_07;
        return ST_OK;
    }
    const struct json *own = str_equal(uri, str_of(draft_2020_12)) ? NULL : find_source(reader, uri);
    if (!own && !str_equal(uri, str_of(draft_2020_12)))
        return schema_refuse(node, STR("$schema"), ST_INVALID, err, "is \"%.*s\"; known are %s# and %s",
                             STR_ARG(uri), draft_07, draft_2020_12);
    resource->draft = SCHEMA_2020_12;
    return own ? read_vocabularies(node, own, resource, err) : ST_OK;
}

/* ---- resources ---- */

/* In draft-07 a $ref hides what stands beside it. */
static bool is_only_reference(const struct schema_node *node)
{
    return node->resource->draft == SCHEMA_DRAFT_07 && json_get(node->value, STR("$ref"));
}

static enum status register_uri(struct schema_reader *reader, const struct schema_node *node, str uri,
                                struct schema_resource *resource, struct error *err)
{
    const struct schema_resource *other = schema_find_resource(reader->schema, uri);
    if (other == resource) return ST_OK;
    if (other)
        return schema_refuse(node, STR("$id"), ST_INVALID, err, "two schemas have the id \"%.*s\"",
                             STR_ARG(uri));
    struct schema_uri *entry = arena_make(reader->arena, struct schema_uri);
    *entry = (struct schema_uri){ .uri = uri, .resource = resource };
    schema_add_uri(reader->schema, entry);
    return ST_OK;
}

static enum status add_anchor(struct schema_reader *reader, const struct schema_node *node, str keyword,
                              str name, bool dynamic, struct error *err)
{
    const struct schema_anchor *other = schema_find_anchor(reader->schema, node->resource, name);
    if (other && other->node != node)
        return schema_refuse(node, keyword, ST_INVALID, err, "two schemas have the anchor \"%.*s\"",
                             STR_ARG(name));
    struct schema_anchor *anchor = arena_make(reader->arena, struct schema_anchor);
    *anchor =
        (struct schema_anchor){ .resource = node->resource, .name = name, .dynamic = dynamic, .node = node };
    schema_add_anchor(reader->schema, anchor);
    return ST_OK;
}

/* A node with an $id of its own becomes a resource, or in draft-07 perhaps an anchor. */
static enum status read_id(struct schema_reader *reader, struct schema_node *node, struct error *err)
{
    const struct json *id = json_get(node->value, STR("$id"));
    if (!id || is_only_reference(node)) return ST_OK;
    if (!json_is(id, JSON_STRING))
        return schema_refuse(node, STR("$id"), ST_INVALID, err, "must be a string");
    bool old = node->resource->draft == SCHEMA_DRAFT_07;
    str fragment, name = schema_uri_split(json_string(id), &fragment);
    if (!name.n && fragment.n && old) return add_anchor(reader, node, STR("$id"), fragment, false, err);
    if (fragment.n && !old)
        return schema_refuse(node, STR("$id"), ST_INVALID, err, "may not have a fragment; use $anchor");
    struct schema_resource *resource = node->resource;
    if (resource->root != node->value) {
        resource = arena_make(reader->arena, struct schema_resource);
        *resource = *node->resource;
        resource->root = node->value;
        TRY(read_draft(reader, node, resource, err));
    }
    resource->uri = schema_uri_resolve(node->resource->uri, name, reader->arena);
    TRY(register_uri(reader, node, resource->uri, resource, err));
    node->resource = resource;
    return ST_OK;
}

static enum status read_anchors(struct schema_reader *reader, const struct schema_node *node,
                                struct error *err)
{
    static const struct {
        str keyword;
        bool dynamic;
    } kinds[] = { { STR_INIT("$dynamicAnchor"), true }, { STR_INIT("$anchor"), false } };
    if (node->resource->draft == SCHEMA_DRAFT_07) return ST_OK;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct json *name = json_get(node->value, kinds[i].keyword);
        if (!name) continue;
        if (!json_is(name, JSON_STRING) || !json_string(name).n)
            return schema_refuse(node, kinds[i].keyword, ST_INVALID, err,
                                 "must be a string that is not empty");
        TRY(add_anchor(reader, node, kinds[i].keyword, json_string(name), kinds[i].dynamic, err));
    }
    return ST_OK;
}

/* Makes a document known under a URI. Its root is unread. */
static enum status add_document(struct schema_reader *reader, const struct json *document, str uri, str where,
                                enum schema_draft draft, const struct schema_node **ret_root,
                                struct error *err)
{
    if (json_bytes(document) > SCHEMA_BYTES_MAX)
        return fail(err, ST_LIMIT, where.n ? where.p : "",
                    "a schema of %zu bytes; the most is %d (SCHEMA_BYTES_MAX)", json_bytes(document),
                    SCHEMA_BYTES_MAX);
    if (json_depth(document) > JSON_DEPTH_MAX)
        return fail(err, ST_LIMIT, where.n ? where.p : "", "a schema deeper than %d levels (JSON_DEPTH_MAX)",
                    JSON_DEPTH_MAX);
    struct schema_resource *resource = arena_make(reader->arena, struct schema_resource);
    *resource = (struct schema_resource){
        .uri = uri, .where = where, .root = document, .draft = draft, .vocabularies = VOCABULARIES_DEFAULT
    };
    const struct schema_node *root;
    TRY(schema_enter(reader, NULL, (struct schema_step){ .keyword = STR_NONE }, resource, document, &root,
                     err));
    TRY(read_draft(reader, root, resource, err));
    TRY(register_uri(reader, root, uri, resource, err));
    *ret_root = root;
    return ST_OK;
}

/* ---- nodes ---- */

static bool keyword_applies(const struct schema_keyword *keyword, const struct schema_resource *resource)
{
    bool known = resource->draft == SCHEMA_DRAFT_07 ? keyword->in_draft_07 : keyword->in_2020_12;
    return known && (resource->vocabularies & keyword->vocabulary);
}

static enum status read_node(struct schema_reader *reader, struct schema_node *node, struct error *err)
{
    if (json_is(node->value, JSON_BOOL)) {
        node->never = !json_bool(node->value);
        return ST_OK;
    }
    TRY(read_id(reader, node, err));
    TRY(read_anchors(reader, node, err));
    bool only_reference = is_only_reference(node);
    node->rule = arena_make_n(reader->arena, struct schema_rule, json_count(node->value));
    const struct schema_keyword *keyword;
    for (size_t i = 0; (keyword = schema_keyword_at(i)); i++) {
        const struct json *value = json_get(node->value, keyword->name);
        if (!value || !keyword_applies(keyword, node->resource)) continue;
        if (only_reference && !str_equal(keyword->name, STR("$ref"))) continue;
        struct schema_rule *rule = &node->rule[node->rule_count];
        *rule = (struct schema_rule){ .keyword = keyword, .owner = node, .value = value };
        TRY(keyword->read(reader, node, rule, err));
        if (!keyword->check || !rule->keyword) continue;
        node->rule_count++;
        if (keyword->vocabulary == VOCABULARY_UNEVALUATED) node->unevaluated = true;
    }
    return ST_OK;
}

static enum status read_nodes(struct schema_reader *reader, struct error *err)
{
    while (reader->unread) {
        struct schema_node *node = reader->unread;
        reader->unread = node->next_unread;
        TRY(read_node(reader, node, err));
        TRY(schema_afford(reader, err));
    }
    return ST_OK;
}

/* ---- references ---- */

/* A resource that is known, or that a source or a meta-schema has. */
static enum status find_resource(struct schema_reader *reader, const struct schema_rule *rule, str uri,
                                 struct schema_resource **ret_resource, struct error *err)
{
    *ret_resource = schema_find_resource(reader->schema, uri);
    if (*ret_resource) return ST_OK;
    const struct json *document = find_source(reader, uri);
    if (document) document = json_copy(reader->arena, document);
    else document = schema_metaschema(uri, reader->arena);
    if (!document)
        return schema_refuse(rule->owner, rule->keyword->name, ST_INVALID, err,
                             "refers to \"%.*s\", which is not known; nothing is fetched", STR_ARG(uri));
    const struct schema_node *root;
    str where = arena_printf(reader->arena, "%.*s#", STR_ARG(uri));
    TRY(add_document(reader, document, arena_str(reader->arena, uri), where, rule->owner->resource->draft,
                     &root, err));
    TRY(read_nodes(reader, err));
    *ret_resource = schema_find_resource(reader->schema, uri);
    return ST_OK;
}

static enum status find_target(struct schema_reader *reader, struct schema_rule *rule,
                               struct schema_resource *resource, str fragment,
                               const struct schema_node **ret_node, struct error *err)
{
    const struct schema_node *owner = rule->owner;
    if (fragment.n && fragment.p[0] != '/') {
        const struct schema_anchor *anchor = schema_find_anchor(reader->schema, resource, fragment);
        if (!anchor)
            return schema_refuse(owner, rule->keyword->name, ST_INVALID, err, "there is no anchor \"%.*s\"",
                                 STR_ARG(fragment));
        if (anchor->dynamic && str_equal(rule->keyword->name, STR("$dynamicRef")))
            rule->anchor = anchor->name;
        *ret_node = anchor->node;
        return ST_OK;
    }
    const struct json *value = json_pointer(resource->root, fragment);
    if (!value)
        return schema_refuse(owner, rule->keyword->name, ST_INVALID, err,
                             "leads nowhere: there is no \"%.*s\"", STR_ARG(fragment));
    struct schema_step step = { .keyword = STR_NONE, .name = fragment };
    TRY(schema_enter(reader, schema_find_node(reader->schema, resource->root), step, resource, value,
                     ret_node, err));
    return read_nodes(reader, err);
}

static enum status resolve(struct schema_reader *reader, struct schema_rule *rule, struct error *err)
{
    struct schema_resource *resource = rule->owner->resource;
    str fragment, uri = schema_uri_split(
                      schema_uri_resolve(resource->uri, json_string(rule->value), reader->arena), &fragment);
    if (!schema_uri_decode(fragment, reader->arena, &fragment))
        return schema_refuse(rule->owner, rule->keyword->name, ST_INVALID, err, "is no URI reference");
    if (!str_equal(uri, resource->uri)) TRY(find_resource(reader, rule, uri, &resource, err));
    rule->node = arena_make_n(reader->arena, const struct schema_node *, 1);
    rule->count = 1;
    return find_target(reader, rule, resource, fragment, &rule->node[0], err);
}

/* Follows $ref from node to node, to see that it ends. Each node is looked at once. */
static enum status check_circle(struct schema_reader *reader, const struct schema_rule *rule, uint32_t trail,
                                struct error *err)
{
    const struct schema_rule *next = rule;
    while (next) {
        struct schema_node *node = schema_find_node(reader->schema, next->owner->value);
        if (node->trail == trail)
            return schema_refuse(rule->owner, rule->keyword->name, ST_INVALID, err,
                                 "leads in a circle of references, and says nothing");
        if (node->trail) return ST_OK;
        node->trail = trail;
        next = schema_sibling(next->node[0], "$ref");
    }
    return ST_OK;
}

static enum status resolve_references(struct schema_reader *reader, struct error *err)
{
    struct schema_reference *resolved = NULL;
    while (reader->unresolved) {
        struct schema_reference *reference = reader->unresolved;
        reader->unresolved = reference->next;
        TRY(resolve(reader, reference->rule, err));
        TRY(schema_afford(reader, err));
        if (!str_equal(reference->rule->keyword->name, STR("$ref"))) continue;
        reference->next = resolved;
        resolved = reference;
    }
    uint32_t trail = 0;
    for (; resolved; resolved = resolved->next) TRY(check_circle(reader, resolved->rule, ++trail, err));
    return ST_OK;
}

/* ---- the whole ---- */

enum status schema_compile_with(const struct json *document, const struct schema_options *options,
                                struct arena *arena, const struct schema **ret_schema, struct error *err)
{
    const struct schema_options defaults = { .draft = SCHEMA_2020_12 };
    if (json_bytes(document) > SCHEMA_BYTES_MAX)
        return fail(err, ST_LIMIT, "", "a schema of %zu bytes; the most is %d (SCHEMA_BYTES_MAX)",
                    json_bytes(document), SCHEMA_BYTES_MAX);
    struct schema *schema = arena_make(arena, struct schema);
    struct schema_reader reader = {
        .schema = schema, .options = options ? options : &defaults, .arena = arena, .arena_start = arena->used
    };
    schema_index_init(schema, json_bytes(document), arena);
    TRY(add_document(&reader, json_copy(arena, document), STR(""), STR(""), reader.options->draft,
                     &schema->root, err));
    TRY(read_nodes(&reader, err));
    TRY(resolve_references(&reader, err));
    *ret_schema = schema;
    return ST_OK;
}

enum status schema_compile(const struct json *document, struct arena *arena, const struct schema **ret_schema,
                           struct error *err)
{
    return schema_compile_with(document, NULL, arena, ret_schema, err);
}
