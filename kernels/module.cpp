// The extension `maxin.kernels`: the inner loops of all rooms, each in a module of its own.

#include "rooms.hpp"

NB_MODULE(kernels, module) {
    using Binder = void (*)(nanobind::module_ &);
    const std::pair<const char *, Binder> rooms[] = {
        {"core", maxin::bind_core},
        {"elo", maxin::bind_elo},
        {"pairs", maxin::bind_pairs},
        {"learner", maxin::bind_learner},
        {"posterior", maxin::bind_posterior},
        {"sparse", maxin::bind_sparse},
        {"stopping", maxin::bind_stopping},
        {"widths", maxin::bind_widths},
        {"information", maxin::bind_information},
        {"matching", maxin::bind_matching},
        {"connect_four", maxin::bind_connect_four},
    };
    nanobind::set_leak_warnings(false);  // a command may end without collecting its objects
    for (auto [name, bind] : rooms) {
        nanobind::module_ room = module.def_submodule(name);
        bind(room);
    }
}
