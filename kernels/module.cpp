// The extension `maxin.kernels`: the inner loops of all rooms, each in a module of its own.

#include <nanobind/stl/string.h>

#include <string>

#include "rooms.hpp"

namespace nb = nanobind;

namespace {

// In the folder of a clone, the Python code is the clone's and the kernels are the installed ones.
void check_version() {
    auto python = nb::cast<std::string>(nb::module_::import_("maxin._version").attr("__version__"));
    if (python == MAXIN_VERSION) return;
    std::string message = "the Python code of maxin has version " + python +
                          ", its kernels have " MAXIN_VERSION "; install maxin again";
    throw nb::import_error(message.c_str());
}

}  // namespace

NB_MODULE(kernels, module) {
    using Binder = void (*)(nb::module_ &);
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
    check_version();
    nb::set_leak_warnings(false);  // a command may end without collecting its objects
    for (auto [name, bind] : rooms) {
        nb::module_ room = module.def_submodule(name);
        bind(room);
    }
}
