"""Profiles of clusters: the file, the secrets, and the protection of production clusters."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

import click

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.connection import profile_file, profile_secrets
from confluent_kafka.cli.connection.chosen_profile import when
from confluent_kafka.cli.connection.profile_secrets import Reference
from confluent_kafka.cli.connection.settings import Connection, File, settings
from confluent_kafka.cli.shell.command import Command
from tests.support.command_line import Ended, run, words
from tests.support.kafka import NO_BROKER
from tests.support.secrets import reveals, secret

PASSWORD = secret("profile")
TEXT = f"""
[prod]
production = true
bootstrap.servers = ["a:9092", "b:9092"]
security.protocol = "SASL_SSL"
sasl.username = "me"
sasl.password = "{PASSWORD}"
enable.idempotence = true
linger.ms = 5

[prod.registry]
url = "https://me:{PASSWORD}@registry:8081"
basic.auth.user.info = {{ env = "REGISTRY_USER" }}

[test]
"bootstrap.servers" = "{NO_BROKER}"
"""


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "profiles.toml"
    path.write_text(TEXT)
    monkeypatch.setenv("KAFKA_PROFILES", str(path))
    for name in ("KAFKA_PROFILE", "KAFKA_CONFIG_FILE", "KAFKA_BOOTSTRAP_SERVERS"):
        monkeypatch.delenv(name, raising=False)
    return path


def configured(*arguments: str, environment: dict[str, str] | None = None) -> dict[str, Any]:
    """The configuration that a command with these options gets, without the logger."""
    found: dict[str, Any] = {}

    def command(connection: Connection) -> None:
        found.update(settings(connection))

    with pytest.MonkeyPatch.context() as patch:
        for name, value in (environment or {}).items():
            patch.setenv(name, value)
        Command("command", command).main(arguments, standalone_mode=False)
    del found["logger"]
    return found


def test_properties_of_a_profile() -> None:
    """-C, --profile and KAFKA_PROFILE give a command the properties of a profile. TOML keys with
    dots need no quotes, and lists become text with commas."""
    wanted = {
        "bootstrap.servers": "a:9092,b:9092",
        "security.protocol": "SASL_SSL",
        "sasl.username": "me",
        "sasl.password": PASSWORD,
        "enable.idempotence": "true",
        "linger.ms": "5",
    }
    assert configured("-C", "prod") == wanted
    assert configured("--profile", "prod") == wanted
    assert configured(environment={"KAFKA_PROFILE": "prod"}) == wanted
    assert configured("-C", "test") == {"bootstrap.servers": NO_BROKER}
    assert configured("-C", "test", "-X", "linger.ms=7", "-b", "c:1") == {
        "bootstrap.servers": "c:1",
        "linger.ms": "7",
    }


def test_profile_or_file(tmp_path: Path) -> None:
    """The command line takes precedence over the environment. A profile with a file is refused."""
    other = tmp_path / "other.properties"
    other.write_text("bootstrap.servers=other:1")
    file, profile = {"KAFKA_CONFIG_FILE": str(other)}, {"KAFKA_PROFILE": "prod"}
    test = {"bootstrap.servers": NO_BROKER}
    assert configured("-C", "test", environment=file) == test
    assert configured("-F", str(other), environment=profile) == {"bootstrap.servers": "other:1"}
    assert configured("-C", "test", environment=profile) == test
    with pytest.raises(click.BadParameter, match="cannot be combined with --config-file"):
        configured("-C", "test", "-F", str(other))
    with pytest.raises(click.BadParameter, match="cannot be combined with KAFKA_CONFIG_FILE"):
        configured(environment=file | profile)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("prot", "there is no profile 'prot' in {file}: did you mean 'prod'?"),
        ("zzz", "there is no profile 'zzz' in {file}: the profiles are prod, test"),
    ],
)
def test_an_unknown_profile(text: str, problem: str, file: Path) -> None:
    """The error names the file, and the nearest profile or all profiles."""
    for arguments in (["topics", "list", "-C", text], ["profiles", "show", text]):
        done = run(*arguments)
        assert done.status == 2
        assert problem.format(file=file) in words(done.stderr)


def test_no_file(file: Path) -> None:
    """Without a file there are no profiles. A note tells a new user where the file belongs."""
    file.unlink()
    done = run("profiles", "list")
    assert (done.status, done.stdout) == (0, b"profile\tproduction\tbrokers\tregistry\n")
    assert done.stderr == f"note: {file} does not exist or has no profile\n"
    done = run("topics", "list", "-C", "prod")
    assert "the file does not exist or is empty" in words(done.stderr)


def test_where_the_file_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The file is below $XDG_CONFIG_HOME or ~/.config, or %APPDATA% on Windows. KAFKA_PROFILES can
    name another file on all systems."""
    monkeypatch.delenv("KAFKA_PROFILES")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert profile_file.location() == tmp_path / "confluent-kafka" / "profiles.toml"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert profile_file.location() == tmp_path / ".config/confluent-kafka/profiles.toml"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("APPDATA", str(tmp_path / "roaming"))
    assert profile_file.location() == tmp_path / "roaming/confluent-kafka/profiles.toml"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"[a]\nx = {PASSWORD}", "not TOML (at line 2"),
        (f'a = "{PASSWORD}"', "a must be a table: write [a]"),
        (f'[a]\nproduction = "{PASSWORD}"', "profile 'a': production must be true or false"),
        (f'[a]\nregistry = "{PASSWORD}"', "registry must be a table: write [a.registry]"),
        (f'[a]\nx.y = ["{PASSWORD}", 1]', "x.y must be a string, a number"),
        (f'[a]\nx.y = {{env = ["{PASSWORD}"]}}', 'x.y needs {env = "NAME"}'),
        (f'[a]\nx.y = {{command = "{PASSWORD}"}}', 'x.y needs {command = ["PROGRAM", "ARG'),
        ("[a]\nx.y = {command = []}", "x.y needs {command ="),
        (f'[a]\nx.y = {{keyring = ["{PASSWORD}"]}}', 'x.y needs {keyring = ["SERVICE", "USER"]}'),
        (
            f'[a]\nsasl.password = {{envir = "{PASSWORD}"}}',
            'sasl.password needs a text, or one of {env = "NAME"}, {command = ',
        ),
        (f'[a]\nsasl.password = {{comand = ["{PASSWORD}"]}}', "did you mean 'command'?"),
    ],
)
def test_a_wrong_file(text: str, problem: str, file: Path) -> None:
    """The error names the file and what is wrong, and contains no value."""
    file.write_text(text)
    done = run("profiles", "list")
    assert done.status == 2
    assert len(done.stdout.splitlines()) <= 1  # the names of the columns
    assert problem in words(done.stderr)
    assert str(file) in done.stderr
    assert not reveals(done.stderr)


