"""The command line as it was typed."""

from maxin.cli.config.flags import this_command


def test_a_password_is_not_printed_with_the_command(monkeypatch):
    url = "postgresql://anna:s3cret@host:5432/league"
    monkeypatch.setattr("sys.argv", ["maxin", "run", "--store", url, "--command", "play a:b@c"])
    words = this_command()
    assert "s3cret" not in words
    assert "postgresql://anna:***@host:5432/league" in words
    assert "'play a:b@c'" in words
    url = "postgresql://host/league?password=s3cret&connect_timeout=5"
    monkeypatch.setattr("sys.argv", ["maxin", "run", "--store", url])
    assert "postgresql://host/league?password=***&connect_timeout=5" in this_command()
