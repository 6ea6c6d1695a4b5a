/* access/directory_audited.c — chains of the audit that have moved since somebody looked. */
#include "access/directory_int.h"

void directory_note_audited(struct directory *directory, struct audited_chain chain)
{
    size_t i = 0;
    directory_lock(directory);
    while (i < directory->audited_count &&
           (directory->audited[i].tenant != chain.tenant || directory->audited[i].node != chain.node))
        i++;
    if (i == DIRECTORY_AUDITED_MAX) directory->audited_all = true;
    else if (i == directory->audited_count) directory->audited[directory->audited_count++] = chain;
    directory_unlock(directory);
}

void directory_note_audited_again(struct directory *directory)
{
    directory_lock(directory);
    directory->audited_all = true;
    directory_unlock(directory);
}

size_t directory_take_audited(struct directory *directory,
                              struct audited_chain ret_chain[DIRECTORY_AUDITED_MAX], bool *ret_all)
{
    directory_lock(directory);
    size_t count = directory->audited_count;
    memcpy(ret_chain, directory->audited, count * sizeof *ret_chain);
    *ret_all = directory->audited_all;
    directory->audited_count = 0;
    directory->audited_all = false;
    directory_unlock(directory);
    return count;
}
