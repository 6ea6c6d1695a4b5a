/* scenario/actors.c — the instances of a run, by name, and the record of what they did.
 *
 * The record is told by the instances' own stored histories, not by what the runner believes
 * it has caused: chained starts and timers show up like everything else.
 */
#include "scenario/scenario_int.h"

#include "base/must.h"

struct actor *actors_find(const struct stage *stage, str name)
{
    for (size_t i = 0; i < stage->actor_count; i++)
        if (str_equal(stage->actor[i]->name, name)) return stage->actor[i];
    for (size_t i = 0; i < stage->actor_count; i++)
        if (str_equal(stage->actor[i]->plain_name, name)) return stage->actor[i];
    return NULL;
}

const struct token *actor_token(const struct actor *actor, uint32_t execution)
{
    return instance_find_token(actor->state, execution);
}

static struct actor *add_actor(struct stage *stage, const struct instance_row *row)
{
    if (stage->actor_count == stage->actor_cap) {
        size_t cap = stage->actor_cap ? stage->actor_cap * 2 : 16;
        struct actor **more = arena_make_n(stage->arena, struct actor *, cap);
        if (stage->actor_count) memcpy(more, stage->actor, stage->actor_count * sizeof *more);
        stage->actor = more;
        stage->actor_cap = cap;
    }
    struct actor *actor = arena_make(stage->arena, struct actor);
    struct definition *definition;
    struct error err;
    must(catalogue_get(&stage->query.catalogue, row->definition, &definition, &err) == ST_OK);
    *actor = (struct actor){
        .id = { .ms = row->created_ms, .instance = row->id },
        .plain_name = arena_printf(stage->arena, "i%zu", stage->actor_count + 1),
        .definition_id = arena_str(stage->arena, row->definition_id),
        .version = row->definition_version,
        .program = program_ref(definition->program),
    };
    actor->name = actor->plain_name;
    for (const struct naming *naming = stage->namings; naming; naming = naming->next)
        if (naming->instance == row->id) actor->name = naming->name;
    stage->actor[stage->actor_count++] = actor;
    return actor;
}

/* ---- the record ---- */

static str node_of(const struct actor *actor, const struct history *history, uint32_t execution)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_ENTER && history->entry[i].execution == execution)
            return history->entry[i].node;
    const struct token *token = actor->state ? instance_find_token(actor->state, execution) : NULL;
    return token ? token->node_name : STR("?");
}

static str type_of(const struct actor *actor, str node)
{
    uint32_t index = program_find(actor->program, node);
    return index == NODE_NONE ? STR("?") : actor->program->node[index].type;
}

/* The visit that a command other than START was about, by the first entry that names one. */
static str subject_of(const struct actor *actor, const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind == ENTRY_KIND_JOB_CLOSE || entry->kind == ENTRY_KIND_TIMER_CLOSE) {
            const struct instance *before = actor->state;
            for (size_t k = 0; before && k < before->job_count; k++)
                if (before->job[k].number == entry->number) return node_of(actor, history, before->job[k].execution);
            for (size_t k = 0; before && k < before->timer_count; k++)
                if (before->timer[k].number == entry->number) return node_of(actor, history, before->timer[k].execution);
        }
        if (entry->kind == ENTRY_KIND_LEAVE || entry->kind == ENTRY_KIND_REST || entry->kind == ENTRY_KIND_FORGET ||
            (entry->kind == ENTRY_KIND_DATA && entry->execution))
            return node_of(actor, history, entry->execution);
    }
    return STR_NONE;
}

/* What came in with the command: the first data that was merged. */
static const struct json *data_of(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++) {
        if (history->entry[i].kind == ENTRY_KIND_ENTER && history->command != COMMAND_START) return NULL;
        if (history->entry[i].kind == ENTRY_KIND_DATA) return history->entry[i].json;
    }
    return NULL;
}

static void record_command(struct stage *stage, const struct actor *actor, const struct history *history)
{
    const struct json *data = data_of(history);
    str given = data ? stage_text(stage, data) : STR_NONE;
    if (history->command == COMMAND_START) {
        stage_record(stage, "start", actor->name, "%.*s v%d%s%.*s%s%.*s", STR_ARG(actor->definition_id), actor->version,
                     given.n ? " " : "", STR_ARG(given), actor->parent ? ", chained by " : "",
                     STR_ARG(actor->parent ? actor->parent->name : STR_NONE));
        return;
    }
    str node = subject_of(actor, history);
    stage_record(stage, command_word(history->command), actor->name, "%.*s%s%.*s", STR_ARG(node),
                 node.n && given.n ? " " : "", STR_ARG(given));
}

