// Elo and mElo: for one result, and for a batch of results.

#include "core/bindings.hpp"
#include "core/numbers.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

// r_i - r_j + c_i' Omega c_j; column 0 holds r, columns (1, 2), (3, 4), ... planes of c.
double advantage(ConstMatrix parameters, Int i, Int j) {
    double total = parameters(i, 0) - parameters(j, 0);
    for (Int plane = 1; plane < parameters.n_columns; plane += 2) {
        total += parameters(i, plane) * parameters(j, plane + 1);
        total -= parameters(i, plane + 1) * parameters(j, plane);
    }
    return total;
}

// Add `scale` times the gradient of one result's log-likelihood at `parameters` to `target`.
void add_surprise(Matrix target, ConstMatrix parameters, Int i, Int j, double score, double scale) {
    double amount = scale * (score - sigmoid(advantage(parameters, i, j)));
    target(i, 0) += amount;
    target(j, 0) -= amount;
    for (Int plane = 1; plane < parameters.n_columns; plane += 2) {
        target(i, plane) += amount * parameters(j, plane + 1);
        target(i, plane + 1) -= amount * parameters(j, plane);
        target(j, plane) -= amount * parameters(i, plane + 1);
        target(j, plane + 1) += amount * parameters(i, plane);
    }
}

// Gradient of the log-likelihood of the results with respect to every parameter.
NewMatrix log_likelihood_gradient(ConstMatrix parameters, ConstInts first, ConstInts second,
                                  ConstFloats scores) {
    NewMatrix gradient(parameters.n_rows, parameters.n_columns, 0.0);
    for (Int match = 0; match < first.size; match++) {
        add_surprise(gradient, parameters, first[match], second[match], scores[match], 1.0);
    }
    return gradient;
}

// Sum of the losses of Eq. elo-objective; their gradient is added to `slope`. A loss has a term
// log(1 + exp(-|lead|)), and the sum of these is the logarithm of a product.
double likelihood_loss(ConstFloats ratings, ConstInts first, ConstInts second, ConstFloats scores,
                       Floats slope) {
    double total = 0.0, product = 1.0;
    for (Int match = 0; match < first.size; match++) {
        Int i = first[match], j = second[match];
        double lead = ratings[i] - ratings[j];
        double tail = std::exp(-std::abs(lead));  // never overflows
        double chance = (lead > 0.0 ? 1.0 : tail) / (1.0 + tail);
        product *= 1.0 + tail;  // at most 2
        if (product > 1e300) {
            total += std::log(product);
            product = 1.0;
        }
        total += std::max(lead, 0.0) - scores[match] * lead;
        slope[i] += chance - scores[match];
        slope[j] -= chance - scores[match];
    }
    return total + std::log(product);
}

}  // namespace

void bind_elo(nb::module_ &room) {
    room.def("advantage", &advantage);
    room.def("add_surprise", &add_surprise);
    room.def("log_likelihood_gradient", &log_likelihood_gradient);
    room.def("likelihood_loss", &likelihood_loss);
}

}  // namespace maxin
