/* core/state_parts.c — the parts of an instance that few instances have, as bytes. */

#include "core/codec_int.h"

enum part {
    PART_NONE,
    PART_ORIGIN,
    PART_STUCK,
    PART_SIGNALS,
    PART_TAKEN,
    PART_TRAITS,
    PART_EXTRAS, /* More members of tokens. */
    PART_EACH,
    PART_UNDO,
    PART_COUNTS,
    PART_CODE,     /* The code of the failure. */
    PART_ARRIVALS, /* Early arrivals. */
    PART_REACHED,
    PART_LOCKS,
};

enum { TRAIT_TEST = 1, TRAIT_HELD = 2, TRAIT_RESCUED = 4 };

enum {
    /* The least bytes an item takes. */
    SIGNAL_BYTES_MIN = 2,
    TAKEN_BYTES_MIN = 4,
    EXTRA_BYTES_MIN = 4,
    EACH_BYTES_MIN = 4,
    ITEM_BYTES_MIN = 3,
    UNDO_BYTES_MIN = 6,
    COUNT_BYTES_MIN = 3,
    REACHED_BYTES_MIN = 2,
    LOCK_BYTES_MIN = 6,
};

static bool has_origin(const struct instance *instance) { return instance->root || instance->chained_from; }

/* A piece of mail is for the node of a signal, or for the trigger of an arrival. */
static str addressee_of(const struct mail *mail, bool of_arrival)
{
    return of_arrival ? mail->arrival : mail->node;
}

static size_t addressee_count(const struct instance *instance, bool of_arrival)
{
    size_t count = 0;
    for (size_t i = 0; i < instance->mail_count; i++)
        count += addressee_of(&instance->mail[i], of_arrival).n > 0;
    return count;
}

static bool has_traits(const struct instance *instance)
{
    return instance->is_test || instance->is_held || instance->has_handled_error || instance->replaced_by;
}

static bool has_extras(const struct token *token) { return token->arrival || token->carried || token->task; }

static size_t token_extras(const struct instance *instance)
{
    size_t count = 0;
    for (size_t i = 0; i < instance->token_count; i++) count += has_extras(&instance->token[i]);
    return count;
}

bool state_has_parts(const struct instance *instance)
{
    return has_origin(instance) || instance->stuck.execution || instance->taken_count ||
           addressee_count(instance, false) || addressee_count(instance, true) || has_traits(instance) ||
           token_extras(instance) || instance->each_count || instance->undo_item_count ||
           instance->undo.error || instance->owed_count || instance->visited_count ||
           instance->failure_code.n || instance->reached_count || instance->lock_count;
}

/* Which pieces of the mail are signals, or arrivals. */
static void encode_addressees(const struct instance *instance, enum part part, struct buf *out)
{
    bool of_arrival = part == PART_ARRIVALS;
    size_t count = addressee_count(instance, of_arrival);
    if (!count) return;
    buf_add_varint(out, part);
    buf_add_varint(out, count);
    for (size_t i = 0; i < instance->mail_count; i++) {
        str name = addressee_of(&instance->mail[i], of_arrival);
        if (!name.n) continue;
        buf_add_varint(out, i);
        buf_add_text(out, name);
    }
}

static void encode_taken(const struct instance *instance, struct buf *out)
{
    buf_add_varint(out, instance->taken_count);
    for (size_t i = 0; i < instance->taken_count; i++) {
        const struct taken_event *taken = &instance->taken[i];
        buf_add_varint(out, taken->number);
        buf_add_varint(out, taken->holder);
        codec_add_time(out, taken->at_ms, instance->created_ms);
        codec_add_json(out, taken->event);
    }
}

static void encode_traits(const struct instance *instance, struct buf *out)
{
    buf_add_varint(out, (instance->is_test ? TRAIT_TEST : 0u) | (instance->is_held ? TRAIT_HELD : 0u) |
                            (instance->has_handled_error ? TRAIT_RESCUED : 0u));
    buf_add_varint(out, instance->replaced_by);
}

static void encode_extras(const struct instance *instance, size_t count, struct buf *out)
{
    buf_add_varint(out, count);
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (!has_extras(token)) continue;
        buf_add_varint(out, i);
        buf_add_varint(out, token->arrival);
        codec_add_json(out, token->carried);
        codec_add_json(out, token->task);
    }
}

