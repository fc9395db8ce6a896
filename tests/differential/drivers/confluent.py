"""Runs scripts on confluent-kafka, or on this package, which has the same import name."""

import time

from steps import (
    CommonConsumer,
    as_bytes,
    header_pairs,
    named,
    outcomes_of,
    patience,
    prefix,
    read_until,
    run_scripts,
    servers,
    topic,
)

import confluent_kafka
from confluent_kafka import ElectionType, KafkaException
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)


def consumer_of(script):
    return confluent_kafka.Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": f"{prefix}-{script['seed']}",
            "auto.offset.reset": {"none": "error"}.get(script["reset"], script["reset"]),
            "enable.auto.commit": script["auto_commit"],
            "fetch.wait.max.ms": 50,
            "log_level": 0,
        }
    )


def offsets(places):
    return [[place.partition, place.offset, place.error and place.error.name()] for place in places]


class Consumer(CommonConsumer):
    """The calls that scripts make on a consumer."""

    place = Place

    def read(self, count):
        def more(_):
            message = self.consumer.poll(0.05)
            if message is None:
                return []
            if message.error():
                raise KafkaException(message.error())
            return [[message.partition(), message.offset()]]

        return read_until(count, more)

    def seek(self, partition, offset):
        # librdkafka refuses a seek until it has begun to fetch from the partition.
        deadline = time.monotonic() + patience
        while True:
            try:
                return self.consumer.seek(Place(topic, partition, offset))
            except KafkaException as error:
                if error.args[0].name() != "_STATE" or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def seek_to_beginning(self, partition):
        return self.seek(partition, -2)

    def seek_to_end(self, partition):
        return self.seek(partition, -1)

    def position(self, partition):
        return offsets(self.consumer.position([Place(topic, partition)]))

    def commit(self):
        return offsets(self.consumer.commit(asynchronous=False))

    def commit_at(self, partition, offset):
        return offsets(
            self.consumer.commit(offsets=[Place(topic, partition, offset)], asynchronous=False)
        )

    def committed(self, partition):
        return offsets(self.consumer.committed([Place(topic, partition)], timeout=10))

    def pause(self, partition):
        return self.consumer.pause([Place(topic, partition)])

    def resume(self, partition):
        return self.consumer.resume([Place(topic, partition)])

    def paused(self):
        return None  # confluent-kafka has no such call

    def subscription(self):
        return None

    def ends(self, partition):
        return self.consumer.get_watermark_offsets(Place(topic, partition), timeout=10)

    def at_time(self, partition, timestamp):
        return offsets(self.consumer.offsets_for_times([Place(topic, partition, timestamp)], 10))

    def close(self):
        return self.consumer.close()


class Producer:
    """The calls that scripts make on a producer. Each script has a topic of its own."""

    def __init__(self, producer, own):
        self.producer = producer
        self.own = own

    def send(self, partition, key, value, timestamp, headers):
        reports = []
        keywords = {} if partition is None else {"partition": partition}
        keywords |= {} if timestamp is None else {"timestamp": timestamp}
        self.producer.produce(
            self.own,
            as_bytes(value),
            as_bytes(key),
            headers=header_pairs(headers),
            on_delivery=lambda error, message: reports.append((error, message)),
            **keywords,
        )
        self.producer.flush(10)
        error, message = reports[0]
        return error.name() if error else [message.partition(), message.offset()]

    def flush(self):
        return self.producer.flush(10)

    def partitions_for(self):
        return sorted(self.producer.list_topics(self.own, 10).topics[self.own].partitions)

    def begin(self):
        self.producer.begin_transaction()

    def commit(self):
        self.producer.commit_transaction(10)

    def abort(self):
        self.producer.abort_transaction(10)

    def close(self):
        self.producer.close()


def producer_of(script):
    own = f"{topic}-{prefix}-{script['seed']}"
    config = {"bootstrap.servers": servers, "log_level": 0, "linger.ms": 0}
    if script["transactional"]:
        config["transactional.id"] = own
    producer = confluent_kafka.Producer(config)
    if script["transactional"]:
        producer.init_transactions(10)
    return Producer(producer, own)


