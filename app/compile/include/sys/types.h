#pragma once

typedef int pid_t;
typedef long off_t;
