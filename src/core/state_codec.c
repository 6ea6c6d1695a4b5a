/* core/state_codec.c — an instance as bytes. */

#include "core/codec_int.h"

#include "base/read.h"

/* Three forms, and an instance is written in the first that can hold it. PLAIN has no regions, events, inputs
 * of tasks or parents. FULL has them. PARTED has a list of parts behind that, each with its tag, ended by the
 * tag 0: a new field is a new part, and only instances that have it pay for it. */
enum {
    STATE_PLAIN = 1,
    STATE_FULL = 2,
    STATE_PARTED = 3,
    /* The least bytes an item takes. */
    TOKEN_BYTES_MIN = 5,
    SCOPE_BYTES_MIN = 3,
    JOB_BYTES_MIN = 8,
    TIMER_BYTES_MIN = 4,
    MAIL_BYTES_MIN = 3,
};

/* Jobs that a fork opened hold the same variables: one that has its predecessor's payload
 * says so instead of repeating it. */
enum payload_form { PAYLOAD_CURRENT, PAYLOAD_HERE, PAYLOAD_AS_BEFORE };

static bool same_cells(const struct json *a, const struct json *b)
{
    if (a == b) return true;
    if (!a || !b) return false;
    str one = json_encoded(a), two = json_encoded(b);
    return str_equal(one, two);
}

static void encode_tokens(const struct instance *instance, struct buf *out)
{
    buf_add_varint(out, instance->token_count);
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        buf_add_varint(out, token->execution);
        buf_add_varint(out, token->state);
        buf_add_text(out, token->node_name);
        buf_add_varint(out, token->scope);
        codec_add_time(out, token->since_ms, instance->created_ms);
    }
}

static void encode_scopes(const struct instance *instance, struct buf *out)
{
    buf_add_varint(out, instance->scope_count);
    for (size_t i = 0; i < instance->scope_count; i++) {
        const struct scope *scope = &instance->scope[i];
        buf_add_varint(out, scope->number);
        buf_add_varint(out, scope->parent);
        buf_add_text(out, scope->fork_name);
    }
}

static void encode_jobs(const struct instance *instance, struct buf *out)
{
    const struct json *before = NULL;
    buf_add_varint(out, instance->job_count);
    for (size_t i = 0; i < instance->job_count; i++) {
        const struct job *job = &instance->job[i];
        buf_add_varint(out, job->number);
        buf_add_varint(out, job->execution);
        buf_add_text(out, job->type);
        buf_add_varint(out, job->retries_left);
        buf_add_varint(out, job->attempt);
        codec_add_time(out, job->created_ms, instance->created_ms);
        codec_add_time(out, job->available_ms, job->created_ms);
        if (!job->payload) {
            buf_add_varint(out, PAYLOAD_CURRENT);
        } else if (same_cells(job->payload, before)) {
            buf_add_varint(out, PAYLOAD_AS_BEFORE);
        } else {
            buf_add_varint(out, PAYLOAD_HERE);
            codec_add_json(out, job->payload);
            before = job->payload;
        }
    }
}

static void encode_timers(const struct instance *instance, struct buf *out)
{
    buf_add_varint(out, instance->timer_count);
    for (size_t i = 0; i < instance->timer_count; i++) {
        const struct timer *timer = &instance->timer[i];
        buf_add_varint(out, timer->number);
        buf_add_varint(out, timer->execution);
        buf_add_varint(out, timer->index);
        codec_add_time(out, timer->due_ms, instance->created_ms);
    }
}

static bool is_plain(const struct instance *instance)
{
    if (instance->error || instance->correlation.n || instance->parent || instance->mail_count ||
        instance->handled_count)
        return false;
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].state != REGION_NONE) return false;
    for (size_t i = 0; i < instance->job_count; i++)
        if (instance->job[i].performer != PERFORMER_DEFAULT || instance->job[i].used_count) return false;
    return true;
}

static void reserve_regions(const struct instance *instance, struct buf *out)
{
    size_t bytes = 0;
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].state != REGION_NONE && instance->scope[i].data)
            bytes += json_bytes(instance->scope[i].data);
    if (bytes >= CODEC_LARGE_BYTES) buf_reserve(out, bytes + bytes / CODEC_LARGE_PART);
}

static void encode_regions(const struct instance *instance, struct buf *out)
{
    reserve_regions(instance, out);
    for (size_t i = 0; i < instance->scope_count; i++) {
        const struct scope *scope = &instance->scope[i];
        buf_add_varint(out, scope->state);
        if (scope->state == REGION_NONE) continue;
        buf_add_varint(out, scope->index);
        buf_add_varint(out, scope->host);
        codec_add_json(out, scope->data);
    }
}

static void encode_attempts(const struct instance *instance, struct buf *out)
{
    for (size_t i = 0; i < instance->job_count; i++) {
        const struct job *job = &instance->job[i];
        buf_add_varint(out, job->performer);
        buf_add_varint(out, job->used_count);
        for (uint32_t k = 0; k < job->used_count; k++) buf_add_varint(out, job->used[k]);
    }
}

