/*
 * The kinds of requests: searches all tables.
 */
#include "admin/admin.h"

#include <string.h>

static const admin_request *const request_tables[] = {
    admin_topic_requests,  admin_config_requests, admin_acl_requests,     admin_group_requests,
    admin_record_requests, admin_scram_requests,  admin_cluster_requests, admin_raw_requests,
};

#define TABLE_COUNT (sizeof(request_tables) / sizeof(request_tables[0]))

const admin_request *
admin_request_of_event(rd_kafka_event_type_t event)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        for (const admin_request *request = request_tables[i]; request->name != NULL;
             request++) {
            if (request->event == event) {
                return request;
            }
        }
    }
    return NULL;
}

const admin_request *
admin_request_by_name(PyObject *name)
{
    const char *text = arg_utf8(name, "request", NULL);
    for (size_t i = 0; text != NULL && i < TABLE_COUNT; i++) {
        for (const admin_request *request = request_tables[i]; request->name != NULL;
             request++) {
            if (strcmp(request->name, text) == 0) {
                return request;
            }
        }
    }
    if (text != NULL) {
        PyErr_Format(PyExc_ValueError, "there is no request %R", name);
    }
    return NULL;
}
