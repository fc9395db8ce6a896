/*
 * The parts of this build: for bug reports, and for the warning if librdkafka lacks patches
 * (tools/patches).
 */
#ifndef CONFLUENT_KAFKA_BASE_BUILD_INFO_H
#define CONFLUENT_KAFKA_BASE_BUILD_INFO_H

#include "base/module_state.h"

extern const char build_info_doc[];
PyObject *build_info(PyObject *module, PyObject *unused);

/*
 * Logs at its first call which patches librdkafka lacks; nothing if it has them all. Returns 0,
 * or -1 with an exception of the logger.
 */
int warn_of_missing_patches(module_state *state);

#endif
