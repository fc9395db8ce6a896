/*
 * Reads the argument of a request into the form that librdkafka takes.
 */
#include "admin/admin.h"

int
admin_read_items(admin_call *call, const char *of_what,
                 void *(*read_item)(admin_call *call, PyObject *item),
                 void (*destroy_item)(void *item))
{
    if (arg_list(call->argument, "the argument", of_what) < 0) {
        return -1;
    }
    /* A copy, because another thread could free the objects that the items point to. */
    PyObject *sequence = PySequence_Tuple(call->argument);
    if (sequence == NULL) {
        return -1;
    }
    Py_SETREF(call->argument, sequence);
    Py_ssize_t count = PyTuple_GET_SIZE(sequence);
    call->items = PyMem_Calloc((size_t)count + 1, sizeof(*call->items));
    if (call->items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    call->destroy_item = destroy_item;
    for (Py_ssize_t i = 0; i < count; i++) {
        call->items[i] = read_item(call, PyTuple_GET_ITEM(sequence, i));
        if (call->items[i] == NULL) {
            return -1;
        }
        call->count++;
    }
    return 0;
}

static void *
read_text(admin_call *Py_UNUSED(call), PyObject *item)
{
    return (void *)arg_utf8(item, "a name", NULL);
}

int
admin_read_texts(admin_call *call)
{
    return admin_read_items(call, "str", read_text, NULL);
}

int
admin_read_one(admin_call *call, void *item, void (*destroy_item)(void *item))
{
    if (item == NULL) {
        return -1;
    }
    call->items = PyMem_Calloc(1, sizeof(*call->items));
    if (call->items == NULL) {
        destroy_item(item);
        PyErr_NoMemory();
        return -1;
    }
    call->destroy_item = destroy_item;
    call->items[0] = item;
    call->count = 1;
    return 0;
}

int
admin_read_nothing(admin_call *call)
{
    if (call->argument == Py_None) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s takes no argument", call->request->name);
    return -1;
}

void
admin_destroy_partitions(void *item)
{
    rd_kafka_topic_partition_list_destroy(item);
}
