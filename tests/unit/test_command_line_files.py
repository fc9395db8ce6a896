"""-F reads configuration files of Java's clients, of librdkafka and of kcat."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

import click

from confluent_kafka._java import java_lines
from confluent_kafka.cli.connection.config_files import read
from tests.support.command_line import run, words
from tests.support.scripts import check_script
from tests.support.secrets import secret

PASSWORD = secret("file")
MODULE = "org.apache.kafka.common.security"


def file_of(folder: Path, text: str, kind: str = "") -> Path:
    file = folder / "client.properties"
    file.write_bytes(text.encode("latin-1"))
    return Path(f"{kind}{file}")


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("a=b", "a", "b"),
        ("a:b", "a", "b"),
        ("a b", "a", "b"),
        ("  a = b ", "a", "b "),
        ("a==b", "a", "=b"),
        ("a", "a", ""),
        (r"a\=c=b", "a=c", "b"),
        (r"a=\u00e9\t\\n", "a", "\xe9\t\\n"),
        (r"a=\q", "a", "q"),
        ("a=b\\\n   c", "a", "bc"),
        ("a=b\\\r\nc", "a", "bc"),
        ("a=b\\", "a", "b"),
        ("a=b\\\\", "a", "b\\"),
        ("a=b#c", "a", "b#c"),
    ],
)
def test_java_syntax(line: str, key: str, value: str) -> None:
    """A file of properties is read as Java reads it."""
    assert list(java_lines(f"# x\n! y\n\n{line}")) == [(4, key, value)]


def test_a_wrong_escape() -> None:
    """The error names the line, and does not repeat it."""
    with pytest.raises(ValueError, match=r"line 2: .*four hexadecimal") as failure:
        list(java_lines(f"a=b\nc={PASSWORD}\\u12"))
    assert PASSWORD not in str(failure.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n"
            f"sasl.jaas.config={MODULE}.plain.PlainLoginModule required \\\n"
            f'    username="alice" \\\n    password="{PASSWORD}";\n',
            {
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "alice",
                "sasl.password": PASSWORD,
            },
        ),
        (
            f"sasl.jaas.config: {MODULE}.scram.ScramLoginModule required username='a' "
            f"password='{PASSWORD}' tokenauth=false;",
            {"sasl.username": "a", "sasl.password": PASSWORD},
        ),
        (
            f"sasl.login.callback.handler.class={MODULE}.oauthbearer.OAuthBearerLoginCallbackHandler\n"
            f"sasl.jaas.config={MODULE}.oauthbearer.OAuthBearerLoginModule required "
            f"clientId=me clientSecret='{PASSWORD}' extension_logicalCluster=lkc-1;",
            {
                "sasl.oauthbearer.method": "oidc",
                "sasl.oauthbearer.client.id": "me",
                "sasl.oauthbearer.client.secret": PASSWORD,
                "sasl.oauthbearer.extensions": "logicalCluster=lkc-1",
            },
        ),
        (
            "sasl.jaas.config=OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=me;",
            {
                "enable.sasl.oauthbearer.unsecure.jwt": "true",
                "sasl.oauthbearer.config": "principal=me",
            },
        ),
        (
            "ssl.truststore.location=/ca.pem\nssl.truststore.type=PEM\n"
            "ssl.endpoint.identification.algorithm=\n",
            {"ssl.ca.location": "/ca.pem", "ssl.endpoint.identification.algorithm": "none"},
        ),
        (
            f"ssl.keystore.type=PKCS12\nssl.keystore.location=/k\nssl.keystore.password={PASSWORD}",
            {"ssl.keystore.location": "/k", "ssl.keystore.password": PASSWORD},
        ),
        (
            "key.serializer=x\npartition.assignment.strategy=\\\n"
            "  org.apache.kafka.clients.consumer.CooperativeStickyAssignor\n"
            "auto.offset.reset=none\nrequest.timeout.ms=9000\n",
            {
                "partition.assignment.strategy": "cooperative-sticky",
                "auto.offset.reset": "error",
                "socket.timeout.ms": "9000",
            },
        ),
        ("bootstrap.servers: a:9092\n", {"bootstrap.servers": "a:9092"}),
        ("! mine\nlinger.ms = 5", {"linger.ms": "5"}),
        # files of librdkafka and kcat
        ("bootstrap.servers = a:1\n # b\n", {"bootstrap.servers": "a:1"}),
        (f"sasl.password={PASSWORD}\\t\n", {"sasl.password": f"{PASSWORD}\\t"}),
        (
            "metadata.broker.list=a:1\nrequest.timeout.ms=1",
            {"metadata.broker.list": "a:1", "request.timeout.ms": "1"},
        ),
    ],
)
def test_a_file(
    text: str, found: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command finds out by itself whether a file is for Java's clients or for librdkafka."""
    assert read(file_of(tmp_path, text)) == found
    assert PASSWORD not in capsys.readouterr().err


