// A relocatable object file of machine code, laid out in this process's memory and linked against this program and its
// libraries. It needs no file and no other program, so that it can be loaded by a process that may open nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::host {

struct CodePlace {
    std::uint32_t section = 0; // of the object; 0: none
    std::uint64_t address = 0; // in it
};

class LoadedObject {
  public:
    // Throws std::runtime_error with one line if the object is not one for this computer, or uses what is nowhere
    // defined. Runs nothing of it.
    explicit LoadedObject(std::span<const std::byte> object);
    LoadedObject(const LoadedObject&) = delete;
    LoadedObject& operator=(const LoadedObject&) = delete;

    // Constructors of static objects, in order.
    void run_initialisers() const;
    void run_finalisers() const;
    // Null if it defines no such function or variable.
    void* symbol(std::string_view name) const;
    // Whether a variable lies in a section of that name.
    bool lies_in(std::string_view section, const void* variable) const;
    // Where an instruction is. Safe in a signal handler.
    CodePlace place(std::uint64_t instruction) const;
    // The innermost calls from this object on a stack that begins at `stack`, a guess; the rest are none. Safe in a signal
    // handler.
    void callers(std::uint64_t stack, std::uint64_t end, std::span<CodePlace> to) const;
    // Thread-local variables begin as the object says, in each thread that calls this.
    void begin_thread() const;

  private:
    struct Section {
        std::uint64_t at = 0, bytes = 0, flags = 0; // at: where it lies; 0: it is not loaded
        std::string_view name;
    };
    struct Symbol {
        std::uint64_t value = 0;
        bool local_thread = false; // an offset from the thread's own memory
        bool undefined = false;
    };
    void read();
    void lay_out();
    void resolve();
    Symbol resolve(std::uint32_t number);
    void relocate();
    void relocate(const Section& target, std::span<const std::byte> records);
    std::uint64_t slot(std::uint64_t value);       // a word that holds the value
    std::uint64_t stub(std::uint64_t destination); // code that jumps there
    void protect() const;
    void run(std::string_view name) const;

    std::span<const std::byte> object_;
    std::vector<Section> sections_;
    std::vector<Symbol> symbols_;
    std::map<std::string_view, std::uint64_t> defined_;
    std::map<std::uint64_t, std::uint64_t> slots_, stubs_;
    std::uint64_t symbol_table_ = 0; // number of the section
    std::uint64_t code_ = 0, code_end_ = 0, constants_ = 0, constants_end_ = 0, data_ = 0;
    std::uint64_t next_slot_ = 0, slots_end_ = 0, next_stub_ = 0, stubs_end_ = 0;
    std::uint64_t thread_initial_ = 0, thread_initial_bytes_ = 0;
};

} // namespace warptree::host
