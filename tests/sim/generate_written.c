/* tests/sim/generate_written.c — flows that chance would make too seldom. They keep the rules of flow.h,
 * too. %C is a definition that may be started, %A and %B are two triggers of the flow's own. */
#include "generate.h"

#include "base/buf.h"

static const char *const flows[] = {
    /* A child is awaited while something beside it fails: the child has to go. */
    "\"startsAt\":\"s1\",\"functions\":[{\"name\":\"f0\",\"resource\":\"local:j0\"}],\"states\":["
    "{\"name\":\"s1\",\"type\":\"PARALLEL\",\"branches\":["
    "{\"name\":\"b0\",\"waitForCompletion\":true,\"startsAt\":\"s2\",\"states\":[{\"name\":\"s2\",\"type\":"
    "\"SUBFLOW\","
    "\"workflowId\":\"%C\",\"waitForCompletion\":true,\"end\":true}]},"
    "{\"name\":\"b1\",\"waitForCompletion\":true,\"startsAt\":\"s3\",\"states\":[{\"name\":\"s3\",\"type\":"
    "\"OPERATION\","
    "\"actions\":[{\"functionref\":{\"refname\":\"f0\"},\"timeout\":\"PT2S\",\"retry\":[{\"condition\":\"$."
    "exception.name eq 'E2'\","
    "\"max\":2,\"interval\":\"PT1S\"}]}],\"end\":true}]}],"
    "\"onError\":[{\"condition\":\"$.exception != null\",\"transition\":\"s4\"}],\"transition\":\"s4\"},"
    "{\"name\":\"s4\",\"type\":\"RELAY\",\"end\":true}]",

    /* Three races inside each other; whoever is first, the others go on alone. */
    "\"startsAt\":\"s1\",\"functions\":[{\"name\":\"f0\",\"resource\":\"local:j0\"},{\"name\":\"f1\","
    "\"resource\":\"http://x/1\"}],"
    "\"triggers\":[{\"name\":\"t0\",\"source\":\"/"
    "sim\",\"type\":\"ty0\",\"correlationToken\":\"tok\"}],\"states\":["
    "{\"name\":\"s1\",\"type\":\"PARALLEL\",\"branches\":["
    "{\"name\":\"b0\",\"startsAt\":\"s2\",\"states\":[{\"name\":\"s2\",\"type\":\"DELAY\",\"timeDelay\":"
    "\"PT20S\",\"transition\":\"s3\"},"
    "{\"name\":\"s3\",\"type\":\"SUBFLOW\",\"workflowId\":\"%C\",\"waitForCompletion\":true,\"end\":true}]},"
    "{\"name\":\"b1\",\"startsAt\":\"wait-t0-t0-4\",\"states\":[{\"name\":\"wait-t0-t0-4\",\"type\":"
    "\"EVENT\",\"eventActions\":["
    "{\"condition\":\"t0\",\"timeout\":\"PT5S\",\"actions\":[]}],\"end\":true}]},"
    "{\"name\":\"b2\",\"startsAt\":\"s5\",\"states\":[{\"name\":\"s5\",\"type\":\"OPERATION\",\"actionMode\":"
    "\"PARALLEL\",\"actions\":["
    "{\"functionref\":{\"refname\":\"f0\"},\"timeout\":\"PT2S\"},{\"functionref\":{\"refname\":\"f1\"}}],"
    "\"end\":true}]}],"
    "\"transition\":\"s6\"},{\"name\":\"s6\",\"type\":\"RELAY\",\"end\":true}]",

    /* One child after the other, and one nobody waits for. */
    "\"startsAt\":\"s1\",\"states\":[{\"name\":\"s1\",\"type\":\"RELAY\",\"inject\":{\"list\":[{\"n\":1},{"
    "\"n\":2},{\"n\":3}]},"
    "\"transition\":\"s2\"},{\"name\":\"s2\",\"type\":\"SUBFLOW\",\"workflowId\":\"%C\","
    "\"waitForCompletion\":true,"
    "\"loop\":{\"inputCollection\":\"$.list\",\"outputCollection\":\"$.out\"},"
    "\"onError\":[{\"condition\":\"$.exception != null\",\"transition\":\"s3\"}],\"transition\":\"s3\"},"
    "{\"name\":\"s3\",\"type\":\"SUBFLOW\",\"workflowId\":\"%C\",\"end\":true}]",

    /* Begun by an event, gone on by others, in the order in which they come; or too late. */
    "\"startsAt\":\"wait-t%A-t%B-1\",\"triggers\":["
    "{\"name\":\"t%A\",\"source\":\"/sim\",\"type\":\"ty%A\",\"correlationToken\":\"$.who\"},"
    "{\"name\":\"t%B\",\"source\":\"/sim\",\"type\":\"ty%B\",\"correlationToken\":\"tok\"}],"
    "\"functions\":[{\"name\":\"f0\",\"resource\":\"local:j0\"}],\"states\":["
    "{\"name\":\"wait-t%A-t%B-1\",\"type\":\"EVENT\",\"eventActions\":["
    "{\"condition\":\"t%A and "
    "t%B\",\"timeout\":\"PT5S\",\"actions\":[{\"functionref\":{\"refname\":\"f0\"}}],\"transition\":\"s2\"},"
    "{\"condition\":\"t%A and not "
    "t%B\",\"timeout\":\"PT20S\",\"actions\":[],\"transition\":\"wait-t%A-t%B-3\"}],"
    "\"onError\":[{\"condition\":\"$.exception.name matches 'Timeout'\",\"transition\":\"s2\"}]},"
    "{\"name\":\"wait-t%A-t%B-3\",\"type\":\"EVENT\",\"eventActions\":["
    "{\"condition\":\"t%A and t%B\",\"actions\":[],\"transition\":\"s2\"}]},"
    "{\"name\":\"s2\",\"type\":\"RELAY\",\"end\":true}]",

    /* Tried again for each reason there is, and out by another way. */
    "\"startsAt\":\"s1\",\"functions\":[{\"name\":\"f0\",\"resource\":\"local:j0\"}],\"states\":["
    "{\"name\":\"s1\",\"type\":\"OPERATION\",\"actions\":[{\"functionref\":{\"refname\":\"f0\"},\"timeout\":"
    "\"PT2S\",\"retry\":["
    "{\"condition\":\"$.exception.name eq 'E1'\",\"interval\":\"R2/PT1S\",\"transition\":\"s2\"},"
    "{\"condition\":\"$.again == true\",\"max\":1},{\"condition\":\"$.exception != "
    "null\",\"interval\":\"PT2S\",\"max\":3}]}],"
    "\"loop\":{\"inputCollection\":\"$.list\",\"outputCollection\":\"$.out\"},\"transition\":\"s2\"},"
    "{\"name\":\"s2\",\"type\":\"RELAY\",\"end\":true}]",
};

str generate_written_flow(struct world *world, str id, const struct flow_children *children)
{
    const char *flow = flows[world_below(world, COUNT(flows))];
    struct buf out;
    buf_init(&out, &world->arena);
    buf_printf(&out, "{\"id\":\"%.*s\",\"name\":\"Flow %.*s, of %u\",", STR_ARG(id), STR_ARG(id),
               world_below(world, 1000));
    for (; *flow; flow++) {
        if (*flow != '%') {
            buf_add_char(&out, *flow);
            continue;
        }
        flow++;
        if (*flow == 'C') buf_add_str(&out, children->count ? children->child[0] : STR("nowhere"));
        else buf_printf(&out, "%u", generate_own_trigger(children) + (*flow == 'B'));
    }
    buf_add_char(&out, '}');
    return buf_str(&out);
}
