/* api/live/topics.c — the topics that a stream is about. */
#include "api/live/live_int.h"

#include "base/uuid.h"

static bool kind_of(str word, enum live_kind *ret_kind)
{
    for (int i = 0; i < LIVE_KIND_COUNT; i++) {
        if (!str_equal(word, str_of(live_kind_word((enum live_kind)i)))) continue;
        *ret_kind = (enum live_kind)i;
        return true;
    }
    return false;
}

static bool read_thing(enum live_kind kind, str id, struct arena *arena, struct live_thing *ret_thing)
{
    char text[UUID_CHARS + 1];
    struct id public;
    struct uuid uuid;
    int64_t ms;
    *ret_thing = (struct live_thing){ .kind = kind };
    if (kind == LIVE_INSTANCES && id_parse(id, &public)) {
        ret_thing->instance = public.instance;
        id_print((struct id){ .ms = public.ms, .instance = public.instance }, text);
    } else if (kind == LIVE_ENTITIES && uuid_parse(id, &uuid) &&
               uuid_instance(uuid, &ms, &ret_thing->instance)) {
        uuid_print(uuid, text);
    } else {
        return false;
    }
    ret_thing->id = arena_str(arena, str_of(text));
    return true;
}

static enum status read_topic(str topic, struct arena *arena, struct live_topics *topics, struct error *err)
{
    size_t slash = str_find(topic, STR("/"), 0);
    enum live_kind kind;
    if (str_equal(topic, STR("overview"))) {
        topics->overview = true;
        return ST_OK;
    }
    if (!kind_of(str_slice(topic, 0, slash), &kind))
        return fail(err, ST_INVALID, "topics",
                    "\"%.*s\" is no topic; there are instances, entities, definitions, drafts, tasks, "
                    "triggers, arrivals, bulk, models, workers and overview",
                    STR_ARG(topic));
    if (slash == SIZE_MAX) {
        topics->all[kind] = true;
        return ST_OK;
    }
    if (!read_thing(kind, str_slice(topic, slash + 1, topic.n), arena, &topics->thing[topics->thing_count]))
        return fail(err, ST_INVALID, "topics",
                    "\"%.*s\" is no topic: the id of an instance stands behind instances/, the UUID of an "
                    "entity behind entities/",
                    STR_ARG(topic));
    topics->thing_count++;
    return ST_OK;
}

enum status live_topics_read(str text, struct arena *arena, struct live_topics *ret_topics, struct error *err)
{
    struct live_topics topics = { .thing = arena_make_n(arena, struct live_thing, LIVE_TOPICS_MAX) };
    size_t count = 0;
    while (text.n) {
        size_t comma = str_find(text, STR(","), 0);
        str topic = str_trim(str_slice(text, 0, comma));
        text = comma == SIZE_MAX ? STR_NONE : str_slice(text, comma + 1, text.n);
        if (!topic.n) continue;
        if (count++ == LIVE_TOPICS_MAX)
            return fail(err, ST_LIMIT, "topics", "a stream has at most %d topics (LIVE_TOPICS_MAX)",
                        LIVE_TOPICS_MAX);
        TRY(read_topic(topic, arena, &topics, err));
    }
    if (!count) return fail(err, ST_INVALID, "topics", "say what to tell of: ?topics=instances,tasks");
    *ret_topics = topics;
    return ST_OK;
}

enum permission live_needs(enum live_kind kind)
{
    static const enum permission needs[LIVE_KIND_COUNT] = {
        [LIVE_INSTANCES] = MAY_INSTANCES_READ,
        [LIVE_ENTITIES] = MAY_ENTITIES_READ,
        [LIVE_DEFINITIONS] = MAY_DEFINITIONS_READ,
        [LIVE_DRAFTS] = MAY_DEFINITIONS_WRITE,
        [LIVE_TASKS] = MAY_TASKS_READ,
        [LIVE_TRIGGERS] = MAY_DEFINITIONS_READ,
        [LIVE_ARRIVALS] = MAY_INSTANCES_READ,
        [LIVE_BULK] = MAY_INSTANCES_READ,
        [LIVE_MODELS] = MAY_DEFINITIONS_READ,
        [LIVE_WORKERS] = MAY_METRICS_READ,
    };
    return needs[kind];
}

enum status live_topics_check(const struct live_topics *topics, const struct caller *caller,
                              struct error *err)
{
    if (topics->overview) TRY(caller_check_for(caller, LIVE_OVERVIEW_NEEDS, STR_NONE, err));
    for (int i = 0; i < LIVE_KIND_COUNT; i++)
        if (topics->all[i]) TRY(caller_check_for(caller, live_needs((enum live_kind)i), STR_NONE, err));
    for (size_t i = 0; i < topics->thing_count; i++)
        TRY(caller_check_for(caller, live_needs(topics->thing[i].kind), STR_NONE, err));
    return ST_OK;
}

/* ---- callers who see a part only ---- */

static bool sees_all(const struct caller *caller, enum live_kind kind)
{
    const struct principal *principal = caller->principal;
    if (!principal_may_all(principal, caller->tenant, live_needs(kind))) return false;
    return kind != LIVE_TASKS || principal->acts_for ||
           principal_may_all(principal, caller->tenant, MAY_TASKS_ALL) ||
           principal_may_all(principal, caller->tenant, MAY_INSTANCES_READ);
}

uint32_t live_narrowed(const struct caller *caller)
{
    uint32_t kinds = 0;
    for (int i = 0; i < LIVE_KIND_COUNT; i++)
        if (!sees_all(caller, (enum live_kind)i)) kinds |= 1u << i;
    return kinds;
}

bool live_names_object(enum live_kind kind, str id, str *ret_object)
{
    *ret_object = kind == LIVE_MODELS ? str_slice(id, 0, str_find(id, STR("/"), 0)) : id;
    return kind == LIVE_DEFINITIONS || kind == LIVE_DRAFTS || kind == LIVE_TRIGGERS || kind == LIVE_MODELS;
}

/* ---- rounds ---- */

bool live_thing_changed(const struct live_thing *thing, int32_t tenant, const struct live_round *round)
{
    const struct live_set *set = &round->set[thing->kind];
    bool many;
    if (!live_is_noted(round, tenant, thing->kind, &many)) return false;
    if (!live_has_changed(round, tenant, thing->instance)) return false;
    if (many) return true;
    for (size_t i = 0; i < set->count; i++) {
        int32_t of;
        str id = tenant_name(set->id[i], &of);
        if (of == tenant && str_equal(id, thing->id)) return true;
    }
    return false;
}