class Admin:
    """The calls that scripts make on an admin client.

    Each script has topics and groups of its own.
    """

    def __init__(self, own):
        self.admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        self.own = own

    def create(self, name, partitions, copies, only_check):
        new = NewTopic(named(self.own, name), partitions, copies)
        return result_of(self.admin.create_topics([new], validate_only=only_check))

    def delete(self, name):
        return result_of(self.admin.delete_topics([named(self.own, name)]))

    def grow(self, name, total):
        return result_of(
            self.admin.create_partitions([NewPartitions(named(self.own, name), total)])
        )

    def describe(self, name):
        found = self.admin.list_topics(named(self.own, name), 10).topics
        return [[len(one.partitions), one.error and one.error.name()] for one in found.values()]

    def topics(self):
        return sorted(
            one.removeprefix(self.own) for one in self.admin.list_topics().topics if self.own in one
        )

    def configure(self, name, key, value):
        resource = ConfigResource("topic", named(self.own, name), {key: value})
        return result_of(self.admin.alter_configs([resource]))

    def configuration(self, name, key):
        resource = ConfigResource("topic", named(self.own, name))
        entry = result_of(self.admin.describe_configs([resource]))[key]
        return [entry.value, entry.source, entry.is_default, entry.is_read_only]

    def group(self, name):
        group = result_of(self.admin.describe_consumer_groups([f"{self.own}-{name}"]))
        return [group.state.name, group.members, group.partition_assignor, group.type.name]

    def groups(self):
        found = self.admin.list_consumer_groups().result(10)
        return [one.state.name for one in found.valid if self.own in one.group_id]

    def group_offsets(self, name):
        asked = confluent_kafka.ConsumerGroupTopicPartitions(f"{self.own}-{name}")
        return offsets(result_of(self.admin.list_consumer_group_offsets([asked])).topic_partitions)

    def delete_group(self, name):
        return result_of(self.admin.delete_consumer_groups([f"{self.own}-{name}"]))

    def _filter(self, name, pattern, user):
        return AclBindingFilter(
            ResourceType.TOPIC,
            name and named(self.own, name),
            ResourcePatternType[pattern],
            user and f"User:{self.own}-{user}",
            None,
            AclOperation.ANY,
            AclPermissionType.ANY,
        )

    def _rules(self, rules):
        return sorted(
            [
                one.principal.replace(self.own, "own"),
                one.host,
                one.operation.name,
                one.permission_type.name,
                one.restype.name,
                one.name.replace(self.own, "own"),
                one.resource_pattern_type.name,
            ]
            for one in rules
            if self.own in one.principal
        )

    def allow(self, name, pattern, user, operation, permission):
        rule = AclBinding(
            ResourceType.TOPIC,
            named(self.own, name),
            ResourcePatternType[pattern],
            f"User:{self.own}-{user}",
            "*",
            AclOperation[operation],
            AclPermissionType[permission],
        )
        return result_of(self.admin.create_acls([rule]))

    def rules(self, name, pattern, user):
        return self._rules(self.admin.describe_acls(self._filter(name, pattern, user)).result(10))

    def forbid(self, name, pattern, user):
        return self._rules(result_of(self.admin.delete_acls([self._filter(name, pattern, user)])))

    def delete_records(self, name, partition, offset):
        place = Place(named(self.own, name), partition, offset)
        return result_of(self.admin.delete_records([place])).low_watermark

    def elect(self, name, partition, kind):
        place = Place(named(self.own, name), partition)
        kind = ElectionType.UNCLEAN if kind else ElectionType.PREFERRED
        found = self.admin.elect_leaders(kind, [place]).result(10)
        return [[one.partition, error and error.name()] for one, error in found.items()]

    def reassign(self, name, partition, brokers):
        pass  # confluent-kafka has no such calls

    def moves(self, name):
        pass

    def user(self, name, mechanism, iterations):
        info = ScramCredentialInfo(ScramMechanism[mechanism], iterations)
        change = UserScramCredentialUpsertion(f"{self.own}-{name}", info, b"secret")
        return result_of(self.admin.alter_user_scram_credentials([change]))

    def delete_user(self, name, mechanism):
        change = UserScramCredentialDeletion(f"{self.own}-{name}", ScramMechanism[mechanism])
        return result_of(self.admin.alter_user_scram_credentials([change]))

    def users(self, names):
        if names is None:
            found = self.admin.describe_user_scram_credentials().result(10)
            return sorted(self._user(one) for user, one in found.items() if self.own in user)
        asked = self.admin.describe_user_scram_credentials([f"{self.own}-{name}" for name in names])
        outcomes = []
        for future in asked.values():
            try:
                outcomes.append(self._user(future.result(10)))
            except KafkaException as error:
                outcomes.append(error.args[0].name())
        return outcomes

    def _user(self, one):
        infos = [[info.mechanism.name, info.iterations] for info in one.scram_credential_infos]
        return [one.user.replace(self.own, "own"), sorted(infos)]

    def close(self):
        pass  # confluent-kafka's AdminClient has no such call


def result_of(futures):
    """Return the only result of the futures."""
    [future] = futures.values()
    return future.result(10)


def run(script):
    if script["kind"] == "admin":
        return outcomes_of(Admin(f"{topic}-{prefix}-{script['seed']}"), script)
    if script["kind"] == "producer":
        return outcomes_of(producer_of(script), script)
    outcomes = outcomes_of(Consumer(consumer_of(script)), script)
    with_group = consumer_of(script)
    outcomes.append(offsets(with_group.committed([Place(topic, one) for one in range(3)], 10)))
    with_group.close()
    return outcomes


run_scripts(run)
