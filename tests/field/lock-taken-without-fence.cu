// Right: who takes the lock in block 0 does not fence before it adds to the balance, so its reads and writes race with block 1's.
struct Account {
    int lock;
    float balance;
};

__device__ void pay(volatile Account* a, float amount, bool fences) {
    while (atomicExch((int*)&a->lock, 1) != 0) {
    }
    if (fences) __threadfence();
    a->balance = a->balance + amount;
    __threadfence();
    atomicExch((int*)&a->lock, 0);
}

__global__ void transfer(Account* a) {
    if (threadIdx.x == 0) pay(a, blockIdx.x + 1.0f, blockIdx.x != 0);
}
