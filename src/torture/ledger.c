/* torture/ledger.c — the requests of a run and their answers, which verify.c compares with the engine's. */
#include "torture/torture_int.h"

#include "base/array.h"
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_id(char *to, str id) { snprintf(to, ID_BYTES, "%.*s", STR_ARG(id)); }

void ledger_init(struct ledger *ledger)
{
    *ledger = (struct ledger){ 0 };
    pthread_mutex_init(&ledger->lock, NULL);
}

void ledger_done(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->repeat_count; i++) {
        free(ledger->repeats[i].path);
        free(ledger->repeats[i].body);
    }
    free(ledger->repeats);
    free(ledger->manual);
    free(ledger->effect);
    entity_book_done(&ledger->entities);
    pthread_mutex_destroy(&ledger->lock);
}

uint32_t ledger_begin(struct ledger *ledger, enum effect_kind kind, char step, str instance)
{
    pthread_mutex_lock(&ledger->lock);
    array_reserve(ledger->effect, ledger->count, ledger->cap);
    uint32_t number = (uint32_t)ledger->count++;
    struct effect *effect = &ledger->effect[number];
    *effect = (struct effect){ .kind = (uint8_t)kind, .step = step };
    set_id(effect->instance, instance);
    pthread_mutex_unlock(&ledger->lock);
    return number;
}

enum effect_kind ledger_kind(struct ledger *ledger, uint32_t number)
{
    pthread_mutex_lock(&ledger->lock);
    enum effect_kind kind = (enum effect_kind)ledger->effect[number].kind;
    pthread_mutex_unlock(&ledger->lock);
    return kind;
}

void ledger_acknowledge(struct ledger *ledger, uint32_t number, bool binding, str instance)
{
    pthread_mutex_lock(&ledger->lock);
    struct effect *effect = &ledger->effect[number];
    /* After a cut it is unknown which attempt took effect, but a start took effect once. */
    bool first = !effect->acked && !effect->cut;
    effect->acked = true;
    effect->binding = binding && (first || effect->kind == EFFECT_START);
    if (instance.n) set_id(effect->instance, instance);
    if (effect->kind == EFFECT_START && first) ledger->started++;
    pthread_mutex_unlock(&ledger->lock);
}

void ledger_cut(struct ledger *ledger, uint32_t number, const char *path, str body, bool may_repeat)
{
    pthread_mutex_lock(&ledger->lock);
    ledger->effect[number].cut = true;
    if (may_repeat) {
        array_reserve(ledger->repeats, ledger->repeat_count, ledger->repeat_cap);
        struct repeat repeat = { .effect = number,
                                 .path = strdup(path),
                                 .body = strndup(body.p ? body.p : "", body.n) };
        must(repeat.path && repeat.body);
        ledger->repeats[ledger->repeat_count++] = repeat;
    }
    pthread_mutex_unlock(&ledger->lock);
}

bool ledger_take_repeat(struct ledger *ledger, struct lot *lot, struct repeat *ret_repeat)
{
    pthread_mutex_lock(&ledger->lock);
    bool found = ledger->repeat_count > 0;
    if (found) {
        size_t i = lot_draw(lot, ledger->repeat_count);
        *ret_repeat = ledger->repeats[i];
        ledger->repeats[i] = ledger->repeats[--ledger->repeat_count];
    }
    pthread_mutex_unlock(&ledger->lock);
    return found;
}

void ledger_add_manual(struct ledger *ledger, str instance, char step)
{
    pthread_mutex_lock(&ledger->lock);
    array_reserve(ledger->manual, ledger->manual_count, ledger->manual_cap);
    struct manual_step *manual = &ledger->manual[ledger->manual_count++];
    set_id(manual->instance, instance);
    manual->step = step;
    pthread_mutex_unlock(&ledger->lock);
}

bool ledger_take_manual(struct ledger *ledger, struct lot *lot, struct manual_step *ret_step)
{
    pthread_mutex_lock(&ledger->lock);
    bool found = ledger->manual_count > 0;
    if (found) {
        size_t i = lot_draw(lot, ledger->manual_count);
        *ret_step = ledger->manual[i];
        ledger->manual[i] = ledger->manual[--ledger->manual_count];
    }
    pthread_mutex_unlock(&ledger->lock);
    return found;
}

void ledger_note_end(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->lock);
    ledger->ended++;
    pthread_mutex_unlock(&ledger->lock);
}

size_t ledger_live(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->lock);
    size_t live = ledger->started > ledger->ended ? ledger->started - ledger->ended : 0;
    pthread_mutex_unlock(&ledger->lock);
    return live;
}
