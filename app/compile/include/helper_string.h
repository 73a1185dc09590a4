// What CUDA's samples call of their own helpers, for host code, which is parsed only.
#pragma once

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

bool checkCmdLineFlag(int, const char**, const char*);
int getCmdLineArgumentInt(int, const char**, const char*);
float getCmdLineArgumentFloat(int, const char**, const char*);
bool getCmdLineArgumentString(int, const char**, const char*, char**);
template <class _T>
bool getCmdLineArgumentValue(int, const char**, const char*, _T*);
char* sdkFindFilePath(const char*, const char*);
#define EXIT_WAIVED 2
