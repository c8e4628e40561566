// Connect four: players who judge each move by a few features, and players who search.
//
// A player's stones are the bits of a number: bit 7 c + r is row r, counted from below, of column
// c. Bit 7 c + 6 is above the board and never set, so no line runs from one column into the next.
// `mine` are the stones of the player to move, `theirs` those of the other.

#include <array>

#include "core/bindings.hpp"
#include "core/numbers.hpp"
#include "core/random.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

using Stones = std::uint64_t;

constexpr int COLUMNS = 7, HEIGHT = 6;
constexpr int STRIDE = HEIGHT + 1;                                 // bits per column
constexpr Stones COLUMN = (1u << HEIGHT) - 1;                      // the cells of column 0
constexpr int DIRECTIONS[] = {1, STRIDE, STRIDE - 1, STRIDE + 1};  // up, right, and both ways
constexpr int CENTRE_FIRST[] = {3, 2, 4, 1, 5, 0, 6};  // central columns are in more lines
constexpr int WIN = 1'000;  // the value of a win, more than any number of open lines
enum Feature { WINS, BLOCKS, GIFTS, COMPANY, TASTE };  // places of weights; a taste per column

constexpr Stones full_board() {
    Stones full = 0;
    for (int column = 0; column < COLUMNS; column++) full |= COLUMN << STRIDE * column;
    return full;
}
constexpr Stones FULL = full_board();

// The cell, as a bit, where a stone dropped into the column lands; 0 if the column is full.
Stones landing(Stones taken, int column) {
    int shift = STRIDE * column;
    return (taken + (Stones(1) << shift)) & (COLUMN << shift);
}

// Whether four of the stones are in a line.
bool has_four(Stones stones) {
    for (int step : DIRECTIONS) {
        Stones pairs = stones & (stones >> step);
        if (pairs & (pairs >> 2 * step)) return true;
    }
    return false;
}

// How many of the board's 69 lines of four the stones fill.
int count_fours(Stones stones) {
    int count = 0;
    for (int step : DIRECTIONS) {
        Stones pairs = stones & (stones >> step);
        for (Stones fours = pairs & (pairs >> 2 * step); fours; fours &= fours - 1) count++;
    }
    return count;
}

// The weighted sum of a move's features; minus infinity if the column is full.
//
// The features: it makes four; it takes a cell where the other would make four; the other makes
// four on top of it; how many own stones are next to it; and the taste for its column.
double judgement(Stones mine, Stones theirs, int column, ConstFloats weights) {
    Stones cell = landing(mine | theirs, column);
    if (cell == 0) return -INFINITE;
    Stones above = (cell << 1) & FULL;
    int company = 0;
    for (int step : DIRECTIONS) {
        company += ((cell << step) & mine) != 0;
        company += ((cell >> step) & mine) != 0;
    }
    return weights[WINS] * has_four(mine | cell) + weights[BLOCKS] * has_four(theirs | cell) -
           weights[GIFTS] * has_four(theirs | above) + weights[COMPANY] * company +
           weights[TASTE + column];
}

// The column that a number in [0, 1) picks, with chances in proportion to exp(judgement).
int chosen_column(Stones mine, Stones theirs, ConstFloats weights, double luck) {
    std::array<double, COLUMNS> chances;
    for (int column = 0; column < COLUMNS; column++) {
        chances[column] = judgement(mine, theirs, column, weights);
    }
    double most = *std::max_element(chances.begin(), chances.end()), total = 0.0;
    for (double &chance : chances) chance = std::exp(chance - most), total += chance;
    double left = luck * total;
    int chosen = -1;
    for (int column = 0; column < COLUMNS; column++) {
        if (chances[column] > 0.0 && left >= 0.0) chosen = column, left -= chances[column];
    }
    return chosen;
}

// One game: the first player's result, 1, 0 or -1.
double played(ConstFloats first, ConstFloats second, Random &random) {
    Stones mine = 0, theirs = 0;
    ConstFloats mover = first, other = second;
    for (double win = 1.0; (mine | theirs) != FULL; win = -win) {
        mine |= landing(mine | theirs, chosen_column(mine, theirs, mover, random.number()));
        if (has_four(mine)) return win;
        std::swap(mine, theirs);
        std::swap(mover, other);
    }
    return 0.0;
}

// The mean result of each player (row), moving first, in games against each other (column).
NewMatrix mean_results(ConstMatrix weights, Int n_games, Random random) {
    NewMatrix results(weights.n_rows, weights.n_rows, 0.0);
    for (Int first = 0; first < weights.n_rows; first++) {
        for (Int second = 0; second < weights.n_rows; second++) {
            if (first == second) continue;
            double total = 0.0;
            for (Int game = 0; game < n_games; game++) {
                total += played(weights[first], weights[second], random);
            }
            results(first, second) = total / double(n_games);
        }
    }
    return results;
}

// The score of the player to move if both play randomly from here.
double playout(Stones mine, Stones theirs, Random &random) {
    double win = 1.0;
    while ((mine | theirs) != FULL) {
        Stones cell = landing(mine | theirs, int(random.number() * COLUMNS));
        if (cell == 0) continue;
        if (has_four(mine | cell)) return win;
        Stones moved = mine | cell;
        mine = theirs, theirs = moved, win = 1.0 - win;
    }
    return 0.5;
}

