/*
 * Every attribute of Python objects that hot paths look up. The names are interned once, in the
 * module state.
 */
#ifndef CONFLUENT_KAFKA_BASE_NAMES_H
#define CONFLUENT_KAFKA_BASE_NAMES_H

#define NAMES(X)                                                                         \
    X(call_soon_threadsafe)                                                              \
    X(done)                                                                              \
    X(get_loop)                                                                          \
    X(is_closed)                                                                         \
    X(kafka_message)                                                                     \
    X(leader_epoch)                                                                      \
    X(set_exception)                                                                     \
    X(set_result)

enum attribute_name {
#define NAME(name) N_##name,
    NAMES(NAME)
#undef NAME
    NAME_COUNT
};

#endif
