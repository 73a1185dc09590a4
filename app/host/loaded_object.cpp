#include "app/host/loaded_object.hpp"

#include "app/host/stand_ins.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" void __register_frame(void*);

namespace warptree::host {

namespace {

#if !defined(__x86_64__)
#error "host code is loaded on x86-64 only"
#endif

constexpr std::uint64_t kPage = 4096, kStubBytes = 16;
constexpr std::size_t kThreadBytes = 16384;
// Thread-local variables of the object, in memory that each thread has from its beginning.
alignas(64) thread_local std::byte thread_memory[kThreadBytes];

std::uint64_t thread_pointer() { return reinterpret_cast<std::uint64_t>(__builtin_thread_pointer()); }
std::uint64_t rounded(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

template <class T> T read_as(std::span<const std::byte> bytes, std::uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) fail("the object file is damaged");
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::span<const std::byte> part(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t count) {
    if (offset > bytes.size() || bytes.size() - offset < count) fail("the object file is damaged");
    return bytes.subspan(offset, count);
}

std::string_view text_at(std::span<const std::byte> table, std::uint64_t offset) {
    if (offset >= table.size()) fail("the object file is damaged");
    const char* const begin = reinterpret_cast<const char*>(table.data()) + offset;
    return {begin, strnlen(begin, table.size() - offset)};
}

// Why a function of the runtime API is missing; empty: it is none of it.
std::string not_part(const std::string& name) {
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (!has("cuda")) return {};
    if (has("BindTexture") || has("BindSurface"))
        return "; texture references, which CUDA 12 no longer has, are not part of warptree: take a texture object";
    if (has("Mipmapped")) return "; arrays with several levels of detail are not part of warptree";
    if (has("Graphics") || has("GL")) return "; sharing with OpenGL is not part of warptree";
    return "; that function is not part of warptree";
}

void put(std::uint64_t at, std::uint64_t value, unsigned bytes) {
    std::memcpy(reinterpret_cast<void*>(at), &value, bytes);
}

} // namespace

LoadedObject::LoadedObject(std::span<const std::byte> object) : object_(object) {
    read();
    lay_out();
    resolve();
    relocate();
    protect();
    for (const Section& section : sections_)
        if (section.at != 0 && section.name == ".eh_frame" && section.bytes != 0)
            __register_frame(reinterpret_cast<void*>(section.at)); // zeros follow it
    begin_thread();
}

void LoadedObject::read() {
    const auto header = read_as<Elf64_Ehdr>(object_, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_type != ET_REL || header.e_machine != EM_X86_64)
        fail("the object file is not one for this computer");
    const auto names = read_as<Elf64_Shdr>(object_, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
    const auto texts = part(object_, names.sh_offset, names.sh_size);
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
        const auto section = read_as<Elf64_Shdr>(object_, header.e_shoff + i * sizeof(Elf64_Shdr));
        Section& to = sections_.emplace_back();
        to.bytes = section.sh_size;
        to.flags = section.sh_flags;
        to.name = text_at(texts, section.sh_name);
        if (section.sh_type == SHT_SYMTAB) symbol_table_ = i;
    }
}

void LoadedObject::lay_out() {
    const auto header = read_as<Elf64_Ehdr>(object_, 0);
    const auto section_header = [&](std::uint64_t i) {
        return read_as<Elf64_Shdr>(object_, header.e_shoff + i * sizeof(Elf64_Shdr));
    };
    // At most one slot and one stub a relocation.
    std::uint64_t relocations = 0;
    for (std::uint64_t i = 0; i < sections_.size(); ++i)
        if (const auto s = section_header(i);
            s.sh_type == SHT_RELA && s.sh_info < sections_.size() && (sections_[s.sh_info].flags & SHF_ALLOC) != 0)
            relocations += s.sh_size / sizeof(Elf64_Rela);
    std::uint64_t at = 0;
    std::vector<std::uint64_t> offset(sections_.size(), 0);
    const auto place = [&](auto wanted) {
        for (std::uint64_t i = 1; i < sections_.size(); ++i) {
            const auto s = section_header(i);
            if ((s.sh_flags & SHF_ALLOC) == 0 || (s.sh_flags & SHF_TLS) != 0 || !wanted(s)) continue;
            at = rounded(at, std::clamp<std::uint64_t>(s.sh_addralign, 1, kPage));
            offset[i] = at;
            at += s.sh_size + 8; // zeros end a table of frames
        }
    };
    place([](const Elf64_Shdr& s) { return (s.sh_flags & SHF_EXECINSTR) != 0; });
    const std::uint64_t stubs = rounded(at, kStubBytes);
    at = rounded(stubs + relocations * kStubBytes, kPage);
    const std::uint64_t constants = at;
    place([](const Elf64_Shdr& s) { return (s.sh_flags & (SHF_EXECINSTR | SHF_WRITE)) == 0; });
    const std::uint64_t slots = rounded(at, 8);
    at = rounded(slots + relocations * 8, kPage);
    const std::uint64_t data = at;
    place([](const Elf64_Shdr& s) { return (s.sh_flags & SHF_WRITE) != 0; });
    at = rounded(at, kPage);
    void* const room =
        mmap(nullptr, at + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) fail("no memory for the program's variables");
    const auto base = reinterpret_cast<std::uint64_t>(room);
    code_ = base;
    code_end_ = base + stubs;
    next_stub_ = base + stubs;
    stubs_end_ = next_stub_ + relocations * kStubBytes;
    constants_ = base + constants;
    constants_end_ = base + data;
    next_slot_ = base + slots;
    slots_end_ = next_slot_ + relocations * 8;
    data_ = base + data;

    std::uint64_t thread_at = 0;
    for (std::uint64_t i = 1; i < sections_.size(); ++i) {
        const auto s = section_header(i);
        Section& to = sections_[i];
        if ((s.sh_flags & SHF_ALLOC) == 0) continue;
        if ((s.sh_flags & SHF_TLS) != 0) {
            thread_at = rounded(thread_at, std::clamp<std::uint64_t>(s.sh_addralign, 1, 64));
            to.at = thread_at; // an offset
            thread_at += s.sh_size;
            if (thread_at > kThreadBytes) fail("thread-local variables of more than 16 KB are not part of warptree");
            continue;
        }
        to.at = base + offset[i];
        if (s.sh_type != SHT_NOBITS) {
            const auto bytes = part(object_, s.sh_offset, s.sh_size);
            std::memcpy(reinterpret_cast<void*>(to.at), bytes.data(), bytes.size());
        }
    }
    if (thread_at != 0) { // what they begin with, in place
        thread_initial_ = reinterpret_cast<std::uint64_t>(
            mmap(nullptr, rounded(thread_at, kPage), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        thread_initial_bytes_ = thread_at;
        for (std::uint64_t i = 1; i < sections_.size(); ++i) {
            const auto s = section_header(i);
            if ((s.sh_flags & SHF_TLS) == 0 || s.sh_type == SHT_NOBITS) continue;
            const auto bytes = part(object_, s.sh_offset, s.sh_size);
            std::memcpy(reinterpret_cast<void*>(thread_initial_ + sections_[i].at), bytes.data(), bytes.size());
        }
    }
}

void LoadedObject::begin_thread() const {
    if (thread_initial_bytes_ != 0)
        std::memcpy(thread_memory, reinterpret_cast<const void*>(thread_initial_), thread_initial_bytes_);
}

void LoadedObject::resolve() {
    if (symbol_table_ == 0) fail("the object file has no symbols");
    const auto header = read_as<Elf64_Ehdr>(object_, 0);
    const auto table = read_as<Elf64_Shdr>(object_, header.e_shoff + symbol_table_ * sizeof(Elf64_Shdr));
    for (std::uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i)
        symbols_.push_back(resolve(static_cast<std::uint32_t>(i)));
}

LoadedObject::Symbol LoadedObject::resolve(std::uint32_t number) {
    const auto header = read_as<Elf64_Ehdr>(object_, 0);
    const auto table = read_as<Elf64_Shdr>(object_, header.e_shoff + symbol_table_ * sizeof(Elf64_Shdr));
    const auto texts = read_as<Elf64_Shdr>(object_, header.e_shoff + table.sh_link * sizeof(Elf64_Shdr));
    const auto symbol = read_as<Elf64_Sym>(object_, table.sh_offset + number * sizeof(Elf64_Sym));
    const std::string_view name = text_at(part(object_, texts.sh_offset, texts.sh_size), symbol.st_name);
    Symbol result;
    if (number == 0) return result;
    if (symbol.st_shndx == SHN_ABS) {
        result.value = symbol.st_value;
        return result;
    }
    if (symbol.st_shndx == SHN_UNDEF) {
        // It stands for the object, and is reached as its own variables are.
        void* at = name == "__dso_handle" ? reinterpret_cast<void*>(data_) : stand_in(name);
        if (at == nullptr) at = dlsym(RTLD_DEFAULT, std::string(name).c_str());
        result.undefined = at == nullptr && ELF64_ST_BIND(symbol.st_info) != STB_WEAK;
        result.value = reinterpret_cast<std::uint64_t>(at);
        return result;
    }
    if (symbol.st_shndx >= sections_.size()) fail("the object file has variables of an unknown kind");
    const Section& section = sections_[symbol.st_shndx];
    if ((section.flags & SHF_ALLOC) == 0) return result;
    result.value = section.at + symbol.st_value;
    result.local_thread = (section.flags & SHF_TLS) != 0;
    if (!result.local_thread && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) defined_[name] = result.value;
    return result;
}

std::uint64_t LoadedObject::slot(std::uint64_t value) {
    if (const auto known = slots_.find(value); known != slots_.end()) return known->second;
    if (next_slot_ == slots_end_) fail("the object file has too many references");
    put(next_slot_, value, 8);
    return slots_[value] = std::exchange(next_slot_, next_slot_ + 8);
}

std::uint64_t LoadedObject::stub(std::uint64_t destination) {
    if (const auto known = stubs_.find(destination); known != stubs_.end()) return known->second;
    if (next_stub_ == stubs_end_) fail("the object file has too many references");
    // jmp *destination(%rip)
    constexpr unsigned char jump[8] = {0xFF, 0x25, 2, 0, 0, 0, 0x90, 0x90};
    std::memcpy(reinterpret_cast<void*>(next_stub_), jump, sizeof jump);
    put(next_stub_ + 8, destination, 8);
    return stubs_[destination] = std::exchange(next_stub_, next_stub_ + kStubBytes);
}

void LoadedObject::relocate() {
    const auto header = read_as<Elf64_Ehdr>(object_, 0);
    for (std::uint64_t i = 0; i < sections_.size(); ++i) {
        const auto s = read_as<Elf64_Shdr>(object_, header.e_shoff + i * sizeof(Elf64_Shdr));
        if (s.sh_type != SHT_RELA || s.sh_info >= sections_.size()) continue;
        const Section& target = sections_[s.sh_info];
        if ((target.flags & SHF_ALLOC) != 0 && (target.flags & SHF_TLS) == 0)
            relocate(target, part(object_, s.sh_offset, s.sh_size));
    }
}

void LoadedObject::relocate(const Section& target, std::span<const std::byte> records) {
    const auto header = read_as<Elf64_Ehdr>(object_, 0);
    const auto name_of = [&](std::uint32_t number) {
        const auto table = read_as<Elf64_Shdr>(object_, header.e_shoff + symbol_table_ * sizeof(Elf64_Shdr));
        const auto texts = read_as<Elf64_Shdr>(object_, header.e_shoff + table.sh_link * sizeof(Elf64_Shdr));
        const auto symbol = read_as<Elf64_Sym>(object_, table.sh_offset + number * sizeof(Elf64_Sym));
        return std::string(text_at(part(object_, texts.sh_offset, texts.sh_size), symbol.st_name));
    };
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= records.size(); at += sizeof(Elf64_Rela)) {
        const auto record = read_as<Elf64_Rela>(records, at);
        const auto number = static_cast<std::uint32_t>(ELF64_R_SYM(record.r_info));
        if (number >= symbols_.size()) fail("the object file is damaged");
        const Symbol& symbol = symbols_[number];
        const auto type = ELF64_R_TYPE(record.r_info);
        if (type == R_X86_64_NONE) continue;
        if (symbol.undefined) fail("undefined reference to " + name_of(number) + not_part(name_of(number)));
        const std::uint64_t place = target.at + record.r_offset;
        const auto addend = static_cast<std::uint64_t>(record.r_addend);
        if (record.r_offset > target.bytes || target.bytes - record.r_offset < 4) fail("the object file is damaged");
        const auto near = [&](std::uint64_t value) {
            const auto signed_value = static_cast<std::int64_t>(value);
            if (signed_value != static_cast<std::int32_t>(signed_value))
                fail("the program's variables take more than 2 GB: " + name_of(number));
            put(place, value, 4);
        };
        // From the thread's memory: of the object's own, or of a library's.
        const auto in_thread = [&] {
            return symbol.local_thread
                       ? reinterpret_cast<std::uint64_t>(thread_memory) + symbol.value - thread_pointer()
                       : symbol.value - thread_pointer();
        };
        switch (type) {
        case R_X86_64_64:
            if (target.bytes - record.r_offset < 8) fail("the object file is damaged");
            put(place, symbol.value + addend, 8);
            break;
        case R_X86_64_PC64:
            if (target.bytes - record.r_offset < 8) fail("the object file is damaged");
            put(place, symbol.value + addend - place, 8);
            break;
        case R_X86_64_PC32:
        case R_X86_64_PLT32: {
            const auto distance = static_cast<std::int64_t>(symbol.value + addend - place);
            const bool reaches = distance == static_cast<std::int32_t>(distance);
            near((reaches || type == R_X86_64_PC32 ? symbol.value : stub(symbol.value)) + addend - place);
            break;
        }
        case R_X86_64_GOTPCREL:
        case R_X86_64_GOTPCRELX:
        case R_X86_64_REX_GOTPCRELX: near(slot(symbol.value) + addend - place); break;
        case R_X86_64_GOTTPOFF: near(slot(in_thread()) + addend - place); break;
        case R_X86_64_TPOFF32: near(in_thread() + addend); break;
        default: fail("the object file has a relocation of type " + std::to_string(type));
        }
    }
}

void LoadedObject::protect() const {
    if (mprotect(reinterpret_cast<void*>(code_), constants_ - code_, PROT_READ | PROT_EXEC) != 0)
        fail("code may not be made executable here");
    mprotect(reinterpret_cast<void*>(constants_), constants_end_ - constants_, PROT_READ);
}

void LoadedObject::run(std::string_view name) const {
    // ".init_array.101" runs before ".init_array".
    std::vector<const Section*> order;
    for (const Section& section : sections_)
        if (section.at != 0 && section.name.starts_with(name)) order.push_back(&section);
    std::stable_sort(order.begin(), order.end(), [&](const Section* a, const Section* b) {
        const auto key = [&](const Section* s) {
            return s->name.size() == name.size() ? "~" : s->name.substr(name.size());
        };
        return key(a) < key(b);
    });
    for (const Section* section : order)
        for (std::uint64_t at = 0; at + 8 <= section->bytes; at += 8) {
            void (*function)() = nullptr;
            std::memcpy(&function, reinterpret_cast<const void*>(section->at + at), sizeof function);
            if (function != nullptr) function();
        }
}

void LoadedObject::run_initialisers() const { run(".init_array"); }
void LoadedObject::run_finalisers() const { run(".fini_array"); }

void* LoadedObject::symbol(std::string_view name) const {
    const auto found = defined_.find(name);
    return found == defined_.end() ? nullptr : reinterpret_cast<void*>(found->second);
}

bool LoadedObject::lies_in(std::string_view section, const void* variable) const {
    const auto address = reinterpret_cast<std::uint64_t>(variable);
    return std::any_of(sections_.begin(), sections_.end(), [&](const Section& s) {
        return s.name == section && s.at != 0 && address >= s.at && address - s.at < s.bytes;
    });
}

CodePlace LoadedObject::place(std::uint64_t instruction) const {
    if (instruction < code_ || instruction >= code_end_) return {};
    for (std::uint32_t i = 1; i < sections_.size(); ++i) {
        const Section& section = sections_[i];
        if ((section.flags & SHF_EXECINSTR) != 0 && section.at != 0 && instruction >= section.at &&
            instruction - section.at < section.bytes)
            return {i, instruction - section.at};
    }
    return {};
}

// It reads all of the stack, also what lies between variables.
__attribute__((no_sanitize("address"))) void LoadedObject::callers(std::uint64_t stack, std::uint64_t end,
                                                                   std::span<CodePlace> to) const {
    std::size_t found = 0;
    for (std::uint64_t at = rounded(stack, 8); at + 8 <= end; at += 8) {
        const auto word = *reinterpret_cast<const volatile std::uint64_t*>(at);
        if (word < code_ + 8 || word >= code_end_) continue;
        const auto* const before = reinterpret_cast<const unsigned char*>(word);
        const bool call = before[-5] == 0xE8 || (before[-6] == 0xFF && before[-5] == 0x15) ||
                          (before[-2] == 0xFF && (before[-1] & 0x38) == 0x10) ||
                          (before[-3] == 0xFF && (before[-2] & 0x38) == 0x10);
        if (!call) continue;
        if (found == to.size()) return;
        to[found++] = place(word - 1);
    }
}

} // namespace warptree::host
