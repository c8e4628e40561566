// How arrays cross the border between Python and the kernels.
//
// A kernel's argument is a view of a NumPy array of just its type, with no copy; an array that is
// returned takes its memory along. Classes of arrays cross as one object: see `ArrayClass`.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/arrays.hpp"

namespace nb = nanobind;

namespace maxin {

// Python's lock is released while a kernel runs that may take long.
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// A view, together with the NumPy array that it looks at.
template <class View>
struct Kept : View {
    nb::object array;
};

template <class T>
using KeptLine = Kept<Line<T>>;
template <class T>
using KeptTable = Kept<Table<T>>;

// Whether a buffer holds numbers of type T, by the codes of Python's module `struct`.
template <class T>
bool holds(const Py_buffer &buffer) {
    const char *codes = "lqi";
    if (std::is_floating_point_v<T>) codes = "df";
    if (std::is_same_v<std::remove_const_t<T>, bool>) codes = "?";
    const char *code = buffer.format;
    bool is_plain = code != nullptr && code[0] != '\0' && code[1] == '\0';
    return is_plain && std::strchr(codes, code[0]) && buffer.itemsize == Py_ssize_t(sizeof(T));
}

// Look at an array with `read`, if it is C-contiguous, has this many axes and holds numbers of
// type T. The array must outlive what is kept of it.
template <class T, class Reader>
bool look_at(PyObject *array, int n_axes, Reader read) {
    int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (std::is_const_v<T> ? 0 : PyBUF_WRITABLE);
    Py_buffer buffer;
    if (PyObject_GetBuffer(array, &buffer, flags) != 0) {
        PyErr_Clear();
        return false;
    }
    bool fits = buffer.ndim == n_axes && holds<T>(buffer);
    if (fits) read(static_cast<T *>(buffer.buf), buffer.shape);
    PyBuffer_Release(&buffer);
    return fits;
}

template <class T>
bool view(PyObject *array, Line<T> &line) {
    return look_at<T>(array, 1, [&](T *data, Py_ssize_t *shape) { line = {data, shape[0]}; });
}

template <class T>
bool view(PyObject *array, Table<T> &table) {
    return look_at<T>(array, 2,
                      [&](T *data, Py_ssize_t *shape) { table = {data, shape[0], shape[1]}; });
}

template <class T>
std::string number_name() {
    if (std::is_same_v<std::remove_const_t<T>, bool>) return "bool";
    std::string kind = std::is_floating_point_v<T> ? "float" : "int";
    return kind + std::to_string(8 * sizeof(T));
}

template <class T>
std::string described(Line<T>) {
    return "an array of " + number_name<T>() + " with 1 axis";
}

template <class T>
std::string described(Table<T>) {
    return "an array of " + number_name<T>() + " with 2 axes, in C order";
}

// The array of numbers at `data`, whose memory is freed with it.
template <class T, class... Sizes>
nb::object exported(std::unique_ptr<T[]> memory, Sizes... sizes) {
    T *data = memory.release();
    nb::capsule owner(data, [](void *freed) noexcept { delete[] static_cast<T *>(freed); });
    nb::ndarray<nb::numpy, T> array(data, {size_t(sizes)...}, owner);
    return nb::cast(std::move(array));
}

// A class of Python whose fields are arrays.
//
// It is made from all of them, in order or by name. `replace` makes another one that shares the
// arrays but for those given; a deep copy shares none.
template <class State>
class ArrayClass {
   public:
    ArrayClass(nb::module_ &room, const char *name) : made_(room, name) { class_name() = name; }

    template <class View>
    ArrayClass &field(const char *name, Kept<View> State::*member) {
        std::string what = class_name() + "." + name + " must be " + described(View());
        auto set = [what, member](State &state, nb::handle array) {
            View &seen = state.*member;
            check(view(array.ptr(), seen), what);
            (state.*member).array = nb::borrow(array);
        };
        auto get = [member](const State &state) { return (state.*member).array; };
        fields().push_back({name, set, get});
        declare(fields().size() - 1, nb::detail::make_caster<View>::Name.text);
        return *this;
    }

