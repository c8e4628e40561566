// The stopping rule.

#include "core/bindings.hpp"
#include "core/numbers.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

constexpr double LEAST_VARIANCE = 1e-300;  // stands for none
constexpr double EARLY = 0.5;  // nats that a shortfall is compared with, per nat^2 of variance

// What is claimed of the rows (i, j) of `claims`, those of one i together: i is above j.
struct Claims {
    double doubt = 0.0;      // the sum of P(t_j > t_i + tolerance)
    double shortfall = 0.0;  // the sum of E[(t_j - t_i - tolerance)+]
    double strain =
        0.0;  // the sum over i of the largest shortfall, each by what it is compared with
};

// A shortfall is compared with the tolerance, or with V / 2 while the variance V is large.
std::tuple<double, double, double> claimed(ConstFloats strengths, ConstMatrix covariance,
                                           Rows claims, double tolerance) {
    Claims found;
    double largest = 0.0;  // of the same i
    for (Int place = 0; place < claims.n_rows; place++) {
        Int i = claims(place, 0), j = claims(place, 1);
        double variance = covariance(i, i) - 2.0 * covariance(i, j) + covariance(j, j);
        variance = std::max(variance, LEAST_VARIANCE);
        double gap = strengths[i] - strengths[j] + tolerance;
        double shortfall = mean_excess(gap, variance);
        if (place > 0 && claims(place - 1, 0) != i) found.strain += largest, largest = 0.0;
        largest = std::max(largest, shortfall / std::max(tolerance, EARLY * variance));
        found.doubt += normal_tail(gap, variance);
        found.shortfall += shortfall;
    }
    return {found.doubt, found.shortfall, found.strain + largest};
}

}  // namespace

void bind_stopping(nb::module_ &room) {
    room.attr("EARLY") = EARLY;
    room.def("claimed", &claimed);
}

}  // namespace maxin
