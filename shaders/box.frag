#version 330 core
in vec2 place;
flat in vec2 half_size;
flat in vec3 form;
flat in vec4 fill_color, stroke_color, hatch_color;
out vec4 color;

void main() {
    float radius = min(form.x, min(half_size.x, half_size.y));
    vec2 q = abs(place) - half_size + radius;
    float distance = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - radius;
    float inside = clamp(0.5 - distance, 0.0, 1.0);
    vec4 paint = fill_color;
    if (form.z > 0.5) { // hatch, cross hatch, dots
        float across = place.x + place.y;
        float mark = step(fract(across / 6.0), 0.28);
        if (form.z > 1.5) {
            mark = max(mark, step(fract((place.x - place.y) / 6.0), 0.28));
        }
        if (form.z > 2.5) {
            vec2 cell = fract(place / 5.0) - 0.5;
            mark = step(dot(cell, cell), 0.07);
        }
        paint = mix(paint, vec4(hatch_color.rgb, 1.0), mark * hatch_color.a);
        paint.a = max(fill_color.a, mark * hatch_color.a);
    }
    float edge = form.y > 0.0 ? clamp(distance + form.y + 0.5, 0.0, 1.0) * stroke_color.a : 0.0;
    paint = vec4(mix(paint.rgb, stroke_color.rgb, edge), max(paint.a, edge));
    color = vec4(paint.rgb, paint.a * inside);
}
