"""The SCRAM credentials of users."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from enum import IntEnum
from typing import Any, ClassVar

from confluent_kafka import protocol

from .. import errors
from .._enums import answered
from ._wire import CONTROLLER, Wire, check


class ScramMechanism(IntEnum):
    """How a user authenticates."""

    UNKNOWN = 0
    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2

    @property
    def hash_name(self) -> str:
        """The name of the hash in hashlib."""
        return self.name.removeprefix("SCRAM_").replace("_", "").lower()


class UserScramCredentialDeletion:
    """A credential to delete.

    Args:
        user: the name of the user.
        mechanism: a ScramMechanism, or its name.
    """

    def __init__(self, user: str, mechanism: Any) -> None:
        self.user = user
        self.mechanism = _mechanism(mechanism)

    def __repr__(self) -> str:
        return f"UserScramCredentialDeletion({self.user}, {self.mechanism.name})"


class UserScramCredentialUpsertion:
    """A credential to create, or to replace.

    Args:
        user: the name of the user.
        mechanism: a ScramMechanism, or its name.
        password: the password; only its hash is sent.
        iterations: the number of hash iterations; DEFAULT_ITERATIONS by default.
        salt: the salt of the hash; random by default.

    Raises:
        IllegalArgumentError: the mechanism is UNKNOWN.
    """

    DEFAULT_ITERATIONS: ClassVar[int] = 4096

    def __init__(
        self,
        user: str,
        mechanism: Any,
        password: str | bytes,
        iterations: int | None = None,
        salt: bytes | None = None,
    ) -> None:
        self.user = user
        self.mechanism = _mechanism(mechanism)
        if self.mechanism is ScramMechanism.UNKNOWN:
            raise errors.IllegalArgumentError("SCRAM mechanism must not be UNKNOWN")
        self.iterations = self.DEFAULT_ITERATIONS if iterations is None else iterations
        self.salt = os.urandom(24) if salt is None else salt
        secret = password.encode() if isinstance(password, str) else password
        self.salted_password = hashlib.pbkdf2_hmac(
            self.mechanism.hash_name, secret, self.salt, self.iterations
        )

    def __repr__(self) -> str:
        of_user = f"{self.user}, {self.mechanism.name}"
        return f"UserScramCredentialUpsertion({of_user}, iterations={self.iterations})"


class UserAdminMixin:
    """Methods of KafkaAdminClient."""

    _wire: Wire

    def alter_user_scram_credentials(self, alterations: Iterable[Any]) -> dict[str, str | None]:
        """Create, replace and delete credentials.

        Args:
            alterations: UserScramCredentialUpsertions and UserScramCredentialDeletions.

        Returns:
            None or the error, by user.

        Raises:
            IllegalArgumentError: an alteration is something else.
        """
        kind = protocol.AlterUserScramCredentialsRequest
        deletions, upsertions = [], []
        for one in alterations:
            if isinstance(one, UserScramCredentialUpsertion):
                upsertions.append(
                    kind.ScramCredentialUpsertion(
                        name=one.user,
                        mechanism=int(one.mechanism),
                        iterations=one.iterations,
                        salt=one.salt,
                        salted_password=one.salted_password,
                    )
                )
            elif isinstance(one, UserScramCredentialDeletion):
                deletions.append(
                    kind.ScramCredentialDeletion(name=one.user, mechanism=int(one.mechanism))
                )
            else:
                raise errors.IllegalArgumentError(
                    "alterations must be UserScramCredentialDeletion or "
                    f"UserScramCredentialUpsertion, got {type(one).__name__}"
                )
        request = kind(deletions=deletions, upsertions=upsertions)
        return {one.user: _text(one) for one in self._wire.ask(request, CONTROLLER).results}

    def describe_user_scram_credentials(
        self, users: Iterable[str] | None = None
    ) -> dict[str, dict[str, Any]]:
        """Return users' credentials, without the secrets.

        Args:
            users: the names of the users; None means all.

        Returns:
            ``{"error": ..., "credential_infos": [...]}`` by user.
        """
        kind = protocol.DescribeUserScramCredentialsRequest
        asked = None if users is None else [kind.UserName(name=one) for one in users]
        answer = self._wire.ask(kind(users=asked))
        check(answer)
        return {
            one.user: {
                "error": _text(one),
                "credential_infos": [
                    {
                        "mechanism": answered(ScramMechanism, each.mechanism),
                        "iterations": each.iterations,
                    }
                    for each in one.credential_infos
                ],
            }
            for one in answer.results
        }


def _mechanism(given: Any) -> ScramMechanism:
    if isinstance(given, str):
        return ScramMechanism[given.upper().replace("-", "_")]
    return ScramMechanism(given)


def _text(answer: Any) -> str | None:
    if not answer.error_code:
        return None
    return answer.error_message or errors.for_code(answer.error_code).__name__