static void encode_each(const struct instance *instance, struct buf *out)
{
    buf_add_varint(out, instance->each_count);
    for (size_t i = 0; i < instance->each_count; i++) {
        const struct each *each = &instance->each[i];
        buf_add_varint(out, each->host);
        buf_add_varint(out, each->begun);
        codec_add_json(out, each->items);
        buf_add_varint(out, each->item_count);
        for (size_t k = 0; k < each->item_count; k++) {
            buf_add_varint(out, each->item[k].index);
            buf_add_varint(out, each->item[k].verdict);
            codec_add_json(out, each->item[k].value);
        }
    }
}

static void encode_undo(const struct instance *instance, struct buf *out)
{
    codec_add_json(out, instance->undo.error);
    buf_add_varint(out, instance->undo.host);
    buf_add_varint(out, instance->undo_item_count);
    for (size_t i = 0; i < instance->undo_item_count; i++) {
        const struct undo_item *item = &instance->undo_item[i];
        buf_add_varint(out, item->number);
        buf_add_varint(out, item->execution);
        buf_add_text(out, item->node_name);
        buf_add_varint(out, item->state);
        buf_add_varint(out, item->scope);
        codec_add_json(out, item->visit);
    }
}

static void encode_counts(const struct instance *instance, struct buf *out)
{
    buf_add_varint(out, instance->owed_count);
    for (size_t i = 0; i < instance->owed_count; i++) {
        buf_add_varint(out, instance->owed[i].scope);
        buf_add_text(out, instance->owed[i].node_name);
        buf_add_varint(out, instance->owed[i].arrival);
    }
    buf_add_varint(out, instance->visited_count);
    for (size_t i = 0; i < instance->visited_count; i++) {
        buf_add_varint(out, instance->visited[i].scope);
        buf_add_text(out, instance->visited[i].node_name);
        buf_add_varint(out, instance->visited[i].count);
    }
}

static void encode_reached(const struct instance *instance, struct buf *out)
{
    buf_add_varint(out, instance->reached_count);
    for (size_t i = 0; i < instance->reached_count; i++) {
        buf_add_text(out, instance->reached[i].node_name);
        buf_add_varint(out, instance->reached[i].execution);
    }
}

static void encode_locks(const struct instance *instance, struct buf *out)
{
    buf_add_varint(out, instance->lock_count);
    for (size_t i = 0; i < instance->lock_count; i++) {
        const struct lock *lock = &instance->lock[i];
        buf_add_varint(out, lock->number);
        buf_add_varint(out, lock->execution);
        buf_add_text(out, lock->name);
        buf_add_varint(out, lock->size);
        codec_add_time(out, lock->asked_ms, instance->created_ms);
        buf_add_varint(out, lock->is_held);
        if (lock->is_held) codec_add_time(out, lock->granted_ms, lock->asked_ms);
    }
}

/* Parts that only flow graphs have. */
static void encode_later_parts(const struct instance *instance, struct buf *out)
{
    size_t extras = token_extras(instance);
    if (has_traits(instance)) {
        buf_add_varint(out, PART_TRAITS);
        encode_traits(instance, out);
    }
    if (extras) {
        buf_add_varint(out, PART_EXTRAS);
        encode_extras(instance, extras, out);
    }
    if (instance->each_count) {
        buf_add_varint(out, PART_EACH);
        encode_each(instance, out);
    }
    if (instance->undo_item_count || instance->undo.error) {
        buf_add_varint(out, PART_UNDO);
        encode_undo(instance, out);
    }
    if (instance->owed_count || instance->visited_count) {
        buf_add_varint(out, PART_COUNTS);
        encode_counts(instance, out);
    }
    if (instance->failure_code.n) {
        buf_add_varint(out, PART_CODE);
        buf_add_text(out, instance->failure_code);
    }
    encode_addressees(instance, PART_ARRIVALS, out);
    if (instance->reached_count) {
        buf_add_varint(out, PART_REACHED);
        encode_reached(instance, out);
    }
    if (instance->lock_count) {
        buf_add_varint(out, PART_LOCKS);
        encode_locks(instance, out);
    }
}

