/* cli/serve/serve_audit.c — writes rows of the audit to a file.
 *
 *     the engine commits a row ──► the directory notes its chain ──► rows that the file lacks are read,
 *     appended, synchronized ──► the position is saved
 */
#define _GNU_SOURCE

#include "cli/serve/serve_audit.h"

#include "base/log.h"
#include "base/must.h"
#include "base/thread.h"
#include "cli/serve/audit_position.h"
#include "json/json.h"
#include "runtime/call/call.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 200, ROWS_AT_ONCE = 500, TENANTS_AT_ONCE = 200 };

struct serve_audit {
    char *path, *position_path;
    struct directory *directory;
    struct runtime_client *client;
    struct audit_position position;
    bool is_shared; /* Other nodes write rows, too, which are not for this file. */
    bool fails;     /* The last try failed, and the log says so. */
    pthread_t thread;
    bool runs;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool stops; /* Guarded by the mutex. */
};

/* ---- calls ---- */

static void note_done(struct call *call) { *(bool *)call->user = true; }

static struct call_origin origin_in(struct arena *arena)
{
    return (struct call_origin){ arena, note_done, arena_make(arena, bool), NULL };
}

static enum status run(struct serve_audit *audit, struct call *call, struct error *err)
{
    const struct timespec pause = { .tv_nsec = 1000 * 1000 };
    const bool *done = call->user;
    enum status status = runtime_submit(audit->client, call);
    if (status != ST_OK) return fail(err, status, "audit", "the engine takes no calls now");
    while (!*done) {
        runtime_flush(audit->client);
        runtime_deliver(audit->client);
        if (!*done) nanosleep(&pause, NULL);
    }
    if (call->status != ST_OK) *err = call->error;
    return call->status;
}

/* ---- the file ---- */

static enum status fail_file(const struct serve_audit *audit, struct error *err)
{
    return fail(err, ST_STORE, audit->path, "%s: %s", audit->path, strerror(errno));
}

