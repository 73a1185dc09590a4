#include "app/theory/tiles.hpp"

namespace warptree::theory {

Tile tile(std::uint32_t width, std::uint32_t element_bytes) {
    Tile t;
    t.width = width;
    t.threads = width * width;
    t.loads = 2 * t.threads;
    t.operations = 2 * t.threads * width;
    t.shared = width == 1 ? 0 : t.loads * element_bytes;
    t.intensity = static_cast<double>(t.operations) / (static_cast<double>(t.loads) * element_bytes);
    return t;
}

} // namespace warptree::theory
