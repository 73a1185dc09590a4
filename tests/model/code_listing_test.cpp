#include "app/base/error.hpp"
#include "app/measure/code/recording.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace warptree::code {
namespace {

constexpr const char* kPtx = R"(.version 9.0
.target sm_90
	// .globl	_Z1kPi
.visible .entry _Z1kPib(
	.param .u64 other
)
{
	.loc	1 9 0
	ret;
}
.visible .entry _Z1kPi(
	.param .u64 _Z1kPi_param_0
)
{
	.reg .b32 	%r<3>;
	.loc	1 3 0
	ld.param.u64 	%rd1, [_Z1kPi_param_0];
	.loc	2 34 5, function_name $L__info_string0, inlined_at 1 4 9
	add.s32 	%r2, %r1, 1; // behind
	{ // callseq
	mov.u32 	%r1, %tid.x;
	}
$L__tmp3:
$L__BB0_2:
	.loc	1 0 9
	ret;

}
	.file	1 "mine.cu"
	.file	2 "folder/reduction.cuh"
	.section	.debug_str
)";

constexpr const char* kSass = R"(	.target	sm_90
//--------------------- .text._Z1kPib --------------------------
	.section	.text._Z1kPib,"ax",@progbits
        /*0000*/                   EXIT ;
//--------------------- .text._Z1kPi --------------------------
	.section	.text._Z1kPi,"ax",@progbits
_Z1kPi:
.text._Z1kPi:
	//## File "/a/mine.cu", line 3
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/a/reduction.cuh", line 34 inlined at "/a/mine.cu", line 4
	//## File "/a/mine.cu", line 4
        /*0010*/              @!P0 IADD3 R2, R2, 0x1, RZ ;
        /*0020*/              @!P0 BRA `(.L_x_0) ;
.L_x_0:
	//## File "/a/mine.cu", line 5
        /*0030*/                   EXIT ;
.L_x_1:
        /*0040*/                   BRA `(.L_x_1);
        /*0050*/                   NOP;
.L_x_2:
)";

std::vector<std::string> texts(const Listing& listing) {
    std::vector<std::string> all;
    for (const Line& line : listing.lines) {
        all.push_back(line.text);
    }
    return all;
}

TEST(CodeListing, ReadsPtxOfOneKernelWithWhatWasInlined) {
    const Listing l = read_ptx(kPtx, "_Z1kPi");
    EXPECT_EQ(texts(l), (std::vector<std::string>{".visible .entry _Z1kPi(", ".param .u64 _Z1kPi_param_0", ")", "{",
                                                  ".reg .b32 %r<3>;", "ld.param.u64 %rd1, [_Z1kPi_param_0];",
                                                  "add.s32 %r2, %r1, 1;", "{", "mov.u32 %r1, %tid.x;", "}",
                                                  "$L__BB0_2:", "ret;", "}"}));
    EXPECT_EQ(l.files, (std::vector<std::string>{"mine.cu", "folder/reduction.cuh"}));
    EXPECT_EQ(l.lines[5].places, (std::vector<Place>{{0, 3}}));
    EXPECT_EQ(l.lines[6].places, (std::vector<Place>{{1, 34}, {0, 4}}));
    EXPECT_TRUE(l.lines[10].places.empty()) << "a label";
    EXPECT_TRUE(l.lines[11].places.empty()) << "line 0 is none";
    EXPECT_TRUE(read_ptx(kPtx, "_Z1k").empty());
}

TEST(CodeListing, ReadsMachineCodeOfOneKernelWithWhatWasInlined) {
    const Listing l = read_sass(kSass, "_Z1kPi");
    EXPECT_EQ(texts(l),
              (std::vector<std::string>{"LDC R1, c[0x0][0x28]", "@!P0 IADD3 R2, R2, 0x1, RZ", "@!P0 BRA `(.L_x_0)",
                                        ".L_x_0:", "EXIT", ".L_x_1:", "BRA `(.L_x_1)"}));
    EXPECT_EQ(l.files, (std::vector<std::string>{"/a/mine.cu", "/a/reduction.cuh"}));
    EXPECT_EQ(l.lines[1].places, (std::vector<Place>{{1, 34}, {0, 4}}));
    EXPECT_EQ(l.lines[2].places, l.lines[1].places) << "until another line is named";
    EXPECT_EQ(l.lines[4].places, (std::vector<Place>{{0, 5}}));
    EXPECT_TRUE(read_sass(kSass, "_Z1k").empty());
    EXPECT_TRUE(read_sass("", "_Z1kPi").empty());
}

TEST(CodeListing, ARecordingComesBackAsItWas) {
    Recording r{"sequential", ElementType::f64, {}};
    r.code = {
        "reduce", "sm_90", "f64, B = 128", source_key("text"), read_ptx(kPtx, "_Z1kPi"), read_sass(kSass, "_Z1kPi"),
        "",       ""};
    r.code.ptx.compiler = "NVRTC 13.0";
    const auto file = std::filesystem::path(testing::TempDir()) / "code.json";
    std::ofstream(file) << to_json(r);
    EXPECT_EQ(load_recording(file), r);
}

TEST(CodeListing, SaysWhatIsWrongWithAFile) {
    const auto file = std::filesystem::path(testing::TempDir()) / "bad.json";
    const auto fails = [&](std::string text, const std::string& word) {
        std::ofstream(file) << text;
        try {
            load_recording(file);
            ADD_FAILURE() << text;
        } catch (const FileError& e) {
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
        }
    };
    Recording r{"sequential", ElementType::i32, {}};
    r.code.ptx = read_ptx(kPtx, "_Z1kPi");
    const std::string good = to_json(r);
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    fails("{", "not usable");
    fails(with("warptree.code", "warptree.clocks"), "version");
    fails(with("3@0", "3@9"), "no source line");
    fails(with("3@0", "0@0"), "no source line");
    fails(with("3@0\\t", "3@0 "), "tab");
    fails(with("i32", "i7"), "type");
    EXPECT_THROW(load_recording("/nowhere.json"), FileError);
}

} // namespace
} // namespace warptree::code
