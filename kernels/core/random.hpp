// Random numbers from a generator of NumPy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace maxin {

// What NumPy's capsule "BitGenerator" holds: documented, for compiled code.
struct BitGenerator {
    void *state;
    std::uint64_t (*next_uint64)(void *state);
    std::uint32_t (*next_uint32)(void *state);
    double (*next_double)(void *state);
    std::uint64_t (*next_raw)(void *state);
};

// The numbers of a `numpy.random.Generator`, which must outlive it.
struct Random {
    BitGenerator *bits = nullptr;

    // The next number in [0, 1), the same as `rng.random()`.
    double number() { return bits->next_double(bits->state); }
};

}  // namespace maxin

namespace nanobind::detail {

template <>
struct type_caster<maxin::Random> {
    NB_TYPE_CASTER(maxin::Random, const_name("numpy.random.Generator"))
    bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
        try {
            object capsule = source.attr("bit_generator").attr("capsule");
            void *bits = PyCapsule_GetPointer(capsule.ptr(), "BitGenerator");
            value.bits = static_cast<maxin::BitGenerator *>(bits);
        } catch (python_error &) {
            return false;
        }
        return value.bits != nullptr;
    }
};

}  // namespace nanobind::detail
