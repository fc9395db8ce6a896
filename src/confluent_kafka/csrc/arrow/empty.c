#include "arrow/empty.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/export.h"

/* Serves as the first offset of a list or text, and as other buffers that must exist. */
static const int64_t zeros[8];
static const void *buffers[] = {NULL, zeros, zeros};

/* The number of buffers, from the specification's columnar format; other types have two. */
static const struct {
    const char *format;
    int64_t count;
} buffer_counts[] = {
    {"n", 0}, {"+r", 0}, {"+s", 1}, {"+w", 1},  {"+us", 1}, {"z", 3},
    {"Z", 3}, {"u", 3},  {"U", 3},  {"vz", 3}, {"vu", 3},  {"+vl", 3}, {"+vL", 3},
};

/* A format's parameters follow a colon. */
static int64_t
buffer_count(const char *format)
{
    size_t size = strcspn(format, ":");
    for (size_t i = 0; i < sizeof(buffer_counts) / sizeof(buffer_counts[0]); i++) {
        const char *known = buffer_counts[i].format;
        if (strlen(known) == size && strncmp(known, format, size) == 0) {
            return buffer_counts[i].count;
        }
    }
    return 2;
}

static void
release(struct ArrowArray *array)
{
    arrow_array_release_children(array);
    array->release = NULL;
}

int
arrow_empty_array(const struct ArrowSchema *schema, struct ArrowArray *array)
{
    const char *format = schema->format == NULL ? "" : schema->format;
    size_t count = (size_t)schema->n_children;
    struct ArrowArray **children = malloc(count * sizeof(struct ArrowArray *)
                                          + (count + 1) * sizeof(struct ArrowArray));
    if (children == NULL) {
        return -1;
    }
    struct ArrowArray *structs = (struct ArrowArray *)(children + count);
    *array = (struct ArrowArray){
        .n_buffers = buffer_count(format),
        /* The first buffer of a union is not a bitmap. */
        .buffers = strncmp(format, "+u", 2) == 0 ? buffers + 1 : buffers,
        .children = children,
        .release = release,
    };
    int result = 0;
    if (schema->dictionary != NULL) {
        result = arrow_empty_array(schema->dictionary, &structs[count]);
        array->dictionary = result < 0 ? NULL : &structs[count];
    }
    for (size_t i = 0; result == 0 && i < count; i++) {
        result = arrow_empty_array(schema->children[i], &structs[i]);
        if (result == 0) {
            children[array->n_children++] = &structs[i];
        }
    }
    if (result < 0) {
        release(array);
    }
    return result;
}