/* It is opened for each batch, so that it may be renamed meanwhile. */
static enum status append(struct serve_audit *audit, str lines, struct error *err)
{
    struct stat state;
    int file = open(audit->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return fail_file(audit, err);
    bool good = true;
    for (size_t n = 0; n < lines.n && good;) {
        ssize_t written = write(file, lines.p + n, lines.n - n);
        good = written > 0 || (written < 0 && errno == EINTR);
        if (written > 0) n += (size_t)written;
    }
    good = good && fdatasync(file) == 0 && fstat(file, &state) == 0;
    enum status status = good ? ST_OK : fail_file(audit, err);
    if (good) audit->position.bytes = state.st_size;
    close(file);
    return status;
}

/* The row of a line is in the file, whatever the position says. */
static void note_line(struct serve_audit *audit, str line)
{
    struct arena arena;
    const struct json *row;
    int64_t at_ms, node;
    uint64_t number;
    arena_init(&arena, 0);
    if (json_parse(line, NULL, &arena, &row, NULL) == ST_OK &&
        audit_key_parse(json_text(row, STR("id")), &at_ms, &node, &number)) {
        int64_t known = json_integer(row, STR("tenantNumber"));
        if (known > 0) audit_position_note(&audit->position, (int32_t)known, node, number);
    }
    arena_done(&arena);
}

/* Reads the lines behind the position, and cuts off half a line at the end. */
static enum status read_rest(struct serve_audit *audit, struct error *err)
{
    FILE *file = fopen(audit->path, "r+e");
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    if (!file && errno == ENOENT) {
        audit->position.bytes = 0;
        return ST_OK;
    }
    if (!file) return fail_file(audit, err);
    struct stat state;
    bool good = fstat(fileno(file), &state) == 0;
    int64_t end = audit->position.bytes <= state.st_size ? audit->position.bytes : 0;
    good = good && fseeko(file, end, SEEK_SET) == 0;
    while (good && (n = getline(&line, &cap, file)) > 0 && line[n - 1] == '\n') {
        note_line(audit, (str){ line, (size_t)n - 1 });
        end += n;
    }
    free(line);
    if (good && end < state.st_size) good = ftruncate(fileno(file), end) == 0;
    audit->position.bytes = end;
    enum status status = good ? ST_OK : fail_file(audit, err);
    fclose(file);
    return status;
}

/* ---- rows ---- */

static void put_line(const struct audit_row *row, str id, str tenant, struct buf *out)
{
    struct buf line;
    buf_init(&line, NULL);
    audit_put_of_tenant(row, id, tenant, &line);
    buf_printf(out, "{\"tenantNumber\":%d,", row->tenant);
    buf_add_str(out, str_slice(buf_str(&line), 1, line.n));
    buf_add_char(out, '\n');
    buf_done(&line);
}

/* Is the row one that this file must have and has not? */
static bool is_missing(const struct serve_audit *audit, int32_t tenant, str id)
{
    int64_t at_ms, node;
    uint64_t number;
    if (!audit_key_parse(id, &at_ms, &node, &number)) return false;
    if (audit->is_shared && !audit_position_has(&audit->position, tenant, node)) return false;
    return number > audit_position_of(&audit->position, tenant, node);
}

/* Rows come newest first, and the file has the oldest first: the pages are read until one has nothing that
 * is missing, and written in the other order. */
static enum status read_rows(struct serve_audit *audit, int32_t tenant, struct arena *arena,
                             struct call_list *pages, struct error *err)
{
    struct call_audit_rows asked = { .max = ROWS_AT_ONCE };
    for (bool more = true; more;) {
        struct call *call = call_list_audit_rows(origin_in(arena), &asked);
        const struct answer_audit_rows *answer = &call->value.audit_rows;
        call->ns = tenant;
        TRY(run(audit, call, err));
        call->next_ = pages->first;
        pages->first = call;
        more = answer->next.n && answer->count && is_missing(audit, tenant, answer->id[answer->count - 1]);
        asked.before = answer->next;
    }
    return ST_OK;
}

/* An empty name: the directory knows it. */
static enum status write_rows(struct serve_audit *audit, int32_t tenant, str name, struct error *err)
{
    struct arena arena;
    struct call_list pages = { 0 };
    struct buf lines;
    arena_init(&arena, 0);
    buf_init(&lines, &arena);
    if (!name.n) name = directory_audited_name(audit->directory, tenant, &arena);
    enum status status = read_rows(audit, tenant, &arena, &pages, err);
    for (const struct call *page = pages.first; page && status == ST_OK; page = page->next_)
        for (size_t i = page->value.audit_rows.count; i-- > 0;)
            if (is_missing(audit, tenant, page->value.audit_rows.id[i]))
                put_line(&page->value.audit_rows.row[i], page->value.audit_rows.id[i], name, &lines);
    if (status == ST_OK && lines.n) status = append(audit, buf_str(&lines), err);
    for (const struct call *page = pages.first; page && status == ST_OK && lines.n; page = page->next_)
        for (size_t i = page->value.audit_rows.count; i-- > 0;) {
            int64_t at_ms, node;
            uint64_t number;
            str id = page->value.audit_rows.id[i];
            if (is_missing(audit, tenant, id) && audit_key_parse(id, &at_ms, &node, &number))
                audit_position_note(&audit->position, tenant, node, number);
        }
    arena_done(&arena);
    return status;
}

/* ---- the chains that have moved ---- */

/* All tenants, at the start: the engine may have written rows that the file lacks. */
static enum status write_all(struct serve_audit *audit, struct error *err)
{
    struct call_access_list asked = { .kind = ACCESS_TENANT, .max = TENANTS_AT_ONCE };
    struct arena arena;
    enum status status = ST_OK;
    arena_init(&arena, 0);
    for (bool more = true; more && status == ST_OK;) {
        struct call *call = call_list_access(origin_in(&arena), &asked);
        const struct answer_access_list *answer = &call->value.access_list;
        status = run(audit, call, err);
        for (size_t i = 0; i < answer->count && status == ST_OK; i++) {
            int64_t number = json_integer(answer->view[i], STR("number"));
            if (number > 0) status = write_rows(audit, (int32_t)number, answer->name[i], err);
        }
        more = status == ST_OK && answer->more;
        if (more) asked.after = answer->name[answer->count - 1];
    }
    arena_done(&arena);
    return status;
}

static enum status write_moved(struct serve_audit *audit, struct error *err)
{
    struct audited_chains moved;
    directory_take_audited(audit->directory, &moved);
    if (!moved.count && !moved.all) return ST_OK;
    for (size_t i = 0; i < moved.count; i++)
        audit_position_note(&audit->position, moved.chain[i].tenant, moved.chain[i].node, 0);
    enum status status = moved.all ? write_all(audit, err) : ST_OK;
    for (size_t i = 0; i < moved.count && status == ST_OK; i++)
        status = write_rows(audit, moved.chain[i].tenant, STR_NONE, err);
    if (status == ST_OK) status = audit_position_save(&audit->position, audit->position_path, err);
    if (status == ST_OK) directory_end_audited(audit->directory, moved.mark);
    else directory_note_audited_again(audit->directory);
    return status;
}

/* ---- the thread ---- */

static void look(struct serve_audit *audit)
{
    struct error err;
    bool fails = write_moved(audit, &err) != ST_OK;
    if (fails && !audit->fails)
        log_write(LOG_ERROR, "rows of the audit cannot be written to their file yet", "reason", err.message,
                  NULL);
    if (!fails && audit->fails) log_write(LOG_INFO, "rows of the audit are written again", NULL);
    audit->fails = fails;
}

static bool waits(struct serve_audit *audit)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&audit->mutex);
    if (!audit->stops) pthread_cond_timedwait(&audit->changed, &audit->mutex, &until);
    bool goes_on = !audit->stops;
    pthread_mutex_unlock(&audit->mutex);
    return goes_on;
}

