/* cli/serve/connection_test.h — connections that are tried, by the performers of the engine's own jobs. */
#ifndef CLI_SERVE_CONNECTION_TEST_H
#define CLI_SERVE_CONNECTION_TEST_H

#include "api/api.h"

/* The `test` of struct api_config, with the engine's own worker as its context. */
enum status connection_test_start(void *context, struct api_test *test, struct error *err);

#endif