static void record_entry(struct stage *stage, struct actor *actor, const struct history *history,
                         const struct entry *entry)
{
    str node = node_of(actor, history, entry->execution);
    switch (entry->kind) {
    case ENTRY_KIND_ENTER:
        stage_record(stage, "  enter", actor->name, "%.*s (%.*s)", STR_ARG(entry->node),
                     STR_ARG(type_of(actor, entry->node)));
        break;
    case ENTRY_KIND_JOB_OPEN:
        stage_record(stage, "  job", actor->name, "%.*s of type %.*s, attempt %u, %u retries left", STR_ARG(node),
                     STR_ARG(entry->text), entry->from, entry->value);
        break;
    case ENTRY_KIND_JOB_CLOSE:
        if (entry->value == JOB_FAILED) stage_record(stage, "  error", actor->name, "%.*s", STR_ARG(entry->text));
        break;
    case ENTRY_KIND_PARK:
        if (entry->value != TOKEN_JOB)
            stage_record(stage, "  wait", actor->name, "%.*s for %s", STR_ARG(node),
                         entry->value == TOKEN_PERSON   ? "a person"
                         : entry->value == TOKEN_SIGNAL ? "a signal"
                                                        : "the other branches");
        break;
    case ENTRY_KIND_INTERRUPT:
        stage_record(stage, "  interrupt", actor->name, "%.*s: %.*s", STR_ARG(node), STR_ARG(entry->text));
        break;
    case ENTRY_KIND_FAIL:
        stage_record(stage, "  fail", actor->name, "%.*s: %.*s", STR_ARG(node), STR_ARG(entry->text));
        break;
    case ENTRY_KIND_STATUS:
        stage_record(stage, "  status", actor->name, "%s%s%.*s", instance_status_word((enum instance_status)entry->value),
                     entry->text.n ? ": " : "", STR_ARG(entry->text));
        break;
    case ENTRY_KIND_CHAIN:
        actor->chain = entry->text;
        stage_record(stage, "  chain", actor->name, "%.*s", STR_ARG(entry->text));
        break;
    case ENTRY_KIND_DATA:
        if (entry->execution && entry->json != data_of(history))
            stage_record(stage, "  set", actor->name, "%.*s", STR_ARG(stage_text(stage, entry->json)));
        break;
    default: break;
    }
}

/* ---- following ---- */

static struct actor *take_parent(const struct stage *stage, const struct actor *child)
{
    for (size_t i = 0; i < stage->actor_count; i++) {
        struct actor *parent = stage->actor[i];
        if (parent == child || !parent->chain.n || !str_equal(parent->chain, child->definition_id)) continue;
        parent->chain = STR_NONE;
        return parent;
    }
    return NULL;
}

static void follow(struct stage *stage, struct actor *actor, const struct instance_row *row)
{
    str *blob;
    size_t count;
    struct error err;
    if (row->last_history == actor->last_history) return;
    must(reader_history(stage->query.reader, actor->id.instance, actor->revision, 0, stage->arena, &blob, &count,
                        &err) == ST_OK);
    for (size_t i = 0; i < count; i++) {
        struct history history;
        must(history_decode(blob[i], stage->arena, &history, &err) == ST_OK);
        if (history.command == COMMAND_START && str_equal(history.actor, STR("chain")))
            actor->parent = take_parent(stage, actor);
        record_command(stage, actor, &history);
        for (size_t e = 0; e < history.entry_count; e++) record_entry(stage, actor, &history, &history.entry[e]);
        actor->revision = history.revision;
        if (i + 1 < count) {
            /* The next command is told with the state it found. */
            const struct created created = { row->id, row->definition, row->business_key };
            const struct instance *after;
            must(core_replay(actor->program, actor->state, &created, &history, stage->arena, &after, &err) == ST_OK);
            actor->state = after;
        }
    }
    must(core_decode(row->state, actor->program, stage->arena, &actor->state, &err) == ST_OK);
    must(core_verify(actor->program, actor->state, &err) == ST_OK);
    actor->last_history = row->last_history;
}

void actors_follow(struct stage *stage)
{
    struct instance_row row;
    struct error err;
    for (size_t i = 0; i < stage->actor_count; i++) {
        struct actor *actor = stage->actor[i];
        bool over = actor->state->status == INSTANCE_COMPLETED || actor->state->status == INSTANCE_CANCELLED;
        if (over) continue;
        must(reader_instance(stage->query.reader, actor->id.instance, &stage->scratch, &row, &err) == ST_OK);
        follow(stage, actor, &row);
    }
    for (; stage->next_instance < stage->engine.next_instance; stage->next_instance++) {
        if (reader_instance(stage->query.reader, stage->next_instance, &stage->scratch, &row, &err) != ST_OK) continue;
        struct actor *actor = add_actor(stage, &row);
        follow(stage, actor, &row);
    }
    arena_reset(&stage->scratch);
}
