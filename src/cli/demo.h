/* cli/demo.h — `serve --demo`: two definitions to try and a worker for their jobs.
 *
 * The worker is a client like any other: a thread that talks HTTP to the server's port.
 */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include "base/status.h"

struct demo;

/* Starts the thread, which deploys, prints what to try next, and works until demo_stop(). */
enum status demo_start(str url, str secret, struct demo **ret_demo, struct error *err);

/* Tells the thread to end after its current request; does not wait. NULL is allowed. */
void demo_stop(struct demo *demo);

/* Waits for the thread. The server must have answered or dropped its request. */
void demo_free(struct demo *demo);

#endif
