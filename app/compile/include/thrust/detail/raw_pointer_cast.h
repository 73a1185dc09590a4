#pragma once

#include "warptree/thrust.h"
