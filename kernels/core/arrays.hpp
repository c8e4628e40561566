// Arrays as kernels see them: C-contiguous memory with a length, and nothing checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>

namespace maxin {

using Int = std::int64_t;

// A row of numbers that somebody else owns.
template <class T>
struct Line {
    T *data = nullptr;
    Int size = 0;

    Line() = default;
    Line(T *data, Int size) : data(data), size(size) {}
    // A line that may be written can also be read.
    template <class U>
    Line(const Line<U> &other) : data(other.data), size(other.size) {}

    T &operator[](Int place) const { return data[place]; }
    T *begin() const { return data; }
    T *end() const { return data + size; }
};

// A matrix that somebody else owns, row after row.
template <class T>
struct Table {
    T *data = nullptr;
    Int n_rows = 0, n_columns = 0;

    Table() = default;
    Table(T *data, Int n_rows, Int n_columns) : data(data), n_rows(n_rows), n_columns(n_columns) {}
    template <class U>
    Table(const Table<U> &other)
        : data(other.data), n_rows(other.n_rows), n_columns(other.n_columns) {}

    T &operator()(Int row, Int column) const { return data[row * n_columns + column]; }
    Line<T> operator[](Int row) const { return {data + row * n_columns, n_columns}; }
};

using Floats = Line<double>;
using ConstFloats = Line<const double>;
using Ints = Line<Int>;
using ConstInts = Line<const Int>;
using Matrix = Table<double>;
using ConstMatrix = Table<const double>;
using Rows = Table<const Int>;  // of players, matches or pairs

// A line with memory of its own, which holds nothing yet.
template <class T>
struct NewLine : Line<T> {
    std::unique_ptr<T[]> memory;

    explicit NewLine(Int size) : Line<T>(nullptr, size), memory(new T[size]) {
        this->data = memory.get();
    }
    NewLine(Int size, T value) : NewLine(size) { std::fill(this->begin(), this->end(), value); }
};

// A matrix with memory of its own, which holds nothing yet.
template <class T>
struct NewTable : Table<T> {
    std::unique_ptr<T[]> memory;

    NewTable(Int n_rows, Int n_columns)
        : Table<T>(nullptr, n_rows, n_columns), memory(new T[n_rows * n_columns]) {
        this->data = memory.get();
    }
    NewTable(Int n_rows, Int n_columns, T value) : NewTable(n_rows, n_columns) {
        std::fill(memory.get(), memory.get() + n_rows * n_columns, value);
    }
};

using NewFloats = NewLine<double>;
using NewInts = NewLine<Int>;
using NewMatrix = NewTable<double>;

template <class T>
void fill(Line<T> line, T value) {
    std::fill(line.begin(), line.end(), value);
}

template <class T, class U>
void copy(Line<T> from, const Line<U> &to) {
    std::copy(from.begin(), from.end(), to.begin());
}

template <class T>
NewLine<std::remove_const_t<T>> copied(Line<T> line) {
    NewLine<std::remove_const_t<T>> made(line.size);
    copy(line, made);
    return made;
}

// The sum from the first value to the last one.
template <class T>
double sum(Line<T> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// The sum of products from the first pair of values to the last one.
template <class T, class U>
double product(Line<T> one, Line<U> other) {
    double total = 0.0;
    for (Int x = 0; x < one.size; x++) total += one[x] * other[x];
    return total;
}

}  // namespace maxin
