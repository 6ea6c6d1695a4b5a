/* tests/sim/generate_graph.c — random flow graphs: blocks one behind the other, some of them around others.
 *
 * A block begins at one node and ends at some ports, which are wired to what comes behind it. Every node that
 * waits for an event gives up after a while, so that every instance comes to an end by itself.
 */
#include "generate.h"

#include "graph.h"

enum { PORTS_MAX = 16, BRANCHES_MAX = 3, BLOCK_DEPTH_MAX = 3, GRAPH_NODES_MAX = 40 };

struct draft {
    struct world *world;
    struct arena *arena;
    struct buf nodes, edges;
    uint32_t node_count, trigger_count;
    bool compensates;
};

/* A way that leads nowhere yet. */
struct open_port {
    str node;
    const char *port;
    str more; /* Of the edge: a condition. */
};

struct open_ports {
    struct open_port item[PORTS_MAX];
    size_t count;
};

static uint32_t below(struct draft *draft, uint32_t n) { return world_below(draft->world, n); }
static bool odds(struct draft *draft, uint32_t percent) { return below(draft, 100) < percent; }

static str new_id(struct draft *draft) { return arena_printf(draft->arena, "n%u", ++draft->node_count); }

/* ---- nodes and edges ---- */

static void put_node(struct draft *draft, str id, const char *type, str parent, str more)
{
    buf_printf(&draft->nodes, "%s{\"id\":\"%.*s\",\"type\":\"%s\"", draft->nodes.n ? "," : "", STR_ARG(id),
               type);
    if (parent.n) buf_printf(&draft->nodes, ",\"parent\":\"%.*s\"", STR_ARG(parent));
    buf_printf(&draft->nodes, "%.*s}", STR_ARG(more));
}

static void put_edge(struct draft *draft, const struct open_port *from, str to)
{
    buf_printf(&draft->edges, "%s{\"from\":\"%.*s\",\"fromPort\":\"%s\",\"to\":\"%.*s\"",
               draft->edges.n ? "," : "", STR_ARG(from->node), from->port, STR_ARG(to));
    buf_add_str(&draft->edges, from->more);
    buf_add_char(&draft->edges, '}');
}

static void wire(struct draft *draft, const struct open_ports *ports, str to)
{
    for (size_t i = 0; i < ports->count; i++) put_edge(draft, &ports->item[i], to);
}

static void leave_open(struct open_ports *ports, str node, const char *port)
{
    if (ports->count < PORTS_MAX) ports->item[ports->count++] = (struct open_port){ node, port, STR_NONE };
}

/* ---- blocks ---- */

struct block {
    str first;
    struct open_ports ends;
};

static struct block sequence(struct draft *draft, str parent, uint32_t depth);

/* A node with one way out. */
static struct block plain(struct draft *draft, const char *type, str parent, str more)
{
    struct block block = { .first = new_id(draft) };
    put_node(draft, block.first, type, parent, more);
    leave_open(&block.ends, block.first, "out");
    return block;
}

static struct block merge(struct draft *draft, str parent)
{
    return plain(draft, "set_variables", parent, STR(",\"config\":{\"values\":{\"x\":1}}"));
}

/* Several ends become one, so that a join behind it gets one token and not one of them. */
static void gather_ends(struct draft *draft, str parent, struct block *block)
{
    if (block->ends.count < 2) return;
    struct block one = merge(draft, parent);
    wire(draft, &block->ends, one.first);
    block->ends = one.ends;
}

static str retry(struct draft *draft)
{
    if (odds(draft, 40)) return STR_NONE;
    return arena_printf(
        draft->arena, ",\"retry\":{\"maxAttempts\":%u,\"initialDelay\":\"%ums\",\"backoffStrategy\":\"%s\"}",
        1 + below(draft, 3), 500 * below(draft, 5), odds(draft, 50) ? "Fixed" : "Exponential");
}

/* Few names, so that instances wait for each other. A token has one lock at a time, so nobody waits
 * crosswise. */
static str lock(struct draft *draft)
{
    if (odds(draft, 75)) return STR_NONE;
    return arena_printf(draft->arena, ",\"lock\":\"l%u\",\"lockSize\":%u", below(draft, 3),
                        1 + below(draft, 2));
}

