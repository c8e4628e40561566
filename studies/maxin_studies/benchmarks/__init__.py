"""Benchmarks: schedulers measured on seeds that chose nothing."""
