#pragma once

#include "warptree/cub.h"
