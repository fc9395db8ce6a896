"""Runs scripts on aiokafka or kafka-python, or on the compatibility APIs with the same names.

Most names are the same in both packages. aiokafka's coroutines run one after another here.
"""

import asyncio
import inspect
import threading

from steps import (
    HANGS,
    CommonConsumer,
    Hangs,
    as_bytes,
    header_pairs,
    named,
    outcomes_of,
    prefix,
    read_until,
    run_scripts,
    servers,
    topic,
)

try:
    from aiokafka import AIOKafkaConsumer as KafkaConsumer
    from aiokafka import AIOKafkaProducer as KafkaProducer
    from aiokafka import TopicPartition as Place
    from aiokafka.admin import AIOKafkaAdminClient as KafkaAdminClient
    from aiokafka.admin import NewPartitions, NewTopic, RecordsToDelete
    from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
    from aiokafka.structs import OffsetAndMetadata

    AWAITS, version = True, ""
except ImportError:
    from kafka.admin import ConfigResource, ConfigResourceType, NewPartitions, NewTopic
    from kafka.structs import OffsetAndMetadata

    from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, admin
    from kafka import TopicPartition as Place
    from kafka import __version__ as version

    AWAITS = False

loop = asyncio.new_event_loop()


class InLoop:
    """A client of aiokafka. Each method runs in the event loop's thread, and then returns.

    Args:
        client: the client.
    """

    def __init__(self, client):
        self._client = client

    def __getattr__(self, name):
        def call(*arguments, **keywords):
            return in_loop(lambda: getattr(self._client, name)(*arguments, **keywords))

        return call


def in_loop(call):
    """Make the call in the event loop, await the result if necessary, and return the result."""

    async def called():
        result = call()
        while inspect.isawaitable(result):
            result = await asyncio.wait_for(result, HANGS)
        return result

    try:
        return asyncio.run_coroutine_threadsafe(called(), loop).result()
    except TimeoutError:
        raise Hangs from None


def make(kind, **keywords):
    """Return a started client."""
    keywords["bootstrap_servers"] = servers
    if not AWAITS:
        return kind(**keywords)
    client = InLoop(in_loop(lambda: kind(**keywords)))
    client.start()
    return client


def consumer_of(script):
    return make(
        KafkaConsumer,
        group_id=f"{prefix}-{script['seed']}",
        auto_offset_reset=script["reset"],
        enable_auto_commit=script["auto_commit"],
        fetch_max_wait_ms=50,
    )


class Consumer(CommonConsumer):
    """The calls that scripts make on a consumer."""

    place = Place

    def read(self, count):
        read = self.consumer.getmany if AWAITS else self.consumer.poll

        def more(limit):
            batches = read(timeout_ms=50, max_records=limit)
            return [[one.partition, one.offset] for batch in batches.values() for one in batch]

        return read_until(count, more)

    def seek(self, partition, offset):
        return self.consumer.seek(Place(topic, partition), offset)

    def seek_to_beginning(self, partition):
        self.consumer.seek_to_beginning(Place(topic, partition))

    def seek_to_end(self, partition):
        self.consumer.seek_to_end(Place(topic, partition))

    def position(self, partition):
        return self.consumer.position(Place(topic, partition))

    def commit(self):
        return self.consumer.commit()

    def commit_at(self, partition, offset):
        fields = len(OffsetAndMetadata._fields)
        what = OffsetAndMetadata(*(offset, "", -1)[:fields])
        return self.consumer.commit({Place(topic, partition): what})

    def committed(self, partition):
        return self.consumer.committed(Place(topic, partition))

    def pause(self, partition):
        return self.consumer.pause(Place(topic, partition))

    def resume(self, partition):
        return self.consumer.resume(Place(topic, partition))

    def paused(self):
        return sorted(place.partition for place in self.consumer.paused())

    def subscription(self):
        names = self.consumer.subscription()
        return None if names is None else len(names)

    def ends(self, partition):
        place = Place(topic, partition)
        first = self.consumer.beginning_offsets([place])[place]
        return [first, self.consumer.end_offsets([place])[place]]

    def at_time(self, partition, timestamp):
        place = Place(topic, partition)
        found = self.consumer.offsets_for_times({place: timestamp})[place]
        return None if found is None else [found.offset, found.timestamp]

    def close(self):
        return self.consumer.stop() if AWAITS else self.consumer.close()