def test_a_wrong_profile_does_not_disturb_the_others(file: Path) -> None:
    """Commands use the other profiles, and the list shows them before the error."""
    file.write_text(TEXT + "[bad]\nproduction = 1\n")
    assert profile_file.properties_of("test") == {"bootstrap.servers": NO_BROKER}
    done = run("profiles", "list")
    assert done.status == 2
    assert [line.split(b"\t")[0] for line in done.stdout.splitlines()] == [
        b"profile",
        b"prod",
        b"test",
    ]
    assert "profile 'bad': production must be true or false" in words(done.stderr)
    assert run("profiles", "show", "bad").status == 2


def test_a_mark_of_an_editor(file: Path) -> None:
    """Some editors begin a file of UTF-8 with a mark. It does not matter."""
    file.write_text(TEXT, encoding="utf-8-sig")
    assert profile_file.properties_of("test") == {"bootstrap.servers": NO_BROKER}


def test_an_empty_name() -> None:
    """A variable of a script that is empty must not choose another cluster."""
    done = run("topics", "list", "-C", "", environment={"KAFKA_BOOTSTRAP_SERVERS": "x:1"})
    assert (done.status, done.stdout) == (2, b"")
    assert "--profile: must not be empty" in done.stderr


def test_misspelt_brokers(file: Path) -> None:
    """The error of a command without brokers names the property that is probably meant."""
    file.write_text('[a]\nbootstrap.server = "x:1"')
    done = run("topics", "list", "-C", "a")
    assert done.status == 2
    problem = "there is no property bootstrap.server: did you mean 'bootstrap.servers'?"
    assert problem in words(done.stderr)


