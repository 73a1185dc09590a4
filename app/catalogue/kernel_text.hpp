// The text of a kernel file as it is compiled and shown. How partial results become one value is chosen beside the file:
// where its kernel ends in `out[blockIdx.x] = value;`, that statement or what follows it is made to fit.
#pragma once

#include "app/base/options.hpp"
#include "app/catalogue/kernel_header.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warptree::catalogue {

// Whether a file of this text, in this folder, has T and op(a, b) from reduction.cuh, itself or through its headers.
bool has_operator(std::string_view text, const std::string& folder, const std::string& shipped);

// The ways in which the file's results may become one, its own first: host alone, where nothing is to be combined.
// with_operator: has_operator(). Throws OptionError for names in the header that are none.
std::vector<Finish> finishes(const KernelHeader& header, std::string_view text, bool with_operator);

// Atomic: the block's result goes to out by atomic_op(). Last block: the kernel goes on with finish_in_last_block(out), of
// reduce/last_block.cuh. Else, and where the kernel finishes so by itself, the text as it is.
std::string finished_text(std::string_view text, Finish finish);

// With map(in[…]) in place of in[…], unless the text says map itself: for operators that map what they load.
std::string mapped_text(std::string_view text);

} // namespace warptree::catalogue
