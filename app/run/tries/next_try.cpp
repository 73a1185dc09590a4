#include "app/run/tries/next_try.hpp"

#include "app/run/choice/block_elements.hpp"
#include "app/run/choice/block_shape.hpp"
#include "app/simt/machine.hpp"

#include <algorithm>
#include <bit>

namespace warptree::runs {

namespace {
using compile::Program;
using compile::SharedArray;

const SharedArray* shared_array(const Program& program, const KernelLaunch& launch, const std::string& name) {
    for (const std::uint32_t s : program.kernels[launch.kernel].shared) {
        if (program.shared[s].name == name) {
            return &program.shared[s];
        }
    }
    return nullptr;
}

// The block with its largest dimension halved; nullopt: it is one thread.
std::optional<simt::Extent> halved(simt::Extent block) {
    const auto widest = std::max_element(block.begin(), block.end());
    if (*widest == 1) {
        return std::nullopt;
    }
    *widest = std::bit_ceil(*widest) / 2;
    return block;
}

// As many threads as there are elements in the array that they overrun, or in a side of it where they have but one number; where
// that is not it and `guess`, half of them.
std::optional<simt::Extent> fitting(const SharedArray& array, const simt::Extent& block, unsigned dimensions,
                                    bool guess) {
    const std::uint64_t elements = array.bytes / std::max(1U, array.element_bytes), now = simt::volume(block);
    if (array.extents.size() == 2 && dimensions == 1) { // as buf[2][64] and tile[32][33], whose rows threads share
        const simt::Extent tile = tile_of(array.extents);
        if (const std::uint32_t side = std::max(tile[0], tile[1]); side < now) {
            return simt::Extent{side, 1, 1};
        }
        return guess ? halved(block) : std::nullopt;
    }
    if (array.extents.size() == 2) {
        if (const simt::Extent tile = tile_of(array.extents); simt::volume(tile) <= now && tile != block) {
            return tile;
        } else if (tile[0] == block[0] && block[1] > 1) { // the tile has several rows a thread
            return simt::Extent{block[0], block[1] / 2, 1};
        }
    }
    if (elements != 0 && elements < now) {
        constexpr std::uint64_t kHalo = 16; // beside whole warps: 96 threads of tile[100]
        const std::uint64_t halo = elements % kWarpSize;
        const bool whole = elements > kWarpSize && halo != 0 && halo <= kHalo;
        return simt::Extent{static_cast<std::uint32_t>(whole ? elements - halo : std::bit_floor(elements)), 1, 1};
    }
    return guess && now > kWarpSize ? halved(block) : std::nullopt; // of less than a warp nothing is learnt
}

class Trial {
  public:
    Trial(const Program& program, const KernelLaunch& launch, const Adjusted& now, const Finding& finding, bool expects)
        : program_(program), launch_(launch), next_(now), finding_(finding), expects_(expects) {}

    std::optional<Adjusted> next() { return found() ? std::optional(next_) : std::nullopt; }

  private:
    bool found() {
        switch (finding_.kind) {
        case FindingKind::out_of_bounds:
        case FindingKind::growth_limit: return outside();
        case FindingKind::endless: return !expects_ && endless();
        default: return false;
        }
    }

    bool outside() {
        const SharedArray* const array = shared_array(program_, launch_, finding_.array);
        if (array == nullptr) {
            return !expects_ && plainer();
        }
        const std::uint64_t threads = simt::volume(launch_.block);
        const bool one_block = !knows_its_block(program_, program_.kernels[launch_.kernel]);
        if (array->bytes == 0 && expects_ && one_block && launch_.n_chosen && launch_.n > threads) {
            next_.n = threads; // that has an element for each of its threads
            return true;
        }
        if (array->bytes == 0) {
            return !expects_ && finding_.index >= 0 && launch_.shared_chosen && larger(*array);
        }
        // One block, whose array has an element for each of its threads, or several: no more elements than that. Nor where the
        // first of several blocks goes past an array that is larger than it: its threads share out n elements.
        if (const std::uint64_t elements = array->bytes / std::max(1U, array->element_bytes);
            launch_.n_chosen && launch_.n > elements &&
            (one_block ? elements >= threads
                       : elements > threads && finding_.block == 0 && !has_an_element_a_thread(*array))) {
            next_.n = elements;
            return true;
        }
        if (!launch_.block_chosen || has_an_element_a_thread(*array)) {
            return false;
        }
        next_.block =
            fitting(*array, launch_.block, thread_dimensions(program_, program_.kernels[launch_.kernel]), !expects_);
        return next_.block.has_value();
    }

