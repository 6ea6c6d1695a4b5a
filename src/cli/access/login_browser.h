/* cli/access/login_browser.h — `pawl login` by a provider, in the person's browser. */
#ifndef CLI_ACCESS_LOGIN_BROWSER_H
#define CLI_ACCESS_LOGIN_BROWSER_H

#include "cli/access/credentials.h"
#include "cli/options.h"

/* Prints an address, opens it where there is a display, and waits until the person has signed in there. 0, or
 * the exit code after the reason was printed. Fills cookie and user of the login. */
int login_browser(const struct options *options, int64_t patience_ms, struct credentials *ret_login);

#endif
