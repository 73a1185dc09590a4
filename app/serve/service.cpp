#include "app/serve/service.hpp"

#include "app/base/error.hpp"
#include "app/base/json_text.hpp"
#include "app/base/printable.hpp"
#include "app/serve/compile_question.hpp"

#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptree::serve {
namespace {

using namespace std::chrono_literals;
constexpr auto kCourseFresh = 1s; // a course's folder is looked at again after so long
constexpr SiteLimits kCourseLimits{1000, 32 << 20};

constexpr std::string_view kNoPage =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>warptree</title>"
    "<body style=\"font: 16px sans-serif; max-width: 40em; margin: 4em auto\"><h1>warptree</h1>"
    "<p>This server compiles kernels (<code>POST /compile</code>), but has no page to hand out: build it with "
    "<code>script/web</code>, or say where it is with <code>warptree serve --page DIR</code>.</p></body></html>\n";

HttpResponse text(unsigned status, std::string words, std::string type = "text/plain; charset=utf-8") {
    return {status, std::move(type), std::make_shared<const std::string>(std::move(words)), {}};
}

HttpResponse refused(unsigned status, const std::string& why) {
    HttpResponse response = text(status, json_text(nlohmann::ordered_json{{"error", why}}) + "\n", "application/json");
    if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
    return response;
}

// The page is alone with itself, so that it may have threads with shared memory, and takes nothing from elsewhere.
void isolate(HttpResponse& response) {
    for (const auto& [name, value] :
         {std::pair{"Cross-Origin-Opener-Policy", "same-origin"},
          std::pair{"Cross-Origin-Embedder-Policy", "require-corp"},
          std::pair{"Cross-Origin-Resource-Policy", "same-origin"}, std::pair{"X-Content-Type-Options", "nosniff"},
          std::pair{"X-Warptree-Serve", "1"}}) // the page may ask for a course, and to compile
        response.headers.emplace_back(name, value);
}

HttpResponse sent(const SiteFile& file, const HttpRequest& request) {
    HttpResponse response{200, file.type, file.bytes, {{"ETag", file.tag}, {"Cache-Control", "no-cache"}}};
    if (file.deflated != nullptr) {
        response.headers.emplace_back("Vary", "Accept-Encoding");
        if (request.header("accept-encoding").find("gzip") != std::string::npos) {
            response.body = file.deflated;
            response.headers.emplace_back("Content-Encoding", "gzip");
        }
    }
    if (request.header("if-none-match").find(file.tag) != std::string::npos) {
        response.status = 304;
        response.body = nullptr;
    }
    isolate(response);
    return response;
}

std::string kind_of(std::string_view path) {
    return path.ends_with(".cu")       ? "kernel"
           : path.ends_with(".deck")   ? "deck"
           : path.ends_with(".lesson") ? "lesson"
                                       : "file";
}

// What is counted under one name: paths come from outside.
std::string route_of(std::string_view path) {
    for (const std::string_view known : {"/compile", "/healthz", "/metrics"}) {
        if (path == known) return std::string(known);
    }
    return path.starts_with("/course/") ? "/course" : "page";
}

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    });
}

} // namespace

Service::Service(const ServiceOptions& options, const DeskLimits& desk)
    : options_(options), rate_(options.per_second, 2 * options.per_second), desk_(desk) {
    if (!options_.page.empty()) page_ = site_of(options_.page);
    if (!options_.course.empty())
        course({"GET", "/course/", "", "", {}}); // reads it, so that it is refused now if it is
}

Client Service::client_of(const HttpRequest& request) const {
    Client client{request.address, request.header("x-warptree-client")};
    if (!is_name(client.name)) client.name.clear();
    if (options_.behind_proxy) {
        const std::string forwarded = request.header("x-forwarded-for");
        const std::size_t comma = forwarded.rfind(',');
        const std::string last = forwarded.substr(comma == std::string::npos ? 0 : comma + 1);
        const std::size_t begin = last.find_first_not_of(' ');
        if (begin != std::string::npos) client.address = last.substr(begin, 64);
    }
    return client;
}

// A page of another site asks for it, in a browser that can reach this server.
bool Service::foreign(const HttpRequest& request) const {
    const std::string origin = request.header("origin");
    if (origin.empty()) return false;
    std::string host = request.header("host");
    if (options_.behind_proxy && !request.header("x-forwarded-host").empty()) host = request.header("x-forwarded-host");
    const std::size_t scheme = origin.find("://");
    return scheme == std::string::npos || origin.substr(scheme + 3) != host;
}

HttpResponse Service::page(const HttpRequest& request) const {
    if (page_.empty() && request.path == "/") return text(200, std::string(kNoPage), "text/html; charset=utf-8");
    const auto file = page_.find(request.path == "/" ? "index.html" : request.path.substr(1));
    return file == page_.end() ? text(404, "there is no such file here\n") : sent(file->second, request);
}

HttpResponse Service::course(const HttpRequest& request) {
    const auto now = std::chrono::steady_clock::now();
    if (!options_.course.empty() && (course_.list.bytes == nullptr || now - course_.read > kCourseFresh)) {
        course_.files = site_of(options_.course, kCourseLimits);
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const auto& [path, file] : course_.files)
            list.push_back({{"path", path}, {"kind", kind_of(path)}, {"bytes", file.bytes->size()}, {"tag", file.tag}});
        course_.list = site_file("list.json", json_text(list) + "\n");
        course_.read = now;
    }
    constexpr std::size_t kPrefix = std::string_view("/course/").size();
    if (request.path.size() == kPrefix) {
        return course_.list.bytes == nullptr ? text(200, "[]\n", "application/json") : sent(course_.list, request);
    }
    const auto file = course_.files.find(request.path.substr(kPrefix));
    return file == course_.files.end() ? text(404, "the course has no such file\n") : sent(file->second, request);
}

