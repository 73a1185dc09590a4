// The playgrounds of strides and shuffles, with real keys and mouse.
#include "tests/app/ui_fixture.hpp"

namespace warptree::testing {
namespace {

class Strides : public Ui {
  protected:
    void has(const char* field, const std::string& value) const {
        until([&](const Json& s) { return s["page_values"].value(field, "") == value; },
              std::string(field) + " is " + value);
    }
};

TEST_F(Strides, ShufflesOfAnyKindWidthDeltaAndMask) {
    open({"--state", "stride-playground"});
    settled();
    has("playground", "banks");
    const std::string strides = screenshot();
    xdotool("key s");
    has("playground", "shuffles");
    EXPECT_NE(screenshot(), strides);
    EXPECT_EQ(settled()["page_shown"]["call"], "__shfl_down_sync(0xffffffff, x, 16, 32)");
    xdotool("key bracketleft bracketleft");
    has("delta", "14");
    xdotool("key Down");
    has("shuffle", "up");
    // With keys only, through the fields: kind, delta, width.
    key("i", "keyboard", "request");
    xdotool("key Down Down Right");
    has("width", "16");
    xdotool("key Escape");
    settled();
    EXPECT_EQ(state()["page_shown"]["call"], "__shfl_up_sync(0xffffffff, x, 14, 16)");
    EXPECT_NE(state()["page_shown"]["sentence"].get<std::string>().find("out of range"), std::string::npos);
    EXPECT_EQ(state()["state"], "stride-playground?delta=14&playground=shuffles&shuffle=up&width=16");
    click("field-lanes");
    until([](const Json& s) { return s["typing"] == true; }, "the field");
    settled();
    xdotool("key ctrl+a");
    xdotool("type 0000ffff");
    xdotool("key Return");
    has("lanes", "0000ffff");
    settled();
    click("tab-strides");
    has("playground", "banks");
    key("ctrl+z", "state", "stride-playground?delta=14&lanes=0000ffff&playground=shuffles&shuffle=up&width=16");
}

TEST_F(Strides, ConflictsAreMendedByAKeyAndByAClick) {
    open({"--state", "stride-playground?index=t*32"});
    settled();
    xdotool("key f");
    has("index", "(t*32)+(t*32)/32");
    EXPECT_EQ(settled()["notice"], "padded: 1 wavefront instead of 32");
    key("f", "notice", "there is no conflict to fix");
    settled();
    xdotool("key ctrl+z");
    has("index", "t*32");
    settled();
    click("remedy-swizzled");
    has("index", "(t*32)^(t*32)/32%32");
}

} // namespace
} // namespace warptree::testing
