#ifndef CONFLUENT_KAFKA_CODEC_FUNCTIONS_H
#define CONFLUENT_KAFKA_CODEC_FUNCTIONS_H

#include "base/module_state.h"

/* Adds _crc32c(), _read_record() and the codecs' _..._compress() and _..._decompress(). */
int codec_functions_add(PyObject *module, module_state *state);

#endif
