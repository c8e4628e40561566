"""Experiments: schedulers against games whose truth is known, and pictures of how they did."""

from maxin.experiments.simulation import Simulation, Trace, start_simulations

__all__ = ["Simulation", "Trace", "start_simulations"]
