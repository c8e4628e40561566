"""The group writer: one thread writes for all, and an error is one caller's own."""

import asyncio

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import InvalidInput, Stop
from maxin.runners import Outcome
from maxin.service.group_writer import GroupWriter, Over
from maxin.tournament import Tournament
from maxin.worker.source import Ask, Tell
from tests.helpers.acts import Act


def beside(act, **ends):
    """Run `act(writer, tournament)` beside a group writer."""

    async def main():
        with Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament:
            writer = GroupWriter(tournament, Stop(**{"confidence": None, **ends}))
            writer.start()
            try:
                return await act(writer, tournament)
            finally:
                writer.close()

    return asyncio.run(main())


def test_what_arrives_together_is_written_together():
    async def act(writer, tournament):
        batches, apply = [], writer.session.apply
        writer.session.apply = lambda commands: batches.append(len(commands)) or apply(commands)
        await asyncio.gather(*(writer.apply(Ask(1, 60.0, worker=f"w{n}")) for n in range(50)))
        return batches, tournament.n_pending

    batches, n_pending = beside(act)
    assert sum(batches) == n_pending == 50
    assert len(batches) < 25  # the first may be alone, the rest has arrived meanwhile


def test_an_error_goes_to_its_caller():
    async def act(writer, tournament):
        ask, wrong = Ask(1, 60.0, worker="w"), Tell(99, Outcome(1.0), worker="w")
        return await asyncio.gather(writer.apply(ask), writer.apply(wrong), return_exceptions=True)

    offers, error = beside(act)
    assert len(offers.tickets) == 1
    assert isinstance(error, InvalidInput)


def test_a_command_that_breaks_the_group_breaks_alone():
    def breaks(transaction):
        raise RuntimeError("the lights went out")

    async def act(writer, tournament):
        commands = [Ask(1, 60.0, worker="w"), Act(breaks), Ask(1, 60.0, worker="v")]
        answers = await asyncio.gather(*map(writer.apply, commands), return_exceptions=True)
        return answers, tournament.n_pending, tournament.verify().problems

    answers, n_pending, problems = beside(act)
    assert isinstance(answers[1], RuntimeError)
    assert sorted(ticket.id for found in (answers[0], answers[2]) for ticket in found.tickets) == [
        1,
        2,
    ]
    assert (n_pending, problems) == (2, [])


def test_asks_are_refused_when_it_is_over():
    async def act(writer, tournament):
        offers = await writer.apply(Ask(1, 60.0, worker="w"))
        (ticket,) = offers.tickets
        await writer.apply(Tell(ticket.id, Outcome(1.0), worker="w"))
        with pytest.raises(Over, match="the budget of 1 matches is spent"):
            await writer.apply(Ask(1, 60.0, worker="w"))
        # A result that comes again is still answered.
        return await writer.apply(Tell(ticket.id, Outcome(1.0), worker="w"))

    assert beside(act, budget=1) is False


def test_a_call_is_made_between_groups():
    async def act(writer, tournament):
        await writer.call(lambda: tournament.add("dee"))
        return tournament.names

    assert beside(act)[-1] == "dee"
