"""What a Ray runner takes; no cluster is needed, and Ray itself only where it says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import Entrant, InvalidInput
from maxin.runners import Job, MatchFailed, Ray
from maxin.runners.clusters.ray_cluster import Need
from maxin.runners.clusters.ray_worker import RayWorker
from tests.runners.test_imports import imported

JOBS = [Job(number, Entrant("anna"), Entrant("bo"), seed=number) for number in (0, 1)]


def test_without_ray_the_extra_is_named():
    code = (
        "import sys; sys.modules['ray'] = None\n"
        "from maxin.runners import Ray; from maxin.core import MissingExtra\n"
        "try: Ray(lambda first, second, seed: 1)\n"
        "except MissingExtra as error: print(error)"
    )
    message = "Ray is not installed; the extra 'ray' has it: pip install 'maxin[ray]'"
    assert imported(code) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Ray takes either play, a function, or make, which returns one"),
        ({"play": max, "make": dict}, "Ray takes either play, a function, or make, which"),
        ({"make": 3}, "make must be a callable without arguments; got 3"),
        ({"play": lambda first: 1}, r"play must take (first, second, seed); got (first)"),
        ({"play": max, "batch": 0}, "batch must be at least 1; got 0"),
        ({"play": max, "max_restarts": -2}, "max_restarts must be at least -1; got -2"),
        ({"play": max, "num_gpus": -1}, "num_gpus must be a number, at least 0; got -1"),
    ],
)
def test_invalid_options_are_named(options, message):
    with pytest.raises(InvalidInput) as caught:
        Ray(**options)
    assert str(caught.value).startswith(message)


@given(st.floats(0.25, 8.0), st.floats(0.0, 4.0), st.integers(0, 64), st.integers(0, 8))
def test_as_many_workers_as_fit(num_cpus, num_gpus, n_cpus, n_gpus):
    fits = Need(num_cpus, num_gpus).fits({"CPU": n_cpus, "GPU": n_gpus})
    assert fits * num_cpus <= n_cpus + 1e-6
    assert fits * num_gpus <= n_gpus + 1e-6
    assert (fits + 1) * num_cpus > n_cpus or (fits + 1) * num_gpus > n_gpus


def test_a_worker_that_could_not_start_answers_every_game_with_the_reason():
    def make():
        raise OSError("no such file")

    worker = RayWorker(make)
    answers = [worker.ready([]), *worker.play(JOBS)]
    assert all(isinstance(answer, MatchFailed) and answer.is_hopeless for answer in answers)
    assert {answer.reason.partition(" (")[0] for answer in answers} == {
        "a Ray worker cannot start: OSError: no such file"
    }
    worker.close()


def test_one_game_that_fails_leaves_the_others_of_its_batch():
    def play(first, second, seed):
        return 1 / seed

    failure, outcome = RayWorker(lambda: play).play(JOBS)
    assert failure.reason.startswith("ZeroDivisionError")
    assert outcome.score == 1.0
