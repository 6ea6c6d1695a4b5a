/* store/memory/tree.h — an ordered map whose older versions stay as they were.
 *
 * A tree is a value: memory_tree_share() makes a second one at once, and a change of either leaves the other
 * alone, because nodes that both use are copied on the way to the change. So a transaction works on its
 * share, and a rollback only drops it.
 *
 * Keys are bytes in byte order. A key leads to a cell: counted bytes that never change. Not thread-safe:
 * trees that share nodes need one lock.
 */
#ifndef STORE_MEMORY_TREE_H
#define STORE_MEMORY_TREE_H

#include "base/str.h"

struct tree_node;

struct memory_tree {
    struct tree_node *root;
    size_t count;
};

struct memory_cell {
    uint32_t references;
    size_t bytes;
    _Alignas(16) char data[];
};

/* A cell with one reference, its bytes not set. */
struct memory_cell *memory_cell_new(size_t bytes);
void memory_cell_unref(struct memory_cell *cell);

struct memory_tree memory_tree_share(const struct memory_tree *tree);
void memory_tree_drop(struct memory_tree *tree);

/* The result of a lookup, borrowed until the tree changes. A NULL key pointer: nothing was found. */
struct memory_found {
    str key;
    const struct memory_cell *cell; /* NULL where only keys matter. */
};

bool memory_tree_has(const struct memory_tree *tree, str key);
const struct memory_cell *memory_tree_get(const struct memory_tree *tree, str key); /* NULL if absent. */

/* Puts or replaces; takes the reference to the cell. */
void memory_tree_put(struct memory_tree *tree, str key, struct memory_cell *cell);
/* False if it was not there. */
bool memory_tree_remove(struct memory_tree *tree, str key);

/* The first entry whose key is at or behind `from`; the last one before `to`. False: none. */
bool memory_tree_at_or_after(const struct memory_tree *tree, str from, struct memory_found *ret_found);
bool memory_tree_before(const struct memory_tree *tree, str to, struct memory_found *ret_found);
/* The entry right behind a key. */
bool memory_tree_after(const struct memory_tree *tree, str key, struct memory_found *ret_found);

#endif
