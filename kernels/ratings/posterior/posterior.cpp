#include "core/bindings.hpp"
#include "ratings/posterior/covariance.hpp"
#include "ratings/posterior/draws.hpp"
#include "ratings/posterior/field.hpp"
#include "ratings/posterior/pending.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

void bind_states(nb::module_ &room) {
    using State = PosteriorState;
    ArrayClass<State>(room, "PosteriorState")
        .field("scales", &State::scales)
        .field("members", &State::members)
        .field("counts", &State::counts)
        .field("heads", &State::heads)
        .field("nexts", &State::nexts)
        .field("pairs", &State::pairs)
        .field("played", &State::played)
        .field("points", &State::points)
        .field("weights", &State::weights)
        .field("effects", &State::effects)
        .field("prior_means", &State::prior_means)
        .field("prior_weights", &State::prior_weights)
        .field("prior_precision", &State::prior_precision)
        .field("ratings", &State::ratings)
        .field("strengths", &State::strengths)
        .field("rating_var", &State::rating_var)
        .field("strength_var", &State::strength_var)
        .field("mean_cov", &State::mean_cov)
        .field("base_cov", &State::base_cov)
        .field("factor", &State::factor)
        .field("rows", &State::rows)
        .field("row_pairs", &State::row_pairs)
        .field("row_scales", &State::row_scales)
        .done();
    ArrayClass<Relaxation>(room, "Relaxation")
        .field("scales", &Relaxation::scales)
        .field("counts", &Relaxation::counts)
        .field("heads", &Relaxation::heads)
        .field("nexts", &Relaxation::nexts)
        .field("pairs", &Relaxation::pairs)
        .field("played", &Relaxation::played)
        .field("points", &Relaxation::points)
        .field("weights", &Relaxation::weights)
        .field("effects", &Relaxation::effects)
        .field("ratings", &Relaxation::ratings)
        .field("precisions", &Relaxation::precisions)
        .field("messages", &Relaxation::messages)
        .field("gap_scales", &Relaxation::gap_scales)
        .done();
    ArrayClass<Steps>(room, "Steps")
        .field("points", &Steps::points)
        .field("moves", &Steps::moves)
        .field("filled", &Steps::filled)
        .done();
}

void bind_predictions(nb::module_ &room) {
    room.def("expected_score", [](double mean, double variance) {
        Score score = expected_score(mean, variance);
        return std::pair(score.chance, score.slope);
    });
    room.def("advantages", [](const PosteriorState &state, Int x) {
        Advantages found = advantages(state, x);
        return std::pair(std::move(found.means), std::move(found.variances));
    });
    room.def("expected_scores", &expected_scores, Unlocked());
    room.def("cov_times", [](const PosteriorState &state, ConstFloats vector) {
        return copied(cov_times(state, {vector.data, 1, vector.size})[0]);
    });
    room.def("contrast", &contrast);
    room.def("difference_variances", &difference_variances);
    room.def("strength_cov", &strength_cov, Unlocked());
    room.def("likelihood_of", &likelihood_of, Unlocked());
    room.def(
        "drawn",
        [](const PosteriorState &state, ConstMatrix bases, ConstMatrix row_noise,
           ConstMatrix effect_noise,
           double scale) { return drawn(state, {bases, row_noise, effect_noise}, scale); },
        Unlocked());
}

void bind_learning(nb::module_ &room) {
    room.def("list_pairs", &list_pairs<PosteriorState>);
    room.def("known_pairs", &known_pairs);
    room.def("gaps_of", &gaps_of, Unlocked());
    room.def("observe", &observe);
    room.def("balance", [](PosteriorState &state, ConstFloats gaps, double pace) {
        Balance found = balance(state, gaps, pace);
        return std::tuple(std::move(found.prior), std::move(found.ties), std::move(found.slope),
                          std::move(found.surprise));
    });
    room.def("precision_of", &precision_of, Unlocked());
    room.def("move", &move);
    room.def("fill_gaps", &fill_gaps);
    room.def("update_strengths", &update_strengths, Unlocked());
    room.def("narrow", &narrow, Unlocked());
    room.def("lower_strength_var", &lower_strength_var, Unlocked());
}

void bind_fitting(nb::module_ &room) {
    room.def("likely_kappa2", &likely_kappa2, Unlocked());
    room.def("expected_squares", &expected_squares);
    room.def("fit_scales", &fit_scales, Unlocked());
    room.def("keep", &keep);
    room.def("mixture", &mixture);
    room.def("log_scales", &log_scales);
    room.def("set_ahead", &set_ahead);
    room.def("step_scales", &step_scales, Unlocked());
    room.def("graph_solution", &graph_solution, Unlocked());
    room.def("pass_messages", &pass_messages);
    room.def("fill_relaxed_gaps", &fill_relaxed_gaps);
    room.def("relax_field", &relax_field, Unlocked());
}

void bind_constants(nb::module_ &room) {
    const std::pair<const char *, Int> places[] = {
        {"SPREAD2", SPREAD2}, {"KAPPA2", KAPPA2}, {"CYCLIC_KAPPA2", CYCLIC_KAPPA2},
        {"PHI", PHI},         {"SPLIT", SPLIT},   {"OUTSIDERS", OUTSIDERS},
        {"PAIRS", PAIRS},     {"ROWS", ROWS},     {"NOBODY", NOBODY},
    };
    for (auto [name, place] : places) room.attr(name) = place;
    const std::pair<const char *, double> limits[] = {
        {"PROBIT", PROBIT},
        {"LEAST_SPREAD2", LEAST_SPREAD2},
        {"MOST_SPREAD2", MOST_SPREAD2},
        {"LEAST_PHI", LEAST_PHI},
        {"NO_KAPPA", NO_KAPPA},
        {"MAY_CYCLE", MAY_CYCLE},
        {"PRIOR_INFORMATION", PRIOR_INFORMATION},
        {"LEAST_PACE", LEAST_PACE},
        {"LONGEST_JUMP", LONGEST_JUMP},
    };
    for (auto [name, limit] : limits) room.attr(name) = limit;
    room.attr("N_LEARNT") = Int(LEARNT.size());
}

}  // namespace

void bind_posterior(nb::module_ &room) {
    bind_constants(room);
    bind_states(room);
    bind_predictions(room);
    bind_learning(room);
    bind_fitting(room);
}

}  // namespace maxin
