/*
 * Finds the reason for which a subscription is refused, because librdkafka does not return it.
 */
#include "consumer/consumer.h"

#include <regex.h>
#include <string.h>

/* Writes to `reason` why librdkafka refuses the topic at `index`, or an empty text. */
static void
explain_topic(const rd_kafka_topic_partition_list_t *topics, int index, char *reason, size_t size)
{
    const char *topic = topics->elems[index].topic;
    reason[0] = '\0';
    if (topic[0] == '\0') {
        PyOS_snprintf(reason, size, "topics[%d] is empty", index);
        return;
    }
    if (topic[0] == '^') {
        regex_t compiled;
        int code = regcomp(&compiled, topic, REG_EXTENDED | REG_NOSUB);
        if (code != 0) {
            char why[128];
            regerror(code, &compiled, why, sizeof(why));
            PyOS_snprintf(reason, size,
                          "topics[%d] '%.200s' is not a valid regular expression: %s", index,
                          topic, why);
            return;
        }
        regfree(&compiled);
    }
    for (int i = 0; i < index; i++) {
        if (strcmp(topics->elems[i].topic, topic) == 0) {
            PyOS_snprintf(reason, size, "topics[%d] '%.200s' is in the list twice", index, topic);
            return;
        }
    }
}

void
consumer_raise_subscription(Consumer *self, rd_kafka_resp_err_t code,
                            const rd_kafka_topic_partition_list_t *topics)
{
    char reason[512] = "";
    bool invalid = code == RD_KAFKA_RESP_ERR__INVALID_ARG;
    if (invalid && topics->cnt == 0) {
        PyOS_snprintf(reason, sizeof(reason),
                      "topics is empty; unsubscribe() ends a subscription");
    }
    for (int i = 0; invalid && reason[0] == '\0' && i < topics->cnt; i++) {
        explain_topic(topics, i, reason, sizeof(reason));
    }
    raise_kafka_error(self->client.state, code, "Failed to set subscription: %s%s%s",
                      rd_kafka_err2str(code), reason[0] == '\0' ? "" : ": ", reason);
}
