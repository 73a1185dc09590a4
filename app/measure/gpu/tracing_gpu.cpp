#include "app/measure/gpu/tracing_gpu.hpp"

#include "app/base/error.hpp"
#include "app/gpu/device.hpp"
#include "app/run/tracing_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace warptree::runs {

namespace {
// One launch: it runs first to count each thread's events, then to log them.
class Logged {
  public:
    Logged(const simt::LaunchSetup& setup, std::chrono::milliseconds limit)
        : setup_(setup), limit_(limit), threads_(simt::volume(setup.grid) * setup.threads()),
          counts_(threads_ * sizeof(std::uint32_t)) {
        for (std::uint32_t a = globals(); a < setup.memory->count(); ++a) {
            if (!(*setup.memory)[a].freed()) {
                arrays_.emplace(a, gpu::Buffer((*setup.memory)[a].bytes() + kSlack));
            }
        }
    }

    std::unique_ptr<simt::DeviceLog> run() {
        std::uint32_t room = 0;
        for (int tries = 0; tries < kMostTries; ++tries) {
            const std::vector<std::uint32_t> counts = launch(room);
            const std::uint32_t most = *std::max_element(counts.begin(), counts.end());
            if (room != 0 && most <= room) {
                return std::make_unique<simt::DeviceLog>(events(room), counts);
            }
            // A polling thread polls a different number of times in each run.
            room = room == 0 ? most + 1 : 2 * most;
            const std::uint64_t bytes = threads_ * room * sizeof(compile::LoggedEvent);
            if (bytes > gpu::free_memory() / 2 || bytes > kMostBytes) {
                throw OptionError(fmt::format("the log of {} threads with {} events each takes {} MB; take fewer "
                                              "elements, or --backend cpu",
                                              threads_, room, bytes >> 20));
            }
            events_ = {};
            events_ = gpu::Buffer(bytes);
        }
        throw DeviceError("the kernel logs a different amount each time; --backend cpu runs it");
    }

  private:
    static constexpr std::uint64_t kSlack = 256; // spare bytes after an array
    static constexpr std::uint64_t kMostBytes = 8ULL << 30;
    static constexpr int kMostTries = 5;

    // Returns the number of events of each thread.
    std::vector<std::uint32_t> launch(std::uint32_t room) {
        const compile::Kernel& kernel = setup_.code();
        const gpu::Module module(setup_.program->code.ptx); // loaded again to reset what the compiler made
        find_variables(module);
        for (auto& [number, buffer] : arrays_) {
            upload(buffer.address(), number);
        }
        for (const auto& [number, address] : variables_) {
            upload(address, number);
        }
        counts_.fill(0);
        std::uint64_t place_bytes = 0;
        const auto place_at = module.find_variable(compile::kLogVariable, &place_bytes);
        const compile::LogPlace place{events_.address(), counts_.address(), threads_, room};
        if (!place_at || place_bytes != sizeof place) {
            throw DeviceError("the code has no log");
        }
        gpu::upload(*place_at, &place, sizeof place);

        std::vector<std::vector<std::byte>> values;
        for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
            const compile::Parameter& parameter = kernel.parameters[p];
            const simt::Argument& argument = setup_.arguments[p];
            std::vector<std::byte> value(std::max<std::size_t>(8, argument.record.size()));
            std::uint64_t bits = argument.bits;
            if (parameter.kind == compile::Parameter::Kind::record) {
                std::copy(argument.record.begin(), argument.record.end(), value.begin());
                for (const compile::Parameter& member : kernel.members) {
                    if (member.record == p && member.kind == compile::Parameter::Kind::array) {
                        std::memcpy(&bits, value.data() + member.local_offset, sizeof bits);
                        bits = address_on_gpu(bits);
                        std::memcpy(value.data() + member.local_offset, &bits, sizeof bits);
                    }
                }
            } else {
                bits = parameter.kind == compile::Parameter::Kind::array ? address_on_gpu(bits) : bits;
                std::memcpy(value.data(), &bits, sizeof bits);
            }
            values.push_back(std::move(value));
        }
        gpu::Launch l;
        l.function = module.function(kernel.symbol);
        std::copy(setup_.grid.begin(), setup_.grid.end(), l.grid);
        std::copy(setup_.block.begin(), setup_.block.end(), l.block);
        l.shared = setup_.program->code.shared + setup_.dynamic_shared;
        for (std::vector<std::byte>& value : values) {
            l.arguments.push_back(value.data());
        }
        gpu::launch(l);
        gpu::wait(limit_);
        std::vector<std::uint32_t> counts(threads_);
        counts_.download(counts.data(), counts_.size());
        return counts;
    }