void Service::compile(const HttpRequest& request, const HttpServer::Answer& answer) {
    if (foreign(request)) return answer(refused(403, "compiles for its own page only"));
    const Client client = client_of(request);
    if (!rate_.take(client.address, std::chrono::steady_clock::now()))
        return answer(refused(429, fmt::format("more than {} compiles a second", options_.per_second)));
    const bool as_bytes = request.header("accept").find("application/octet-stream") != std::string::npos;
    compile::Request question;
    try {
        question = question_from(request.body, request.header("content-type"), options_.kernels.string());
    } catch (const OptionError& error) {
        return answer(refused(400, error.what()));
    }
    const auto done = [answer, as_bytes](const Outcome& outcome) {
        if (outcome.program == nullptr) return answer(refused(422, outcome.refusal));
        HttpResponse response{200, "application/octet-stream", outcome.program, {{"Cache-Control", "no-store"}}};
        if (!as_bytes) {
            response.type = "application/json";
            response.body = std::make_shared<const std::string>(answer_as_json(*outcome.program));
        }
        response.headers.emplace_back("X-Warptree-Kept", outcome.kept ? "1" : "0");
        answer(std::move(response));
    };
    switch (desk_.submit(client, std::move(question), done)) {
    case CompileDesk::Taken::yes: return;
    case CompileDesk::Taken::too_many: return answer(refused(503, "too many wait; ask again in a second"));
    case CompileDesk::Taken::too_many_of_client:
        return answer(refused(429, "this client has as many compiles waiting as it may have"));
    }
}

void Service::answer(HttpRequest request, const HttpServer::Answer& answer) {
    try {
        if (request.path == "/compile") {
            if (request.method == "POST") return compile(request, answer);
        } else if (request.method == "GET" || request.method == "HEAD") {
            if (request.path == "/healthz") return answer(draining_ ? text(503, "draining\n") : text(200, "ok\n"));
            if (request.path == "/metrics") return answer(metrics());
            return answer(request.path.starts_with("/course/") ? course(request) : page(request));
        }
        HttpResponse response = text(405, "take GET, or POST to /compile\n");
        response.headers.emplace_back("Allow", request.path == "/compile" ? "POST" : "GET, HEAD");
        answer(std::move(response));
    } catch (const FileError& error) {
        answer(refused(500, error.what()));
    } catch (const std::exception&) {
        answer(refused(500, "the server could not answer; its memory may be short"));
    }
}

void Service::over(const HttpRecord& record) {
    const std::lock_guard lock(mutex_);
    const std::string route = route_of(record.path);
    ++requests_[{route, record.status}];
    if (route != "/compile" || record.status == 0) return;
    const std::size_t within =
        std::lower_bound(std::begin(kBounds), std::end(kBounds), record.seconds) - std::begin(kBounds);
    ++compile_times_.within[within];
    ++compile_times_.count;
    compile_times_.sum += record.seconds;
}

std::string Service::log_line(const HttpRecord& r) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ} {} {} {} {} {} B {:.1f} ms\n", fmt::gmtime(std::time(nullptr)), r.address,
                       printable(r.method), printable(r.path), r.status == 0 ? "gone" : std::to_string(r.status),
                       r.bytes, r.seconds * 1e3);
}

// In the text format of Prometheus.
HttpResponse Service::metrics() const {
    const DeskCounts desk = desk_.counts();
    std::string out;
    const auto head = [&out](const char* metric, const char* type, const char* help) {
        out += fmt::format("# HELP warptree_{0} {2}\n# TYPE warptree_{0} {1}\n", metric, type, help);
    };
    const auto one = [&](const char* metric, const char* type, const char* help, std::uint64_t value) {
        head(metric, type, help);
        out += fmt::format("warptree_{} {}\n", metric, value);
    };
    head("compiles_total", "counter", "Answers to /compile: by a compiler, by what was kept, without a program.");
    out +=
        fmt::format("warptree_compiles_total{{answer=\"compiled\"}} {}\nwarptree_compiles_total{{answer=\"kept\"}} {}\n"
                    "warptree_compiles_total{{answer=\"refused\"}} {}\n",
                    desk.compiled, desk.kept, desk.refused);
    one("turned_away_total", "counter", "Compiles not taken, as too many waited.", desk.turned_away);
    one("waiting", "gauge", "Compiles that wait.", desk.waiting);
    one("running", "gauge", "Compiles at work.", desk.running);
    one("kept_programs", "gauge", "Programs kept.", desk.kept_programs);
    one("kept_bytes", "gauge", "Their bytes, with their texts.", desk.kept_bytes);
    const std::lock_guard lock(mutex_);
    head("requests_total", "counter", "Requests that are over; status 0: the client went away.");
    for (const auto& [of, count] : requests_)
        out += fmt::format("warptree_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", of.first, of.second, count);
    head("compile_seconds", "histogram", "From the first line of a request to the last byte of its answer.");
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < std::size(kBounds); ++i) {
        so_far += compile_times_.within[i];
        out += fmt::format("warptree_compile_seconds_bucket{{le=\"{}\"}} {}\n", kBounds[i], so_far);
    }
    out += fmt::format("warptree_compile_seconds_bucket{{le=\"+Inf\"}} {0}\nwarptree_compile_seconds_sum {1}\n"
                       "warptree_compile_seconds_count {0}\n",
                       compile_times_.count, compile_times_.sum);
    return text(200, std::move(out), "text/plain; version=0.0.4; charset=utf-8");
}

} // namespace warptree::serve
