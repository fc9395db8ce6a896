"""Texts for the brokers' error codes that have neither a name nor a text in librdkafka."""

ERROR_TEXTS = {
    98: "SNAPSHOT_NOT_FOUND: the broker does not have the requested snapshot",
    99: "POSITION_OUT_OF_RANGE: the requested position is not within the snapshot",
    101: "DUPLICATE_BROKER_REGISTRATION: another broker with this id is running",
    102: "BROKER_ID_NOT_REGISTERED: no broker with this id is registered",
    104: "INCONSISTENT_CLUSTER_ID: the cluster has another id",
    105: "TRANSACTIONAL_ID_NOT_FOUND: its coordinator does not know this transactional id",
    106: "FETCH_SESSION_TOPIC_ID_ERROR: the fetch session uses topic ids inconsistently",
    107: "INELIGIBLE_REPLICA: one of the new in-sync replicas may not be in sync",
    108: "NEW_LEADER_ELECTED: the partition was changed, and it has a new leader",
    109: "OFFSET_MOVED_TO_TIERED_STORAGE: the offset is only in the remote storage",
    134: "GROUP_DELETION_FAILED: the coordinator could not delete the group",
    135: "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED: the coordinator refused the topology",
    136: "CONTROLLER_ID_NOT_REGISTERED: no controller with this id is registered",
}
