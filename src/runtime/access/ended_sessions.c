/* runtime/access/ended_sessions.c — sessions that have ended, by name, for the directories of all nodes.
 *
 * One record counts all sessions that ever ended and has the hashes of the newest:
 *
 *     "70 5f1e… 0a44…"
 *
 * A node reads it with its heartbeat and forgets exactly these sessions. If more have ended since its last
 * look than the record names, it resolves all sessions again. A sign-out thus concerns nobody else, unlike a
 * new generation.
 */
#include "runtime/access/access_int.h"

#include "access/limits.h"
#include "base/must.h"

static const str record_key = ENDED_SESSIONS;

struct ended_list {
    uint64_t count; /* How many have ever ended. */
    struct credential_hash hash[ENDED_SESSIONS_MAX];
    size_t named; /* The newest is last. */
};

/* ---- the record ---- */

/* A damaged record names nobody. */
static void read_list(str value, struct ended_list *ret_list)
{
    *ret_list = (struct ended_list){ .count = access_rows_generation(value) };
    for (size_t space; (space = str_find(value, STR(" "), 0)) != SIZE_MAX;) {
        value = str_slice(value, space + 1, value.n);
        str text = str_slice(value, 0, str_find(value, STR(" "), 0));
        if (ret_list->named == ENDED_SESSIONS_MAX ||
            !credential_hash_parse(text, &ret_list->hash[ret_list->named]))
            return;
        ret_list->named++;
    }
}

static str write_list(const struct ended_list *list, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    buf_add_str(&out, access_rows_generation_value(list->count, arena));
    for (size_t i = 0; i < list->named; i++) {
        buf_add_char(&out, ' ');
        buf_add_str(&out, credential_hash_text(&list->hash[i], arena));
    }
    return buf_str(&out);
}

static void add(struct ended_list *list, const struct credential_hash *hash)
{
    list->count++;
    if (list->named == ENDED_SESSIONS_MAX)
        memmove(&list->hash[0], &list->hash[1], --list->named * sizeof list->hash[0]);
    list->hash[list->named++] = *hash;
    must(list->named <= ENDED_SESSIONS_MAX);
}

enum status ended_sessions_count(struct changes *changes, struct access_news *news, struct error *err)
{
    struct ended_list list;
    str value = STR_NONE;
    bool there;
    if (!changes->first_ended) return ST_OK;
    TRY(found_asked(changes_find(changes, TENANT_ANY, RECORD_ACCESS, record_key, &value, err), &there));
    read_list(there ? value : STR_NONE, &list);
    news->ended_before = list.count;
    for (const struct ended_session *one = changes->first_ended; one; one = one->next) add(&list, &one->hash);
    news->ended = list.count;
    news->first_ended = changes->first_ended;
    return changes_put(changes,
                       (struct record_row){ .kind = RECORD_ACCESS,
                                            .key = record_key,
                                            .value = write_list(&list, changes->arena) },
                       err);
}

/* ---- the directory ---- */

static enum status load(struct engine *engine, struct ended_list *ret_list, struct error *err)
{
    struct record_row row;
    struct arena arena;
    bool there = false;
    arena_init(&arena, 0);
    enum status status = found_asked(
        store_find_record(engine->store, TENANT_ANY, RECORD_ACCESS, record_key, &arena, &row, err), &there);
    read_list(status == ST_OK && there ? row.value : STR_NONE, ret_list);
    arena_done(&arena);
    return status;
}

enum status ended_sessions_open(struct engine *engine, struct error *err)
{
    struct ended_list list;
    TRY(load(engine, &list, err));
    engine->access.seen_ended = list.count;
    return ST_OK;
}

void ended_sessions_look(struct engine *engine, str value)
{
    struct access *access = &engine->access;
    struct ended_list list;
    read_list(value, &list);
    uint64_t missed = list.count - access->seen_ended;
    if (!missed) return;
    if (list.count < access->seen_ended || missed > list.named)
        directory_end_some_sessions(access->directory);
    else
        for (size_t i = list.named - (size_t)missed; i < list.named; i++)
            directory_end_session(access->directory, &list.hash[i]);
    access->seen_ended = list.count;
}

/* If another node has ended sessions in between, the next look reads all of them. */
void ended_sessions_tell(struct engine *engine, const struct access_news *news)
{
    struct access *access = &engine->access;
    must(news->ended >= news->ended_before && !news->first_ended == (news->ended == news->ended_before));
    for (const struct ended_session *one = news->first_ended; one; one = one->next)
        directory_end_session(access->directory, &one->hash);
    if (news->first_ended && news->ended_before == access->seen_ended) access->seen_ended = news->ended;
}
