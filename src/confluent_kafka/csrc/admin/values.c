#include "admin/admin.h"

#include "base/text.h"

PyObject *
admin_list_from(module_state *state, const void *array, size_t count,
                PyObject *(*convert)(module_state *state, const void *item))
{
    const void *const *items = array;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = convert(state, items[i]);
        if (item == NULL) {
            Py_CLEAR(list);
        }
        else {
            PyList_SET_ITEM(list, (Py_ssize_t)i, item);
        }
    }
    return list;
}

PyObject *
admin_error_from(module_state *state, const rd_kafka_error_t *error)
{
    if (error == NULL || rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        Py_RETURN_NONE;
    }
    return kafka_error_from(state, error);
}

PyObject *
admin_node_from(module_state *Py_UNUSED(state), const void *item)
{
    const rd_kafka_Node_t *node = item;
    if (node == NULL) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("iNiN", rd_kafka_Node_id(node), text_from(rd_kafka_Node_host(node)),
                         (int)rd_kafka_Node_port(node), text_from(rd_kafka_Node_rack(node)));
}

PyObject *
admin_operations_from(const rd_kafka_AclOperation_t *operations, size_t count)
{
    if (operations == NULL) {
        Py_RETURN_NONE;
    }
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *operation = PyLong_FromLong((long)operations[i]);
        if (operation == NULL) {
            Py_CLEAR(list);
        }
        else {
            PyList_SET_ITEM(list, (Py_ssize_t)i, operation);
        }
    }
    return list;
}
