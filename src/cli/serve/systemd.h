/* cli/serve/systemd.h — tells systemd how the engine is: ready, reloading, stopping, alive (`Type=notify`,
 * `WatchdogSec=`).
 *
 * Each call sends one datagram to the socket of NOTIFY_SOCKET, and does nothing without one.
 */
#ifndef CLI_SERVE_SYSTEMD_H
#define CLI_SERVE_SYSTEMD_H

#include <stdbool.h>
#include <stdint.h>

void systemd_ready(const char *status);
void systemd_reloading(void);
void systemd_stopping(void);

/* How often systemd wants a sign of life, in microseconds; 0: never. Another process may be meant, whose
 * child this one is. */
int64_t systemd_watchdog_us(void);
void systemd_alive(void);

#endif
