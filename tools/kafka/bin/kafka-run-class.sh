#!/bin/sh
# Runs a Java class with the libraries of this distribution:
#
#   kafka-run-class.sh <class> [argument ...]
#
# KAFKA_HEAP_OPTS and KAFKA_OPTS go to Java. Its defaults here are those of a small machine: a
# broker that is ready soon, not one that is fast after hours.
home=$(cd "$(dirname "$0")/.." && pwd) || exit 1
# exec: the process that a test kills is the broker itself.
# shellcheck disable=SC2086
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" \
    ${KAFKA_HEAP_OPTS:--Xmx256m} -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto \
    -Djava.awt.headless=true "-Dlog4j2.configurationFile=$home/config/log4j2.xml" \
    $KAFKA_OPTS -cp "$home/libs/*" "$@"
