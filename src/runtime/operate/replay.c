/* runtime/operate/replay.c — how an instance began.
 *
 * The first command's history has the data that the start put: the input or, if the instance began by an
 * arrival, what the arrival's assignments made of its value. The first of them keeps the value as it is.
 */
#include "runtime/operate/replay.h"

#include "json/json.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* The data that the start itself put, before any node ran. */
static const struct json *input_of(const struct history *history, struct arena *arena, str *ret_arrival,
                                   bool *ret_is_test)
{
    const struct json *data = json_empty_object();
    *ret_arrival = STR_NONE;
    *ret_is_test = false;
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind == ENTRY_KIND_ENTER) break;
        if (entry->kind == ENTRY_KIND_ARRIVE) *ret_arrival = entry->arrival;
        if (entry->kind == ENTRY_KIND_TEST) *ret_is_test = entry->is_test != 0;
        bool puts = entry->kind == ENTRY_KIND_DATA || entry->kind == ENTRY_KIND_SCOPE_DATA;
        if (!puts || entry->execution) continue;
        data = entry->merge == MERGE_REPLACE ? entry->data : json_merge(data, entry->data, arena);
    }
    return data;
}

enum status replay_beginning(const struct program *program, str bytes, struct arena *arena,
                             struct call_start *start, struct error *err)
{
    struct history history;
    str arrival;
    TRY(history_decode(bytes, arena, &history, err));
    const struct json *data = input_of(&history, arena, &arrival, &start->is_test);
    start->data = data;
    if (!arrival.n) return ST_OK;
    uint32_t index = program_find_arrival(program, arrival);
    const struct program_arrival *trigger_route =
        index == ARRIVAL_NONE ? NULL : &program->rules->arrival[index];
    const struct json *value =
        trigger_route && trigger_route->output_count ? json_get(data, trigger_route->output[0].name) : NULL;
    if (!value) return fail(err, ST_CONFLICT, "", "the instance does not tell with what it began");
    const struct json *payload = json_get(value, STR("payload"));
    start->trigger = arrival;
    start->data = payload ? payload : json_null();
    return ST_OK;
}
