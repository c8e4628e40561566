from .benchmarks.bench import bench as bench
from .document import ExperimentReport as ExperimentReport
from .document import Section as Section
from .reproduction.reproduce import Reproduction as Reproduction
from .reproduction.reproduce import reproduce as reproduce
