#include "app/base/error.hpp"
#include "app/base/resources.hpp"
#include "app/catalogue/catalogue.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/option_values.hpp"
#include "app/cli/output.hpp"
#include "app/serve/service.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <thread>

namespace warptree::commands {

namespace {
using namespace std::chrono_literals;
constexpr auto kDrain = 30s; // for what is being answered when the server is asked to stop

struct ServeWords {
    std::string listen = "127.0.0.1:8080", page, course, jobs, rate;
    bool behind_proxy = false, quiet = false;
};

std::filesystem::path page_of(const ServeWords& words) {
    if (!words.page.empty()) {
        return words.page;
    }
    for (const char* usual : {"web", "build/web/site"}) { // installed, or made by script/web in the source tree
        try {
            return resource(usual);
        } catch (const MissingResource&) {
        }
    }
    return {};
}

int serve_until_stopped(const ServeWords& words) {
    serve::ServiceOptions options;
    options.page = page_of(words);
    options.course = words.course;
    options.kernels = catalogue::shipped_folder();
    options.behind_proxy = words.behind_proxy;
    if (!words.rate.empty()) {
        options.per_second = static_cast<double>(count_of("--rate", words.rate, 1, 1U << 20));
    }
    serve::DeskLimits desk;
    if (!words.jobs.empty()) {
        desk.compilers = static_cast<unsigned>(count_of("--jobs", words.jobs, 1, 256));
    }
    serve::HttpLimits limits;
    if (options.behind_proxy) {
        limits.of_address = 0; // all come from the proxy
    }
    RunControl control;
    const Interrupt interrupt(control, kDrain + 1s);
    serve::Service service(options, desk);
    serve::HttpServer server(
        words.listen, limits,
        [&service](serve::HttpRequest request, const serve::HttpServer::Answer& answer) {
            service.answer(std::move(request), answer);
        },
        [&service, quiet = words.quiet](const serve::HttpRecord& record) {
            service.over(record);
            if (!quiet) {
                fmt::print(stderr, "{}", serve::Service::log_line(record));
            }
        });
    print(fmt::format("{}{}\n", server.url(), options.page.empty() ? "  (without a page: script/web builds it)" : ""));
    while (!control.cancel) {
        std::this_thread::sleep_for(100ms);
    }
    service.drain();
    server.stop_listening();
    for (const auto end = std::chrono::steady_clock::now() + kDrain;
         (server.open_requests() > 0 || !service.idle()) && std::chrono::steady_clock::now() < end;) {
        std::this_thread::sleep_for(20ms);
    }
    service.stop();
    stop_is_told();
    return kDone;
}
} // namespace

void add_serve(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("serve", "Hand out the page for a class, and compile kernels for it");
    auto words = std::make_shared<ServeWords>();
    command->add_option("--listen", words->listen,
                        "ADDRESS:PORT (default 127.0.0.1:8080; :8080 for every address, port 0 for a free one)");
    command->add_option("--page", words->page, "The folder of the page (default: what script/web built)");
    command->add_option("--course", words->course, "A folder of kernels, decks and lessons that the page lists");
    command->add_flag("--behind-proxy", words->behind_proxy,
                      "Clients are who the last entry of X-Forwarded-For says: only behind a proxy that sets it");
    command->add_option("--jobs", words->jobs, "Compilers (default: one more than there are cores)");
    command->add_option("--rate", words->rate, "Compiles a second that one address may ask for (default 100)");
    command->add_flag("--quiet", words->quiet, "No line for each request on standard error");
    command->callback([&action, words] { action = [words] { return serve_until_stopped(*words); }; });
}

} // namespace warptree::commands
