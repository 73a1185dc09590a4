#pragma once

struct stat {
    long st_size;
};
extern "C" int stat(const char*, struct stat*);
extern "C" int mkdir(const char*, unsigned int);