def python(program: str) -> Reference:
    return Reference("command", (sys.executable, "-c", program))


def test_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret comes from the environment, or from a program that is started without a shell."""
    monkeypatch.setenv("SECRET", PASSWORD)
    assert profile_secrets.resolved("k", Reference("env", ("SECRET",))) == PASSWORD
    assert profile_secrets.resolved("k", python("print('a b $HOME')")) == "a b $HOME"
    lines = python("print('a'); print('b')")
    assert profile_secrets.resolved("ssl.key.pem", lines).split() == ["a", "b"]


class DBusError(Exception):
    """An error of the system, as some kinds of keyrings raise it."""


def test_a_secret_of_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret comes from the keyring of the system."""
    keyring = pytest.importorskip("keyring", reason="the extra [keyring] is not installed")
    errors = pytest.importorskip("keyring.errors")

    def found(service: str, user: str) -> str | None:
        if service == "locked":
            raise errors.KeyringLocked(PASSWORD)
        if service == "broken":
            raise DBusError(PASSWORD)
        if service == "nowhere":
            raise errors.NoKeyringError(PASSWORD)
        return {("kafka", "me"): PASSWORD}.get((service, user))

    monkeypatch.setattr(keyring, "get_password", found)
    assert profile_secrets.resolved("k", Reference("keyring", ("kafka", "me"))) == PASSWORD
    with pytest.raises(ValueError, match="k: the keyring has no password of 'you' for 'kafka'"):
        profile_secrets.resolved("k", Reference("keyring", ("kafka", "you")))
    with pytest.raises(ValueError, match=r"cannot be read: KeyringLocked$"):
        profile_secrets.resolved("k", Reference("keyring", ("locked", "me")))
    with pytest.raises(ValueError, match=r"cannot be read: DBusError$"):
        profile_secrets.resolved("k", Reference("keyring", ("broken", "me")))
    with pytest.raises(ValueError, match=r'this system has no keyring: use {env = "NAME"}'):
        profile_secrets.resolved("k", Reference("keyring", ("nowhere", "me")))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra that reads the keyring."""
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ValueError, match=r"needs the extra \[keyring\]"):
        profile_secrets.resolved("k", Reference("keyring", ("kafka", "me")))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (Reference("env", ("NOT_SET_ANYWHERE",)), "variable NOT_SET_ANYWHERE is not set"),
        (Reference("command", ("no-such-program", PASSWORD)), "no-such-program cannot be run: No"),
        (python(f"print('{PASSWORD}'); exit(3)"), "ended with status 3"),
        (python(f"import sys; sys.exit('{PASSWORD}')"), "ended with status 1"),
        (python("pass"), "printed nothing"),
        (
            python(f"print('{PASSWORD}'); print('user: me')"),
            "has more than one line, and the secret is one line",
        ),
        (Reference("env", ("EMPTY",)), "variable EMPTY is empty"),
        (python("import sys; sys.stdout.buffer.write(b'\\xff')"), "did not print UTF-8"),
        (python("import time; time.sleep(60)"), "did not end within 0 s"),
    ],
)
def test_a_secret_that_is_missing(
    value: Reference,
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The error names the property and the reason, and nothing shows what a program printed."""
    monkeypatch.setenv("EMPTY", "")
    if "time.sleep" in value.words[-1]:
        monkeypatch.setattr(profile_secrets, "_TIMEOUT", 0.2)
    with pytest.raises(ValueError, match=f"^sasl.password: .*{problem}") as failure:
        profile_secrets.resolved("sasl.password", value)
    assert not reveals(str(failure.value))
    assert not reveals("".join(capfd.readouterr()))