/* Fields that later versions added. */
static void encode_rest(const struct instance *instance, struct buf *out)
{
    codec_add_json(out, instance->error);
    buf_add_varint(out, instance->handled_count);
    buf_add_text(out, instance->correlation);
    buf_add_varint(out, instance->parent);
    buf_add_varint(out, instance->parent_job);
    buf_add_varint(out, instance->parent_waits);
    encode_regions(instance, out);
    encode_attempts(instance, out);
    buf_add_varint(out, instance->mail_count);
    for (size_t i = 0; i < instance->mail_count; i++) {
        buf_add_varint(out, instance->mail[i].number);
        codec_add_time(out, instance->mail[i].at_ms, instance->created_ms);
        codec_add_json(out, instance->mail[i].event);
    }
}

void core_encode(const struct instance *instance, struct buf *out)
{
    size_t start = out->n;
    bool parted = state_has_parts(instance), plain = !parted && is_plain(instance);
    buf_add_char(out, plain ? STATE_PLAIN : parted ? STATE_PARTED : STATE_FULL);
    buf_add_varint(out, instance->id);
    codec_add_signed(out, instance->definition);
    buf_add_varint(out, instance->status);
    codec_add_signed(out, instance->created_ms);
    codec_add_time(out, instance->ended_ms,
                   instance_status_ended(instance->status) ? instance->created_ms : 0);
    buf_add_text(out, instance->business_key);
    buf_add_text(out, instance->failure);
    buf_add_varint(out, instance->next_number);
    buf_add_varint(out, instance->revision);
    encode_tokens(instance, out);
    encode_scopes(instance, out);
    encode_jobs(instance, out);
    encode_timers(instance, out);
    codec_add_json(out, instance->data);
    if (!plain) encode_rest(instance, out);
    if (parted) state_encode_parts(instance, out);
    codec_close(out, start);
}

static void decode_tokens(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, TOKEN_BYTES_MIN);
    instance->token = arena_make_n(decoding->arena, struct token, count);
    instance->token_count = instance->token_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct token *token = &instance->token[i];
        token->execution = read_varint32(reader);
        uint32_t state = read_varint32(reader);
        if (state >= TOKEN_STATE_COUNT) reader->bad = true;
        token->state = (enum token_state)state;
        token->node_name = codec_decode_node(decoding, &token->node);
        token->scope = read_varint32(reader);
        token->since_ms = codec_read_time(reader, instance->created_ms);
    }
}

static void decode_scopes(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, SCOPE_BYTES_MIN);
    instance->scope = arena_make_n(decoding->arena, struct scope, count);
    instance->scope_count = instance->scope_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct scope *scope = &instance->scope[i];
        scope->number = read_varint32(reader);
        scope->parent = read_varint32(reader);
        scope->fork_name = codec_decode_node(decoding, &scope->fork);
    }
}

static const struct json *decode_payload(struct decoding *decoding, const struct json **before)
{
    struct reader *reader = &decoding->reader;
    switch (read_varint(reader)) {
    case PAYLOAD_CURRENT: return NULL;
    case PAYLOAD_HERE:
        *before = codec_decode_json(decoding);
        if (!*before) reader->bad = true;
        return *before;
    case PAYLOAD_AS_BEFORE:
        if (!*before) reader->bad = true;
        return *before;
    default: reader->bad = true; return NULL;
    }
}

static void decode_jobs(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    const struct json *before = NULL;
    size_t count = codec_read_count(reader, JOB_BYTES_MIN);
    instance->job = arena_make_n(decoding->arena, struct job, count);
    instance->job_count = instance->job_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct job *job = &instance->job[i];
        job->number = read_varint32(reader);
        job->execution = read_varint32(reader);
        job->type = codec_decode_text(decoding);
        job->retries_left = read_varint32(reader);
        job->attempt = read_varint32(reader);
        job->created_ms = codec_read_time(reader, instance->created_ms);
        job->available_ms = codec_read_time(reader, job->created_ms);
        job->payload = decode_payload(decoding, &before);
    }
}

static void decode_timers(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, TIMER_BYTES_MIN);
    instance->timer = arena_make_n(decoding->arena, struct timer, count);
    instance->timer_count = instance->timer_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct timer *timer = &instance->timer[i];
        timer->number = read_varint32(reader);
        timer->execution = read_varint32(reader);
        timer->index = read_varint32(reader);
        timer->due_ms = codec_read_time(reader, instance->created_ms);
        if (!timer->number) instance->deadline_ms = timer->due_ms;
    }
}

static void decode_regions(struct decoding *decoding)
{
    struct reader *reader = &decoding->reader;
    for (size_t i = 0; i < decoding->instance->scope_count && !reader->bad; i++) {
        struct scope *scope = &decoding->instance->scope[i];
        uint32_t state = read_varint32(reader);
        if (state > REGION_UNDO) reader->bad = true;
        scope->state = (enum region_state)state;
        if (state == REGION_NONE) continue;
        scope->index = read_varint32(reader);
        scope->host = read_varint32(reader);
        scope->data = codec_decode_json(decoding);
        if (!scope->data) reader->bad = true;
    }
}

