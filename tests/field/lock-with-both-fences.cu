// Right: the lock is fenced after it is taken and before it is given back, by a volatile store: no race.
struct Account {
    int lock;
    float balance;
};

__global__ void transfer(Account* a) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&a->lock, 0, 1) != 0) {
        }
        __threadfence();
        a->balance += blockIdx.x + 1.0f;
        __threadfence();
        *(volatile int*)&a->lock = 0;
    }
}
