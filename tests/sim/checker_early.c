/* tests/sim/checker_early.c — events that came before their instance: each is taken once by an
 * instance of its definition, or expires once, and not before its time. */
#include "checker.h"

#include <inttypes.h>

static void kept(struct world *world, const struct journal_record *record)
{
    struct checker *checker = world->checker;
    const struct json *value = json_decode(record->early, &checker->arena);
    const struct json *json = json_get(value, STR("value"));
    if (json_integer(value, STR("kind")) != 'e') {
        violated(world, "an arrival is kept, and no generated graph asks for that");
        return;
    }
    struct model_event *event = checker_begin_event(world, json);
    if (!event) return;
    str definition = json_text(value, STR("definition"));
    if (event->taken.count) violated(world, "the event %.*s is kept, and others have it", STR_ARG(event->id));
    for (size_t i = 0; i < checker->kept.count; i++)
        if (checker->kept.item[i].event == event && checker->kept.item[i].until_ms > world_wall_ms(world) &&
            str_equal(checker->kept.item[i].definition, definition))
            violated(world, "the event %.*s is kept twice", STR_ARG(event->id));
    event->kept = true;
    *list_push(&checker->arena, &checker->kept) =
        (struct model_kept){ arena_str(&checker->arena, record->early_key), definition,
                             json_text(value, STR("key")), json_integer(value, STR("until")), event };
    trace(world, "commit: the event %.*s waits for an instance of %.*s", STR_ARG(event->id),
          STR_ARG(definition));
}

static void gone(struct world *world, const struct journal_record *record)
{
    struct checker *checker = world->checker;
    size_t i = 0;
    while (i < checker->kept.count && !str_equal(checker->kept.item[i].key, record->early_key)) i++;
    if (i == checker->kept.count) {
        violated(world, "an event that was not kept is taken or expires");
        return;
    }
    const struct model_kept it = checker->kept.item[i];
    bool taken = checker_definition_has_event(checker, it.event, it.definition);
    list_cut(&checker->kept, i);
    if (taken) checker->early_taken++;
    else checker->early_expired++;
    if (!taken && it.until_ms > world_wall_ms(world))
        violated(world, "the event %.*s is gone, and no instance of %.*s has it", STR_ARG(it.event->id),
                 STR_ARG(it.definition));
}

void checker_early(struct world *world, const struct journal_record *record)
{
    if (record->row_removed) gone(world, record);
    else kept(world, record);
}

bool checker_is_kept(const struct checker *checker, const struct model_event *event, int64_t after_ms)
{
    for (size_t i = 0; i < checker->kept.count; i++)
        if (checker->kept.item[i].event == event && checker->kept.item[i].until_ms > after_ms) return true;
    return false;
}

/* It waits for the token that the version of its time read. A later one may read another. */
static const struct model_instance *missed_by(struct checker *checker, const struct model_kept *it)
{
    for (size_t k = 0; k < checker->instances.count; k++) {
        const struct model_instance *instance = checker->instances.item[k];
        if (str_equal(instance->spec->id, it->definition) && str_equal(instance->correlation, it->token) &&
            checker_event_concerns(instance, it->event->json, &checker->arena))
            return instance;
    }
    return NULL;
}

/* A failure of the store holds deliveries up for a second. */
bool checker_early_done(const struct world *world)
{
    struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->kept.count; i++)
        if (missed_by(checker, &checker->kept.item[i])) return false;
    return true;
}

void checker_early_end(struct world *world)
{
    struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->kept.count && !world->failed; i++) {
        const struct model_kept *it = &checker->kept.item[i];
        const struct model_instance *instance = missed_by(checker, it);
        if (instance)
            violated(world, "the event %.*s waits, and instance %" PRIu64 " has its token",
                     STR_ARG(it->event->id), instance->id);
    }
}
