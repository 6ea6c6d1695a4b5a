/* runtime/entities/search_record.c — searches that run beside others, as records. See search_jobs.h. */
#include "json/json.h"
#include "runtime/entities/search_jobs.h"

enum { TARGET_BYTES = 16 };

static void add_number(struct buf *out, uint64_t number)
{
    for (int shift = 56; shift >= 0; shift -= 8) buf_add_char(out, (char)(number >> shift));
}

static uint64_t number_at(str bytes, size_t at)
{
    uint64_t number = 0;
    for (size_t i = at; i < at + 8; i++) number = number << 8 | (unsigned char)bytes.p[i];
    return number;
}

const char *search_state_word(enum search_state state)
{
    static const char *const words[] = {
#define XX(NAME) #NAME,
        SEARCH_STATE_MAP(XX)
#undef XX
    };
    return words[state];
}

/* ---- keys ---- */

str search_record_key(str id, struct arena *arena) { return arena_printf(arena, "j%.*s", STR_ARG(id)); }

str search_record_place(const struct search_job *job, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_char(&key, 'q');
    add_number(&key, (uint64_t)job->created_ms);
    buf_add_str(&key, job->id);
    return buf_str(&key);
}

str search_record_hits(str id, size_t number, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, id);
    add_number(&key, number);
    return buf_str(&key);
}

/* ---- jobs ---- */

static void add_int(struct json_builder *builder, str name, int64_t number)
{
    json_add_name(builder, name);
    json_add_int(builder, number);
}

str search_record_encode(const struct search_job *job, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("name"), job->name);
    add_int(&builder, STR("version"), job->version);
    json_add_name(&builder, STR("condition"));
    json_add(&builder, job->condition);
    if (job->is_past) add_int(&builder, STR("at"), job->at_ms);
    add_int(&builder, STR("state"), job->state);
    add_int(&builder, STR("created"), job->created_ms);
    add_int(&builder, STR("ended"), job->ended_ms);
    add_int(&builder, STR("count"), job->count);
    json_add_text(&builder, STR("reason"), job->reason);
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

static bool text_of(const struct json *object, str name, str *ret_text)
{
    const struct json *value = json_get(object, name);
    if (json_is(value, JSON_STRING)) *ret_text = json_string(value);
    return json_is(value, JSON_STRING);
}

bool search_record_decode(str bytes, str id, struct arena *arena, struct search_job *ret_job)
{
    const struct json *value = json_decode(bytes, arena);
    int64_t version, state;
    struct search_job job = { .id = id, .condition = json_get(value, STR("condition")) };
    if (!job.condition || !text_of(value, STR("name"), &job.name) ||
        !text_of(value, STR("reason"), &job.reason) ||
        !json_int64(json_get(value, STR("version")), &version) ||
        !json_int64(json_get(value, STR("state")), &state) || state < 0 || state >= SEARCH_STATE_COUNT ||
        !json_int64(json_get(value, STR("created")), &job.created_ms) ||
        !json_int64(json_get(value, STR("ended")), &job.ended_ms) ||
        !json_int64(json_get(value, STR("count")), &job.count))
        return false;
    job.version = (int32_t)version;
    job.is_past = json_int64(json_get(value, STR("at")), &job.at_ms);
    job.state = (enum search_state)state;
    *ret_job = job;
    return true;
}

enum status search_record_fail(str id, struct error *err)
{
    return fail_code(err, ST_NOT_FOUND, "SEARCH_JOB_NOT_FOUND",
                     "there is no search %.*s, or its time is over", STR_ARG(id));
}

void search_record_answer(const struct search_job *job, struct call *call)
{
    call->value.search_job = (struct answer_search_job){
        .id = arena_str(call->arena, job->id),
        .state = job->state,
        .created_ms = job->created_ms,
        .ended_ms = job->ended_ms,
        .total = job->count,
        .reason = arena_str(call->arena, job->reason),
    };
}

/* ---- hits ---- */

str search_record_pack(const struct search_target *target, size_t count, struct arena *arena)
{
    struct buf bytes;
    buf_init(&bytes, arena);
    for (size_t i = 0; i < count; i++) {
        add_number(&bytes, target[i].instance);
        add_number(&bytes, (uint64_t)target[i].created_ms);
    }
    return buf_str(&bytes);
}

size_t search_record_unpack(str bytes, struct arena *arena, struct search_target **ret_target)
{
    size_t count = bytes.n / TARGET_BYTES;
    *ret_target = arena_make_n(arena, struct search_target, count);
    for (size_t i = 0; i < count; i++)
        (*ret_target)[i] = (struct search_target){ number_at(bytes, i * TARGET_BYTES),
                                                   (int64_t)number_at(bytes, i * TARGET_BYTES + 8) };
    return count;
}
