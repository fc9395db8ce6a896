/*
 * What this build is made of: for bug reports, and for the one warning of a librdkafka that
 * lacks patches (tools/patches).
 */
#ifndef CONFLUENT_KAFKA_BASE_BUILD_INFO_H
#define CONFLUENT_KAFKA_BASE_BUILD_INFO_H

#include "base/module_state.h"

extern const char build_info_doc[];
PyObject *build_info(PyObject *module, PyObject *unused);

/*
 * Logs, the first time it is called, which patches librdkafka lacks; nothing where it has them
 * all. 0, or -1 with an exception of the logger.
 */
int warn_of_missing_patches(module_state *state);

#endif