    std::uint32_t globals() const { return static_cast<std::uint32_t>(setup_.program->globals.size()); }

    // Where the module has what the file declares. A string or table that the compiler made has what the code says.
    void find_variables(const gpu::Module& module) {
        variables_.clear();
        for (std::uint32_t g = 0; g < globals(); ++g) {
            const compile::Global& global = setup_.program->globals[g];
            const bool functions =
                std::ranges::any_of(global.addresses, [](const auto& a) { return a.function != compile::kNone; });
            std::uint64_t bytes = 0;
            if (const auto at = module.find_variable(global.symbol, &bytes);
                !global.name.empty() && !functions && at && bytes >= (*setup_.memory)[g].bytes()) {
                variables_.emplace(g, *at);
            }
        }
    }

    // The contents of an allocation, with its pointers to others translated.
    void upload(gpu::api::Address to, std::uint32_t number) {
        simt::Allocation& a = (*setup_.memory)[number];
        const ValueType element = a.shape().element;
        if (a.bytes() == 0) {
            return;
        }
        if (element != ValueType::none && element != ValueType::pointer && bytes(element) != sizeof(std::uint64_t)) {
            gpu::upload(to, a.data(), a.bytes());
            return;
        }
        std::vector<std::byte> data(a.data(), a.data() + a.bytes());
        for (std::size_t at = 0; at + sizeof(std::uint64_t) <= data.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, &data[at], sizeof word);
            if (word < compile::kHostBase) { // no address
                continue;
            }
            if (const std::uint64_t there = address_on_gpu(word); there != 0) {
                std::memcpy(&data[at], &there, sizeof there);
            }
        }
        gpu::upload(to, data.data(), data.size());
    }

    // Of an address in the interpreter; 0: it is neither in nor near an array.
    std::uint64_t address_on_gpu(std::uint64_t address) const {
        std::int64_t offset = 0;
        std::uint32_t number = 0;
        if (setup_.memory->find(address, offset, number) == nullptr) {
            return 0;
        }
        const auto variable = variables_.find(number);
        const auto array = arrays_.find(number);
        const std::uint64_t begin = variable != variables_.end() ? variable->second
                                    : array != arrays_.end()     ? array->second.address()
                                                                 : 0;
        return begin == 0 ? 0 : begin + static_cast<std::uint64_t>(offset);
    }

    // The logged events, with the GPU's addresses translated to the interpreter's.
    std::vector<compile::LoggedEvent> events(std::uint32_t room) {
        std::vector<compile::LoggedEvent> all(threads_ * room);
        events_.download(all.data(), all.size() * sizeof all[0]);
        std::map<std::uint64_t, std::uint32_t> begins;
        for (const auto& [number, buffer] : arrays_) {
            begins.emplace(buffer.address(), number);
        }
        for (compile::LoggedEvent& e : all) {
            if (e.what() != compile::LogKind::load && e.what() != compile::LogKind::store &&
                e.what() != compile::LogKind::atomic) {
                continue;
            }
            if (e.address >= compile::kSharedBase && e.address < compile::kLocalBase) {
                continue;
            }
            const auto after = begins.upper_bound(e.address);
            const auto array = after == begins.begin() ? begins.end() : std::prev(after);
            const bool inside = array != begins.end() && e.address - array->first < arrays_.at(array->second).size();
            e.address = inside ? compile::allocation_address(array->second) + (e.address - array->first) : 0;
        }
        return all;
    }

    const simt::LaunchSetup& setup_;
    std::chrono::milliseconds limit_;
    std::uint64_t threads_;
    gpu::Buffer counts_, events_;
    std::map<std::uint32_t, gpu::Buffer> arrays_;          // by allocation
    std::map<std::uint32_t, gpu::api::Address> variables_; // of the module, by allocation
};

class TracingGpu final : public TracingDevice {
  public:
    bool usable() const override { return gpu::usable(); }
    Device facts() const override {
        const gpu::DeviceFacts& facts = gpu::facts();
        return {facts.name, facts.compute_major, facts.compute_minor};
    }
    std::string architecture() const override { return gpu::facts().architecture(); }
    std::unique_ptr<simt::DeviceLog> log(const simt::LaunchSetup& setup,
                                         std::chrono::milliseconds limit) const override {
        const compile::DeviceCode& code = setup.program->code;
        if (code.ptx.empty()) {
            throw OptionError(fmt::format("the kernel is not traced on a GPU: {}; --backend cpu runs it",
                                          code.problem.empty() ? "it was not compiled for one" : code.problem));
        }
        return Logged(setup, limit).run();
    }
};
} // namespace

void trace_on_this_gpu() {
    static const TracingGpu gpu;
    set_tracing_device(gpu);
}

} // namespace warptree::runs
