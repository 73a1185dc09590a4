// The fields of each record of a Program, in serialised order. A structured binding names all of them, so that a field
// added to a record and forgotten here does not compile.
#pragma once

#include "app/compile/program/program.hpp"

#include <concepts>
#include <type_traits>

namespace warptree::compile {

template <class R, class T>
concept record = std::same_as<std::remove_const_t<R>, T>;

// Calls visit(first, second, ...) once with all fields.
template <record<Location> R, class V> void fields(R& r, V&& visit) {
    auto& [file, line, column, inlined_at] = r;
    visit(file, line, column, inlined_at);
}
template <record<Instruction> R, class V> void fields(R& r, V&& visit) {
    auto& [op, flags, dst, a, b, c, location, tag_dst, tag_a, tag_b, tag_c, selection, type] = r;
    visit(op, flags, dst, a, b, c, location, tag_dst, tag_a, tag_b, tag_c, selection, type);
}
template <record<Selection> R, class V> void fields(R& r, V&& visit) {
    auto& [condition, tag_x, tag_y, x, y, greater, type, flags, location, follows] = r;
    visit(condition, tag_x, tag_y, x, y, greater, type, flags, location, follows);
}
template <record<Move> R, class V> void fields(R& r, V&& visit) {
    auto& [dst, src, tag_dst, tag_src, rows, selection] = r;
    visit(dst, src, tag_dst, tag_src, rows, selection);
}
template <record<Keep> R, class V> void fields(R& r, V&& visit) {
    auto& [access, a, b, next] = r;
    visit(access, a, b, next);
}
template <record<Edge> R, class V> void fields(R& r, V&& visit) {
    auto& [block, first_move, move_count, overlapping, begins, ends, keep] = r;
    visit(block, first_move, move_count, overlapping, begins, ends, keep);
}
template <record<Block> R, class V> void fields(R& r, V&& visit) {
    auto& [first, count, reconverge, loop] = r;
    visit(first, count, reconverge, loop);
}
template <record<Loop> R, class V> void fields(R& r, V&& visit) {
    auto& [parent, header, stage, variable, row, location] = r;
    visit(parent, header, stage, variable, row, location);
}
template <record<Statement> R, class V> void fields(R& r, V&& visit) {
    auto& [instruction, location, parameter, value] = r;
    visit(instruction, location, parameter, value);
}
template <record<Variable> R, class V> void fields(R& r, V&& visit) {
    auto& [name, type, function, location, parameter] = r;
    visit(name, type, function, location, parameter);
}
template <record<Access> R, class V> void fields(R& r, V&& visit) {
    auto& [index, scale, offset, bytes, count, space, type, is_volatile, atomic, scope, streaming, selection, array,
           local, whole] = r;
    visit(index, scale, offset, bytes, count, space, type, is_volatile, atomic, scope, streaming, selection, array,
          local, whole);
}
template <record<Atomic> R, class V> void fields(R& r, V&& visit) {
    auto& [operation, access, value, expected, tag_value, tag_expected, scope, result_used, counts] = r;
    visit(operation, access, value, expected, tag_value, tag_expected, scope, result_used, counts);
}
template <record<Copy> R, class V> void fields(R& r, V&& visit) {
    auto& [to, from, bytes, filled] = r;
    visit(to, from, bytes, filled);
}
template <record<Exchange> R, class V> void fields(R& r, V&& visit) {
    auto& [mode, bytes, mask, lane, width, in_range, type] = r;
    visit(mode, bytes, mask, lane, width, in_range, type);
}
template <record<Barrier> R, class V> void fields(R& r, V&& visit) {
    auto& [number, threads, waits, aligned, reduce, predicate, within] = r;
    visit(number, threads, waits, aligned, reduce, predicate, within);
}
template <record<Switch> R, class V> void fields(R& r, V&& visit) {
    auto& [wide, values, edges] = r;
    visit(wide, values, edges);
}
template <record<Value> R, class V> void fields(R& r, V&& visit) {
    auto& [row, rows, tag] = r;
    visit(row, rows, tag);
}
template <record<Call> R, class V> void fields(R& r, V&& visit) {
    auto& [function, arguments, results] = r;
    visit(function, arguments, results);
}
template <record<Constant> R, class V> void fields(R& r, V&& visit) {
    auto& [row, rows, bits] = r;
    visit(row, rows, bits);
}
template <record<FunctionCode> R, class V> void fields(R& r, V&& visit) {
    auto& [name, rows, tag_rows, local_bytes, blocks, code, constants, statements, parameters, results, location] = r;
    visit(name, rows, tag_rows, local_bytes, blocks, code, constants, statements, parameters, results, location);
}
template <record<Parameter::Field> R, class V> void fields(R& r, V&& visit) {
    auto& [offset, type] = r;
    visit(offset, type);
}
template <record<Parameter> R, class V> void fields(R& r, V&& visit) {
    auto& [name, type, kind, element, element_bytes, components, constant, row, bytes, local_offset, loads, stores,
           updates, signals, record_of, links, of_record] = r;
    visit(name, type, kind, element, element_bytes, components, constant, row, bytes, local_offset, loads, stores,
          updates, signals, record_of, links, of_record);
}
template <record<Kernel> R, class V> void fields(R& r, V&& visit) {
    auto& [name, function, parameters, members, most_threads, location, shared, independent_blocks, cooperative,
           cluster, launched_block, symbol, undefined] = r;
    visit(name, function, parameters, members, most_threads, location, shared, independent_blocks, cooperative, cluster,
          launched_block, symbol, undefined);
}
template <record<KernelTemplate::Parameter> R, class V> void fields(R& r, V&& visit) {
    auto& [name, type, fallback] = r;
    visit(name, type, fallback);
}
template <record<KernelTemplate> R, class V> void fields(R& r, V&& visit) {
    auto& [name, parameters, location] = r;
    visit(name, parameters, location);
}
template <record<Global::Address> R, class V> void fields(R& r, V&& visit) {
    auto& [offset, global, function, addend] = r;
    visit(offset, global, function, addend);
}
template <record<Global> R, class V> void fields(R& r, V&& visit) {
    auto& [name, symbol, space, bytes, alignment, element, element_bytes, initial, addresses] = r;
    visit(name, symbol, space, bytes, alignment, element, element_bytes, initial, addresses);
}
template <record<SharedArray> R, class V> void fields(R& r, V&& visit) {
    auto& [name, offset, bytes, element, element_bytes, extents, location] = r;
    visit(name, offset, bytes, element, element_bytes, extents, location);
}
template <record<LocalArray> R, class V> void fields(R& r, V&& visit) {
    auto& [name, offset, bytes, element_bytes] = r;
    visit(name, offset, bytes, element_bytes);
}
template <record<Diagnostic::Range> R, class V> void fields(R& r, V&& visit) {
    auto& [line, first, end] = r;
    visit(line, first, end);
}
template <record<Diagnostic::FixIt> R, class V> void fields(R& r, V&& visit) {
    auto& [range, text] = r;
    visit(range, text);
}
template <record<Diagnostic> R, class V> void fields(R& r, V&& visit) {
    auto& [severity, file, line, column, message, ranges, fix_its] = r;
    visit(severity, file, line, column, message, ranges, fix_its);
}
template <record<RefusedKernel> R, class V> void fields(R& r, V&& visit) {
    auto& [name, why] = r;
    visit(name, why);
}
template <record<SourceText> R, class V> void fields(R& r, V&& visit) {
    auto& [path, text, ours] = r;
    visit(path, text, ours);
}
template <record<TextRange> R, class V> void fields(R& r, V&& visit) {
    auto& [first, end] = r;
    visit(first, end);
}
template <record<DeviceCode> R, class V> void fields(R& r, V&& visit) {
    auto& [ptx, problem, shared] = r;
    visit(ptx, problem, shared);
}
template <record<HostLine> R, class V> void fields(R& r, V&& visit) {
    auto& [section, address, file, line, column] = r;
    visit(section, address, file, line, column);
}
template <record<HostEntry::Parameter> R, class V> void fields(R& r, V&& visit) {
    auto& [name, type, pointer, floating, compared] = r;
    visit(name, type, pointer, floating, compared);
}
template <record<HostEntry> R, class V> void fields(R& r, V&& visit) {
    auto& [name, line, parameters] = r;
    visit(name, line, parameters);
}
template <record<HostTouch> R, class V> void fields(R& r, V&& visit) {
    auto& [name, file, line, writes, constant] = r;
    visit(name, file, line, writes, constant);
}
template <record<HostCode> R, class V> void fields(R& r, V&& visit) {
    auto& [object, problem, diagnostics, warnings, files, lines, has_main, entries, touches] = r;
    visit(object, problem, diagnostics, warnings, files, lines, has_main, entries, touches);
}
template <record<Program> R, class V> void fields(R& r, V&& visit) {
    auto& [files, locations, functions, kernels, templates, refused, edges, moves, selections, keeps, loops, variables,
           accesses, atomics, copies, exchanges, barriers, switches, calls, globals, shared, locals,
           static_shared_bytes, texts, diagnostics, host_code, code, host] = r;
    visit(files, locations, functions, kernels, templates, refused, edges, moves, selections, keeps, loops, variables,
          accesses, atomics, copies, exchanges, barriers, switches, calls, globals, shared, locals, static_shared_bytes,
          texts, diagnostics, host_code, code, host);
}

} // namespace warptree::compile
