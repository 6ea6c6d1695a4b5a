/* tests/sim/checker_nodes.c — several nodes on one store: every open job is somewhere, and somebody looks
 * after it.
 *
 * A job is offered, or a node has it. A node that lives has it in its memory. One that does not has a row, so
 * that others know of it and take over. */
#include "checker.h"

#include "server.h"
#include "store/nodes.h"

#include <inttypes.h>

static const struct server *find_server(const struct world *world, int64_t node)
{
    for (uint32_t i = 0; i < world->node_count; i++) {
        const struct server *server = world->node[i];
        if (server->up && !server->fenced && store_node(server->inner) == node) return server;
    }
    return NULL;
}

static bool gives_back(const struct engine *engine, uint64_t instance, uint32_t number)
{
    for (size_t i = 0; i < engine->nodes.offers.back_count; i++)
        if (engine->nodes.offers.back[i].instance == instance &&
            engine->nodes.offers.back[i].number == number)
            return true;
    return false;
}

static void check_job(struct world *world, const struct instance_row *of, const struct model_job *job,
                      struct arena *arena)
{
    struct job_row row = { .claimed = of->holder };
    struct error err;
    enum status status =
        found_needed(store_find_job(world->server->inner, of->id, job->number, arena, &row, &err));
    must(status == ST_OK || status == ST_NOT_FOUND);
    if (status == ST_OK && (!row.claimed || row.lease_ms)) return;
    if (!row.claimed) {
        violated(world, "job %" PRIu64 "/%u has no row, and nobody holds it", of->id, job->number);
        return;
    }
    const struct server *server = find_server(world, row.claimed);
    if (!server && !server_is_known(world, row.claimed))
        violated(world, "job %" PRIu64 "/%u is lost with node %" PRId64, of->id, job->number, row.claimed);
    if (!server || (server->in_turn && server != world->server)) return;
    if (server->engine.broken || server->engine.nodes.offers.is_unsure) return;
    if (!jobs_find(&server->engine.memory.jobs, of->id, job->number) &&
        !gives_back(&server->engine, of->id, job->number))
        violated(world, "job %" PRIu64 "/%u is %s by node %" PRId64 ", which does not know it", of->id,
                 job->number, status == ST_OK ? "claimed" : "held", row.claimed);
}

void checker_nodes(struct world *world)
{
    const struct checker *checker = world->checker;
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < checker->instances.count && !world->failed; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        struct instance_row row;
        if (instance->purged || !instance->jobs.count) continue;
        must(found_needed(
                 store_load_instance(world->durable, TENANT_ANY, instance->id, &arena, &row, NULL)) == ST_OK);
        for (size_t k = 0; k < instance->jobs.count && !world->failed; k++) {
            const struct model_job *job = &instance->jobs.item[k];
            if (job->performer != PERFORM_CHILD && model_reaches(instance, job->execution))
                check_job(world, &row, job, &arena);
        }
        arena_reset(&arena);
    }
    arena_done(&arena);
}
