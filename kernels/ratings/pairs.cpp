// Loops over the pairs of players that met.

#include "core/bindings.hpp"
#include "core/blas.hpp"
#include "core/linalg.hpp"
#include "core/numbers.hpp"
#include "ratings/groups.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

using Place = std::int32_t;

// A crosstable without its zeros; see `maxin.ratings.fitting.pairs`.
struct Pairs {
    KeptLine<const Int> begins;
    KeptLine<const Place> others;
    KeptLine<const double> points, games;

    Int n_players() const { return begins.size - 1; }
};

using PairArrays = std::tuple<NewInts, NewLine<Place>, NewFloats, NewFloats>;  // of `Pairs`

// The first match with an unknown player, one player twice or an invalid score; -1 if none.
Int first_bad_match(ConstInts first, ConstInts second, ConstFloats scores, Int n_players) {
    for (Int match = 0; match < first.size; match++) {
        Int i = first[match], j = second[match];
        bool is_known = 0 <= i && i < n_players && 0 <= j && j < n_players && i != j;
        bool is_score = 0.0 <= scores[match] && scores[match] <= 1.0;  // NaN fails both
        if (!is_known || !is_score) return match;
    }
    return -1;
}

// Add every result to the crosstable: points[i, j] are i's points against j.
void count_points(ConstInts first, ConstInts second, ConstFloats scores, Matrix points) {
    for (Int match = 0; match < first.size; match++) {
        points(first[match], second[match]) += scores[match];
        points(second[match], first[match]) += 1.0 - scores[match];
    }
}

// Rows of pairs, sorted by their lower player, who comes first.
struct SortedRows {
    NewInts ends;  // where the rows of each player end
    NewLine<Place> others;
    NewFloats won, played;
};

SortedRows sorted_rows(ConstInts first, ConstInts second, ConstFloats points, ConstFloats games,
                       Int n_players) {
    Int n_rows = first.size;
    SortedRows rows = {NewInts(n_players + 1, 0), NewLine<Place>(n_rows), NewFloats(n_rows),
                       NewFloats(n_rows)};
    for (Int row = 0; row < n_rows; row++) rows.ends[std::min(first[row], second[row]) + 1]++;
    std::partial_sum(rows.ends.begin(), rows.ends.end(), rows.ends.begin());
    for (Int row = 0; row < n_rows; row++) {
        auto [low, high] = std::minmax(first[row], second[row]);
        Int place = rows.ends[low]++;  // from where the player's rows begin to where they end
        rows.others[place] = Place(high);
        rows.won[place] = first[row] < second[row] ? points[row] : games[row] - points[row];
        rows.played[place] = games[row];
    }
    return rows;
}

// The first values of a line.
template <class T>
NewLine<T> first_of(Line<T> line, Int size) {
    return copied(Line<T>(line.data, size));
}

// Add up the rows of each pair; returns the arrays of `Pairs`, the lower player first.
//
// The pairs of a player are in the order in which they first met, and replace its rows in place:
// there are never more pairs than rows.
PairArrays count_pairs(ConstInts first, ConstInts second, ConstFloats points, ConstFloats games,
                       Int n_players) {
    auto [ends, others, won, played] = sorted_rows(first, second, points, games, n_players);
    NewInts begins(n_players + 1, 0), slots(n_players, -1);  // where the pair with each other is
    Int n_pairs = 0, place = 0;
    for (Int i = 0; i < n_players; i++) {
        for (; place < ends[i]; place++) {
            Int slot = slots[others[place]];
            if (slot < begins[i]) {
                slots[others[place]] = n_pairs;
                others[n_pairs] = others[place];
                won[n_pairs] = won[place], played[n_pairs] = played[place];
                n_pairs++;
            } else {
                won[slot] += won[place];
                played[slot] += played[place];
            }
        }
        begins[i + 1] = n_pairs;
    }
    return {std::move(begins), first_of(others, n_pairs), first_of(won, n_pairs),
            first_of(played, n_pairs)};
}

// The arrays of `Pairs` of a crosstable, the lower player first.
PairArrays pairs_of_table(ConstMatrix points) {
    Int n_players = points.n_rows;
    NewMatrix mirrored = transposed(points);
    NewInts begins(n_players + 1, 0);
    for (Int i = 0; i < n_players; i++) {
        begins[i + 1] = begins[i];
        for (Int j = i + 1; j < n_players; j++) begins[i + 1] += points(i, j) + mirrored(i, j) != 0;
    }
    Int n_pairs = begins[n_players], place = 0;
    NewLine<Place> others(n_pairs);
    NewFloats won(n_pairs), played(n_pairs);
    for (Int i = 0; i < n_players; i++) {
        for (Int j = i + 1; j < n_players; j++) {
            if (points(i, j) + mirrored(i, j) == 0.0) continue;
            others[place] = Place(j);
            won[place] = points(i, j), played[place] = points(i, j) + mirrored(i, j);
            place++;
        }
    }
    return {std::move(begins), std::move(others), std::move(won), std::move(played)};
}

