#version 330 core
in float side;
in float along;
flat in vec2 line;
flat in vec4 line_color;
out vec4 color;

void main() {
    float cover = clamp(line.x * 0.5 + 0.5 - abs(side), 0.0, 1.0) * min(line.x, 1.0);
    if (line.y > 0.0 && fract(along / (2.0 * line.y)) > 0.5) {
        discard;
    }
    color = vec4(line_color.rgb, line_color.a * cover);
}
