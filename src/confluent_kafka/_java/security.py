"""Translates security properties of Kafka's Java clients: key stores, trust stores and JAAS.

Java keeps keys and certificates in stores, and credentials in a JAAS configuration. librdkafka
takes PEM files, PKCS#12 key stores and plain properties. Errors never contain a value, because it
may be secret.
"""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka._java.jaas import login_of
from confluent_kafka._java.names import Wording
from confluent_kafka._java.oauth import has_credentials, take_token_properties
from confluent_kafka._java.stores import certificates_of, check_readable, contained

_JKS = "a Java key store (JKS) can only be read by Java"
_TO_PEM = (
    "write it as PEM (keytool -list -rfc -keystore STORE > ca.pem) and give that as "
    "{}ssl.ca.location"
)
_TO_PKCS12 = (
    "turn it into PKCS#12 (keytool -importkeystore -srckeystore STORE -destkeystore "
    "store.p12 -deststoretype PKCS12), or give PEM files as {}ssl.certificate.location and "
    "{}ssl.key.location"
)
_RENAMED = {
    "sasl.oauthbearer.assertion.template.file": "sasl.oauthbearer.assertion.jwt.template.file",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
    "ssl.truststore.certificates": "ssl.ca.pem",
}
_REFUSED = {
    "config.providers": "it names a Java class, and no Java client runs here: resolve the secrets "
    "before",
    "security.providers": "it names a Java class, and no Java client runs here",
    "sasl.client.callback.handler.class": "it names a Java class. On Amazon MSK, use SCRAM or a "
    "client certificate",
    "sasl.login.callback.handler.class": "it names a Java class; for OAuth there is "
    "{}sasl.oauthbearer.method=oidc",
    "sasl.login.class": "it names a Java class",
    "ssl.enabled.protocols": "OpenSSL's own configuration sets the allowed versions of TLS",
    "ssl.engine.factory.class": "it names a Java class",
    "ssl.keymanager.algorithm": "only Java has it",
    "ssl.protocol": "OpenSSL's own configuration sets the allowed versions of TLS",
    "ssl.provider": "only Java has it; for OpenSSL there is {}ssl.providers",
    "ssl.secure.random.implementation": "only Java has it",
    "ssl.trustmanager.algorithm": "only Java has it",
}


def translate_security(given: Mapping[str, str], wording: Wording) -> dict[str, str]:
    """Return properties with Java's security properties turned into librdkafka's.

    Args:
        given: the properties.
        wording: what the errors call a property.

    Raises:
        ValueError: a property cannot be translated; the error names what to set instead.
    """
    rest = dict(given)
    tokens = take_token_properties(rest, wording)
    for name, reason in _REFUSED.items():
        if name in rest:
            raise ValueError(f"{wording.named(name)} cannot be given: {wording.advice(reason)}")
    login = _jaas(rest, "sasl.oauthbearer.method" in tokens, wording)
    if "enable.sasl.oauthbearer.unsecure.jwt" in login:
        tokens.pop("sasl.oauthbearer.method", None)
    found = {**_trust_store(rest, wording), **_key_store(rest, wording), **tokens, **login}
    _check_cipher_suites(rest.get("ssl.cipher.suites", ""), wording)
    for java, ours in _RENAMED.items():
        if java in rest:
            found[ours] = rest.pop(java)
    # In Java, an empty text switches the check of the broker's name off.
    if not rest.get("ssl.endpoint.identification.algorithm", "none").strip():
        found["ssl.endpoint.identification.algorithm"] = "none"
        del rest["ssl.endpoint.identification.algorithm"]
    for name in found.keys() & rest.keys():
        raise ValueError(
            f"{wording.named(name)} is given twice: also as a property of Java's clients"
        )
    return {**rest, **found}


def _trust_store(rest: dict[str, str], wording: Wording) -> dict[str, str]:
    """Take the properties of the trust store: PEM, or PKCS#12."""
    location = rest.pop("ssl.truststore.location", None)
    name = wording.named("ssl.truststore.location")
    kind = _kind(rest, "ssl.truststore", location, wording)
    password = rest.pop("ssl.truststore.password", None)
    if location is None:
        return {}
    if kind == "PEM" and not password:
        return {"ssl.ca.location": location}
    if kind == "PEM":
        name = wording.named("ssl.truststore.password")
        raise ValueError(f"{name}: a PEM file has none, leave it out")
    _check_store(name, location)
    if kind == "JKS":
        raise ValueError(f"{name}: {_JKS}: {wording.advice(_TO_PEM)}")
    try:
        return {"ssl.ca.pem": certificates_of(location, password)}
    except ValueError as error:
        raise ValueError(f"{name}: {error}: {wording.advice(_TO_PEM)}") from None


def _key_store(rest: dict[str, str], wording: Wording) -> dict[str, str]:
    """Take the properties of the key store: PKCS#12, or a PEM file of key and certificates."""
    location = rest.pop("ssl.keystore.location", None)
    kind = _kind(rest, "ssl.keystore", location, wording)
    if location is None:
        return {}
    if kind == "JKS":
        name = wording.named("ssl.keystore.location")
        _check_store(name, location)
        raise ValueError(f"{name}: {_JKS}: {wording.advice(_TO_PKCS12)}")
    if kind == "PEM":
        return {"ssl.certificate.location": location, "ssl.key.location": location}
    return {"ssl.keystore.location": location}


def _kind(rest: dict[str, str], store: str, location: str | None, wording: Wording) -> str:
    """Take the type of a store from the file's contents, or else from the properties or its name.

    Java reads PKCS#12 also if the type is JKS, and has written it for years into files called .jks.
    """
    endings = {"pem": "PEM", "crt": "PEM", "p12": "PKCS12", "pfx": "PKCS12"}
    guess = endings.get((location or "").rpartition(".")[2].lower(), "JKS")
    kind = rest.pop(f"{store}.type", guess).strip().upper()
    if kind not in ("PEM", "PKCS12", "JKS"):
        raise ValueError(
            f"{wording.named(f'{store}.type')}: {kind!r} is none of PEM, PKCS12 and JKS"
        )
    return contained(location) or kind


def _check_store(name: str, location: str) -> None:
    """Refuse a file that is missing. Its name alone would make it a JKS store."""
    try:
        check_readable(location)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _check_cipher_suites(text: str, wording: Wording) -> None:
    """Refuse Java's names of cipher suites. OpenSSL would only answer that none matches."""
    for name in text.replace(":", ",").split(","):
        if "_WITH_" in name:
            raise ValueError(
                f"{wording.named('ssl.cipher.suites')}: OpenSSL has other names for the suites, "
                f"separated by colons. The command openssl ciphers -stdname ALL shows the name "
                f"for {name.strip()}"
            )


def _jaas(rest: dict[str, str], has_provider: bool, wording: Wording) -> dict[str, str]:
    """Take the credentials out of ``sasl.jaas.config``."""
    text = rest.pop("sasl.jaas.config", None)
    if text is None:
        return {}
    try:
        return login_of(text, has_provider or has_credentials(rest))
    except ValueError as error:
        reason = wording.advice(str(error))
        raise ValueError(f"{wording.named('sasl.jaas.config')}{reason}") from None
