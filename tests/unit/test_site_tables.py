"""The tables of the documentation site that are generated when it is built."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("sphinx", reason="the packages of requirements/docs.txt are not installed")
sys.path.append(str(ROOT / "docs" / "_extensions"))
import error_codes  # noqa: E402
import kips  # noqa: E402
import properties  # noqa: E402


@pytest.fixture(scope="module")
def by_name() -> dict[str, properties.Property]:
    return {name: each for each in properties.properties() for name in each.names}


class TestProperties:
    def test_facts(self, by_name: dict[str, properties.Property]) -> None:
        """A row of librdkafka's table becomes facts, which are found by each name of the
        property."""
        linger = by_name["linger.ms"]
        assert linger is by_name["queue.buffering.max.ms"]
        assert linger.names[0] == "linger.ms"
        assert linger.facts == "producer · float · 0 to 900000 · default 5 · high importance"
        assert linger.text.startswith("Delay in milliseconds")
        assert "Type:" not in linger.text

    def test_bars_in_a_cell(self, by_name: dict[str, properties.Property]) -> None:
        """A cell may contain bars, as in a default that is a shell command."""
        assert " || kinit -t" in by_name["sasl.kerberos.kinit.cmd"].default

    def test_legacy_properties_of_topics_do_not_hide_the_consumers(
        self, by_name: dict[str, properties.Property]
    ) -> None:
        """If two of librdkafka's tables have the same property, the table shows the consumer's
        property."""
        assert by_name["enable.auto.commit"].group == "Consumer group and offsets"
        assert by_name["auto.commit.interval.ms"].default == "5000"
        assert by_name["compression.type"].default == "none"

    def test_python_keys(self, by_name: dict[str, properties.Property]) -> None:
        """The table contains the Python keys that the extension's constructors accept."""
        keys = {name for name, each in by_name.items() if each.type.startswith("Python")}
        assert keys >= {"error_cb", "throttle_cb", "stats_cb", "oauth_cb", "logger"}
        assert keys >= {"on_delivery", "on_commit", "default.topic.config"}

    def test_what_is_for_c_says_what_to_use(self, by_name: dict[str, properties.Property]) -> None:
        """For properties that are for C only, the table shows just the replacement."""
        assert [name for name, each in by_name.items() if each.is_of_c and not each.notes] == []

    def test_every_group_is_on_the_page(self) -> None:
        """The page has every group. A property of a missing group would not be documented."""
        page = (ROOT / "docs/reference/configuration.md").read_text(encoding="utf-8")
        groups = {properties.shown_in(each) for each in properties.properties()}
        assert [group for group in groups if f"{{properties}} {group}\n" not in page] == []

    def test_note_about_nothing(self) -> None:
        """A note about a property that librdkafka does not have any more raises an error."""
        with pytest.raises(ValueError, match=r"note about no\.such"):
            properties.annotated([], {"patched": {}, "python": {}, "notes": {"no.such": "text"}})


class TestErrorCodes:
    def test_every_code_is_there(self) -> None:
        """Each code has librdkafka's name and text; names with the same number are in one row."""
        found = {each.number: each for each in error_codes.codes([3])}
        assert found[3].names == ["UNKNOWN_TOPIC_OR_PART"]
        assert found[3].text == "Broker: Unknown topic or partition"
        assert found[3].is_retriable is True
        assert found[29].is_retriable is False
        assert found[-185].names == ["_TIMED_OUT"]
        assert found[-185].is_retriable is None
        assert found[14].names == ["COORDINATOR_LOAD_IN_PROGRESS", "GROUP_LOAD_IN_PROGRESS"]

    def test_remedies(self) -> None:
        """At least forty codes have a cause and a remedy, and each code has an anchor of its
        own."""
        remedies = error_codes.remedies()["remedies"]
        assert len(remedies) >= 40
        assert all(set(each) == {"cause", "remedy"} for each in remedies.values())
        assert len({error_codes.anchor(name) for name in remedies}) == len(remedies)

    def test_remedy_for_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A misspelt code raises an error during the build of the site."""
        file = tmp_path / "errors.toml"
        file.write_text('[remedies.NO_SUCH]\ncause = "a"\nremedy = "b"\n')
        monkeypatch.setattr(error_codes, "REMEDIES", file)
        with pytest.raises(ValueError, match="NO_SUCH"):
            error_codes.remedies()


class TestKips:
    def test_every_claim_has_its_tests(self) -> None:
        """Every claim about a KIP has existing tests (claims() raises otherwise), and no KIP is in
        the table twice."""
        numbers = [each["number"] for each in kips.claims()]
        assert len(numbers) == len(set(numbers)) > 0

    @pytest.mark.parametrize(
        "test",
        [
            "tests/unit/test_no_such_file.py::test_it",
            "tests/unit/test_site_tables.py",
            "tests/unit/test_site_tables.py::test_no_such_test",
            "tests/unit/test_site_tables.py::TestKips",
        ],
    )
    def test_what_is_no_test(self, test: str) -> None:
        """A file, a class and unknown names do not count as tests."""
        assert not kips.exists(test)

    def test_claim_without_its_test(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The error names the claim and the test."""
        file = tmp_path / "kips.toml"
        file.write_text('[[kip]]\nnumber = 1\ntests = ["tests/none.py::test_it"]\n')
        monkeypatch.setattr(kips, "CLAIMS", file)
        with pytest.raises(ValueError, match=r"KIP-1: there is no tests/none\.py::test_it"):
            kips.claims()
