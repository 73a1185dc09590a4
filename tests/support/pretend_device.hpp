// A fake device for the timing harness.
#pragma once

#include "app/measure/timing/harness.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace warptree::tests {

// Every run takes one microsecond per element.
class Pretend : public timing::Device {
  public:
    explicit Pretend(std::atomic<bool>* hold = nullptr) : hold_(hold) {}
    timing::Provenance provenance() const override {
        timing::Provenance p;
        p.device = "Pretend";
        p.multiprocessors = 4;
        return p;
    }
    std::string refusal(const timing::Configuration& what) const override {
        return what.variant == "sequential" ? "no room for it" : "";
    }
    void prepare(std::uint64_t, ElementType) override {}
    std::unique_ptr<timing::Experiment> open(const timing::Configuration& what) override {
        struct Run : timing::Experiment {
            explicit Run(double s, std::atomic<bool>* h) : seconds(s), hold(h) {}
            std::string check() override { return {}; }
            double sample() override {
                while (hold != nullptr && *hold) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                return seconds;
            }
            double seconds;
            std::atomic<bool>* hold;
        };
        return std::make_unique<Run>(static_cast<double>(what.n) * 1e-6, hold_);
    }

  private:
    std::atomic<bool>* hold_;
};

} // namespace warptree::tests
