/* base/lru.h — items in the order of their last use, within a budget of bytes.
 *
 * A list is any struct with two pointers to items, `newest` and `oldest`, both NULL while it is empty, and
 * two numbers, `bytes` and `bytes_max`. An item has the pointers `newer` and `older`. The caller says what an
 * item costs, and says the same when the item leaves. Lists own nothing and drop nothing: while lru_is_over()
 * is true, the caller removes the oldest items that it can spare. The arguments are evaluated more than once.
 */
#ifndef BASE_LRU_H
#define BASE_LRU_H

#include <stddef.h>

#define lru_link_(list, item)                               \
    do {                                                    \
        (item)->newer = NULL;                               \
        (item)->older = (list)->newest;                     \
        if ((list)->newest) (list)->newest->newer = (item); \
        else (list)->oldest = (item);                       \
        (list)->newest = (item);                            \
    } while (0)

#define lru_unlink_(list, item)                                  \
    do {                                                         \
        if ((item)->newer) (item)->newer->older = (item)->older; \
        else (list)->newest = (item)->older;                     \
        if ((item)->older) (item)->older->newer = (item)->newer; \
        else (list)->oldest = (item)->newer;                     \
    } while (0)

/* Puts an item in as the newest. */
#define lru_add(list, item, cost) \
    do {                          \
        lru_link_(list, item);    \
        (list)->bytes += (cost);  \
    } while (0)

/* Makes an item of the list the newest. */
#define lru_touch(list, item)           \
    do {                                \
        if ((item) != (list)->newest) { \
            lru_unlink_(list, item);    \
            lru_link_(list, item);      \
        }                               \
    } while (0)

#define lru_remove(list, item, cost) \
    do {                             \
        lru_unlink_(list, item);     \
        (list)->bytes -= (cost);     \
    } while (0)

/* True while the items cost more than the list may hold. */
#define lru_is_over(list) ((list)->bytes > (list)->bytes_max)

#endif
