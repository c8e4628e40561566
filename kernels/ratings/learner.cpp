// The Bradley-Terry learner, which takes one result at a time.

#include "core/bindings.hpp"
#include "core/loops.hpp"
#include "core/numbers.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

// Correct the inverse Hessian for one more match and take the Newton step.
//
// At the old maximum the gradient was zero, so the new gradient is this match's surprise alone.
void bradley_terry_nudge(Floats ratings, Matrix inverse, Int i, Int j, double score) {
    double expected = sigmoid(ratings[i] - ratings[j]);
    double weight = expected * (1.0 - expected);
    NewFloats reach = copied(inverse[i]);
    subtract(reach, 1.0, inverse[j]);
    double between = reach[i] - reach[j];
    double shrink = weight / (1.0 + weight * between);
    subtract_outer(inverse, shrink, reach);
    double step = (score - expected) * (1.0 - shrink * between);
    for (Int x = 0; x < ratings.size; x++) ratings[x] += step * reach[x];
}

// A symmetric matrix times a vector; at this size, BLAS's threads would cost more than help.
NewFloats symmetric_product(ConstMatrix matrix, ConstFloats vector) {
    NewFloats image(vector.size, 0.0);
    for (Int row = 0; row < vector.size; row++) subtract(image, -vector[row], matrix[row]);
    return image;
}

// Repeat r += inverse @ gradient until a step is within `tolerance`, and return true.
//
// Returns false as soon as a step is more than half as long as the last one: `inverse` is then
// too inaccurate. `pairs[:n_pairs]` are the pairs that met, and `tallies[:n_pairs]` their
// (points of the first player, matches).
bool bradley_terry_refine(Floats ratings, ConstMatrix inverse, Rows pairs, ConstMatrix tallies,
                          Int n_pairs, double precision, double tolerance) {
    NewFloats slope(ratings.size);
    for (double last = INFINITE;;) {
        for (Int x = 0; x < slope.size; x++) slope[x] = -precision * ratings[x];
        for (Int pair = 0; pair < n_pairs; pair++) {
            Int i = pairs(pair, 0), j = pairs(pair, 1);
            double expected = tallies(pair, 1) * sigmoid(ratings[i] - ratings[j]);
            slope[i] += tallies(pair, 0) - expected;
            slope[j] -= tallies(pair, 0) - expected;
        }
        NewFloats step = symmetric_product(inverse, slope);
        double size = largest_size(step);
        if (!(size <= 0.5 * last)) return false;
        for (Int x = 0; x < step.size; x++) ratings[x] += step[x];
        if (size <= tolerance) return true;
        last = size;
    }
}

}  // namespace

void bind_learner(nb::module_ &room) {
    room.def("bradley_terry_nudge", &bradley_terry_nudge);
    room.def("symmetric_product", &symmetric_product);
    room.def("bradley_terry_refine", &bradley_terry_refine);
}

}  // namespace maxin
