// What CUDA's samples take their command line apart with: -name=value or --name=value.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <strings.h>
#include <vector>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

// The text after the name, empty without a value; null: the flag is not there.
inline const char* __warptree_flag(int count, const char** words, const char* name) {
    const size_t length = strlen(name);
    for (int i = 1; i < count; ++i) {
        const char* word = words[i];
        while (*word == '-') ++word;
        if (word != words[i] && strncasecmp(word, name, length) == 0 && (word[length] == '=' || word[length] == '\0'))
            return word + length + (word[length] == '=');
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int count, const char** words, const char* name) {
    return __warptree_flag(count, words, name) != nullptr;
}
inline int getCmdLineArgumentInt(int count, const char** words, const char* name) {
    const char* const value = __warptree_flag(count, words, name);
    return value == nullptr ? 0 : atoi(value);
}
inline float getCmdLineArgumentFloat(int count, const char** words, const char* name) {
    const char* const value = __warptree_flag(count, words, name);
    return value == nullptr ? 0 : static_cast<float>(atof(value));
}
inline bool getCmdLineArgumentString(int count, const char** words, const char* name, char** to) {
    const char* const value = __warptree_flag(count, words, name);
    *to = const_cast<char*>(value);
    return value != nullptr;
}
template <class T> bool getCmdLineArgumentValue(int count, const char** words, const char* name, T* to) {
    const char* const value = __warptree_flag(count, words, name);
    if (value != nullptr) *to = static_cast<T>(atoi(value));
    return value != nullptr;
}
