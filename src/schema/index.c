/* schema/index.c — nodes by the address of their value, resources by their URI, anchors by resource and name.
 */
#include "schema/schema_int.h"

#include "base/text_map.h"

enum { BUCKETS_LEAST = 16, BUCKETS_MOST = 8192, BYTES_PER_BUCKET = 64 };

void schema_index_init(struct schema *schema, size_t document_bytes, struct arena *arena)
{
    size_t count = BUCKETS_LEAST;
    while (count < BUCKETS_MOST && count * BYTES_PER_BUCKET < document_bytes) count *= 2;
    schema->bucket_count = count;
    schema->node = arena_make_n(arena, struct schema_node *, count);
    schema->uri = arena_make_n(arena, struct schema_uri *, count);
    schema->anchor = arena_make_n(arena, struct schema_anchor *, count);
}

static size_t bucket_of_address(const struct schema *schema, const void *address)
{
    return (size_t)((uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 40) % schema->bucket_count;
}

static size_t bucket_of_text(const struct schema *schema, str text)
{
    return text_map_hash(text) % schema->bucket_count;
}

static size_t bucket_of_anchor(const struct schema *schema, const struct schema_resource *resource, str name)
{
    return (bucket_of_text(schema, name) + bucket_of_address(schema, resource)) % schema->bucket_count;
}

struct schema_node *schema_find_node(const struct schema *schema, const struct json *value)
{
    struct schema_node *node = schema->node[bucket_of_address(schema, value)];
    while (node && node->value != value) node = node->next;
    return node;
}

void schema_add_node(struct schema *schema, struct schema_node *node)
{
    struct schema_node **bucket = &schema->node[bucket_of_address(schema, node->value)];
    node->next = *bucket;
    *bucket = node;
}

struct schema_resource *schema_find_resource(const struct schema *schema, str uri)
{
    const struct schema_uri *entry = schema->uri[bucket_of_text(schema, uri)];
    while (entry && !str_equal(entry->uri, uri)) entry = entry->next;
    return entry ? entry->resource : NULL;
}

void schema_add_uri(struct schema *schema, struct schema_uri *uri)
{
    struct schema_uri **bucket = &schema->uri[bucket_of_text(schema, uri->uri)];
    uri->next = *bucket;
    *bucket = uri;
}

const struct schema_anchor *schema_find_anchor(const struct schema *schema,
                                               const struct schema_resource *resource, str name)
{
    const struct schema_anchor *anchor = schema->anchor[bucket_of_anchor(schema, resource, name)];
    while (anchor && (anchor->resource != resource || !str_equal(anchor->name, name))) anchor = anchor->next;
    return anchor;
}

void schema_add_anchor(struct schema *schema, struct schema_anchor *anchor)
{
    struct schema_anchor **bucket = &schema->anchor[bucket_of_anchor(schema, anchor->resource, anchor->name)];
    anchor->next = *bucket;
    *bucket = anchor;
}
