#include "core/numbers.hpp"

namespace maxin {
namespace {

constexpr int PANELS = 1024, MOST_STEPS = 200;
constexpr double PRECISE = 1e-14, FAR = 500.0;
constexpr double PI = 3.141592653589793;

// Simpson's rule between two points.
template <class Function>
double integral(Function function, double low, double high) {
    double half = (high - low) / (2 * PANELS), total = function(low) - function(high);
    for (int panel = 0; panel < PANELS; panel++) {
        double middle = low + (2 * panel + 1) * half;
        total += 4.0 * function(middle) + 2.0 * function(middle + half);
    }
    return total * half / 3.0;
}

// log Gamma(x + 1/2) - log Gamma(x); far out by its series, where the two are large and cancel.
double log_gamma_step(double x) {
    if (x < FAR) return std::lgamma(x + 0.5) - std::lgamma(x);
    return 0.5 * std::log(x) - 1.0 / (8.0 * x) + 1.0 / (192.0 * x * x * x);
}

}  // namespace

// Newton's steps start at the median, where half of the chance is found. The distribution is
// concave from there on, so they never pass the quantile, and each step adds what lies under it.
double student_quantile(double freedom, double chance) {
    if (chance >= 1.0) return INFINITE;
    double half = freedom / 2.0;
    double log_height = log_gamma_step(half) - 0.5 * std::log(freedom * PI);
    auto density = [=](double x) {
        return std::exp(log_height - (half + 0.5) * std::log1p(square(x) / freedom));
    };
    double x = 0.0, found = 0.5;
    for (int step = 0; step < MOST_STEPS; step++) {
        double next = x + (chance - found) / density(x);
        if (next - x <= PRECISE * next) return next;
        found += integral(density, x, next);
        x = next;
    }
    return x;
}

}  // namespace maxin
