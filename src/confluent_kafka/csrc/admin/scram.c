/*
 * Requests about users' SCRAM credentials: describe, alter.
 *
 * An alteration is (user, mechanism) to delete a credential, and (user, mechanism, iterations,
 * password, salt or None) to set one.
 */
#include "admin/admin.h"

#include "base/list.h"
#include "base/text.h"

/* Passwords and salts are short. This limit only keeps their size within librdkafka's int. */
#define MAX_SECRET (1 << 20)

static void
destroy_alteration(void *item)
{
    rd_kafka_UserScramCredentialAlteration_destroy(item);
}

/* Bytes that are not empty; NULL with an exception that does not show them. */
static const unsigned char *
secret_from(PyObject *value, const char *name, size_t *size)
{
    if (!PyBytes_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be bytes, not %.100s", name,
                     Py_TYPE(value)->tp_name);
        return NULL;
    }
    *size = (size_t)PyBytes_GET_SIZE(value);
    if (*size == 0 || *size > MAX_SECRET) {
        PyErr_Format(PyExc_ValueError, "%s must have from 1 to %d bytes, not %zu", name,
                     MAX_SECRET, *size);
        return NULL;
    }
    return (const unsigned char *)PyBytes_AS_STRING(value);
}

static void *
read_upsertion(PyObject *item, const char *user, int32_t mechanism)
{
    int32_t iterations;
    size_t password_size, salt_size = 0;
    const unsigned char *salt = NULL;
    if (arg_int32(PyTuple_GET_ITEM(item, 2), "iterations", 1, INT32_MAX, &iterations) < 0) {
        return NULL;
    }
    const unsigned char *password =
        secret_from(PyTuple_GET_ITEM(item, 3), "password", &password_size);
    if (password == NULL) {
        return NULL;
    }
    if (PyTuple_GET_ITEM(item, 4) != Py_None) {
        salt = secret_from(PyTuple_GET_ITEM(item, 4), "salt", &salt_size);
        if (salt == NULL) {
            return NULL;
        }
    }
    return rd_kafka_UserScramCredentialUpsertion_new(
        user, (rd_kafka_ScramMechanism_t)mechanism, iterations, password, password_size, salt,
        salt_size);
}

static void *
read_alteration(admin_call *Py_UNUSED(call), PyObject *item)
{
    Py_ssize_t size = PyTuple_Check(item) ? PyTuple_GET_SIZE(item) : 0;
    int32_t mechanism;
    if (size != 2 && size != 5) {
        PyErr_SetString(PyExc_TypeError, "each alteration must be a tuple of 2 or 5");
        return NULL;
    }
    const char *user = arg_utf8(PyTuple_GET_ITEM(item, 0), "user", NULL);
    if (user == NULL
        || arg_int32(PyTuple_GET_ITEM(item, 1), "mechanism", 0, RD_KAFKA_SCRAM_MECHANISM__CNT - 1,
                     &mechanism) < 0) {
        return NULL;
    }
    void *alteration = size == 2 ? rd_kafka_UserScramCredentialDeletion_new(
                                       user, (rd_kafka_ScramMechanism_t)mechanism)
                                 : read_upsertion(item, user, mechanism);
    if (alteration == NULL && !PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "the credential of user '%s' is refused", user);
    }
    return alteration;
}

static int
read_alterations(admin_call *call)
{
    return admin_read_items(call, "tuple", read_alteration, destroy_alteration);
}

/* ---- sending ---- */

static void
send_describe(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DescribeUserScramCredentials(call->rk, (const char **)call->items, call->count,
                                          call->options, queue);
}

static void
send_alter(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_AlterUserScramCredentials(call->rk,
                                       (rd_kafka_UserScramCredentialAlteration_t **)call->items,
                                       call->count, call->options, queue);
}

/* ---- answers ---- */

/* (mechanism, iterations) */
static PyObject *
credential_of(const void *description, size_t i)
{
    const rd_kafka_ScramCredentialInfo_t *info =
        rd_kafka_UserScramCredentialsDescription_scramcredentialinfo(description, i);
    return Py_BuildValue("ii", (int)rd_kafka_ScramCredentialInfo_mechanism(info),
                         (int)rd_kafka_ScramCredentialInfo_iterations(info));
}

static PyObject *
credentials_from(const rd_kafka_UserScramCredentialsDescription_t *description)
{
    return list_of(
        rd_kafka_UserScramCredentialsDescription_scramcredentialinfo_count(description),
        credential_of, description);
}

/* (user, error, credentials) */
static PyObject *
description_from(module_state *state, const void *item)
{
    const rd_kafka_UserScramCredentialsDescription_t *description = item;
    return Py_BuildValue(
        "NNN", text_from(rd_kafka_UserScramCredentialsDescription_user(description)),
        admin_error_from(state, rd_kafka_UserScramCredentialsDescription_error(description)),
        credentials_from(description));
}

static PyObject *
described(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_UserScramCredentialsDescription_t **descriptions =
        rd_kafka_DescribeUserScramCredentials_result_descriptions(
            rd_kafka_event_DescribeUserScramCredentials_result(event), &count);
    return admin_list_from(state, descriptions, count, description_from);
}

/* (user, error) */
static PyObject *
response_from(module_state *state, const void *item)
{
    const rd_kafka_AlterUserScramCredentials_result_response_t *response = item;
    return Py_BuildValue(
        "NN", text_from(rd_kafka_AlterUserScramCredentials_result_response_user(response)),
        admin_error_from(state,
                         rd_kafka_AlterUserScramCredentials_result_response_error(response)));
}

static PyObject *
altered(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_AlterUserScramCredentials_result_response_t **responses =
        rd_kafka_AlterUserScramCredentials_result_responses(
            rd_kafka_event_AlterUserScramCredentials_result(event), &count);
    return admin_list_from(state, responses, count, response_from);
}

const admin_request admin_scram_requests[] = {
    {"describe_user_scram_credentials", RD_KAFKA_ADMIN_OP_DESCRIBEUSERSCRAMCREDENTIALS,
     RD_KAFKA_EVENT_DESCRIBEUSERSCRAMCREDENTIALS_RESULT, admin_read_texts, send_describe,
     described},
    {"alter_user_scram_credentials", RD_KAFKA_ADMIN_OP_ALTERUSERSCRAMCREDENTIALS,
     RD_KAFKA_EVENT_ALTERUSERSCRAMCREDENTIALS_RESULT, read_alterations, send_alter, altered},
    {0},
};
