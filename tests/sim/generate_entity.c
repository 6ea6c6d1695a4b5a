/* tests/sim/generate_entity.c — documents of workflows, data and answers of calculation nodes. */
#include "entity.h"

#include <stdio.h>

/* Processors are called p, functions f. Every cycle leaves by a person's hand, so a run comes to rest. */
#define PROCESSOR(mode) \
    "{\"name\":\"p\",\"executionMode\":\"" mode "\",\"config\":{\"responseTimeoutMs\":8000}}"
#define SYNC PROCESSOR("SYNC")
#define ASIDE PROCESSOR("ASYNC_NEW_TX")
#define EARLY PROCESSOR("COMMIT_BEFORE_DISPATCH")
#define BY_HAND(name, next, processors) \
    "{\"name\":\"" name "\",\"next\":\"" next "\",\"manual\":true,\"processors\":[" processors "]}"
#define FUNCTION "\"criterion\":{\"type\":\"function\",\"function\":{\"name\":\"f\"}}"
#define N(operator, value)                                                        \
    "\"criterion\":{\"type\":\"simple\",\"jsonPath\":\"$.n\",\"operatorType\":\"" \
    operator"\",\"value\":" value "}"

#define NEW_STATE                                                                                            \
    "\"NEW\":{\"transitions\":[" BY_HAND("SYNC", "A", SYNC) "," BY_HAND(                                     \
        "TWO", "A",                                                                                          \
        SYNC                                                                                                 \
        "," ASIDE) "," BY_HAND("EARLY", "B",                                                                 \
                               EARLY) "," BY_HAND("OFTEN", "B",                                              \
                                                  EARLY                                                      \
                                                  "," SYNC                                                   \
                                                  "," EARLY) "," BY_HAND("PLAIN", "B",                       \
                                                                         "") ","                             \
                                                                             "{\"name\":\"ASK\",\"next\":"   \
                                                                             "\"A\",\"manual\":"             \
                                                                             "true," FUNCTION "},"           \
                                                                             "{\"name\":\"MUCH\",\"next\":"  \
                                                                             "\"B\"," N(                     \
                                                                                 "GREATER_THAN",             \
                                                                                 "90") "},"                  \
                                                                                       "{\"name\":\"LATE\"," \
                                                                                       "\"next\":\"C\","     \
                                                                                       "\"schedule\":{"      \
                                                                                       "\"delayMs\":4000}}]" \
                                                                                       "}"
#define A_STATE                                                                                       \
    "\"A\":{\"transitions\":[{\"name\":\"ON\",\"next\":\"B\"," FUNCTION "}," BY_HAND(                 \
        "BACK", "NEW", "") ","                                                                        \
                           "{\"name\":\"LATER\",\"next\":\"NEW\",\"schedule\":{\"delayMs\":6000}," N( \
                               "LESS_THAN", "50") ",\"processors\":[" SYNC "]}]}"
#define B_STATE                                                                                         \
    "\"B\":{\"transitions\":[" BY_HAND("BACK", "NEW", "") "," BY_HAND(                                  \
        "SYNC", "C", SYNC "," SYNC) ","                                                                 \
                                    "{\"name\":\"LATE\",\"next\":\"C\",\"schedule\":{\"delayMs\":5000," \
                                    "\"timeoutMs\":60000}," FUNCTION "}]}"
#define SALE(states) "{\"version\":\"1\",\"name\":\"w\",\"initialState\":\"NEW\",\"states\":{" states "}}"
#define EARLY_BIRD                                                                                     \
    "{\"version\":\"1\",\"name\":\"x\",\"initialState\":\"X\"," N(                                     \
        "EQUALS", "7") ",\"states\":{\"X\":{\"transitions\":["                                         \
                       "{\"name\":\"GO\",\"next\":\"Y\"," N("NOT_NULL", "0") ",\"processors\":[" EARLY \
                                                                             "]}]},\"Y\":{}}}"
#define DOCUMENT(workflows) \
    "{\"entityName\":\"m\",\"modelVersion\":1,\"sample\":{\"n\":1,\"op\":1},\"workflows\":[" workflows "]}"

