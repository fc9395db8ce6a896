"""The tests of the tasks in docs/guides/command-line/comparison.md.

The page names the tasks whose tests do without real brokers.
"""

from __future__ import annotations

_TASKS: dict[str, dict[str, str]] = {
    "tests/integration/test_command_line.py": {
        "Read a topic to its end": "test_a_transaction_to_the_end",
        "Read by time": "test_from_and_until_a_time",
        "Read as a member of a group": "test_a_group_goes_on",
        "List topics": "TestAdministration::test_topics",
        "Describe a topic": "TestAdministration::test_topics",
        "Create a topic": "TestAdministration::test_topics",
        "Add partitions": "TestAdministration::test_topics",
        "Delete a topic": "TestAdministration::test_topics",
        "Change the configuration of a topic": "TestAdministration::test_configs",
        "List groups": "TestAdministration::test_groups",
        "Show the lag of a group": "TestAdministration::test_groups",
        "Delete a group": "TestAdministration::test_groups",
        "Share groups": "TestShareGroups::test_shown_and_deleted",
        "Reset the offsets of a share group": "TestShareGroups::test_offsets",
        "Show the id of the cluster": "TestAdministration::test_cluster",
        "Change the level of a logger": "TestAdministration::test_configs_of_a_logger",
        "Reassign one partition, without a file": "test_reassign",
        "Show the disks of brokers": "test_log_dirs",
        "Find open transactions": "TestTransactions::test_shown",
        "Find transactions that hang, in all partitions": "TestTransactions::test_none_hangs",
        "Show the producers of a partition": "TestTransactions::test_shown",
        "Abort a transaction that hangs": "TestTransactions::test_aborted_in_one_partition",
        "End the open transaction of a producer": "TestTransactions::test_terminated",
        "Choose the metrics of clients": "TestAdministration::test_configs_of_client_metrics",
        "List ACLs": "TestAdministration::test_acls",
        "Let a user read a topic": "TestAdministration::test_acls_of_a_consumer",
        "Delete ACLs": "TestAdministration::test_acls",
        "Set quotas": "TestQuotas::test_changed_and_shown",
        "Show quotas": "TestQuotas::test_changed_and_shown",
        "Create a delegation token": "test_delegation_tokens",
        "Renew or expire a delegation token": "test_delegation_tokens",
    },
    "tests/integration/test_command_line_reading.py": {
        "Read the last messages": "test_from_an_offset",
        "Read a number of messages": "test_from_an_offset",
        "Read from an offset of a partition": "test_from_an_offset",
        "Read as a member of a share group": "test_a_share_group",
        "Decode Protobuf of a schema registry": "test_protobuf",
        "Decode with a `.proto` file": "test_protobuf",
        "Unpack binary values": "test_binary_values",
        "Choose the format of lines": "test_the_format_of_lines",
        "Send lines": "test_from_an_offset",
        "Send whole files": "test_binary_values",
        "Send to a partition": "test_keys_and_tombstones",
        "Compress messages": "test_keys_and_tombstones",
        "Send keys and headers": "test_keys_and_tombstones",
        "Send nulls (tombstones)": "test_keys_and_tombstones",
        "Send at a rate": "test_at_a_rate",
        "Copy to another cluster": "test_a_copy_to_another_cluster",
        "Replay a file by its timestamps": "test_a_file_by_its_timestamps",
        "Measure the throughput of sending": "test_throughput",
        "Measure the throughput of reading": "test_throughput",
        "Measure the throughput of a share group": "test_throughput_of_a_share_group",
        "Measure the time from sending to reading": "test_round_trip",
    },
    "tests/integration/test_command_line_messages.py": {
        "Read several topics by a pattern": "test_orders",
        "Decode Avro of a schema registry": "test_orders",
        "Choose messages by decoded fields": "test_orders",
        "Write JSON": "test_partitions_and_timestamps",
        "Write Parquet, Arrow or CSV": "test_a_topic_in_a_file",
        "Encode with a registry's schema": "test_orders",
        "Send in transactions": "test_templates_in_transactions",
        "Copy a topic exactly once": "test_a_copy_that_is_killed",
    },
    "tests/integration/test_command_line_failures.py": {
        "Find under-replicated partitions": "test_partitions_with_a_problem",
    },
    "tests/integration/test_command_line_tasks.py": {
        "Choose the brokers of a new topic": "test_the_brokers_of_a_new_topic",
        "Change the number of replicas": "test_the_number_of_replicas",
        "Reset offsets by a duration": "test_offsets_from_elsewhere",
        "Copy the offsets of a group to another group": "test_offsets_from_elsewhere",
        "Restore offsets from a file": "test_offsets_from_elsewhere",
        "Change the configuration of a broker": "test_the_configuration_of_a_broker",
        "Change the configuration of a group": "test_the_configuration_of_a_group",
        "Check a cluster, for a probe": "test_health",
        "Lend a language model a read-only view": "test_a_language_model",
    },
    "tests/integration/test_command_line_topics.py": {
        "Make topics as a file declares them": "test_apply",
        "Show the first or last offsets": "test_offsets",
        "Show offsets by time": "test_offsets",
        "Delete old records": "test_delete_records",
    },
    "tests/integration/test_command_line_groups.py": {
        "List groups of all types": "test_all_kinds_in_one_list",
        "Show the members of a group": "test_all_kinds_in_one_list",
        "Reset offsets": "test_offsets_of_a_classic_group",
        "Create a group with offsets": "test_offsets_of_a_classic_group",
        "Delete offsets": "test_offsets_of_a_classic_group",
        "Groups of Kafka Streams": "TestStreamsGroups::test_shown_and_moved",
        "Reset the offsets of a streams group": "TestStreamsGroups::test_shown_and_moved",
    },
    "tests/integration/test_command_line_why.py": {
        "Explain why a group is behind": "test_a_group_that_is_stuck",
    },
    "tests/integration/test_command_line_brokers.py": {
        "List brokers": "test_brokers",
        "Show the configuration of a broker": "test_brokers",
        "Show the versions of requests": "test_brokers",
        "Plan a reassignment": "test_from_plan_to_end",
        "Reassign partitions with a throttle": "test_from_plan_to_end",
        "Verify a reassignment": "test_from_plan_to_end",
        "List reassignments": "test_cancelled",
        "Cancel reassignments": "test_cancelled",
        "Elect preferred leaders": "test_preferred_leaders",
    },
    "tests/integration/test_quorum.py": {
        "Remove a broker that is gone": "test_a_broker_is_forgotten_by_a_command",
        "Forget a controller that is gone": "test_a_controller_is_forgotten_by_a_command",
        "Show the quorum of controllers": "test_command_of_the_quorum",
        "Add a controller to the quorum": "test_command_of_the_quorum",
        "Remove a controller from the quorum": "test_command_of_the_quorum",
        "Show features": "test_command_of_the_features",
        "Upgrade features": "test_command_of_the_features",
    },
    "tests/embedded/test_command_line_leaders.py": {
        "Elect leaders that are not in sync": "test_unclean",
    },
    "tests/integration/test_dump_log.py": {
        "Dump log segments": "test_metadata",
    },
    "tests/embedded/test_cluster_command.py": {
        "Run a cluster in memory": "test_other_programs_use_it_through_one_port",
    },
    "tests/integration/test_command_line_users.py": {
        "Set the password of a user (SCRAM)": "test_a_user",
        "Delete a user": "test_a_user",
    },
    "tests/integration/test_command_line_registry.py": {
        "List subjects": "test_the_life_of_a_subject",
        "Check and register a schema": "test_the_life_of_a_subject",
        "Compare two versions": "test_the_life_of_a_subject",
        "Change the compatibility level": "test_the_life_of_a_subject",
    },
    "tests/integration/test_command_line_files.py": {
        "Settings of several clusters": "test_a_profile",
    },
    "tests/unit/test_command_line_config.py": {
        "List every configuration property": "test_a_property",
    },
}

TESTS: dict[str, str] = {
    task: f"{file}::{test}" for file, tasks in _TASKS.items() for task, test in tasks.items()
}
"""The test of each task, in the form of docs/kips.toml: FILE::TEST or FILE::CLASS::TEST."""

NO_REAL_BROKERS = {
    "Elect leaders that are not in sync",
    "List every configuration property",
    "Run a cluster in memory",
}
