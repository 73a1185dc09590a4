// What `warptree serve` answers: the page, a course's files, compiled kernels, its health and its figures.
#pragma once

#include "app/serve/compile_desk.hpp"
#include "app/serve/http.hpp"
#include "app/serve/rate.hpp"
#include "app/serve/site.hpp"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>

namespace warptree::serve {

struct ServiceOptions {
    std::filesystem::path page;    // the folder that script/web makes; empty: there is none
    std::filesystem::path course;  // kernels, decks and lessons of a course; empty: none
    std::filesystem::path kernels; // those that ship, whose headers a text may include
    bool behind_proxy = false;     // clients are who X-Forwarded-For says, its last entry
    double per_second = 100;       // compiles that an address may ask for; twice as many at once
};

class Service {
  public:
    // Throws FileError where a folder cannot be read.
    explicit Service(const ServiceOptions& options, const DeskLimits& desk = {});

    void answer(HttpRequest request, const HttpServer::Answer& answer);
    void over(const HttpRecord& record); // counts it
    // One line without the texts: when, who, what, status, bytes, milliseconds.
    static std::string log_line(const HttpRecord& record);
    // From now on /healthz says that no more requests shall be sent here.
    void drain() { draining_ = true; }
    bool idle() const { return desk_.idle(); }
    void stop() { desk_.stop(); } // answers what still waits

  private:
    HttpResponse page(const HttpRequest& request) const;
    HttpResponse course(const HttpRequest& request);
    HttpResponse metrics() const;
    void compile(const HttpRequest& request, const HttpServer::Answer& answer);
    Client client_of(const HttpRequest& request) const;
    bool foreign(const HttpRequest& request) const;

    ServiceOptions options_;
    std::map<std::string, SiteFile> page_;
    std::atomic<bool> draining_{false};

    struct Course {
        std::map<std::string, SiteFile> files;
        SiteFile list;
        std::chrono::steady_clock::time_point read;
    };
    Course course_; // used by the server's thread alone
    Rate rate_;     // too

    // Of requests that are over: seconds from the first line to the last byte of the answer.
    static constexpr double kBounds[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10};
    struct Times {
        std::uint64_t within[std::size(kBounds) + 1] = {};
        std::uint64_t count = 0;
        double sum = 0;
    };
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, unsigned>, std::uint64_t> requests_; // by route and status
    Times compile_times_;
    CompileDesk desk_; // last: ends first, and answers what waits
};

} // namespace warptree::serve
