// State strings.
#include "app/document/state_string.hpp"
#include "app/document/packed_text.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] {
        session::StateString state = session::parse_state(fuzz::text_of(data, size));
        fuzz::require(session::parse_state(session::to_string(state)) == state);
        session::state_command(state);
        session::take_looks(state);
        if (const auto source = state.values.find("source"); source != state.values.end()) {
            const std::string text = session::unpacked_text(source->second);
            fuzz::require(text.size() <= session::kMostUnpacked &&
                          session::unpacked_text(session::packed_text(text)) == text);
        }
    });
}