def test_what_a_java_client_ignores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Java's clients ignore properties that they do not have, and so does the command, without a
    word. A mark of the editor at the beginning of the file does not matter."""
    given = (
        "key.serializer=x\nvalue.deserializer=x\nmax.poll.records=5\nmy.own=1\n"
        "sasl.login.refresh.window.factor=0.8\nsasl.oauthbearer.expected.audience=kafka\n"
    )
    file = file_of(tmp_path, f"\xef\xbb\xbfbootstrap.servers=a:1\n{given}")
    assert read(file) == {"bootstrap.servers": "a:1"}
    assert capsys.readouterr().err == ""


def test_one_remark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line names the properties without which the connection can be less protected."""
    given = "key.serializer=x\nssl.enabled.protocols=TLSv1.3\ninterceptor.classes=a.Encrypting\n"
    file = file_of(tmp_path, f"bootstrap.servers=a:1\n{given}")
    assert read(file) == {"bootstrap.servers": "a:1"}
    assert capsys.readouterr().err == (
        f"note: {file}: ssl.enabled.protocols, interceptor.classes can protect the connection or "
        "the messages of Java's clients, and has no effect here\n"
    )


@pytest.mark.parametrize("name", ["ssl.endpoint.identification.algoritm", "security.protokol"])
def test_a_mistake_in_a_security_property(name: str, tmp_path: Path) -> None:
    """It is not ignored: the connection would be another one than the user wants."""
    file = file_of(tmp_path, f"bootstrap.servers=a:1\nkey.serializer=x\n{name}=x\n")
    done = run("topics", "list", "-F", str(file))
    assert done.status == 2
    assert f'No such configuration property: "{name}" (did you mean' in words(done.stderr)


RETRIEVER = f"sasl.oauthbearer.jwt.retriever.class={MODULE}.oauthbearer"
HANDLER = (
    f"sasl.login.callback.handler.class={MODULE}.oauthbearer.OAuthBearerLoginCallbackHandler\n"
)


@pytest.mark.parametrize(
    "text",
    [
        HANDLER,
        f"sasl.jaas.config={MODULE}.oauthbearer.OAuthBearerLoginModule required;\n",
        f"{HANDLER}sasl.jaas.config={MODULE}.oauthbearer.OAuthBearerLoginModule required;\n",
        f"{HANDLER}{RETRIEVER}.DefaultJwtRetriever\n",
    ],
)
def test_an_identity_provider_without_jaas(text: str, tmp_path: Path) -> None:
    """Since Java's version 4.1, the client's id can be outside of sasl.jaas.config (KIP-1139)."""
    credentials = {
        "sasl.oauthbearer.client.credentials.client.id": "me",
        "sasl.oauthbearer.client.credentials.client.secret": PASSWORD,
    }
    lines = "".join(f"{name}={value}\n" for name, value in credentials.items())
    assert read(file_of(tmp_path, text + lines)) == {
        "sasl.oauthbearer.method": "oidc",
        **credentials,
    }