void state_encode_parts(const struct instance *instance, struct buf *out)
{
    if (has_origin(instance)) {
        buf_add_varint(out, PART_ORIGIN);
        buf_add_varint(out, instance->root);
        buf_add_varint(out, instance->depth);
        buf_add_varint(out, instance->chained_from);
    }
    if (instance->stuck.execution) {
        buf_add_varint(out, PART_STUCK);
        buf_add_varint(out, instance->stuck.execution);
        buf_add_varint(out, instance->stuck.edge);
        codec_add_json(out, instance->stuck.brought);
    }
    encode_addressees(instance, PART_SIGNALS, out);
    if (instance->taken_count) {
        buf_add_varint(out, PART_TAKEN);
        encode_taken(instance, out);
    }
    encode_later_parts(instance, out);
    buf_add_varint(out, PART_NONE);
}

static void decode_origin(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    instance->root = read_varint(&decoding->reader);
    instance->depth = read_varint32(&decoding->reader);
    instance->chained_from = read_varint(&decoding->reader);
}

static void decode_stuck(struct decoding *decoding)
{
    struct stuck *stuck = &decoding->instance->stuck;
    stuck->execution = read_varint32(&decoding->reader);
    stuck->edge = read_varint32(&decoding->reader);
    stuck->brought = codec_decode_json(decoding);
    if (stuck->brought && !json_is(stuck->brought, JSON_OBJECT)) decoding->reader.bad = true;
}

static void decode_addressees(struct decoding *decoding, bool of_arrival)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, SIGNAL_BYTES_MIN);
    for (size_t i = 0; i < count && !reader->bad; i++) {
        uint64_t at = read_varint(reader);
        str name = codec_decode_text(decoding);
        if (at >= instance->mail_count || !name.n) reader->bad = true;
        else *(of_arrival ? &instance->mail[at].arrival : &instance->mail[at].node) = name;
    }
}

static void decode_taken(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, TAKEN_BYTES_MIN);
    instance->taken = arena_make_n(decoding->arena, struct taken_event, count);
    instance->taken_count = instance->taken_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct taken_event *taken = &instance->taken[i];
        taken->number = read_varint32(reader);
        taken->holder = read_varint32(reader);
        taken->at_ms = codec_read_time(reader, instance->created_ms);
        taken->event = codec_decode_json(decoding);
        if (!json_is(taken->event, JSON_OBJECT)) reader->bad = true;
    }
}

static void decode_traits(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    uint64_t traits = read_varint(&decoding->reader);
    instance->is_test = (traits & TRAIT_TEST) != 0;
    instance->is_held = (traits & TRAIT_HELD) != 0;
    instance->has_handled_error = (traits & TRAIT_RESCUED) != 0;
    instance->replaced_by = read_varint(&decoding->reader);
}

static void decode_extras(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, EXTRA_BYTES_MIN);
    for (size_t i = 0; i < count && !reader->bad; i++) {
        uint64_t at = read_varint(reader);
        if (at >= instance->token_count) {
            reader->bad = true;
            return;
        }
        struct token *token = &instance->token[at];
        token->arrival = read_varint32(reader);
        token->carried = codec_decode_json(decoding);
        token->task = codec_decode_json(decoding);
        if (token->task && !json_is(token->task, JSON_OBJECT)) reader->bad = true;
    }
}

static void decode_items(struct decoding *decoding, struct each *each)
{
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, ITEM_BYTES_MIN);
    each->item = arena_make_n(decoding->arena, struct each_item, count);
    each->item_count = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct each_item *item = &each->item[i];
        item->index = read_varint32(reader);
        uint32_t verdict = read_varint32(reader);
        if (verdict > ITEM_CANCELLED || item->index >= each->begun) reader->bad = true;
        item->verdict = (enum item_verdict)verdict;
        item->value = codec_decode_json(decoding);
        if (item->verdict == ITEM_FAILED && !json_is(item->value, JSON_OBJECT)) reader->bad = true;
    }
}

