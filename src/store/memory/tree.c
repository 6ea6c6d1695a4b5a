/* store/memory/tree.c — a treap with counted nodes.
 *
 * The tree is ordered by key, and a heap by priority. The priority is the key's hash, so the shape depends on
 * the keys alone and is balanced well enough: the depth, and with it the recursion, stays below a hundred for
 * any number of keys that fits in memory.
 *
 * A node with one reference, reached only through nodes with one reference, belongs to this tree alone and is
 * changed in place. own() makes nodes so on the way down.
 */
#include "store/memory/tree.h"

#include "base/hash.h"
#include "base/heap.h"
#include "base/must.h"

#include <stdlib.h>

struct tree_node {
    struct tree_node *left, *right;
    struct memory_cell *cell;
    uint64_t priority;
    uint32_t references;
    size_t key_bytes;
    char key[];
};

static str key_of(const struct tree_node *node) { return (str){ node->key, node->key_bytes }; }

/* ---- references ---- */

struct memory_cell *memory_cell_new(size_t bytes)
{
    struct memory_cell *cell = malloc(sizeof *cell + bytes);
    must(cell);
    cell->references = 1;
    cell->bytes = bytes;
    heap_take(sizeof *cell + bytes);
    return cell;
}

void memory_cell_unref(struct memory_cell *cell)
{
    must(!cell || cell->references > 0);
    if (!cell || --cell->references > 0) return;
    heap_give_back(sizeof *cell + cell->bytes);
    free(cell);
}

static struct tree_node *ref(struct tree_node *node)
{
    if (node) node->references++;
    return node;
}

static void unref(struct tree_node *node)
{
    if (!node || --node->references > 0) return;
    unref(node->left);
    unref(node->right);
    memory_cell_unref(node->cell);
    heap_give_back(sizeof *node + node->key_bytes);
    free(node);
}

static struct tree_node *make_node(str key, struct memory_cell *cell)
{
    struct tree_node *node = malloc(sizeof *node + key.n);
    must(node);
    heap_take(sizeof *node + key.n);
    *node =
        (struct tree_node){ .cell = cell, .priority = hash_bytes(key), .references = 1, .key_bytes = key.n };
    if (key.n) memcpy(node->key, key.p, key.n);
    return node;
}

/* Takes a reference to a node and returns a node that only the caller has: the same one or a copy. */
static struct tree_node *own(struct tree_node *node)
{
    if (node->references == 1) return node;
    if (node->cell) node->cell->references++;
    struct tree_node *copy = make_node(key_of(node), node->cell);
    copy->left = ref(node->left);
    copy->right = ref(node->right);
    node->references--;
    return copy;
}

struct memory_tree memory_tree_share(const struct memory_tree *tree)
{
    ref(tree->root);
    return *tree;
}

void memory_tree_drop(struct memory_tree *tree)
{
    unref(tree->root);
    *tree = (struct memory_tree){ 0 };
}

/* ---- lookup ---- */

static const struct tree_node *find(const struct memory_tree *tree, str key)
{
    const struct tree_node *node = tree->root;
    while (node) {
        int order = str_compare(key, key_of(node));
        if (order == 0) return node;
        node = order < 0 ? node->left : node->right;
    }
    return NULL;
}

bool memory_tree_has(const struct memory_tree *tree, str key) { return find(tree, key); }

const struct memory_cell *memory_tree_get(const struct memory_tree *tree, str key)
{
    const struct tree_node *node = find(tree, key);
    return node ? node->cell : NULL;
}

static bool give(const struct tree_node *node, struct memory_found *ret_found)
{
    if (node) *ret_found = (struct memory_found){ .key = key_of(node), .cell = node->cell };
    return node;
}

/* The first node that is behind the key, or at it if `inclusive`. */
static const struct tree_node *first_behind(const struct memory_tree *tree, str key, bool inclusive)
{
    const struct tree_node *best = NULL;
    for (const struct tree_node *node = tree->root; node;) {
        int order = str_compare(key_of(node), key);
        bool behind = order > 0 || (inclusive && order == 0);
        if (behind) best = node;
        node = behind ? node->left : node->right;
    }
    return best;
}

bool memory_tree_at_or_after(const struct memory_tree *tree, str from, struct memory_found *ret_found)
{
    return give(first_behind(tree, from, true), ret_found);
}

bool memory_tree_after(const struct memory_tree *tree, str key, struct memory_found *ret_found)
{
    return give(first_behind(tree, key, false), ret_found);
}

bool memory_tree_before(const struct memory_tree *tree, str to, struct memory_found *ret_found)
{
    const struct tree_node *best = NULL;
    for (const struct tree_node *node = tree->root; node;) {
        bool before = str_compare(key_of(node), to) < 0;
        if (before) best = node;
        node = before ? node->right : node->left;
    }
    return give(best, ret_found);
}

/* ---- change ---- */

/* Splits an owned reference into the nodes before and the nodes behind a key that is not in it. */
static void split(struct tree_node *node, str key, struct tree_node **ret_left, struct tree_node **ret_right)
{
    if (!node) {
        *ret_left = *ret_right = NULL;
        return;
    }
    node = own(node);
    if (str_compare(key_of(node), key) < 0) {
        split(node->right, key, &node->right, ret_right);
        *ret_left = node;
    } else {
        split(node->left, key, ret_left, &node->left);
        *ret_right = node;
    }
}

/* Joins two owned references; all keys on the left are smaller. */
static struct tree_node *join(struct tree_node *left, struct tree_node *right)
{
    if (!left) return right;
    if (!right) return left;
    if (left->priority > right->priority) {
        left = own(left);
        left->right = join(left->right, right);
        return left;
    }
    right = own(right);
    right->left = join(left, right->left);
    return right;
}

static struct tree_node *insert(struct tree_node *node, struct tree_node *added)
{
    must(!added->left && !added->right && added->references == 1);
    if (!node) return added;
    if (added->priority > node->priority) {
        split(node, key_of(added), &added->left, &added->right);
        return added;
    }
    node = own(node);
    if (str_compare(key_of(added), key_of(node)) < 0) node->left = insert(node->left, added);
    else node->right = insert(node->right, added);
    return node;
}

static struct tree_node *replace(struct tree_node *node, str key, struct memory_cell *cell)
{
    must(node);
    node = own(node);
    int order = str_compare(key, key_of(node));
    if (order == 0) {
        memory_cell_unref(node->cell);
        node->cell = cell;
    } else if (order < 0) {
        node->left = replace(node->left, key, cell);
    } else {
        node->right = replace(node->right, key, cell);
    }
    return node;
}

void memory_tree_put(struct memory_tree *tree, str key, struct memory_cell *cell)
{
    if (find(tree, key)) {
        tree->root = replace(tree->root, key, cell);
    } else {
        tree->root = insert(tree->root, make_node(key, cell));
        tree->count++;
    }
}

static struct tree_node *take_out(struct tree_node *node, str key)
{
    must(node);
    node = own(node);
    int order = str_compare(key, key_of(node));
    if (order < 0) {
        node->left = take_out(node->left, key);
        return node;
    }
    if (order > 0) {
        node->right = take_out(node->right, key);
        return node;
    }
    struct tree_node *rest = join(node->left, node->right);
    node->left = node->right = NULL;
    unref(node);
    return rest;
}

bool memory_tree_remove(struct memory_tree *tree, str key)
{
    if (!find(tree, key)) return false;
    tree->root = take_out(tree->root, key);
    must(tree->count > 0);
    tree->count--;
    must(!tree->root == !tree->count);
    return true;
}