def test_an_error_of_a_secret(file: Path) -> None:
    """The error is a usage error (status 2), and names the profile."""
    file.write_text('[a]\nbootstrap.servers = "x:1"\nsasl.password = {env = "NOT_SET_ANYWHERE"}')
    done = run("topics", "list", "-C", "a")
    assert done.status == 2
    assert "profile 'a': sasl.password: the environment variable NOT_SET" in words(done.stderr)


def test_what_is_shown() -> None:
    """`profiles list` and `profiles show` do not show secrets, and do not look them up."""
    assert run("profiles", "list").stdout.decode() == (
        "profile\tproduction\tbrokers\tregistry\n"
        "prod\tyes\ta:9092,b:9092\thttps://*****@registry:8081\n"
        f"test\tno\t{NO_BROKER}\t-\n"
    )
    shown = run("profiles", "show", "prod").stdout.decode()
    assert not reveals(shown)
    assert "sasl.password\t*****\n" in shown
    assert "sasl.username\tme\n" in shown
    assert "registry.basic.auth.user.info\t(env: REGISTRY_USER)\n" in shown
    lines = run("profiles", "show", "prod", "--json").stdout.splitlines()
    assert json.loads(lines[0]) == {"property": "production", "value": "true"}


def test_the_arguments_of_a_program_are_not_shown(file: Path) -> None:
    """`profiles show` hides the arguments of a program, which can contain a secret."""
    file.write_text(f'[a]\nsasl.password = {{command = ["vault", "{PASSWORD}"]}}')
    shown = run("profiles", "show", "a").stdout.decode()
    assert "sasl.password\t(command: vault)\n" in shown
    assert not reveals(shown)


def deleting(*arguments: str) -> Ended:
    """The result of a command that deletes, on a cluster that cannot be reached."""
    return run("topics", "delete", "t", "--timeout", "0.1", "-b", NO_BROKER, *arguments)


def test_production() -> None:
    """A deletion on a production cluster needs --yes-really NAME, in addition to --yes."""
    done = deleting("-C", "prod", "--yes")
    assert done.status == 2
    wanted = "profile 'prod' is a production cluster: also give --yes-really prod"
    assert wanted in words(done.stderr)
    assert deleting("-C", "prod", "--yes", "--yes-really", "test").status == 2
    done = deleting("-C", "prod", "--yes-really", "prod")
    assert "--yes: is required without a terminal" in done.stderr
    assert deleting("-C", "test", "--yes").status == 1  # no broker answers


def test_another_name() -> None:
    """--yes-really must name the profile in use, even if it is not a production cluster."""
    done = deleting("-C", "test", "--yes", "--yes-really", "prod")
    assert done.status == 2
    assert "'prod' is not the profile in use, which is 'test'" in words(done.stderr)


def test_without_a_profile() -> None:
    """--yes-really without a profile is an error: the user expects it to check something."""
    done = deleting("--yes", "--yes-really", "prod")
    assert done.status == 2
    assert words(done.stderr).startswith(
        "error: --yes-really: needs a profile: choose it with -C prod Try "
    )


def test_production_plans() -> None:
    """--execute carries out a plan, so it needs --yes-really NAME. Showing a plan does not."""
    done: list[bool] = []

    def command(
        config_file: File = None,
        execute: Annotated[bool, option("--execute", help="Do it.")] = False,
    ) -> None:
        done.append(execute)

    plan = Command("plan", command, changes=when("execute"))
    plan.main(["-C", "prod"], standalone_mode=False)
    with pytest.raises(click.BadParameter, match="also give --yes-really prod") as refused:
        plan.main(["-C", "prod", "--execute"], standalone_mode=False)
    assert refused.value.ctx is not None  # so that the error ends with "Try '... --help'"
    plan.main(["-C", "prod", "--execute", "--yes-really", "prod"], standalone_mode=False)
    assert done == [False, True]