class Producer:
    """The calls that scripts make on a producer. Each script has a topic of its own."""

    def __init__(self, producer, own):
        self.producer = producer
        self.own = own

    def send(self, partition, key, value, timestamp, headers):
        keywords = {"key": as_bytes(key), "partition": partition, "timestamp_ms": timestamp}
        sent = self.producer.send(
            self.own, as_bytes(value), headers=header_pairs(headers), **keywords
        )
        metadata = sent if AWAITS else sent.get(HANGS)
        return [metadata.partition, metadata.offset]

    def flush(self):
        self.producer.flush()

    def partitions_for(self):
        return sorted(self.producer.partitions_for(self.own))

    def begin(self):
        self.producer.begin_transaction()

    def commit(self):
        self.producer.commit_transaction()

    def abort(self):
        self.producer.abort_transaction()

    def close(self):
        self.producer.stop() if AWAITS else self.producer.close()


def producer_of(script):
    own = f"{topic}-{prefix}-{script['seed']}"
    more = {"transactional_id": own} if script["transactional"] else {}
    producer = make(KafkaProducer, linger_ms=0, **more)
    if script["transactional"] and not AWAITS:
        producer.init_transactions()
    return Producer(producer, own)


_OF_ONE_RUN = {"topic_id", "error_message", "leader_epoch"}


def plain(answer, own):
    """Return a result as JSON values, without parts that differ between runs."""
    if isinstance(answer, dict):
        return {
            plain(name, own): plain(one, own)
            for name, one in answer.items()
            if name not in _OF_ONE_RUN
        }
    for method in ("to_object", "to_dict"):
        if hasattr(answer, method):
            return plain(getattr(answer, method)(), own)
    if isinstance(answer, list | tuple):
        return [plain(one, own) for one in answer]
    if isinstance(answer, type):
        return answer.__name__
    return answer.replace(own, "own") if isinstance(answer, str) else answer


