from .ranking import RankedResults as RankedResults
from .ranking import rank as rank
from .reading import ReadingTerms as ReadingTerms
from .reading import Results as Results
from .reading import read_results as read_results
from .writing import written as written
