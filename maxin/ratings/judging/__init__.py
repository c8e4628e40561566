"""What scores owe to seats and judges: the advantage of sitting first, and what votes are worth.

- `seats`: ratings with the advantage of sitting first.
- `judged_tally`, `judge_log`: votes counted by judge.
- `judge_fit`: each judge's position bias and reliability, fitted with the ratings.
"""