// The points that each player won, and lost, in all its games.
std::pair<NewFloats, NewFloats> totals(const Pairs &pairs) {
    NewFloats won(pairs.n_players(), 0.0), lost(pairs.n_players(), 0.0);
    for (Int i = 0; i < pairs.n_players(); i++) {
        double mine = 0.0, theirs = 0.0;
        for (Int place = pairs.begins[i]; place < pairs.begins[i + 1]; place++) {
            Int j = pairs.others[place];
            double points = pairs.points[place];
            mine += points;
            theirs += pairs.games[place] - points;
            lost[j] += points;
            won[j] += pairs.games[place] - points;
        }
        won[i] += mine;
        lost[i] += theirs;
    }
    return {std::move(won), std::move(lost)};
}

// A label 0, 1, ... per player; players connected by matches have the same label.
NewInts connected_groups(const Pairs &pairs) {
    NewInts parents(pairs.n_players());
    std::iota(parents.begin(), parents.end(), 0);
    for (Int i = 0; i < parents.size; i++) {
        for (Int place = pairs.begins[i]; place < pairs.begins[i + 1]; place++) {
            Int one = root_of(i, parents), two = root_of(pairs.others[place], parents);
            parents[std::max(one, two)] = std::min(one, two);
        }
    }
    Int n_groups = 0;
    for (Int player = 0; player < parents.size; player++) {  // a root is the lowest of its group
        bool is_root = parents[player] == player;
        parents[player] = is_root ? n_groups++ : parents[parents[player]];
    }
    return parents;
}

// exp(-gap) without overflow: without a branch, which processors would guess wrong.
double odds_against(double gap) { return std::min(std::exp(-gap), 1e300); }

// Fill in the gradient of the log-likelihood, and the weight g p (1 - p) of every pair.
//
// The model is logit P(i beats j) = r_i - r_j + advantage. `given[i]` is the sum of the weights
// of the pairs that i comes first in, and `taken[i]` of those that it comes second in.
//
// If no rating is extreme, the odds are a product, exp(r_j) exp(-r_i - advantage): an exponential
// per player instead of one per pair.
void log_likelihood_slope(ConstFloats ratings, double advantage, const Pairs &pairs, Floats slope,
                          Floats weights, Floats given, Floats taken) {
    fill(slope, 0.0);
    fill(taken, 0.0);
    bool is_moderate = largest_size(ratings) + std::abs(advantage) < 300.0;
    NewFloats strengths(ratings.size);
    for (Int i = 0; i < ratings.size; i++) strengths[i] = std::exp(ratings[i]);
    for (Int i = 0; i < ratings.size; i++) {
        double against = std::exp(-ratings[i] - advantage), surprises = 0.0, total = 0.0;
        for (Int place = pairs.begins[i]; place < pairs.begins[i + 1]; place++) {
            Int j = pairs.others[place];
            double odds = is_moderate ? strengths[j] * against
                                      : odds_against(ratings[i] - ratings[j] + advantage);
            double chance = 1.0 / (1.0 + odds);
            double surprise = pairs.points[place] - pairs.games[place] * chance;
            double weight = pairs.games[place] * (odds * chance * chance);
            surprises += surprise;
            slope[j] -= surprise;
            weights[place] = weight;
            total += weight;
            taken[j] += weight;
        }
        slope[i] += surprises;
        given[i] = total;
    }
}

// The most probable first-seat advantage a for given ratings.
//
// The model is logit P(first i beats second j) = r_i - r_j + a; `precision` belongs to the prior
// of a. Newton's method takes steps of at most one nat. Over one nat, the variance of a score
// changes by at most a factor of e, so every step brings the slope nearer to zero. When the
// slope no longer falls, only rounding errors are left.
double first_seat_advantage(ConstFloats ratings, const Pairs &pairs, double precision, double start,
                            double tolerance) {
    double a = start, last = INFINITE;
    while (true) {
        double slope = -precision * a, stiffness = precision;
        for (Int i = 0; i < ratings.size; i++) {
            for (Int place = pairs.begins[i]; place < pairs.begins[i + 1]; place++) {
                double games = pairs.games[place];
                double odds = odds_against(ratings[i] - ratings[pairs.others[place]] + a);
                double chance = 1.0 / (1.0 + odds);
                slope += pairs.points[place] - games * chance;
                stiffness += games * (odds * chance * chance);
            }
        }
        if (!(std::abs(slope) < last)) return a;
        last = std::abs(slope);
        double step = clipped(slope / stiffness, -1.0, 1.0);
        a += step;
        if (std::abs(step) <= tolerance) return a;
    }
}

// The matrix D - W - h h' / c; see `maxin.ratings.fitting.curvature`.
struct Curvature {
    const Pairs &pairs;
    ConstFloats weights, diagonal, mixed;
    double stiffness;

