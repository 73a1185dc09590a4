// LLVM's NVPTX target. Within the worker only.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace warptree::compile {

// "sm_75" to "sm_90"; a newer device takes the newest of these.
std::unique_ptr<llvm::TargetMachine> make_target(const std::string& architecture);

} // namespace warptree::compile
