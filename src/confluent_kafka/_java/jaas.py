"""The credentials of a JAAS configuration: ``MODULE required name="value" ...;``."""

from __future__ import annotations

import re

_PASSWORD = {"username": "sasl.username", "password": "sasl.password"}
_OAUTH = {
    "clientId": "sasl.oauthbearer.client.id",
    "clientSecret": "sasl.oauthbearer.client.secret",
    "scope": "sasl.oauthbearer.scope",
}
_LOGIN_MODULES = ("PlainLoginModule", "ScramLoginModule", "OAuthBearerLoginModule")
_MODULE = re.compile(
    r"\s*(?:[\w.]+\.)?(\w+)\s+(?i:required|requisite|sufficient|optional)\b(.*)", re.DOTALL
)
_SETTING = re.compile(
    r"""\s*([\w.]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))"""
)
# The claims of a token without a signature, which brokers accept only in tests.
_UNSECURED = {
    "unsecuredLoginStringClaim_sub": "principal",
    "unsecuredLoginLifetimeSeconds": "lifeSeconds",
}
_EXTENSION = "extension_"


def login_of(text: str, has_client: bool = False) -> dict[str, str]:
    """Return librdkafka's properties for a JAAS configuration.

    Args:
        text: the configuration.
        has_client: whether other properties contain the client's credentials for the identity
            provider.

    Raises:
        ValueError: it cannot be used. The text follows the name of the property, has ``{}`` before
            the names of other properties, and contains no value.
    """
    module, settings = _parsed(text)
    if module == "OAuthBearerLoginModule":
        return _oauth(module, settings, has_client)
    if module == "ScramLoginModule" and settings.pop("tokenauth", "false").lower() == "true":
        raise ValueError(
            ": librdkafka cannot log in with a delegation token (tokenauth). Use the user name and "
            "the password of an account"
        )
    _check(module, settings, set(_PASSWORD), set(_PASSWORD))
    return {_PASSWORD[name]: value for name, value in settings.items()}


def _oauth(module: str, settings: dict[str, str], has_client: bool) -> dict[str, str]:
    """Return the properties for tokens of an identity provider, or for tokens of tests."""
    if settings.keys() & _UNSECURED.keys():
        _check(module, settings, {"unsecuredLoginStringClaim_sub"}, set(_UNSECURED))
        config = " ".join(f"{_UNSECURED[name]}={value}" for name, value in settings.items())
        return {
            "enable.sasl.oauthbearer.unsecure.jwt": "true",
            "sasl.oauthbearer.config": config,
        }
    extensions = {
        name.removeprefix(_EXTENSION): settings.pop(name)
        for name in list(settings)
        if name.startswith(_EXTENSION)
    }
    required = set() if has_client else {"clientId", "clientSecret"}
    _check(module, settings, required, set(_OAUTH))
    found = {"sasl.oauthbearer.method": "oidc"}
    if extensions:
        texts = [f"{name}={value}" for name, value in extensions.items()]
        found["sasl.oauthbearer.extensions"] = ",".join(texts)
    return found | {_OAUTH[name]: value for name, value in settings.items()}


def _check(module: str, settings: dict[str, str], required: set[str], known: set[str]) -> None:
    for name in sorted((required - settings.keys()) or (settings.keys() - known)):
        problem = "is missing" if name in required else "is not known here"
        raise ValueError(f": {name} of {module} {problem}")


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    """Return the name of the login module, without its package, and its settings."""
    match = _MODULE.fullmatch(text)
    if match is None:
        raise ValueError(' is not of the form MODULE required name="value" ...;')
    module, rest = match.groups()
    if module not in _LOGIN_MODULES:
        raise ValueError(
            f": {module} is not supported, only {', '.join(_LOGIN_MODULES)}; Kerberos has the "
            "properties {}sasl.kerberos.*"
        )
    settings: dict[str, str] = {}
    while match := _SETTING.match(rest):
        name, double, single, bare = match.groups()
        quoted = double if double is not None else single
        settings[name] = bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        rest = rest[match.end() :]
    if rest.strip() != ";":
        raise ValueError(
            ': expected name="value" ... and a semicolon after '
            + (" and ".join(settings) or module)
        )
    return module, settings