    // Multiply it by a vector.
    void multiply(ConstFloats vector, Floats image) const {
        double level = dot(mixed, vector) / stiffness;
        for (Int i = 0; i < vector.size; i++) image[i] = diagonal[i] * vector[i] - level * mixed[i];
        for (Int i = 0; i < vector.size; i++) {
            double here = vector[i], total = 0.0;
            for (Int place = pairs.begins[i]; place < pairs.begins[i + 1]; place++) {
                Int j = pairs.others[place];
                total += weights[place] * vector[j];
                image[j] -= weights[place] * here;
            }
            image[i] -= total;
        }
    }

    // Its lower triangle; the upper one is zero.
    NewMatrix dense() const {
        Int n_players = diagonal.size;
        NewMatrix matrix(n_players, n_players, 0.0);
        for (Int i = 0; i < n_players && stiffness < INFINITE; i++) {
            for (Int j = i; j < n_players; j++) matrix(i, j) = -mixed[i] * mixed[j] / stiffness;
        }
        for (Int i = 0; i < n_players; i++) {
            matrix(i, i) += diagonal[i];
            for (Int place = pairs.begins[i]; place < pairs.begins[i + 1]; place++) {
                Int j = pairs.others[place];
                matrix(std::min(i, j), std::max(i, j)) -= weights[place];  // as memory is read
            }
        }
        return transposed(matrix);
    }
};

// Solve with a curvature; returns the solution, and whether it was found within `limit`.
//
// The residual is measured in the norm of D^-1, which also preconditions: where players have met
// many others, W is small beside D, and a few rounds are enough.
std::pair<NewFloats, bool> conjugate_gradients(const Curvature &curvature, ConstFloats right,
                                               double accuracy, Int limit) {
    Int n_players = right.size;
    NewFloats solution(n_players, 0.0), scaled(n_players), image(n_players);
    NewFloats residual = copied(right);
    for (Int i = 0; i < n_players; i++) scaled[i] = residual[i] / curvature.diagonal[i];
    NewFloats direction = copied(scaled);
    double size = dot(residual, scaled), goal = accuracy * accuracy * size;
    for (Int n_rounds = 0; size > goal && n_rounds < limit; n_rounds++) {
        curvature.multiply(direction, image);
        double length = size / dot(direction, image), last = size;
        for (Int i = 0; i < n_players; i++) {
            solution[i] += length * direction[i];
            residual[i] -= length * image[i];
            scaled[i] = residual[i] / curvature.diagonal[i];
        }
        size = dot(residual, scaled);
        double turn = size / last;
        for (Int i = 0; i < n_players; i++) direction[i] = scaled[i] + turn * direction[i];
    }
    return {std::move(solution), size <= goal};
}

// Add each group's amount to the entries of its pairs of players, in the lower triangle.
void add_to_groups(Matrix matrix, ConstInts labels, ConstFloats amounts) {
    for (Int i = 0; i < labels.size; i++) {
        for (Int j = 0; j <= i; j++) {
            if (labels[i] == labels[j]) matrix(i, j) += amounts[labels[i]];
        }
    }
}

void bind_curvature(nb::module_ &room) {
    room.def("curvature_product",
             [](const Pairs &pairs, ConstFloats weights, ConstFloats diagonal, ConstFloats mixed,
                double stiffness, ConstFloats vector, Floats image) {
                 Curvature{pairs, weights, diagonal, mixed, stiffness}.multiply(vector, image);
             });
    room.def(
        "dense_curvature",
        [](const Pairs &pairs, ConstFloats weights, ConstFloats diagonal, ConstFloats mixed,
           double stiffness) {
            return Curvature{pairs, weights, diagonal, mixed, stiffness}.dense();
        },
        Unlocked());
    room.def(
        "conjugate_gradients",
        [](const Pairs &pairs, ConstFloats weights, ConstFloats diagonal, ConstFloats mixed,
           double stiffness, ConstFloats right, double accuracy, Int limit) {
            Curvature curvature = {pairs, weights, diagonal, mixed, stiffness};
            return conjugate_gradients(curvature, right, accuracy, limit);
        },
        Unlocked());
}

}  // namespace

void bind_pairs(nb::module_ &room) {
    ArrayClass<Pairs>(room, "PairArrays")
        .field("begins", &Pairs::begins)
        .field("others", &Pairs::others)
        .field("points", &Pairs::points)
        .field("games", &Pairs::games)
        .done();
    room.def("first_bad_match", &first_bad_match);
    room.def("count_points", &count_points, Unlocked());
    room.def("count_pairs", &count_pairs, Unlocked());
    room.def("pairs_of_table", &pairs_of_table, Unlocked());
    room.def("totals", &totals, Unlocked());
    room.def("root_of", &root_of);
    room.def("connected_groups", &connected_groups, Unlocked());
    room.def("log_likelihood_slope", &log_likelihood_slope, Unlocked());
    room.def("first_seat_advantage", &first_seat_advantage, Unlocked());
    room.def("add_to_groups", &add_to_groups, Unlocked());
    bind_curvature(room);
}

}  // namespace maxin
