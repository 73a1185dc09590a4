// Mutates trace files: they are archives with checksums, so the contents of their entries are changed and packed again;
// entries usually keep their length.
#include "app/trace/io/archive.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cstring>
#include <random>

using namespace warptree;

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    std::mt19937 random(seed);
    if (random() % 16 == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    try {
        Entries entries;
        for (auto& [name, bytes] : unpack(fuzz::text_of(data, size), 1U << 24)) {
            entries.emplace_back(name, bytes);
        }
        if (entries.empty()) {
            return LLVMFuzzerMutate(data, size, most);
        }
        // Prefers the manifest, which describes the other entries.
        std::size_t at = random() % entries.size();
        for (std::size_t i = 0; i < entries.size(); ++i) {
            at = entries[i].first == "manifest.json" && random() % 3 == 0 ? i : at;
        }
        std::string& bytes = entries[at].second;
        if (random() % 3 != 0 && !bytes.empty()) {
            const std::uint8_t interesting[] = {0, 1, 0x7F, 0x80, 0xFF};
            for (unsigned k = 0; k < 1 + random() % 4; ++k) {
                bytes[random() % bytes.size()] =
                    static_cast<char>(random() % 2 == 0 ? interesting[random() % 5] : random());
            }
        } else {
            const std::size_t had = bytes.size();
            bytes.resize(had + 64);
            bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), had, had + 64));
        }
        const std::string packed = pack(entries);
        if (packed.size() <= most) {
            std::memcpy(data, packed.data(), packed.size());
            return packed.size();
        }
    } catch (...) { // no longer an archive
    }
    return LLVMFuzzerMutate(data, size, most);
}
