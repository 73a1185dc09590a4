#include "app/trace/model/execution.hpp"

namespace warptree {

std::string_view name(Severity severity) {
    switch (severity) {
    case Severity::fault: return "fault";
    case Severity::risk: return "risk";
    case Severity::cost: return "cost";
    }
    return "";
}

} // namespace warptree