# These commands change neither the cluster nor the registry. A new command is in this list, or it
# declares that it changes something.
READING = {
    *("produce", "consume", "copy", "dump", "load", "bench produce", "bench consume"),  # messages
    *("bench round-trip", "bench share"),
    *("topics list", "topics describe", "topics offsets", "topics compare-replicas"),
    *("groups list", "groups describe", "why", "top", "health", "doctor"),
    *("configs list", "configs describe", "cluster describe", "acls list", "users list"),
    *("registry subjects", "registry versions", "registry show", "registry check"),
    *("registry diff", "registry contexts", "quotas describe"),
    *("share-groups list", "share-groups describe", "share-groups offsets"),
    *("streams-groups list", "streams-groups describe", "streams-groups offsets"),
    *("transactions list", "transactions describe", "transactions describe-producers"),
    "transactions find-hanging",
    *("brokers list", "brokers versions", "brokers configs", "reassign list", "reassign plan"),
    *("log-dirs", "quorum describe", "features describe", "delegation-tokens describe"),
}


def test_every_command_declares_what_it_changes() -> None:
    """Every command that connects has --profile, and --yes-really if it changes something."""
    from tests.unit.test_command_line_help import ALL

    connecting = set()
    for path, command in ALL.items():
        names = {each.name for each in command.params}
        assert ("profile" in names) == ("config_file" in names) or path == "profiles show"
        if "config_file" in names:
            connecting.add(path)
            assert command.changes is not None, path
            assert bool(command.changes) == (path not in READING) == ("yes_really" in names), path
            assert command.changes or not names & {"yes", "execute", "check"}, path
    assert connecting >= READING


@pytest.mark.parametrize(
    "command",
    [
        "users set alice",
        "topics create t",
        "topics grow t 2",
        "configs set topic t retention.ms=1",
        "configs unset topic t retention.ms",
        "quotas alter --user a producer_byte_rate=1",
        "elect-leaders",
        "acls create --resource topic --name t --principal User:a --operation read",
        "features upgrade group.version=1 --yes",
        "quorum remove-voter 4 --yes",
        "delegation-tokens create",
        "delegation-tokens expire c2VjcmV0",
        "transactions abort t:0 --start-offset 1 --yes",
        "reassign start t:0=1 --yes",
        "registry mode --set readonly",
        "groups reset-offsets g --to beginning --execute",
        "registry compatibility s --unset",
    ],
)
def test_production_changes(command: str) -> None:
    """Every command that changes the cluster or the registry needs --yes-really NAME."""
    done = run(*command.split(), "-C", "prod")
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.startswith(
        "error: --yes-really: profile 'prod' is a production cluster: also give --yes-really prod\n"
    )
    assert done.stderr.splitlines()[1].startswith("Try '")


def test_production_checks() -> None:
    """--check changes nothing, so it does not need --yes-really."""
    done = run(
        "topics", "create", "t", "--check", "-C", "prod", "-b", NO_BROKER, "--timeout", "0.1"
    )
    assert done.status != 0  # there is no such cluster
    assert "--yes-really" not in done.stderr


def test_the_registry_of_a_profile(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command looks up only the secrets that it needs. A registry can use SASL credentials."""
    monkeypatch.setenv("REGISTRY_USER", "me:pw")
    assert profile_file.properties_of("prod", for_registry=True) == {
        "schema.registry.url": f"https://me:{PASSWORD}@registry:8081",
        "schema.registry.basic.auth.user.info": "me:pw",
    }
    file.write_text(
        '[a]\nsasl.username = "me"\n'
        '[a.registry]\nurl = "http://r"\nbasic.auth.credentials.source = "SASL_INHERIT"\n'
    )
    assert profile_file.properties_of("a", for_registry=True)["sasl.username"] == "me"
