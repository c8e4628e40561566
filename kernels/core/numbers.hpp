// Functions of numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/arrays.hpp"

namespace maxin {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// 1 / (1 + exp(-x)) without overflow.
inline double sigmoid(double x) {
    if (x >= 0.0) return 1.0 / (1.0 + std::exp(-x));
    double odds = std::exp(x);
    return odds / (1.0 + odds);
}

// P(a normal variable with this variance is larger than its mean by `gap`).
inline double normal_tail(double gap, double variance) {
    return 0.5 * std::erfc(gap / std::sqrt(2.0 * variance));
}

// E[(X - gap)+] of a normal X with mean 0 and this variance: by how much it exceeds `gap`, on
// average.
inline double mean_excess(double gap, double variance) {
    double deviation = std::sqrt(variance), z = gap / deviation;
    double density = std::exp(-0.5 * z * z) * 0.3989422804014327;  // 1 / sqrt(2 pi)
    return std::max(deviation * density - gap * normal_tail(gap, variance), 0.0);
}

// Phi(x) = P(a standard normal variable is at most x).
inline double normal_cdf(double x) { return normal_tail(-x, 1.0); }

inline NewFloats normal_cdf(ConstFloats values) {
    NewFloats chances(values.size);
    for (Int x = 0; x < values.size; x++) chances[x] = normal_cdf(values[x]);
    return chances;
}

// The x with P(T <= x) = chance >= 1/2, for Student's T with at least ten degrees of freedom.
double student_quantile(double freedom, double chance);

inline double square(double x) { return x * x; }

// The value, or the end of the interval that is nearest to it.
inline double clipped(double value, double low, double high) {
    return std::min(std::max(value, low), high);
}

template <class T>
double largest_size(Line<T> values) {
    double largest = 0.0;
    for (double value : values) largest = std::max(largest, std::abs(value));
    return largest;
}

}  // namespace maxin
