// Chooses the wording that fits the available room.
#pragma once

#include "app/drawing/draw.hpp"

#include <initializer_list>
#include <string>

namespace warptree::scene {

// The first that is at most `room` wide, else the last, whatever its width. At least one.
inline const std::string& first_fitting(const TextMeasure& measure, Face face, float size, float room,
                                        std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) {
        if (measure.width(text, face, size) <= room) {
            return text;
        }
    }
    return *(texts.end() - 1);
}

} // namespace warptree::scene
