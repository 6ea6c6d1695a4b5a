/* dialect/show/unanswered.c — what becomes of a person's task that nobody answers, as one sentence.
 *
 * The timers of the node tell it: they remind people, hand the task to others, or let the run go on.
 */
#include "dialect/show/sentences.h"

#include "base/duration.h"
#include "base/must.h"
#include "core/task.h"
#include "dialect/limits.h"

static void say_after(const struct program_timer *timer, struct buf *out)
{
    char words[DURATION_WORDS_BYTES];
    if (timer->when || timer->at_ms) {
        buf_add_str(out, STR("when its time is over"));
        return;
    }
    duration_print_words(timer->delay_ms, words, sizeof words);
    buf_printf(out, "after %s", words);
}

/* The step that a reader knows: the front end's own nodes lead to it. NULL: there is none. */
static const struct program_node *step_at(const struct program *program, uint32_t index)
{
    for (size_t hops = 0; index < program->node_count && hops < program->node_count; hops++) {
        const struct program_node *node = &program->node[index];
        if (!node->inner) return node;
        if (node->edge_count != 1) return NULL;
        index = node->edge[0].target;
    }
    return NULL;
}

static size_t say_names(const struct json *names, size_t said, struct buf *out)
{
    size_t cursor = 0;
    for (str name; said < SHOWN_NAMES_MAX && task_next_name(names, &cursor, &name); said++)
        buf_printf(out, "%s%.*s", said ? ", " : " to ", STR_ARG(name));
    return said;
}

static void say_change(const struct json *change, struct buf *out)
{
    static const char *const whose[] = { "assignee", "assignees", "groups" };
    bool moves = false;
    for (size_t i = 0; i < COUNT(whose); i++) moves = moves || json_get(change, str_of(whose[i]));
    if (!moves) {
        buf_add_str(out, STR(" it becomes more urgent"));
        return;
    }
    buf_add_str(out, STR(" it is passed on"));
    size_t said = 0;
    for (size_t i = 0; i < COUNT(whose); i++) said = say_names(json_get(change, str_of(whose[i])), said, out);
}

/* A clause about a timer; false: there is nothing to say of it. */
static bool say_timer(const struct program *program, const struct program_timer *timer, struct buf *out)
{
    const struct program_node *next = step_at(program, timer->target);
    switch (timer->does) {
    case TIMER_TASK:
        if (!timer->change) return false; /* Reminders are told together. */
        say_after(timer, out);
        say_change(timer->change, out);
        return true;
    case TIMER_GO_TO:
        say_after(timer, out);
        buf_add_str(out, timer->interrupting ? STR(" the run goes on ") : STR(" the run also does "));
        if (next)
            buf_printf(out, "%s\xe2\x80\x9c%.*s\xe2\x80\x9d", timer->interrupting ? "with " : "",
                       STR_ARG(show_title(next)));
        else buf_add_str(out, timer->interrupting ? STR("without an answer") : STR("something else"));
        return true;
    case TIMER_GO_ON:
        say_after(timer, out);
        buf_add_str(out, STR(" the run goes on without an answer"));
        return true;
    case TIMER_RAISE:
        say_after(timer, out);
        buf_add_str(out, STR(" the step fails"));
        return true;
    case TIMER_EXPIRE:
    case TIMER_GIVE_UP:
    case TIMER_FIRE: break;
    }
    return false;
}

static str reminders_of(const struct program_node *node, struct arena *arena)
{
    struct buf out;
    size_t said = 0, count = 0;
    for (size_t i = 0; i < node->timer_count; i++)
        count += node->timer[i].does == TIMER_TASK && !node->timer[i].change;
    if (!count) return STR_NONE;
    buf_init(&out, arena);
    buf_add_str(&out, count > 1 ? STR("reminders go out ") : STR("a reminder goes out "));
    for (size_t i = 0; i < node->timer_count; i++) {
        const struct program_timer *timer = &node->timer[i];
        if (timer->does != TIMER_TASK || timer->change) continue;
        if (said) buf_add_str(&out, said + 1 == count ? STR(" and ") : STR(", "));
        say_after(timer, &out);
        if (timer->every_ms) {
            char words[DURATION_WORDS_BYTES];
            duration_print_words(timer->every_ms, words, sizeof words);
            buf_printf(&out, " and again every %s", words);
        }
        said++;
    }
    must(said == count);
    return buf_str(&out);
}

str show_unanswered(const struct program *program, const struct program_node *node, struct arena *arena)
{
    str *clause = arena_make_n(arena, str, node->timer_count + 1);
    size_t count = 0;
    str reminders = reminders_of(node, arena);
    if (reminders.n) clause[count++] = reminders;
    for (size_t i = 0; i < node->timer_count; i++) {
        struct buf one;
        buf_init(&one, arena);
        if (say_timer(program, &node->timer[i], &one)) clause[count++] = buf_str(&one);
    }
    must(count <= node->timer_count + 1);
    if (!count) return STR_NONE;
    struct buf out;
    buf_init(&out, arena);
    buf_add_str(&out, STR("If nobody answers, "));
    for (size_t i = 0; i < count; i++)
        buf_printf(&out, "%s%.*s", !i ? "" : i + 1 == count ? ", and " : ", ", STR_ARG(clause[i]));
    buf_add_char(&out, '.');
    return buf_str(&out);
}
