#include "base/build_info.h"

/*
 * setup.py defines these texts: CONFLUENT_KAFKA_VERSION and _BUILD; LIBRDKAFKA_SOURCE ("pinned",
 * "system" or "prefix"); and, for each series, the names of the patches that the library has and
 * that it lacks, separated by spaces.
 */

/* `text` split at white space as a list; new reference. */
static PyObject *
split(const char *text, const char *separator)
{
    PyObject *whole = PyUnicode_FromString(text);
    PyObject *by = separator == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(separator);
    PyObject *parts = NULL;
    if (whole != NULL && by != NULL) {
        parts = PyUnicode_Split(whole, by == Py_None ? NULL : by, -1);
    }
    Py_XDECREF(whole);
    Py_XDECREF(by);
    return parts;
}

/* A dict of the names of patches by series; new reference. */
static PyObject *
by_series(const char *correctness, const char *features, const char *speed)
{
    return Py_BuildValue("{s:N,s:N,s:N}", "correctness", split(correctness, NULL), "features",
                         split(features, NULL), "speed", split(speed, NULL));
}

/* librdkafka's property builtin.features as a list; new reference. */
static PyObject *
features(void)
{
    char names[512] = "";
    size_t size = sizeof(names);
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_get(conf, "builtin.features", names, &size);
    rd_kafka_conf_destroy(conf);
    return split(names, ",");
}

static PyObject *
version_of_headers(void)
{
    return PyUnicode_FromFormat("%d.%d.%d", RD_KAFKA_VERSION >> 24,
                                RD_KAFKA_VERSION >> 16 & 0xff, RD_KAFKA_VERSION >> 8 & 0xff);
}

static const bool lacks_patches =
    sizeof(LACKS_CORRECTNESS_PATCHES LACKS_FEATURES_PATCHES LACKS_SPEED_PATCHES) > sizeof("");

const char build_info_doc[] =
"build_info()\n--\n\n"
"Describe this build, for bug reports.\n\n"
"Returns:\n"
"    dict: A dict that json.dumps() accepts:\n\n"
"    - version: the version of confluent-kafka's API that this package has, as in version().\n"
"    - build: the number of this package's own build of that version: \"1\", \"2\" ...\n"
"    - librdkafka: the version of the librdkafka in use, as in libversion().\n"
"    - librdkafka_headers: the version that the extension was compiled against.\n"
"    - librdkafka_source: \"pinned\" (the default: the release that this package pins and\n"
"      patches), \"system\" (LIBRDKAFKA=system) or \"prefix\" (LIBRDKAFKA_PREFIX).\n"
"    - patched: whether librdkafka has every patch of this package.\n"
"    - patches: the names of the patches that it has, by series (\"correctness\",\n"
"      \"features\", \"speed\").\n"
"    - missing_patches: the names of the patches that it lacks, by series.\n"
"    - features: the features of this librdkafka (its property builtin.features).\n"
"    - compiler: the extension's compiler and its version.\n"
"    - python: the version of CPython that the extension was compiled for.\n"
"    - free_threaded: whether that CPython has no GIL.";

PyObject *
build_info(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return Py_BuildValue(
        "{s:s,s:s,s:s,s:N,s:s,s:O,s:N,s:N,s:N,s:s,s:s,s:O}",
        "version", CONFLUENT_KAFKA_VERSION,
        "build", CONFLUENT_KAFKA_BUILD,
        "librdkafka", rd_kafka_version_str(),
        "librdkafka_headers", version_of_headers(),
        "librdkafka_source", LIBRDKAFKA_SOURCE,
        "patched", lacks_patches ? Py_False : Py_True,
        "patches", by_series(CORRECTNESS_PATCHES, FEATURES_PATCHES, SPEED_PATCHES),
        "missing_patches", by_series(LACKS_CORRECTNESS_PATCHES, LACKS_FEATURES_PATCHES,
                                     LACKS_SPEED_PATCHES),
        "features", features(),
        "compiler", COMPILER,
        "python", PY_VERSION,
        "free_threaded", FREE_THREADED_BUILD ? Py_True : Py_False);
}

int
warn_of_missing_patches(module_state *state)
{
    if (!lacks_patches || atomic_exchange(&state->warned_of_missing_patches, true)) {
        return 0;
    }
    PyObject *get = import_attribute("logging", "getLogger");
    PyObject *logger = get == NULL ? NULL : PyObject_CallFunction(get, "s", "confluent_kafka");
    PyObject *result = NULL;
    if (logger != NULL) {
        result = PyObject_CallMethod(
            logger, "warning", "sssss",
            "this librdkafka (%s) lacks patches that repair errors (%s), add features (%s) and "
            "save time (%s): see build_info(), and docs/project/librdkafka.md for their effects",
            rd_kafka_version_str(), LACKS_CORRECTNESS_PATCHES, LACKS_FEATURES_PATCHES,
            LACKS_SPEED_PATCHES);
    }
    Py_XDECREF(get);
    Py_XDECREF(logger);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}
