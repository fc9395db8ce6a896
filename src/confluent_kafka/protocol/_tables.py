"""Kafka 4.4.0's messages; _schema.py describes their format. Written by tools/protocol.py."""

TABLES = {
    "AbortedTxn": """data - 0 none
producer_id int64 0+
first_offset int64 0+
last_offset int64 0+
last_stable_offset int64 0+""",
    "AddOffsetsToTxnRequest": """request 25 0-4 3+
transactional_id string 0+
producer_id int64 0+
producer_epoch int16 0+
group_id string 0+""",
    "AddOffsetsToTxnResponse": """response 25 0-4 3+
throttle_time_ms int32 0+
error_code int16 0+""",
    "AddPartitionsToTxnRequest": """request 24 0-5 3+
transactions []AddPartitionsToTxnTransaction 4+
 transactional_id string 4+
 producer_id int64 4+
 producer_epoch int16 4+
 verify_only bool 4+
 topics []AddPartitionsToTxnTopic 4+
v3_and_below_transactional_id string 0-3
v3_and_below_producer_id int64 0-3
v3_and_below_producer_epoch int16 0-3
v3_and_below_topics []AddPartitionsToTxnTopic 0-3
struct AddPartitionsToTxnTopic
 name string 0+
 partitions []int32 0+""",
    "AddPartitionsToTxnResponse": """response 24 0-5 3+
throttle_time_ms int32 0+
error_code int16 4+ ignorable
results_by_transaction []AddPartitionsToTxnResult 4+
 transactional_id string 4+
 topic_results []AddPartitionsToTxnTopicResult 4+
results_by_topic_v3_and_below []AddPartitionsToTxnTopicResult 0-3
struct AddPartitionsToTxnTopicResult
 name string 0+
 results_by_partition []AddPartitionsToTxnPartitionResult 0+
struct AddPartitionsToTxnPartitionResult
 partition_index int32 0+
 partition_error_code int16 0+""",
    "AddRaftVoterRequest": """request 80 0-1 0+
cluster_id string 0+ nullable=0+
timeout_ms int32 0+
voter_id int32 0+
voter_directory_id uuid 0+
listeners []Listener 0+
 name string 0+
 host string 0+
 port uint16 0+
ack_when_committed bool 1+ default=true""",
    "AddRaftVoterResponse": """response 80 0-1 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ ignorable""",
    "AllocateProducerIdsRequest": """request 67 0 0+
broker_id int32 0+
broker_epoch int64 0+ default=-1""",
    "AllocateProducerIdsResponse": """response 67 0 0+
throttle_time_ms int32 0+
error_code int16 0+
producer_id_start int64 0+
producer_id_len int32 0+""",
    "AlterClientQuotasRequest": """request 49 0-1 1+
entries []EntryData 0+
 entity []EntityData 0+
  entity_type string 0+
  entity_name string 0+ nullable=0+
 ops []OpData 0+
  key string 0+
  value float64 0+
  remove bool 0+
validate_only bool 0+""",
    "AlterClientQuotasResponse": """response 49 0-1 1+
throttle_time_ms int32 0+
entries []EntryData 0+
 error_code int16 0+
 error_message string 0+ nullable=0+
 entity []EntityData 0+
  entity_type string 0+
  entity_name string 0+ nullable=0+""",
    "AlterConfigsRequest": """request 33 0-2 2+
resources []AlterConfigsResource 0+
 resource_type int8 0+
 resource_name string 0+
 configs []AlterableConfig 0+
  name string 0+
  value string 0+ nullable=0+
validate_only bool 0+""",
    "AlterConfigsResponse": """response 33 0-2 2+
throttle_time_ms int32 0+
responses []AlterConfigsResourceResponse 0+
 error_code int16 0+
 error_message string 0+ nullable=0+
 resource_type int8 0+
 resource_name string 0+""",
    "AlterPartitionReassignmentsRequest": """request 45 0-1 0+
timeout_ms int32 0+ default=60000
allow_replication_factor_change bool 1+ default=true
topics []ReassignableTopic 0+
 name string 0+
 partitions []ReassignablePartition 0+
  partition_index int32 0+
  replicas []int32 0+ nullable=0+ default=null""",
    "AlterPartitionReassignmentsResponse": """response 45 0-1 0+
throttle_time_ms int32 0+
allow_replication_factor_change bool 1+ default=true ignorable
error_code int16 0+
error_message string 0+ nullable=0+
responses []ReassignableTopicResponse 0+
 name string 0+
 partitions []ReassignablePartitionResponse 0+
  partition_index int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+""",
    "AlterPartitionRequest": """request 56 2-3 0+
broker_id int32 0+
broker_epoch int64 0+ default=-1
topics []TopicData 0+
 topic_id uuid 2+ ignorable
 partitions []PartitionData 0+
  partition_index int32 0+
  leader_epoch int32 0+
  new_isr []int32 0-2
  new_isr_with_epochs []BrokerState 3+
   broker_id int32 3+
   broker_epoch int64 3+ default=-1
  leader_recovery_state int8 1+
  partition_epoch int32 0+""",
    "AlterPartitionResponse": """response 56 2-3 0+
throttle_time_ms int32 0+
error_code int16 0+
topics []TopicData 0+
 topic_id uuid 2+ ignorable
 partitions []PartitionData 0+
  partition_index int32 0+
  error_code int16 0+
  leader_id int32 0+
  leader_epoch int32 0+
  isr []int32 0+
  leader_recovery_state int8 1+ ignorable
  partition_epoch int32 0+""",
    "AlterReplicaLogDirsRequest": """request 34 1-2 2+
dirs []AlterReplicaLogDir 0+
 path string 0+
 topics []AlterReplicaLogDirTopic 0+
  name string 0+
  partitions []int32 0+""",
    "AlterReplicaLogDirsResponse": """response 34 1-2 2+
throttle_time_ms int32 0+
results []AlterReplicaLogDirTopicResult 0+
 topic_name string 0+
 partitions []AlterReplicaLogDirPartitionResult 0+
  partition_index int32 0+
  error_code int16 0+""",
    "AlterShareGroupOffsetsRequest": """request 91 0 0+
group_id string 0+
topics []AlterShareGroupOffsetsRequestTopic 0+
 topic_name string 0+
 partitions []AlterShareGroupOffsetsRequestPartition 0+
  partition_index int32 0+
  start_offset int64 0+""",
    "AlterShareGroupOffsetsResponse": """response 91 0 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ default=null
responses []AlterShareGroupOffsetsResponseTopic 0+
 topic_name string 0+
 topic_id uuid 0+
 partitions []AlterShareGroupOffsetsResponsePartition 0+
  partition_index int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+ default=null""",
    "AlterUserScramCredentialsRequest": """request 51 0 0+
deletions []ScramCredentialDeletion 0+
 name string 0+
 mechanism int8 0+
upsertions []ScramCredentialUpsertion 0+
 name string 0+
 mechanism int8 0+
 iterations int32 0+
 salt bytes 0+
 salted_password bytes 0+""",
    "AlterUserScramCredentialsResponse": """response 51 0 0+
throttle_time_ms int32 0+
results []AlterUserScramCredentialsResult 0+
 user string 0+
 error_code int16 0+
 error_message string 0+ nullable=0+""",
    "ApiVersionsRequest": """request 18 0-5 3+
client_software_name string 3+ ignorable
client_software_version string 3+ ignorable
cluster_id string 5+ nullable=5+ default=null ignorable
node_id int32 5+ default=-1 ignorable""",
    "ApiVersionsResponse": """response 18 0-5 3+
error_code int16 0+
api_keys []ApiVersion 0+
 api_key int16 0+
 min_version int16 0+
 max_version int16 0+
throttle_time_ms int32 1+ ignorable
supported_features []SupportedFeatureKey 3+ tag=0:3+ ignorable
 name string 3+
 min_version int16 3+
 max_version int16 3+
finalized_features_epoch int64 3+ tag=1:3+ default=-1 ignorable
finalized_features []FinalizedFeatureKey 3+ tag=2:3+ ignorable
 name string 3+
 max_version_level int16 3+
 min_version_level int16 3+
zk_migration_ready bool 3+ tag=3:3+ ignorable""",
    "AssignReplicasToDirsRequest": """request 73 0 0+
broker_id int32 0+
broker_epoch int64 0+ default=-1
directories []DirectoryData 0+
 id uuid 0+
 topics []TopicData 0+
  topic_id uuid 0+
  partitions []PartitionData 0+
   partition_index int32 0+""",
    "AssignReplicasToDirsResponse": """response 73 0 0+
throttle_time_ms int32 0+
error_code int16 0+
directories []DirectoryData 0+
 id uuid 0+
 topics []TopicData 0+
  topic_id uuid 0+
  partitions []PartitionData 0+
   partition_index int32 0+
   error_code int16 0+""",
    "BeginQuorumEpochRequest": """request 53 0-1 1+
cluster_id string 0+ nullable=0+ default=null
voter_id int32 1+ default=-1 ignorable
topics []TopicData 0+
 topic_name string 0+
 partitions []PartitionData 0+
  partition_index int32 0+
  voter_directory_id uuid 1+ ignorable
  leader_id int32 0+
  leader_epoch int32 0+
leader_endpoints []LeaderEndpoint 1+ ignorable
 name string 1+
 host string 1+
 port uint16 1+""",
    "BeginQuorumEpochResponse": """response 53 0-1 1+
error_code int16 0+
topics []TopicData 0+
 topic_name string 0+
 partitions []PartitionData 0+
  partition_index int32 0+
  error_code int16 0+
  leader_id int32 0+
  leader_epoch int32 0+
node_endpoints []NodeEndpoint 1+ tag=0:1+
 node_id int32 1+
 host string 1+
 port uint16 1+""",
    "BrokerHeartbeatRequest": """request 63 0-2 0+
broker_id int32 0+
broker_epoch int64 0+ default=-1
current_metadata_offset int64 0+
want_fence bool 0+
want_shut_down bool 0+
offline_log_dirs []uuid 1+ tag=0:1+
cordoned_log_dirs []uuid 2+ nullable=2+ tag=1:2+ default=null""",
    "BrokerHeartbeatResponse": """response 63 0-2 0+
throttle_time_ms int32 0+
error_code int16 0+
is_caught_up bool 0+
is_fenced bool 0+ default=true
should_shut_down bool 0+""",
    "BrokerRegistrationRequest": """request 62 0-4 0+
broker_id int32 0+
cluster_id string 0+
incarnation_id uuid 0+
listeners []Listener 0+
 name string 0+
 host string 0+
 port uint16 0+
 security_protocol int16 0+
features []Feature 0+
 name string 0+
 min_supported_version int16 0+
 max_supported_version int16 0+
rack string 0+ nullable=0+
is_migrating_zk_broker bool 1+
log_dirs []uuid 2+ ignorable
previous_broker_epoch int64 3+ default=-1 ignorable""",
    "BrokerRegistrationResponse": """response 62 0-4 0+
throttle_time_ms int32 0+
error_code int16 0+
broker_epoch int64 0+ default=-1""",
    "ConsumerGroupDescribeRequest": """request 69 0-1 0+
group_ids []string 0+
include_authorized_operations bool 0+""",
    "ConsumerGroupDescribeResponse": """response 69 0-1 0+
throttle_time_ms int32 0+
groups []DescribedGroup 0+
 error_code int16 0+
 error_message string 0+ nullable=0+ default=null
 group_id string 0+
 group_state string 0+
 group_epoch int32 0+
 assignment_epoch int32 0+
 assignor_name string 0+
 members []Member 0+
  member_id string 0+
  instance_id string 0+ nullable=0+ default=null
  rack_id string 0+ nullable=0+ default=null
  member_epoch int32 0+
  client_id string 0+
  client_host string 0+
  subscribed_topic_names []string 0+
  subscribed_topic_regex string 0+ nullable=0+ default=null
  assignment Assignment 0+
  target_assignment Assignment 0+
  member_type int8 1+ default=-1 ignorable
 authorized_operations int32 0+ default=-2147483648
struct TopicPartitions
 topic_id uuid 0+
 topic_name string 0+
 partitions []int32 0+
struct Assignment
 topic_partitions []TopicPartitions 0+""",
    "ConsumerGroupHeartbeatRequest": """request 68 0-1 0+
group_id string 0+
member_id string 0+
member_epoch int32 0+
instance_id string 0+ nullable=0+ default=null
rack_id string 0+ nullable=0+ default=null
rebalance_timeout_ms int32 0+ default=-1
subscribed_topic_names []string 0+ nullable=0+ default=null
subscribed_topic_regex string 1+ nullable=1+ default=null
server_assignor string 0+ nullable=0+ default=null
topic_partitions []TopicPartitions 0+ nullable=0+ default=null
 topic_id uuid 0+
 partitions []int32 0+""",
    "ConsumerGroupHeartbeatResponse": """response 68 0-1 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ default=null
member_id string 0+ nullable=0+ default=null
member_epoch int32 0+
heartbeat_interval_ms int32 0+
assignment Assignment 0+ nullable=0+ default=null
 topic_partitions []TopicPartitions 0+
struct TopicPartitions
 topic_id uuid 0+
 partitions []int32 0+""",
    "ConsumerProtocolAssignment": """data - 0-3 none
assigned_partitions []TopicPartition 0+
 topic string 0+
 partitions []int32 0+
user_data bytes 0+ nullable=0+ default=null""",
    "ConsumerProtocolSubscription": """data - 0-3 none
topics []string 0+
user_data bytes 0+ nullable=0+ default=null
owned_partitions []TopicPartition 1+ ignorable
 topic string 1+
 partitions []int32 1+
generation_id int32 2+ default=-1 ignorable
rack_id string 3+ nullable=3+ default=null ignorable""",
    "ControlRecordTypeSchema": """data - 0 none
type int16 0+""",
    "ControllerRegistrationRequest": """request 70 0 0+
controller_id int32 0+
incarnation_id uuid 0+
zk_migration_ready bool 0+
listeners []Listener 0+
 name string 0+
 host string 0+
 port uint16 0+
 security_protocol int16 0+
features []Feature 0+
 name string 0+
 min_supported_version int16 0+
 max_supported_version int16 0+""",
    "ControllerRegistrationResponse": """response 70 0 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+""",
    "CreateAclsRequest": """request 30 1-3 2+
creations []AclCreation 0+
 resource_type int8 0+
 resource_name string 0+
 resource_pattern_type int8 1+ default=3
 principal string 0+
 host string 0+
 operation int8 0+
 permission_type int8 0+""",
    "CreateAclsResponse": """response 30 1-3 2+
throttle_time_ms int32 0+
results []AclCreationResult 0+
 error_code int16 0+
 error_message string 0+ nullable=0+""",
    "CreateDelegationTokenRequest": """request 38 1-3 2+
owner_principal_type string 3+ nullable=3+
owner_principal_name string 3+ nullable=3+
renewers []CreatableRenewers 0+
 principal_type string 0+
 principal_name string 0+
max_lifetime_ms int64 0+""",
    "CreateDelegationTokenResponse": """response 38 1-3 2+
error_code int16 0+
principal_type string 0+
principal_name string 0+
token_requester_principal_type string 3+
token_requester_principal_name string 3+
issue_timestamp_ms int64 0+
expiry_timestamp_ms int64 0+
max_timestamp_ms int64 0+
token_id string 0+
hmac bytes 0+
throttle_time_ms int32 0+""",
    "CreatePartitionsRequest": """request 37 0-3 2+
topics []CreatePartitionsTopic 0+
 name string 0+
 count int32 0+
 assignments []CreatePartitionsAssignment 0+ nullable=0+
  broker_ids []int32 0+
timeout_ms int32 0+
validate_only bool 0+""",
    "CreatePartitionsResponse": """response 37 0-3 2+
throttle_time_ms int32 0+
results []CreatePartitionsTopicResult 0+
 name string 0+
 error_code int16 0+
 error_message string 0+ nullable=0+ default=null""",
    "CreateTopicsRequest": """request 19 2-7 5+
topics []CreatableTopic 0+
 name string 0+
 num_partitions int32 0+
 replication_factor int16 0+
 assignments []CreatableReplicaAssignment 0+
  partition_index int32 0+
  broker_ids []int32 0+
 configs []CreatableTopicConfig 0+
  name string 0+
  value string 0+ nullable=0+
timeout_ms int32 0+ default=60000
validate_only bool 1+""",
    "CreateTopicsResponse": """response 19 2-7 5+
throttle_time_ms int32 2+ ignorable
topics []CreatableTopicResult 0+
 name string 0+
 topic_id uuid 7+ ignorable
 error_code int16 0+
 error_message string 1+ nullable=0+ ignorable
 topic_config_error_code int16 5+ tag=0:5+ ignorable
 num_partitions int32 5+ default=-1 ignorable
 replication_factor int16 5+ default=-1 ignorable
 configs []CreatableTopicConfigs 5+ nullable=5+ ignorable
  name string 5+
  value string 5+ nullable=5+
  read_only bool 5+
  config_source int8 5+ default=-1 ignorable
  is_sensitive bool 5+""",
    "DefaultPrincipalData": """data - 0 0+
type string 0+
name string 0+
token_authenticated bool 0+""",
    "DeleteAclsRequest": """request 31 1-3 2+
filters []DeleteAclsFilter 0+
 resource_type_filter int8 0+
 resource_name_filter string 0+ nullable=0+
 pattern_type_filter int8 1+ default=3
 principal_filter string 0+ nullable=0+
 host_filter string 0+ nullable=0+
 operation int8 0+
 permission_type int8 0+""",
    "DeleteAclsResponse": """response 31 1-3 2+
throttle_time_ms int32 0+
filter_results []DeleteAclsFilterResult 0+
 error_code int16 0+
 error_message string 0+ nullable=0+
 matching_acls []DeleteAclsMatchingAcl 0+
  error_code int16 0+
  error_message string 0+ nullable=0+
  resource_type int8 0+
  resource_name string 0+
  pattern_type int8 1+ default=3
  principal string 0+
  host string 0+
  operation int8 0+
  permission_type int8 0+""",
    "DeleteGroupsRequest": """request 42 0-3 2+
groups_names []string 0+""",
    "DeleteGroupsResponse": """response 42 0-3 2+
throttle_time_ms int32 0+
results []DeletableGroupResult 0+
 group_id string 0+
 error_code int16 0+
 error_message string 3+ nullable=3+ default=null ignorable""",
    "DeleteRecordsRequest": """request 21 0-2 2+
topics []DeleteRecordsTopic 0+
 name string 0+
 partitions []DeleteRecordsPartition 0+
  partition_index int32 0+
  offset int64 0+
timeout_ms int32 0+""",
    "DeleteRecordsResponse": """response 21 0-2 2+
throttle_time_ms int32 0+
topics []DeleteRecordsTopicResult 0+
 name string 0+
 partitions []DeleteRecordsPartitionResult 0+
  partition_index int32 0+
  low_watermark int64 0+
  error_code int16 0+""",
    "DeleteShareGroupOffsetsRequest": """request 92 0 0+
group_id string 0+
topics []DeleteShareGroupOffsetsRequestTopic 0+
 topic_name string 0+""",
    "DeleteShareGroupOffsetsResponse": """response 92 0 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ default=null
responses []DeleteShareGroupOffsetsResponseTopic 0+
 topic_name string 0+
 topic_id uuid 0+
 error_code int16 0+
 error_message string 0+ nullable=0+ default=null""",
    "DeleteShareGroupStateRequest": """request 86 0 0+
group_id string 0+
topics []DeleteStateData 0+
 topic_id uuid 0+
 partitions []PartitionData 0+
  partition int32 0+""",
    "DeleteShareGroupStateResponse": """response 86 0 0+
results []DeleteStateResult 0+
 topic_id uuid 0+
 partitions []PartitionResult 0+
  partition int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+ default=null""",
    "DeleteTopicsRequest": """request 20 1-6 4+
topics []DeleteTopicState 6+
 name string 6+ nullable=6+ default=null
 topic_id uuid 6+
topic_names []string 0-5 ignorable
timeout_ms int32 0+""",
    "DeleteTopicsResponse": """response 20 1-6 4+
throttle_time_ms int32 1+ ignorable
responses []DeletableTopicResult 0+
 name string 0+ nullable=6+
 topic_id uuid 6+ ignorable
 error_code int16 0+
 error_message string 5+ nullable=5+ default=null ignorable""",
    "DescribeAclsRequest": """request 29 1-3 2+
resource_type_filter int8 0+
resource_name_filter string 0+ nullable=0+
pattern_type_filter int8 1+ default=3
principal_filter string 0+ nullable=0+
host_filter string 0+ nullable=0+
operation int8 0+
permission_type int8 0+""",
    "DescribeAclsResponse": """response 29 1-3 2+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+
resources []DescribeAclsResource 0+
 resource_type int8 0+
 resource_name string 0+
 pattern_type int8 1+ default=3
 acls []AclDescription 0+
  principal string 0+
  host string 0+
  operation int8 0+
  permission_type int8 0+""",
    "DescribeClientQuotasRequest": """request 48 0-1 1+
components []ComponentData 0+
 entity_type string 0+
 match_type int8 0+
 match string 0+ nullable=0+
strict bool 0+""",
    "DescribeClientQuotasResponse": """response 48 0-1 1+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+
entries []EntryData 0+ nullable=0+
 entity []EntityData 0+
  entity_type string 0+
  entity_name string 0+ nullable=0+
 values []ValueData 0+
  key string 0+
  value float64 0+""",
    "DescribeClusterRequest": """request 60 0-2 0+
include_cluster_authorized_operations bool 0+
endpoint_type int8 1+ default=1
include_fenced_brokers bool 2+""",
    "DescribeClusterResponse": """response 60 0-2 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ default=null
endpoint_type int8 1+ default=1
cluster_id string 0+
controller_id int32 0+ default=-1
brokers []DescribeClusterBroker 0+
 broker_id int32 0+
 host string 0+
 port int32 0+
 rack string 0+ nullable=0+ default=null
 is_fenced bool 2+
cluster_authorized_operations int32 0+ default=-2147483648""",
    "DescribeConfigsRequest": """request 32 1-4 4+
resources []DescribeConfigsResource 0+
 resource_type int8 0+
 resource_name string 0+
 configuration_keys []string 0+ nullable=0+
include_synonyms bool 1+
include_documentation bool 3+""",
    "DescribeConfigsResponse": """response 32 1-4 4+
throttle_time_ms int32 0+
results []DescribeConfigsResult 0+
 error_code int16 0+
 error_message string 0+ nullable=0+
 resource_type int8 0+
 resource_name string 0+
 configs []DescribeConfigsResourceResult 0+
  name string 0+
  value string 0+ nullable=0+
  read_only bool 0+
  config_source int8 1+ default=-1 ignorable
  is_sensitive bool 0+
  synonyms []DescribeConfigsSynonym 1+ ignorable
   name string 1+
   value string 1+ nullable=0+
   source int8 1+
  config_type int8 3+ ignorable
  documentation string 3+ nullable=0+ ignorable""",
    "DescribeDelegationTokenRequest": """request 41 1-3 2+
owners []DescribeDelegationTokenOwner 0+ nullable=0+
 principal_type string 0+
 principal_name string 0+""",
    "DescribeDelegationTokenResponse": """response 41 1-3 2+
error_code int16 0+
tokens []DescribedDelegationToken 0+
 principal_type string 0+
 principal_name string 0+
 token_requester_principal_type string 3+
 token_requester_principal_name string 3+
 issue_timestamp int64 0+
 expiry_timestamp int64 0+
 max_timestamp int64 0+
 token_id string 0+
 hmac bytes 0+
 renewers []DescribedDelegationTokenRenewer 0+
  principal_type string 0+
  principal_name string 0+
throttle_time_ms int32 0+""",
    "DescribeGroupsRequest": """request 15 0-6 5+
groups []string 0+
include_authorized_operations bool 3+""",
    "DescribeGroupsResponse": """response 15 0-6 5+
throttle_time_ms int32 1+ ignorable
groups []DescribedGroup 0+
 error_code int16 0+
 error_message string 6+ nullable=6+ default=null
 group_id string 0+
 group_state string 0+
 protocol_type string 0+
 protocol_data string 0+
 members []DescribedGroupMember 0+
  member_id string 0+
  group_instance_id string 4+ nullable=4+ default=null ignorable
  client_id string 0+
  client_host string 0+
  member_metadata bytes 0+
  member_assignment bytes 0+
 authorized_operations int32 3+ default=-2147483648""",
    "DescribeLogDirsRequest": """request 35 1-5 2+
topics []DescribableLogDirTopic 0+ nullable=0+
 topic string 0+
 partitions []int32 0+""",
    "DescribeLogDirsResponse": """response 35 1-5 2+
throttle_time_ms int32 0+
error_code int16 3+ ignorable
results []DescribeLogDirsResult 0+
 error_code int16 0+
 log_dir string 0+
 topics []DescribeLogDirsTopic 0+
  name string 0+
  partitions []DescribeLogDirsPartition 0+
   partition_index int32 0+
   partition_size int64 0+
   offset_lag int64 0+
   is_future_key bool 0+
 total_bytes int64 4+ default=-1 ignorable
 usable_bytes int64 4+ default=-1 ignorable
 is_cordoned bool 5+ ignorable""",
    "DescribeProducersRequest": """request 61 0 0+
topics []TopicRequest 0+
 name string 0+
 partition_indexes []int32 0+""",
    "DescribeProducersResponse": """response 61 0 0+
throttle_time_ms int32 0+
topics []TopicResponse 0+
 name string 0+
 partitions []PartitionResponse 0+
  partition_index int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+ default=null
  active_producers []ProducerState 0+
   producer_id int64 0+
   producer_epoch int32 0+
   last_sequence int32 0+ default=-1
   last_timestamp int64 0+ default=-1
   coordinator_epoch int32 0+
   current_txn_start_offset int64 0+ default=-1""",
    "DescribeQuorumRequest": """request 55 0-2 0+
topics []TopicData 0+
 topic_name string 0+
 partitions []PartitionData 0+
  partition_index int32 0+""",
    "DescribeQuorumResponse": """response 55 0-2 0+
error_code int16 0+
error_message string 2+ nullable=2+ ignorable
topics []TopicData 0+
 topic_name string 0+
 partitions []PartitionData 0+
  partition_index int32 0+
  error_code int16 0+
  error_message string 2+ nullable=2+ ignorable
  leader_id int32 0+
  leader_epoch int32 0+
  high_watermark int64 0+
  current_voters []ReplicaState 0+
  observers []ReplicaState 0+
nodes []Node 2+
 node_id int32 2+
 listeners []Listener 2+
  name string 2+
  host string 2+
  port uint16 2+
struct ReplicaState
 replica_id int32 0+
 replica_directory_id uuid 2+
 log_end_offset int64 0+
 last_fetch_timestamp int64 1+ default=-1 ignorable
 last_caught_up_timestamp int64 1+ default=-1 ignorable""",
    "DescribeShareGroupOffsetsRequest": """request 90 0-1 0+
groups []DescribeShareGroupOffsetsRequestGroup 0+
 group_id string 0+
 topics []DescribeShareGroupOffsetsRequestTopic 0+ nullable=0+
  topic_name string 0+
  partitions []int32 0+""",
    "DescribeShareGroupOffsetsResponse": """response 90 0-1 0+
throttle_time_ms int32 0+
groups []DescribeShareGroupOffsetsResponseGroup 0+
 group_id string 0+
 topics []DescribeShareGroupOffsetsResponseTopic 0+
  topic_name string 0+
  topic_id uuid 0+
  partitions []DescribeShareGroupOffsetsResponsePartition 0+
   partition_index int32 0+
   start_offset int64 0+
   leader_epoch int32 0+
   lag int64 1+ default=-1 ignorable
   error_code int16 0+
   error_message string 0+ nullable=0+ default=null
 error_code int16 0+
 error_message string 0+ nullable=0+ default=null""",
    "DescribeTopicPartitionsRequest": """request 75 0 0+
topics []TopicRequest 0+
 name string 0+
response_partition_limit int32 0+ default=2000
cursor Cursor 0+ nullable=0+ default=null
 topic_name string 0+
 partition_index int32 0+""",
    "DescribeTopicPartitionsResponse": """response 75 0 0+
throttle_time_ms int32 0+ ignorable
topics []DescribeTopicPartitionsResponseTopic 0+
 error_code int16 0+
 name string 0+ nullable=0+
 topic_id uuid 0+ ignorable
 is_internal bool 0+ ignorable
 partitions []DescribeTopicPartitionsResponsePartition 0+
  error_code int16 0+
  partition_index int32 0+
  leader_id int32 0+
  leader_epoch int32 0+ default=-1 ignorable
  replica_nodes []int32 0+
  isr_nodes []int32 0+
  eligible_leader_replicas []int32 0+ nullable=0+ default=null
  last_known_elr []int32 0+ nullable=0+ default=null
  offline_replicas []int32 0+ ignorable
 topic_authorized_operations int32 0+ default=-2147483648
next_cursor Cursor 0+ nullable=0+ default=null
 topic_name string 0+
 partition_index int32 0+""",
    "DescribeTransactionsRequest": """request 65 0 0+
transactional_ids []string 0+""",
    "DescribeTransactionsResponse": """response 65 0 0+
throttle_time_ms int32 0+
transaction_states []TransactionState 0+
 error_code int16 0+
 transactional_id string 0+
 transaction_state string 0+
 transaction_timeout_ms int32 0+
 transaction_start_time_ms int64 0+
 producer_id int64 0+
 producer_epoch int16 0+
 topics []TopicData 0+
  topic string 0+
  partitions []int32 0+""",
    "DescribeUserScramCredentialsRequest": """request 50 0 0+
users []UserName 0+ nullable=0+
 name string 0+""",
    "DescribeUserScramCredentialsResponse": """response 50 0 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+
results []DescribeUserScramCredentialsResult 0+
 user string 0+
 error_code int16 0+
 error_message string 0+ nullable=0+
 credential_infos []CredentialInfo 0+
  mechanism int8 0+
  iterations int32 0+""",
    "ElectLeadersRequest": """request 43 0-2 2+
election_type int8 1+
topic_partitions []TopicPartitions 0+ nullable=0+
 topic string 0+
 partitions []int32 0+
timeout_ms int32 0+ default=60000""",
    "ElectLeadersResponse": """response 43 0-2 2+
throttle_time_ms int32 0+
error_code int16 1+
replica_election_results []ReplicaElectionResult 0+
 topic string 0+
 partition_result []PartitionResult 0+
  partition_id int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+""",
    "EndQuorumEpochRequest": """request 54 0-1 1+
cluster_id string 0+ nullable=0+ default=null
topics []TopicData 0+
 topic_name string 0+
 partitions []PartitionData 0+
  partition_index int32 0+
  leader_id int32 0+
  leader_epoch int32 0+
  preferred_successors []int32 0 ignorable
  preferred_candidates []ReplicaInfo 1+ ignorable
   candidate_id int32 1+
   candidate_directory_id uuid 1+
leader_endpoints []LeaderEndpoint 1+ ignorable
 name string 1+
 host string 1+
 port uint16 1+""",
    "EndQuorumEpochResponse": """response 54 0-1 1+
error_code int16 0+
topics []TopicData 0+
 topic_name string 0+
 partitions []PartitionData 0+
  partition_index int32 0+
  error_code int16 0+
  leader_id int32 0+
  leader_epoch int32 0+
node_endpoints []NodeEndpoint 1+ tag=0:1+
 node_id int32 1+
 host string 1+
 port uint16 1+""",
    "EndTxnMarker": """data - 0 none
coordinator_epoch int32 0+""",
    "EndTxnRequest": """request 26 0-5 3+
transactional_id string 0+
producer_id int64 0+
producer_epoch int16 0+
committed bool 0+""",
    "EndTxnResponse": """response 26 0-5 3+
throttle_time_ms int32 0+
error_code int16 0+
producer_id int64 5+ default=-1 ignorable
producer_epoch int16 5+ default=-1 ignorable""",
    "EnvelopeRequest": """request 58 0 0+
request_data bytes 0+
request_principal bytes 0+ nullable=0+
client_host_address bytes 0+""",
    "EnvelopeResponse": """response 58 0 0+
response_data bytes 0+ nullable=0+ default=null
error_code int16 0+""",
    "ExpireDelegationTokenRequest": """request 40 1-2 2+
hmac bytes 0+
expiry_time_period_ms int64 0+""",
    "ExpireDelegationTokenResponse": """response 40 1-2 2+
error_code int16 0+
expiry_timestamp_ms int64 0+
throttle_time_ms int32 0+""",
    "FetchRequest": """request 1 4-18 12+
cluster_id string 12+ nullable=12+ tag=0:12+ default=null ignorable
replica_id int32 0-14 default=-1
replica_state ReplicaState 15+ tag=1:15+
 replica_id int32 15+ default=-1
 replica_epoch int64 15+ default=-1
max_wait_ms int32 0+
min_bytes int32 0+
max_bytes int32 3+ default=2147483647 ignorable
isolation_level int8 4+ ignorable
session_id int32 7+ ignorable
session_epoch int32 7+ default=-1 ignorable
topics []FetchTopic 0+
 topic string 0-12 ignorable
 topic_id uuid 13+ ignorable
 partitions []FetchPartition 0+
  partition int32 0+
  current_leader_epoch int32 9+ default=-1 ignorable
  fetch_offset int64 0+
  last_fetched_epoch int32 12+ default=-1
  log_start_offset int64 5+ default=-1 ignorable
  partition_max_bytes int32 0+
  replica_directory_id uuid 17+ tag=0:17+ ignorable
  high_watermark int64 18+ tag=1:18+ default=9223372036854775807 ignorable
forgotten_topics_data []ForgottenTopic 7+
 topic string 7-12 ignorable
 topic_id uuid 13+ ignorable
 partitions []int32 7+
rack_id string 11+ ignorable""",
    "FetchResponse": """response 1 4-18 12+
throttle_time_ms int32 1+ ignorable
error_code int16 7+ ignorable
session_id int32 7+
responses []FetchableTopicResponse 0+
 topic string 0-12 ignorable
 topic_id uuid 13+ ignorable
 partitions []PartitionData 0+
  partition_index int32 0+
  error_code int16 0+
  high_watermark int64 0+
  last_stable_offset int64 4+ default=-1 ignorable
  log_start_offset int64 5+ default=-1 ignorable
  diverging_epoch EpochEndOffset 12+ tag=0:12+
   epoch int32 12+ default=-1
   end_offset int64 12+ default=-1
  current_leader LeaderIdAndEpoch 12+ tag=1:12+
   leader_id int32 12+ default=-1
   leader_epoch int32 12+ default=-1
  snapshot_id SnapshotId 12+ tag=2:12+
   end_offset int64 0+ default=-1
   epoch int32 0+ default=-1
  aborted_transactions []AbortedTransaction 4+ nullable=4+ ignorable
   producer_id int64 4+
   first_offset int64 4+
  preferred_read_replica int32 11+ default=-1
  records records 0+ nullable=0+
node_endpoints []NodeEndpoint 16+ tag=0:16+
 node_id int32 16+
 host string 16+
 port int32 16+
 rack string 16+ nullable=16+ default=null""",
    "FetchSnapshotRequest": """request 59 0-1 0+
cluster_id string 0+ nullable=0+ tag=0:0+ default=null
replica_id int32 0+ default=-1
max_bytes int32 0+ default=2147483647
topics []TopicSnapshot 0+
 name string 0+
 partitions []PartitionSnapshot 0+
  partition int32 0+
  current_leader_epoch int32 0+
  snapshot_id SnapshotId 0+
   end_offset int64 0+
   epoch int32 0+
  position int64 0+
  replica_directory_id uuid 1+ tag=0:1+ ignorable""",
    "FetchSnapshotResponse": """response 59 0-1 0+
throttle_time_ms int32 0+ ignorable
error_code int16 0+
topics []TopicSnapshot 0+
 name string 0+
 partitions []PartitionSnapshot 0+
  index int32 0+
  error_code int16 0+
  snapshot_id SnapshotId 0+
   end_offset int64 0+
   epoch int32 0+
  current_leader LeaderIdAndEpoch 0+ tag=0:0+
   leader_id int32 0+
   leader_epoch int32 0+
  size int64 0+
  position int64 0+
  unaligned_records records 0+
node_endpoints []NodeEndpoint 1+ tag=0:1+
 node_id int32 1+
 host string 1+
 port uint16 1+""",
    "FindCoordinatorRequest": """request 10 0-6 3+
key string 0-3
key_type int8 1+
coordinator_keys []string 4+""",
    "FindCoordinatorResponse": """response 10 0-6 3+
throttle_time_ms int32 1+ ignorable
error_code int16 0-3
error_message string 1-3 nullable=1-3 ignorable
node_id int32 0-3
host string 0-3
port int32 0-3
coordinators []Coordinator 4+
 key string 4+
 node_id int32 4+
 host string 4+
 port int32 4+
 error_code int16 4+
 error_message string 4+ nullable=4+ ignorable""",
    "GetTelemetrySubscriptionsRequest": """request 71 0 0+
client_instance_id uuid 0+""",
    "GetTelemetrySubscriptionsResponse": """response 71 0 0+
throttle_time_ms int32 0+
error_code int16 0+
client_instance_id uuid 0+
subscription_id int32 0+
accepted_compression_types []int8 0+
push_interval_ms int32 0+
telemetry_max_bytes int32 0+
delta_temporality bool 0+
requested_metrics []string 0+""",
    "HeartbeatRequest": """request 12 0-4 4+
group_id string 0+
generation_id int32 0+
member_id string 0+
group_instance_id string 3+ nullable=3+ default=null""",
    "HeartbeatResponse": """response 12 0-4 4+
throttle_time_ms int32 1+ ignorable
error_code int16 0+""",
    "IncrementalAlterConfigsRequest": """request 44 0-1 1+
resources []AlterConfigsResource 0+
 resource_type int8 0+
 resource_name string 0+
 configs []AlterableConfig 0+
  name string 0+
  config_operation int8 0+
  value string 0+ nullable=0+
validate_only bool 0+""",
    "IncrementalAlterConfigsResponse": """response 44 0-1 1+
throttle_time_ms int32 0+
responses []AlterConfigsResourceResponse 0+
 error_code int16 0+
 error_message string 0+ nullable=0+
 resource_type int8 0+
 resource_name string 0+""",
    "InitProducerIdRequest": """request 22 0-6 2+ unstable
transactional_id string 0+ nullable=0+
transaction_timeout_ms int32 0+
producer_id int64 3+ default=-1
producer_epoch int16 3+ default=-1
enable2_pc bool 6+
keep_prepared_txn bool 6+""",
    "InitProducerIdResponse": """response 22 0-6 2+
throttle_time_ms int32 0+ ignorable
error_code int16 0+
producer_id int64 0+ default=-1
producer_epoch int16 0+
ongoing_txn_producer_id int64 6+ default=-1
ongoing_txn_producer_epoch int16 6+ default=-1""",
    "InitializeShareGroupStateRequest": """request 83 0 0+
group_id string 0+
topics []InitializeStateData 0+
 topic_id uuid 0+
 partitions []PartitionData 0+
  partition int32 0+
  state_epoch int32 0+
  start_offset int64 0+""",
    "InitializeShareGroupStateResponse": """response 83 0 0+
results []InitializeStateResult 0+
 topic_id uuid 0+
 partitions []PartitionResult 0+
  partition int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+ default=null""",
    "JoinGroupRequest": """request 11 0-9 6+
group_id string 0+
session_timeout_ms int32 0+
rebalance_timeout_ms int32 1+ default=-1 ignorable
member_id string 0+
group_instance_id string 5+ nullable=5+ default=null
protocol_type string 0+
protocols []JoinGroupRequestProtocol 0+
 name string 0+
 metadata bytes 0+
reason string 8+ nullable=8+ default=null ignorable""",
    "JoinGroupResponse": """response 11 0-9 6+
throttle_time_ms int32 2+ ignorable
error_code int16 0+
generation_id int32 0+ default=-1
protocol_type string 7+ nullable=7+ default=null ignorable
protocol_name string 0+ nullable=7+
leader string 0+
skip_assignment bool 9+
member_id string 0+
members []JoinGroupResponseMember 0+
 member_id string 0+
 group_instance_id string 5+ nullable=5+ default=null ignorable
 metadata bytes 0+""",
    "KRaftVersionRecord": """data - 0 0+
version int16 0+
kraft_version int16 0+""",
    "LeaderChangeMessage": """data - 0-1 0+
version int16 0+
leader_id int32 0+
voters []Voter 0+
granting_voters []Voter 0+
struct Voter
 voter_id int32 0+
 voter_directory_id uuid 1+""",
    "LeaveGroupRequest": """request 13 0-5 4+
group_id string 0+
member_id string 0-2
members []MemberIdentity 3+
 member_id string 3+
 group_instance_id string 3+ nullable=3+ default=null
 reason string 5+ nullable=5+ default=null ignorable""",
    "LeaveGroupResponse": """response 13 0-5 4+
throttle_time_ms int32 1+ ignorable
error_code int16 0+
members []MemberResponse 3+
 member_id string 3+
 group_instance_id string 3+ nullable=3+
 error_code int16 3+""",
    "ListConfigResourcesRequest": """request 74 0-1 0+
resource_types []int8 1+""",
    "ListConfigResourcesResponse": """response 74 0-1 0+
throttle_time_ms int32 0+
error_code int16 0+
config_resources []ConfigResource 0+
 resource_name string 0+
 resource_type int8 1+ default=16 ignorable""",
    "ListGroupsRequest": """request 16 0-5 3+
states_filter []string 4+
types_filter []string 5+""",
    "ListGroupsResponse": """response 16 0-5 3+
throttle_time_ms int32 1+ ignorable
error_code int16 0+
groups []ListedGroup 0+
 group_id string 0+
 protocol_type string 0+
 group_state string 4+ ignorable
 group_type string 5+ ignorable""",
    "ListOffsetsRequest": """request 2 1-11 6+
replica_id int32 0+
isolation_level int8 2+
topics []ListOffsetsTopic 0+
 name string 0+
 partitions []ListOffsetsPartition 0+
  partition_index int32 0+
  current_leader_epoch int32 4+ default=-1 ignorable
  timestamp int64 0+
timeout_ms int32 10+ ignorable""",
    "ListOffsetsResponse": """response 2 1-11 6+
throttle_time_ms int32 2+ ignorable
topics []ListOffsetsTopicResponse 0+
 name string 0+
 partitions []ListOffsetsPartitionResponse 0+
  partition_index int32 0+
  error_code int16 0+
  timestamp int64 1+ default=-1
  offset int64 1+ default=-1
  leader_epoch int32 4+ default=-1""",
    "ListPartitionReassignmentsRequest": """request 46 0 0+
timeout_ms int32 0+ default=60000
topics []ListPartitionReassignmentsTopics 0+ nullable=0+ default=null
 name string 0+
 partition_indexes []int32 0+""",
    "ListPartitionReassignmentsResponse": """response 46 0 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+
topics []OngoingTopicReassignment 0+
 name string 0+
 partitions []OngoingPartitionReassignment 0+
  partition_index int32 0+
  replicas []int32 0+
  adding_replicas []int32 0+
  removing_replicas []int32 0+""",
    "ListTransactionsRequest": """request 66 0-2 0+
state_filters []string 0+
producer_id_filters []int64 0+
duration_filter int64 1+ default=-1
transactional_id_pattern string 2+ nullable=2+ default=null""",
    "ListTransactionsResponse": """response 66 0-2 0+
throttle_time_ms int32 0+
error_code int16 0+
unknown_state_filters []string 0+
transaction_states []TransactionState 0+
 transactional_id string 0+
 producer_id int64 0+
 transaction_state string 0+""",
    "MetadataRequest": """request 3 0-13 9+
topics []MetadataRequestTopic 0+ nullable=1+
 topic_id uuid 10+ ignorable
 name string 0+ nullable=10+
allow_auto_topic_creation bool 4+ default=true
include_cluster_authorized_operations bool 8-10
include_topic_authorized_operations bool 8+""",
    "MetadataResponse": """response 3 0-13 9+
throttle_time_ms int32 3+ ignorable
brokers []MetadataResponseBroker 0+
 node_id int32 0+
 host string 0+
 port int32 0+
 rack string 1+ nullable=1+ default=null ignorable
cluster_id string 2+ nullable=2+ default=null ignorable
controller_id int32 1+ default=-1 ignorable
topics []MetadataResponseTopic 0+
 error_code int16 0+
 name string 0+ nullable=12+
 topic_id uuid 10+ ignorable
 is_internal bool 1+ ignorable
 partitions []MetadataResponsePartition 0+
  error_code int16 0+
  partition_index int32 0+
  leader_id int32 0+
  leader_epoch int32 7+ default=-1 ignorable
  replica_nodes []int32 0+
  isr_nodes []int32 0+
  offline_replicas []int32 5+ ignorable
 topic_authorized_operations int32 8+ default=-2147483648
cluster_authorized_operations int32 8-10 default=-2147483648
error_code int16 13+ ignorable""",
    "OffsetCommitRequest": """request 8 2-10 8+
group_id string 0+
generation_id_or_member_epoch int32 1+ default=-1 ignorable
member_id string 1+ ignorable
group_instance_id string 7+ nullable=7+ default=null
retention_time_ms int64 2-4 default=-1 ignorable
topics []OffsetCommitRequestTopic 0+
 name string 0-9 ignorable
 topic_id uuid 10+ ignorable
 partitions []OffsetCommitRequestPartition 0+
  partition_index int32 0+
  committed_offset int64 0+
  committed_leader_epoch int32 6+ default=-1 ignorable
  committed_metadata string 0+ nullable=0+""",
    "OffsetCommitResponse": """response 8 2-10 8+
throttle_time_ms int32 3+ ignorable
topics []OffsetCommitResponseTopic 0+
 name string 0-9 ignorable
 topic_id uuid 10+ ignorable
 partitions []OffsetCommitResponsePartition 0+
  partition_index int32 0+
  error_code int16 0+""",
    "OffsetDeleteRequest": """request 47 0 none
group_id string 0+
topics []OffsetDeleteRequestTopic 0+
 name string 0+
 partitions []OffsetDeleteRequestPartition 0+
  partition_index int32 0+""",
    "OffsetDeleteResponse": """response 47 0 none
error_code int16 0+
throttle_time_ms int32 0+ ignorable
topics []OffsetDeleteResponseTopic 0+
 name string 0+
 partitions []OffsetDeleteResponsePartition 0+
  partition_index int32 0+
  error_code int16 0+""",
    "OffsetFetchRequest": """request 9 1-10 6+
group_id string 0-7
topics []OffsetFetchRequestTopic 0-7 nullable=2-7
 name string 0-7
 partition_indexes []int32 0-7
groups []OffsetFetchRequestGroup 8+
 group_id string 8+
 member_id string 9+ nullable=9+ default=null ignorable
 member_epoch int32 9+ default=-1 ignorable
 topics []OffsetFetchRequestTopics 8+ nullable=8+
  name string 8-9 ignorable
  topic_id uuid 10+ ignorable
  partition_indexes []int32 8+
require_stable bool 7+""",
    "OffsetFetchResponse": """response 9 1-10 6+
throttle_time_ms int32 3+ ignorable
topics []OffsetFetchResponseTopic 0-7
 name string 0-7
 partitions []OffsetFetchResponsePartition 0-7
  partition_index int32 0-7
  committed_offset int64 0-7
  committed_leader_epoch int32 5-7 default=-1 ignorable
  metadata string 0-7 nullable=0-7
  error_code int16 0-7
error_code int16 2-7 ignorable
groups []OffsetFetchResponseGroup 8+
 group_id string 8+
 topics []OffsetFetchResponseTopics 8+
  name string 8-9 ignorable
  topic_id uuid 10+ ignorable
  partitions []OffsetFetchResponsePartitions 8+
   partition_index int32 8+
   committed_offset int64 8+
   committed_leader_epoch int32 8+ default=-1 ignorable
   metadata string 8+ nullable=8+
   error_code int16 8+
 error_code int16 8+""",
    "OffsetForLeaderEpochRequest": """request 23 2-4 4+
replica_id int32 3+ default=-2 ignorable
topics []OffsetForLeaderTopic 0+
 topic string 0+
 partitions []OffsetForLeaderPartition 0+
  partition int32 0+
  current_leader_epoch int32 2+ default=-1 ignorable
  leader_epoch int32 0+""",
    "OffsetForLeaderEpochResponse": """response 23 2-4 4+
throttle_time_ms int32 2+ ignorable
topics []OffsetForLeaderTopicResult 0+
 topic string 0+
 partitions []EpochEndOffset 0+
  error_code int16 0+
  partition int32 0+
  leader_epoch int32 1+ default=-1 ignorable
  end_offset int64 0+ default=-1""",
    "ProduceRequest": """request 0 3-13 9+
transactional_id string 3+ nullable=3+ default=null
acks int16 0+
timeout_ms int32 0+
topic_data []TopicProduceData 0+
 name string 0-12 ignorable
 topic_id uuid 13+ ignorable
 partition_data []PartitionProduceData 0+
  index int32 0+
  records records 0+ nullable=0+""",
    "ProduceResponse": """response 0 3-13 9+
responses []TopicProduceResponse 0+
 name string 0-12 ignorable
 topic_id uuid 13+ ignorable
 partition_responses []PartitionProduceResponse 0+
  index int32 0+
  error_code int16 0+
  base_offset int64 0+
  log_append_time_ms int64 2+ default=-1 ignorable
  log_start_offset int64 5+ default=-1 ignorable
  record_errors []BatchIndexAndErrorMessage 8+ ignorable
   batch_index int32 8+
   batch_index_error_message string 8+ nullable=8+ default=null
  error_message string 8+ nullable=8+ default=null ignorable
  current_leader LeaderIdAndEpoch 10+ tag=0:10+
   leader_id int32 10+ default=-1
   leader_epoch int32 10+ default=-1
throttle_time_ms int32 1+ ignorable
node_endpoints []NodeEndpoint 10+ tag=0:10+
 node_id int32 10+
 host string 10+
 port int32 10+
 rack string 10+ nullable=10+ default=null""",
    "PushTelemetryRequest": """request 72 0 0+
client_instance_id uuid 0+
subscription_id int32 0+
terminating bool 0+
compression_type int8 0+
metrics bytes 0+""",
    "PushTelemetryResponse": """response 72 0 0+
throttle_time_ms int32 0+
error_code int16 0+""",
    "ReadShareGroupStateRequest": """request 84 0 0+
group_id string 0+
topics []ReadStateData 0+
 topic_id uuid 0+
 partitions []PartitionData 0+
  partition int32 0+
  leader_epoch int32 0+""",
    "ReadShareGroupStateResponse": """response 84 0 0+
results []ReadStateResult 0+
 topic_id uuid 0+
 partitions []PartitionResult 0+
  partition int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+ default=null
  state_epoch int32 0+
  start_offset int64 0+
  state_batches []StateBatch 0+
   first_offset int64 0+
   last_offset int64 0+
   delivery_state int8 0+
   delivery_count int16 0+""",
    "ReadShareGroupStateSummaryRequest": """request 87 0-1 0+
group_id string 0+
topics []ReadStateSummaryData 0+
 topic_id uuid 0+
 partitions []PartitionData 0+
  partition int32 0+
  leader_epoch int32 0+""",
    "ReadShareGroupStateSummaryResponse": """response 87 0-1 0+
results []ReadStateSummaryResult 0+
 topic_id uuid 0+
 partitions []PartitionResult 0+
  partition int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+ default=null
  state_epoch int32 0+
  leader_epoch int32 0+
  start_offset int64 0+
  delivery_complete_count int32 1+ default=-1 ignorable""",
    "RemoveRaftVoterRequest": """request 81 0 0+
cluster_id string 0+ nullable=0+
voter_id int32 0+
voter_directory_id uuid 0+""",
    "RemoveRaftVoterResponse": """response 81 0 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ ignorable""",
    "RenewDelegationTokenRequest": """request 39 1-2 2+
hmac bytes 0+
renew_period_ms int64 0+""",
    "RenewDelegationTokenResponse": """response 39 1-2 2+
error_code int16 0+
expiry_timestamp_ms int64 0+
throttle_time_ms int32 0+""",
    "RequestHeader": """header - 1-2 2+
request_api_key int16 0+
request_api_version int16 0+
correlation_id int32 0+
client_id string 1+ nullable=1+ inflexible""",
    "ResponseHeader": """header - 0-1 1+
correlation_id int32 0+""",
    "SaslAuthenticateRequest": """request 36 0-2 2+
auth_bytes bytes 0+""",
    "SaslAuthenticateResponse": """response 36 0-2 2+
error_code int16 0+
error_message string 0+ nullable=0+
auth_bytes bytes 0+
session_lifetime_ms int64 1+ ignorable""",
    "SaslHandshakeRequest": """request 17 0-1 none
mechanism string 0+""",
    "SaslHandshakeResponse": """response 17 0-1 none
error_code int16 0+
mechanisms []string 0+""",
    "ShareAcknowledgeRequest": """request 79 1-2 0+
group_id string 0+ nullable=0+ default=null
member_id string 0+ nullable=0+
share_session_epoch int32 0+
is_renew_ack bool 2+
topics []AcknowledgeTopic 0+
 topic_id uuid 0+
 partitions []AcknowledgePartition 0+
  partition_index int32 0+
  acknowledgement_batches []AcknowledgementBatch 0+
   first_offset int64 0+
   last_offset int64 0+
   acknowledge_types []int8 0+""",
    "ShareAcknowledgeResponse": """response 79 1-2 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ default=null
acquisition_lock_timeout_ms int32 2+ ignorable
responses []ShareAcknowledgeTopicResponse 0+
 topic_id uuid 0+
 partitions []PartitionData 0+
  partition_index int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+ default=null
  current_leader LeaderIdAndEpoch 0+
   leader_id int32 0+
   leader_epoch int32 0+
node_endpoints []NodeEndpoint 0+
 node_id int32 0+
 host string 0+
 port int32 0+
 rack string 0+ nullable=0+ default=null""",
    "ShareFetchRequest": """request 78 1-2 0+
group_id string 0+ nullable=0+ default=null
member_id string 0+ nullable=0+
share_session_epoch int32 0+
max_wait_ms int32 0+
min_bytes int32 0+
max_bytes int32 0+ default=2147483647
max_records int32 1+
batch_size int32 1+
share_acquire_mode int8 2+ ignorable
is_renew_ack bool 2+
topics []FetchTopic 0+
 topic_id uuid 0+
 partitions []FetchPartition 0+
  partition_index int32 0+
  partition_max_bytes int32 0
  acknowledgement_batches []AcknowledgementBatch 0+
   first_offset int64 0+
   last_offset int64 0+
   acknowledge_types []int8 0+
forgotten_topics_data []ForgottenTopic 0+
 topic_id uuid 0+
 partitions []int32 0+""",
    "ShareFetchResponse": """response 78 1-2 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ default=null
acquisition_lock_timeout_ms int32 1+
responses []ShareFetchableTopicResponse 0+
 topic_id uuid 0+
 partitions []PartitionData 0+
  partition_index int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+ default=null
  acknowledge_error_code int16 0+
  acknowledge_error_message string 0+ nullable=0+ default=null
  current_leader LeaderIdAndEpoch 0+
   leader_id int32 0+
   leader_epoch int32 0+
  records records 0+ nullable=0
  acquired_records []AcquiredRecords 0+
   first_offset int64 0+
   last_offset int64 0+
   delivery_count int16 0+
node_endpoints []NodeEndpoint 0+
 node_id int32 0+
 host string 0+
 port int32 0+
 rack string 0+ nullable=0+ default=null""",
    "ShareGroupDescribeRequest": """request 77 1 0+
group_ids []string 0+
include_authorized_operations bool 0+""",
    "ShareGroupDescribeResponse": """response 77 1 0+
throttle_time_ms int32 0+
groups []DescribedGroup 0+
 error_code int16 0+
 error_message string 0+ nullable=0+ default=null
 group_id string 0+
 group_state string 0+
 group_epoch int32 0+
 assignment_epoch int32 0+
 assignor_name string 0+
 members []Member 0+
  member_id string 0+
  rack_id string 0+ nullable=0+ default=null
  member_epoch int32 0+
  client_id string 0+
  client_host string 0+
  subscribed_topic_names []string 0+
  assignment Assignment 0+
 authorized_operations int32 0+ default=-2147483648
struct TopicPartitions
 topic_id uuid 0+
 topic_name string 0+
 partitions []int32 0+
struct Assignment
 topic_partitions []TopicPartitions 0+""",
    "ShareGroupHeartbeatRequest": """request 76 1 0+
group_id string 0+
member_id string 0+
member_epoch int32 0+
rack_id string 0+ nullable=0+ default=null
subscribed_topic_names []string 0+ nullable=0+ default=null""",
    "ShareGroupHeartbeatResponse": """response 76 1 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ default=null
member_id string 0+ nullable=0+ default=null
member_epoch int32 0+
heartbeat_interval_ms int32 0+
assignment Assignment 0+ nullable=0+ default=null
 topic_partitions []TopicPartitions 0+
struct TopicPartitions
 topic_id uuid 0+
 partitions []int32 0+""",
    "SnapshotFooterRecord": """data - 0 0+
version int16 0+""",
    "SnapshotHeaderRecord": """data - 0 0+
version int16 0+
last_contained_log_timestamp int64 0+""",
    "StreamsGroupDescribeRequest": """request 89 0-1 0+
group_ids []string 0+
include_authorized_operations bool 0+
include_topology_description bool 1+""",
    "StreamsGroupDescribeResponse": """response 89 0-1 0+
throttle_time_ms int32 0+
groups []DescribedGroup 0+
 error_code int16 0+
 error_message string 0+ nullable=0+ default=null
 group_id string 0+
 group_state string 0+
 group_epoch int32 0+
 assignment_epoch int32 0+
 topology Topology 0+ nullable=0+ default=null
  epoch int32 0+
  subtopologies []Subtopology 0+ nullable=0+ default=null
   subtopology_id string 0+
   source_topics []string 0+
   repartition_sink_topics []string 0+
   state_changelog_topics []TopicInfo 0+
   repartition_source_topics []TopicInfo 0+
 members []Member 0+
  member_id string 0+
  member_epoch int32 0+
  instance_id string 0+ nullable=0+ default=null
  rack_id string 0+ nullable=0+ default=null
  client_id string 0+
  client_host string 0+
  topology_epoch int32 0+
  process_id string 0+
  user_endpoint Endpoint 0+ nullable=0+ default=null
  client_tags []KeyValue 0+
  task_offsets []TaskOffset 0+
  task_end_offsets []TaskOffset 0+
  assignment Assignment 0+
  target_assignment Assignment 0+
  is_classic bool 0+
 authorized_operations int32 0+ default=-2147483648
 topology_description TopologyDescription 1+ nullable=1+ default=null
 topology_description_status int8 1+
 assignor_name string 1+ nullable=1+ default=null ignorable
struct Endpoint
 host string 0+
 port uint16 0+
struct TaskOffset
 subtopology_id string 0+
 partition int32 0+
 offset int64 0+
struct Assignment
 active_tasks []TaskIds 0+
 standby_tasks []TaskIds 0+
 warmup_tasks []TaskIds 0+
struct TaskIds
 subtopology_id string 0+
 partitions []int32 0+
struct KeyValue
 key string 0+
 value string 0+
struct TopicInfo
 name string 0+
 partitions int32 0+
 replication_factor int16 0+
 topic_configs []KeyValue 0+
struct TopologyDescription
 subtopologies []TopologyDescriptionSubtopology 1+
 global_stores []TopologyDescriptionGlobalStore 1+
struct TopologyDescriptionSubtopology
 subtopology_id string 1+
 nodes []TopologyDescriptionNode 1+
struct TopologyDescriptionNode
 name string 1+
 node_type int8 1+
 source_topics []string 1+
 sink_topic string 1+ nullable=1+ default=null
 stores []string 1+
 successors []string 1+
struct TopologyDescriptionGlobalStore
 source TopologyDescriptionNode 1+
 processor TopologyDescriptionNode 1+""",
    "StreamsGroupHeartbeatRequest": """request 88 0-1 0+
group_id string 0+
member_id string 0+
member_epoch int32 0+
endpoint_information_epoch int32 0+
instance_id string 0+ nullable=0+ default=null
rack_id string 0+ nullable=0+ default=null
rebalance_timeout_ms int32 0+ default=-1
topology Topology 0+ nullable=0+ default=null
 epoch int32 0+
 subtopologies []Subtopology 0+
  subtopology_id string 0+
  source_topics []string 0+
  source_topic_regex []string 0+
  state_changelog_topics []TopicInfo 0+
  repartition_sink_topics []string 0+
  repartition_source_topics []TopicInfo 0+
  copartition_groups []CopartitionGroup 0+
   source_topics []int16 0+
   source_topic_regex []int16 0+
   repartition_source_topics []int16 0+
active_tasks []TaskIds 0+ nullable=0+ default=null
standby_tasks []TaskIds 0+ nullable=0+ default=null
warmup_tasks []TaskIds 0+ nullable=0+ default=null
process_id string 0+ nullable=0+ default=null
user_endpoint Endpoint 0+ nullable=0+ default=null
client_tags []KeyValue 0+ nullable=0+ default=null
task_offsets []TaskOffset 0+ nullable=0+ default=null
task_end_offsets []TaskOffset 0+ nullable=0+ default=null
shutdown_application bool 0+
struct KeyValue
 key string 0+
 value string 0+
struct TopicInfo
 name string 0+
 partitions int32 0+
 replication_factor int16 0+
 topic_configs []KeyValue 0+
struct Endpoint
 host string 0+
 port uint16 0+
struct TaskOffset
 subtopology_id string 0+
 partition int32 0+
 offset int64 0+
struct TaskIds
 subtopology_id string 0+
 partitions []int32 0+""",
    "StreamsGroupHeartbeatResponse": """response 88 0-1 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ default=null
member_id string 0+
member_epoch int32 0+
heartbeat_interval_ms int32 0+
acceptable_recovery_lag_legacy int32 0
task_offset_interval_ms int32 0+
acceptable_recovery_lag int64 1+ default=-1 ignorable
status []Status 0+ nullable=0+
active_tasks []TaskIds 0+ nullable=0+ default=null
standby_tasks []TaskIds 0+ nullable=0+ default=null
warmup_tasks []TaskIds 0+ nullable=0+ default=null
topology_description_required bool 1+
endpoint_information_epoch int32 0+
partitions_by_user_endpoint []EndpointToPartitions 0+ nullable=0+ default=null
 user_endpoint Endpoint 0+
 active_partitions []TopicPartition 0+
 standby_partitions []TopicPartition 0+
struct Status
 status_code int8 0+
 status_detail string 0+
struct TopicPartition
 topic string 0+
 partitions []int32 0+
struct TaskIds
 subtopology_id string 0+
 partitions []int32 0+
struct Endpoint
 host string 0+
 port uint16 0+""",
    "StreamsGroupTopologyDescriptionUpdateRequest": """request 93 0 0+
group_id string 0+
member_id string 0+
topology_epoch int32 0+
topology_description TopologyDescription 0+
struct TopologyDescription
 subtopologies []TopologyDescriptionSubtopology 0+
 global_stores []TopologyDescriptionGlobalStore 0+
struct TopologyDescriptionSubtopology
 subtopology_id string 0+
 nodes []TopologyDescriptionNode 0+
struct TopologyDescriptionNode
 name string 0+
 node_type int8 0+
 source_topics []string 0+
 sink_topic string 0+ nullable=0+ default=null
 stores []string 0+
 successors []string 0+
struct TopologyDescriptionGlobalStore
 source TopologyDescriptionNode 0+
 processor TopologyDescriptionNode 0+""",
    "StreamsGroupTopologyDescriptionUpdateResponse": """response 93 0 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+ default=null""",
    "SyncGroupRequest": """request 14 0-5 4+
group_id string 0+
generation_id int32 0+
member_id string 0+
group_instance_id string 3+ nullable=3+ default=null
protocol_type string 5+ nullable=5+ default=null ignorable
protocol_name string 5+ nullable=5+ default=null ignorable
assignments []SyncGroupRequestAssignment 0+
 member_id string 0+
 assignment bytes 0+""",
    "SyncGroupResponse": """response 14 0-5 4+
throttle_time_ms int32 1+ ignorable
error_code int16 0+
protocol_type string 5+ nullable=5+ default=null ignorable
protocol_name string 5+ nullable=5+ default=null ignorable
assignment bytes 0+""",
    "TxnOffsetCommitRequest": """request 28 0-6 3+
transactional_id string 0+
group_id string 0+
producer_id int64 0+
producer_epoch int16 0+
generation_id_or_member_epoch int32 3+ default=-1
member_id string 3+
group_instance_id string 3+ nullable=3+ default=null
topics []TxnOffsetCommitRequestTopic 0+
 name string 0-5 ignorable
 topic_id uuid 6+ ignorable
 partitions []TxnOffsetCommitRequestPartition 0+
  partition_index int32 0+
  committed_offset int64 0+
  committed_leader_epoch int32 2+ default=-1 ignorable
  committed_metadata string 0+ nullable=0+""",
    "TxnOffsetCommitResponse": """response 28 0-6 3+
throttle_time_ms int32 0+
topics []TxnOffsetCommitResponseTopic 0+
 name string 0-5 ignorable
 topic_id uuid 6+ ignorable
 partitions []TxnOffsetCommitResponsePartition 0+
  partition_index int32 0+
  error_code int16 0+""",
    "UnregisterBrokerRequest": """request 64 0 0+
broker_id int32 0+""",
    "UnregisterBrokerResponse": """response 64 0 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+""",
    "UnregisterControllerRequest": """request 94 0 0+
controller_id int32 0+""",
    "UnregisterControllerResponse": """response 94 0 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+""",
    "UpdateFeaturesRequest": """request 57 0-2 0+
timeout_ms int32 0+ default=60000
feature_updates []FeatureUpdateKey 0+
 feature string 0+
 max_version_level int16 0+
 allow_downgrade bool 0
 upgrade_type int8 1+ default=1
validate_only bool 1+""",
    "UpdateFeaturesResponse": """response 57 0-2 0+
throttle_time_ms int32 0+
error_code int16 0+
error_message string 0+ nullable=0+
results []UpdatableFeatureResult 0-1 ignorable
 feature string 0+
 error_code int16 0+
 error_message string 0+ nullable=0+""",
    "UpdateRaftVoterRequest": """request 82 0 0+
cluster_id string 0+ nullable=0+
current_leader_epoch int32 0+
voter_id int32 0+
voter_directory_id uuid 0+
listeners []Listener 0+
 name string 0+
 host string 0+
 port uint16 0+
kraft_version_feature KRaftVersionFeature 0+
 min_supported_version int16 0+
 max_supported_version int16 0+""",
    "UpdateRaftVoterResponse": """response 82 0 0+
throttle_time_ms int32 0+
error_code int16 0+
current_leader CurrentLeader 0+ tag=0:0+
 leader_id int32 0+ default=-1
 leader_epoch int32 0+ default=-1
 host string 0+
 port int32 0+""",
    "VoteRequest": """request 52 0-2 0+
cluster_id string 0+ nullable=0+ default=null
voter_id int32 1+ default=-1 ignorable
topics []TopicData 0+
 topic_name string 0+
 partitions []PartitionData 0+
  partition_index int32 0+
  replica_epoch int32 0+
  replica_id int32 0+
  replica_directory_id uuid 1+ ignorable
  voter_directory_id uuid 1+ ignorable
  last_offset_epoch int32 0+
  last_offset int64 0+
  pre_vote bool 2+""",
    "VoteResponse": """response 52 0-2 0+
error_code int16 0+
topics []TopicData 0+
 topic_name string 0+
 partitions []PartitionData 0+
  partition_index int32 0+
  error_code int16 0+
  leader_id int32 0+
  leader_epoch int32 0+
  vote_granted bool 0+
node_endpoints []NodeEndpoint 1+ tag=0:1+
 node_id int32 1+
 host string 1+
 port uint16 1+""",
    "VotersRecord": """data - 0 0+
version int16 0+
voters []Voter 0+
 voter_id int32 0+
 voter_directory_id uuid 0+
 endpoints []Endpoint 0+
  name string 0+
  host string 0+
  port uint16 0+
 kraft_version_feature KRaftVersionFeature 0+
  min_supported_version int16 0+
  max_supported_version int16 0+""",
    "WriteShareGroupStateRequest": """request 85 0-1 0+
group_id string 0+
topics []WriteStateData 0+
 topic_id uuid 0+
 partitions []PartitionData 0+
  partition int32 0+
  state_epoch int32 0+
  leader_epoch int32 0+
  start_offset int64 0+
  delivery_complete_count int32 1+ default=-1 ignorable
  state_batches []StateBatch 0+
   first_offset int64 0+
   last_offset int64 0+
   delivery_state int8 0+
   delivery_count int16 0+""",
    "WriteShareGroupStateResponse": """response 85 0-1 0+
results []WriteStateResult 0+
 topic_id uuid 0+
 partitions []PartitionResult 0+
  partition int32 0+
  error_code int16 0+
  error_message string 0+ nullable=0+ default=null""",
    "WriteTxnMarkersRequest": """request 27 1-2 1+
markers []WritableTxnMarker 0+
 producer_id int64 0+
 producer_epoch int16 0+
 transaction_result bool 0+
 topics []WritableTxnMarkerTopic 0+
  name string 0+
  partition_indexes []int32 0+
 coordinator_epoch int32 0+
 transaction_version int8 2+ ignorable""",
    "WriteTxnMarkersResponse": """response 27 1-2 1+
markers []WritableTxnMarkerResult 0+
 producer_id int64 0+
 topics []WritableTxnMarkerTopicResult 0+
  name string 0+
  partitions []WritableTxnMarkerPartitionResult 0+
   partition_index int32 0+
   error_code int16 0+""",
    "ConsumerGroupCurrentMemberAssignmentKey": """group-key 8 0 none
group_id string 0
member_id string 0""",
    "ConsumerGroupCurrentMemberAssignmentValue": """group-value 8 0 0+
member_epoch int32 0+
previous_member_epoch int32 0+
state int8 0+
assigned_partitions []TopicPartitions 0+
partitions_pending_revocation []TopicPartitions 0+
struct TopicPartitions
 topic_id uuid 0+
 partitions []int32 0+
 assignment_epochs []int32 0+ nullable=0+ tag=0:0+""",
    "ConsumerGroupMemberMetadataKey": """group-key 5 0 none
group_id string 0
member_id string 0""",
    "ConsumerGroupMemberMetadataValue": """group-value 5 0 0+
instance_id string 0+ nullable=0+
rack_id string 0+ nullable=0+
client_id string 0+
client_host string 0+
subscribed_topic_names []string 0+
subscribed_topic_regex string 0+ nullable=0+
rebalance_timeout_ms int32 0+ default=-1
server_assignor string 0+ nullable=0+
classic_member_metadata ClassicMemberMetadata 0+ nullable=0+ tag=0:0+
 session_timeout_ms int32 0+
 supported_protocols []ClassicProtocol 0+
  name string 0+
  metadata bytes 0+""",
    "ConsumerGroupMetadataKey": """group-key 3 0 none
group_id string 0""",
    "ConsumerGroupMetadataValue": """group-value 3 0 0+
epoch int32 0+
metadata_hash int64 0+ tag=0:0+""",
    "ConsumerGroupPartitionMetadataKey": """group-key 4 0 none
group_id string 0""",
    "ConsumerGroupPartitionMetadataValue": """group-value 4 0 0+
topics []TopicMetadata 0+
 topic_id uuid 0+
 topic_name string 0+
 num_partitions int32 0+
 partition_metadata []PartitionMetadata 0+
  partition int32 0+
  racks []string 0+""",
    "ConsumerGroupRegularExpressionKey": """group-key 16 0 none
group_id string 0
regular_expression string 0""",
    "ConsumerGroupRegularExpressionValue": """group-value 16 0 0+
topics []string 0+
version int64 0+
timestamp int64 0+""",
    "ConsumerGroupTargetAssignmentMemberKey": """group-key 7 0 none
group_id string 0
member_id string 0""",
    "ConsumerGroupTargetAssignmentMemberValue": """group-value 7 0 0+
topic_partitions []TopicPartition 0+
 topic_id uuid 0+
 partitions []int32 0+""",
    "ConsumerGroupTargetAssignmentMetadataKey": """group-key 6 0 none
group_id string 0""",
    "ConsumerGroupTargetAssignmentMetadataValue": """group-value 6 0 0+
assignment_epoch int32 0+
assignment_timestamp int64 0+ tag=0:0+ ignorable""",
    "GroupMetadataKey": """group-key 2 0 none
group string 0""",
    "GroupMetadataValue": """group-value 2 0-4 4+
protocol_type string 0+
generation int32 0+
protocol string 0+ nullable=0+
leader string 0+ nullable=0+
current_state_timestamp int64 2+ default=-1 ignorable
members []MemberMetadata 0+
struct MemberMetadata
 member_id string 0+
 group_instance_id string 3+ nullable=3+ default=null ignorable
 client_id string 0+
 client_host string 0+
 rebalance_timeout int32 1+ default=-1 ignorable
 session_timeout int32 0+
 subscription bytes 0+
 assignment bytes 0+""",
    "LegacyOffsetCommitKey": """group-key 0 0 none
group string 0
topic string 0
partition int32 0""",
    "LegacyOffsetCommitValue": """group-value 0 0 none
offset int64 0
metadata string 0
commit_timestamp int64 0""",
    "OffsetCommitKey": """group-key 1 0 none
group string 0
topic string 0
partition int32 0""",
    "OffsetCommitValue": """group-value 1 0-4 4+
offset int64 0+
leader_epoch int32 3+ default=-1 ignorable
metadata string 0+
commit_timestamp int64 0+
expire_timestamp int64 1 default=-1 ignorable
topic_id uuid 4+ tag=0:4+ ignorable""",
    "ShareGroupCurrentMemberAssignmentKey": """group-key 14 0 none
group_id string 0
member_id string 0""",
    "ShareGroupCurrentMemberAssignmentValue": """group-value 14 0 0+
member_epoch int32 0+
previous_member_epoch int32 0+
state int8 0+
assigned_partitions []TopicPartitions 0+
struct TopicPartitions
 topic_id uuid 0+
 partitions []int32 0+""",
    "ShareGroupMemberMetadataKey": """group-key 10 0 none
group_id string 0
member_id string 0""",
    "ShareGroupMemberMetadataValue": """group-value 10 0 0+
rack_id string 0+ nullable=0+
client_id string 0+
client_host string 0+
subscribed_topic_names []string 0+""",
    "ShareGroupMetadataKey": """group-key 11 0 none
group_id string 0""",
    "ShareGroupMetadataValue": """group-value 11 0 0+
epoch int32 0+
metadata_hash int64 0+""",
    "ShareGroupStatePartitionMetadataKey": """group-key 15 0 none
group_id string 0""",
    "ShareGroupStatePartitionMetadataValue": """group-value 15 0 0+
initializing_topics []TopicPartitionsInfo 0+
initialized_topics []TopicPartitionsInfo 0+
deleting_topics []TopicInfo 0+
struct TopicPartitionsInfo
 topic_id uuid 0+
 topic_name string 0+
 partitions []int32 0+
struct TopicInfo
 topic_id uuid 0+
 topic_name string 0+""",
    "ShareGroupTargetAssignmentMemberKey": """group-key 13 0 none
group_id string 0
member_id string 0""",
    "ShareGroupTargetAssignmentMemberValue": """group-value 13 0 0+
topic_partitions []TopicPartition 0+
 topic_id uuid 0+
 partitions []int32 0+""",
    "ShareGroupTargetAssignmentMetadataKey": """group-key 12 0 none
group_id string 0""",
    "ShareGroupTargetAssignmentMetadataValue": """group-value 12 0 0+
assignment_epoch int32 0+
assignment_timestamp int64 0+ tag=0:0+ ignorable""",
    "StreamsGroupCurrentMemberAssignmentKey": """group-key 22 0 none
group_id string 0
member_id string 0""",
    "StreamsGroupCurrentMemberAssignmentValue": """group-value 22 0 0+
member_epoch int32 0+
previous_member_epoch int32 0+
state int8 0+
active_tasks []TaskIds 0+
standby_tasks []TaskIds 0+
warmup_tasks []TaskIds 0+
active_tasks_pending_revocation []TaskIds 0+
standby_tasks_pending_revocation []TaskIds 0+
warmup_tasks_pending_revocation []TaskIds 0+
struct TaskIds
 subtopology_id string 0+
 partitions []int32 0+
 assignment_epochs []int32 0+ nullable=0+ tag=0:0+""",
    "StreamsGroupMemberMetadataKey": """group-key 19 0 none
group_id string 0
member_id string 0""",
    "StreamsGroupMemberMetadataValue": """group-value 19 0 0+
instance_id string 0+ nullable=0+
rack_id string 0+ nullable=0+
client_id string 0+
client_host string 0+
rebalance_timeout_ms int32 0+ default=-1
topology_epoch int32 0+
process_id string 0+
user_endpoint Endpoint 0+ nullable=0+ default=null
client_tags []KeyValue 0+
struct Endpoint
 host string 0+
 port uint16 0+
struct KeyValue
 key string 0+
 value string 0+""",
    "StreamsGroupMetadataKey": """group-key 17 0 none
group_id string 0""",
    "StreamsGroupMetadataValue": """group-value 17 0 0+
epoch int32 0+
metadata_hash int64 0+
validated_topology_epoch int32 0+ tag=0:0+ default=-1
last_assignment_configs []LastAssignmentConfig 0+ nullable=0+ tag=1:0+
stored_description_topology_epoch int32 0+ tag=2:0+ default=-1
failed_description_topology_epoch int32 0+ tag=3:0+ default=-1
struct LastAssignmentConfig
 key string 0+
 value string 0+""",
    "StreamsGroupTargetAssignmentMemberKey": """group-key 21 0 none
group_id string 0
member_id string 0""",
    "StreamsGroupTargetAssignmentMemberValue": """group-value 21 0 0+
active_tasks []TaskIds 0+
standby_tasks []TaskIds 0+
warmup_tasks []TaskIds 0+
struct TaskIds
 subtopology_id string 0+
 partitions []int32 0+""",
    "StreamsGroupTargetAssignmentMetadataKey": """group-key 20 0 none
group_id string 0""",
    "StreamsGroupTargetAssignmentMetadataValue": """group-value 20 0 0+
assignment_epoch int32 0+
assignment_timestamp int64 0+ tag=0:0+ ignorable""",
    "StreamsGroupTopologyKey": """group-key 23 0 none
group_id string 0""",
    "StreamsGroupTopologyValue": """group-value 23 0 0+
epoch int32 0+
subtopologies []Subtopology 0+
 subtopology_id string 0+
 source_topics []string 0+
 source_topic_regex []string 0+
 state_changelog_topics []TopicInfo 0+
 repartition_sink_topics []string 0+
 repartition_source_topics []TopicInfo 0+
 copartition_groups []CopartitionGroup 0+
  source_topics []int16 0+
  source_topic_regex []int16 0+
  repartition_source_topics []int16 0+
struct TopicConfig
 key string 0+
 value string 0+
struct TopicInfo
 name string 0+
 partitions int32 0+
 replication_factor int16 0+
 topic_configs []TopicConfig 0+""",
    "TransactionLogKey": """transaction-key 0 0 none
transactional_id string 0""",
    "TransactionLogValue": """transaction-value 0 0-1 1+
producer_id int64 0+
previous_producer_id int64 1+ tag=0:1+ default=-1
next_producer_id int64 1+ tag=1:1+ default=-1
producer_epoch int16 0+
next_producer_epoch int16 1+ tag=3:1+ default=-1
transaction_timeout_ms int32 0+
transaction_status int8 0+
transaction_partitions []PartitionsSchema 0+ nullable=0+
 topic string 0+
 partition_ids []int32 0+
transaction_last_update_timestamp_ms int64 0+
transaction_start_timestamp_ms int64 0+
client_transaction_version int16 1+ tag=2:1+""",
    "ShareSnapshotKey": """share-key 0 0 none
group_id string 0
topic_id uuid 0
partition int32 0""",
    "ShareSnapshotValue": """share-value 0 0 0+
snapshot_epoch int32 0+
state_epoch int32 0+
leader_epoch int32 0+
start_offset int64 0+
delivery_complete_count int32 0+ tag=0:0+ default=-1
create_timestamp int64 0+
write_timestamp int64 0+
state_batches []StateBatch 0+
 first_offset int64 0+
 last_offset int64 0+
 delivery_state int8 0+
 delivery_count int16 0+""",
    "ShareUpdateKey": """share-key 1 0 none
group_id string 0
topic_id uuid 0
partition int32 0""",
    "ShareUpdateValue": """share-value 1 0 0+
snapshot_epoch int32 0+
leader_epoch int32 0+
start_offset int64 0+
delivery_complete_count int32 0+ tag=0:0+ default=-1
state_batches []StateBatch 0+
 first_offset int64 0+
 last_offset int64 0+
 delivery_state int8 0+
 delivery_count int16 0+""",
    "AbortTransactionRecord": """metadata 25 0 0+
reason string 0+ nullable=0+ tag=0:0+ default=null""",
    "AccessControlEntryRecord": """metadata 18 0 0+
id uuid 0+
resource_type int8 0+
resource_name string 0+
pattern_type int8 0+
principal string 0+
host string 0+
operation int8 0+
permission_type int8 0+""",
    "BeginTransactionRecord": """metadata 23 0 0+
name string 0+ nullable=0+ tag=0:0+ default=null""",
    "BrokerRegistrationChangeRecord": """metadata 17 0-3 0+
broker_id int32 0+
broker_epoch int64 0+
fenced int8 0+ tag=0:0+
in_controlled_shutdown int8 1+ tag=1:1+
log_dirs []uuid 2+ tag=2:2+
cordoned_log_dirs []uuid 3+ nullable=3+ tag=3:3+ default=null""",
    "ClearElrRecord": """metadata 28 0 0+
topic_name string 0+""",
    "ClientQuotaRecord": """metadata 14 0 0+
entity []EntityData 0+
 entity_type string 0+
 entity_name string 0+ nullable=0+
key string 0+
value float64 0+
remove bool 0+""",
    "ConfigRecord": """metadata 4 0 0+
resource_type int8 0+
resource_name string 0+
name string 0+
value string 0+ nullable=0+""",
    "DelegationTokenRecord": """metadata 10 0 0+
owner string 0+
requester string 0+
renewers []string 0+
issue_timestamp int64 0+
max_timestamp int64 0+
expiration_timestamp int64 0+
token_id string 0+""",
    "EndTransactionRecord": """metadata 24 0 0+""",
    "FeatureLevelRecord": """metadata 12 0 0+
name string 0+
feature_level int16 0+""",
    "FenceBrokerRecord": """metadata 7 0 0+
id int32 0+
epoch int64 0+""",
    "NoOpRecord": """metadata 20 0 0+""",
    "PartitionChangeRecord": """metadata 5 0-2 0+
partition_id int32 0+ default=-1
topic_id uuid 0+
isr []int32 0+ nullable=0+ tag=0:0+ default=null
leader int32 0+ tag=1:0+ default=-2
replicas []int32 0+ nullable=0+ tag=2:0+ default=null
removing_replicas []int32 0+ nullable=0+ tag=3:0+ default=null
adding_replicas []int32 0+ nullable=0+ tag=4:0+ default=null
leader_recovery_state int8 0+ tag=5:0+ default=-1
directories []uuid 1+ nullable=1+ tag=8:1+ default=null
eligible_leader_replicas []int32 2+ nullable=2+ tag=6:2+ default=null
last_known_elr []int32 2+ nullable=2+ tag=7:2+ default=null""",
    "PartitionRecord": """metadata 3 0-2 0+
partition_id int32 0+ default=-1
topic_id uuid 0+
replicas []int32 0+
isr []int32 0+
removing_replicas []int32 0+
adding_replicas []int32 0+
leader int32 0+ default=-1
leader_recovery_state int8 0+ tag=0:0+
leader_epoch int32 0+ default=-1
partition_epoch int32 0+ default=-1
directories []uuid 1+
eligible_leader_replicas []int32 2+ nullable=2+ tag=1:2+ default=null
last_known_elr []int32 2+ nullable=2+ tag=2:2+ default=null""",
    "ProducerIdsRecord": """metadata 15 0 0+
broker_id int32 0+
broker_epoch int64 0+ default=-1
next_producer_id int64 0+""",
    "RegisterBrokerRecord": """metadata 0 0-4 0+
broker_id int32 0+
is_migrating_zk_broker bool 2+
incarnation_id uuid 0+
broker_epoch int64 0+
end_points []BrokerEndpoint 0+
 name string 0+
 host string 0+
 port uint16 0+
 security_protocol int16 0+
features []BrokerFeature 0+
 name string 0+
 min_supported_version int16 0+
 max_supported_version int16 0+
rack string 0+ nullable=0+
fenced bool 0+ default=true
in_controlled_shutdown bool 1+
log_dirs []uuid 3+ tag=0:3+
cordoned_log_dirs []uuid 4+ nullable=4+ tag=1:4+ default=null""",
    "RegisterControllerRecord": """metadata 27 0 0+
controller_id int32 0+
incarnation_id uuid 0+
zk_migration_ready bool 0+
end_points []ControllerEndpoint 0+
 name string 0+
 host string 0+
 port uint16 0+
 security_protocol int16 0+
features []ControllerFeature 0+
 name string 0+
 min_supported_version int16 0+
 max_supported_version int16 0+""",
    "RemoveAccessControlEntryRecord": """metadata 19 0 0+
id uuid 0+""",
    "RemoveDelegationTokenRecord": """metadata 26 0 0+
token_id string 0+""",
    "RemoveTopicRecord": """metadata 9 0 0+
topic_id uuid 0+""",
    "RemoveUserScramCredentialRecord": """metadata 22 0 0+
name string 0+
mechanism int8 0+""",
    "TopicRecord": """metadata 2 0 0+
name string 0+
topic_id uuid 0+""",
    "UnfenceBrokerRecord": """metadata 8 0 0+
id int32 0+
epoch int64 0+""",
    "UnregisterBrokerRecord": """metadata 1 0 0+
broker_id int32 0+
broker_epoch int64 0+""",
    "UnregisterControllerRecord": """metadata 29 0 0+
controller_id int32 0+""",
    "UserScramCredentialRecord": """metadata 11 0 0+
name string 0+
mechanism int8 0+
salt bytes 0+
stored_key bytes 0+
server_key bytes 0+
iterations int32 0+""",
    "ZkMigrationStateRecord": """metadata 21 0 0+
zk_migration_state int8 0+""",
}
