"""The argument of ``throttle_cb``."""


class ThrottleEvent:
    """A broker has delayed a response to keep this client within its quota.

    Attributes:
        broker_name: the broker's name.
        broker_id: the broker's id.
        throttle_time: for how long, in seconds.

    librdkafka: rd_kafka_conf_set_throttle_cb().
    """

    __slots__ = ("broker_id", "broker_name", "throttle_time")

    def __init__(self, broker_name: str, broker_id: int, throttle_time: float) -> None:
        self.broker_name: str = broker_name
        self.broker_id: int = broker_id
        self.throttle_time: float = throttle_time

    def __repr__(self) -> str:
        return f"ThrottleEvent({self.broker_name!r}, {self.broker_id}, {self.throttle_time})"

    def __str__(self) -> str:
        milliseconds = self.throttle_time * 1000
        return f"{self.broker_name}/{self.broker_id} throttled for {milliseconds:.0f} ms"
