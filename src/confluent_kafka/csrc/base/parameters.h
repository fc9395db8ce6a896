/*
 * Every keyword argument of the extension's methods. The names are interned once, in the
 * module state, so that keywords are matched by comparing pointers (args.c).
 */
#ifndef CONFLUENT_KAFKA_BASE_PARAMETERS_H
#define CONFLUENT_KAFKA_BASE_PARAMETERS_H

#define PARAMETERS(X)                                                                    \
    X(ack_type)                                                                          \
    X(action)                                                                            \
    X(api_key)                                                                           \
    X(append_time)                                                                       \
    X(async)                                                                             \
    X(asynchronous)                                                                      \
    X(batch)                                                                             \
    X(block)                                                                             \
    X(blocking)                                                                          \
    X(body)                                                                              \
    X(broker)                                                                            \
    X(broker_id)                                                                         \
    X(broker_ids)                                                                        \
    X(brokers)                                                                           \
    X(cached)                                                                            \
    X(callback)                                                                          \
    X(client_id)                                                                         \
    X(columns)                                                                           \
    X(committed)                                                                         \
    X(compacted)                                                                         \
    X(config)                                                                            \
    X(controller)                                                                        \
    X(coordinator)                                                                       \
    X(coordinator_type)                                                                  \
    X(count)                                                                             \
    X(create_future)                                                                     \
    X(data)                                                                              \
    X(delay)                                                                             \
    X(delivery_count)                                                                    \
    X(duration)                                                                          \
    X(error)                                                                             \
    X(errors)                                                                            \
    X(fatal)                                                                             \
    X(fetch_rate)                                                                        \
    X(first)                                                                             \
    X(flexible_version)                                                                  \
    X(future)                                                                            \
    X(group)                                                                             \
    X(group_metadata)                                                                    \
    X(headers)                                                                           \
    X(high)                                                                              \
    X(in_flight)                                                                         \
    X(in_queue)                                                                          \
    X(instructions)                                                                      \
    X(interval)                                                                          \
    X(is_running)                                                                        \
    X(key)                                                                               \
    X(latency)                                                                           \
    X(leader_epoch)                                                                      \
    X(least_significant_bits)                                                            \
    X(limit)                                                                             \
    X(logger)                                                                            \
    X(low)                                                                               \
    X(max_size)                                                                          \
    X(max_version)                                                                       \
    X(message)                                                                           \
    X(messages)                                                                          \
    X(metadata)                                                                          \
    X(min_version)                                                                       \
    X(most_significant_bits)                                                             \
    X(name)                                                                              \
    X(new_total_count)                                                                   \
    X(num_messages)                                                                      \
    X(num_partitions)                                                                    \
    X(offer)                                                                             \
    X(offset)                                                                            \
    X(offset_reset)                                                                      \
    X(offsets)                                                                           \
    X(on_assign)                                                                         \
    X(on_delivery)                                                                       \
    X(on_lost)                                                                           \
    X(on_revoke)                                                                         \
    X(option)                                                                            \
    X(own_take)                                                                          \
    X(partition)                                                                         \
    X(partition_bytes)                                                                   \
    X(partition_count)                                                                   \
    X(partition_type)                                                                    \
    X(partitions)                                                                        \
    X(password)                                                                          \
    X(payload_format)                                                                    \
    X(payloads)                                                                          \
    X(position)                                                                          \
    X(positions)                                                                         \
    X(prefix)                                                                            \
    X(produce_rate)                                                                      \
    X(producer_epoch)                                                                    \
    X(producer_id)                                                                       \
    X(program)                                                                           \
    X(program_for)                                                                       \
    X(programs_for)                                                                      \
    X(rack)                                                                              \
    X(reason)                                                                            \
    X(record_type)                                                                       \
    X(replica_assignment)                                                                \
    X(replication_factor)                                                                \
    X(request)                                                                           \
    X(requested_schema)                                                                  \
    X(retention_bytes)                                                                   \
    X(retriable)                                                                         \
    X(round_trip_time)                                                                   \
    X(row_format)                                                                        \
    X(rows)                                                                              \
    X(schema)                                                                            \
    X(seconds)                                                                           \
    X(shapes)                                                                            \
    X(store)                                                                             \
    X(take)                                                                              \
    X(timeout)                                                                           \
    X(timestamp)                                                                         \
    X(topic)                                                                             \
    X(topics)                                                                            \
    X(txn_requires_abort)                                                                \
    X(types)                                                                             \
    X(unclosed)                                                                          \
    X(username)                                                                          \
    X(value)                                                                             \
    X(version)                                                                           \
    X(wrap)

enum parameter {
#define ENUMERATOR(name) P_##name,
    PARAMETERS(ENUMERATOR)
#undef ENUMERATOR
        PARAMETER_COUNT
};

#endif
