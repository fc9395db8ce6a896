"""Translates security properties of Kafka's Java clients: key stores, trust stores and JAAS.

Java keeps keys and certificates in stores, and credentials in a JAAS configuration. librdkafka
takes PEM files, PKCS#12 key stores and plain properties. Errors never contain a value, because it
may be secret.
"""

import re
from collections.abc import Mapping

_JKS = "a Java key store (JKS) can only be read by Java"
_TO_PEM = (
    "{what}: write it as PEM (keytool -list -rfc -keystore STORE > ca.pem) and give that as "
    "kafka.ssl.ca.location"
)
_TO_PKCS12 = (
    f"{_JKS}: turn it into PKCS#12 (keytool -importkeystore -srckeystore STORE -destkeystore "
    "store.p12 -deststoretype PKCS12), or give PEM files as kafka.ssl.certificate.location and "
    "kafka.ssl.key.location"
)
_RENAMED = {
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
    "ssl.truststore.certificates": "ssl.ca.pem",
}
_REFUSED = {
    "sasl.client.callback.handler.class": "it names a Java class",
    "sasl.login.callback.handler.class": "it names a Java class; for OAuth there is "
    "kafka.sasl.oauthbearer.method=oidc",
    "sasl.login.class": "it names a Java class",
    "ssl.enabled.protocols": "OpenSSL's own configuration sets the allowed versions of TLS",
    "ssl.engine.factory.class": "it names a Java class",
    "ssl.keymanager.algorithm": "only Java has it",
    "ssl.protocol": "OpenSSL's own configuration sets the allowed versions of TLS",
    "ssl.provider": "only Java has it; for OpenSSL there is kafka.ssl.providers",
    "ssl.secure.random.implementation": "only Java has it",
    "ssl.trustmanager.algorithm": "only Java has it",
}
_LOGIN_MODULES = ("PlainLoginModule", "ScramLoginModule", "OAuthBearerLoginModule")
_MODULE = re.compile(
    r"\s*(?:[\w.]+\.)?(\w+)\s+(?:required|requisite|sufficient|optional)\b(.*)", re.DOTALL
)
_SETTING = re.compile(
    r"""\s*([\w.]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))"""
)


def translate_security(kafka: Mapping[str, str]) -> dict[str, str]:
    """Return properties with Java's security properties turned into librdkafka's.

    Args:
        kafka: properties without the prefix ``kafka.``.

    Raises:
        ValueError: a property cannot be honoured; the error names what to set instead.
    """
    for name, reason in _REFUSED.items():
        if name in kafka:
            raise ValueError(f"option kafka.{name} cannot be given: {reason}")
    rest = dict(kafka)
    found = {**_trust_store(rest), **_key_store(rest), **_jaas(rest)}
    for java, ours in _RENAMED.items():
        if java in rest:
            found[ours] = rest.pop(java)
    # In Java, an empty text switches the check of the broker's name off.
    if not rest.get("ssl.endpoint.identification.algorithm", "none").strip():
        found["ssl.endpoint.identification.algorithm"] = "none"
        del rest["ssl.endpoint.identification.algorithm"]
    for name in found.keys() & rest.keys():
        raise ValueError(
            f"option kafka.{name} is given twice: also as a property of Java's clients"
        )
    return {**rest, **found}


def _trust_store(rest: dict[str, str]) -> dict[str, str]:
    """Take the properties of the trust store, a PEM file or certificates as text."""
    location = rest.pop("ssl.truststore.location", None)
    kind = _kind(rest, "ssl.truststore", location)
    password = rest.pop("ssl.truststore.password", None)
    if location is None:
        return {}
    if kind != "PEM":
        what = _JKS if kind == "JKS" else "OpenSSL reads no PKCS#12 trust store"
        raise ValueError(f"option kafka.ssl.truststore.location: {_TO_PEM.format(what=what)}")
    if password is not None:
        raise ValueError("option kafka.ssl.truststore.password: a PEM file has none, leave it out")
    return {"ssl.ca.location": location}


def _key_store(rest: dict[str, str]) -> dict[str, str]:
    """Take the properties of the key store: PKCS#12, or a PEM file of key and certificates."""
    location = rest.pop("ssl.keystore.location", None)
    kind = _kind(rest, "ssl.keystore", location)
    if location is None:
        return {}
    if kind == "JKS":
        raise ValueError(f"option kafka.ssl.keystore.location: {_TO_PKCS12}")
    if kind == "PEM":
        return {"ssl.certificate.location": location, "ssl.key.location": location}
    return {"ssl.keystore.location": location}


def _kind(rest: dict[str, str], store: str, location: str | None) -> str:
    """Take the type of a store: as given, or from its file's name; JKS is the default."""
    endings = {"pem": "PEM", "crt": "PEM", "p12": "PKCS12", "pfx": "PKCS12"}
    guess = endings.get((location or "").rpartition(".")[2].lower(), "JKS")
    kind = rest.pop(f"{store}.type", guess).strip().upper()
    if kind not in ("PEM", "PKCS12", "JKS"):
        raise ValueError(f"option kafka.{store}.type: {kind!r} is none of PEM, PKCS12 and JKS")
    return kind


def _jaas(rest: dict[str, str]) -> dict[str, str]:
    """Take the credentials out of ``sasl.jaas.config``."""
    text = rest.pop("sasl.jaas.config", None)
    if text is None:
        return {}
    module, settings = _login(text)
    if module == "OAuthBearerLoginModule":
        names = {
            "clientId": "sasl.oauthbearer.client.id",
            "clientSecret": "sasl.oauthbearer.client.secret",
            "scope": "sasl.oauthbearer.scope",
        }
        required = {"clientId", "clientSecret"}
        found = {"sasl.oauthbearer.method": "oidc"}
    else:
        names = {"username": "sasl.username", "password": "sasl.password"}
        required = set(names)
        found = {}
    wrong = (required - settings.keys()) or (settings.keys() - names.keys())
    for name in sorted(wrong):
        problem = "is missing" if name in required else "is not known here"
        raise ValueError(f"option kafka.sasl.jaas.config: {name} of {module} {problem}")
    return found | {names[name]: value for name, value in settings.items()}


def _login(text: str) -> tuple[str, dict[str, str]]:
    """Return the name of the login module, without its package, and its settings."""
    match = _MODULE.fullmatch(text)
    if match is None:
        raise ValueError(
            'option kafka.sasl.jaas.config is not of the form MODULE required name="value" ...;'
        )
    module, rest = match.groups()
    if module not in _LOGIN_MODULES:
        raise ValueError(
            f"option kafka.sasl.jaas.config: {module} is not supported, only "
            f"{', '.join(_LOGIN_MODULES)}; Kerberos has the properties kafka.sasl.kerberos.*"
        )
    settings: dict[str, str] = {}
    while match := _SETTING.match(rest):
        name, double, single, bare = match.groups()
        quoted = double if double is not None else single
        settings[name] = bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        rest = rest[match.end() :]
    if rest.strip() != ";":
        raise ValueError(
            'option kafka.sasl.jaas.config: expected name="value" ... and a semicolon after '
            + (" and ".join(settings) or module)
        )
    return module, settings