static struct block call(struct draft *draft, str parent, uint32_t depth)
{
    struct block block = { .first = new_id(draft) };
    str undo = STR_NONE, again = retry(draft), locked = lock(draft);
    if (odds(draft, draft->compensates ? 60 : 10)) {
        str undo_again = retry(draft);
        undo = arena_printf(draft->arena,
                            ",\"compensation\":{\"type\":\"action_http\",\"config\":{\"url\":"
                            "\"http://x/undo\"}%.*s}",
                            STR_ARG(undo_again));
    }
    put_node(draft, block.first, "action_http", parent,
             arena_printf(draft->arena, ",\"config\":{\"url\":\"http://x/%.*s\"%s}%.*s%.*s%.*s",
                          STR_ARG(block.first), parent.n ? ",\"query\":{\"i\":\"{{ index }}\"}" : "",
                          STR_ARG(again), STR_ARG(undo), STR_ARG(locked)));
    leave_open(&block.ends, block.first, "out");
    if (!odds(draft, 25)) return block;
    if (depth < BLOCK_DEPTH_MAX && odds(draft, 50)) { /* What is done instead. */
        struct block detour = sequence(draft, parent, BLOCK_DEPTH_MAX);
        put_edge(draft, &(struct open_port){ block.first, "error", STR_NONE }, detour.first);
        for (size_t i = 0; i < detour.ends.count; i++)
            leave_open(&block.ends, detour.ends.item[i].node, detour.ends.item[i].port);
    } else {
        leave_open(&block.ends, block.first, "error");
    }
    return block;
}

static struct block pause_block(struct draft *draft, str parent)
{
    str locked = lock(draft);
    return plain(draft, "delay", parent,
                 arena_printf(draft->arena, ",\"config\":{\"duration\":\"%us\"}%.*s", 1 + below(draft, 6),
                              STR_ARG(locked)));
}

static struct block listen(struct draft *draft, str parent)
{
    struct block block = plain(
        draft, "wait_event", parent,
        arena_printf(draft->arena, ",\"config\":{\"trigger\":\"t%u\",\"early\":false,\"timeout\":\"%us\"}",
                     below(draft, draft->trigger_count), 2 + below(draft, 12)));
    if (odds(draft, 60)) leave_open(&block.ends, block.first, "timeout");
    return block;
}

static str condition(struct draft *draft)
{
    return arena_printf(draft->arena,
                        ",\"condition\":{\"left\":\"{{ trigger.payload.a }}\",\"op\":\"%s\",\"right\":%u}",
                        odds(draft, 50) ? "gt" : "lt", below(draft, 10));
}

/* Two or three branches out of a node, and their ends. Ways of a choice need conditions, and one is the
 * default. */
static void branches(struct draft *draft, str from, str parent, uint32_t depth, bool chooses, bool one_end,
                     struct open_ports *ends)
{
    uint32_t count = 2 + below(draft, BRANCHES_MAX - 1), otherwise = below(draft, count);
    for (uint32_t i = 0; i < count; i++) {
        struct block branch = sequence(draft, parent, depth + 1);
        str more = !chooses ? STR_NONE : i == otherwise ? STR(",\"default\":true") : condition(draft);
        if (one_end && odds(draft, 85)) gather_ends(draft, parent, &branch);
        put_edge(draft, &(struct open_port){ from, "out", more }, branch.first);
        for (size_t k = 0; k < branch.ends.count; k++)
            leave_open(ends, branch.ends.item[k].node, branch.ends.item[k].port);
    }
}

static struct block choice(struct draft *draft, str parent, uint32_t depth)
{
    struct block block = { .first = new_id(draft) };
    put_node(draft, block.first, "decision", parent, STR_NONE);
    branches(draft, block.first, parent, depth, true, false, &block.ends);
    return block;
}

static str join_config(struct draft *draft, size_t edges)
{
    const char *rest = odds(draft, 50) ? "" : ",\"cancelRemaining\":false";
    switch (below(draft, 4)) {
    case 0: return arena_printf(draft->arena, ",\"config\":{\"join\":{\"mode\":\"any\"%s}}", rest);
    case 1:
        return arena_printf(draft->arena, ",\"config\":{\"join\":{\"mode\":\"quorum\",\"count\":%u%s}}",
                            1 + below(draft, (uint32_t)edges), rest);
    default: return STR_NONE;
    }
}