static void decode_attempts(struct decoding *decoding)
{
    struct reader *reader = &decoding->reader;
    for (size_t i = 0; i < decoding->instance->job_count && !reader->bad; i++) {
        struct job *job = &decoding->instance->job[i];
        uint32_t performer = read_varint32(reader), count = read_varint32(reader);
        if (performer >= PERFORMER_COUNT || count > RETRY_RULES_MAX) {
            reader->bad = true;
            return;
        }
        uint32_t *used = arena_make_n(decoding->arena, uint32_t, count);
        for (uint32_t k = 0; k < count; k++) used[k] = read_varint32(reader);
        job->performer = (enum performer)performer;
        job->used = used;
        job->used_count = count;
    }
}

static void decode_mail(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    size_t count = codec_read_count(reader, MAIL_BYTES_MIN);
    instance->mail = arena_make_n(decoding->arena, struct mail, count);
    instance->mail_count = instance->mail_cap = count;
    for (size_t i = 0; i < count && !reader->bad; i++) {
        struct mail *mail = &instance->mail[i];
        mail->number = read_varint32(reader);
        mail->at_ms = codec_read_time(reader, instance->created_ms);
        mail->event = codec_decode_json(decoding);
        if (!json_is(mail->event, JSON_OBJECT)) reader->bad = true;
    }
}

static void decode_rest(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    instance->error = codec_decode_json(decoding);
    if (instance->error && !json_is(instance->error, JSON_OBJECT)) reader->bad = true;
    instance->handled_count = read_varint32(reader);
    instance->correlation = codec_decode_text(decoding);
    instance->parent = read_varint(reader);
    instance->parent_job = read_varint32(reader);
    instance->parent_waits = read_varint(reader) != 0;
    decode_regions(decoding);
    decode_attempts(decoding);
    decode_mail(decoding);
}

static void decode_head(struct decoding *decoding)
{
    struct instance *instance = decoding->instance;
    struct reader *reader = &decoding->reader;
    instance->id = read_varint(reader);
    instance->definition = codec_read_signed(reader);
    uint32_t status = read_varint32(reader);
    if (status >= INSTANCE_STATUS_COUNT) {
        reader->bad = true;
        return;
    }
    instance->status = (enum instance_status)status;
    instance->created_ms = codec_read_signed(reader);
    instance->ended_ms =
        codec_read_time(reader, instance_status_ended(instance->status) ? instance->created_ms : 0);
    instance->business_key = codec_decode_text(decoding);
    instance->failure = codec_decode_text(decoding);
    instance->next_number = read_varint32(reader);
    instance->revision = read_varint32(reader);
}

static void decode_body(struct decoding *decoding, uint8_t version)
{
    decode_head(decoding);
    decode_tokens(decoding);
    decode_scopes(decoding);
    decode_jobs(decoding);
    decode_timers(decoding);
    decoding->instance->data = codec_decode_json(decoding);
    if (!decoding->instance->data) decoding->reader.bad = true;
    if (version != STATE_PLAIN) decode_rest(decoding);
    if (version == STATE_PARTED) state_decode_parts(decoding);
}

enum status core_decode(str bytes, const struct program *program, struct arena *arena,
                        const struct instance **ret_instance, struct error *err)
{
    struct decoding decoding = {
        .program = program,
        .arena = arena,
        .instance = arena_make(arena, struct instance),
    };
    struct reader *reader = &decoding.reader;
    uint8_t version =
        bytes.n && bytes.p[0] > STATE_PLAIN && bytes.p[0] <= STATE_PARTED ? (uint8_t)bytes.p[0] : STATE_PLAIN;
    TRY(codec_open(bytes, version, "instance", reader, err));
    decode_body(&decoding, version);
    if (decoding.missing.n)
        return fail(err, ST_INTERNAL, "", "the instance stands at a node \"%.*s\" that the program lacks",
                    STR_ARG(decoding.missing));
    if (reader->bad || reader->p != reader->end)
        return fail(err, ST_INTERNAL, "", "instance: malformed bytes");
    TRY(core_verify(program, decoding.instance, err));
    *ret_instance = decoding.instance;
    return ST_OK;
}

const struct instance *core_decode_own(str bytes, const struct program *program, struct arena *arena)
{
    bytes = arena_str(arena, bytes);
    struct decoding decoding = {
        .program = program,
        .arena = arena,
        .instance = arena_make(arena, struct instance),
        .own = true,
        .reader = { .p = bytes.p + 1, .end = bytes.p + bytes.n },
    };
    decode_body(&decoding, (uint8_t)bytes.p[0]);
    must(!decoding.reader.bad);
    return decoding.instance;
}
