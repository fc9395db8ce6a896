/*
 * The module confluent_kafka.cimpl: its state, types, constants and functions.
 */

#include "admin/admin.h"
#include "admin/constants.h"
#include "arrow/row_digest.h"
#include "avro/object_writer.h"
#include "base/build_info.h"
#include "client/client.h"
#include "client/close.h"
#include "client/oauth.h"
#include "client/resolver.h"
#include "codec/functions.h"
#include "columns/columns.h"
#include "consumer/consumer.h"
#include "consumer/message_batch.h"
#include "mock/mock.h"
#include "producer/producer.h"
#include "share/share.h"
#include "values/error.h"
#include "values/message.h"
#include "values/partitioner.h"
#include "values/record.h"
#include "values/topic_partition.h"
#include "values/uuid.h"

/* ---- functions ---- */

PyDoc_STRVAR(version_doc,
"version()\n--\n\n"
"The package's version.\n\n"
"Returns:\n"
"    str.");

static PyObject *
version(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyUnicode_FromString(CONFLUENT_KAFKA_VERSION);
}

PyDoc_STRVAR(libversion_doc,
"libversion()\n--\n\n"
"The version of the librdkafka in use.\n\n"
"Returns:\n"
"    tuple of (str, int): rd_kafka_version_str() and rd_kafka_version().");

static PyObject *
libversion(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return Py_BuildValue("si", rd_kafka_version_str(), rd_kafka_version());
}

static PyMethodDef module_functions[] = {
    {"version", version, METH_NOARGS, version_doc},
    {"libversion", libversion, METH_NOARGS, libversion_doc},
    {"build_info", build_info, METH_NOARGS, build_info_doc},
    {"_close_live_clients", close_live_clients, METH_NOARGS, NULL},
    {"_mark_clients_forked", mark_clients_forked, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* ---- constants ---- */

static const struct {
    const char *name;
    long value;
} constants[] = {
    {"OFFSET_BEGINNING", RD_KAFKA_OFFSET_BEGINNING},
    {"OFFSET_END", RD_KAFKA_OFFSET_END},
    {"OFFSET_INVALID", RD_KAFKA_OFFSET_INVALID},
    {"OFFSET_STORED", RD_KAFKA_OFFSET_STORED},
    {"TIMESTAMP_NOT_AVAILABLE", RD_KAFKA_TIMESTAMP_NOT_AVAILABLE},
    {"TIMESTAMP_CREATE_TIME", RD_KAFKA_TIMESTAMP_CREATE_TIME},
    {"TIMESTAMP_LOG_APPEND_TIME", RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME},
};

static int
add_constants(PyObject *module)
{
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        if (PyModule_AddIntConstant(module, constants[i].name, constants[i].value) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- the exit handler and the fork handler ---- */

/* Registers the module's function `function_name` with `registrar`, by position or by keyword. */
static int
register_hook(PyObject *module, const char *registrar_module, const char *registrar,
              const char *keyword, const char *function_name)
{
    PyObject *function = attribute_of(module, function_name);
    PyObject *do_register = import_attribute(registrar_module, registrar);
    PyObject *result = NULL;
    if (function != NULL && do_register != NULL) {
        PyObject *names = keyword == NULL ? NULL : Py_BuildValue("(s)", keyword);
        if (keyword == NULL || names != NULL) {
            result = PyObject_Vectorcall(do_register, &function, keyword == NULL, names);
        }
        Py_XDECREF(names);
    }
    Py_XDECREF(function);
    Py_XDECREF(do_register);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static int
register_hooks(PyObject *module)
{
    /* Clients that nobody closed are ended before the process exits: librdkafka's threads that
     * still run then would crash in OpenSSL's own exit handler. */
    if (register_hook(module, "atexit", "register", NULL, "_close_live_clients") < 0) {
        return -1;
    }
#ifdef HAVE_FORK
    if (resolver_start() < 0) {
        return -1;
    }
    return register_hook(module, "os", "register_at_fork", "after_in_child",
                         "_mark_clients_forked");
#else
    return 0;
#endif
}

/* ---- the module ---- */

static int
module_exec(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    if (module_state_init(state) < 0 || add_constants(module) < 0
        || kafka_error_type_add(module, state) < 0
        || kafka_exception_type_add(module, state) < 0 || uuid_type_add(module, state) < 0
        || topic_partition_type_add(module, state) < 0
        || message_type_add(module, state) < 0 || record_type_add(module, state) < 0
        || message_batch_type_add(module, state) < 0
        || client_type_add(module, state) < 0
        || token_refresher_type_add(module, state) < 0
        || producer_type_add(module, state) < 0 || consumer_type_add(module, state) < 0
        || share_types_add(module, state) < 0
        || new_topic_types_add(module, state) < 0 || admin_answers_type_add(module, state) < 0
        || admin_client_type_add(module, state) < 0 || admin_constants_add(module) < 0
        || mock_cluster_type_add(module, state) < 0
        || partitioner_functions_add(module, state) < 0
        || codec_functions_add(module, state) < 0
        || row_program_type_add(module, state) < 0
        || rows_types_add(module, state) < 0
        || column_batch_type_add(module, state) < 0
        || arrow_type_functions_add(module, state) < 0
        || payload_program_type_add(module, state) < 0
        || add_header_functions_add(module, state) < 0
        || decode_functions_add(module, state) < 0
        || encode_functions_add(module, state) < 0
        || avro_writer_type_add(module, state) < 0
        || row_digest_add(module, state) < 0) {
        return -1;
    }
    return register_hooks(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    GIL_NOT_USED_SLOT
    INTERPRETERS_SLOT
    {0, NULL},
};

PyMODINIT_FUNC
PyInit_cimpl(void)
{
    cimpl_module.m_methods = module_functions;
    cimpl_module.m_slots = module_slots;
    return PyModuleDef_Init(&cimpl_module);
}
