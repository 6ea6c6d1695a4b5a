/* base/list.h — singly linked lists with an end, mostly used as queues.
 *
 * A list is any struct with two pointers to items, `first` and `last`; both are NULL while it is empty. An
 * item has a pointer to the next one, whose name is the macros' last argument, and is in one list by that
 * pointer at most. Lists own nothing. The arguments are evaluated more than once.
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>

#define list_append(list, item, link)                  \
    do {                                               \
        (item)->link = NULL;                           \
        if ((list)->last) (list)->last->link = (item); \
        else (list)->first = (item);                   \
        (list)->last = (item);                         \
    } while (0)

#define list_prepend(list, item, link)            \
    do {                                          \
        (item)->link = (list)->first;             \
        (list)->first = (item);                   \
        if (!(list)->last) (list)->last = (item); \
    } while (0)

/* Puts an item behind the last one whose number `rank(item)` is at least as high as its own. So a list that
 * is only filled like this has its highest ranks first, and equal ones in the order in which they came. */
#define list_insert_by(list, item, link, rank)                     \
    do {                                                           \
        if (!(list)->last || rank((list)->last) >= rank(item)) {   \
            list_append(list, item, link);                         \
        } else if (rank((list)->first) < rank(item)) {             \
            list_prepend(list, item, link);                        \
        } else {                                                   \
            __typeof__((list)->first) at_ = (list)->first;         \
            while (rank(at_->link) >= rank(item)) at_ = at_->link; \
            (item)->link = at_->link;                              \
            at_->link = (item);                                    \
        }                                                          \
    } while (0)

/* Takes the first item off a list that is not empty. */
#define list_drop_first(list, link)              \
    do {                                         \
        (list)->first = (list)->first->link;     \
        if (!(list)->first) (list)->last = NULL; \
    } while (0)

/* Takes an item off, wherever in the list it is: walks to it. */
#define list_remove(list, item, link)                                  \
    do {                                                               \
        __typeof__((list)->first) before_ = NULL, at_ = (list)->first; \
        for (; at_ != (item); at_ = at_->link) before_ = at_;          \
        if (before_) before_->link = at_->link;                        \
        else (list)->first = at_->link;                                \
        if ((list)->last == at_) (list)->last = before_;               \
        at_->link = NULL;                                              \
    } while (0)

#endif
