from .report import report as report
from .report import write_report as write_report
