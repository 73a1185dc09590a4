// Memory that comes by the megabyte: in pages of 2 MB where the system has them, and kept when it is freed, for the next
// run. A run's arrays take tens of megabytes, and a fresh page of 4 KB costs more than what is written into it.
// Programs that link this room get it through operator new; under a sanitizer nothing changes.
#pragma once

namespace warptree {

// The C library, too, keeps what is freed. For a program, once, at its start; without such a setting nothing changes.
void keep_freed_memory();

} // namespace warptree
