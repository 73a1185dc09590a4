#include "app/host/memory_operand.hpp"

#include <array>
#include <cstring>

namespace warptree::host {

namespace {
constexpr std::array kRegisters{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

// Whether an opcode of one byte has a ModRM byte (Intel's manual, volume 2, table A-2).
bool has_modrm(std::uint8_t opcode) {
    return (opcode < 0x40 && (opcode & 7U) < 4) || opcode == 0x63 || opcode == 0x69 || opcode == 0x6B ||
           (opcode >= 0x80 && opcode <= 0x8F) || opcode == 0xC0 || opcode == 0xC1 || opcode == 0xC6 || opcode == 0xC7 ||
           (opcode >= 0xD0 && opcode <= 0xD3) || (opcode >= 0xD8 && opcode <= 0xDF) || opcode == 0xF6 ||
           opcode == 0xF7 || opcode == 0xFE || opcode == 0xFF;
}
} // namespace

std::optional<std::uint64_t> memory_operand(const ucontext_t& state) {
    const auto value = [&](unsigned number) {
        return static_cast<std::uint64_t>(state.uc_mcontext.gregs[kRegisters[number]]);
    };
    // It was fetched, so its bytes can be read, unless it was to be called where nothing is: null, or the device's memory.
    const auto where = static_cast<std::uint64_t>(state.uc_mcontext.gregs[REG_RIP]);
    if (where == 0 || where >> 47 != 0) {
        return std::nullopt;
    }
    const auto* at = reinterpret_cast<const std::uint8_t*>(where);
    const std::uint8_t* const begin = at;
    const auto is_prefix = [](std::uint8_t byte) {
        return byte == 0x66 || byte == 0x67 || byte == 0xF2 || byte == 0xF3 || byte == 0xF0 || byte == 0x2E ||
               byte == 0x3E || byte == 0x26 || byte == 0x36;
    };
    while (is_prefix(*at) && at - begin < 8) {
        ++at;
    }
    unsigned index_high = 0, base_high = 0; // bits 3 of the registers' numbers
    if (*at == 0xC5) {                      // VEX: the opcode follows
        at += 3;
    } else if (*at == 0xC4) {
        index_high = (at[1] & 0x40U) == 0 ? 8 : 0;
        base_high = (at[1] & 0x20U) == 0 ? 8 : 0;
        at += 4;
    } else if (*at == 0x62) { // EVEX; its displacement of one byte counts elements
        return std::nullopt;
    } else {
        if ((*at & 0xF0U) == 0x40) { // REX
            index_high = (*at & 2U) != 0 ? 8 : 0;
            base_high = (*at & 1U) != 0 ? 8 : 0;
            ++at;
        }
        if (*at == 0x0F) {
            at += at[1] == 0x38 || at[1] == 0x3A ? 3 : 2;
        } else if (has_modrm(*at)) {
            ++at;
        } else {
            return std::nullopt;
        }
    }
    const unsigned modrm = *at++, mod = modrm >> 6U, rm = modrm & 7U;
    if (mod == 3) {
        return std::nullopt;
    }
    std::uint64_t address = 0;
    bool wide_displacement = mod == 2;
    if (rm == 4) { // a SIB byte
        const unsigned sib = *at++, scale = sib >> 6U, index = (sib >> 3U & 7U) | index_high, base = sib & 7U;
        address += index == 4 ? 0 : value(index) << scale;
        if (base == 5 && mod == 0) {
            wide_displacement = true;
        } else {
            address += value(base | base_high);
        }
    } else if (rm == 5 && mod == 0) {
        return std::nullopt; // beside the code: never the device's
    } else {
        address += value(rm | base_high);
    }
    if (wide_displacement) {
        std::int32_t displacement = 0;
        std::memcpy(&displacement, at, sizeof displacement);
        address += static_cast<std::uint64_t>(std::int64_t{displacement});
    } else if (mod == 1) {
        address += static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(*at)});
    }
    return address;
}

} // namespace warptree::host
