// LLVM's NVPTX target. Within the worker only.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace warptree::compile {

// `architecture`: "sm_75" or newer. The target is the newest supported one up to it, at most sm_90.
std::unique_ptr<llvm::TargetMachine> make_target(const std::string& architecture);

} // namespace warptree::compile