/* All ways at once, and a join of some kind. */
static struct block fork_and_join(struct draft *draft, str parent, uint32_t depth)
{
    struct block block = { .first = new_id(draft) };
    bool chooses = odds(draft, 35);
    struct open_ports ends = { .count = 0 };
    put_node(draft, block.first, chooses ? "match" : "parallel", parent, STR_NONE);
    branches(draft, block.first, parent, depth, chooses, !chooses, &ends);
    if (!ends.count || odds(draft, 6)) { /* Each goes on alone. */
        block.ends = ends;
        return block;
    }
    str join = new_id(draft);
    put_node(draft, join, chooses ? "match" : "parallel", parent,
             chooses || ends.count < 2 ? STR_NONE : join_config(draft, ends.count));
    wire(draft, &ends, join);
    leave_open(&block.ends, join, "out");
    return block;
}

/* A loop in a loop is short, or an instance could go on for hours. */
static struct block loop(struct draft *draft, str parent, uint32_t depth)
{
    struct block block = { .first = new_id(draft) };
    str window = odds(draft, 65) ? arena_printf(draft->arena, ",\"mode\":\"parallel\",\"maxConcurrency\":%u",
                                                1 + below(draft, 3))
                                 : STR_NONE;
    put_node(draft, block.first, "for_each", parent,
             arena_printf(draft->arena, ",\"config\":{\"items\":%s%.*s%s}",
                          parent.n          ? "[7,8]"
                          : odds(draft, 75) ? "\"{{ trigger.payload.items }}\""
                                            : "[7,8,9]",
                          STR_ARG(window), odds(draft, 50) ? ",\"onItemError\":\"continue\"" : ""));
    struct block body = sequence(draft, block.first, parent.n ? BLOCK_DEPTH_MAX : depth + 1);
    put_edge(draft, &(struct open_port){ block.first, "body", STR_NONE }, body.first);
    leave_open(&block.ends, block.first, "done");
    if (odds(draft, 30)) leave_open(&block.ends, block.first, "error");
    return block;
}

static struct block finish(struct draft *draft, str parent)
{
    struct block block = { .first = new_id(draft) };
    put_node(draft, block.first, "end", parent,
             odds(draft, 60)   ? STR(",\"config\":{\"terminate\":true}")
             : odds(draft, 50) ? STR(",\"config\":{\"status\":\"failed\",\"errorCode\":\"NO\"}")
                               : STR_NONE);
    return block;
}

static struct block any_block(struct draft *draft, str parent, uint32_t depth)
{
    uint32_t dice = below(draft, 100);
    bool deep = depth >= BLOCK_DEPTH_MAX || draft->node_count > GRAPH_NODES_MAX / 2;
    if (dice < 40 || (deep && dice < 70)) return call(draft, parent, depth);
    if (dice < 50) return pause_block(draft, parent);
    if (dice < 60 || deep) return listen(draft, parent);
    if (dice < 68) return choice(draft, parent, depth);
    if (dice < 86) return fork_and_join(draft, parent, depth);
    return loop(draft, parent, depth);
}

/* Blocks one behind the other. A gateway with several edges in would be a join: they are merged before it,
 * mostly. */
static struct block sequence(struct draft *draft, str parent, uint32_t depth)
{
    struct block whole = any_block(draft, parent, depth);
    while (whole.ends.count && odds(draft, depth ? 35 : 60) && draft->node_count < GRAPH_NODES_MAX) {
        if (odds(draft, 90)) gather_ends(draft, parent, &whole);
        struct block next = depth && odds(draft, 6) ? finish(draft, parent) : any_block(draft, parent, depth);
        wire(draft, &whole.ends, next.first);
        whole.ends = next.ends;
    }
    return whole;
}

/* ---- the document ---- */

static void put_trigger(struct draft *draft, struct buf *out, str id, uint32_t number)
{
    static const char *const on_match[] = { "MapOrCreate", "MapOrCreate", "MapOrDiscard", "AlwaysCreate",
                                            "MapOrReplace" };
    const char *chosen = on_match[below(draft, COUNT(on_match))];
    /* Nothing is kept for later: the model of graphs does not know how. */
    buf_printf(out, "%s{\"id\":\"t%u\",\"type\":\"http\",\"path\":\"/%.*s/t%u\",\"onMatch\":\"%s\"%s%s}",
               number ? "," : "", number, STR_ARG(id), number, chosen,
               odds(draft, 85) ? ",\"correlationExpression\":\"$.body.k\"" : "",
               strcmp(chosen, "MapOrDiscard") == 0 ? ",\"timeToLive\":\"0\"" : "");
}

