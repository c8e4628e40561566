"""The desk: one thread writes for all, and an error is one caller's own."""

import asyncio

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import InvalidInput, Stop
from maxin.runners import Outcome
from maxin.service.desk import Desk, Over
from maxin.tournament import Tournament
from maxin.tournament.tickets.wishes import AskWish, TellWish, WorkWish


def at_desk(act, **ends):
    """Run `act(desk)` beside a desk."""

    async def main():
        with Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament:
            desk = Desk(tournament, Stop(**{"confidence": None, **ends}))
            desk.start()
            try:
                return await act(desk)
            finally:
                desk.close()

    return asyncio.run(main())


def test_what_arrives_together_is_written_together():
    async def act(desk):
        batches, batch = [], desk.tournament.batch
        desk.tournament.batch = lambda wishes, **more: (
            batches.append(len(wishes)) or batch(wishes, **more)
        )
        await asyncio.gather(*(desk.grant(AskWish(f"w{n}", 1, 60.0)) for n in range(50)))
        return batches, desk.tournament.n_pending

    batches, n_pending = at_desk(act)
    assert sum(batches) == n_pending == 50
    assert len(batches) < 25  # the first may be alone, the rest has arrived meanwhile


def test_an_error_goes_to_its_caller():
    async def act(desk):
        ask, wrong = AskWish("w", 1, 60.0), TellWish("w", 99, Outcome(1.0))
        return await asyncio.gather(desk.grant(ask), desk.grant(wrong), return_exceptions=True)

    tickets, error = at_desk(act)
    assert len(tickets) == 1
    assert isinstance(error, InvalidInput)


def test_a_wish_that_breaks_the_group_breaks_alone():
    def breaks(group):
        raise RuntimeError("the lights went out")

    async def act(desk):
        wishes = [AskWish("w", 1, 60.0), WorkWish(breaks), AskWish("v", 1, 60.0)]
        answers = await asyncio.gather(*map(desk.grant, wishes), return_exceptions=True)
        return answers, desk.tournament.n_pending, desk.tournament.verify().problems

    answers, n_pending, problems = at_desk(act)
    assert isinstance(answers[1], RuntimeError)
    assert sorted(ticket.id for found in (answers[0], answers[2]) for ticket in found) == [1, 2]
    assert (n_pending, problems) == (2, [])


def test_asks_are_refused_when_it_is_over():
    async def act(desk):
        (ticket,) = await desk.grant(AskWish("w", 1, 60.0))
        await desk.grant(TellWish("w", ticket.id, Outcome(1.0)))
        with pytest.raises(Over, match="the budget of 1 matches is spent"):
            await desk.grant(AskWish("w", 1, 60.0))
        # A result that comes again is still answered.
        return await desk.grant(TellWish("w", ticket.id, Outcome(1.0)))

    assert at_desk(act, budget=1) is False


def test_a_call_is_made_between_groups():
    async def act(desk):
        await desk.call(lambda: desk.tournament.add("dee"))
        return desk.tournament.names

    assert at_desk(act)[-1] == "dee"
