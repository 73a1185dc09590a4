#version 330 core
// One cubic Bezier an instance, as a strip of two vertices a point.
layout(location = 0) in vec4 start;  // from, control 1
layout(location = 1) in vec4 finish; // control 2, to
layout(location = 2) in vec2 form;   // width, dash length
layout(location = 3) in vec4 paint;
uniform vec4 view;
const float segments = 40.0;

out float side; // pixels from the middle of the line
out float along; // pixels from the start, nearly
flat out vec2 line;
flat out vec4 line_color;

vec2 point(float t) {
    float u = 1.0 - t;
    return u * u * u * start.xy + 3.0 * u * u * t * start.zw + 3.0 * u * t * t * finish.xy + t * t * t * finish.zw;
}

void main() {
    float t = float(gl_VertexID >> 1) / segments;
    float u = 1.0 - t;
    vec2 tangent = u * u * (start.zw - start.xy) + 2.0 * u * t * (finish.xy - start.zw) + t * t * (finish.zw - finish.xy);
    if (dot(tangent, tangent) < 1e-6) {
        tangent = finish.zw - start.xy + vec2(0.0, 1e-3);
    }
    vec2 normal = normalize(vec2(-tangent.y, tangent.x));
    float reach = form.x * 0.5 + 1.0;
    side = (gl_VertexID & 1) == 0 ? -reach : reach;
    along = t * distance(start.xy, finish.zw);
    line = form;
    line_color = paint;
    vec2 pixel = point(t) + normal * side;
    vec2 ndc = (pixel - view.xy) / view.zw * 2.0 - 1.0;
    gl_Position = vec4(ndc, 0.0, 1.0);
}
