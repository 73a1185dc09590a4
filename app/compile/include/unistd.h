#pragma once

extern "C" {
unsigned int sleep(unsigned int);
int usleep(unsigned int);
int getpid();
int close(int);
long read(int, void*, unsigned long);
long write(int, const void*, unsigned long);
int access(const char*, int);
char* getcwd(char*, unsigned long);
int gethostname(char*, unsigned long);
int getopt(int, char* const*, const char*);
extern char* optarg;
extern int optind, opterr, optopt;
}
