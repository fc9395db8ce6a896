"""Users with SCRAM credentials. They can log in if the cluster has security (`_security`)."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Refused, outcome
from confluent_kafka.testing._security._sasl import Credential

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

_MECHANISMS = (1, 2)  # SCRAM-SHA-256, SCRAM-SHA-512
_ITERATIONS = range(4096, 16385)


class Scram:
    """Answers requests about SCRAM credentials.

    Args:
        users: the credentials by user and mechanism. Logins read them on another thread, so each
            change replaces the dict of a user.
    """

    def __init__(self, users: dict[str, dict[int, Credential]]) -> None:
        self._users = users
        # The users in the cluster's Security. They are not saved: a later run has its own Security.
        self._given = dict(users)

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DescribeUserScramCredentialsRequest: self._describe,
            protocol.AlterUserScramCredentialsRequest: self._alter,
        }

    # ---- kept between runs ----

    kept_as = "scram_users"

    def saved(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return the credentials of the users that requests created or changed."""
        return {
            user: {
                str(mechanism): {
                    "iterations": each.iterations,
                    "salt": _to_text(each.salt),
                    "salted_password": _to_text(each.salted_password),
                }
                for mechanism, each in mechanisms.items()
            }
            for user, mechanisms in self._users.items()
            if mechanisms is not self._given.get(user)
        }

    def restore(self, saved: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
        """Create the users of an earlier run."""
        for user, mechanisms in saved.items():
            self._users[user] = {
                int(mechanism): Credential(
                    each["iterations"],
                    base64.b64decode(each["salt"]),
                    base64.b64decode(each["salted_password"]),
                )
                for mechanism, each in mechanisms.items()
            }

    # ---- requests ----

    def _describe(self, request: Any, context: RequestContext) -> Any:
        asked = [user.name for user in request.users or ()] or list(self._users)
        times = Counter(asked)
        results = [self._described(name, times[name] > 1) for name in times]
        return protocol.DescribeUserScramCredentialsResponse(results=results)

    def _described(self, name: str, repeated: bool) -> Any:
        response = protocol.DescribeUserScramCredentialsResponse
        infos: list[Any] = []

        def step() -> None:
            if repeated:
                raise Refused(KafkaError.DUPLICATE_RESOURCE, f"{name!r} is named more than once")
            if name not in self._users:
                raise Refused(KafkaError.RESOURCE_NOT_FOUND, f"there is no user {name!r}")
            for mechanism, each in sorted(self._users[name].items()):
                infos.append(
                    response.CredentialInfo(mechanism=mechanism, iterations=each.iterations)
                )

        ended = outcome(step)
        return response.DescribeUserScramCredentialsResult(
            user=name, credential_infos=infos, **ended
        )

    def _alter(self, request: Any, context: RequestContext) -> Any:
        changes = [*request.deletions, *request.upsertions]
        times = Counter((each.name, each.mechanism) for each in changes)
        twice = {name for (name, _), count in times.items() if count > 1}
        result = protocol.AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult
        results = []
        for name in dict.fromkeys(each.name for each in changes):
            deletions = [each for each in request.deletions if each.name == name]
            upsertions = [each for each in request.upsertions if each.name == name]
            ended = outcome(self._alter_user, name, deletions, upsertions, name in twice)
            results.append(result(user=name, **ended))
        return protocol.AlterUserScramCredentialsResponse(results=results)

    def _alter_user(self, name: str, deletions: Any, upsertions: Any, twice: bool) -> None:
        """Make all changes of a user, or none of them."""
        if twice:
            raise Refused(KafkaError.DUPLICATE_RESOURCE, f"{name!r} is changed more than once")
        if not name:
            raise Refused(KafkaError.UNACCEPTABLE_CREDENTIAL, "the name of the user is empty")
        mechanisms = dict(self._users.get(name, {}))
        for each in deletions:
            if mechanisms.pop(each.mechanism, None) is None:
                raise Refused(KafkaError.RESOURCE_NOT_FOUND, f"{name!r} has no such credential")
        for each in upsertions:
            if each.mechanism not in _MECHANISMS:
                raise Refused(
                    KafkaError.UNSUPPORTED_SASL_MECHANISM, f"there is no {each.mechanism}"
                )
            if each.iterations not in _ITERATIONS:
                raise Refused(
                    KafkaError.UNACCEPTABLE_CREDENTIAL,
                    f"iterations must be {_ITERATIONS[0]:,} to {_ITERATIONS[-1]:,}, not "
                    f"{each.iterations}",
                )
            mechanisms[each.mechanism] = Credential(
                each.iterations, each.salt, each.salted_password
            )
        if mechanisms:
            self._users[name] = mechanisms
        else:
            self._users.pop(name, None)


def _to_text(data: bytes) -> str:
    return base64.b64encode(data).decode()
