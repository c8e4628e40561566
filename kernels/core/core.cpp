#include "core/bindings.hpp"
#include "core/linalg.hpp"
#include "core/numbers.hpp"
#include "rooms.hpp"

void maxin::bind_core(nb::module_ &room) {
    room.def("sigmoid", &sigmoid);
    room.def("transposed", &transposed, Unlocked());
    room.def("mirror_lower", &mirror_lower, Unlocked());
}
