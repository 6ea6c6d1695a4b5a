/* tests/sim/generate_graph_written.c — flow graphs that were written by hand, for what random ones seldom
 * come to. "%I" is the id of the definition. */
#include "generate.h"

#define TRIGGER(name, policy)                                                                \
    "{\"id\":\"" name "\",\"type\":\"http\",\"path\":\"/%I/" name "\",\"onMatch\":\"" policy \
    "\",\"correlationExpression\":\"$.body.k\",\"timeToLive\":\"0\"}"
#define CALL(id, more) \
    "{\"id\":\"" id "\",\"type\":\"action_http\",\"config\":{\"url\":\"http://x/" id "\"}" more "}"
#define ONCE ",\"retry\":{\"maxAttempts\":1}"
#define UNDO                                                                      \
    ",\"compensation\":{\"type\":\"action_http\",\"config\":{\"url\":\"http://x/" \
    "undo\"},\"retry\":{\"maxAttempts\":2,\"initialDelay\":\"500ms\"}}"
#define IN(loop) ",\"parent\":\"" loop "\""
#define NODE(id, type) "{\"id\":\"" id "\",\"type\":\"" type "\"}"
#define SET_UP(id, type, config) "{\"id\":\"" id "\",\"type\":\"" type "\",\"config\":{" config "}}"
#define WAY(from, to) "{\"from\":\"" from "\",\"to\":\"" to "\"}"
#define PORT(from, port, to) "{\"from\":\"" from "\",\"fromPort\":\"" port "\",\"to\":\"" to "\"}"
#define IF(from, to, op, right)           \
    "{\"from\":\"" from "\",\"to\":\"" to \
    "\",\"condition\":{\"left\":\"{{ trigger.payload.a }}\",\"op\":\"" op "\",\"right\":" right "}}"
#define ELSE(from, to) "{\"from\":\"" from "\",\"to\":\"" to "\",\"default\":true}"

