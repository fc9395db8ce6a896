"""Hints for options, commands and properties of other tools: kcat, rpk and Kafka's own scripts.

A command shows a hint only if it has the options that the hint names. Options of other commands are
in backticks and do not count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_BROKERS = "Use --brokers HOST:PORT (-b)."
_FILE = "Use --config-file FILE (-F)."
_PROPERTY = "Use --property KEY=VALUE (-X)."
_TOPIC = "Name the topic as an argument: `{path} TOPIC`."
_GROUP = "Name the group as an argument: `{path} GROUP`."
_REGISTRY = "Use --registry URL."
_COUNT = "Use --count N (-n)."
_AFTER = "Give it after the command, for example `topics list --brokers HOST:PORT`."
_DEFAULT = "You can leave it out."
_RESOURCE = "Use --resource {kind} --name NAME."

_RESET: Mapping[str, str] = {
    "--to-earliest": "Use --to earliest.",
    "--to-latest": "Use --to latest.",
    "--to-current": "Use --to current.",
    "--to-offset": "Use --to OFFSET.",
    "--to-datetime": "Use --to TIME.",
    "--by-duration": "Use --to with a duration back from now, such as --to PT1H.",
    "--dry-run": "You can leave it out: only --execute changes offsets.",
    "--export": "Use --json (-J): --from-file reads what it writes.",
    "--yes": "Use --execute.",
}

# By the command or group of commands, the longest one first; "" is the program without a command,
# and "*" any command.
HINTS: Mapping[str, Mapping[str, str]] = {
    "": {
        "-C": "Use `consume TOPIC`. If you mean a profile, name it after the command: "
        "`topics list -C NAME`.",
        "-G": "Use `consume TOPIC --group GROUP`.",
        "-L": "Use `topics list`, or `cluster describe` for the brokers.",
        "-P": "Use `produce TOPIC`.",
        "-Q": "Use `consume TOPIC --from TIME`.",
        "-t": "Use `consume TOPIC` or `produce TOPIC`.",
        "--topic": "Use `consume TOPIC` or `produce TOPIC`.",
        "--list": "Use `topics list` or `groups list`.",
        "-V": "Use --version.",
        "-h": "Use --help.",
        **dict.fromkeys(
            (
                "-b",
                "--brokers",
                "--bootstrap-server",
                "--broker-list",
                "-F",
                "-X",
                "--property",
                "--profile",
            ),
            _AFTER,
        ),
    },
    "*": {
        **dict.fromkeys(
            ("--bootstrap-server", "--bootstrap-servers", "--broker-list", "--broker"), _BROKERS
        ),
        **dict.fromkeys(("--context", "--cluster"), "Use --profile NAME (-C)."),
        "--zookeeper": "Use --brokers HOST:PORT (-b): no command needs ZooKeeper.",
        **dict.fromkeys(
            (
                *("--command-config", "--consumer.config", "--consumer-config"),
                *("--producer.config", "--producer-config", "--config"),
            ),
            _FILE,
        ),
        **dict.fromkeys(
            ("--command-property", "--consumer-property", "--producer-property"), _PROPERTY
        ),
        "-d": "Use -X debug=all for librdkafka's log.",
        "-v": "Use -X debug=all for librdkafka's log.",
        "--verbose": "Use -X debug=all for librdkafka's log.",
        "--timeout-ms": "Use --timeout SECONDS.",
        "--request-timeout-ms": "Use --timeout SECONDS.",
        "-m": "Use --timeout SECONDS.",
        "--format": "Use --json (-J).",
        "-o": "Use --json (-J).",
        "--output": "Use --json (-J).",
        "--dry-run": "Use --check.",
        "--validate-only": "Use --check.",
        "--force": "Use --yes (-y).",
        "--no-confirm": "Use --yes (-y).",
        "--execute": "Use --yes (-y).",
        "-h": "Use --help.",
    },
    "produce": {
        "-r": _REGISTRY,
        "--value-schema-id": "Use --schema-id N.",
        "--max-messages": _COUNT,
        "-t": _TOPIC,
        "--topic": _TOPIC,
        "-P": _DEFAULT,
        "-l": "You can leave it out: each line of a file is a message.",
        "--file": "Name the file as an argument: `produce TOPIC FILE`.",
        "-z": "Use -X compression.type=zstd.",
        "--compression": "Use -X compression.type=zstd.",
        "--compression-codec": "Use -X compression.type=zstd.",
        "--acks": "Use -X acks=all.",
        "--request-required-acks": "Use -X acks=all.",
        "--request-timeout-ms": "Use -X request.timeout.ms=MILLISECONDS.",
        "--format": "Use --key-separator (-K) and --delimiter (-D), or --json (-J).",
        "-f": "Use --key-separator (-K) and --delimiter (-D), or --json (-J).",
        "--tombstone": "Use --null (-Z).",
    },
    "consume": {
        "-r": _REGISTRY,
        "--use-schema-registry": "Use --value auto.",
        "--skip-message-on-error": "Use --on-error continue.",
        "-t": _TOPIC,
        "--topic": _TOPIC,
        "--from-beginning": "You can leave it out: without --from, the command starts at the "
        "beginning.",
        "--offset": "Use --from.",
        "-c": _COUNT,
        "--num": _COUNT,
        "--max-messages": _COUNT,
        "--timeout-ms": "Use --exit-at-end (-e) to stop at the end of the topic.",
        "-G": "Use --group GROUP (-g).",
        "--partitions": "Use --partition N (-p) for each partition.",
        "-K": r"Use --format '%k\t%s\n' (-f).",
        "-D": r"Use --format '%s\n' (-f).",
        "--formatter": "Use --format FORMAT (-f).",
        "-O": "Use --format FORMAT (-f).",
        "--meta-only": r"Use --format '%t %p %o %T\n' (-f).",
        "--isolation-level": "Use -X isolation.level=LEVEL.",
        "-u": "You can leave it out: messages are written as soon as they arrive.",
    },
    "bench": {
        "-t": _TOPIC,
        "--topic": _TOPIC,
        "--num-records": _COUNT,
        "--messages": _COUNT,
        "--record-size": "Use --size BYTES (-s).",
        "--throughput": "Use --rate N.",
    },
    "topics": {
        "-t": _TOPIC,
        "--topic": _TOPIC,
        "-L": "Use `topics list`.",
        "--list": "Use `topics list`.",
        "--describe": "Use `topics describe TOPIC`.",
        "--create": "Use `topics create TOPIC`.",
        "--delete": "Use `topics delete TOPIC`.",
        "--alter": "Use `topics grow TOPIC PARTITIONS`, or `configs set topic TOPIC NAME=VALUE`.",
    },
    "topics list": {
        "--exclude-internal": "You can leave it out: only --internal shows internal topics.",
        "-i": "Use --internal.",
        "--topic": "Use `topics describe TOPIC`.",
        "-t": "Use `topics describe TOPIC`.",
    },
    "topics create": {
        "--replication-factor": "Use --replicas N (-r).",
        "--topic-config": "Use --config NAME=VALUE (-c).",
    },
    "topics describe": {
        "--under-replicated-partitions": "Use --under-replicated.",
        "--at-min-isr-partitions": "Use --at-min-isr.",
        "--under-min-isr-partitions": "Use --under-min-isr.",
        "--unavailable-partitions": "Use --unavailable.",
        "--topics-with-overrides": "Use --with-overrides.",
    },
    "topics offsets": {"--time": "Use --at WHERE."},
    "topics delete-records": {
        "--offset-json-file": "Name the partitions: `topics delete-records TOPIC:0 --before 5`.",
    },
    "topics grow": {
        "--partitions": "Give the number as an argument: `topics grow TOPIC PARTITIONS`.",
        "--num": "Give the number as an argument: `topics grow TOPIC PARTITIONS`.",
        "-n": "Give the number as an argument: `topics grow TOPIC PARTITIONS`.",
    },
    "groups": {
        "--list": "Use `groups list`.",
        "--describe": "Use `groups describe GROUP`.",
        "--delete": "Use `groups delete GROUP`.",
        "--reset-offsets": "Use `groups reset-offsets GROUP --to WHERE`.",
        "--delete-offsets": "Use `groups delete-offsets GROUP --topic TOPIC`.",
        "--all-groups": "Use `groups describe --all`.",
        "--group": _GROUP,
        "-g": _GROUP,
        "--offsets": _DEFAULT,
    },
    "groups list": {
        "--group": "Use `groups describe GROUP`.",
        "--all": "Use --lag to show members and lag: the list always shows all groups.",
    },
    "groups reset-offsets": _RESET,
    "streams-groups": {
        "--list": "Use `streams-groups list`.",
        "--describe": "Use `streams-groups describe GROUP`.",
        "--delete": "Use `streams-groups delete GROUP`.",
        "--reset-offsets": "Use `streams-groups reset-offsets GROUP --to WHERE`.",
        "--group": _GROUP,
        "-g": _GROUP,
    },
    "streams-groups reset-offsets": _RESET,
    "share-groups": {
        "--list": "Use `share-groups list`.",
        "--describe": "Use `share-groups describe GROUP`.",
        "--delete": "Use `share-groups delete GROUP`.",
        "--reset-offsets": "Use `share-groups reset-offsets GROUP --topic TOPIC --to earliest`.",
        "--group": _GROUP,
        "-g": _GROUP,
    },
    "configs": {
        "--describe": "Use `configs describe topic TOPIC`.",
        "--alter": "Use `configs set topic TOPIC NAME=VALUE`.",
        "--add-config": "Use `configs set topic TOPIC NAME=VALUE`.",
        "--set": "Use `configs set topic TOPIC NAME=VALUE`.",
        "--delete-config": "Use `configs unset topic TOPIC NAME`.",
        "--entity-type": "Name the kind as an argument: `configs describe topic TOPIC`.",
        "--entity-name": "Give the name as an argument: `configs describe topic TOPIC`.",
        "--topic": "Use `configs describe topic TOPIC`.",
        "--group": "Use `configs describe group GROUP`.",
    },
    "reassign": {
        "--generate": "Use `reassign plan TOPIC`.",
        "--verify": "Use `reassign verify FILE`.",
        "--reassignment-json-file": "Use `reassign start --file FILE`.",
        "--topics-to-move-json-file": "Name the topics as arguments: `reassign plan TOPIC`.",
        "--preserve-throttles": "Use --keep-throttle.",
    },
    "reassign plan": {"--broker-list": "Use --onto ID for each broker."},
    "elect-leaders": {
        "--election-type": "Use --unclean, or no option for preferred leaders.",
        "--all-topic-partitions": "You can leave it out: without topics, it elects all leaders.",
        "--topic": "Name the partition as an argument: `elect-leaders TOPIC:0`.",
    },
    "users set": {
        "--password": "Write the password to stdin: other users can see the arguments of a program."
    },
    "acls": {
        "--list": "Use `acls list`.",
        "--add": "Use `acls create`.",
        "--remove": "Use `acls delete`.",
        "--topic": _RESOURCE.format(kind="topic"),
        "--group": _RESOURCE.format(kind="group"),
        "--transactional-id": _RESOURCE.format(kind="transactional_id"),
        "--idempotent": "You can leave it out: --producer is enough since Kafka 2.8.",
        "--cluster": "Use --resource broker --name kafka-cluster.",
        "--allow-principal": "Use --principal User:NAME --permission allow.",
        "--deny-principal": "Use --principal User:NAME --permission deny.",
        "--allow-host": "Use --host HOST --permission allow.",
        "--deny-host": "Use --host HOST --permission deny.",
        "--resource-pattern-type": "Use --pattern.",
    },
}

# Commands that other tools have, and this one does not.
COMMAND_HINTS: Mapping[str, str] = {
    "help": "Use --help.",
    "version": "Use --version.",
    "list": "Use `topics list` or `groups list`.",
    "client-metrics": "Use `configs list client-metrics`, and `describe`, `set` and `unset`.",
}

# Properties of Kafka's console producer and consumer. librdkafka does not have them.
PROPERTY_HINTS: Mapping[str, str] = {
    **dict.fromkeys(("parse.key", "key.separator"), "Use `produce --key-separator SEPARATOR`."),
    **dict.fromkeys(("parse.headers", "headers.delimiter"), "Use `produce --header NAME=VALUE`."),
    "null.marker": "Use `produce --null`.",
    **dict.fromkeys(
        (
            *("print.key", "print.value", "print.headers", "print.offset", "print.partition"),
            *("print.timestamp", "line.separator", "headers.separator"),
        ),
        "Use `consume --format FORMAT`.",
    ),
}

_BACKTICKS = re.compile(r"`[^`]*`|'[^']*'")
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")


def hint(path: list[str], option: str, command: Any) -> str | None:
    """Return what to use instead of an option, or None if nothing is known.

    Args:
        path: the command, such as ``["topics", "create"]``.
        option: the option that the command does not have.
        command: the command itself.
    """
    scopes = [" ".join(path[:length]) for length in range(len(path), 0, -1)]
    for scope in [*scopes, "*"] if path else [""]:
        text = HINTS.get(scope, {}).get(option)
        if text is not None and _fits(text, command):
            return text.format(path=" ".join(path))
    return None


def options_in(text: str) -> set[str]:
    """Return the options that a hint names, without those in backticks or quotes."""
    return set(_OPTION.findall(_BACKTICKS.sub("", text)))


def _fits(text: str, command: Any) -> bool:
    """Whether a command has the arguments and options that a hint names."""
    if "{path}" in text:
        return not hasattr(command, "commands")  # a group of commands has no arguments
    return options_in(text) <= {"--help", *(name for each in command.params for name in each.opts)}