static void decode_each(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, EACH_BYTES_MIN);
    instance->each = arena_make_n(decoding->arena, struct each, count);
    instance->each_count = instance->each_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct each *each = &instance->each[i];
        each->host = read_varint32(reader);
        each->begun = read_varint32(reader);
        each->items = codec_decode_json(decoding);
        if (!json_is(each->items, JSON_ARRAY) || each->begun > json_count(each->items)) reader->bad = true;
        decode_items(decoding, each);
    }
}

static void decode_undo(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    instance->undo.error = codec_decode_json(decoding);
    instance->undo.host = read_varint32(reader);
    if (instance->undo.error && !json_is(instance->undo.error, JSON_OBJECT)) reader->bad = true;
    size_t count = codec_read_count(reader, UNDO_BYTES_MIN);
    instance->undo_item = arena_make_n(decoding->arena, struct undo_item, count);
    instance->undo_item_count = instance->undo_item_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct undo_item *item = &instance->undo_item[i];
        item->number = read_varint32(reader);
        item->execution = read_varint32(reader);
        item->node_name = codec_decode_node(decoding, &item->node);
        uint32_t state = read_varint32(reader);
        if (state > UNDO_FAILED) reader->bad = true;
        item->state = (enum undo_state)state;
        item->scope = read_varint32(reader);
        item->visit = codec_decode_json(decoding);
        if (!json_is(item->visit, JSON_OBJECT)) reader->bad = true;
        else instance->undo.bytes += json_bytes(item->visit);
    }
}

static void decode_counts(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, COUNT_BYTES_MIN);
    instance->owed = arena_make_n(decoding->arena, struct owed, count);
    instance->owed_count = instance->owed_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct owed *owed = &instance->owed[i];
        owed->scope = read_varint32(reader);
        owed->node_name = codec_decode_node(decoding, &owed->node);
        owed->arrival = read_varint32(reader);
    }
    count = codec_read_count(reader, COUNT_BYTES_MIN);
    instance->visited = arena_make_n(decoding->arena, struct visited, count);
    instance->visited_count = instance->visited_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct visited *visited = &instance->visited[i];
        visited->scope = read_varint32(reader);
        visited->node_name = codec_decode_node(decoding, &visited->node);
        visited->count = read_varint32(reader);
    }
}

static void decode_reached(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, REACHED_BYTES_MIN);
    instance->reached = arena_make_n(decoding->arena, struct reached_node, count);
    instance->reached_count = instance->reached_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct reached_node *reached = &instance->reached[i];
        reached->node_name = codec_decode_node(decoding, &reached->node);
        reached->execution = read_varint32(reader);
    }
}

static void decode_locks(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, LOCK_BYTES_MIN);
    instance->lock = arena_make_n(decoding->arena, struct lock, count);
    instance->lock_count = instance->lock_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct lock *lock = &instance->lock[i];
        lock->number = read_varint32(reader);
        lock->execution = read_varint32(reader);
        lock->name = codec_decode_text(decoding);
        lock->size = read_varint32(reader);
        lock->asked_ms = codec_read_time(reader, instance->created_ms);
        lock->is_held = read_varint(reader) != 0;
        if (lock->is_held) lock->granted_ms = codec_read_time(reader, lock->asked_ms);
        if (!lock->name.n || !lock->size) reader->bad = true;
    }
}

void state_decode_parts(struct decoding *decoding)
{
    struct reader *reader = &decoding->reader;
    for (uint64_t part; !reader->bad && (part = read_varint(reader)) != PART_NONE;) {
        switch (part) {
        case PART_ORIGIN: decode_origin(decoding); break;
        case PART_STUCK: decode_stuck(decoding); break;
        case PART_SIGNALS: decode_addressees(decoding, false); break;
        case PART_ARRIVALS: decode_addressees(decoding, true); break;
        case PART_TAKEN: decode_taken(decoding); break;
        case PART_TRAITS: decode_traits(decoding); break;
        case PART_EXTRAS: decode_extras(decoding); break;
        case PART_EACH: decode_each(decoding); break;
        case PART_UNDO: decode_undo(decoding); break;
        case PART_COUNTS: decode_counts(decoding); break;
        case PART_REACHED: decode_reached(decoding); break;
        case PART_LOCKS: decode_locks(decoding); break;
        case PART_CODE: decoding->instance->failure_code = codec_decode_text(decoding); break;
        default: reader->bad = true;
        }
    }
}
