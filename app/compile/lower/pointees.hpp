// Which memory each pointer may point into: a flow-insensitive, inclusion-based analysis of everything that the kernels
// reach.
#pragma once

#include "app/compile/lower/memory_map.hpp"

namespace warptree::compile::lowering {

// Distinguished memory objects: a kernel's array, a variable, a local of a function.
struct Object {
    enum class Kind : std::uint8_t {
        unknown, // target of a pointer of unknown origin: any array
        parameter,
        behind, // target of the pointers in a kernel's array or struct
        record, // a struct passed to a kernel
        variable,
        shared,
        local,
        heap
    };
    Kind kind = Kind::unknown;
    const llvm::Value* value = nullptr;
    std::uint32_t kernel = kNone, parameter = kNone; // of Compiled::kernels
    Space space = Space::unknown;
    ValueType element = ValueType::none;
    // Arrays that the host fills before the launch.
    bool is_input() const { return kind == Kind::unknown || kind == Kind::parameter || kind == Kind::behind; }
    // Memory in which blocks see one another's writes.
    bool is_global() const { return kind != Kind::record && kind != Kind::shared && kind != Kind::local; }
};

class ObjectSet {
  public:
    explicit ObjectSet(std::size_t objects = 0) : words_((objects + 63) / 64) {}
    bool empty() const;
    bool has(std::size_t object) const { return (words_[object / 64] >> (object % 64) & 1) != 0; }
    void add(std::size_t object) { words_[object / 64] |= 1ULL << (object % 64); }
    bool add(const ObjectSet& other); // whether it grew
    bool intersects(const ObjectSet& other) const;
    template <class Visit> void each(Visit&& visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t left = words_[w]; left != 0; left &= left - 1)
                visit(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
    }

  private:
    llvm::SmallVector<std::uint64_t, 1> words_;
};

class Pointees {
  public:
    Pointees(const Compiled& compiled, const Reach& reach, const MemoryMap& map, const Program& program);

    const std::vector<Object>& objects() const { return objects_; }
    // Contains the unknown object if nothing is known about a pointer.
    const ObjectSet& of(const llvm::Value* pointer) const;
    // The only object; nullptr: several, or unknown.
    const Object* only(const llvm::Value* pointer) const;
    Space space(const llvm::Value* pointer) const;

  private:
    void collect_objects(const Compiled& compiled, const MemoryMap& map, const Program& program);
    ObjectSet& set(const llvm::Value* value);
    ObjectSet& constant_set(const llvm::Constant* constant);
    bool sweep();
    bool transfer(const llvm::Instruction& instruction);
    bool call(const llvm::CallBase& call);
    bool into_memory(const ObjectSet& where, const ObjectSet& what);
    bool from_memory(ObjectSet& into, const ObjectSet& where);

    const Reach& reach_;
    std::vector<Object> objects_;
    llvm::DenseMap<const llvm::Value*, std::uint32_t> object_of_;
    std::vector<ObjectSet> sets_;     // by Reach::number
    std::vector<ObjectSet> contents_; // by object: what pointers in it point to
    llvm::DenseMap<const llvm::Function*, ObjectSet> returned_;
    llvm::DenseMap<const llvm::Constant*, std::unique_ptr<ObjectSet>> constants_;
    ObjectSet unknown_, none_;
    std::uint32_t heap_ = kNone;
};

} // namespace warptree::compile::lowering
