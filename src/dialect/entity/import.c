/* dialect/entity/import.c — sets of workflows: imported, stored, exported.
 *
 * The stored form is the exported one: members that say nothing are left out, and states are sorted by name.
 * Members that the reader does not know are kept: they are the author's, and a later version may know them.
 */
#include "dialect/entity/entity.h"

#include "base/ascii.h"
#include "base/must.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "dialect/limits.h"

bool entity_import_mode_parse(str word, enum entity_import_mode *ret_mode)
{
    static const char *const words[] = {
        [ENTITY_MERGE] = "merge", [ENTITY_REPLACE] = "replace", [ENTITY_ACTIVATE] = "activate"
    };
    if (!word.n) {
        *ret_mode = ENTITY_MERGE;
        return true;
    }
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_equal_ignoring_case(word, str_of(words[i]))) {
            *ret_mode = (enum entity_import_mode)i;
            return true;
        }
    return false;
}

/* ---- documents ---- */

bool entity_is_single(const struct json *document)
{
    return !json_get(document, STR("workflows")) && json_get(document, STR("initialState")) &&
           json_is(json_get(document, STR("states")), JSON_OBJECT);
}

const struct json *entity_workflows(const struct json *document, struct arena *arena)
{
    struct json_builder builder;
    if (!entity_is_single(document)) return json_get(document, STR("workflows"));
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    json_add(&builder, document);
    json_close(&builder);
    return json_built(&builder);
}

/* ---- one workflow as it is exported ---- */

/* Does a member of this name and value say nothing? */
static bool says_nothing(str name, const struct json *value)
{
    bool is_empty = (json_is(value, JSON_ARRAY) || json_is(value, JSON_OBJECT)) && !json_count(value);
    bool is_false = json_is(value, JSON_BOOL) && !json_bool(value);
    bool is_blank = json_is(value, JSON_STRING) && !json_string(value).n;
    int64_t number;
    if (str_equal(name, STR("transitions")) || str_equal(name, STR("processors"))) return is_empty;
    if (str_equal(name, STR("disabled")) || str_equal(name, STR("allowCycles"))) return is_false;
    if (str_equal(name, STR("responseTimeoutMs"))) return json_int64(value, &number) && !number;
    return is_blank && (str_equal(name, STR("desc")) || str_equal(name, STR("executionMode")) ||
                        str_equal(name, STR("calculationNodesTags")) || str_equal(name, STR("retryPolicy")) ||
                        str_equal(name, STR("context")));
}

/* A member that is always there, also if the author left it out. */
static void add_missing(struct json_builder *builder, const struct json *object, const char *name,
                        const struct json *value)
{
    if (json_get(object, str_of(name))) return;
    json_add_name(builder, str_of(name));
    json_add(builder, value);
}

/* Puts the parts of a workflow one inside the other: `part` says what an object is. */
enum entity_part {
    ENTITY_PART_WORKFLOW,
    ENTITY_PART_STATE,
    ENTITY_PART_TRANSITION,
    ENTITY_PART_PROCESSOR,
    ENTITY_PART_CONFIG
};

static void put_part(struct json_builder *builder, const struct json *object, enum entity_part part,
                     struct arena *arena);

static void put_list(struct json_builder *builder, const struct json *list, enum entity_part part,
                     struct arena *arena)
{
    json_open_array(builder);
    for (size_t i = 0; i < json_count(list); i++) put_part(builder, json_item(list, i), part, arena);
    json_close(builder);
}

static int by_name(const void *a, const void *b, const void *context)
{
    (void)context;
    return str_compare(*(const str *)a, *(const str *)b);
}

static void put_states(struct json_builder *builder, const struct json *states, struct arena *arena)
{
    size_t count = json_count(states), i = 0;
    str *name = arena_make_n(arena, str, count), *scratch = arena_make_n(arena, str, count);
    struct json_each each = json_each(states);
    while (json_next(&each)) name[i++] = each.name;
    must(i == count);
    sort_stable(name, scratch, count, sizeof *name, by_name, NULL);
    json_open_object(builder);
    for (i = 0; i < count; i++) {
        json_add_name(builder, name[i]);
        put_part(builder, json_get(states, name[i]), ENTITY_PART_STATE, arena);
    }
    json_close(builder);
}

/* A member that holds parts of its own; false: it holds none. */
static bool put_parts(struct json_builder *builder, str name, const struct json *value, enum entity_part part,
                      struct arena *arena)
{
    bool is_list = json_is(value, JSON_ARRAY), is_object = json_is(value, JSON_OBJECT);
    if (part == ENTITY_PART_WORKFLOW && is_object && str_equal(name, STR("states")))
        put_states(builder, value, arena);
    else if (part == ENTITY_PART_STATE && is_list && str_equal(name, STR("transitions")))
        put_list(builder, value, ENTITY_PART_TRANSITION, arena);
    else if (part == ENTITY_PART_TRANSITION && is_list && str_equal(name, STR("processors")))
        put_list(builder, value, ENTITY_PART_PROCESSOR, arena);
    else if (part == ENTITY_PART_PROCESSOR && is_object && str_equal(name, STR("config")))
        put_part(builder, value, ENTITY_PART_CONFIG, arena);
    else return false;
    return true;
}

