"""What a test asks for: the security of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from confluent_kafka.testing._security._certificates import Certificates

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")


@dataclass(frozen=True, slots=True, kw_only=True)
class Security:
    """The security of a `MockCluster`: ``MockCluster(security=Security(...))``.

    Attributes:
        protocol (str): ``SSL``, ``SASL_PLAINTEXT``, ``SASL_SSL``, or ``PLAINTEXT``, with which
            every client is ``User:ANONYMOUS``.
        mechanisms (sequence of str): the SASL mechanisms that the brokers support: ``PLAIN``,
            ``SCRAM-SHA-256``, ``SCRAM-SHA-512`` and ``OAUTHBEARER``. The default is ``PLAIN`` if
            the protocol uses SASL.
        users (mapping of str to str): the passwords of the users, by name, for PLAIN and SCRAM.
            `AdminClient.alter_user_scram_credentials()` changes the users of SCRAM.
        check_token (callable or None): called with each token of OAUTHBEARER. The broker refuses
            the login if the result is false or if there is an exception. If the result is a str,
            it is the name of the user for ACLs; otherwise the name is the ``sub`` of the token.
            None means the check of unsecured tokens: the algorithm is ``none``, there is a ``sub``,
            and ``exp`` is in the future.
        certificates (Certificates or None): the files for TLS. None makes them in a temporary
            folder (`Certificates.make()`), which needs the package ``cryptography``.
        client_certificates (bool): whether clients must have a certificate of the authority
            (mutual TLS).
        authorizer (bool): whether the brokers enforce ACLs, as Kafka does with
            ``authorizer.class.name``. Administrators create ACLs with `AdminClient.create_acls()`.
            Without an authorizer, the brokers store ACLs, and every client may do everything.
        super_users (collection of str): the principals that may do everything, such as
            ``User:admin`` (Kafka's ``super.users``). Principals are ``User:`` and the name of the
            user, or the distinguished name of the client's certificate (``User:CN=client``). A
            client with neither is ``User:ANONYMOUS``.
        allow_everyone_if_no_acl_found (bool): whether every client may use a resource that has no
            ACL (Kafka's ``allow.everyone.if.no.acl.found``).

    Raises:
        TypeError: a value has the wrong type.
        ValueError: a value is not allowed, or does not fit the other values.
    """

    protocol: str
    mechanisms: Sequence[str] = ()
    users: Mapping[str, str] = field(default_factory=dict, repr=False)
    check_token: Callable[[str], object] | None = None
    certificates: Certificates | None = None
    client_certificates: bool = False
    authorizer: bool = False
    super_users: Collection[str] = ()
    allow_everyone_if_no_acl_found: bool = False

    def __post_init__(self) -> None:
        _check_member("protocol", self.protocol, PROTOCOLS)
        if isinstance(self.mechanisms, str) or not isinstance(self.mechanisms, Sequence):
            raise TypeError(f"mechanisms must be a sequence of str, not {self.mechanisms!r}")
        for mechanism in self.mechanisms:
            _check_member("mechanisms", mechanism, MECHANISMS)
        if self.check_token is not None and not callable(self.check_token):
            raise TypeError(f"check_token must be callable or None, not {self.check_token!r}")
        if self.certificates is not None and not isinstance(self.certificates, Certificates):
            raise TypeError(f"certificates must be Certificates or None, not {self.certificates!r}")
        self._check_users()
        self._check_super_users()
        self._check_fit()
        if self.uses_sasl and not self.mechanisms:
            object.__setattr__(self, "mechanisms", ("PLAIN",))

    def _check_users(self) -> None:
        if not isinstance(self.users, Mapping):
            raise TypeError(f"users must be a mapping, not {type(self.users).__name__}")
        for name, password in self.users.items():
            # The values are passwords, which must not appear in an error.
            if not isinstance(name, str) or not isinstance(password, str):
                raise TypeError(f"users must be a dict of str to str; {name!r} is not")
            if not name or not password:
                raise ValueError(f"users must have a name and a password; {name!r} does not")

    def _check_super_users(self) -> None:
        if isinstance(self.super_users, str) or not isinstance(self.super_users, Collection):
            raise TypeError(f"super_users must be a collection of str, not {self.super_users!r}")
        for principal in self.super_users:
            if not isinstance(principal, str):
                raise TypeError(f"super_users must contain str, not {principal!r}")
            if not principal.startswith("User:"):
                raise ValueError(f"super_users: a principal is 'User:name', not {principal!r}")
        if (self.super_users or self.allow_everyone_if_no_acl_found) and not self.authorizer:
            raise ValueError(
                "super_users and allow_everyone_if_no_acl_found need authorizer=True, because "
                "without an authorizer every client may do everything"
            )

    def _check_fit(self) -> None:
        if not self.uses_sasl and (self.mechanisms or self.users or self.check_token):
            raise ValueError(
                f"mechanisms, users and check_token need a protocol with SASL, not {self.protocol}"
            )
        if not self.uses_tls and (self.certificates or self.client_certificates):
            raise ValueError(
                "certificates and client_certificates need a protocol with TLS, not "
                f"{self.protocol}"
            )
        own = self.certificates
        if self.client_certificates and own and not (own.client and own.client_key):
            raise ValueError("client_certificates needs client and client_key in certificates")
        if self.check_token is not None and "OAUTHBEARER" not in self.mechanisms:
            raise ValueError("check_token needs the mechanism OAUTHBEARER in mechanisms")

    @property
    def uses_sasl(self) -> bool:
        """Whether clients must log in."""
        return self.protocol.startswith("SASL_")

    @property
    def uses_tls(self) -> bool:
        """Whether the connections are encrypted."""
        return self.protocol.endswith("SSL")


def _check_member(name: str, given: object, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise ValueError(f"{name}: {given!r} is not one of {', '.join(allowed)}")
