/* tests/sim/actors_bulk.c — clients that ask for one command for many instances, and take it back. */
#include "actors.h"

#include "runtime/bulk/bulk.h"

#include "generate.h"

static void add_text(struct json_builder *builder, const char *name, str text)
{
    json_add_name(builder, str_of(name));
    json_add_string(builder, text);
}

/* A reason or a variable names the request, so that the checker finds it. */
static const struct json *make_body(struct world *world, const struct request *request,
                                    enum bulk_action action)
{
    struct actors *actors = world->actors;
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    add_text(&builder, "action", str_of(bulk_action_word(action)));
    json_add_name(&builder, STR("filter"));
    json_open_object(&builder);
    add_text(&builder, "definitionId", actors->definition[world_below(world, actors->definition_count)].id);
    if (action != BULK_RETRY && world_below(world, 3) == 0)
        add_text(&builder, "businessKeyPrefix", STR("order-"));
    if (action == BULK_CANCEL && world_below(world, 2)) add_text(&builder, "status", STR("WAITING"));
    json_close(&builder);
    if (action == BULK_SIGNAL) add_text(&builder, "step", request->node);
    if (action == BULK_CANCEL) {
        add_text(&builder, "reason", request->text);
    } else {
        json_add_name(&builder, STR("variables"));
        json_add(&builder, request->data);
    }
    json_close(&builder);
    return json_built(&builder);
}

/* From any version to any other. The mapping, if there is one, leads out of a step that one of them has. */
static const struct json *make_migration(struct world *world, const struct request *request)
{
    enum { VERSIONS = 4 };
    const struct actors *actors = world->actors;
    const struct deployed *definition = &actors->definition[world_below(world, actors->definition_count)];
    struct json_builder builder;
    int64_t from = definition->latest - (int64_t)world_below(world, VERSIONS);
    int64_t to = definition->latest - (int64_t)world_below(world, VERSIONS);
    if (from < 1) from = 1;
    if (to < 1 || to == from) to = from + 1;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    add_text(&builder, "action", STR("migrate"));
    json_add_name(&builder, STR("filter"));
    json_open_object(&builder);
    add_text(&builder, "definitionId", definition->id);
    json_add_name(&builder, STR("definitionVersion"));
    json_add_int(&builder, from);
    json_close(&builder);
    json_add_name(&builder, STR("to"));
    json_add_int(&builder, to);
    json_add_name(&builder, STR("retry"));
    json_add_bool(&builder, world_below(world, 2));
    add_text(&builder, "reason", request->text);
    if (definition->inserted.n && world_below(world, 3) == 0) {
        json_add_name(&builder, STR("map"));
        json_open_object(&builder);
        add_text(&builder, definition->inserted.p, definition->behind);
        json_close(&builder);
    }
    json_close(&builder);
    return json_built(&builder);
}

static void on_begun(struct world *world, struct request *request, const struct call *answer)
{
    (void)request;
    if (answer && answer->status == ST_OK && answer->value.bulks.view)
        world->actors->bulk = bulk_id(&answer->value.bulks.view->row);
}

static void begin(struct world *world)
{
    static const enum bulk_action actions[] = { BULK_RETRY, BULK_RETRY, BULK_RETRY, BULK_CANCEL,
                                                BULK_SIGNAL };
    enum bulk_action action = actions[world_below(world, COUNT(actions))];
    struct request *request = network_request(world, CALL_BULK);
    request->text = arena_printf(&world->arena, "op-%u", request->op);
    request->node = arena_printf(&world->arena, "s%u", 1 + world_below(world, 12));
    request->data = generate_cure(world, request->op);
    bool migrates = world_chance(world, world->profile.migrate);
    request->bulk = migrates ? make_migration(world, request) : make_body(world, request, action);
    request->on_reply = on_begun;
    if (world_chance(world, world->profile.keyed))
        request->key = arena_printf(&world->arena, "key-%u", request->op);
    trace(world, "client: %ss many, op %u", migrates ? "migrate" : bulk_action_word(action), request->op);
    network_send(world, request);
}

static void cancel(struct world *world)
{
    struct request *request = network_request(world, CALL_CANCEL_BULK);
    request->id = world->actors->bulk;
    trace(world, "client: cancels bulk %llu, op %u", (unsigned long long)request->id.instance, request->op);
    network_send(world, request);
}

void bulk_any(struct world *world)
{
    if (world->actors->bulk.instance && world_below(world, 6) == 0) cancel(world);
    else begin(world);
}
