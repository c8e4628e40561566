"""The paper's experiments in small: stored runs, protocols, claims, and the command."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.experiments.archive import Archive
from maxin.experiments.pool import complete
from maxin.experiments.reproduction.claims import Estimate, Study, claims
from maxin.experiments.reproduction.experiments import (
    ELO_GAMES,
    FIGURES,
    MELO_GAMES,
    Algorithm,
    Experiment,
    PaperGame,
    batch_lines,
    load_games,
    tuning_runs,
)
from maxin.experiments.reproduction.runs import (
    Outcome,
    Run,
    fingerprint,
    play,
    play_among,
    reading_rounds,
)
from maxin.experiments.reproduction.tuning import Line, lines
from maxin.experiments.simulation import start_simulation
from maxin.games import make_game

pytest.importorskip("pyarrow", reason="the extra 'paper' is not installed")

TINY = PaperGame("tiny", "elo:n_players=6", 60)
GAMES = {"tiny": make_game("elo:n_players=6", np.random.default_rng(0))}
ON_GAMES = partial(play_among, GAMES)
SMALL = Experiment(
    "figure2",
    "small",
    (TINY,),
    (
        Algorithm("Random", ("random+elo:step_size=0.1", "random+elo:step_size=1")),
        Algorithm("MaxIn-Elo", ("maxin:exploration=0.6,alone=self", "maxin:alone=self")),
    ),
    n_seeds=3,
    n_fresh=4,
)


def run_of(seed=0, scheduler="random", **changes):
    return replace(Run("tiny", fingerprint(GAMES["tiny"]), "score", scheduler, 60, seed), **changes)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one[:4], other[:4], strict=True))


def test_a_run_is_a_function_of_its_description():
    one, again = (play(run_of(), GAMES["tiny"]) for _ in range(2))
    assert same(one, again)
    assert not same(one, play(run_of(seed=1), GAMES["tiny"]))
    assert run_of().key == run_of().key
    changed = [run_of(seed=1), run_of(scheduler="dbgd"), run_of(truth="rating"), run_of(rounds=61)]
    assert len({run.key for run in [run_of(), *changed]}) == 5


def test_curves_of_a_schedule_that_ends_early_go_on_level():
    outcome = play(run_of(scheduler="knockout"), GAMES["tiny"])
    assert len(outcome.regret) == 60
    assert (outcome.regret[5:] == outcome.regret[4]).all()


def test_the_last_reading_is_the_end_whatever_the_rounds():
    for rounds in (60, 100, 199, 250):
        outcome = play(run_of(rounds=rounds), GAMES["tiny"])
        simulation = start_simulation(GAMES["tiny"], "random", 0)
        simulation.advance(rounds)
        assert outcome.regret[-1] == np.float32(simulation.regret)
        assert reading_rounds(rounds, len(outcome.regret))[-1] == rounds


def test_few_seeds_and_no_games_decide_nothing():
    assert Estimate.of([1.0, 1.0]).is_above(Estimate.of([0.0, 0.0])) is None
    assert Estimate.of([1.0] * 5).is_above(Estimate.of([0.0] * 5)) is True
    assert str(Estimate.of([3.0])) == "3.00"
    elsewhere = replace(SMALL, games=(replace(TINY, name="Triangular game"),))
    lines = [
        Line(elsewhere.games[0], line.name, "hindsight", ("s",), (fake(1.0, 1.0),))
        for line in SMALL.algorithms
    ]
    texts = [claim.text for claim in claims(Study(elsewhere, lines), {})]
    assert texts
    assert not any("lowest regret" in text for text in texts)


def test_steps_that_overflow_count_as_knowing_nothing():
    game = make_game("disc:n_players=20", np.random.default_rng(0))
    run = Run("disc", fingerprint(game), "rating", "random+melo:step_size=50", 2000, 0)
    with np.errstate(all="ignore"):
        outcome = play(run, game)
    assert outcome.reciprocal_rank[-1] == np.float32(1 / 20)


def test_archive_gives_back_what_it_got(tmp_path):
    runs = [run_of(seed) for seed in range(3)]
    outcomes = {run: play(run, GAMES["tiny"]) for run in runs}
    archive = Archive(tmp_path, Outcome)
    archive.add({runs[0]: outcomes[runs[0]]})
    archive.add({runs[1]: outcomes[runs[1]]})
    found = Archive(tmp_path, Outcome).outcomes(runs)
    assert set(found) == set(runs[:2])
    assert all(same(found[run], outcomes[run]) for run in found)


def test_archive_names_a_broken_file_and_ignores_half_written_ones(tmp_path):
    archive = Archive(tmp_path, Outcome)
    archive.add({run_of(): play(run_of(), GAMES["tiny"])})
    (tmp_path / "killed.part").write_bytes(b"half")
    assert len(archive.outcomes([run_of()])) == 1
    (tmp_path / "broken.parquet").write_bytes(b"rubbish")
    with pytest.raises(InvalidInput, match=r"broken.parquet' is not a whole Parquet file of runs"):
        archive.outcomes([run_of()])


def test_numbers_do_not_depend_on_workers_and_nothing_is_done_twice(tmp_path):
    runs = list(tuning_runs(SMALL, GAMES))
    told = []
    one = complete(
        runs, ON_GAMES, Archive(tmp_path / "1", Outcome), workers=1, progress=told.append
    )
    two = complete(
        runs, ON_GAMES, Archive(tmp_path / "2", Outcome), workers=2, progress=lambda _: None
    )
    assert sum(told) == sum(run.rounds for run in runs)
    assert all(same(one[run], two[run]) for run in runs)
    files = sorted((tmp_path / "1").iterdir())
    again = complete(
        runs, ON_GAMES, Archive(tmp_path / "1", Outcome), workers=1, progress=told.append
    )
    assert sorted((tmp_path / "1").iterdir()) == files
    assert all(same(one[run], again[run]) for run in runs)


def fake(rank, regret):
    curve = np.full(100, rank, dtype=np.float32)
    return Outcome(np.full(100, regret, dtype=np.float32), curve, curve[:10], curve[:10], 0.0)


def test_protocols_choose_what_they_say():
    values = {  # late RR of setting a and b per tuning seed: a wins seeds 0 and 1, b seed 2
        ("a", 0): 0.5, ("a", 1): 0.6, ("a", 2): 0.1, ("b", 0): 0.4, ("b", 1): 0.2, ("b", 2): 0.3,
    }  # fmt: skip
    experiment = replace(SMALL, algorithms=(Algorithm("x", ("a", "b")),))

    def done(runs):
        return {run: fake(values.get((run.scheduler, run.seed), 0.25), 10.0) for run in runs}

    tuning = list(tuning_runs(experiment, GAMES))
    found = {
        line.protocol: line
        for line in lines(experiment, GAMES, ("hindsight", "held-out"), tuning, done)
    }
    assert found["hindsight"].settings == ("a", "a", "b")
    assert found["hindsight"].end("reciprocal_rank")[0] == pytest.approx((0.5 + 0.6 + 0.3) / 3)
    assert found["held-out"].settings == ("a",) * 4
    assert found["held-out"].end("reciprocal_rank")[0] == pytest.approx(0.25)


def test_ties_in_the_rank_go_to_the_least_regret():
    experiment = replace(SMALL, algorithms=(Algorithm("x", ("a", "b")),))

    def done(runs):
        return {run: fake(0.5, 5.0 if run.scheduler == "b" else 9.0) for run in runs}

    tuning = list(tuning_runs(experiment, GAMES))
    for line in lines(experiment, GAMES, ("hindsight", "held-out"), tuning, done):
        assert set(line.settings) == {"b"}


@pytest.mark.parametrize(("regret", "holds"), [(5.0, True), (15.0, False), (10.0, None)])
def test_claims_follow_the_numbers(regret, holds):
    regrets = {"MaxIn-Elo": regret, "Random": 10.0, "RG-UCB": 10.0, "DBGD": 10.0}
    made = [
        Line(TINY, name, "hindsight", ("s",) * 6, (fake(1.0, end + 0.5), fake(1.0, end - 0.5)) * 3)
        for name, end in regrets.items()
    ]
    algorithms = tuple(Algorithm(name, ("s",)) for name in regrets)
    printed = {("tiny", 60, name): (10.0, 0.5) for name in ("Random", "RG-UCB", "DBGD")}
    printed["tiny", 60, "MaxIn-Elo"] = (1.0, 1.0)
    found = claims(Study(replace(SMALL, algorithms=algorithms), made), printed)
    verdicts = {claim.text.split(" on ")[0]: claim.holds for claim in found}
    assert verdicts["MaxIn-Elo has the lowest regret"] is holds
    assert verdicts["Random's regret ends within 10% of the printed one"] is True
    place = verdicts["MaxIn's place by mean regret among the algorithms is the printed one"]
    assert place is (holds is not False)


def test_the_grid_is_the_papers():
    figure = FIGURES["figure2"]
    assert [len(line.settings) for line in figure.algorithms] == [7, 7, 7, 10, 70]
    assert len(list(tuning_runs(figure, load_games(None)))) == 101 * 5 * 6
    assert [game.rounds for game in (*ELO_GAMES, *MELO_GAMES)] == [1000] * 6 + [2000] * 5 + [1000]
    assert len(batch_lines("elo", 100)) == 10
    assert set(FIGURES["dimension"].algorithms[3].settings) == set(
        FIGURES["figure3"].algorithms[4].settings
    )  # the runs of 2k = 8 are those of Figure 3
    assert not set(figure.tuning_seeds) & set(figure.fresh_seeds)


def test_games_come_from_files_or_rules(tmp_path):
    made = load_games(None)
    assert "AlphaStar" not in made
    assert made["5,3-Blotto"].n_players == 21
    np.save(tmp_path / "Kuhn-poker.npy", make_game("kuhn-poker", np.random.default_rng(0)).payoffs)
    assert list(load_games(tmp_path)) == ["Kuhn-poker"]
    with pytest.raises(InvalidInput, match="holds none of the paper's games"):
        load_games(tmp_path / "..")
    with pytest.raises(InvalidInput, match="there is no folder"):
        load_games(tmp_path / "nowhere")


def command(*arguments):
    return [sys.executable, "-m", "maxin", "paper", *arguments]


def paper(*arguments, cwd):
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, cwd=cwd, timeout=180, check=False
    )


def test_the_command_writes_tables_pictures_and_one_page(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'paper' is not installed")
    options = ("figure1", "table2", "--seeds", "1", "--rounds", "40", "--out", "here")
    done = paper(*options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "here"
    page = (out / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert 'src="figures' not in page
    assert "(held-out): MaxIn-Elo has the lowest regret" in (out / "report.md").read_text()
    assert (out / "figures" / "figure1-held-out.svg").is_file()
    table = (out / "tables" / "figure1.csv").read_text()
    again = paper(*options, "--workers", "1", cwd=tmp_path)
    assert again.returncode == 0
    assert (out / "tables" / "figure1.csv").read_text() == table
    assert "AlphaStar" not in done.stdout


def test_a_killed_command_goes_on_where_it_stopped(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'paper' is not installed")
    options = (
        "figure2",
        "--protocol",
        "hindsight",
        "--seeds",
        "1",
        "--rounds",
        "250",
        "--out",
        "here",
    )
    with subprocess.Popen(command(*options), cwd=tmp_path, start_new_session=True) as process:
        runs = tmp_path / "here" / "runs"
        wait_for_runs(runs, process)
        os.killpg(process.pid, signal.SIGKILL)
    kept = stored_keys(runs)
    done = paper(*options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    keys = stored_keys(runs)
    assert set(kept) <= set(keys)
    assert len(keys) == len(set(keys)) == 101 * 6


def test_an_interrupted_command_keeps_what_is_done(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'paper' is not installed")
    options = ("figure2", "--protocol=hindsight", "--rounds=1000", "--workers=1", "--out=here")
    with subprocess.Popen(
        command(*options), cwd=tmp_path, start_new_session=True, stdout=subprocess.PIPE, text=True
    ) as process:
        assert "3,030 runs" in process.stdout.readline()
        wait_for_runs(tmp_path / "here" / "runs", process)
        os.killpg(process.pid, signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 130
    assert "The same command goes on from here." in rest


def wait_for_runs(folder: Path, process):
    """Until some are on disk, or the command has ended."""
    end = time.monotonic() + 150.0
    while time.monotonic() < end and process.poll() is None and not stored_keys(folder):
        time.sleep(0.1)


def stored_keys(folder: Path):
    import pyarrow.parquet

    paths = sorted(folder.glob("*.parquet"), key=lambda path: path.stat().st_mtime)
    return [key for path in paths for key in pyarrow.parquet.read_table(path)["key"].to_pylist()]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["figure9"], "figure9"),
        (["--protocol", "luck"], "luck"),
        (["table2", "--games", "nowhere"], "there is no folder 'nowhere'"),
        (["--seeds", "0"], "greater than or equal to 1"),
        (["table2", "--out", sys.executable], "cannot be a folder"),
    ],
)
def test_wrong_usage_is_named(tmp_path, arguments, words):
    done = paper(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


GOLDEN = Path(__file__).parents[2] / "golden" / "figure_ends.json"


def small_ends():
    """Where the lines of a small Figure 2 and 3 end: two games, four seeds, one setting each."""
    games = load_games(None)
    ends = {}
    for figure in (FIGURES["figure2"], FIGURES["figure3"]):
        for game in (figure.games[0], figure.games[-1]):
            for line in figure.algorithms:
                setting = line.settings[len(line.settings) // 2]
                outcomes = [
                    play(Run(game.name, "", game.truth, setting, 400, seed), games[game.name])
                    for seed in range(4)
                ]
                regret = np.mean([outcome.regret[-1] for outcome in outcomes])
                rank = np.mean([outcome.late_reciprocal_rank for outcome in outcomes])
                ends[f"{game.name}, {line.name}"] = [float(regret), float(rank)]
    return ends


def test_no_curve_has_moved():
    """Ends of a small run against stored ones; write them anew with this file as a script."""
    golden = json.loads(GOLDEN.read_text())
    found = small_ends()
    assert found.keys() == golden.keys()
    for name, (regret, rank) in golden.items():
        assert found[name][0] == pytest.approx(regret, rel=0.03), name
        assert found[name][1] == pytest.approx(rank, abs=0.05), name


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(json.dumps(small_ends(), indent=1))
