/* runtime/transact/index_records.c — records by which instances are found that need something later: those
 * that are held, that are tests, that must not outlive a restart, that have a retention of their own.
 *
 * Like all effects they are the difference between the stored instance and what it is now (effects.h). Most
 * programs have none.
 */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"

enum { MARKS = 6 };

static void add_number(struct buf *key, uint64_t number)
{
    for (int i = 0; i < MARK_ID_BYTES; i++) buf_add_char(key, (char)(number >> (56 - 8 * i)));
}

uint64_t index_record_instance_of(str key)
{
    uint64_t id = 0;
    if (key.n < MARK_ID_BYTES) return 0;
    for (size_t i = key.n - MARK_ID_BYTES; i < key.n; i++) id = id << 8 | (unsigned char)key.p[i];
    return id;
}

str index_record_prefix(str definition_id, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, definition_id);
    buf_add_char(&key, '\0');
    return buf_str(&key);
}

str index_record_member(str prefix, uint64_t instance, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, prefix);
    add_number(&key, instance);
    return buf_str(&key);
}

str index_record_expiry_before(int64_t time_ms, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    add_number(&key, (uint64_t)time_ms);
    return buf_str(&key);
}

/* The engine lists some marks for all tenants. The instance in their keys tells them apart. */
static struct record_row row_of(const struct loaded *loaded, enum record_kind kind, struct buf *key)
{
    add_number(key, loaded->instance);
    int32_t ns = store_record_is_shared(kind) ? NAMESPACE_DEFAULT : loaded->definition->ns;
    return (struct record_row){ .ns = ns, .kind = kind, .key = buf_str(key) };
}

/* A shared store keeps transient instances, too, because any node may be asked for them. */
static bool ends_with_engine(const struct engine *engine, const struct program *program)
{
    return program->rules->ends_at_restart || (engine->nodes.shared && program->rules->is_ephemeral);
}

static str node_value(struct turn *turn)
{
    struct buf value;
    int64_t node = store_node(turn->engine->store);
    if (!node) return STR_NONE;
    buf_init(&value, &turn->arena);
    add_number(&value, (uint64_t)node);
    return buf_str(&value);
}

int64_t index_record_node_of(str value) { return (int64_t)index_record_instance_of(value); }

/* The marks that an instance has in this state. */
static size_t marks_of(struct turn *turn, const struct loaded *loaded, const struct definition *definition,
                       const struct instance *instance, struct record_row ret_row[MARKS])
{
    const struct program *program = definition->program;
    size_t count = 0;
    struct buf key;
    if (!instance) return 0;
    if (instance->is_held && lives(instance)) {
        buf_init(&key, &turn->arena);
        buf_add_char(&key, (char)(10 - program->priority));
        ret_row[count++] = row_of(loaded, RECORD_HELD, &key);
    }
    if (ends_with_engine(turn->engine, program) && lives(instance)) {
        buf_init(&key, &turn->arena);
        ret_row[count] = row_of(loaded, RECORD_TRANSIENT, &key);
        ret_row[count++].value = node_value(turn);
    }
    if (instance->is_test && lives(instance)) {
        buf_init(&key, &turn->arena);
        buf_add_str(&key, index_record_prefix(loaded->definition->id, &turn->arena));
        ret_row[count++] = row_of(loaded, RECORD_TEST, &key);
    }
    if (program->rules->lists_state && lives(instance)) {
        str word = json_text(instance->token_count ? instance->token[0].carried : NULL, STR("state"));
        buf_init(&key, &turn->arena);
        buf_add_str(&key, index_record_prefix(loaded->definition->id, &turn->arena));
        ret_row[count] = row_of(loaded, RECORD_MEMBER, &key);
        ret_row[count++].value = word;
        buf_init(&key, &turn->arena);
        buf_add_str(&key, index_record_prefix(loaded->definition->id, &turn->arena));
        buf_add_str(&key, word);
        buf_add_char(&key, '\0');
        ret_row[count++] = row_of(loaded, RECORD_STATE, &key);
    }
    if (program->rules->retention_ms >= 0 && is_over(instance)) {
        buf_init(&key, &turn->arena);
        add_number(&key, (uint64_t)instance->ended_ms + (uint64_t)program->rules->retention_ms);
        ret_row[count++] = row_of(loaded, RECORD_EXPIRY, &key);
    }
    return count;
}

enum status index_record_forget(struct turn *turn, uint64_t id, struct error *err)
{
    struct instance_row row;
    struct definition *definition;
    const struct instance *instance;
    struct error why;
    bool is_there, is_intact;
    TRY(found_intact(store_load_instance(turn->engine->store, TENANT_ANY, id, &turn->arena, &row, err),
                     &is_there));
    if (!is_there) return ST_OK;
    turn->spent += (int64_t)(row.state.n / STATE_BYTES_PER_FUEL);
    TRY(found_intact(catalogue_get(&turn->engine->memory.catalogue, row.definition, &definition, err),
                     &is_intact));
    if (!is_intact || core_decode(row.state, definition->program, &turn->arena, &instance, &why) != ST_OK)
        return ST_OK;
    TRY(locks_forget_instance(turn, definition, instance, err));
    const struct loaded loaded = { .instance = id, .definition = definition };
    struct record_row mark[MARKS];
    size_t count = marks_of(turn, &loaded, definition, instance, mark);
    struct changeset changeset = { .record_remove = mark, .record_remove_count = count };
    return count ? transact_rows(turn, &changeset, err) : ST_OK;
}

static size_t without(struct record_row *row, size_t count, const struct record_row *other,
                      size_t other_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool both = false;
        for (size_t k = 0; k < other_count; k++)
            both |= row[i].kind == other[k].kind && str_equal(row[i].key, other[k].key) &&
                    str_equal(row[i].value, other[k].value);
        if (!both) row[kept++] = row[i];
    }
    return kept;
}

static bool may_have_marks(const struct engine *engine, const struct program *program,
                           const struct instance *instance)
{
    return instance && (ends_with_engine(engine, program) || program->rules->lists_state ||
                        program->rules->retention_ms >= 0 || instance->is_held || instance->is_test);
}

void index_record_changes(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    if (!may_have_marks(turn->engine, loaded->written_as->program, loaded->written) &&
        !may_have_marks(turn->engine, loaded->definition->program, loaded->now))
        return;
    struct record_row *before = arena_make_n(&turn->arena, struct record_row, MARKS),
                      *after = arena_make_n(&turn->arena, struct record_row, MARKS), same[MARKS];
    size_t before_count = marks_of(turn, loaded, loaded->written_as, loaded->written, before),
           after_count = marks_of(turn, loaded, loaded->definition, loaded->now, after),
           same_count = before_count;
    must(before_count <= MARKS && after_count <= MARKS);
    memcpy(same, before, sizeof same);
    effects->unmarked = before;
    effects->unmarked_count = without(before, before_count, after, after_count);
    effects->marked = after;
    effects->marked_count = without(after, after_count, same, same_count);
}
