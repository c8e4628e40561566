// Pair widths.
//
// `base(x, y)` is the squared width of a pair at the last exact inverse G. Each match (a, b) since
// then is a step u = G (e_a - e_b) / sqrt(1 + width^2), which lowers every squared width by
// (u_x - u_y)^2. A row catches up with the steps only when it is needed. Until then it holds upper
// bounds, because widths never grow.

#include "core/bindings.hpp"
#include "core/loops.hpp"
#include "core/numbers.hpp"
#include "ratings/groups.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

enum WidthCount { STEPS, TOUCHED };  // indices of `counts`

struct Widths {
    KeptTable<const double> base;  // squared widths of the settled matches
    KeptTable<double> rows;        // the same after some of the steps
    KeptLine<Int> version;         // how many steps each row has taken; -1 if it is not even copied
    KeptTable<double> steps;       // one vector per step; there may be room for more
    KeptLine<double> reach;        // an upper bound of the largest width in each row
    KeptLine<double> bounds;       // the same among candidates; -1 for other players
    KeptLine<Int> counts;  // how many steps there are, and how many widths were brought up to date

    Int n_steps() const { return counts[STEPS]; }
};

// The squared widths G_xx + G_yy - 2 G_xy of all pairs.
//
// G is zero between groups. Within a group it is `inverse` plus the level of its label.
NewMatrix resistances(ConstMatrix inverse, ConstInts labels, ConstFloats levels) {
    NewMatrix squares(inverse.n_rows, inverse.n_rows);
    for (Int x = 0; x < squares.n_rows; x++) {
        for (Int y = 0; y < squares.n_rows; y++) {
            bool is_mate = labels[x] == labels[y];
            double more = is_mate ? -2.0 * inverse(x, y) : levels[labels[x]] + levels[labels[y]];
            squares(x, y) = inverse(x, x) + inverse(y, y) + more;
        }
        squares(x, x) = 0.0;
    }
    return squares;
}

// The width in units of 1e-9, rounded, so that rounding errors do not break ties.
double rounded_width(double square) { return std::floor(std::sqrt(square) * 1e9 + 0.5); }

// Bring row `x` of the squared widths up to date; returns how many entries changed.
//
// `reach[x]` becomes the largest rounded width of the row, an upper bound from then on.
Int refresh_row(Widths &widths, Int x) {
    Int step = widths.version[x];
    if (step == widths.n_steps()) return 0;
    Floats row = widths.rows[x];
    if (step < 0) {
        copy(widths.base[x], row);
        step = 0;
    }
    for (; step + 4 <= widths.n_steps(); step += 4) {
        take_four_steps(row, {widths.steps[step].data, 4, row.size}, x);
    }
    for (; step < widths.n_steps(); step++) take_step(row, widths.steps[step], x);
    widths.version[x] = widths.n_steps();
    widths.reach[x] = rounded_width(largest(row));
    return row.size;
}

// Append the step of a match (a, b): u = G (e_a - e_b) / sqrt(1 + width^2), up to a constant.
//
// G_xa - G_xb = (width_xb^2 - width_xa^2) / 2 + constant, and only differences of u matter.
void add_step(Widths &widths, Int a, Int b) {
    refresh_row(widths, a);
    refresh_row(widths, b);
    double scale = 0.5 / std::sqrt(1.0 + widths.rows(a, b));
    Floats step = widths.steps[widths.counts[STEPS]++], at_a = widths.rows[a],
           at_b = widths.rows[b];
    for (Int x = 0; x < step.size; x++) step[x] = (at_b[x] - at_a[x]) * scale;
}

// The squared width at which advantage + exploration * width is 0; -1 if it always is above.
NewMatrix floors_below(ConstMatrix advantages, double exploration) {
    NewMatrix floors(advantages.n_rows, advantages.n_columns);
    for (Int x = 0; x < floors.n_rows; x++) {
        fill_floors(advantages[x], exploration, floors[x]);
        floors(x, x) = -1.0;
    }
    return floors;
}

// Like `floors_below`, for advantages that are rating differences.
NewMatrix floors_of_ratings(ConstFloats ratings, double exploration) {
    NewMatrix floors(ratings.size, ratings.size);
    NewFloats advantages(ratings.size);
    for (Int x = 0; x < ratings.size; x++) {
        for (Int y = 0; y < ratings.size; y++) advantages[y] = ratings[x] - ratings[y];
        fill_floors(advantages, exploration, floors[x]);
        floors(x, x) = -1.0;
    }
    return floors;
}

