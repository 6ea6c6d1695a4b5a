/* runtime/definitions/publish.c — a program becomes a version of its definition. */
#include "runtime/definitions/definitions_int.h"

#include "base/hash.h"
#include "base/must.h"
#include "base/utf8.h"
#include "dialect/dialect.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* A row for each pair of source and type that the program takes events of. */
static struct trigger_row *trigger_rows(struct turn *turn, const struct program *program, int32_t ns,
                                        size_t *ret_count)
{
    struct trigger_row *row = arena_make_n(&turn->arena, struct trigger_row, program->trigger_count);
    size_t count = 0;
    for (size_t i = 0; i < program->trigger_count; i++) {
        const struct program_trigger *trigger = &program->trigger[i];
        size_t known = 0;
        while (known < count &&
               !(str_equal(row[known].source, trigger->source) && str_equal(row[known].type, trigger->type)))
            known++;
        if (known == count)
            row[count++] = (struct trigger_row){ ns, trigger->source, trigger->type,
                                                 turn->engine->transact.numbers.definition };
    }
    *ret_count = count;
    return row;
}

/* How many schedules there are more than with the version before. */
static int64_t more_schedules(struct turn *turn, int32_t ns, const struct program *program)
{
    const struct program_rules *rules = program->rules;
    size_t count = 0;
    for (size_t i = 0; i < rules->arrival_count; i++) count += rules->arrival[i].terms.type == ARRIVAL_CRON;
    return (int64_t)count - (int64_t)schedules_count_of(&turn->engine->memory.schedules,
                                                        tenant_key(ns, program->id, &turn->arena));
}

/* The rank with which the version is the latest. */
static enum status raise_rank(struct turn *turn, const struct publication *publication, int64_t *rank,
                              struct error *err)
{
    struct definition_row latest;
    TRY(found_needed(store_find_definition(turn->engine->store, publication->ns, publication->program->id,
                                           VERSION_LATEST, &turn->arena, &latest, err)));
    if (latest.rank > *rank) *rank = latest.rank;
    return ST_OK;
}

enum status publish_version(struct turn *turn, const struct publication *publication,
                            struct definition_row *ret_row, struct error *err)
{
    const struct program *program = publication->program;
    int32_t ns = publication->ns;
    struct definition_row row;
    int32_t version = 1;
    int64_t rank = program->rank;
    struct store_numbers *numbers = &turn->engine->transact.numbers;
    if (numbers->definition == numbers->definition_end)
        TRY(store_take_numbers(turn->engine->store, numbers, err));
    bool is_there;
    TRY(retire_check_leaving(turn, ns, program->id, err));
    TRY(found_asked(
        store_find_definition(turn->engine->store, ns, program->id, VERSION_NEWEST, &turn->arena, &row, err),
        &is_there));
    if (is_there) version = row.version + 1;
    if (publication->restores) TRY(raise_rank(turn, publication, &rank, err));
    TRY(quota_check_definition(turn, ns, !is_there, more_schedules(turn, ns, program), err));

    must(numbers->definition < numbers->definition_end);
    row = (struct definition_row){ .number = turn->engine->transact.numbers.definition,
                                   .ns = ns,
                                   .id = program->id,
                                   .version = version,
                                   .rank = rank,
                                   .priority = program->priority,
                                   .dialect = program->dialect,
                                   .title = utf8_cut(program->title, TITLE_BYTES_MAX),
                                   .source = publication->text,
                                   .content = publication->content,
                                   .author = publication->author,
                                   .revision = publication->revision,
                                   .restores = publication->restores,
                                   .created_ms = turn->now_ms };
    struct changeset changeset = { .definition = &row };
    changeset.trigger_add = trigger_rows(turn, program, ns, &changeset.trigger_add_count);
    TRY(tool_routes_check(turn, &row, err));
    TRY(trigger_routes_check(turn, &row, program, err));
    TRY(transact_rows(turn, &changeset, err));
    must(turn->in_transaction);
    turn->deployed = true;
    enum status status = trigger_routes_deploy(turn, &row, program, err);
    if (status == ST_OK) status = tool_routes_deploy(turn, &row, err);
    if (status == ST_OK) status = ticks_deploy(turn, &row, program, err);
    if (status != ST_OK) return transact_failed(turn, err); /* A part of it is written. */
    struct usage *usage = &turn->engine->memory.usage;
    usage_add(usage, ns, QUOTA_STORED_BYTES, (int64_t)row.source.n);
    usage_add(usage, ns, QUOTA_SCHEDULES, more_schedules(turn, ns, program));
    if (!is_there) usage_add(usage, ns, QUOTA_DEFINITIONS, 1);
    turn->engine->transact.numbers.definition++;
    live_note(&turn->engine->memory.live, ns, LIVE_DEFINITIONS, program->id);
    live_note(&turn->engine->memory.live, ns, LIVE_TRIGGERS, program->id);
    catalogue_forget_latest(&turn->engine->memory.catalogue, ns, program->id);
    turn->engine->transact.backlog[BACKLOG_PENDING + program->priority].due = true;
    TRY(overflow_note_priority(turn, ns, program->id, program->priority, err));
    turn->counts.uploads++;
    *ret_row = row;
    return ST_OK;
}

enum status publish_document(struct turn *turn, int32_t ns, const struct json *document, str text,
                             struct error *err)
{
    struct problems problems;
    struct definition_row row;
    problems_init(&problems, &turn->arena);
    struct program *program = dialect_compile(document, &problems, NULL);
    must(program);
    struct buf content;
    buf_init(&content, &turn->arena);
    dialect_print_content(document, &turn->arena, &content);
    const struct publication publication = {
        .ns = ns, .program = program, .text = text, .content = hash_bytes(buf_str(&content))
    };
    enum status status = publish_version(turn, &publication, &row, err);
    program_unref(program);
    return status;
}
