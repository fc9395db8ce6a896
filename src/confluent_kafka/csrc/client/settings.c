#include "client/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A copy of the setting, to be freed; NULL if it is not set, or with a MemoryError. */
static char *
setting_of(const rd_kafka_conf_t *conf, const char *name)
{
    size_t size = 0;
    if (rd_kafka_conf_get(conf, name, NULL, &size) != RD_KAFKA_CONF_OK || size <= 1) {
        return NULL;
    }
    char *text = PyMem_Malloc(size);
    if (text == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (rd_kafka_conf_get(conf, name, text, &size) != RD_KAFKA_CONF_OK) {
        PyMem_Free(text);
        return NULL;
    }
    return text;
}

/* ---- brokers ---- */

/* The first scheme in the addresses that is not `protocol`, with its end at `*end`, or NULL. */
static char *
wrong_scheme(char *servers, const char *protocol, char **end)
{
    while ((*end = strstr(servers, "://")) != NULL) {
        char *start = *end;
        while (start > servers && start[-1] != ',' && start[-1] != ' ') {
            start--;
        }
        size_t size = (size_t)(*end - start);
        if (size != strlen(protocol) || PyOS_strnicmp(start, protocol, size) != 0) {
            return start;
        }
        servers = *end + 3;
    }
    return NULL;
}

/*
 * Whether librdkafka can use the address. librdkafka reads the digits at the beginning of a port as
 * 16 bits: 99999 would be 34463, and a word 0. An address with several colons is an IPv6 address
 * without a port.
 */
static bool
is_address(const char *address)
{
    const char *scheme = strstr(address, "://");
    const char *host = scheme == NULL ? address : scheme + 3;
    const char *port = host[0] == '[' ? strstr(host, "]:") : strchr(host, ':');
    if (port != NULL && host[0] != '[' && strchr(port + 1, ':') != NULL) {
        port = NULL;
    }
    size_t host_size = port == NULL ? strlen(host) : (size_t)(port - host);
    if (host_size == 0 || strcspn(host, "; \t") < host_size) {
        return false;
    }
    if (port == NULL) {
        return true;
    }
    port += *port == ']' ? 2 : 1;
    long number = isdigit((unsigned char)*port) ? strtol(port, NULL, 10) : 0;
    return number >= 1 && number <= 65535;
}

/* The first address that librdkafka cannot use, or NULL; `servers` is split in place. */
static const char *
wrong_address(char *servers)
{
    char *next;
    for (char *address = servers; address != NULL; address = next) {
        next = strchr(address, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        address += strspn(address, " \t\r\n");
        size_t size = strlen(address);
        while (size > 0 && isspace((unsigned char)address[size - 1])) {
            address[--size] = '\0';
        }
        if (size > 0 && !is_address(address)) {
            return address;
        }
    }
    return NULL;
}

static int
refuse_brokers(Client *self, char *servers, const char *protocol)
{
    char *end;
    const char *scheme = wrong_scheme(servers, protocol, &end);
    if (scheme != NULL) {
        *end = '\0';
        raise_kafka_error(self->state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                          "Invalid value for configuration property \"bootstrap.servers\": "
                          "give brokers as host:port, without %s:// (the protocol is that "
                          "of security.protocol, now %s)",
                          scheme, protocol);
        return -1;
    }
    const char *address = wrong_address(servers);
    if (address != NULL) {
        raise_kafka_error(self->state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                          "Invalid value for configuration property \"bootstrap.servers\": "
                          "\"%s\" is not an address: give brokers as host:port, separated by "
                          "commas, with ports from 1 to 65535",
                          address);
        return -1;
    }
    return 0;
}

int
settings_check_brokers(Client *self, rd_kafka_conf_t *conf)
{
    char *servers = setting_of(conf, "bootstrap.servers");
    char *protocol = setting_of(conf, "security.protocol");
    int result = PyErr_Occurred() ? -1 : 0;
    if (servers != NULL && protocol != NULL) {
        result = refuse_brokers(self, servers, protocol);
    }
    PyMem_Free(servers);
    PyMem_Free(protocol);
    return result;
}

int
settings_have_no_brokers(rd_kafka_t *rk)
{
    char *servers = setting_of(rd_kafka_conf(rk), "bootstrap.servers");
    char *mocks = setting_of(rd_kafka_conf(rk), "test.mock.num.brokers");
    bool none = servers == NULL && (mocks == NULL || strcmp(mocks, "0") == 0);
    PyMem_Free(servers);
    PyMem_Free(mocks);
    return PyErr_Occurred() ? -1 : none;
}

/* ---- refusals ---- */

/* Appends to `reason`, as far as there is room. */
static void
append(char *reason, size_t size, const char *format, const char *first, const char *second)
{
    size_t used = strlen(reason);
    PyOS_snprintf(reason + used, size - used, format, first, second);
}

/* Why the file at `path` cannot be used. It is not opened, because a named pipe would block. */
static void
explain_file(const char *property, const char *path, char *reason, size_t size)
{
    struct stat file;
    if (!compat_is_readable(path) || stat(path, &file) != 0) {
        PyOS_snprintf(reason, size, "%s failed: %s: \"%s\"", property, strerror(errno), path);
    }
    else if ((file.st_mode & S_IFMT) == S_IFDIR) {
        PyOS_snprintf(reason, size, "%s failed: %s: \"%s\"", property, strerror(EISDIR), path);
    }
    else if (strstr(reason, path) == NULL) {
        bool is_key = strcmp(property, "ssl.key.location") == 0;
        append(reason, size, ": \"%s\" (must be a file in PEM format%s)", path,
               is_key ? ", and ssl.key.password its password" : "");
    }
}

int
settings_explain(rd_kafka_conf_t *conf, char *reason, size_t size)
{
    static const char *const files[] = {
        "ssl.ca.location", "ssl.certificate.location", "ssl.key.location",
        "ssl.crl.location", "ssl.keystore.location", "https.ca.location",
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char *path = strstr(reason, files[i]) == NULL ? NULL : setting_of(conf, files[i]);
        if (path != NULL) {
            explain_file(files[i], path, reason, size);
        }
        PyMem_Free(path);
    }
    /* A user who gives a name and a password may not know that Kerberos is the default. */
    char *mechanism = setting_of(conf, "sasl.mechanisms");
    if (mechanism != NULL && strcmp(mechanism, "GSSAPI") == 0
        && (strstr(reason, "kerberos") != NULL || strstr(reason, "GSSAPI") != NULL)) {
        append(reason, size, " (sasl.mechanism is %s, which is the default: %s)", mechanism,
               "for a user and a password, set it to PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512");
    }
    PyMem_Free(mechanism);
    return PyErr_Occurred() ? -1 : 0;
}
