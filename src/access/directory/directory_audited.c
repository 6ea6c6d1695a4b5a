/* access/directory/directory_audited.c — chains of the audit that have moved since the file took them. */
#include "access/directory/directory_int.h"

void directory_note_audited(struct directory *directory, struct audited_chain chain)
{
    size_t i = 0;
    directory_lock(directory);
    while (i < directory->audited_count &&
           (directory->audited[i].tenant != chain.tenant || directory->audited[i].node != chain.node))
        i++;
    if (i == DIRECTORY_AUDITED_MAX) directory->audited_all = true;
    else if (i == directory->audited_count) directory->audited[directory->audited_count++] = chain;
    directory->audited_noted++;
    directory_unlock(directory);
}

void directory_note_audited_again(struct directory *directory)
{
    directory_lock(directory);
    directory->audited_all = true;
    directory_unlock(directory);
}

void directory_take_audited(struct directory *directory, struct audited_chains *ret_chains)
{
    directory_lock(directory);
    ret_chains->count = directory->audited_count;
    memcpy(ret_chains->chain, directory->audited, directory->audited_count * sizeof *ret_chains->chain);
    ret_chains->all = directory->audited_all;
    ret_chains->mark = directory->audited_noted;
    if (directory->leaving.mark > directory->audited_ended)
        ret_chains->chain[ret_chains->count++] = directory->leaving.chain;
    directory->audited_count = 0;
    directory->audited_all = false;
    directory_unlock(directory);
}

void directory_end_audited(struct directory *directory, uint64_t mark)
{
    directory_lock(directory);
    directory->audited_ended = mark;
    directory_unlock(directory);
}

/* ---- a tenant that goes ---- */

/* The tenant gets no rows any more, so the file has all of them when it has dealt with this note. */
static void begin_leaving(struct directory *directory, struct audited_chain chain, str name)
{
    must(name.n <= ACCESS_NAME_BYTES_MAX);
    directory->leaving.chain = chain;
    directory->leaving.mark = ++directory->audited_noted;
    memcpy(directory->leaving.name, name.p, name.n);
    directory->leaving.name[name.n] = 0;
}

bool directory_is_audited_to_end(struct directory *directory, struct audited_chain chain, str name)
{
    directory_lock(directory);
    if (directory->is_followed && directory->leaving.chain.tenant != chain.tenant)
        begin_leaving(directory, chain, name);
    bool is_written = !directory->is_followed || directory->audited_ended >= directory->leaving.mark;
    directory_unlock(directory);
    return is_written;
}

str directory_audited_name(struct directory *directory, int32_t tenant, struct arena *arena)
{
    struct tenant known;
    if (directory_tenant_by_number(directory, tenant, &known)) return arena_str(arena, known.name);
    directory_lock(directory);
    bool is_leaving = directory->leaving.chain.tenant == tenant;
    str name = is_leaving ? arena_str(arena, str_of(directory->leaving.name)) : STR_NONE;
    directory_unlock(directory);
    return name;
}
