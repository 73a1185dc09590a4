#pragma once

extern "C" {
int isdigit(int);
int isalpha(int);
int isalnum(int);
int isspace(int);
int isupper(int);
int islower(int);
int ispunct(int);
int isxdigit(int);
int isprint(int);
int toupper(int);
int tolower(int);
}
