"""Figures of tables: quantities with their 95 % intervals, and how they are written."""

import math
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A quantity with the ends of its interval, which are None where a file has no interval."""

    value: float
    low: float | None = None
    high: float | None = None

    @staticmethod
    def exact(value: float) -> "Estimate":
        """A quantity that was not measured."""
        return Estimate(value, value, value)

    @staticmethod
    def of_samples(samples: list[float]) -> "Estimate":
        """The median, with the 95 % interval that order statistics give it."""
        ordered, count = sorted(samples), len(samples)
        below = 0.0
        rank = 0
        while (below := below + math.comb(count, rank) / 2**count) <= 0.025:
            rank += 1
        edge = max(rank, 1)
        return Estimate(statistics.median(ordered), ordered[edge - 1], ordered[count - edge])

    def scaled(self, factor: float) -> "Estimate":
        return self._map(lambda it: it * factor)

    def inverse(self) -> "Estimate":
        inverted = self._map(lambda it: 1 / it)
        return Estimate(inverted.value, inverted.high, inverted.low)

    def times(self, other: "Estimate") -> "Estimate":
        """The product; its interval is that of the far ends of both."""
        if self.low is None or other.low is None:
            return Estimate(self.value * other.value)
        return Estimate(self.value * other.value, self.low * other.low, self.high * other.high)

    def plus(self, other: "Estimate") -> "Estimate":
        if self.low is None or other.low is None:
            return Estimate(self.value + other.value)
        return Estimate(self.value + other.value, self.low + other.low, self.high + other.high)

    def _map(self, function) -> "Estimate":
        if self.low is None:
            return Estimate(function(self.value))
        return Estimate(function(self.value), function(self.low), function(self.high))


def decimals_of(value: float, digits: int) -> int:
    """Number of decimals with which a value has `digits` significant digits."""
    if value == 0 or not math.isfinite(value):
        return 0
    exponent = int(f"{abs(value):.{digits - 1}e}".split("e")[1])
    return max(0, digits - 1 - exponent)


def number(value: float, digits: int = 3) -> str:
    """The value with significant digits and without an exponent."""
    return f"{value:.{decimals_of(value, digits)}f}"


def written(estimate: Estimate, interval: str, digits: int, suffix: str = "") -> str:
    """The value, its interval (`interval` is "only") or both ("also")."""
    text = number(estimate.value, digits) + suffix
    if interval == "no" or estimate.low is None:
        return "" if interval == "only" else text
    decimals = decimals_of(estimate.value, digits)
    low, high = f"{estimate.low:.{decimals}f}", f"{estimate.high:.{decimals}f}"
    return f"{low} – {high}" if interval == "only" else f"{text} [{low}, {high}]"
