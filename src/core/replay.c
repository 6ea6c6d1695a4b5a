/* core/replay.c — a state from its history. */

#include "core/change_int.h"

enum status core_replay(const struct program *program, const struct instance *before,
                        const struct created *created, const struct history *history, struct arena *arena,
                        const struct instance **ret_after, struct error *err)
{
    if ((history->command == COMMAND_START) != (before == NULL))
        return fail(err, ST_INTERNAL, "", "a history begins with a start, and only there is one");
    uint32_t revision = before ? before->revision + 1 : 1;
    if (history->revision != revision)
        return fail(err, ST_INTERNAL, "", "history of revision %u where %u is next", history->revision,
                    revision);
    must(before || created);

    struct change change;
    change_begin(&change, program, before, created, history->at_ms, arena);
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        uint32_t node = NODE_NONE;
        if (program && entry->node.n) {
            node = program_find(program, entry->node);
            if (node == NODE_NONE)
                return fail(err, ST_INTERNAL, "", "the history names a node \"%.*s\" that the program lacks",
                            STR_ARG(entry->node));
        }
        TRY(apply_entry(&change, entry, node, err));
    }
    change.instance->revision = revision;
    *ret_after = change.instance;
    return ST_OK;
}
