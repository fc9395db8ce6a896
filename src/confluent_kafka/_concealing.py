"""Hide passwords in texts for people: Spark's plans and errors contain a pipeline's settings."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

_SHOWN = "*****"

# Tables whose keys are names that the author chose, and texts that are not settings.
_NAMED = frozenset({".sources", ".steps", ".sinks"})
_NO_SETTINGS = frozenset({"sql", "schema"})

# A shorter line of a PEM key could also be part of another text.
_LONG_LINE = 12

# A smaller number is not a password, and occurs in many texts.
_LONG_NUMBER = 1000

# Names of settings whose values are secrets: those of spark.redaction.regex, and further ones of
# Kafka's clients, registries, JDBC drivers and cloud storage. A path to a key is not a secret.
_SECRET_NAME = re.compile(
    r"secret|passw|passphrase|\bpwd\b|\bpass\b|token|credential|jaas|oauthbearer\.config"
    r"|access.?key|account.?key|api.?key|keystore\.key$|truststore\.certificates$|key\.pem|user\.info"
    r"|private[._-]?key(?!\.(file|location))|\bsas\b|^sig$|signature$|redis\.auth$|authorization",
    re.IGNORECASE,
)

# Values that contain secrets, whatever the name of their setting: the user and password of a URL
# (https://user:password@host) or a token in their place, the password of Oracle's
# jdbc:oracle:thin:user/password@host, and parameters of URLs, JDBC drivers, JAAS and key=value
# lists. Other schemes have a name before a single @: abfss://container@account.
_USER_INFO = re.compile(
    r"//([^/@:\s]*:([^@\s]+))@|https?://([^/@:\s]+)@|:(?:thin|oci8?):[^/@\s]+/([^@\s]+)@"
)
_PARAMETER = re.compile(
    r"""([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(?=([^&;,\s"']+))[^&;,\s"'(]*)"""
)

# The scheme of an Authorization header.
_AUTHORIZATION = re.compile(r"^(basic|bearer|token)\s+", re.IGNORECASE)


def conceal(text: str, *settings: Any) -> str:
    """Return a text in which asterisks replace the secrets of some settings.

    A secret is the value of a setting with a name such as password or token. Secrets are also the
    user and password in a URL, and the parameters of URLs, JDBC addresses and JAAS texts that have
    such a name.

    Args:
        text: the text, such as an error or a plan of Spark.
        *settings: pipelines, other dataclasses of the model, or mappings, also nested ones.
    """
    secrets = {form for one in settings for secret in _secrets("", one) for form in _forms(secret)}
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, _SHOWN)
    return text


def _secrets(name: str, given: Any) -> Iterator[str]:
    if isinstance(given, str):
        yield from _in_value(name, given)
    elif isinstance(given, int) and given >= _LONG_NUMBER:
        yield from _in_value(name, str(given))
    elif isinstance(given, Mapping):
        for key, one in given.items():
            # A source can have the name "tokens", and SQL can compare a column of that name.
            if key not in _NO_SETTINGS:
                yield from _secrets("" if name in _NAMED else f"{name}.{key}", one)
    elif isinstance(given, list | tuple):
        for one in given:
            yield from _secrets(name, one)
    elif dataclasses.is_dataclass(given):
        table = {one.name: getattr(given, one.name) for one in dataclasses.fields(given)}
        yield from _secrets(name, table)


def _in_value(name: str, value: str) -> Iterator[str]:
    if _SECRET_NAME.search(name):
        yield value
        if "user.info" in name:
            yield value.partition(":")[2]
        yield _AUTHORIZATION.sub("", value)
    for found in _USER_INFO.finditer(value):
        yield from filter(None, found.groups())
    for parameter, *forms in _PARAMETER.findall(value):
        if _SECRET_NAME.search(parameter):
            yield "".join(forms)
            yield forms[-1].partition(")")[0]  # MySQL's (password=...)


def _forms(secret: str) -> Iterator[str]:
    """Yield the ways in which a secret can be written. An empty text is not a secret."""
    if secret.strip():
        decoded = unquote(secret)
        one_line = " ".join(secret.split())
        yield from (secret, decoded, quote(decoded, safe=""), one_line)
        yield from (repr(secret)[1:-1], json.dumps(secret)[1:-1])
        # Spark prints the lines of a PEM key one by one.
        yield from (line for line in secret.splitlines() if len(line) >= _LONG_LINE)
