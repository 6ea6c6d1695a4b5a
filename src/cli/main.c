#include "cli/verbs.h"

int main(int argc, char **argv) { return verbs_run(argc, argv); }
