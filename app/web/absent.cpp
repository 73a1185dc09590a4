// What a page has not: libraries to open (the NVIDIA driver, NVRTC), processes (ffmpeg, nvdisasm), memory to share with
// them. Emscripten's C library lacks these functions, or ends the program in them.
#include <cerrno>
#include <cstddef>

#include <dlfcn.h>
#include <spawn.h>

extern "C" {
void* dlopen(const char* /*file*/, int /*mode*/) { return nullptr; }
void* dlsym(void* /*library*/, const char* /*symbol*/) { return nullptr; }
int dlclose(void* /*library*/) { return 0; }

int posix_spawnp(pid_t* /*process*/, const char* /*file*/, const posix_spawn_file_actions_t* /*actions*/,
                 const posix_spawnattr_t* /*attributes*/, char* const* /*arguments*/, char* const* /*environment*/) {
    return ENOSYS;
}
int memfd_create(const char* /*name*/, unsigned /*flags*/) {
    errno = ENOSYS;
    return -1;
}
}
