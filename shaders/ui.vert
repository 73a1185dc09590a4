#version 330 core
// Triangles of the user interface.
layout(location = 0) in vec2 pixel;
layout(location = 1) in vec2 at;
layout(location = 2) in vec4 paint;
uniform vec4 view; // display position and size in pixels; the picture is kept upside down

out vec2 texel;
out vec4 tint;

void main() {
    texel = at;
    tint = paint;
    vec2 ndc = (pixel - view.xy) / view.zw * 2.0 - 1.0;
    gl_Position = vec4(ndc, 0.0, 1.0);
}