str entity_generate_document(struct world *world)
{
    static const str documents[] = {
        STR_INIT(DOCUMENT(
            EARLY_BIRD "," SALE(NEW_STATE "," A_STATE "," B_STATE
                                          ",\"C\":{\"transitions\":[" BY_HAND("BACK", "NEW", EARLY) "]}"))),
        /* C is gone: who is there stays with the version that has it. */
        STR_INIT(DOCUMENT(SALE("\"NEW\":{\"transitions\":[" BY_HAND(
            "SYNC", "B", SYNC) ",{\"name\":\"LATE\",\"next\":\"B\",\"schedule\":{\"delayMs\":3000}}]},"
                               "\"A\":{},"
                               "\"B\":{\"transitions\":[" BY_HAND("BACK", "A", "") "]}"))),
        /* Other transitions from the same states. */
        STR_INIT(DOCUMENT(SALE("\"NEW\":{\"transitions\":[" BY_HAND("PLAIN", "C", ASIDE) "," BY_HAND(
            "EARLY", "A", SYNC) "]}," A_STATE ","
                                "\"B\":{\"transitions\":[" BY_HAND("BACK", "NEW", EARLY) "]},\"C\":{}"))),
    };
    return documents[world_below(world, 3) ? 0 : world_below(world, COUNT(documents))];
}

/* ---- searches ---- */

enum { SEARCH_KINDS = 4, SEARCH_STATES = 4 };
static const char *const search_states[SEARCH_STATES] = { "NEW", "A", "B", "C" };

static const struct json *condition_of(struct world *world, uint32_t kind, uint32_t number)
{
    static const struct {
        const char *path, *operator;
    } forms[SEARCH_KINDS - 1] = { { "$.n", "EQUALS" }, { "$.n", "LESS_THAN" }, { "$.op", "GREATER_THAN" } };
    struct json_builder builder;
    bool by_state = kind == SEARCH_KINDS - 1;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("type"));
    json_add_string(&builder, by_state ? STR("lifecycle") : STR("simple"));
    json_add_name(&builder, by_state ? STR("field") : STR("jsonPath"));
    json_add_string(&builder, by_state ? STR("state") : str_of(forms[kind].path));
    json_add_name(&builder, STR("operatorType"));
    json_add_string(&builder, by_state ? STR("EQUALS") : str_of(forms[kind].operator));
    json_add_name(&builder, STR("value"));
    if (by_state) json_add_string(&builder, str_of(search_states[number % SEARCH_STATES]));
    else json_add_int(&builder, number);
    json_close(&builder);
    return json_built(&builder);
}

/* The kind and a number below 100. */
const struct json *entity_generate_search(struct world *world, uint32_t *ret_what)
{
    uint32_t kind = world_below(world, SEARCH_KINDS), number = world_below(world, 100);
    *ret_what = kind * 100 + number;
    return condition_of(world, kind, number);
}

bool entity_fits(uint32_t what, const struct json *data, str state)
{
    int64_t n = 0, op = 0, number = what % 100;
    json_int64(json_get(data, STR("n")), &n);
    json_int64(json_get(data, STR("op")), &op);
    switch (what / 100) {
    case 0: return n == number;
    case 1: return n < number;
    case 2: return op > number;
    default: return str_equal(state, str_of(search_states[number % SEARCH_STATES]));
    }
}

bool entity_commits_early(str transition)
{
    /* A write without a name may find an entity in a state whose automated transition commits early. */
    return !transition.n || str_equal(transition, STR("EARLY")) || str_equal(transition, STR("OFTEN")) ||
           str_equal(transition, STR("BACK"));
}

str entity_generate_transition(struct world *world)
{
    static const char *const names[] = { "SYNC", "TWO",  "EARLY", "OFTEN", "PLAIN", "ASK",
                                         "BACK", "BACK", "SYNC",  "NONE",  "LATE",  "ON" };
    return str_of(names[world_below(world, COUNT(names))]);
}

static const struct json *document(struct world *world, int64_t n, uint32_t op)
{
    const struct json *data =
        json_set(&world->arena, json_empty_object(), STR("n"), json_of_int(&world->arena, n));
    return json_set(&world->arena, data, STR("op"), json_of_int(&world->arena, op));
}

const struct json *entity_generate_data(struct world *world, uint32_t op)
{
    return document(world, world_below(world, 8) ? world_between(world, 0, 99) : 7, op);
}

const struct json *entity_generate_answer(struct world *world, bool decides, uint32_t op)
{
    const struct json *empty = json_empty_object();
    if (decides)
        return json_set(&world->arena, empty, STR("matches"), json_of_bool(world_below(world, 3) > 0));
    if (world_below(world, 4) == 0) return empty;
    return json_set(&world->arena, empty, STR("data"), document(world, world_between(world, 0, 99), op));
}
