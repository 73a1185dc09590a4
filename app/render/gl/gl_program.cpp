#include "app/render/gl/gl_program.hpp"

#include "app/base/error.hpp"
#include "app/base/resources.hpp"
#include "app/base/whole_file.hpp"
#include "app/render/gl/gl_dialect.hpp"

#include <glad/gl.h>

#include <array>
#include <string>

namespace warptree::render {

namespace {
GLuint compile(GLenum kind, std::string_view file) {
    const std::string source = read_whole(resource("shaders/" + std::string(file)));
    if (!source.starts_with(kDesktopGlsl)) {
        throw FileError("shader " + std::string(file) + " does not begin with " + kDesktopGlsl);
    }
    const std::string rest = source.substr(source.find('\n') + 1);
    const GLuint shader = glCreateShader(kind);
    const std::array<const char*, 4> text{kGlsl, "\n", kPrecision, rest.c_str()};
    glShaderSource(shader, text.size(), text.data(), nullptr);
    glCompileShader(shader);
    GLint done = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done == 0) {
        std::array<char, 512> log{};
        glGetShaderInfoLog(shader, log.size(), nullptr, log.data());
        glDeleteShader(shader);
        throw DeviceError("shader " + std::string(file) + " does not compile: " + log.data());
    }
    return shader;
}
} // namespace

unsigned load_program(std::string_view vertex_file, std::string_view fragment_file) {
    const GLuint vertex = compile(GL_VERTEX_SHADER, vertex_file);
    const GLuint fragment = compile(GL_FRAGMENT_SHADER, fragment_file);
    const GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint done = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    if (done == 0) {
        std::array<char, 512> log{};
        glGetProgramInfoLog(program, log.size(), nullptr, log.data());
        glDeleteProgram(program);
        throw DeviceError("shaders " + std::string(vertex_file) + " do not link: " + log.data());
    }
    check_gl("building shaders");
    return program;
}

void check_gl(const char* what) {
    if (const GLenum error = kAsksForErrors ? glGetError() : GL_NO_ERROR; error != GL_NO_ERROR) {
        throw DeviceError("OpenGL error " + std::to_string(error) + " while " + what);
    }
}

} // namespace warptree::render
