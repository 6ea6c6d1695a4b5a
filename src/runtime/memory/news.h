/* runtime/memory/news.h — news of people's tasks, for those who watch their worklist.
 *
 * The newest pieces of news are kept in memory, within a budget of bytes. A piece of news has a number; who
 * has seen one number asks for what came behind it. A client that is too far behind, or saw numbers of an
 * engine before this one, is told to read the list again: the rows of the store are the truth, and news only
 * says when to look.
 */
#ifndef RUNTIME_MEMORY_NEWS_H
#define RUNTIME_MEMORY_NEWS_H

#include "runtime/call/call.h"
#include "runtime/memory/deadlines.h"

struct definition;
struct effects;
struct news_item;
struct news_watcher;

struct news {
    struct deadlines *deadlines;
    uint64_t epoch; /* Tells this engine's numbers from those of others. */
    uint64_t last;  /* The newest number. */
    struct news_item *first, *newest;
    size_t bytes;
    struct news_watcher *watcher;
    bool watched; /* Somebody has watched since the start. Before, nothing is kept. */
};

void news_init(struct news *news, struct deadlines *deadlines, int64_t now_ms);
void news_done(struct news *news);

/* Calls `see` with each task that the write opens (no `before`), closes (no `now`) or changes. */
typedef void news_change_fn(void *context, const struct task_row *before, const struct task_row *now,
                            str definition_id);
void news_each(const struct effects *effects, const struct definition *definition, news_change_fn *see,
               void *context);
/* Keeps the news of one such change; `context` is the news. */
news_change_fn news_tell_change;
/* Keeps the news of a write that has committed. */
void news_tell(struct news *news, const struct effects *effects, const struct definition *definition);

/* Answers a WATCH_TASKS if there is news for it; false: there is none. */
bool news_answer(struct news *news, struct call *call);

/* The call waits for news. */
void news_wait(struct news *news, struct call *call, int64_t until_ms);

/* Takes a waiting call that there is news for now, and answers it; NULL: there is none. */
struct call *news_take_told(struct news *news);

/* Takes the call whose time is up; any call (for a drain), or NULL. */
struct call *news_take_late(struct news *news, struct deadline *deadline);
struct call *news_take_any(struct news *news);

#endif
