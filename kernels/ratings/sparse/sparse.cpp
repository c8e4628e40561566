#include "ratings/sparse/contenders.hpp"
#include "ratings/sparse/doubts.hpp"
#include "ratings/sparse/queue.hpp"
#include "rooms.hpp"

namespace maxin {
namespace {

void bind_state(nb::module_ &room) {
    using State = SparseState;
    ArrayClass<State>(room, "SparseState")
        .field("scales", &State::scales)
        .field("counts", &State::counts)
        .field("members", &State::members)
        .field("heads", &State::heads)
        .field("nexts", &State::nexts)
        .field("pairs", &State::pairs)
        .field("played", &State::played)
        .field("points", &State::points)
        .field("weights", &State::weights)
        .field("effects", &State::effects)
        .field("gap_scales", &State::gap_scales)
        .field("messages", &State::messages)
        .field("ratings", &State::ratings)
        .field("precisions", &State::precisions)
        .field("degrees", &State::degrees)
        .field("queue", &State::queue)
        .field("is_queued", &State::is_queued)
        .done();
}

}  // namespace

void bind_sparse(nb::module_ &room) {
    bind_state(room);
    room.def("normal_tail", &normal_tail);
    room.def("list_pairs", &list_pairs<SparseState>);
    room.def("pair_gap", &pair_gap<SparseState>);
    room.def("add_results", &add_results);
    room.def("relax", &relax, Unlocked());
    room.def("queue_players", &queue_players);
    room.def("queue_everyone", &queue_everyone);
    room.def("relax_everyone", &relax_everyone, Unlocked());
    room.def("learn_and_relax", &learn_and_relax);
    room.def("information_in_all", &information_in_all, Unlocked());
    room.def("rival_before", [](const SparseState &state, Int end) {
        Rival rival = rival_before(state, end);
        return std::pair(rival.mean, rival.precision);
    });
    room.def("fill_chances", &fill_chances, Unlocked());
    room.def("normal_prior", &normal_prior);
    room.def("log_density", &log_density);
    room.def("fill_outsiders", &fill_outsiders, Unlocked());
    room.def("tail_doubt", &tail_doubt);
    room.def("fill_doubts", &fill_doubts, Unlocked());
    room.def("fill_contenders", &fill_contenders, Unlocked());
    room.def("contender_levels", &contender_levels);
}

}  // namespace maxin
