"""The entrance of a cluster with security: its listeners, files and users."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import tempfile
from collections.abc import Sequence
from typing import Any

from confluent_kafka.testing._security._authorizer import Acls, Authorizer
from confluent_kafka.testing._security._certificates import Certificates
from confluent_kafka.testing._security._enforcement import Enforcement, KnownTopics
from confluent_kafka.testing._security._listeners import Listeners
from confluent_kafka.testing._security._sasl import SCRAM_NUMBERS, Credential, credential
from confluent_kafka.testing._security._settings import Security
from confluent_kafka.testing._security._tokens import Tokens


class Entrance:
    """Lets clients in until close().

    Args:
        security: what the clients must do.
        brokers: the addresses of the brokers.
        users: the users of SCRAM; the users of `security` are added.
        tokens: the delegation tokens.
        acls: the ACLs, if the security has an authorizer.
        topics: the topics that the ACLs are about.
        advertised: the ports that clients are told, one for each broker; None means the ports of
            the listeners.
    """

    def __init__(
        self,
        security: Security,
        brokers: str,
        users: dict[str, dict[int, Credential]],
        tokens: Tokens,
        acls: Acls,
        topics: KnownTopics,
        advertised: Sequence[int] | None = None,
    ) -> None:
        self._security = security
        self._enforce = None
        if security.authorizer:
            self._enforce = functools.partial(Enforcement, Authorizer(security, acls), topics)
        self._process = os.getpid()
        with contextlib.ExitStack() as stack:
            self._certificates = security.certificates
            if security.uses_tls and self._certificates is None:
                folder = tempfile.mkdtemp(prefix="embedded-cluster-")
                stack.callback(shutil.rmtree, folder, ignore_errors=True)
                self._certificates = Certificates.make(folder)
            self._listeners = self._begin(brokers, users, tokens, advertised)
            stack.callback(self._listeners.close)
            self._stack = stack.pop_all()

    def _begin(
        self,
        brokers: str,
        users: dict[str, dict[int, Credential]],
        tokens: Tokens,
        advertised: Sequence[int] | None,
    ) -> Listeners:
        security = self._security
        scram = [each for each in security.mechanisms if each in SCRAM_NUMBERS]
        for name, password in security.users.items():
            if scram:
                users[name] = {SCRAM_NUMBERS[each]: credential(each, password) for each in scram}
        ports = [int(address.rpartition(":")[2]) for address in brokers.split(",")]
        return Listeners(
            security, self._certificates, ports, users, tokens, self._enforce, advertised
        )

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of the listeners."""
        return self._listeners.bootstrap_servers

    def close(self) -> None:
        """End all connections and remove the files. Later calls do nothing.

        In a forked child nothing happens, because all of it belongs to the parent.
        """
        if os.getpid() == self._process:
            self._stack.close()

    def client_config(self, user: str | None, mechanism: str | None) -> dict[str, Any]:
        """Return the properties of a client, without the addresses."""
        config: dict[str, Any] = {"security.protocol": self._security.protocol}
        if self._certificates is not None:
            config["ssl.ca.location"] = self._certificates.ca
        if self._certificates is not None and self._security.client_certificates:
            config["ssl.certificate.location"] = self._certificates.client
            config["ssl.key.location"] = self._certificates.client_key
        return config | self._login(user, mechanism)

    def _login(self, user: str | None, mechanism: str | None) -> dict[str, Any]:
        security = self._security
        mechanism = _chosen("mechanism", mechanism, list(security.mechanisms))
        if mechanism is None:
            _chosen("user", user, [])
            return {}
        if mechanism == "OAUTHBEARER":
            return {"sasl.mechanism": mechanism} | self._token(user)
        user = _chosen("user", user, list(security.users))
        if user is None:
            return {"sasl.mechanism": mechanism}
        return {
            "sasl.mechanism": mechanism,
            "sasl.username": user,
            "sasl.password": security.users[user],
        }

    def _token(self, user: str | None) -> dict[str, Any]:
        """Return the properties for an unsecured token; they are empty if a test checks tokens."""
        if self._security.check_token is not None:
            return {}
        name = user or next(iter(self._security.users), "user")
        return {
            "enable.sasl.oauthbearer.unsecure.jwt": True,  # codespell:ignore
            "sasl.oauthbearer.config": f"principal={name}",
        }


def _chosen(name: str, given: str | None, allowed: list[str]) -> str | None:
    """Return the given value, or else the first allowed value."""
    if given is None:
        return allowed[0] if allowed else None
    if given not in allowed:
        raise ValueError(f"{name}: {given!r} is not one of {', '.join(allowed) or 'none'}")
    return given
