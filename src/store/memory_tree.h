/* store/memory_tree.h — an ordered map whose older versions stay as they were.
 *
 * A tree is a value: tree_share() makes a second one in no time, and a change of either leaves
 * the other alone, because nodes that both use are copied on the way to the change. So a
 * transaction works on its share, and a rollback just drops it.
 *
 * Keys are bytes in byte order. A cell is what a key leads to: bytes that never change,
 * counted. Not thread-safe: trees that share nodes need one lock.
 */
#ifndef STORE_MEMORY_TREE_H
#define STORE_MEMORY_TREE_H

#include "base/str.h"

struct tree_node;

struct tree {
    struct tree_node *root;
    size_t count;
};

struct cell {
    uint32_t references;
    size_t bytes;
    _Alignas(16) char data[];
};

/* A cell with one reference, its bytes not set. */
struct cell *cell_new(size_t bytes);
void cell_unref(struct cell *cell);

struct tree tree_share(const struct tree *tree);
void tree_drop(struct tree *tree);

/* What a lookup gives: borrowed until the tree changes. A NULL key pointer: nothing found. */
struct entry_found {
    str key;
    const struct cell *cell; /* NULL where only keys matter. */
};

bool tree_has(const struct tree *tree, str key);
const struct cell *tree_get(const struct tree *tree, str key); /* NULL if absent. */

/* Puts or replaces; takes the reference to the cell. */
void tree_put(struct tree *tree, str key, struct cell *cell);
/* False if it was not there. */
bool tree_remove(struct tree *tree, str key);

/* The first entry whose key is at or behind `from`; the last one before `to`. False: none. */
bool tree_at_or_after(const struct tree *tree, str from, struct entry_found *ret_found);
bool tree_before(const struct tree *tree, str to, struct entry_found *ret_found);
/* The entry right behind a key. */
bool tree_after(const struct tree *tree, str key, struct entry_found *ret_found);

#endif
