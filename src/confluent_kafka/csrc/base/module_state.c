#include "base/module_state.h"

/* ---- the state ---- */

static int
intern(const char *const *texts, int count, PyObject **interned)
{
    for (int i = 0; i < count; i++) {
        interned[i] = PyUnicode_InternFromString(texts[i]);
        if (interned[i] == NULL) {
            return -1;
        }
    }
    return 0;
}

int
module_state_init(module_state *state)
{
#define NAME(name) #name,
    static const char *const parameters[] = {PARAMETERS(NAME)};
    static const char *const names[] = {NAMES(NAME)};
#undef NAME
    return intern(parameters, PARAMETER_COUNT, state->parameters) < 0
                   || intern(names, NAME_COUNT, state->names) < 0
               ? -1
               : 0;
}

static void
clear_free_messages(message_free_list *list)
{
    if (list->count < FREE_MESSAGES) {
        while (list->count > 0) {
            PyObject_GC_Del(list->messages[--list->count]);
        }
    }
    list->count = FREE_MESSAGES;
}

static int
module_traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = PyModule_GetState(module);
#define VISIT(ctype, name) Py_VISIT(state->name);
    MODULE_OBJECTS(VISIT)
#undef VISIT
    return 0;
}

static int
module_clear(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
#define CLEAR(ctype, name) Py_CLEAR(state->name);
    MODULE_OBJECTS(CLEAR)
#undef CLEAR
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        Py_CLEAR(state->parameters[i]);
    }
    for (int i = 0; i < NAME_COUNT; i++) {
        Py_CLEAR(state->names[i]);
    }
    for (int i = 0; i < KEPT_HEADERS; i++) {
        Py_CLEAR(state->kept_headers[i].name);
        Py_CLEAR(state->kept_headers[i].pair);
    }
    for (int i = 0; i < LAST_HEADERS; i++) {
        Py_CLEAR(state->last_headers.pairs[i]);
    }
    state->last_headers.message = NULL;
    Py_CLEAR(state->last_timestamp.pair);
    clear_free_messages(&state->free_messages);
    return 0;
}

static void
module_free(void *module)
{
    module_clear(module);
}

PyDoc_STRVAR(module_doc, "Apache Kafka clients over librdkafka; import confluent_kafka instead.");

struct PyModuleDef cimpl_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "confluent_kafka.cimpl",
    .m_doc = module_doc,
    .m_size = sizeof(module_state),
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

/* ---- functions for other files ---- */

module_state *
module_state_of_type(PyTypeObject *type)
{
    PyObject *module = PyType_GetModuleByDef(type, &cimpl_module);
    return PyModule_GetState(module);
}

PyTypeObject *
module_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, (PyObject *)base);
    if (type != NULL && PyModule_AddType(module, (PyTypeObject *)type) < 0) {
        Py_CLEAR(type);
    }
    return (PyTypeObject *)type;
}

int
module_add_methods(PyTypeObject *type, PyMethodDef *method)
{
    for (; method->ml_name != NULL; method++) {
        PyObject *descriptor = PyDescr_NewMethod(type, method);
        if (descriptor == NULL) {
            return -1;
        }
        int result = PyObject_SetAttrString((PyObject *)type, method->ml_name, descriptor);
        Py_DECREF(descriptor);
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}

PyObject *
attribute_of(PyObject *object, const char *name)
{
    PyObject *text = PyUnicode_InternFromString(name);
    PyObject *attribute = text == NULL ? NULL : PyObject_GetAttr(object, text);
    Py_XDECREF(text);
    return attribute;
}

PyObject *
import_attribute(const char *module_name, const char *name)
{
    PyObject *module = PyImport_ImportModule(module_name);
    if (module == NULL) {
        return NULL;
    }
    PyObject *attribute = attribute_of(module, name);
    Py_DECREF(module);
    return attribute;
}

PyObject *
call_with(PyObject *callable, PyObject *arguments)
{
    PyObject *result = NULL;
    if (arguments != NULL && !PyErr_Occurred()) {
        result = PyObject_CallObject(callable, arguments);
    }
    Py_XDECREF(arguments);
    return result;
}

int
start_daemon_thread(PyObject *object, const char *method, const char *name)
{
    PyObject *thread_type = import_attribute("threading", "Thread");
    PyObject *target = attribute_of(object, method);
    PyObject *arguments = PyTuple_New(0);
    PyObject *options = target == NULL ? NULL
                                       : Py_BuildValue("{s:O,s:s,s:O}", "target", target, "name",
                                                       name, "daemon", Py_True);
    PyObject *thread = NULL, *start = NULL, *started = NULL;
    if (thread_type != NULL && arguments != NULL && options != NULL) {
        thread = PyObject_Call(thread_type, arguments, options);
    }
    if (thread != NULL) {
        start = attribute_of(thread, "start");
    }
    if (start != NULL) {
        started = PyObject_CallNoArgs(start);
    }
    Py_XDECREF(thread_type);
    Py_XDECREF(target);
    Py_XDECREF(arguments);
    Py_XDECREF(options);
    Py_XDECREF(thread);
    Py_XDECREF(start);
    Py_XDECREF(started);
    return started == NULL ? -1 : 0;
}
