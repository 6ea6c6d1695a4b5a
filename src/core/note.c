/* core/note.c — the history of a step: each entry is recorded, and applied to the working copy. */

#include "core/core_int.h"

static void record(struct step *step, const struct entry *entry)
{
    if (step->entry_count == step->entry_cap) {
        step->entry_cap = step->entry_cap ? step->entry_cap * 2 : 16;
        struct entry *more = arena_alloc(step->arena, step->entry_cap * sizeof *more);
        if (step->entry_count) memcpy(more, step->entry, step->entry_count * sizeof *more);
        step->entry = more;
    }
    step->entry[step->entry_count++] = *entry;
}

/* A token that fails gives its events back. */
static bool changes_mail(enum entry_kind kind)
{
    return kind == ENTRY_KIND_MAIL_IN || kind == ENTRY_KIND_MAIL_OUT || kind == ENTRY_KIND_MAIL_TAKE ||
           kind == ENTRY_KIND_SIGNAL_IN || kind == ENTRY_KIND_ARRIVAL_IN || kind == ENTRY_KIND_FAIL;
}

void note_at(struct step *step, const struct entry *entry, uint32_t node)
{
    record(step, entry);
    if (changes_mail(entry->kind)) step->first_mail = NULL;
    must(apply_entry(&step->change, entry, node, NULL) == ST_OK);
}

void note(struct step *step, const struct entry *entry) { note_at(step, entry, NODE_NONE); }

void note_data(struct step *step, const struct entry *entry, const struct json *merged)
{
    record(step, entry);
    change_data(&step->change, entry->kind == ENTRY_KIND_SCOPE_DATA ? entry->scope : 0, merged);
}

void note_status(struct step *step, enum instance_status status, str reason)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_STATUS, .status = status, .reason = reason });
}

void note_code(struct step *step, str code)
{
    if (str_equal(step->instance->failure_code, code)) return;
    note(step, &(struct entry){ .kind = ENTRY_KIND_CODE, .code = code });
}

void note_scope_close(struct step *step, uint32_t scope)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_SCOPE_CLOSE, .scope = scope });
}
