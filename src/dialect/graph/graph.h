/* dialect/graph/graph.h — the dialect of flow graphs: nodes, edges between them, and triggers that start
 * them. */
#ifndef DIALECT_GRAPH_GRAPH_H
#define DIALECT_GRAPH_GRAPH_H

#include "dialect/dialect.h"

extern const struct dialect dialect_graph;

#endif
