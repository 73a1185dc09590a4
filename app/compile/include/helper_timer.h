// What CUDA's samples call of their own helpers, for host code, which is parsed only.
#pragma once

class StopWatchInterface;
bool sdkCreateTimer(StopWatchInterface**);
bool sdkDeleteTimer(StopWatchInterface**);
bool sdkStartTimer(StopWatchInterface**);
bool sdkStopTimer(StopWatchInterface**);
bool sdkResetTimer(StopWatchInterface**);
float sdkGetTimerValue(StopWatchInterface**);
float sdkGetAverageTimerValue(StopWatchInterface**);
