// The families of calls that the differential fuzzer makes, each in a file of its own.
#pragma once

#include "harness/given.hpp"
#include "session.hpp"

namespace differential {

void reductions(session& s);
void matrix_folds(session& s);
void segment_folds(session& s);
void scans(session& s);
void segment_scans(session& s);
void keyed_folds(session& s);
void selections(session& s);
void number_sorts(session& s);
void operator_sorts(session& s);
void key_sorts(session& s);
void segment_sorts(session& s);
void top_ks(session& s);
void merges(session& s);
void set_operations(session& s);
void searches(session& s);
void histograms(session& s);
void copies(session& s);
void transposes(session& s);
void layouts(session& s);
void transforms(session& s);
void products(session& s);
void sharded_folds(session& s);
void sharded_scans(session& s);
void sharded_histograms(session& s);

}  // namespace differential