    void done() {
        made_.def(
            "__init__",
            [](State *place, nb::args in_order, nb::kwargs by_name) {
                State state;
                check(in_order.size() <= fields().size(),
                      class_name() + " has " + std::to_string(fields().size()) + " arrays; got " +
                          std::to_string(in_order.size()));
                for (size_t k = 0; k < in_order.size(); k++) fields()[k].set(state, in_order[k]);
                put(state, by_name);
                check(in_order.size() + by_name.size() == fields().size(),
                      "an array is missing, or given twice");
                new (place) State(state);
            },
            nb::sig("def __init__(self, *in_order: numpy.typing.NDArray[typing.Any], "
                    "**by_name: numpy.typing.NDArray[typing.Any]) -> None"));
        made_.def(
            "replace",
            [](const State &state, nb::kwargs arrays) {
                State changed = state;
                put(changed, arrays);
                return changed;
            },
            nb::sig(
                "def replace(self, **arrays: numpy.typing.NDArray[typing.Any]) -> typing.Self"));
        made_.def(
            "__reduce__",  // for pickles and deep copies
            [](nb::handle self) {
                const State &state = nb::cast<const State &>(self);
                nb::list arrays;
                for (const Field &field : fields()) arrays.append(field.get(state));
                return nb::make_tuple(self.type(), nb::tuple(arrays));
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
    }

   private:
    struct Field {
        std::string name;
        std::function<void(State &, nb::handle)> set;
        std::function<nb::object(const State &)> get;
    };

    // Add the property of a field, whose type has this name.
    void declare(size_t place, std::string type) {
        std::string name = fields()[place].name;
        std::string read = "def " + name + "(self) -> " + type;
        std::string write = "def " + name + "(self, array: " + type + ", /) -> None";
        made_.def_prop_rw(
            name.c_str(), [place](const State &state) { return fields()[place].get(state); },
            [place](State &state, nb::object array) { fields()[place].set(state, array); },
            nb::for_getter(nb::sig(read.c_str())), nb::for_setter(nb::sig(write.c_str())));
    }

    static std::vector<Field> &fields() {
        static std::vector<Field> all;
        return all;
    }

    static std::string &class_name() {
        static std::string name;
        return name;
    }

    static void check(bool holds, const std::string &message) {
        if (!holds) throw nb::type_error(message.c_str());
    }

    static void put(State &state, const nb::kwargs &arrays) {
        for (auto [key, array] : arrays) {
            std::string name = nb::cast<const char *>(key);
            auto field = std::find_if(fields().begin(), fields().end(),
                                      [&](const Field &one) { return one.name == name; });
            check(field != fields().end(), class_name() + " has no array '" + name + "'");
            field->set(state, array);
        }
    }

    nb::class_<State> made_;
};

}  // namespace maxin

namespace nanobind::detail {

// The name of an array's type in signatures.
template <class T>
constexpr auto array_name() {
    using Number = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Number, bool>) {
        return const_name("numpy.typing.NDArray[numpy.bool_]");
    } else if constexpr (std::is_same_v<Number, double>) {
        return const_name("numpy.typing.NDArray[numpy.float64]");
    } else if constexpr (std::is_same_v<Number, float>) {
        return const_name("numpy.typing.NDArray[numpy.float32]");
    } else if constexpr (sizeof(Number) == 4) {
        return const_name("numpy.typing.NDArray[numpy.int32]");
    } else {
        return const_name("numpy.typing.NDArray[numpy.int64]");
    }
}

template <class T>
struct type_caster<maxin::Line<T>> {
    NB_TYPE_CASTER(maxin::Line<T>, array_name<T>())
    bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
        return maxin::view(source.ptr(), value);
    }
};

template <class T>
struct type_caster<maxin::Table<T>> {
    NB_TYPE_CASTER(maxin::Table<T>, array_name<T>())
    bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
        return maxin::view(source.ptr(), value);
    }
};

template <class T>
struct type_caster<maxin::NewLine<T>> {
    static constexpr auto Name = array_name<T>();
    template <class U>
    using Cast = maxin::NewLine<T>;
    static handle from_cpp(maxin::NewLine<T> &&line, rv_policy, cleanup_list *) {
        return maxin::exported(std::move(line.memory), line.size).release();
    }
};

template <class T>
struct type_caster<maxin::NewTable<T>> {
    static constexpr auto Name = array_name<T>();
    template <class U>
    using Cast = maxin::NewTable<T>;
    static handle from_cpp(maxin::NewTable<T> &&table, rv_policy, cleanup_list *) {
        return maxin::exported(std::move(table.memory), table.n_rows, table.n_columns).release();
    }
};

}  // namespace nanobind::detail
