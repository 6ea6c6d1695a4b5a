/* runtime/memory/task_feed.h — news of people's tasks, for those who watch their worklist.
 *
 * The newest pieces of news are kept in memory, within a budget of bytes. A piece of news has a number; who
 * has seen one number asks for what came behind it. A client that is too far behind, or saw numbers of an
 * engine before this one, is told to read the list again: the rows of the store are the truth, and news only
 * says when to look.
 */
#ifndef RUNTIME_MEMORY_TASK_FEED_H
#define RUNTIME_MEMORY_TASK_FEED_H

#include "runtime/call/call.h"
#include "runtime/memory/deadlines.h"

struct definition;
struct effects;
struct task_feed_item;
struct task_feed_watcher;

struct task_feed {
    struct deadlines *deadlines;
    uint64_t epoch; /* Tells this engine's numbers from those of others. */
    uint64_t last;  /* The newest number. */
    struct task_feed_item *first, *newest;
    size_t bytes;
    struct task_feed_watcher *watcher;
    bool watched; /* Somebody has watched since the start. Before, nothing is kept. */
};

void task_feed_init(struct task_feed *task_feed, struct deadlines *deadlines, int64_t now_ms);
void task_feed_done(struct task_feed *task_feed);

/* Calls `see` with each task that the write opens (no `before`), closes (no `now`) or changes. */
typedef void task_feed_change_fn(void *context, const struct task_row *before, const struct task_row *now,
                                 str definition_id);
void task_feed_each(const struct effects *effects, const struct definition *definition,
                    task_feed_change_fn *see, void *context);
/* Keeps the news of one such change; `context` is the news. */
task_feed_change_fn task_feed_publish_change;
/* Keeps the news of a write that has committed. */
void task_feed_publish(struct task_feed *task_feed, const struct effects *effects,
                       const struct definition *definition);

/* Answers a WATCH_TASKS if there is news for it; false: there is none. */
bool task_feed_answer(struct task_feed *task_feed, struct call *call);

/* The call waits for news. */
void task_feed_wait(struct task_feed *task_feed, struct call *call, int64_t until_ms);

/* Takes a waiting call that there is news for now, and answers it; NULL: there is none. */
struct call *task_feed_take_told(struct task_feed *task_feed);

/* Takes the call whose time is up; any call (for a drain), or NULL. */
struct call *task_feed_take_late(struct task_feed *task_feed, struct deadline *deadline);
struct call *task_feed_take_any(struct task_feed *task_feed);

#endif
