// The parts of the C library that device code may call, and declarations for parsing host code.
#pragma once

#include "warptree/types.h"

#ifndef __WARPTREE_HOST // which has the system's own

extern "C" {
__host__ __device__ int printf(const char* format, ...);
__host__ __device__ void* malloc(size_t size);
__host__ __device__ void free(void* pointer);
__host__ __device__ void* memcpy(void* to, const void* from, size_t count);
__host__ __device__ void* memmove(void* to, const void* from, size_t count);
__host__ __device__ void* memset(void* to, int value, size_t count);
__device__ void __assertfail(const char* condition, const char* file, unsigned int line, const char* function,
                             size_t character_bytes);

// <time.h>
typedef long clock_t;
typedef long time_t;
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
time_t time(time_t*);
double difftime(time_t, time_t);
tm* localtime(const time_t*);
tm* gmtime(const time_t*);
char* ctime(const time_t*);
size_t strftime(char*, size_t, const char*, const tm*);
int clock_gettime(int, timespec*);
int nanosleep(const timespec*, timespec*);

// <stdlib.h>
void* calloc(size_t, size_t);
void* realloc(void*, size_t);
void* aligned_alloc(size_t, size_t);
int posix_memalign(void**, size_t, size_t);
__attribute__((noreturn)) void exit(int);
__host__ __device__ __attribute__((noreturn)) void abort();
int atexit(void (*)());
int system(const char*);
char* getenv(const char*);
int rand();
void srand(unsigned int);
int rand_r(unsigned int*);
long random();
void srandom(unsigned int);
double drand48();
void srand48(long);
int atoi(const char*);
long atol(const char*);
long long atoll(const char*);
double atof(const char*);
long strtol(const char*, char**, int);
long long strtoll(const char*, char**, int);
unsigned long strtoul(const char*, char**, int);
unsigned long long strtoull(const char*, char**, int);
double strtod(const char*, char**);
float strtof(const char*, char**);
void qsort(void*, size_t, size_t, int (*)(const void*, const void*));
void* bsearch(const void*, const void*, size_t, size_t, int (*)(const void*, const void*));

// <string.h>
size_t strlen(const char*);
int strcmp(const char*, const char*);
int strncmp(const char*, const char*, size_t);
int strcasecmp(const char*, const char*);
int strncasecmp(const char*, const char*, size_t);
char* strcpy(char*, const char*);
char* strncpy(char*, const char*, size_t);
char* strcat(char*, const char*);
char* strncat(char*, const char*, size_t);
char* strstr(const char*, const char*);
char* strchr(const char*, int);
char* strrchr(const char*, int);
char* strtok(char*, const char*);
char* strdup(const char*);
char* strerror(int);
int memcmp(const void*, const void*, size_t);

// <stdio.h>
typedef struct __warptree_file FILE;
extern FILE *stdin, *stdout, *stderr;
int fprintf(FILE*, const char*, ...);
int sprintf(char*, const char*, ...);
int snprintf(char*, size_t, const char*, ...);
int vprintf(const char*, __builtin_va_list);
int vfprintf(FILE*, const char*, __builtin_va_list);
int vsnprintf(char*, size_t, const char*, __builtin_va_list);
int scanf(const char*, ...);
int fscanf(FILE*, const char*, ...);
int sscanf(const char*, const char*, ...);
int puts(const char*);
int putchar(int);
int fputs(const char*, FILE*);
int fputc(int, FILE*);
int putc(int, FILE*);
char* fgets(char*, int, FILE*);
int fgetc(FILE*);
int getc(FILE*);
int getchar();
FILE* fopen(const char*, const char*);
int fclose(FILE*);
int fflush(FILE*);
size_t fread(void*, size_t, size_t, FILE*);
size_t fwrite(const void*, size_t, size_t, FILE*);
int fseek(FILE*, long, int);
long ftell(FILE*);
void rewind(FILE*);
int feof(FILE*);
int ferror(FILE*);
int remove(const char*);
void perror(const char*);
}

__WARPTREE_DEVICE clock_t clock() { return __nvvm_read_ptx_sreg_clock(); }
__host__ clock_t clock();

#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define BUFSIZ 8192
#define errno (*__warptree_errno())
extern "C" int* __warptree_errno();

typedef __builtin_va_list va_list;
#define va_start(list, last) __builtin_va_start(list, last)
#define va_end(list) __builtin_va_end(list)
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_copy(to, from) __builtin_va_copy(to, from)
#define offsetof(type, member) __builtin_offsetof(type, member)

#define assert(condition)                                                                                              \
    (static_cast<bool>(condition) ? static_cast<void>(0) : __warptree_assert_fail(#condition, __FILE__, __LINE__, __func__))
__host__ __device__ __attribute__((always_inline, nodebug)) static inline void
__warptree_assert_fail(const char* condition, const char* file, unsigned int line, const char* function) {
    __assertfail(condition, file, line, function, 1);
}

#endif
