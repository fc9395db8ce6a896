"""Users' SCRAM credentials: describe, alter."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, overload

from confluent_kafka.admin._enums import ScramMechanism
from confluent_kafka.admin._requests import (
    AdminRequests,
    checked,
    items_of,
    maybe_empty,
    new_futures,
)
from confluent_kafka.admin._topics import tuple_errors
from confluent_kafka.cimpl import KafkaError, KafkaException


@dataclass(eq=False)
class ScramCredentialInfo:
    """The description of a credential.

    Attributes:
        mechanism: ScramMechanism.
        iterations: the number of hash iterations.

    librdkafka: rd_kafka_ScramCredentialInfo_t.
    """

    mechanism: ScramMechanism
    iterations: int


@dataclass(eq=False)
class UserScramCredentialsDescription:
    """A user's credentials.

    Attributes:
        user: the user's name.
        scram_credential_infos: a ScramCredentialInfo for each mechanism.

    librdkafka: rd_kafka_UserScramCredentialsDescription_t.
    """

    user: str
    scram_credential_infos: list[ScramCredentialInfo]


@dataclass(eq=False)
class UserScramCredentialAlteration:
    """A change of a user's credential; use one of the two subclasses.

    Attributes:
        user: the user's name.

    librdkafka: rd_kafka_UserScramCredentialAlteration_t.
    """

    user: str


@dataclass(eq=False)
class UserScramCredentialUpsertion(UserScramCredentialAlteration):
    """Create or replace a user's credential.

    Attributes:
        user: the user's name.
        scram_credential_info: ScramCredentialInfo with the mechanism and at least 4096 iterations.
        password: bytes; not shown by repr().
        salt: bytes, or None for a random salt; not shown by repr().

    librdkafka: rd_kafka_UserScramCredentialUpsertion_new().
    """

    scram_credential_info: ScramCredentialInfo
    password: bytes = field(repr=False)
    salt: bytes | None = field(default=None, repr=False)


@dataclass(eq=False)
class UserScramCredentialDeletion(UserScramCredentialAlteration):
    """Delete a user's credential.

    Attributes:
        user: the user's name.
        mechanism: ScramMechanism.

    librdkafka: rd_kafka_UserScramCredentialDeletion_new().
    """

    mechanism: ScramMechanism


class ScramRequests(AdminRequests):
    """Requests about SCRAM credentials."""

    __slots__ = ()

    @overload
    def describe_user_scram_credentials(
        self, users: None = None, *, request_timeout: float | None = None
    ) -> Future[dict[str, UserScramCredentialsDescription]]: ...

    @overload
    def describe_user_scram_credentials(
        self, users: list[str], *, request_timeout: float | None = None
    ) -> dict[str, Future[UserScramCredentialsDescription]]: ...

    def describe_user_scram_credentials(
        self, users: list[str] | None = None, *, request_timeout: float | None = None
    ) -> (
        Future[dict[str, UserScramCredentialsDescription]]
        | dict[str, Future[UserScramCredentialsDescription]]
    ):
        """Describe users' credentials: their mechanisms, not their passwords.

        Args:
            users: their names; all users when None.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            Without `users`, one future; its result is a dict of name to
            UserScramCredentialsDescription. With `users`, a future for each name, which fails
            with RESOURCE_NOT_FOUND, CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DescribeUserScramCredentials() (KIP-554).
        """
        request = "describe_user_scram_credentials"
        options = {"request_timeout": request_timeout}
        if users is None:
            return self._ask(request, [], options, _all_descriptions)
        names = maybe_empty(users, str, "users")
        _check_users(names, "users")
        futures = new_futures(names)
        self._ask_each(request, names, options, futures, _descriptions)
        return futures

    def alter_user_scram_credentials(
        self,
        alterations: list[UserScramCredentialAlteration],
        *,
        request_timeout: float | None = None,
    ) -> dict[str, Future[None]]:
        """Set and delete users' credentials.

        Args:
            alterations: a list of UserScramCredentialUpsertion and UserScramCredentialDeletion.
            request_timeout: as for describe_user_scram_credentials().

        Returns:
            A future for each user; its result is None. It fails with
            RESOURCE_NOT_FOUND, UNACCEPTABLE_CREDENTIAL, CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_AlterUserScramCredentials() (KIP-554).
        """
        items = items_of(alterations, UserScramCredentialAlteration, "alterations")
        argument = [_fields(item, f"alterations[{index}]") for index, item in enumerate(items)]
        _check_users([item.user for item in items], "alterations")
        futures = new_futures(item.user for item in items)
        options = {"request_timeout": request_timeout}
        self._ask_each("alter_user_scram_credentials", argument, options, futures, tuple_errors)
        return futures


def _check_users(users: list[str], name: str) -> None:
    for index, user in enumerate(users):
        if not user:
            raise ValueError(f"'user' cannot be empty: {name}[{index}] must name a user")


def _fields(alteration: UserScramCredentialAlteration, name: str) -> tuple[object, ...]:
    """Check an alteration, and return the fields for the request."""
    user = checked(alteration.user, str, f"{name}.user")
    if isinstance(alteration, UserScramCredentialDeletion):
        return user, _mechanism(alteration.mechanism, name)
    if not isinstance(alteration, UserScramCredentialUpsertion):
        raise TypeError(
            f"{name} must be UserScramCredentialUpsertion or UserScramCredentialDeletion, "
            f"not {type(alteration).__name__}"
        )
    info = checked(
        alteration.scram_credential_info, ScramCredentialInfo, f"{name}.scram_credential_info"
    )
    mechanism = _mechanism(info.mechanism, name)
    return user, mechanism, info.iterations, alteration.password, alteration.salt


def _mechanism(given: object, name: str) -> int:
    return int(checked(given, ScramMechanism, f"{name}.mechanism").value)


def _descriptions(
    result: list[tuple[Any, ...]],
) -> Iterator[tuple[str, UserScramCredentialsDescription | KafkaError]]:
    for user, error, credentials in result:
        yield (
            user,
            error
            or UserScramCredentialsDescription(
                user,
                [
                    ScramCredentialInfo(ScramMechanism(mechanism), iterations)
                    for mechanism, iterations in credentials
                ],
            ),
        )


def _all_descriptions(
    result: list[tuple[Any, ...]],
) -> dict[str, UserScramCredentialsDescription]:
    descriptions = {}
    for user, description in _descriptions(result):
        if isinstance(description, KafkaError):
            raise KafkaException(description)
        descriptions[user] = description
    return descriptions
