"""Workers that wait for a match: the last result ends the waiting of all of them."""

import threading

from maxin.worker.source import Ask
from tests.helpers.waiting import LONG, wait_until


def test_all_who_wait_hear_at_once_that_it_is_over(serve):
    client, answers = serve(budget=1), []
    ticket = client.ask()

    def wait():
        answers.append(client._channel.api.ask(Ask(1, 60.0, wait=25.0)).idle)

    threads = [threading.Thread(target=wait, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(client.service.queue) == 3)
    client.tell(ticket, 1.0)
    for thread in threads:
        thread.join(LONG)
    assert [idle[:2] for idle in answers] == [("the budget of 1 matches is spent", True)] * 3


def test_a_match_that_was_given_back_goes_to_one_who_waits(serve):
    client, answers = serve(players=["anna", "bo"], scheduler="round-robin:cycles=1"), []
    ticket = client.ask()

    def wait():
        answers.append(client._channel.api.ask(Ask(1, 60.0, wait=25.0)).tickets)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    wait_until(lambda: len(client.service.queue) == 1)
    client.fail(ticket, "the power failed")
    thread.join(LONG)
    ((again,),) = answers
    assert again.id == ticket.id
