// Empty: the prelude, read before every kernel file, has all of it.
#pragma once
