/* cli/folder/circles.c — definitions of a folder that start each other in a circle.
 *
 * Runs of such a circle may start runs without end, so a folder with one is refused unless its author says
 * that it ends. A definition that starts itself is no circle: it counts its own rounds. */
#include "cli/folder/folder.h"
#include "cli/output.h"

enum mark { NEW, ON_THE_WAY, DONE };

struct round_trip {
    const struct json *results;
    struct arena *arena;
    enum mark *mark; /* For each result. */
    size_t *way;     /* The results from the first one to the one that is looked at. */
    size_t length;
    str found; /* The first one that was found, as text. */
};

static str id_at(const struct round_trip *circles, size_t i)
{
    return json_text(json_item(circles->results, i), STR("definitionId"));
}

/* SIZE_MAX: the folder does not have it. */
static size_t find(const struct round_trip *circles, str id)
{
    for (size_t i = 0; i < json_count(circles->results); i++)
        if (str_equal(id_at(circles, i), id)) return i;
    return SIZE_MAX;
}

static void tell(struct round_trip *circles, size_t first)
{
    struct buf text;
    size_t from = 0;
    buf_init(&text, circles->arena);
    while (circles->way[from] != first) from++;
    for (size_t i = from; i < circles->length; i++) {
        output_add_safe(&text, id_at(circles, circles->way[i]), false);
        buf_add_str(&text, STR(" → "));
    }
    output_add_safe(&text, id_at(circles, first), false);
    circles->found = buf_str(&text);
}

/* As deep as the folder has definitions, FOLDER_FILES_MAX at most. */
static void visit(struct round_trip *circles, size_t at)
{
    circles->mark[at] = ON_THE_WAY;
    circles->way[circles->length++] = at;
    struct json_each each = json_each(json_get(json_item(circles->results, at), STR("uses")));
    while (!circles->found.n && json_next(&each)) {
        size_t next = find(circles, json_string(each.value));
        if (next == SIZE_MAX || next == at) continue;
        if (circles->mark[next] == ON_THE_WAY) tell(circles, next);
        else if (circles->mark[next] == NEW) visit(circles, next);
    }
    circles->mark[at] = DONE;
    circles->length--;
}

str folder_circle(struct client *client, const struct json *results)
{
    size_t count = json_count(results);
    struct round_trip circles = { .results = results,
                                  .arena = client->arena,
                                  .mark = arena_make_n(client->arena, enum mark, count + 1),
                                  .way = arena_make_n(client->arena, size_t, count + 1) };
    for (size_t i = 0; i < count && !circles.found.n; i++)
        if (circles.mark[i] == NEW) visit(&circles, i);
    return circles.found;
}
