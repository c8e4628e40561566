"""A function gets what it asks for: names, or players with options."""

import functools

import pytest

import maxin
from maxin.core import Entrant
from maxin.runners import Job, Processes, Threads
from maxin.runners.functions import takes_entrants

ANNA, BO = Entrant("anna", {"model": {"name": "large"}, "depth": 3}), Entrant("bo", {"depth": 2})


def by_depth(first: Entrant, second: Entrant, seed):
    return first.options["depth"] > second.options["depth"]


def by_text(first: "maxin.Entrant", second: "Entrant", seed):
    return by_depth(first, second, seed)


class Judge:
    def __call__(self, first: Entrant, second: Entrant, seed: int) -> bool:
        return by_depth(first, second, seed)

    def method(self, first: Entrant, second: Entrant, seed: int) -> bool:
        return by_depth(first, second, seed)


def with_model(model, first: Entrant, second: Entrant, seed):
    return by_depth(first, second, seed)


ASKING = [by_depth, by_text, Judge(), Judge().method, functools.partial(with_model, "large")]


@pytest.mark.parametrize("play", ASKING)
def test_a_function_that_is_annotated_gets_players_with_their_options(play):
    assert takes_entrants(play)
    assert Threads(play).play(Job(1, ANNA, BO, seed=3)).score == 1.0
    assert Threads(play).play(Job(1, BO, ANNA, seed=3)).score == 0.0


def plain(first, second, seed):
    return (type(first), type(second)) == (str, str)


def of_names(first: str, second: str, seed: int) -> bool:
    return plain(first, second, seed)


@pytest.mark.parametrize("play", [plain, of_names, lambda *given: plain(*given)])
def test_any_other_function_gets_names(play):
    assert not takes_entrants(play)
    assert Threads(play).play(Job(1, ANNA, BO, seed=3)).score == 1.0


def test_a_builtin_without_a_signature_gets_names():
    assert not takes_entrants(str.count)
    assert Threads(str.count).play(Job(1, Entrant("anna"), Entrant("nn"), seed=0)).score == 1.0


async def by_depth_later(first: Entrant, second: Entrant, seed):
    return by_depth(first, second, seed)


def test_workers_pass_options_and_await():
    runner = Processes(by_depth_later)
    try:
        assert runner.play(Job(1, ANNA, BO, seed=3)).score == 1.0
        assert runner.play(Job(1, BO, Entrant("cy", ANNA.options), seed=3)).score == 0.0
    finally:
        runner.close()


def test_a_tournament_passes_the_options_that_it_stores():
    tournament = maxin.Tournament([ANNA, BO])
    report = tournament.run(by_depth, budget=5, confidence=None)
    assert {
        match.score if match.first == "anna" else 1 - match.score for match in tournament.matches()
    } == {1.0}
    assert report.n_matches == 5
