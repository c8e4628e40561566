// The stopping rule.

#include "core/bindings.hpp"
#include "core/numbers.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

constexpr double LEAST_VARIANCE = 1e-300;  // stands for none
constexpr double FIRST_LOOK = 0.1;  // nats^2: the variance of a difference from which looks count

// The sum over the rows (i, j) of `claims` of P(j is stronger than i by over `tolerance`).
//
// And the same with every term times looks^2, where looks = 1 + log(1 + 0.1 / V) and V is the
// variance of the difference.
std::pair<double, double> doubt(ConstFloats strengths, ConstMatrix covariance, Rows claims,
                                double tolerance) {
    double total = 0.0, looked = 0.0;
    for (Int place = 0; place < claims.n_rows; place++) {
        Int i = claims(place, 0), j = claims(place, 1);
        double variance = covariance(i, i) - 2.0 * covariance(i, j) + covariance(j, j);
        variance = std::max(variance, LEAST_VARIANCE);
        double chance = normal_tail(strengths[i] - strengths[j] + tolerance, variance);
        total += chance;
        looked += chance * square(1.0 + std::log1p(FIRST_LOOK / variance));
    }
    return {total, looked};
}

}  // namespace

void bind_stopping(nb::module_ &room) {
    room.attr("FIRST_LOOK") = FIRST_LOOK;
    room.def("doubt", &doubt);
}

}  // namespace maxin
