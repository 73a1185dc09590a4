// The text of a kernel file as it is compiled and shown. How partial results are combined is chosen outside the file:
// if its kernel ends in `out[blockIdx.x] = value;`, that statement or what follows it is rewritten to match.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warptree::catalogue {

// Whether a file of this text, in this folder, includes reduction.cuh (T and op(a, b)), directly or through headers.
bool has_operator(std::string_view text, const std::string& folder, const std::string& shipped);

// The finishes that the file supports, the default first; only host when there is nothing to combine.
// with_operator: has_operator(). Throws OptionError for unknown names in the header.
std::vector<Finish> finishes(const KernelHeader& header, std::string_view text, bool with_operator);

// Atomic: the block's result goes to out by atomic_op(). Last block: the kernel ends with a call of
// finish_in_last_block(out), from reduce/last_block.cuh. Otherwise, or if the kernel already does so: unchanged.
std::string finished_text(std::string_view text, Finish finish);

// With map(in[…]) in place of in[…], unless the text already calls map: for operators that map what they load.
std::string mapped_text(std::string_view text);

} // namespace warptree::catalogue
