/* core/entry.c — the kinds of history entries, and the slots that each uses. */

#include "core/change_int.h"

/* Every name that a kind gives to a slot is a name of that slot. */
#define OFFSET_EXECUTION offsetof(struct entry, execution)
#define OFFSET_NUMBER offsetof(struct entry, number)
#define OFFSET_NODE offsetof(struct entry, node)
#define OFFSET_SCOPE offsetof(struct entry, scope)
#define OFFSET_FROM offsetof(struct entry, from)
#define OFFSET_VALUE offsetof(struct entry, value)
#define OFFSET_TIME offsetof(struct entry, time_ms)
#define OFFSET_INSTANCE offsetof(struct entry, instance)
#define OFFSET_TEXT offsetof(struct entry, text)
#define OFFSET_JSON offsetof(struct entry, json)
#define HAS(SLOT, name) _Static_assert(offsetof(struct entry, name) == OFFSET_##SLOT, "ENTRY_MAP");
#define XX(NAME, word, fields) fields
ENTRY_MAP(XX)
#undef XX
#undef HAS

static const struct {
    const char *word;
    uint32_t slots;
} kinds[] = {
#define HAS(SLOT, name) | ENTRY_##SLOT
#define XX(NAME, word, fields) [ENTRY_KIND_##NAME] = { word, 0u fields },
    ENTRY_MAP(XX)
#undef XX
#undef HAS
};

const char *entry_word(enum entry_kind kind)
{
    must((unsigned)kind < ENTRY_KIND_COUNT);
    return kinds[kind].word;
}

uint32_t entry_slots(enum entry_kind kind)
{
    must((unsigned)kind < ENTRY_KIND_COUNT);
    return kinds[kind].slots;
}
