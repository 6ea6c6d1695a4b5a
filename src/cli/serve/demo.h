/* cli/serve/demo.h — `serve --demo`: something to see, and a worker for its jobs.
 *
 * A thread publishes examples and begins runs in all states, once for each data directory, then works on
 * their jobs. It is a client like any other and talks HTTP to the server's port.
 */
#ifndef CLI_SERVE_DEMO_H
#define CLI_SERVE_DEMO_H

#include "base/status.h"

struct demo;

/* Starts the thread, which fills the engine, prints what to try next, and works until demo_stop(). */
enum status demo_start(str url, str secret, struct demo **ret_demo, struct error *err);

/* Tells the thread to end after its current request; does not wait. NULL is allowed. */
void demo_stop(struct demo *demo);

/* Waits for the thread. The server must have answered or dropped its request. */
void demo_free(struct demo *demo);

#endif