// The candidate with the largest width, the lowest one in a tie; -1 if there is none.
//
// `squares` are the squared widths against one player, whose own is zero. Candidates are the
// players with a bound that is not negative.
Int widest_rival(ConstFloats squares, ConstFloats bounds) {
    double widest = largest_within(squares, bounds);
    if (widest <= 0.0) return -1;
    double level = square((rounded_width(widest) - 0.5) * 1e-9);  // the least that rounds the same
    Int y = 0;
    while (bounds[y] < 0.0 || squares[y] < std::min(level, widest) || squares[y] <= 0.0) y++;
    return y;
}

// The sizes of groups: of the smallest, of the smallest but for that one, and of the biggest.
struct GroupSizes {
    Int smallest, second, biggest;
};

GroupSizes group_sizes(ConstInts parents, ConstInts sizes) {
    GroupSizes found = {parents.size, parents.size, 0};
    for (Int player = 0; player < parents.size; player++) {
        if (parents[player] != player) continue;
        Int size = sizes[player];
        found.second = std::min(found.second, std::max(found.smallest, size));
        found.smallest = std::min(found.smallest, size);
        found.biggest = std::max(found.biggest, size);
    }
    return found;
}

// Lower the bounds of `widest_pair` to what sizes of unconnected groups allow.
//
// Players of groups of a and b players have a squared width of 1 / (ridge a) + 1 / (ridge b) plus
// their resistances to the others in their groups, which are below a and b. The other player's
// group is the smallest other one at best. `sizes` holds the sizes at the roots of `parents`.
void cap_bounds(Floats bounds, Ints parents, ConstInts sizes, double ridge) {
    auto [smallest, second, biggest] = group_sizes(parents, sizes);
    for (Int x = 0; x < bounds.size; x++) {
        if (bounds[x] < 0.0) continue;
        Int size = sizes[root_of(x, parents)], other = size == smallest ? second : smallest;
        double square = (1.0 / double(size) + 1.0 / double(other)) / ridge;
        square += double(size);
        square += double(biggest);
        bounds[x] = std::min(bounds[x], rounded_width(square));
    }
}

// The pair of candidates with the largest width; (x, x) if x is the only one, or (-1, -1).
//
// Player x is a candidate while its squared width against y is above `floors(x, y)` for all y.
// `bounds[x]` is an upper bound of x's largest rounded width against a candidate, or -1 once x is
// known not to be one. Both stay true while widths shrink. So bounds are kept between calls, and
// only players with the largest bound are examined.
std::pair<Int, Int> widest_pair(Widths &widths, ConstMatrix floors) {
    const auto &bounds = widths.bounds;
    while (true) {
        double top = largest(bounds);
        if (top < 0.0) return {-1, -1};
        Int x = std::find(bounds.begin(), bounds.end(), top) - bounds.begin();
        ConstFloats row = widths.rows[x];
        if (widths.version[x] < 0) row = widths.base[x];
        if (is_beaten(row, floors[x])) {
            bounds[x] = -1.0;  // up to date or not: if the upper bound is too low, so is the width
            continue;
        }
        if (widths.version[x] != widths.n_steps()) {
            widths.counts[TOUCHED] += refresh_row(widths, x);
            bounds[x] = std::min(top, widths.reach[x]);
            continue;
        }
        Int y = widest_rival(widths.rows[x], bounds);
        if (y < 0) return {x, x};
        double width = rounded_width(widths.rows(x, y));
        if (width < top) {
            bounds[x] = width;
            continue;
        }
        widths.counts[TOUCHED] += refresh_row(widths, y);
        if (!is_beaten(widths.rows[y], floors[y])) return {x, y};
        bounds[y] = -1.0;
    }
}

}  // namespace

void bind_widths(nb::module_ &room) {
    room.attr("STEPS") = Int(STEPS);
    room.attr("TOUCHED") = Int(TOUCHED);
    ArrayClass<Widths>(room, "Widths")
        .field("base", &Widths::base)
        .field("rows", &Widths::rows)
        .field("version", &Widths::version)
        .field("steps", &Widths::steps)
        .field("reach", &Widths::reach)
        .field("bounds", &Widths::bounds)
        .field("counts", &Widths::counts)
        .done();
    room.def("resistances", &resistances, Unlocked());
    room.def("refresh_row", &refresh_row);
    room.def("add_step", &add_step);
    room.def("floors_below", &floors_below);
    room.def("floors_of_ratings", &floors_of_ratings);
    room.def("is_beaten", &is_beaten);
    room.def("largest", &largest);
    room.def("rounded_width", &rounded_width);
    room.def("widest_rival", &widest_rival);
    room.def("cap_bounds", &cap_bounds);
    room.def("widest_pair", &widest_pair);
}

}  // namespace maxin