class Admin:
    """The calls that scripts make on an admin client.

    Each script has topics and groups of its own.
    """

    def __init__(self, admin, own):
        self.admin = admin
        self.own = own
        self.newest = version.startswith("3.")

    def plain(self, answer):
        return plain(answer, self.own)

    def create(self, name, partitions, copies, only_check):
        new = NewTopic(named(self.own, name), partitions, copies)
        return self.plain(self.admin.create_topics([new], validate_only=only_check))

    def delete(self, name):
        return self.plain(self.admin.delete_topics([named(self.own, name)]))

    def grow(self, name, total):
        self.admin.create_partitions({named(self.own, name): NewPartitions(total)})

    def describe(self, name):
        return self.plain(self.admin.describe_topics([named(self.own, name)]))

    def topics(self):
        return sorted(self.plain(one) for one in self.admin.list_topics() if self.own in one)

    def _resource(self, name, configs=None):
        return [ConfigResource(ConfigResourceType.TOPIC, named(self.own, name), configs)]

    def configure(self, name, key, value):
        return self.plain(self.admin.alter_configs(self._resource(name, {key: value})))

    def configuration(self, name, key):
        return self.plain(self.admin.describe_configs(self._resource(name, {key: None})))

    def group(self, name):
        describe = "describe_groups" if self.newest else "describe_consumer_groups"
        return self.plain(getattr(self.admin, describe)([f"{self.own}-{name}"]))

    def groups(self):
        found = self.admin.list_groups() if self.newest else self.admin.list_consumer_groups()
        return [one for one in self.plain(found) if "own" in str(one)]

    def group_offsets(self, name):
        group = f"{self.own}-{name}"
        if self.newest:
            return self.plain(self.admin.list_group_offsets({group: None}))
        return self.plain(self.admin.list_consumer_group_offsets(group))

    def delete_group(self, name):
        if AWAITS:
            return None  # aiokafka has no such call
        delete = "delete_groups" if self.newest else "delete_consumer_groups"
        return self.plain(getattr(self.admin, delete)([f"{self.own}-{name}"]))

    def _pattern(self, kind, name, pattern):
        pattern = admin.ACLResourcePatternType[pattern]
        return kind(admin.ResourceType.TOPIC, name and named(self.own, name), pattern)

    def _filter(self, name, pattern, user):
        return admin.ACLFilter(
            user and f"User:{self.own}-{user}",
            None,
            admin.ACLOperation.ANY,
            admin.ACLPermissionType.ANY,
            self._pattern(admin.ResourcePatternFilter, name, pattern),
        )

    def _rules(self, rules):
        found = [
            [
                one.principal,
                one.host,
                one.operation.name,
                one.permission_type.name,
                one.resource_pattern.resource_type.name,
                one.resource_pattern.resource_name,
                one.resource_pattern.pattern_type.name,
            ]
            for one in rules
            if self.own in one.principal
        ]
        return sorted(self.plain(found))

    def allow(self, name, pattern, user, operation, permission):
        if AWAITS:
            return None  # aiokafka has no such calls
        rule = admin.ACL(
            f"User:{self.own}-{user}",
            "*",
            admin.ACLOperation[operation],
            admin.ACLPermissionType[permission],
            self._pattern(admin.ResourcePattern, name, pattern),
        )
        answer = self.admin.create_acls([rule])
        return [self._rules(answer["succeeded"]), self.plain(answer["failed"])]

    def rules(self, name, pattern, user):
        if AWAITS:
            return None
        found, error = self.admin.describe_acls(self._filter(name, pattern, user))
        return [self._rules(found), self.plain(error)]

    def forbid(self, name, pattern, user):
        if AWAITS:
            return None
        asked = self._filter(name, pattern, user)
        [[answered, found, error]] = self.admin.delete_acls([asked])
        if not self.newest:
            error, found = [error, *(one for _, one in found)], [one for one, _ in found]
        return [answered is asked, self._rules(found), self.plain(error)]

    def delete_records(self, name, partition, offset):
        if not (AWAITS or self.newest):
            return None  # the first releases of version 2 have no such calls
        place = Place(named(self.own, name), partition)
        until = RecordsToDelete(offset) if AWAITS else offset
        [[found, answer]] = self.admin.delete_records({place: until}).items()
        return [found == place, self.plain(answer)]

    def elect(self, name, partition, kind):
        if not self.newest:
            return None
        answer = self.admin.elect_leaders(kind, {named(self.own, name): [partition]})
        elected = [
            [topic.topic, one.partition_id, one.error_code]
            for topic in answer.replica_election_results
            for one in topic.partition_result
        ]
        return self.plain([answer.error_code, elected])

    def reassign(self, name, partition, brokers):
        if not self.newest:
            return None
        place = Place(named(self.own, name), partition)
        answer = self.admin.alter_partition_reassignments({place: brokers})
        return [[found == place, self.plain(error)] for found, error in answer.items()]

    def moves(self, name):
        if not self.newest:
            return None
        wanted = None if name is None else {named(self.own, name): [0, 1]}
        found = self.admin.list_partition_reassignments(wanted)
        return sorted([self.plain(place), self.plain(move)] for place, move in found.items())

    def user(self, name, mechanism, iterations):
        if not self.newest:
            return None
        change = admin.UserScramCredentialUpsertion
        return self._altered(change(f"{self.own}-{name}", mechanism, "secret", iterations))

    def delete_user(self, name, mechanism):
        if not self.newest:
            return None
        return self._altered(admin.UserScramCredentialDeletion(f"{self.own}-{name}", mechanism))

    def _altered(self, change):
        return self.plain(self.admin.alter_user_scram_credentials([change]))

    def users(self, names):
        if not self.newest:
            return None
        wanted = None if names is None else [f"{self.own}-{name}" for name in names]
        found = self.admin.describe_user_scram_credentials(wanted)
        return self.plain({user: one for user, one in found.items() if self.own in user})

    def close(self):
        self.admin.close()


def run(script):
    if script["kind"] == "admin":
        own = f"{topic}-{prefix}-{script['seed']}"
        return outcomes_of(Admin(make(KafkaAdminClient), own), script)
    if script["kind"] == "producer":
        if script["transactional"] and version.startswith("2."):
            return []  # kafka-python 2 has no transactions
        return outcomes_of(producer_of(script), script)
    outcomes = outcomes_of(Consumer(consumer_of(script)), script)
    if outcomes[-1:] != ["hangs"]:
        with_group = consumer_of(script)
        outcomes.append([with_group.committed(Place(topic, one)) for one in range(3)])
        with_group.stop() if AWAITS else with_group.close()
    return outcomes


threading.Thread(target=loop.run_forever, daemon=True).start()
run_scripts(run)
