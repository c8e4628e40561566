from .base import Job as Job
from .base import MatchFailed as MatchFailed
from .base import Outcome as Outcome
from .base import Runner as Runner
from .command import Command as Command
from .payoff import Payoff as Payoff
from .processes import Processes as Processes
from .threads import Threads as Threads
