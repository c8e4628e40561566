// The rooms of the extension: each file of bindings fills in one module.
#pragma once

#include <nanobind/nanobind.h>

namespace maxin {

void bind_core(nanobind::module_ &room);
void bind_elo(nanobind::module_ &room);
void bind_pairs(nanobind::module_ &room);
void bind_learner(nanobind::module_ &room);
void bind_posterior(nanobind::module_ &room);
void bind_sparse(nanobind::module_ &room);
void bind_stopping(nanobind::module_ &room);
void bind_widths(nanobind::module_ &room);
void bind_information(nanobind::module_ &room);
void bind_matching(nanobind::module_ &room);
void bind_connect_four(nanobind::module_ &room);

}  // namespace maxin
