#include "admin/admin.h"

#include "base/list.h"
#include "base/text.h"

typedef struct {
    module_state *state;
    const void *const *items;
    PyObject *(*convert)(module_state *state, const void *item);
} item_array;

static PyObject *
item_of(const void *from, size_t i)
{
    const item_array *array = from;
    return array->convert(array->state, array->items[i]);
}

PyObject *
admin_list_from(module_state *state, const void *array, size_t count,
                PyObject *(*convert)(module_state *state, const void *item))
{
    item_array from = {state, array, convert};
    return list_of(count, item_of, &from);
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

static PyObject *
operation_of(const void *operations, size_t i)
{
    return PyLong_FromLong((long)((const rd_kafka_AclOperation_t *)operations)[i]);
}

PyObject *
admin_operations_from(const rd_kafka_AclOperation_t *operations, size_t count)
{
    return operations == NULL ? Py_NewRef(Py_None) : list_of(count, operation_of, operations);
}