static str settings(struct draft *draft)
{
    struct buf out;
    buf_init(&out, draft->arena);
    buf_printf(&out, "{\"priority\":%u", below(draft, 11));
    if (draft->compensates) buf_add_str(&out, STR(",\"onFailure\":\"compensate\""));
    if (draft->compensates && odds(draft, 20)) buf_add_str(&out, STR(",\"compensationOrder\":\"parallel\""));
    if (odds(draft, 50)) buf_printf(&out, ",\"maxActiveInstances\":%u", 1 + below(draft, 4));
    if (odds(draft, 60)) buf_add_str(&out, STR(",\"overflowPolicy\":\"Queue\""));
    buf_add_char(&out, '}');
    return buf_str(&out);
}

str generate_graph(struct world *world, str id)
{
    struct draft draft = { .world = world, .arena = &world->arena };
    struct buf triggers;
    if (odds(&draft, 25)) return generate_written_graph(world, id);
    buf_init(&draft.nodes, draft.arena);
    buf_init(&draft.edges, draft.arena);
    buf_init(&triggers, draft.arena);
    draft.trigger_count = 1 + below(&draft, GRAPH_TRIGGERS_MAX);
    draft.compensates = odds(&draft, 50);
    for (uint32_t i = 0; i < draft.trigger_count; i++) put_trigger(&draft, &triggers, id, i);
    /* Every trigger leads to the same place, or some to their own. A gateway must not be entered by several
     * edges. */
    struct block whole = merge(&draft, STR_NONE);
    struct block body = sequence(&draft, STR_NONE, 0);
    wire(&draft, &whole.ends, body.first);
    for (uint32_t i = 0; i < draft.trigger_count; i++) {
        struct open_port from = { arena_printf(draft.arena, "t%u", i), "out", STR_NONE };
        if (i == 0 || odds(&draft, 50)) put_edge(&draft, &from, whole.first);
        else if (odds(&draft, 60)) put_edge(&draft, &from, call(&draft, STR_NONE, BLOCK_DEPTH_MAX).first);
    }
    str set = settings(&draft);
    return arena_printf(
        draft.arena,
        "{\"dialect\":\"graph/1\",\"definitionId\":\"%.*s\",\"name\":\"Graph %u\",\"settings\":"
        "%.*s,\"triggers\":[%.*s],\"nodes\":[%.*s],\"edges\":[%.*s]}",
        STR_ARG(id), below(&draft, 1000), STR_ARG(set), STR_ARG(buf_str(&triggers)),
        STR_ARG(buf_str(&draft.nodes)), STR_ARG(buf_str(&draft.edges)));
}

/* ---- data ---- */

const struct json *generate_payload(struct world *world, uint32_t op)
{
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("op"));
    json_add_int(&builder, op);
    json_add_name(&builder, STR("a"));
    json_add_int(&builder, world_below(world, 11));
    if (world_below(world, 10)) {
        json_add_name(&builder, STR("k"));
        json_add_string(&builder, arena_printf(&world->arena, "order-%u", world_below(world, 4)));
    }
    json_add_name(&builder, STR("items"));
    if (world_below(world, 16) == 0) {
        json_add_string(&builder, STR("none"));
    } else {
        json_open_array(&builder);
        for (uint32_t i = world_below(world, 6); i; i--) json_add_int(&builder, world_below(world, 100));
        json_close(&builder);
    }
    json_close(&builder);
    return json_built(&builder);
}

/* What a call brings. Now and then it is not what was promised. */
const struct json *generate_call_result(struct world *world, uint32_t op)
{
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("status_code"));
    json_add_int(&builder, 200);
    json_add_name(&builder, STR("headers"));
    json_open_object(&builder);
    json_close(&builder);
    if (world->calm || world_below(world, 30)) {
        json_add_name(&builder, STR("body"));
        json_add_int(&builder, op);
    }
    json_close(&builder);
    return json_built(&builder);
}
