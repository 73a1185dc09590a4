// Empty: editors put it into files, and the prelude has all of it.
#pragma once