def test_an_assertion(tmp_path: Path) -> None:
    """Java's class for assertions becomes the type of grant."""
    text = (
        f"{HANDLER}{RETRIEVER}.JwtBearerJwtRetriever\n"
        "sasl.oauthbearer.assertion.private.key.file=/k\n"
        "sasl.oauthbearer.assertion.template.file=/t\n"
    )
    assert read(file_of(tmp_path, text)) == {
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.grant.type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "sasl.oauthbearer.assertion.private.key.file": "/k",
        "sasl.oauthbearer.assertion.jwt.template.file": "/t",
    }


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("bootstrap.servers=a:1\nrequest.timeout.ms=5", " in request.timeout.ms"),
        ("bootstrap.servers=a:1\nclient.id=a\\b", " in client.id"),
        ("ssl.keystore.location=/k", ""),
    ],
)
def test_no_guess(text: str, where: str, tmp_path: Path) -> None:
    """If Java's clients and librdkafka read a file differently, the error shows how to choose."""
    file = file_of(tmp_path, text)
    with pytest.raises(click.BadParameter) as failure:
        read(file)
    assert f"differently{where}. Say which" in failure.value.message
    assert f"-F java:{file} or -F librdkafka:{file}" in failure.value.message


def test_the_kind_is_given(tmp_path: Path) -> None:
    """A prefix of the path, java: or librdkafka:, names the kind of the file."""
    text = "client.id=a\\b\nrequest.timeout.ms=5"
    java = {"client.id": "ab", "socket.timeout.ms": "5"}
    assert read(file_of(tmp_path, text, "java:")) == java
    ours = {"client.id": "a\\b", "request.timeout.ms": "5"}
    assert read(file_of(tmp_path, text, "librdkafka:")) == ours


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ssl.truststore.location={jks}", "property ssl.truststore.location: a Java key store"),
        ("ssl.truststore.location={jks}", "give that as ssl.ca.location"),
        ("ssl.keystore.location={jks}\nkey.serializer=x", "turn it into PKCS#12"),
        ("ssl.truststore.location=/t.jks", "location: /t.jks cannot be read (No such file"),
        ("ssl.truststore.location=/t.p12", "location: /t.p12 cannot be read (No such file"),
        ("ssl.keystore.location=/t.jks\nkey.serializer=x", "/t.jks cannot be read (No such file"),
        ("ssl.truststore.location=/\nkey.serializer=x", "/ cannot be read (Is a directory)"),
        (
            "key.serializer=x\nssl.cipher.suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "openssl ciphers -stdname ALL shows the name for TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        ),
        (f"{RETRIEVER}.FileJwtRetriever", "names a Java class that has no counterpart here"),
        ("sasl.login.callback.handler.class=com.acme.Handler", "it names a Java class"),
        ("\xff\xfeb=1", "not UTF-8"),
        ("sasl.jaas.config=x", "property sasl.jaas.config is not of the form"),
        (
            "sasl.jaas.config=ScramLoginModule required username=a password=b tokenauth=true;",
            "cannot log in with a delegation token",
        ),
        ("config.providers=vault", "property config.providers cannot be given"),
        (
            "max.poll.records=1\npartition.assignment.strategy=a.StickyAssignor",
            "partition.assignment.strategy: librdkafka has RangeAssignor",
        ),
    ],
)
def test_what_cannot_work(text: str, problem: str, tmp_path: Path) -> None:
    """The error of a command says which property, why, and what to do instead."""
    jks = tmp_path / "store.jks"
    jks.write_bytes(b"\xfe\xed\xfe\xed\0\0\0\2")
    file = file_of(tmp_path, text.replace("{jks}", str(jks)))
    done = run("topics", "list", "-F", str(file))
    assert (done.status, done.stdout) == (2, b"")
    assert problem in words(done.stderr)


def test_a_file_that_is_missing() -> None:
    """The error contains the path without the prefix that names the kind."""
    done = run("topics", "list", "-F", "java:nowhere")
    assert "'nowhere' does not exist" in done.stderr


def test_a_registry_needs_its_extra() -> None:
    """Without httpx, the error names the extra to install."""
    shown = check_script("""
    import io, sys

    sys.modules["httpx"] = None
    from confluent_kafka.__main__ import main

    sys.argv[1:] = ["registry", "subjects", "--registry", "http://localhost:1"]
    stderr, sys.stderr = sys.stderr, io.StringIO()
    try:
        main()
    except SystemExit as end:
        print(end.code, sys.stderr.getvalue())
    sys.stderr = stderr
    """)
    assert shown.startswith("1 error: registry needs the extra [schemaregistry]: pip install")
