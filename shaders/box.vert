#version 330 core
// One rounded box an instance; four vertices span it.
layout(location = 0) in vec4 rect;         // x, y, width, height in pixels
layout(location = 1) in vec4 shape;        // radius, stroke width, pattern, unused
layout(location = 2) in vec4 fill;
layout(location = 3) in vec4 stroke;
layout(location = 4) in vec4 pattern_color;
uniform vec4 view; // display position and size in pixels; the picture is kept upside down

out vec2 place; // from the middle, pixels
flat out vec2 half_size;
flat out vec3 form; // radius, stroke width, pattern
flat out vec4 fill_color, stroke_color, hatch_color;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 margin = vec2(1.0); // for the soft edge
    vec2 pixel = rect.xy - margin + corner * (rect.zw + 2.0 * margin);
    half_size = rect.zw * 0.5;
    place = pixel - rect.xy - half_size;
    form = shape.xyz;
    fill_color = fill;
    stroke_color = stroke;
    hatch_color = pattern_color;
    vec2 ndc = (pixel - view.xy) / view.zw * 2.0 - 1.0;
    gl_Position = vec4(ndc, 0.0, 1.0);
}
