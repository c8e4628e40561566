from .benchmarks.bench import bench as bench
from .benchmarks.entries.entering import enter as enter
from .document import ExperimentReport as ExperimentReport
from .document import Section as Section
from .reproduction.own_game import reproduce_on as reproduce_on
from .reproduction.reproduce import Reproduction as Reproduction
from .reproduction.reproduce import reproduce as reproduce
