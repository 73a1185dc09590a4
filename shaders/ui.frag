#version 330 core
in vec2 texel;
in vec4 tint;
uniform sampler2D atlas;
out vec4 color;

void main() {
    color = tint * texture(atlas, texel);
}
