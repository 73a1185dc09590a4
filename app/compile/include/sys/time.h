#pragma once

struct timeval {
    long tv_sec, tv_usec;
};
struct timezone {
    int tz_minuteswest, tz_dsttime;
};
extern "C" int gettimeofday(timeval*, void*);
#define timersub(_a, _b, _result) ((void)(_a), (void)(_b), (void)(_result))