static void *follow(void *context)
{
    struct serve_audit *audit = context;
    thread_name("audit");
    while (waits(audit)) look(audit);
    look(audit);
    return NULL;
}

/* ---- the interface ---- */

static enum status open_file(struct serve_audit *audit, struct error *err)
{
    TRY(audit_position_load(&audit->position, audit->position_path, err));
    TRY(read_rest(audit, err));
    directory_note_audited_again(audit->directory);
    return write_moved(audit, err);
}

enum status serve_audit_start(const char *path, bool is_shared, struct runtime *runtime,
                              struct directory *directory, struct serve_audit **ret_audit, struct error *err)
{
    struct serve_audit *audit = calloc(1, sizeof *audit);
    must(audit);
    *ret_audit = audit;
    audit->directory = directory;
    audit->is_shared = is_shared;
    audit->path = strdup(path);
    must(audit->path && asprintf(&audit->position_path, "%s.position", path) > 0);
    audit->client = runtime_client_new(runtime, &(struct runtime_client_config){ 0 });
    audit_position_init(&audit->position);
    must(pthread_mutex_init(&audit->mutex, NULL) == 0 && pthread_cond_init(&audit->changed, NULL) == 0);
    struct error why;
    enum status status = open_file(audit, &why);
    if (status != ST_OK) return fail(err, ST_INVALID, "--audit-file", "--audit-file: %s", why.message);
    must(pthread_create(&audit->thread, NULL, follow, audit) == 0);
    audit->runs = true;
    return ST_OK;
}

void serve_audit_stop(struct serve_audit *audit)
{
    if (!audit) return;
    pthread_mutex_lock(&audit->mutex);
    audit->stops = true;
    pthread_cond_signal(&audit->changed);
    pthread_mutex_unlock(&audit->mutex);
    if (audit->runs) must(pthread_join(audit->thread, NULL) == 0);
    runtime_client_free(audit->client);
    audit_position_done(&audit->position);
    pthread_cond_destroy(&audit->changed);
    pthread_mutex_destroy(&audit->mutex);
    free(audit->path);
    free(audit->position_path);
    free(audit);
}
