#include "core/bindings.hpp"
#include "core/blas.hpp"
#include "core/linalg.hpp"
#include "core/numbers.hpp"
#include "rooms.hpp"

void maxin::bind_core(nb::module_ &room) {
    room.def("sigmoid", &sigmoid);
    room.def("transposed", &transposed, Unlocked());
    room.def("mirror_lower", &mirror_lower, Unlocked());
    room.def("factorise", &factorise, Unlocked());
    room.def("invert_factorised", &invert_factorised, Unlocked());
    room.def("solve_factorised", &solve_factorised, Unlocked());
    room.def("divide_by_root", &divide_by_root, Unlocked());
    room.def("multiply_by_root", &multiply_by_root, Unlocked());
    room.def("normal_cdf", nb::overload_cast<double>(&normal_cdf));
    room.def("normal_cdf", nb::overload_cast<ConstFloats>(&normal_cdf), Unlocked());
    room.def("student_quantile", &student_quantile);
}