/* clang-format off */
static const char *const graphs[] = {
    /* Everything is undone: calls of two branches and of a loop that goes two items at a time. One trigger only wakes. */
    "\"settings\":{\"onFailure\":\"compensate\",\"maxActiveInstances\":3,\"overflowPolicy\":\"Queue\"},"
    "\"triggers\":[" TRIGGER("t0", "MapOrCreate") "," TRIGGER("t1", "MapOrDiscard") "," TRIGGER("t2", "MapOrReplace") "],"
    "\"nodes\":[" NODE("split", "parallel") "," CALL("a", UNDO) "," CALL("b", UNDO) ","
    SET_UP("w", "wait_event", "\"trigger\":\"t1\",\"early\":false,\"timeout\":\"9s\"") "," NODE("join", "parallel") ","
    SET_UP("loop", "for_each", "\"items\":\"{{ trigger.payload.items }}\",\"mode\":\"parallel\",\"maxConcurrency\":2") ","
    CALL("c", IN("loop") UNDO) "," CALL("d", IN("loop") UNDO ONCE) "," CALL("last", ONCE) "],"
    "\"edges\":[" WAY("t0", "split") "," WAY("t2", "split") "," WAY("split", "a") "," WAY("split", "b") "," WAY("split", "w") ","
    WAY("a", "join") "," WAY("b", "join") "," WAY("w", "join") "," PORT("w", "timeout", "join") "," WAY("join", "loop") ","
    PORT("loop", "body", "c") "," WAY("c", "d") "," PORT("loop", "done", "last") "]",
    /* An inclusive join behind error ports, a way that goes past it, and a delay. */
    "\"triggers\":[" TRIGGER("t0", "AlwaysCreate") "],\"nodes\":[" NODE("m", "match") "," CALL("a", ONCE) "," CALL("b", "") ","
    SET_UP("z", "delay", "\"duration\":\"4s\"") "," NODE("d", "decision") "," NODE("e", "end") "," NODE("j", "match") ","
    CALL("f", "") "],\"edges\":[" WAY("t0", "m") "," IF("m", "a", "gt", "2") "," IF("m", "d", "lt", "8") "," IF("m", "z", "gt", "4") ","
    ELSE("m", "b") "," WAY("a", "j") "," PORT("a", "error", "b") "," WAY("b", "j") "," WAY("z", "j") "," IF("d", "e", "gt", "5") ","
    ELSE("d", "j") "," WAY("j", "f") "]",
    /* Two of three are enough, in each item, and the third is absorbed. */
    "\"settings\":{\"maxActiveInstances\":2},\"triggers\":[" TRIGGER("t0", "MapOrCreate") "," TRIGGER("t1", "AlwaysCreate") "],"
    "\"nodes\":[" SET_UP("loop", "for_each", "\"items\":[1,2,3,4],\"mode\":\"parallel\",\"maxConcurrency\":3,\"onItemError\":\"continue\"") ","
    "{\"id\":\"s\",\"type\":\"parallel\",\"parent\":\"loop\"}," CALL("a", IN("loop")) "," CALL("b", IN("loop") ONCE) "," CALL("c", IN("loop")) ","
    "{\"id\":\"q\",\"type\":\"parallel\",\"parent\":\"loop\",\"config\":{\"join\":{\"mode\":\"quorum\",\"count\":2,\"cancelRemaining\":false}}},"
    CALL("after", IN("loop")) "],\"edges\":[" WAY("t0", "loop") "," WAY("t1", "loop") "," PORT("loop", "body", "s") "," WAY("s", "a") ","
    WAY("s", "b") "," WAY("s", "c") "," WAY("a", "q") "," WAY("b", "q") "," WAY("c", "q") "," WAY("q", "after") "]",
    /* The first of three goes on, and a loop is cut short. */
    "\"settings\":{\"onFailure\":\"compensate\"},\"triggers\":[" TRIGGER("t0", "MapOrReplace") "],\"nodes\":[" NODE("s", "parallel") ","
    SET_UP("loop", "for_each", "\"items\":\"{{ trigger.payload.items }}\"") "," CALL("c", IN("loop") UNDO) "," SET_UP("z", "delay", "\"duration\":\"3s\"") ","
    CALL("b", UNDO) "," SET_UP("any", "parallel", "\"join\":{\"mode\":\"any\"}") "," CALL("after", ONCE) "],\"edges\":[" WAY("t0", "s") ","
    WAY("s", "loop") "," PORT("loop", "body", "c") "," WAY("s", "z") "," WAY("s", "b") "," PORT("loop", "done", "any") "," WAY("z", "any") ","
    WAY("b", "any") "," WAY("any", "after") "]",
    /* What undoes a visit does not wait, and there is more to undo than a small budget allows. */
    "\"settings\":{\"onFailure\":\"compensate\"},\"triggers\":[" TRIGGER("t0", "AlwaysCreate") "],\"nodes\":["
    SET_UP("loop", "for_each", "\"items\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]") ","
    "{\"id\":\"v\",\"type\":\"set_variables\",\"config\":{\"values\":{\"x\":1}},\"parent\":\"loop\",\"compensation\":\"u\"},"
    SET_UP("u", "set_variables", "\"values\":{\"x\":0}") "," CALL("z", ONCE) "],\"edges\":[" WAY("t0", "loop") ","
    PORT("loop", "body", "v") "," PORT("loop", "done", "z") "]",
    /* Two inclusive joins wait for each other: the first one opens. */
    "\"triggers\":[" TRIGGER("t0", "MapOrCreate") "],\"nodes\":[" NODE("s", "parallel") "," NODE("j1", "match") "," NODE("j2", "match") ","
    CALL("a", "") "," NODE("d", "decision") "," NODE("e", "end") "],\"edges\":[" WAY("t0", "s") "," WAY("s", "j1") "," WAY("s", "j2") ","
    WAY("j1", "a") "," WAY("a", "j2") "," WAY("j2", "d") "," IF("d", "j1", "gt", "99") "," ELSE("d", "e") "]",
    /* One at a time, the others wait in turn, and what waited may meet an instance with its key. */
    "\"settings\":{\"maxActiveInstances\":1,\"overflowPolicy\":\"Queue\"},\"triggers\":[" TRIGGER("t0", "MapOrCreate") ","
    TRIGGER("t1", "AlwaysCreate") "," TRIGGER("t2", "MapOrReplace") "],\"nodes\":[" CALL("a", "") ","
    SET_UP("w", "wait_event", "\"trigger\":\"t0\",\"early\":false,\"timeout\":\"3s\"") "],\"edges\":[" WAY("t0", "a") "," WAY("t1", "a") ","
    WAY("t2", "a") "," WAY("a", "w") "]",
    /* Tokens that two triggers let in meet at a join, as often as both come. */
    "\"triggers\":[" TRIGGER("t0", "MapOrCreate") "," TRIGGER("t1", "MapOrDiscard") "],\"nodes\":[" NODE("s", "parallel") "," CALL("a", "") ","
    SET_UP("z", "delay", "\"duration\":\"20s\"") "," CALL("b", ONCE) "," NODE("j", "parallel") "," CALL("c", "") "],\"edges\":[" WAY("t0", "s") ","
    WAY("s", "a") "," WAY("s", "z") "," WAY("t1", "b") "," WAY("a", "j") "," WAY("b", "j") "," WAY("j", "c") "]",
};
/* clang-format on */

str generate_written_graph(struct world *world, str id)
{
    const char *graph = graphs[world_below(world, COUNT(graphs))];
    struct buf out;
    buf_init(&out, &world->arena);
    buf_printf(&out, "{\"dialect\":\"graph/1\",\"definitionId\":\"%.*s\",\"name\":\"Graph %u\",", STR_ARG(id),
               world_below(world, 1000));
    for (; *graph; graph++) {
        if (*graph != '%') buf_add_char(&out, *graph);
        else buf_add_str(&out, id), graph++;
    }
    buf_add_char(&out, '}');
    return buf_str(&out);
}