// The value for the player to move, `depth` moves ahead; exact only within (low, high).
//
// An earlier win has a higher value. Where the search ends, the value is the number of lines
// still open to the player to move, minus those open to the other.
int negamax(Stones mine, Stones theirs, int depth, int low, int high) {
    Stones taken = mine | theirs;
    if (taken == FULL) return 0;
    if (depth == 0) return count_fours(FULL ^ theirs) - count_fours(FULL ^ mine);
    for (int column = 0; column < COLUMNS; column++) {
        if (has_four(mine | landing(taken, column))) return WIN + depth;
    }
    for (int column : CENTRE_FIRST) {
        Stones cell = landing(taken, column);
        if (cell == 0) continue;
        int value = -negamax(theirs, mine | cell, depth - 1, -high, -low);
        if (value >= high) return value;
        low = std::max(low, value);
    }
    return low;
}

// The best column of a search `depth` moves deep, chosen at random among equal ones.
int search_move(Stones mine, Stones theirs, int depth, Random random) {
    int best = -1, best_value = -2 * WIN, n_best = 0;
    for (int column : CENTRE_FIRST) {
        Stones cell = landing(mine | theirs, column);
        if (cell == 0) continue;
        if (has_four(mine | cell)) return column;
        int value = -negamax(theirs, mine | cell, depth - 1, -2 * WIN, 1 - best_value);
        if (value > best_value) {
            best = column, best_value = value, n_best = 1;
        } else if (value == best_value) {
            n_best++;
            if (random.number() * n_best < 1.0) best = column;
        }
    }
    return best;
}

// A position in the tree of a Monte Carlo search.
struct Node {
    std::array<Int, COLUMNS> children = {};  // 0 if there is none
    Int visits = 0;
    double points = 0.0;  // of the player who moved into it
};

class Tree {
   public:
    Tree(Int n_playouts, Random &random) : random_(random) { nodes_.reserve(n_playouts + 1); }

    // Add one playout to the tree, and update its path.
    void grow(Stones mine, Stones theirs) {
        std::vector<Int> path = {0};
        double score = -1.0;
        while (score < 0.0) {
            int column = next_column(mine | theirs, nodes_[path.back()]);
            if (column < 0) {
                score = 0.5;
                break;
            }
            Int &child = nodes_[path.back()].children[column];
            bool is_new = child == 0;
            if (is_new) child = Int(nodes_.size());
            path.push_back(child);
            if (is_new) nodes_.emplace_back();
            Stones moved = mine | landing(mine | theirs, column);
            mine = theirs, theirs = moved;
            if (has_four(theirs)) {
                score = 0.0;
            } else if (is_new) {
                score = playout(mine, theirs, random_);
            }
        }
        for (auto node = path.rbegin(); node != path.rend(); node++) {
            score = 1.0 - score;
            nodes_[*node].visits++;
            nodes_[*node].points += score;
        }
    }

    // The most visited column; of those, the best scoring one.
    int best_column() const {
        int best = -1;
        const Node *best_child = nullptr;
        for (int column = 0; column < COLUMNS; column++) {
            const Node *child = &nodes_[nodes_[0].children[column]];
            if (child == &nodes_[0]) continue;
            if (best < 0 || std::pair(child->visits, child->points) >
                                std::pair(best_child->visits, best_child->points)) {
                best = column, best_child = child;
            }
        }
        return best;
    }

   private:
    // A random column not yet tried in this node; if all were, the one with the highest UCB1.
    int next_column(Stones taken, const Node &node) {
        int best = -1, n_new = 0;
        double best_bound = -1.0;
        for (int column = 0; column < COLUMNS; column++) {
            if (landing(taken, column) == 0) continue;
            const Node &child = nodes_[node.children[column]];
            if (node.children[column] == 0) {
                n_new++;
                if (random_.number() * n_new < 1.0) best = column;
            } else if (n_new == 0) {
                double bound = child.points / double(child.visits);
                bound += std::sqrt(std::log(double(node.visits)) / double(child.visits));
                if (bound > best_bound) best = column, best_bound = bound;
            }
        }
        return best;
    }

    Random &random_;
    std::vector<Node> nodes_ = {Node()};  // the root first
};

// The most visited column of a Monte Carlo tree search; of those, the best scoring one.
int mcts_move(Stones mine, Stones theirs, Int n_playouts, Random random) {
    Tree tree(n_playouts, random);
    for (Int k = 0; k < n_playouts; k++) tree.grow(mine, theirs);
    return tree.best_column();
}

}  // namespace

void bind_connect_four(nb::module_ &room) {
    room.attr("COLUMNS") = COLUMNS;
    room.attr("FULL") = FULL;
    room.attr("WIN") = WIN;
    room.def("landing", &landing);
    room.def("has_four", &has_four);
    room.def("count_fours", &count_fours);
    room.def("judgement", &judgement);
    room.def("chosen_column", &chosen_column);
    room.def("played", [](ConstFloats first, ConstFloats second, Random random) {
        return played(first, second, random);
    });
    room.def("mean_results", &mean_results);
    room.def("playout", [](Stones mine, Stones theirs, Random random) {
        return playout(mine, theirs, random);
    });
    room.def("negamax", &negamax, Unlocked());
    room.def("search_move", &search_move, Unlocked());
    room.def("mcts_move", &mcts_move, Unlocked());
}

}  // namespace maxin
