"""What is printed while a run is watched."""

from maxin.cli.output.watchers import this_command, trouble
from maxin.core import Match
from maxin.tournament import Refused, Ticket


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


def test_a_refused_result_names_its_match_once():
    ticket = Ticket(3, "anna", "bo", 5, Match(0, 1))
    conflict = "match 3, anna - bo, has the score 1; it cannot be reported again with 0"
    assert trouble(Refused(ticket, conflict)) == [
        "#3 anna - bo was refused: has the score 1; it cannot be reported again with 0"
    ]