    static constexpr std::uint32_t kMostHalo = 32; // elements on both sides

    // Of a block that the kernel's own arithmetic states, also as a part of what it takes: a smaller one would only hide what goes
    // past the array.
    bool has_an_element_a_thread(const SharedArray& array) const {
        const BlockElements its = elements_of_blocks(program_, program_.kernels[launch_.kernel]);
        const auto strides = its.strides;
        if (array.extents.size() < 2 && its.apart != 0 && simt::volume(launch_.block) == its.apart) {
            return array.bytes >= std::uint64_t{its.apart} * array.element_bytes;
        }
        if (array.extents.size() == 2) { // and a halo, too narrow
            return launch_.block == simt::Extent{strides[0], strides[1], 1} && array.extents[0] >= strides[1] &&
                   array.extents[1] >= strides[0];
        }
        return array.extents.size() < 2 && launch_.block[0] == strides[0] &&
               simt::volume(launch_.block) == strides[0] &&
               array.bytes >= std::uint64_t{strides[0]} * array.element_bytes &&
               array.bytes <= (std::uint64_t{strides[0]} + kMostHalo) * array.element_bytes;
    }

    // As much shared memory as the kernel accesses.
    bool larger(const SharedArray& array) {
        const std::uint64_t most = simt::kMostSharedBytes - program_.static_shared_bytes;
        const std::uint64_t wanted = (static_cast<std::uint64_t>(finding_.index) + 1) * array.element_bytes;
        if (wanted > most || wanted <= launch_.shared) {
            return false;
        }
        next_.shared =
            static_cast<std::uint32_t>(std::min(most, std::max<std::uint64_t>(wanted, 2ULL * launch_.shared)));
        return true;
    }

    bool endless() {
        if (!launch_.n_chosen || launch_.n <= kFewestElements) {
            return false;
        }
        next_.n = std::max(kFewestElements, launch_.n / 8);
        if (launch_.block_chosen && launch_.block[1] == 1) {
            next_.block = simt::Extent{std::min(launch_.block[0], 32U), 1, 1};
        }
        return true;
    }

    // For an index computed from values the program chose (indices in arrays, a stride, an offset): simpler ones.
    bool plainer() {
        using Contents = Adjusted::Contents;
        const auto guessed = [](const ArgumentValue& a) { return a.guessed; };
        const bool contents = std::any_of(launch_.arguments.begin(), launch_.arguments.end(), guessed);
        const Contents last = launch_.n_chosen && !of_stated_size() ? Contents::ones_everywhere : Contents::zeros;
        if (next_.contents >= last || (!contents && last == Contents::zeros)) {
            return false;
        }
        next_.contents = contents ? static_cast<Contents>(static_cast<int>(next_.contents) + 1) : last;
        return true;
    }

    // Whether somebody said how long the array is that was overrun.
    bool of_stated_size() const {
        for (std::size_t p = 0; p < launch_.parameters.size(); ++p) {
            if (launch_.parameters[p].name == finding_.array && launch_.arguments[p].stated) {
                return true;
            }
        }
        return false;
    }

    const Program& program_;
    const KernelLaunch& launch_;
    Adjusted next_;
    const Finding& finding_;
    bool expects_;
};
} // namespace

std::optional<Adjusted> next_try(const Program& program, const KernelLaunch& launch, const Adjusted& now,
                                 const Finding& finding, bool expects) {
    return Trial(program, launch, now, finding, expects).next();
}

} // namespace warptree::runs
