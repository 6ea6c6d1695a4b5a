/* tests/sim/profile.c — what a seed's run is like.
 *
 * Not every run has every fault: two faults at once may hide each other, and most mistakes
 * need few of them, but those often. So each seed draws which faults there are at all, and
 * then how often.
 */
#include "world.h"

#include "base/limits.h"

bool world_has_small_turns(const struct world *world)
{
    return world->profile.turn_fuel_max < limits_default().turn_fuel_max;
}

/* Half of the runs do not have it. */
static uint32_t sometimes(struct world *world, uint32_t most)
{
    return world_below(world, 2) ? 0 : 1 + world_below(world, most);
}

/* A third of the runs has steps alone, a third flows alone, the rest both. */
static void draw_dialects(struct world *world)
{
    struct profile *profile = &world->profile;
    uint32_t both = world->dialects == DIALECTS_ANY ? world_below(world, 3) : 0;
    if (world->dialects == DIALECTS_MIGRATE) {
        profile->migrate = 7000;
        profile->retire = sometimes(world, 1500);
        profile->bulk = 1500;
        profile->redeploy = 4000;
        profile->definition_count = 2;
        return;
    }
    if (world->dialects == DIALECTS_GRAPH ||
        (world->dialects == DIALECTS_ANY && world_below(world, 4) == 0)) {
        profile->graph_count = profile->definition_count - (world_below(world, 4) == 0);
        profile->start_count *= 2;
        profile->schedules = 0;
        /* Graphs take long to compile. */
        if (world_below(world, 8)) profile->programs_bytes_max = 64 << 20;
        return;
    }
    if (world->dialects == DIALECTS_SERVERLESS || both == 1) profile->flow_count = profile->definition_count;
    if (both == 2) profile->flow_count = 1 + world_below(world, profile->definition_count - 1);
    if (!profile->flow_count) return;
    profile->start_count /= 2; /* One start may bring many others. */
    profile->cancel *= 4;
}

void nodes_draw(struct world *world, uint32_t most)
{
    struct profile *profile = &world->profile;
    bool fine = !world_below(world, 8);
    world->node_count = 2 + world_below(world, most - 1);
    if (fine) return;
    profile->again = sometimes(world, 500);
    profile->pause = sometimes(world, 20);
    profile->deaf = sometimes(world, 3000);
}

void profile_draw(struct world *world)
{
    struct profile *profile = &world->profile;
    uint32_t weather = world_below(world, 12); /* 0: nothing fails; 10, 11: the store fails all the time. */
    *profile = (struct profile){
        .drop = sometimes(world, 600),
        .duplicate = sometimes(world, 800),
        .slow = sometimes(world, 800),
        .lose_reply = sometimes(world, 800),
        .full_begin = sometimes(world, 150),
        .full_apply = sometimes(world, 150),
        .full_commit = sometimes(world, 300),
        .unknown_commit = sometimes(world, 80),
        .fail_begin = sometimes(world, 100),
        .fail_apply = sometimes(world, 100),
        .fail_read = sometimes(world, 100),
        .kill = sometimes(world, 30),
        .stop = sometimes(world, 20),
        .jump = sometimes(world, 500),
        .jump_ms_max = world_below(world, 2) ? 5000 : 300000,
        .die = sometimes(world, 800),
        .stall = sometimes(world, 1500),
        .fail = sometimes(world, 3000),
        .twice = sometimes(world, 2000),
        .extend = sometimes(world, 3000),
        .definition_count = 2 + world_below(world, 4),
        .start_count = 20 + world_below(world, 40),
        .worker_count = 2 + world_below(world, 4),
        .client_count = 2 + world_below(world, 3),
        .keyed = sometimes(world, 8000),
        .business_keyed = sometimes(world, 6000),
        .batch = sometimes(world, 4000),
        .cancel = sometimes(world, 400),
        .early = sometimes(world, 2500),
        .modify = sometimes(world, 2500),
        .wrong = sometimes(world, 800),
        .redeploy = sometimes(world, 1000),
        .fault_ms = world_between(world, 20000, 120000),
        .retention_ms = world_below(world, 4) ? 0 : world_between(world, 1000, 60000),
        .retention_failed_ms = world_below(world, 3) ? 0 : world_between(world, 1000, 60000),
        .cache_bytes_max = world_below(world, 3) ? 64 << 20 : world_between(world, 1, 20000),
        .visits_max = world_below(world, 6) ? 10000 : world_between(world, 10, 60),
        /* Else no event has a way that is too long for one turn. */
        .turn_fuel_max = world_below(world, 4) ? 100 * limits_default().turn_fuel_max
                                               : world_between(world, 20000, 100000),
        .events = 200 + world_below(world, 1200),
        .resend = sometimes(world, 3000),
        .bulk = sometimes(world, 300),
        .bulk_turn_max = 1 + world_below(world, 4),
        .schedules = world_below(world, 3),
        .trigger_routes = world_below(world, 3) ? 0 : 2 + world_below(world, 4),
        .secrets = world_below(world, 4) ? 0 : 300 + world_below(world, 3000),
        .memory_check = 1000,
        .recovery_check = 50,
        .fail_query = sometimes(world, 500),
    };
    profile->programs_bytes_max = profile->cache_bytes_max;
    draw_dialects(world);
    if (weather >= 10) {
        profile->full_begin *= 4, profile->full_apply *= 4, profile->full_commit *= 4;
        profile->fail_begin *= 4, profile->fail_apply *= 4, profile->fail_read *= 4;
    }
    if (weather) return;
    profile->drop = profile->duplicate = profile->slow = profile->lose_reply = 0;
    profile->full_begin = profile->full_apply = profile->full_commit = profile->unknown_commit = 0;
    profile->fail_begin = profile->fail_apply = profile->fail_read = profile->fail_query = profile->kill =
        profile->stop = profile->jump = 0;
}