static void put_part(struct json_builder *builder, const struct json *object, enum entity_part part,
                     struct arena *arena)
{
    if (!json_is(object, JSON_OBJECT)) {
        json_add(builder, object);
        return;
    }
    json_open_object(builder);
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        if (says_nothing(each.name, each.value)) continue;
        json_add_name(builder, each.name);
        if (!put_parts(builder, each.name, each.value, part, arena)) json_add(builder, each.value);
    }
    if (part == ENTITY_PART_TRANSITION) add_missing(builder, object, "manual", json_of_bool(false));
    if (part == ENTITY_PART_PROCESSOR) {
        add_missing(builder, object, "type", json_of_string(arena, STR("EXTERNAL")));
        add_missing(builder, object, "config", json_empty_object());
    }
    if (part == ENTITY_PART_WORKFLOW) {
        add_missing(builder, object, "version", json_of_string(arena, STR("1")));
        add_missing(builder, object, "active", json_of_bool(true));
    }
    json_close(builder);
}

/* ---- sets ---- */

static const struct json *find_named(const struct json *list, const struct json *workflow)
{
    const struct json *name = json_get(workflow, STR("name"));
    for (size_t i = 0; name && i < (list ? json_count(list) : 0); i++) {
        const struct json *other = json_get(json_item(list, i), STR("name"));
        if (other && json_equal(name, other)) return json_item(list, i);
    }
    return NULL;
}

static void add_workflow(struct json_builder *builder, const struct json *workflow, bool active,
                         struct arena *arena)
{
    if (json_is(workflow, JSON_OBJECT))
        workflow = json_set(arena, workflow, STR("active"), json_of_bool(active));
    put_part(builder, workflow, ENTITY_PART_WORKFLOW, arena);
}

static bool is_active(const struct json *workflow)
{
    const struct json *active = json_get(workflow, STR("active"));
    return !json_is(active, JSON_BOOL) || json_bool(active);
}

/* Stored workflows: merged ones are replaced in their place, and an activation puts the others to sleep. */
static void add_stored(struct json_builder *builder, const struct json *stored, const struct json *incoming,
                       enum entity_import_mode mode, struct arena *arena)
{
    for (size_t i = 0; i < json_count(stored); i++) {
        const struct json *workflow = json_item(stored, i), *newer = find_named(incoming, workflow);
        if (mode == ENTITY_ACTIVATE && newer) continue;
        if (newer) add_workflow(builder, newer, true, arena);
        else add_workflow(builder, workflow, mode == ENTITY_MERGE && is_active(workflow), arena);
    }
}

const struct json *entity_import(const struct json *stored, const struct json *incoming,
                                 enum entity_import_mode mode, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    bool keeps = stored && (mode == ENTITY_MERGE || mode == ENTITY_ACTIVATE);
    if (keeps) add_stored(&builder, stored, incoming, mode, arena);
    for (size_t i = 0; i < json_count(incoming); i++) {
        const struct json *workflow = json_item(incoming, i);
        if (keeps && mode == ENTITY_MERGE && find_named(stored, workflow)) continue;
        add_workflow(&builder, workflow, mode != ENTITY_RESTORE || is_active(workflow), arena);
    }
    json_close(&builder);
    return json_built(&builder);
}

const struct json *entity_allow_cycles(const struct json *workflows, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    for (size_t i = 0; i < json_count(workflows); i++) {
        const struct json *workflow = json_item(workflows, i);
        if (json_is(workflow, JSON_OBJECT))
            workflow = json_set(arena, workflow, STR("allowCycles"), json_of_bool(true));
        json_add(&builder, workflow);
    }
    json_close(&builder);
    return json_built(&builder);
}

const struct json *entity_document(str name, int32_t version, const struct json *workflows,
                                   struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("dialect"));
    json_add_string(&builder, STR("entity/1"));
    json_add_name(&builder, STR("entityName"));
    json_add_string(&builder, name);
    json_add_name(&builder, STR("modelVersion"));
    json_add_int(&builder, version);
    json_add_name(&builder, STR("workflows"));
    json_add(&builder, workflows ? workflows : json_empty_array());
    json_close(&builder);
    return json_built(&builder);
}

/* ---- names ---- */

bool entity_name_is_sound(str name)
{
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] < 0x20 || name.p[i] == 0x7f) return false;
    return name.n && name.n <= ENTITY_NAME_BYTES_MAX && utf8_is_valid(name);
}
