#include "app/render/damage.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace warptree::render {

PixelRect intersect(const PixelRect& a, const PixelRect& b) {
    return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
    const auto* at = static_cast<const unsigned char*>(data);
    std::uint64_t hash = mixed(seed, size), other = ~hash; // two independent chains, for instruction-level parallelism
    for (; size >= 16; at += 16, size -= 16) {
        std::uint64_t words[2];
        std::memcpy(words, at, sizeof words);
        hash = mixed(hash, words[0]);
        other = mixed(other, words[1]);
    }
    hash = mixed(hash, other);
    while (size > 0) {
        std::uint64_t word = 0;
        const std::size_t taken = std::min(size, sizeof word);
        std::memcpy(&word, at, taken);
        hash = mixed(hash, word);
        at += taken;
        size -= taken;
    }
    return hash;
}

void Damage::begin(int width, int height) {
    if (width != width_ || height != height_) {
        width_ = width;
        height_ = height;
        columns_ = (width + kSquare - 1) / kSquare;
        rows_ = (height + kSquare - 1) / kSquare;
        known_ = false;
    }
    std::swap(now_, before_);
    now_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), 0);
}

void Damage::add(const PixelRect& where, std::uint64_t hash) {
    const PixelRect seen = intersect(where, {0, 0, width_, height_});
    if (seen.empty()) {
        return;
    }
    const int first = seen.left / kSquare, last = (seen.right - 1) / kSquare;
    for (int row = seen.top / kSquare; row <= (seen.bottom - 1) / kSquare; ++row) {
        std::uint64_t* line = now_.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_);
        for (int column = first; column <= last; ++column) {
            line[column] = mixed(line[column], hash);
        }
    }
}

const std::vector<PixelRect>& Damage::end() {
    rects_.clear();
    whole_ = !known_;
    known_ = true;
    differs_.assign(now_.size(), 0);
    if (whole_) {
        if (width_ > 0 && height_ > 0) {
            rects_.push_back({0, 0, width_, height_});
        }
        std::fill(differs_.begin(), differs_.end(), std::uint8_t{1});
        return rects_;
    }
    // Runs of squares in each row, merged with an equal run in the row above.
    for (int row = 0; row < rows_; ++row) {
        const auto differs = [&](int column) {
            const auto i = static_cast<std::size_t>(row * columns_ + column);
            return now_[i] != before_[i];
        };
        for (int column = 0; column < columns_; ++column) {
            if (!differs(column)) {
                continue;
            }
            const int first = column;
            while (column < columns_ && differs(column)) {
                ++column;
            }
            const auto above = std::find_if(rects_.begin(), rects_.end(), [&](const PixelRect& r) {
                return r.bottom == row && r.left == first && r.right == column;
            });
            if (above != rects_.end()) {
                ++above->bottom;
            } else {
                rects_.push_back({first, row, column, row + 1});
            }
        }
    }
    merge(rects_);
    for (PixelRect& r : rects_) {
        for (int row = r.top; row < r.bottom; ++row) {
            std::fill_n(differs_.begin() + row * columns_ + r.left, r.right - r.left, std::uint8_t{1});
        }
        r = intersect({r.left * kSquare, r.top * kSquare, r.right * kSquare, r.bottom * kSquare},
                      {0, 0, width_, height_});
    }
    return rects_;
}

// Merges the pair that wastes the fewest squares first, until few are left and none overlap.
void Damage::merge(std::vector<PixelRect>& squares) const {
    const auto around = [](const PixelRect& a, const PixelRect& b) {
        return PixelRect{std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
                         std::max(a.bottom, b.bottom)};
    };
    if (squares.size() > 64) { // too scattered to weigh every pair
        PixelRect all = squares.front();
        for (const PixelRect& r : squares) {
            all = around(all, r);
        }
        squares.assign(1, all);
    }
    for (;;) {
        std::size_t first = 0, second = 0;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        bool overlap = false;
        for (std::size_t i = 0; i < squares.size(); ++i) {
            for (std::size_t j = i + 1; j < squares.size(); ++j) {
                const bool crossing = squares[i].overlaps(squares[j]);
                const std::int64_t waste =
                    around(squares[i], squares[j]).area() - squares[i].area() - squares[j].area();
                if ((crossing && !overlap) || (crossing == overlap && waste < least)) {
                    least = waste;
                    first = i;
                    second = j;
                    overlap = crossing;
                }
            }
        }
        // Drawing one more rectangle costs about as much as a few squares.
        if (second == 0 || (!overlap && least > 4 && squares.size() <= static_cast<std::size_t>(kMostRects))) {
            return;
        }
        squares[first] = around(squares[first], squares[second]);
        squares.erase(squares.begin() + static_cast<std::ptrdiff_t>(second));
    }
}

bool Damage::touches(const PixelRect& where) const {
    const PixelRect seen = intersect(where, {0, 0, width_, height_});
    if (seen.empty()) {
        return false;
    }
    for (int row = seen.top / kSquare; row <= (seen.bottom - 1) / kSquare; ++row) {
        const auto line = differs_.begin() + row * columns_;
        if (std::any_of(line + seen.left / kSquare, line + (seen.right - 1) / kSquare + 1,
                        [](std::uint8_t d) { return d != 0; })) {
            return true;
        }
    }
    return false;
}

void Damage::forget() { known_ = false; }

} // namespace warptree::render
