#include "columns/json_names.h"

#include <stdlib.h>

/* FNV-1a. The names come from the schema, so that payloads cannot cause collisions. */
static uint32_t
hash(const uint8_t *text, size_t size)
{
    uint32_t value = 2166136261u;
    for (size_t i = 0; i < size; i++) {
        value = (value ^ text[i]) * 16777619u;
    }
    return value ^ value >> 15;
}

/* The slot of a name, or the free slot where it would be. */
static int32_t *
slot_of(const json_names *self, const void *text, size_t size)
{
    for (uint32_t at = hash(text, size) & self->mask;; at = (at + 1) & self->mask) {
        int32_t *slot = &self->slots[at];
        if (*slot == 0) {
            return slot;
        }
        const json_name *name = &self->names[*slot - 1];
        if (name->size == size && memcmp(name->text, text, size) == 0) {
            return slot;
        }
    }
}

/* Prepares the name for fast comparison at the place where it is expected. */
static void
prepare(json_name *name)
{
    uint8_t head[8] = {0}, mask[8] = {0};
    name->is_plain = true;
    for (size_t i = 0; i < name->size; i++) {
        uint8_t byte = (uint8_t)name->text[i];
        name->is_plain = name->is_plain && byte >= ' ' && byte != '"' && byte != '\\';
    }
    for (size_t i = 0; i < sizeof(head) && i <= name->size; i++) {
        head[i] = (uint8_t)name->text[i];
        mask[i] = 0xff;
    }
    name->head = word_load(head);
    name->head_mask = word_load(mask);
}

static int
add_name(json_names *self, PyObject *object)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == NULL) {
        return -1;
    }
    json_name *name = &self->names[self->count];
    name->text = malloc((size_t)size + 1);
    if (name->text == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(name->text, text, (size_t)size);
    name->text[size] = '"';
    name->size = (size_t)size;
    prepare(name);
    int32_t *slot = slot_of(self, name->text, name->size);
    self->count++;
    if (*slot != 0) {
        PyErr_Format(PyExc_ValueError, "the name %R is there twice", object);
        return -1;
    }
    *slot = self->count;
    return 0;
}

int
json_names_fill(json_names *self, PyObject *names)
{
    if (!PyTuple_Check(names) || PyTuple_GET_SIZE(names) > INT32_MAX / 4) {
        PyErr_SetString(PyExc_TypeError, "names must be a tuple of str");
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(names);
    size_t slots = 2;
    while (slots < (size_t)count * 2) {
        slots *= 2;
    }
    self->mask = (uint32_t)slots - 1;
    self->names = calloc((size_t)count + 1, sizeof(json_name));
    self->slots = calloc(slots, sizeof(int32_t));
    if (self->names == NULL || self->slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (add_name(self, PyTuple_GET_ITEM(names, i)) < 0) {
            return -1;
        }
    }
    return 0;
}

void
json_names_release(json_names *self)
{
    for (int32_t i = 0; i < self->count; i++) {
        free(self->names[i].text);
    }
    free(self->names);
    free(self->slots);
}

int32_t
json_names_find(const json_names *self, const void *text, size_t size)
{
    return *slot_of(self, text, size) - 1;
}
