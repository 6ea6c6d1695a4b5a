/* cli/serve/audit_position.c — how far the file of --audit-file has come, kept in a file beside it.
 *
 * Its lines are "TENANT/NODE NUMBER", and the first one is the size of the audit file. It is written to
 * another name and renamed, so that it is never half there.
 */
#define _GNU_SOURCE

#include "cli/serve/audit_position.h"

#include "base/buf.h"
#include "base/must.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct audit_number {
    str chain;
    uint64_t number;
};

void audit_position_init(struct audit_position *position)
{
    *position = (struct audit_position){ 0 };
    arena_init(&position->arena, 0);
    text_map_init(&position->numbers);
}

void audit_position_done(struct audit_position *position)
{
    text_map_done(&position->numbers);
    arena_done(&position->arena);
}

static struct audit_number *find(const struct audit_position *position, int32_t tenant, int64_t node)
{
    char chain[48];
    snprintf(chain, sizeof chain, "%d/%lld", tenant, (long long)node);
    return text_map_get(&position->numbers, str_of(chain));
}

uint64_t audit_position_of(const struct audit_position *position, int32_t tenant, int64_t node)
{
    const struct audit_number *known = find(position, tenant, node);
    return known ? known->number : 0;
}

bool audit_position_has(const struct audit_position *position, int32_t tenant, int64_t node)
{
    return find(position, tenant, node) != NULL;
}

void audit_position_note(struct audit_position *position, int32_t tenant, int64_t node, uint64_t number)
{
    struct audit_number *known = find(position, tenant, node);
    if (!known) {
        known = arena_make(&position->arena, struct audit_number);
        known->chain = arena_printf(&position->arena, "%d/%lld", tenant, (long long)node);
        must(!text_map_put(&position->numbers, known->chain, known));
    }
    if (number > known->number) known->number = number;
}

enum status audit_position_load(struct audit_position *position, const char *path, struct error *err)
{
    FILE *file = fopen(path, "re");
    long long bytes = 0, node;
    unsigned long long number;
    int tenant;
    if (!file && errno == ENOENT) return ST_OK;
    if (!file) return fail(err, ST_INVALID, path, "%s: %s", path, strerror(errno));
    bool good = fscanf(file, "%lld", &bytes) == 1 && bytes >= 0;
    while (good && fscanf(file, "%d/%lld %llu", &tenant, &node, &number) == 3)
        audit_position_note(position, tenant, node, number);
    good = good && feof(file);
    fclose(file);
    position->bytes = bytes;
    return good ? ST_OK
                : fail(err, ST_INVALID, path, "%s is damaged: without it rows would come twice", path);
}

static bool write_all(FILE *file, const struct audit_position *position)
{
    size_t cursor = 0;
    fprintf(file, "%lld\n", (long long)position->bytes);
    for (const struct audit_number *known; (known = text_map_next(&position->numbers, &cursor)) != NULL;)
        fprintf(file, "%.*s %llu\n", STR_ARG(known->chain), (unsigned long long)known->number);
    return fflush(file) == 0 && fdatasync(fileno(file)) == 0;
}

enum status audit_position_save(const struct audit_position *position, const char *path, struct error *err)
{
    char next[4096];
    int n = snprintf(next, sizeof next, "%s.next", path);
    FILE *file = n > 0 && (size_t)n < sizeof next ? fopen(next, "we") : NULL;
    bool good = file && write_all(file, position);
    if (file) good = fclose(file) == 0 && good;
    if (good && rename(next, path) == 0) return ST_OK;
    return fail(err, ST_STORE, path, "%s: %s", path, strerror(errno));
}
