/* runtime/operate/run_trace.c — the spans of a run, on the query thread. */
#include "runtime/operate/operate_int.h"

#include "access/directory/directory.h"
#include "runtime/memory/memory.h"
#include "telemetry/otlp.h"

static enum status tell(void *story, const struct history *history, struct error *err)
{
    return spans_tell(story, history, err);
}

/* When another instance was created. It may be purged by now: then it has no trace to link to. */
static enum status find_created(struct query *query, uint64_t other, struct arena *arena,
                                int64_t *ret_created_ms, struct error *err)
{
    struct instance_row row;
    bool is_there = false;
    if (!other) return ST_OK;
    reader_bound(query->reader, 1); /* Its state is not needed. */
    TRY(found_intact(reader_instance(query->reader, TENANT_ANY, other, arena, &row, err), &is_there));
    if (is_there) *ret_created_ms = row.created_ms;
    return ST_OK;
}

static enum status find_children(struct query *query, struct arena *arena, struct run_facts *facts,
                                 struct error *err)
{
    struct child_listed *row;
    int64_t total;
    reader_bound(query->reader, 1);
    TRY(reader_children(query->reader, facts->instance, CHILDREN_SHOWN_MAX, arena, &row, &facts->child_count,
                        &total, err));
    struct run_child *child = arena_make_n(arena, struct run_child, facts->child_count);
    for (size_t i = 0; i < facts->child_count; i++)
        child[i] = (struct run_child){ .instance = row[i].instance.id,
                                       .created_ms = row[i].instance.created_ms,
                                       .job = row[i].child.chained ? 0 : row[i].child.number };
    facts->child = child;
    return ST_OK;
}

static str tenant_word(struct query *query, int32_t ns, struct arena *arena)
{
    struct tenant tenant;
    if (query->directory && directory_tenant_by_number(query->directory, ns, &tenant))
        return arena_str(arena, tenant.name);
    return ns == TENANT_DEFAULT ? STR("default") : arena_printf(arena, "%d", ns);
}

enum status run_trace_read(struct query *query, const struct instance_row *row, uint32_t last,
                           struct arena *arena, struct run_spans *ret_spans, struct error *err)
{
    struct definition *definition;
    bool is_intact, cut = false;
    char id[ID_CHARS + 1];
    TRY(found_intact(catalogue_get(&query->catalogue, row->definition, &definition, err), &is_intact));
    const struct program *program = is_intact ? definition->program : NULL;
    struct spans_story *story = spans_story_new(program, arena);
    TRY(history_reads_each(query, row->id, last, tell, story, &cut, err));
    id_print((struct id){ .ms = row->created_ms, .instance = row->id }, id);
    struct run_facts facts = {
        .instance = row->id,
        .created_ms = row->created_ms,
        .id = arena_str(arena, str_of(id)),
        .definition = arena_str(arena, row->definition_id),
        .version = row->definition_version,
        .tenant = tenant_word(query, row->ns, arena),
        .dialect = program ? arena_str(arena, program->dialect) : STR_NONE,
    };
    const struct spans_kin kin = spans_kin(story);
    TRY(find_created(query, kin.parent, arena, &facts.parent_created_ms, err));
    TRY(find_created(query, kin.chained_from, arena, &facts.chained_created_ms, err));
    if (kin.has_children) TRY(find_children(query, arena, &facts, err));
    spans_finish(story, &facts, ret_spans);
    ret_spans->cut = cut;
    return ST_OK;
}

/* A message ends behind the spans of a command: the next one begins there. */
static void write_message(struct query *query, struct call *call, const struct run_spans *spans)
{
    struct answer_trace *answer = &call->value.instances.run->trace;
    struct otlp_json message;
    struct buf out;
    uint32_t last = 0;
    buf_init(&out, call->arena);
    otlp_json_begin(&message, call->as.run.resource, &out);
    for (size_t i = 0; i < spans->count; i++) {
        const struct span *span = &spans->span[i];
        if (span->revision <= call->as.run.revision) continue;
        bool is_full = message.count && out.n > (size_t)query->limits.answer_bytes_max / 2;
        if (is_full && span->revision != last) {
            answer->next_revision = last;
            break;
        }
        otlp_json_add(&message, spans, span);
        last = span->revision;
    }
    otlp_json_end(&message);
    answer->message = buf_str(&out);
    answer->cut = spans->cut;
}

enum status run_trace_call(struct query *query, struct call *call, struct error *err)
{
    struct instance_row row;
    struct run_spans spans;
    struct arena told;
    TRY(found_needed(instance_reads_find(query, call, call->as.run.id, call->arena, &row, err)));
    call->value.instances.run = arena_make(call->arena, struct answer_run);
    arena_init(&told, 0);
    enum status status = run_trace_read(query, &row, 0, &told, &spans, err);
    if (status == ST_OK) write_message(query, call, &spans);
    arena_done(&told);
    return status;
}
